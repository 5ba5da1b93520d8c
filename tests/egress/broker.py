#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The broker by itself: no namespace, no steward. This program is the steward and the
command; the kit holds plain sockets of the loopback. Prints TAP.

    broker.py BERM      (berm-egress lies beside it, or in ../libexec/berm)
"""
import array
import errno
import os
import random
import resource
import select
import signal
import socket
import struct
import sys
import threading

MAGIC, TEXT = 0x4D474745, 1536
CONFIG, ANSWER, WHO_IS, STOP, READY, ASK, UNASK, WHO, CONN, DEGRADED = range(1, 11)
ALLOW, DENY, ASKED = range(3)
HEAD = struct.Struct("=7I3i2I2Q5H6x")
FIXED = ["INIT", "RTNL", "QUEUE", "DIAG", "TCP4", "TCP6", "DNS_UDP4", "DNS_UDP6", "DNS_TCP4", "DNS_TCP6",
         "HTTP", "SOCKS"]
KIT_MAX, FORWARDS_MAX = len(FIXED) + 2 * 32 + 8, 32
RUNG_TPROXY = 2
PATIENCE = 20


def find(berm):
    here = os.path.dirname(os.path.realpath(berm))
    for path in (here + "/berm-egress", here + "/../libexec/berm/berm-egress"):
        if os.access(path, os.X_OK):
            return path
    sys.exit("no berm-egress for " + berm)


def rule(decision, pattern, layer=1):
    return f"rule\t{decision}\t{layer}\t--\t0\t{pattern}\tcommand line\t{decision}-domain {pattern}\n"


def policy(*rules, mode="allow", default="ask", managed=0):
    return f"berm-net 1\nmode\t{mode}\ndefault\t{default}\nmanaged-only\t{managed}\n" + "".join(rules) + "end\n"


def config(rules, **keys):
    keys = {"ask_seconds": 60, "cut": 0, **keys}
    forwards = keys.pop("forwards", [])
    lines = [f"{k} {v}" for k, v in keys.items()] + forwards
    return "berm-egress 1\n" + "\n".join(lines) + "\npolicy\n" + rules


def listener(kind=socket.SOCK_STREAM):
    sock = socket.socket(socket.AF_INET, kind)
    sock.bind(("127.0.0.1", 0))
    if kind == socket.SOCK_STREAM:
        sock.listen(2000)
    return sock


class Message:
    def __init__(self, data):
        (self.magic, self.type, self.id, self.decision, self.hold, self.how, self.inode, self.pid, self.rule,
         self.err, self.count, self.ms, self.up, self.down, self.port, *lens) = HEAD.unpack_from(data)
        at, self.texts = HEAD.size, []
        for n in lens:
            self.texts.append(data[at:at + n].decode())
            at += n
        self.host, self.addr, self.exe, self.reason = self.texts


class Broker:
    """A running one."""

    def __init__(self, text, publish=0, host_ports=0, start=True):
        self.over = None
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.init, init = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        udp = listener(socket.SOCK_DGRAM)
        udp.setsockopt(socket.IPPROTO_IP, 8, 1)  # IP_PKTINFO
        kit = {"INIT": init, "DNS_UDP4": udp, "DNS_TCP4": listener(), "HTTP": listener(), "SOCKS": listener()}
        self.addr = {k: s.getsockname() for k, s in kit.items() if k != "INIT"}
        fds, numbers = [theirs], [-1] * KIT_MAX
        socks = [(i, kit[name]) for i, name in enumerate(FIXED) if name in kit]
        extra = [listener() for _ in range(host_ports + publish)]
        self.extra = [s.getsockname() for s in extra]
        socks += [(len(FIXED) + i, s) for i, s in enumerate(extra)]
        for slot, sock in socks:
            numbers[slot] = 3 + len(fds)
            fds.append(sock)
        self.pid = self.spawn([s.fileno() for s in fds])
        theirs.close()
        for _, sock in socks:
            sock.close()
        self.control.settimeout(PATIENCE)
        self.control.send(struct.pack(f"={KIT_MAX}i5Ii", *numbers, host_ports, publish, 0, RUNG_TPROXY, 0, 0))
        if start:
            self.config(text)
            self.ready = self.take()

    @staticmethod
    def spawn(fds):
        pid = os.fork()
        if pid:
            return pid
        try:
            high = [os.dup2(fd, 200 + i) for i, fd in enumerate(fds)]
            for i, fd in enumerate(high):
                os.dup2(fd, 3 + i)
            os.closerange(3 + len(fds), 1000)
            os.execve(PROGRAM, ["berm-egress"], {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")})
        finally:
            os._exit(126)

    def config(self, text, sealed=True):
        fd = os.memfd_create("config", os.MFD_ALLOW_SEALING)
        os.write(fd, text.encode())
        self.send(CONFIG, fd=fd)
        os.close(fd)

    def send(self, kind, fd=None, ident=0, decision=0, hold=0):
        data = HEAD.pack(MAGIC, kind, ident, decision, hold, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        ancillary = [] if fd is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
        self.control.sendmsg([data], ancillary)

    def take(self, *kinds):
        """The next message (of one of these kinds)."""
        while True:
            data = self.control.recv(4096)
            if not data:
                return None
            message = Message(data)
            if not kinds or message.type in kinds:
                return message

    def dial(self, where):
        sock = socket.create_connection(self.addr[where], PATIENCE)
        return sock

    def connect(self, host, port):
        """Through the HTTP proxy: the socket, and the answer's first line."""
        sock = self.dial("HTTP")
        sock.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        return sock

    def end(self):
        self.control.close()
        if self.over is not None:
            return self.over
        self.over = self.wait()
        return self.over

    def wait(self):
        for _ in range(PATIENCE * 10):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return status
            select.select([], [], [], 0.1)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return "it did not end"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def line(sock):
    data = b""
    while not data.endswith(b"\r\n"):
        c = sock.recv(1)
        if not c:
            break
        data += c
    return data.decode().strip()


