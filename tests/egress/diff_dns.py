#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""diff_dns.py DUMP: dnspython and the broker read the same out of a query, and dnspython reads
in the broker's answers what was meant."""

import random
import sys

import dns.edns
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.reversename

from frames import dump, end, report

KINDS = ["host", "reverse", "local", "root", "odd"]
rng = random.Random(1)


def a_name():
    roll = rng.random()
    if roll < 0.1:
        return dns.reversename.from_address(f"198.18.{rng.randrange(256)}.{rng.randrange(256)}")
    if roll < 0.15:
        return dns.reversename.from_address("fd62:6572:6d01::%x" % rng.randrange(65536))
    letters = "abcXYZ019-_" if roll < 0.9 else "ab \t./\\\"\xe9\x00"
    labels = [bytes(ord(rng.choice(letters)) for _ in range(rng.choice([1, 2, 5, 20, 63])))
              for _ in range(rng.choice([1, 2, 3, 4]))]
    if rng.random() < 0.1:
        labels[0] = b"deny"
    try:
        return dns.name.Name(labels + [b""])
    except dns.exception.DNSException:
        return dns.name.from_text("a.example")


def a_query():
    types = ["A", "AAAA", "PTR", "MX", "TXT", "HTTPS", "SVCB", "SRV", "ANY", "NS", "CAA"]
    query = dns.message.make_query(a_name(), rng.choice(types))
    query.id = rng.randrange(65536)
    if rng.random() < 0.6:
        options = []
        if rng.random() < 0.3:
            options.append(dns.edns.GenericOption(10, b"cookie00"))
        if rng.random() < 0.2:
            options.append(dns.edns.GenericOption(12, bytes(rng.randrange(100))))
        query.use_edns(0, dns.flags.DO if rng.random() < 0.5 else 0,
                       rng.choice([0, 512, 1232, 4096, 65535]), options=options)
    return query


def text_of(name):
    return name.to_text(omit_final_dot=True).lower()


def differs(query, fields):
    """Why the broker's reading or answer is not dnspython's; None where it is."""
    rc, kind, name, qtype, edns, answer = fields
    kind = KINDS[int(kind)]
    question = query.question[0]
    if int(rc):
        return f"rc {rc}"
    if int(qtype) != question.rdtype or bool(int(edns)) != (query.edns >= 0):
        return f"type {qtype}, edns {edns}"
    if kind == "host" and name != text_of(question.name):
        return f"name {name}"
    if kind == "reverse" and dns.reversename.from_address(name) != question.name:
        return f"reverse of {name}"
    message = dns.message.from_wire(bytes.fromhex(answer))
    if not query.is_response(message):
        return "no answer to it"
    if message.question[0].name.to_wire() != question.name.to_wire():
        return "the question's letters"
    if (message.edns >= 0) != (query.edns >= 0):
        return "EDNS"
    wanted = {"A": 1, "AAAA": 28}.get(dns.rdatatype.to_text(question.rdtype))
    denied = kind == "host" and name.startswith("deny.")
    if kind == "odd" or denied:
        if message.rcode() != dns.rcode.NXDOMAIN or message.answer:
            return "not NXDOMAIN"
        if denied and query.edns >= 0:
            texts = [o.text for o in message.options if o.otype == 15 and o.code == 15]
            if texts != ["blocked by berm"]:
                return f"EDE {texts}"
    elif kind == "reverse":
        if message.answer[0][0].to_text() != "name.example.com.":
            return "PTR"
    elif message.rcode() != 0 or bool(message.answer) != bool(wanted):
        return "data"
    elif wanted and message.answer[0].rdtype != wanted:
        return "type of data"
    return None


def mutated(wire):
    wire = bytearray(wire)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at = rng.randrange(len(wire))
        roll = rng.random()
        if roll < 0.6:
            wire[at] = rng.choice([0, 1, 0xC0, 0xFF, rng.randrange(256)])
        elif roll < 0.8:
            del wire[at:]
        else:
            wire[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 2])))
        if not wire:
            wire = bytearray(b"x")
    return bytes(wire)


def main():
    queries = [a_query() for _ in range(4000)]
    wrong = []
    counts = {}
    for query, fields in zip(queries, dump(sys.argv[1], "dns", [q.to_wire() for q in queries])):
        why = differs(query, fields)
        counts[KINDS[int(fields[1])]] = counts.get(KINDS[int(fields[1])], 0) + 1
        if why:
            wrong.append(f"{why}: {query.question[0]}")
    report(not wrong, f"{len(queries)} queries and answers {counts}", wrong)
    report(all(counts.get(k, 0) > 20 for k in ("host", "reverse", "odd")), "of every kind")

    wires = [mutated(q.to_wire()) for q in queries for _ in range(3)]
    wrong = []
    accepted = 0
    for wire, fields in zip(wires, dump(sys.argv[1], "dns", wires)):
        if fields[0] != "0":
            continue
        accepted += 1
        try:
            query = dns.message.from_wire(wire)
            if text_of(query.question[0].name) != fields[2] and fields[1] == "0":
                wrong.append(f"name {fields[2]} of {query.question[0]}")
        except dns.exception.DNSException as e:
            # Options inside OPT are not read: nothing hangs on them.
            if query_of(wire) is None:
                wrong.append(f"{e!r}: {wire.hex()}")
    report(not wrong, f"what is taken of {len(wires)} damaged queries ({accepted}) is read alike",
           wrong)
    report(accepted > 500, "enough of them are taken")
    end()


def query_of(wire):
    try:
        return dns.message.from_wire(wire, question_only=True)
    except dns.exception.DNSException:
        return None


main()
