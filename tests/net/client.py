#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""client.py WHAT [ARG]...: one small client for each way in which programs use a
socket. Prints OK and what it got, or ERR and the name of the errno."""

import errno
import os
import select
import socket
import ssl
import struct
import sys
import time

TAG = os.environ.get("TAG", "tag").encode()
PATIENCE = 20
MPTCP, FASTOPEN_CONNECT, AUTOBIND = 262, 30, 24


def where(host, port, family=0):
    return socket.getaddrinfo(host, int(port), family, socket.SOCK_STREAM)[0]


def finish(sock):
    """The tag goes to an echo service and comes back."""
    sock.setblocking(True)
    sock.settimeout(PATIENCE)
    sock.sendall(TAG)
    got = b""
    while len(got) < len(TAG):
        data = sock.recv(1000)
        if not data:
            break
        got += data
    print("OK" if got == TAG else f"GOT {got!r}")


def failed(code):
    if code:
        raise OSError(code, os.strerror(code))


def wait_writable(sock, poller=None):
    poller = poller or select.poll()
    poller.register(sock.fileno(), select.POLLOUT | select.POLLERR)
    if not poller.poll(PATIENCE * 1000):
        failed(errno.ETIMEDOUT)
    failed(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))


def blocking(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind, proto)
    sock.settimeout(PATIENCE)
    sock.connect(address)
    finish(sock)


def nonblock(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind | socket.SOCK_NONBLOCK, proto)
    code = sock.connect_ex(address)
    if code != errno.EINPROGRESS:
        print(f"connect gave {errno.errorcode.get(code, code)}")
    wait_writable(sock)
    finish(sock)


def epoll_first(host, port):
    """Registered before it is connected, as servers' event loops do."""
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind | socket.SOCK_NONBLOCK, proto)
    poller = select.epoll()
    poller.register(sock.fileno(), select.EPOLLIN | select.EPOLLOUT | select.EPOLLET | select.EPOLLRDHUP)
    poller.poll(0)
    sock.connect_ex(address)
    events = poller.poll(PATIENCE)
    if not events:
        failed(errno.ETIMEDOUT)
    failed(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
    sock.send(TAG)
    events = poller.poll(PATIENCE)
    print("OK" if sock.recv(1000) == TAG else "GOT another")


def select_first(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind, proto)
    sock.setblocking(False)
    sock.connect_ex(address)
    if not select.select([], [sock], [], PATIENCE)[1]:
        failed(errno.ETIMEDOUT)
    failed(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))
    finish(sock)


def fastopen(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind, proto)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", PATIENCE, 0))
    sock.sendto(TAG, socket.MSG_FASTOPEN, address)
    sock.settimeout(PATIENCE)
    print("OK" if sock.recv(1000) == TAG else "GOT another")


def fastopen_connect(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind, proto)
    sock.settimeout(PATIENCE)
    sock.setsockopt(socket.IPPROTO_TCP, FASTOPEN_CONNECT, 1)
    sock.connect(address)
    finish(sock)


def mptcp(host, port):
    family, kind, _, _, address = where(host, port)
    sock = socket.socket(family, kind, MPTCP)
    sock.settimeout(PATIENCE)
    sock.connect(address)
    finish(sock)


def dup_first(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind, proto)
    other = sock.dup()
    sock.connect(address)
    sock.close()
    finish(other)


def fork_first(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind, proto)
    ready, go = os.pipe()
    child = os.fork()
    if not child:
        os.read(ready, 1)
        finish(sock)
        sys.stdout.flush()
        os._exit(0)
    sock.connect(address)
    os.write(go, b"x")
    os.waitpid(child, 0)


def bind_first(host, port):
    family, kind, proto, _, address = where(host, port)
    sock = socket.socket(family, kind, proto)
    sock.settimeout(PATIENCE)
    sock.bind(("", 0))
    before = sock.getsockname()[1]
    sock.connect(address)
    print("port kept" if sock.getsockname()[1] == before else "port lost")
    finish(sock)


def peer(host, port):
    """getpeername says what was asked for."""
    address = where(host, port)[4]
    sock = socket.create_connection(address[:2], PATIENCE)
    print("OK" if sock.getpeername()[:2] == address[:2] else f"GOT {sock.getpeername()}")