def head(sock):
    first, rest = line(sock), []
    while more := line(sock):
        rest.append(more)
    return first, rest


def read_all(sock):
    data = b""
    try:
        while more := sock.recv(65536):
            data += more
    except ConnectionResetError:
        data += b"<RESET>"
    return data


class Echo:
    """A server of the loopback's: says everything back, ends when the client does."""

    def __init__(self, answer=None):
        self.sock, self.answer = listener(), answer
        self.port = self.sock.getsockname()[1]
        self.seen = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                sock, _ = self.sock.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(sock,), daemon=True).start()

    def one(self, sock):
        got = b""
        with sock:
            try:
                while data := sock.recv(65536):
                    got += data
                    if self.answer is None:
                        sock.sendall(data)
                    elif b"\r\n\r\n" in got:
                        self.seen.append(got)
                        sock.sendall(self.answer)
                        return
            except OSError:
                pass
        self.seen.append(got)


class Sink(Echo):
    """A web server that says how long the body was."""

    def one(self, sock):
        with sock:
            length = next(int(x.split(":")[1]) for x in head(sock)[1] if x.lower().startswith("content-length"))
            while length and (data := sock.recv(min(length, 65536))):
                length -= len(data)
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n%d" % bool(length))


class Upstream(Echo):
    """A corporate proxy; says everything back in capitals. The server's first bytes come with
    its answer."""

    def __init__(self):
        self.heads = []
        self.half, self.go = threading.Event(), threading.Event()
        super().__init__()

    def one(self, sock):
        with sock:
            try:
                self.heads.append(head(sock))
                if "bad" in self.heads[-1][0]:
                    sock.sendall(b"HTTP/1.1 407 no\r\n\r\n")
                    return
                answer = b"HTTP/1.1 200 OK\r\nX: y\r\n\r\nFIRST"
                if "slow" in self.heads[-1][0]:
                    sock.sendall(answer[:20])
                    self.half.set()
                    self.go.wait(PATIENCE)
                    answer = answer[20:]
                sock.sendall(answer)
                while data := sock.recv(100):
                    sock.sendall(data.upper())
            except OSError:
                pass


OPEN = "127.0.0.0/8"
count = failed = 0


