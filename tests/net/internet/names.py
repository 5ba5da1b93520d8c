# SPDX-License-Identifier: Apache-2.0
"""The names of the tests' internet and the addresses they have. What a name
answers is written in its first label, so a row needs no configuration:

  ip-10-0-0-1.ok.test   A 10.0.0.1 (several: ip-10-0-0-1--1-2-3-4)
  ip6-HEX.ok.test       AAAA of 32 hexadecimal digits
  v6-X.ok.test          only an AAAA       dual-X  both
  dead-X.ok.test        first an address that swallows packets, then a good one
  closed-X.ok.test      first an address that refuses, then a good one
  rebind-X.ok.test      the first answer is good, every later one 127.0.0.1
  many-X                forty addresses    slow-X  answered after a second
  nx-X  servfail-X  empty-X  silent-X      what they say
  cname-X               an alias of X.alias.test
  anything else         one address of its own
"""

import ipaddress
import threading

FIRST = int(ipaddress.IPv4Address("203.0.116.1"))
FIRST6 = int(ipaddress.IPv6Address("2600:1f18:116::1"))
BLACKHOLE = "203.0.115.1"  # the world's router drops what goes there
CLOSED = "203.0.115.2"     # and refuses this one

lock = threading.Lock()
numbers = {}
by_address = {}
asked = {}


def address(name, v6=False):
    """The name's own address, given at first use."""
    with lock:
        number = numbers.setdefault(name, len(numbers))
        text = str(ipaddress.IPv6Address(FIRST6 + number) if v6
                   else ipaddress.IPv4Address(FIRST + number))
        by_address[text] = name
    return text


def name_of(text):
    """The name that an address was given to; the address where it has none."""
    if text.startswith("::ffff:"):
        text = text[7:]
    return by_address.get(text, text)


def literal(text):
    return [str(ipaddress.IPv4Address(part.replace("-", "."))) for part in text.split("--")]


def lookup(name):
    """(rcode, [A], [AAAA], alias, delay) of a name in lower case, no trailing dot."""
    kind, _, rest = name.split(".")[0].partition("-")
    none = (0, [], [], None, 0)
    with lock:
        asked[name] = asked.get(name, 0) + 1
        before = asked[name] - 1
    if not name.endswith(".test"):
        return (3, [], [], None, 0)
    if kind == "ip" and rest:
        return (0, literal(rest), [], None, 0)
    if kind == "ip6" and rest:
        return (0, [], [str(ipaddress.IPv6Address(int(rest, 16)))], None, 0)
    if kind == "rebind" and before:
        return (0, ["127.0.0.1"], [], None, 0)
    if kind in ("nx", "servfail", "silent"):
        return ({"nx": 3, "servfail": 2, "silent": -1}[kind], [], [], None, 0)
    if kind == "empty":
        return none
    if kind == "cname":
        alias = f"{rest}.alias.test"
        return (0, [address(alias)], [], alias, 0)
    good, good6 = address(name), address(name, True)
    if kind == "v6":
        return (0, [], [good6], None, 0)
    if kind == "dual":
        return (0, [good], [good6], None, 0)
    if kind == "dead":
        return (0, [BLACKHOLE, good], [], None, 0)
    if kind == "closed":
        return (0, [CLOSED, good], [], None, 0)
    if kind == "many":
        return (0, [address(f"{i}.{name}") for i in range(40)], [], None, 0)
    return (0, [good], [], None, 1 if kind == "slow" else 0)