def reconnect(host, port, host2, port2):
    """The same descriptor, disconnected by AF_UNSPEC and connected elsewhere."""
    sock = socket.socket()
    sock.settimeout(PATIENCE)
    sock.connect(where(host, port, socket.AF_INET)[4])
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.connect(sock.fileno(), struct.pack("HHIQ", 0, 0, 0, 0), 16):
        failed(ctypes.get_errno())
    sock.connect(where(host2, port2, socket.AF_INET)[4])
    finish(sock)


def many(host, port, count):
    """So many connections at once, all open together; each echoes its number."""
    (family, _, _, _, address), socks = where(host, port), []
    for _ in range(int(count)):
        sock = socket.socket(family)
        sock.setblocking(False)
        sock.connect_ex(address)
        socks.append(sock)
    good = 0
    for i, sock in enumerate(socks):
        wait_writable(sock)
        sock.setblocking(True)
        sock.settimeout(PATIENCE)
        sock.sendall(b"%d\n" % i)
    for i, sock in enumerate(socks):
        good += sock.recv(100) == b"%d\n" % i
    print("OK" if good == int(count) else "GOT", good)


def abandon(host, port, count):
    """Gives up on so many connections while they are held."""
    family, _, _, _, address = where(host, port)
    for _ in range(int(count)):
        sock = socket.socket(family)
        sock.setblocking(False)
        sock.connect_ex(address)
        sock.close()
    print("OK")


def half_close(host, port, size):
    sock = socket.create_connection((host, int(port)), PATIENCE)
    sock.sendall(b"x" * int(size))
    sock.shutdown(socket.SHUT_WR)
    got = b""
    while True:
        data = sock.recv(1000)
        if not data:
            break
        got += data
    print("OK" if got == b"%d\n" % int(size) else f"GOT {got!r}")


def pull(host, port, size):
    sock = socket.create_connection((host, int(port)), PATIENCE)
    sock.sendall(b"%d\n" % int(size))
    total, good = 0, True
    pattern = bytes(range(256)) * 2
    while True:
        data = sock.recv(262144)
        if not data:
            break
        shift = total % 256
        good = good and data[:200] == pattern[shift:shift + 200][:len(data[:200])]
        total += len(data)
    print("OK" if total == int(size) and good else f"GOT {total} {good}")


def reset(host, port):
    """The other side's reset arrives as one."""
    sock = socket.create_connection((host, int(port)), PATIENCE)
    sock.send(b"x")
    print("END" if sock.recv(10) == b"" else "DATA")


def udp(host, port):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.settimeout(PATIENCE)
    address = (host, int(port))
    if not host.replace(".", "").isdigit() and ":" not in host:
        address = socket.getaddrinfo(host, int(port), family, socket.SOCK_DGRAM)[0][4]
    sock.connect(address)
    sock.send(TAG)
    print("OK", sock.recv(1000))