def check(name, good, *why):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good:
        for one in why:
            print(f"#   {one!r}")


# ---- the tests ---------------------------------------------------------------

def test_start():
    with Broker(config(policy())) as b:
        check("it is ready", b.ready and b.ready.type == READY, b.ready and b.ready.texts)
        check("and ends with its steward", b.end() == 0)
    with Broker(config("nonsense\n")) as b:
        check("malformed rules: it says so", b.ready and b.ready.type == DEGRADED, b.ready)
        check("and is gone", b.end() not in (0, "it did not end"))
    with Broker("berm-egress 1\nupstream http://u:SECRET@h\nsurprise 1\npolicy\n" + policy()) as b:
        check("an unknown line: it says so", b.ready and b.ready.type == DEGRADED, b.ready)
        check("without the secret", "SECRET" not in b.ready.reason, b.ready.reason)
    with Broker("", start=False) as b:
        b.send(STOP)
        check("no configuration: it says so", (m := b.take()) and m.type == DEGRADED, m)


def test_confined():
    with Broker(config(policy())) as b:
        status = open(f"/proc/{b.pid}/status").read() if os.geteuid() == 0 else ""
        # Of one that can be dumped its user is the owner.
        owner = os.stat(f"/proc/{b.pid}/environ").st_uid
        if os.geteuid():
            check("it is not dumpable", owner == 0, owner)
        check("a filter and no new privileges", not status or
              ("NoNewPrivs:\t1" in status and "Seccomp:\t2" in status), status)
        check("and no capabilities", not status or
              all(f"{c}:\t{0:016x}" in status for c in ("CapPrm", "CapEff", "CapInh")), status)
        limits = open(f"/proc/{b.pid}/limits").read()
        core = [x for x in limits.splitlines() if x.startswith("Max core")][0].split()
        check("it leaves no core", core[4:6] == ["0", "0"], core)


def test_connect():
    echo = Echo()
    with Broker(config(policy(rule("allow", OPEN), rule("deny", "no.test")))) as b:
        sock = b.connect("127.0.0.1", echo.port)
        first, _ = head(sock)
        check("CONNECT to an allowed address", first.split()[1] == "200", first)
        sock.sendall(b"hello")
        check("bytes there and back", sock.recv(10) == b"hello")
        sock.shutdown(socket.SHUT_WR)
        check("half-close", sock.recv(10) == b"")
        message = b.take(CONN)
        check("it is told", (message.decision, message.host, message.port, message.up, message.down) ==
              (ALLOW, "127.0.0.1", echo.port, 5, 5), vars(message))
        sock = b.connect("no.test", 443)
        first, rest = head(sock)
        check("CONNECT to a denied name", first.split()[1] == "403" and "no.test" in first, first)
        check("with X-Proxy-Error", "X-Proxy-Error: blocked-by-berm" in rest, rest)
        message = b.take(CONN)
        check("that is told too", (message.decision, message.host, message.port, message.err) ==
              (DENY, "no.test", 443, errno.EACCES), vars(message))
        closed = listener()
        port = closed.getsockname()[1]
        closed.close()
        first, _ = head(b.connect("127.0.0.1", port))
        check("a closed port", first.split()[1] == "502", first)
        message = b.take(CONN)
        check("told with its errno", (message.decision, message.err) == (ALLOW, errno.ECONNREFUSED), vars(message))


