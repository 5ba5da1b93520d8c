#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""diff_hello.py DUMP: a server made of OpenSSL sees the name that the broker sees, in good hellos
and in damaged ones, however they are split into records; and sees none where the broker sees
none."""

import os
import random
import ssl
import struct
import subprocess
import sys
import tempfile

from frames import dump, end, report

rng = random.Random(3)
# A name of bytes that are no ASCII never reaches the callback.
sys.unraisablehook = lambda error: None
SEEN = []


def make_server(where):
    """A context that notes the names it is asked for."""
    key, cert = os.path.join(where, "key"), os.path.join(where, "cert")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                    "-subj", "/CN=x"], check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.sni_callback = lambda sock, name, ctx: SEEN.append(name)
    return context


def server_reads(context, flight):
    """The names of the callback, and whether the server answered the hello."""
    SEEN.clear()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    obj = context.wrap_bio(incoming, outgoing, server_side=True)
    incoming.write(flight)
    try:
        obj.do_handshake()
    except (ssl.SSLError, UnicodeError, ValueError):
        pass
    answer = outgoing.read()
    return list(SEEN), answer[:1] == b"\x16"


def a_hello():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if rng.random() < 0.3:
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    if rng.random() < 0.5:
        context.set_alpn_protocols(rng.choice([["h2", "http/1.1"], ["http/1.1"]]))
    name = ".".join("".join(rng.choice("abcdefXYZ019-") for _ in range(rng.randrange(1, 20)))
                    .strip("-") + "x" for _ in range(rng.randrange(1, 5))) + ".test"
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    obj = context.wrap_bio(incoming, outgoing,
                           server_hostname=name if rng.random() < 0.85 else None)
    try:
        obj.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def in_records(message, size):
    return b"".join(b"\x16\x03\x01" + struct.pack(">H", len(message[i:i + size])) +
                    message[i:i + size] for i in range(0, len(message), size))


def extension(kind, body):
    return struct.pack(">HH", kind, len(body)) + body


def names(*texts, kind=0):
    entries = b"".join(bytes([kind]) + struct.pack(">H", len(t)) + t for t in texts)
    return struct.pack(">H", len(entries)) + entries


def with_extension(record, more):
    """The hello with one more extension at its end, all lengths right."""
    message = bytearray(record[5:])
    at = 4 + 2 + 32
    at += 1 + message[at]
    at += 2 + struct.unpack_from(">H", message, at)[0]
    at += 1 + message[at]
    struct.pack_into(">H", message, at, struct.unpack_from(">H", message, at)[0] + len(more))
    message += more
    message[1:4] = struct.pack(">I", len(message) - 4)[1:]
    return in_records(bytes(message), 16384)


def damaged(record):
    roll = rng.random()
    if roll < 0.25:
        more = rng.choice([extension(0, names(b"evil.test")), extension(0, names()),
                           extension(0, names(b"a.test", b"evil.test")), extension(0, b""),
                           extension(0, names(b"evil.test", kind=1)), extension(0x2A2A, b""),
                           extension(0xFE0D, b"xyz"), extension(0, names(b"evil.test\0.a.test")),
                           extension(0, names(b"")), extension(0, names(b"a.test") + b"x")])
        record = with_extension(record, more)
    elif roll < 0.8:
        record = bytearray(record)
        for _ in range(rng.choice([1, 1, 2, 4])):
            at = rng.randrange(len(record)) if rng.random() < 0.5 else rng.randrange(5, 60)
            record[at % len(record)] = rng.choice([0, 1, 2, 0xFF, rng.randrange(256)])
        record = bytes(record)
    if rng.random() < 0.4 and record[:1] == b"\x16":
        record = in_records(record[5:], rng.choice([1, 2, 5, 50, 200]))
    if rng.random() < 0.05:
        record = b"\x15\x03\x01\x00\x02\x01\x00" + record
    return record


def turns(server):
    """A whole handshake of which only the first two flights of each side are kept."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_mode = ssl.CERT_NONE
    bios = [ssl.MemoryBIO() for _ in range(2)]
    ends = [client.wrap_bio(bios[0], bios[1], server_hostname="again.test"),
            server.wrap_bio(bios[1], bios[0], server_side=True)]
    said = []
    for end_ in ends * 2:
        try:
            end_.do_handshake()
        except ssl.SSLWantReadError:
            pass
        # What is written is the other's to read: a look, and back.
        bio = bios[1] if end_ is ends[0] else bios[0]
        said.append(bio.read())
        bio.write(said[-1])
    return said


def second_hello(where):
    """A server that wants another group than the client guessed asks again."""
    server = make_server(where)
    plain = turns(server)
    server.set_ecdh_curve("secp521r1")
    asked = turns(server)
    retry = dump(sys.argv[1], "retry", [plain[1], asked[1], asked[1][:42], plain[0]])
    report([r[0] for r in retry] == ["0", "1", "-11", "0"], "a HelloRetryRequest is seen",
           [str(retry)])
    again = dump(sys.argv[1], "again", [asked[2], asked[2][6:], plain[2]])
    report([a[:2] for a in again[:2]] == [["name", "again.test"]] * 2 and again[2][0] == "bad",
           "and the hello that follows it is read", [str(again)])


def main():
    hellos = [a_hello() for _ in range(1500)]
    flights = hellos + [damaged(h) for h in hellos for _ in range(6)]
    wrong = []
    count = {}
    with tempfile.TemporaryDirectory() as where:
        context = make_server(where)
        for i, (flight, fields) in enumerate(zip(flights, dump(sys.argv[1], "hello", flights))):
            result, name = fields[0], fields[1]
            seen, answered = server_reads(context, flight)
            count[result] = count.get(result, 0) + 1
            asked = [s for s in seen if s]
            if i < len(hellos) and (not answered or result not in ("name", "no-name")):
                wrong.append(f"a good hello: {fields}, {seen}, {answered}")
            elif result == "name" and any(s.lower().rstrip(".") != name for s in asked):
                wrong.append(f"the broker sees {name}, the server {seen}: {flight.hex()}")
            elif result == "name" and answered and not asked:
                wrong.append(f"the broker sees {name}, the server none: {flight.hex()}")
            elif result in ("no-name", "not-tls", "more") and (asked or (
                    answered and result != "no-name")):
                wrong.append(f"the broker sees {result}, the server {seen}: {flight.hex()}")
        second_hello(where)
    report(not wrong, f"{len(flights)} hellos {count}", wrong)
    report(all(count.get(r, 0) > 100 for r in ("name", "no-name", "bad")), "of every kind")
    end()


main()