def udp_sendto(host, port):
    """Not connected: no error comes back, and nothing may arrive."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(3):
        sock.sendto(TAG, (host, int(port)))
    sock.settimeout(0.5)
    print("OK", sock.recv(1000))


def send(host, port, *pieces):
    """Pieces of text with python escapes, sent one by one; prints what comes until the
    end or a second of silence. "<" waits for some answer first."""
    sock = socket.create_connection((host, int(port)), PATIENCE)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    got = b""
    try:
        for piece in pieces:
            if piece == "<":
                sock.settimeout(PATIENCE)
                got += sock.recv(65536)
                continue
            sock.sendall(piece.replace("TAG", TAG.decode()).encode("latin1").decode("unicode_escape")
                         .encode("latin1"))
            time.sleep(0.05)
        sock.settimeout(1.5)
        while True:
            data = sock.recv(65536)
            if not data:
                got += b"<END>"
                break
            got += data
    except socket.timeout:
        got += b"<SILENCE>"
    except ConnectionResetError:
        got += b"<RESET>"
    except BrokenPipeError:
        got += b"<PIPE>"
    print(got.decode("latin1").replace("\r", ""))


def client_hello(name):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname=name if name != "-" else None)
    try:
        tls.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return tls, incoming, outgoing


def hello(host, port, name, how):
    """TLS with NAME as SNI, its first message cut: whole, bytes (segments of one byte),
    records (three TLS records), late (half of it, a pause, the rest)."""
    tls, incoming, outgoing = client_hello(name)
    data = outgoing.read()
    sock = socket.create_connection((host, int(port)), PATIENCE)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if how == "records":
        body = data[5:]
        cut = [body[:3], body[3:70], body[70:]]
        data = b"".join(data[:3] + struct.pack(">H", len(c)) + c for c in cut)
    if how == "bytes":
        pieces = [data[i:i + 1] for i in range(len(data))]
    elif how == "late":
        pieces = [data[:100], data[100:]]
    else:
        pieces = [data]
    try:
        for piece in pieces:
            sock.sendall(piece)
            if how == "late":
                time.sleep(0.3)
        while True:
            got = sock.recv(65536)
            if not got:
                print("END")
                return
            if got[0] == 21:
                print("ALERT", got[6])
                return
            incoming.write(got)
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                sock.sendall(outgoing.read())
        sock.sendall(outgoing.read())
        tls.write(b"GET /%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % (TAG, name.encode()))
        sock.sendall(outgoing.read())
        sock.settimeout(PATIENCE)
        while True:
            incoming.write(sock.recv(65536))
            try:
                print("OK", tls.read(100).split(b"\r\n")[0].decode())
                return
            except ssl.SSLWantReadError:
                pass
    except (ConnectionResetError, BrokenPipeError):
        print("RESET")


def query(server, port, name, qtype, how="udp", flags=0x0100, extra=b""):
    labels = b"".join(bytes([len(l)]) + l.encode("latin1") for l in name.split(".")) + b"\0"
    data = struct.pack(">HHHHHH", 4660, flags, 1, 0, 0, 0) + labels + struct.pack(">HH", int(qtype), 1)
    data += extra
    if how == "tcp":
        sock = socket.create_connection((server, int(port)), PATIENCE)
        sock.sendall(struct.pack(">H", len(data)) + data)
        reply = sock.recv(65536)[2:]
    else:
        sock = socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM)
        sock.settimeout(PATIENCE)
        sock.connect((server, int(port)))
        sock.send(data)
        reply = sock.recv(65536)
    return reply


def ask(server, port, name, qtype, how="udp"):
    """One DNS question: prints the rcode and the number of answers."""
    reply = query(server, port, name.replace("TAG", TAG.decode()), qtype, how)
    print("RCODE", reply[3] & 15, "ANSWERS", struct.unpack_from(">H", reply, 6)[0])


def socks(proxy_port, host, port, *pieces):
    """SOCKS5 by hand, the name sent as it is; then pieces as with send."""
    sock = socket.create_connection(("127.0.0.1", int(proxy_port)), PATIENCE)
    sock.sendall(b"\x05\x01\x00")
    if sock.recv(2, socket.MSG_WAITALL) != b"\x05\x00":
        print("NO METHOD")
        return
    name = host.encode("latin1")
    sock.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + struct.pack(">H", int(port)))
    reply = sock.recv(10, socket.MSG_WAITALL)
    if len(reply) < 2 or reply[1]:
        print("REPLY", reply[1] if len(reply) > 1 else "none")
        return
    finish(sock)


def unix(path):
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(PATIENCE)
    sock.connect("\0" + path[1:] if path[0] == "@" else path)
    print(sock.recv(100))


def main():
    what = globals()[sys.argv[1].replace("-", "_")]
    try:
        what(*sys.argv[2:])
    except socket.gaierror as why:
        print("ERR", {socket.EAI_NONAME: "EAI_NONAME", socket.EAI_AGAIN: "EAI_AGAIN",
                      socket.EAI_NODATA if hasattr(socket, "EAI_NODATA") else -5: "EAI_NODATA"}
              .get(why.errno, why.errno))
        return 1
    except socket.timeout:
        print("ERR TIMEOUT")
        return 1
    except OSError as why:
        print("ERR", errno.errorcode.get(why.errno, why))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