def test_guard():
    echo = Echo()
    with Broker(config(policy(rule("allow", "localhost"), rule("allow", "*.test"), mode="open"))) as b:
        for what in ("127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "0x7f000001", "localhost"):
            first, _ = head(b.connect(what, echo.port))
            check(f"open does not mean {what}", first.split()[1] == "403", first)
        check("nothing came through", not echo.seen, echo.seen)


def test_ask():
    proxy = Upstream()
    upstream = f"127.0.0.1:{proxy.port}"
    many = 1000
    with Broker(config(policy(rule("ask", "ask.test")), upstream=upstream)) as b:
        socks = [b.connect("ask.test", 443) for _ in range(many)]
        ask = b.take(ASK)
        check("one question for all", ask.host == "ask.test" and ask.port == 443, vars(ask))
        ready, _, _ = select.select(socks[:200], [], [], 0.2)
        check("all wait", not ready, len(ready))
        other = head(b.connect("no..name", 1))[0]
        check("others do not", other.split()[1] in ("400", "403"), other)
        b.send(ANSWER, ident=ask.id, decision=ALLOW)
        good = sum(head(s)[0].split()[1] == "200" for s in socks)
        check(f"{many} held by one question are let go by one answer", good == many, good)
        for sock in socks:
            sock.close()
        check("for a moment the answer holds", head(b.connect("ask.test", 443))[0].split()[1] == "200")
        sock = b.connect("ask.test", 9)
        again = b.take(ASK)
        check("another port is another question", again.port == 9 and again.id != ask.id, vars(again))
        b.send(ANSWER, ident=again.id, decision=DENY, hold=1)
        check("denied", head(sock)[0].split()[1] == "403")
        check("for the session", head(b.connect("ask.test", 9))[0].split()[1] == "403")
        sock = b.connect("ask.test", 1)
        again = b.take(ASK)
        sock.close()
        check("who waits no longer is told", (m := b.take(UNASK)) and m.id == again.id, m)
    with Broker(config(policy(rule("ask", "ask.test"), managed=1), upstream=upstream)) as b:
        check("managed hosts only: no question", head(b.connect("ask.test", 443))[0].split()[1] == "403")


def test_live():
    echo = Echo()
    with Broker(config(policy(rule("allow", OPEN)))) as b:
        old = b.connect("127.0.0.1", echo.port)
        head(old)
        b.config("rubbish")
        message = b.take(DEGRADED)
        check("a broken change is told", "old rules" in message.reason, message.reason)
        check("and changes nothing", head(b.connect("127.0.0.1", echo.port))[0].split()[1] == "200")
        b.config(config(policy(rule("deny", OPEN))))
        while head(b.connect("127.0.0.1", echo.port))[0].split()[1] != "403":
            pass
        old.sendall(b"still")
        check("a change leaves what is open", old.recv(10) == b"still")
        b.config(config(policy(rule("deny", OPEN)), cut=1))
        check("unless it is to be cut", read_all(old) in (b"<RESET>", b""))
    proxy = Upstream()
    upstream = f"127.0.0.1:{proxy.port}"
    with Broker(config(policy(rule("ask", "ask.test")), upstream=upstream)) as b:
        sock = b.connect("ask.test", 443)
        b.take(ASK)
        b.config(config(policy(rule("allow", "ask.test")), upstream=upstream))
        check("a change answers what is asked", head(sock)[0].split()[1] == "200")


def test_stop():
    echo = Echo()
    with Broker(config(policy(rule("allow", OPEN)))) as b:
        sock = b.connect("127.0.0.1", echo.port)
        head(sock)
        sock.sendall(b"abc")
        sock.recv(3)
        b.send(STOP)
        message = b.take(CONN)
        check("at the end open connections are told", (message.up, message.down) == (3, 3), vars(message))
        check("and it ends", b.take() is None and b.end() == 0)


def socks5(b, request):
    sock = b.dial("SOCKS")
    sock.sendall(b"\5\1\0")
    sock.recv(2)
    sock.sendall(request)
    return sock, sock.recv(10)


def test_socks():
    echo = Echo()
    port = struct.pack(">H", echo.port)
    with Broker(config(policy(rule("allow", OPEN), rule("deny", "no.test")))) as b:
        sock, answer = socks5(b, b"\5\1\0\1\x7f\0\0\1" + port)
        check("SOCKS5 to an address", answer[:2] == b"\5\0", answer)
        sock.sendall(b"x")
        check("and its bytes", sock.recv(1) == b"x")
        check("a denied name: 2", socks5(b, b"\5\1\0\3\7no.test\0\x50")[1][:2] == b"\5\2")
        check("UDP ASSOCIATE: 7", socks5(b, b"\5\3\0\1\0\0\0\0\0\0")[1][:2] == b"\5\7")
        sock = b.dial("HTTP")
        sock.sendall(b"\4\1" + port + b"\x7f\0\0\1me\0")
        check("SOCKS4 on the other port", sock.recv(8)[:2] == b"\0\x5a")
        sock, answer = socks5(b, b"\5\1\0\3\7no.test\0\x16")
        said = answer + read_all(sock)
        check("ssh is told why", answer[:2] == b"\5\0" and b"SSH-2.0-" in said and b"no.test:22" in said, said)


def test_http():
    web = Echo(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    with Broker(config(policy(rule("allow", OPEN), rule("deny", "no.test")))) as b:
        sock = b.dial("HTTP")
        sock.sendall(f"GET http://127.0.0.1:{web.port}/a?b HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\n"
                     "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\n\r\n".encode())
        check("absolute form", read_all(sock).endswith(b"hi"))
        seen = web.seen[-1].decode()
        check("becomes origin form", seen.startswith("GET /a?b HTTP/1.1\r\n"), seen)
        check("without what was for the proxy", "proxy" not in seen.lower(), seen)
        sock = b.dial("HTTP")
        sock.sendall(b"GET http://no.test/ HTTP/1.1\r\nHost: no.test\r\n\r\n")
        check("a denied host", head(sock)[0].split()[1] == "403")
        sock = b.dial("HTTP")
        sock.sendall(b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: no.test\r\n\r\n")
        check("Host and target differ", head(sock)[0].split()[1] == "400")
        sock = b.dial("HTTP")
        sock.sendall(b"GET / HTTP/1.1\r\nHost: no.test\r\n\r\n")
        check("origin form is for servers", head(sock)[0].split()[1] == "400")
        sock = b.dial("HTTP")
        sock.sendall(b"A" * 70000)
        check("a head without end", head(sock)[0].split()[1] in ("400", "431"))
        for junk in (b"\0" * 100, b"\x16\3\1\2\0", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET  /\r\n\r\n"):
            sock = b.dial("HTTP")
            sock.sendall(junk)
            sock.shutdown(socket.SHUT_WR)
            said = read_all(sock)
            check(f"junk is no request: {junk[:8]!r}", said == b"" or b" 400 " in said[:13], said)
        check("and it lives", head(b.connect("127.0.0.1", web.port))[0].split()[1] == "200")


def question(name, kind=1, edns=False):
    data = struct.pack(">6H", 0x1234, 0x100, 1, 0, 0, int(edns))
    for label in name.split("."):
        data += bytes([len(label)]) + label.encode()
    return data + b"\0" + struct.pack(">HH", kind, 1) + (b"\0\0\x29\x10\0\0\0\0\0\0\0" if edns else b"")


def test_dns():
    with Broker(config(policy(rule("allow", "*.ok.test"), rule("deny", "no.test"), default="deny"))) as b:
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.settimeout(PATIENCE)
        udp.connect(b.addr["DNS_UDP4"])

        def ask(data):
            udp.send(data)
            return udp.recv(2000)
        first, again = ask(question("a.ok.test")), ask(question("a.ok.test"))
        check("an allowed name has an address", first[3] & 15 == 0 and first[-4] == 198, first)
        check("and keeps it", first == again)
        check("no other has it", ask(question("b.ok.test"))[-4:] != first[-4:])
        answer = ask(question("no.test", edns=True))
        check("a denied one does not exist", answer[3] & 15 == 3, answer)
        check("and says why", b"berm: " in answer, answer)
        check("one that no rule names, likewise", ask(question("x.test"))[3] & 15 == 3)
        check("TXT has no data", ask(question("a.ok.test", 16))[6:8] == b"\0\0")
        reverse = ".".join(str(x) for x in first[-1:-5:-1]) + ".in-addr.arpa"
        check("PTR knows the name", b"\1a\2ok\4test\0" in ask(question(reverse, 12)))
        message = b.take(CONN)
        check("the denial is told", (message.decision, message.host) == (DENY, "no.test"), vars(message))
        tcp = b.dial("DNS_TCP4")
        data = question("a.ok.test")
        tcp.sendall(struct.pack(">H", len(data)) + data[:5])
        tcp.sendall(data[5:] + struct.pack(">H", len(data)) + data)
        both = b""
        while len(both) < 2 * (len(first) + 2):
            both += tcp.recv(4096)
        check("over TCP, two in a row", both.count(first) == 2, both)
        tcp.sendall(b"\xff\xff")
        check("one that is too long ends it", read_all(tcp) in (b"", b"<RESET>"))
        for size in (0, 1, 11, 12, 13, 40, 4096):
            udp.send(bytes(size))
        udp.send(question("a.ok.test"))
        check("junk does no harm", any(udp.recv(2000) == first for _ in range(9)))


def test_forward():
    echo = Echo()
    with Broker(config(policy(mode="off"), forwards=[f"host_port {echo.port} 5", f"publish 6 {echo.port}"]),
                host_ports=1, publish=1) as b:
        sock = socket.create_connection(b.extra[0], PATIENCE)
        sock.sendall(b"in")
        check("to the host, under --net off", sock.recv(9) == b"in")
        sock = socket.create_connection(b.extra[1], PATIENCE)
        b.init.settimeout(PATIENCE)
        check("a published port asks init for sockets", len(b.init.recv(9)) == 1)
        made = [socket.socket() for _ in range(8)]
        b.init.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno() for s in made]))])
        for one in made:
            one.close()
        sock.sendall(b"out")
        check("and gets in", sock.recv(9) == b"out")


