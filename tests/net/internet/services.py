# SPDX-License-Identifier: Apache-2.0
"""Small TCP and UDP services: each takes an accepted connection."""

import base64
import os
import select
import shutil
import socket
import struct
import subprocess
import time

import names
import record


def whom(conn):
    return names.name_of(conn.getsockname()[0])


def echo(conn, peer):
    while True:
        data = conn.recv(65536)
        if not data:
            break
        record.line("echo", name=whom(conn), data=data[:100].decode("latin1"))
        conn.sendall(data)
    conn.shutdown(socket.SHUT_WR)


def discard(conn, peer):
    """Counts until the end, then tells the count."""
    total = 0
    while True:
        data = conn.recv(262144)
        if not data:
            break
        total += len(data)
    conn.sendall(b"%d\n" % total)


def source(conn, peer):
    """A line with a number in, so many bytes out."""
    line = b""
    while not line.endswith(b"\n"):
        got = conn.recv(1)
        if not got:
            return
        line += got
    left, block = int(line), bytes(range(256)) * 1024
    while left > 0:
        conn.sendall(block[:left])
        left -= len(block)


def speaks_first(conn, peer):
    conn.sendall(b"220 mail ready " + whom(conn).encode() + b"\r\n")
    while True:
        data = conn.recv(1000)
        if not data:
            return
        record.line("mail", name=whom(conn), data=data.decode("latin1"))
        conn.sendall(b"250 ok\r\n")


def ssh_banner(conn, peer):
    conn.sendall(b"SSH-2.0-test\r\n")
    record.line("ssh", name=whom(conn), data=conn.recv(200).decode("latin1"))


def sshd(conn, peer):
    """A real one, for the user that the tests run as, with a home of the tests' own. Dropbear:
    it is a program alone, where the package of the other starts a service."""
    record.line("sshd", name=whom(conn))
    uid, gid = os.environ["WORLD_UID"], os.environ["WORLD_GID"]
    wrap = ["unshare", "--mount", "sh", "-c",
            'mount --bind "$WORLD/etc/passwd" /etc/passwd && exec "$@"', "sh"]
    if uid != "0":
        wrap += ["unshare", "--user", "--map-user=" + uid, "--map-group=" + gid, "--"]
    subprocess.run([*wrap, shutil.which("dropbear") or "dropbear", "-i", "-s",
                    "-r", os.environ["WORLD"] + "/site/host_key"],
                   stdin=conn, stdout=conn, stderr=subprocess.DEVNULL, check=False)


def resets(conn, peer):
    """Takes a byte, then resets."""
    conn.recv(1)
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def silent(conn, peer):
    while conn.recv(65536):
        pass


def raw(conn, peer):
    """Writes down what comes, as it comes, and answers each piece."""
    while True:
        data = conn.recv(65536)
        if not data:
            return
        record.line("raw", name=whom(conn), data=data[:250].decode("latin1").replace("\r", "\\r")
                    .replace("\n", "\\n"))
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nRAW")


def postgres(conn, peer):
    """Enough of the protocol for one "select"."""
    def message(kind, body):
        return kind + struct.pack(">I", len(body) + 4) + body

    while True:
        size, code = struct.unpack(">II", conn.recv(8, socket.MSG_WAITALL))
        rest = conn.recv(size - 8, socket.MSG_WAITALL) if size > 8 else b""
        if code not in (80877103, 80877104):  # no TLS, no GSS
            break
        conn.sendall(b"N")
    record.line("postgres", name=whom(conn), startup=rest.replace(b"\0", b" ").decode("latin1"))
    ready = message(b"Z", b"I")
    conn.sendall(message(b"R", struct.pack(">I", 0)) +
                 message(b"S", b"server_version\x0015.0\0") +
                 message(b"S", b"client_encoding\0UTF8\0") + ready)
    while True:
        kind = conn.recv(1)
        if not kind or kind == b"X":
            return
        size, = struct.unpack(">I", conn.recv(4, socket.MSG_WAITALL))
        conn.recv(size - 4, socket.MSG_WAITALL)
        column = b"answer\0" + struct.pack(">IHIhih", 0, 0, 25, -1, -1, 0)
        conn.sendall(message(b"T", struct.pack(">H", 1) + column) +
                     message(b"D", struct.pack(">HI", 1, 2) + b"42") +
                     message(b"C", b"SELECT 1\0") + ready)


def pump(a, b):
    while True:
        for end in select.select([a, b], [], [])[0]:
            data = end.recv(65536)
            if not data:
                return
            (b if end is a else a).sendall(data)


def corporate(conn, peer):
    """An HTTP proxy that wants a user and a password, the only way out of a company."""
    head = b""
    while b"\r\n\r\n" not in head:
        got = conn.recv(4096)
        if not got:
            return
        head += got
    lines = head.split(b"\r\n\r\n")[0].decode("latin1").split("\r\n")
    method, target = lines[0].split()[:2]
    fields = {l.split(":", 1)[0].lower(): l.split(":", 1)[1].strip() for l in lines[1:]}
    login = fields.get("proxy-authorization", "-")
    if login.startswith("Basic "):
        login = base64.b64decode(login[6:]).decode("latin1")
    record.line("proxy", method=method, target=target, login=login)
    if login != "corp:s3cret%":
        conn.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n"
                     b"Proxy-Authenticate: Basic realm=\"corp\"\r\nContent-Length: 0\r\n\r\n")
        return
    if method != "CONNECT":
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\nConnection: close\r\n\r\nproxied\n")
        return
    host, port = target.rsplit(":", 1)
    where = names.lookup(host)[1][0] if host.endswith(".test") else host
    up = socket.create_connection((where, int(port)), timeout=5)
    conn.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
    pump(conn, up)


def own_socks(conn, peer):
    """A SOCKS5 proxy of the user's own, as far as a test needs one."""
    conn.recv(conn.recv(2, socket.MSG_WAITALL)[1], socket.MSG_WAITALL)
    conn.sendall(b"\x05\x00")
    head = conn.recv(5, socket.MSG_WAITALL)
    name = conn.recv(head[4] + 2, socket.MSG_WAITALL)[:-2].decode("latin1")
    record.line("own-socks", name=name)
    conn.sendall(b"\x05\x00\x00\x01\0\0\0\0\0\0")
    conn.recv(4096)
    conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nown-socks")


def canary(conn, peer):
    record.line("host-service", address=conn.getsockname())
    conn.sendall(b"CANARY-service\n")
    conn.recv(1000)


def udp_socket(family, port):
    """One that can answer from the address that it was asked at."""
    sock = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
        sock.setsockopt(socket.IPPROTO_IPV6, 78, 1)  # IPV6_FREEBIND
    else:
        sock.setsockopt(socket.IPPROTO_IP, 8, 1)  # IP_PKTINFO
    sock.bind(("", port))
    return sock


def udp_echo(sock, kind):
    while True:
        data, info, _, peer = sock.recvmsg(2000, 256)
        record.line(kind, data=data[:60].decode("latin1"))
        try:
            sock.sendmsg([b"CANARY-udp"], info, 0, peer)
        except OSError:
            pass  # a broadcast has no address to answer from


def wait_forever():
    while True:
        time.sleep(3600)