def ticks(pid):
    """Of the processor's time that it has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_upstream():
    echo, proxy = Echo(), Upstream()
    with Broker(config(policy(rule("allow", "*.test"), rule("allow", OPEN)),
                       upstream=f"http://us%65r:pass@127.0.0.1:{proxy.port}", no_proxy="127.0.0.1")) as b:
        sock = b.connect("far.test", 443)
        check("through the upstream proxy", head(sock)[0].split()[1] == "200")
        check("what comes with its answer is the server's", sock.recv(5) == b"FIRST")
        sock.sendall(b"abc;")
        check("both ways", sock.recv(4) == b"ABC;")
        check("with its user and password", proxy.heads[0][0] == "CONNECT far.test:443 HTTP/1.1" and
              "Proxy-Authorization: Basic dXNlcjpwYXNz" in proxy.heads[0][1], proxy.heads)
        check("its refusal is told", head(b.connect("bad.test", 443))[0].split()[1] == "502")
        sock = b.connect("slow.test", 443)
        proxy.half.wait(PATIENCE)
        before = ticks(b.pid)
        select.select([sock], [], [], 1)
        used = ticks(b.pid) - before
        proxy.go.set()
        check("half an answer", head(sock)[0].split()[1] == "200" and sock.recv(5) == b"FIRST")
        sock.sendall(b"a")
        check("and then single bytes", sock.recv(1) == b"A")
        check("is waited for asleep", used * 5 < os.sysconf("SC_CLK_TCK"), used)
        sock = b.connect("127.0.0.1", echo.port)
        head(sock)
        sock.sendall(b"x")
        check("no_proxy goes around it", sock.recv(9) == b"x" and len(proxy.heads) == 3, proxy.heads)


def test_bulk():
    echo = Echo()
    size = 20 << 20
    data = bytes(range(256)) * (size // 256)
    with Broker(config(policy(rule("allow", OPEN)))) as b:
        sock = b.connect("127.0.0.1", echo.port)
        head(sock)
        sender = threading.Thread(target=lambda: (sock.sendall(data), sock.shutdown(socket.SHUT_WR)))
        sender.start()
        got = read_all(sock)
        sender.join()
        check("20 MB there and back, byte for byte", got == data, len(got))


def test_upload():
    sink, size = Sink(), 20 << 20
    with Broker(config(policy(rule("allow", OPEN)))) as b:
        sock = b.dial("HTTP")
        sock.sendall(f"POST http://127.0.0.1:{sink.port}/ HTTP/1.1\r\nHost: 127.0.0.1:{sink.port}\r\n"
                     f"Content-Length: {size}\r\n\r\n".encode())
        sock.sendall(bytes(size))
        said = read_all(sock)
        check("a body of 20 MB in a judged request", said.endswith(b"\r\n\r\n0"), said)
        message = b.take(CONN)
        check("counted", message.up > size, vars(message))


def test_descriptors():
    """More clients than descriptors: none is lost, nothing spins."""
    echo = Echo()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    many = 150
    with Broker(config(policy(rule("allow", OPEN)))) as b:
        resource.prlimit(b.pid, resource.RLIMIT_NOFILE, (100, 100))
        socks = [b.connect("127.0.0.1", echo.port) for _ in range(many)]
        cpu = sum(int(x) for x in open(f"/proc/{b.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])
        served = 0
        waiting = dict((s.fileno(), s) for s in socks)
        while waiting:
            ready, _, _ = select.select(list(waiting.values()), [], [], PATIENCE)
            if not ready:
                break
            for sock in ready:
                del waiting[sock.fileno()]
                served += 1
                sock.close()
        check("with few descriptors every client has its turn", served == many, served)
        more = sum(int(x) for x in open(f"/proc/{b.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])
        check("and it does not spin", more - cpu < 200, more - cpu)


STORM = [b"GET / HTTP/1.1\r\n", b"Host: 127.0.0.1\r\n", b"\r\n", b"\n", b"CONNECT 127.0.0.1:%d HTTP/1.1\r\n\r\n",
         b"\5\1\0", b"\5\1\0\1\x7f\0\0\1\0\7", b"\5\1\0\3\7no.test\0\x16", b"\4\1\0\7\0\0\0\1u\0name\0",
         b"POST http://127.0.0.1:%d/ HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 9\r\n\r\n123456789",
         b"\x16\3\1\0\5\1\0\0\1\3", b"x" * 3000, b"Transfer-Encoding: chunked\r\n", b"5\r\nabcde\r\n0\r\n\r\n",
         b"GET http://far.test/ HTTP/1.1\r\nHost: far.test\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
         b"CONNECT far.test:443 HTTP/1.1\r\n\r\n\x16\3\1"]


def test_storm():
    """Clients that say bits of everything, in pieces, and leave in every way."""
    echo, proxy = Echo(), Upstream()
    dice = random.Random(20261201)
    with Broker(config(policy(rule("allow", OPEN), rule("allow", "*.test")), upstream=f"127.0.0.1:{proxy.port}",
                       no_proxy="127.0.0.1")) as b:
        before = len(os.listdir(f"/proc/{b.pid}/fd")) if os.geteuid() == 0 else 0
        socks = []
        for _ in range(1500):
            sock = b.dial(dice.choice(("HTTP", "SOCKS", "DNS_TCP4")))
            sock.setblocking(False)
            socks.append(sock)
            try:
                for _ in range(dice.randrange(6)):
                    said = dice.choice(STORM).replace(b"%d", b"%d" % echo.port)
                    cut = dice.randrange(len(said) + 1)
                    sock.send(said[:cut])
                    if dice.random() < 0.7:
                        sock.send(said[cut:])
            except OSError:
                pass
            if dice.random() < 0.6:
                one = socks.pop(dice.randrange(len(socks)))
                how = dice.randrange(3)
                if how == 0:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                elif how == 1:
                    try:
                        one.shutdown(socket.SHUT_WR)
                    except OSError:
                        pass
                    socks.append(one)
                    continue
                one.close()
            if len(socks) > 300:
                socks.pop(0).close()
        for sock in socks:
            sock.close()
        sock = b.connect("127.0.0.1", echo.port)
        check("after a storm it serves", head(sock)[0].split()[1] == "200")
        sock.close()
        # All of theirs are given back: what is left is what it began with. (Only root may look.)
        if os.geteuid():
            return
        for _ in range(PATIENCE * 10):
            left = len(os.listdir(f"/proc/{b.pid}/fd"))
            if left <= before + 4:
                break
            select.select([], [], [], 0.1)
        check("and holds nothing of it", left <= before + 4, before, left)


def main():
    global PROGRAM
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    PROGRAM = find(sys.argv[1])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    want = 4096 if hard == resource.RLIM_INFINITY or hard >= 4096 else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, want), hard))
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
            except (OSError, AttributeError, IndexError, struct.error) as error:
                check(f"{name} came to its end", False, repr(error))
    print(f"1..{count}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
