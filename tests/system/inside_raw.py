#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inside a sandbox: rings as a berm run does, and then says what none would. One line for each
case: what came back."""
# expect: not a socket: 115 closed
# expect: a file: 115 closed
# expect: nothing said, closed: 115 closed
# expect: two bytes: 115 failed request
# expect: other magic: 115 failed request
# expect: stop: 115 failed request
# expect: suspend: 115 failed request
# expect: exec without descriptors: 115 failed request
# expect: five descriptors: 115 closed
# expect: texts not sealed: 115 failed request
# expect: texts a pipe: 115 failed request
# expect: size too large: 115 failed request
# expect: size of 4 GiB: 115 failed request
# expect: no words: 115 failed request
# expect: words over the end: 115 failed request
# expect: only narrowing words: 115 failed request
# expect: more narrowing words than words: 115 failed request
# expect: directory relative: 115 failed request
# expect: standard input a directory: 115 failed directory
# expect: an unknown word: 115 exited 125
# expect: an allowing word: 115 exited 125
# expect: mode chat: 115 exited 125
# expect: a terminal of bit 8: 115 failed request
# expect: all is well: 115 exited 0
# expect: twenty at once: 16 wait, 4 full
# expect: and after that: 115 exited 0
import array
import fcntl
import os
import select
import socket
import struct
import sys
import time

FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_DIRECTORY | os.O_APPEND
MAGIC = 0x324D5257
INFO, EXEC, SUSPEND, STOP = 1, 2, 4, 6
EXITED, FAILED = 66, 67
WHY = {0: "request", 1: "directory", 5: "full"}


def ring(fd):
    try:
        os.close(os.open("", FLAGS, dir_fd=fd))
        return 0
    except OSError as e:
        return e.errno


def sealed(data, seal=True):
    fd = os.memfd_create("t", os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    if seal:
        fcntl.fcntl(fd, 1033, 0xF)  # F_ADD_SEALS
    return fd


def msg(kind, value=0, magic=MAGIC):
    return struct.pack("<IIii", magic, kind, value, 0)


def request(texts, words, narrow=0, env=0, dirlen=1, size=None, tty=0):
    return (msg(EXEC) + struct.pack("<6I", tty, words, env, dirlen,
                                    len(texts) if size is None else size, narrow) + bytes(40))


def hear(s):
    s.settimeout(20)
    try:
        data = s.recv(4096)
    except ConnectionResetError:
        return "closed"
    except TimeoutError:
        return "silent"
    if not data:
        return "closed"
    kind, value, detail = struct.unpack("<4xIii", data[:16])
    if kind == FAILED:
        return "failed " + WHY.get(detail, str(detail))
    if kind == EXITED:
        return f"exited {value >> 8}"
    return f"type {kind}"


NULL = os.open("/dev/null", os.O_RDWR)
PLAIN = b"true\0/\0"


def case(name, data, fds=(), before=None):
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    err = ring(b.fileno())
    b.close()
    if before:
        before(a)
    try:
        if data is not None:
            a.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else [])
        else:
            a.shutdown(socket.SHUT_WR)
        said = hear(a)
    except BrokenPipeError:
        said = "closed"
    print(f"{name}: {err} {said}", flush=True)
    a.close()


def free():
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ring(b.fileno())
    b.close()
    try:
        a.send(msg(INFO))
    except BrokenPipeError:
        return False
    said = hear(a)
    a.close()
    return said == "type 64"


def std(texts):
    return (NULL, NULL, NULL, texts)


def main():
    r, w = os.pipe()
    os.close(w)
    print(f"not a socket: {ring(r)} closed")
    f = os.open("/tmp/file", os.O_RDWR | os.O_CREAT)
    print(f"a file: {ring(f)} closed")
    case("nothing said, closed", None)
    case("two bytes", b"xx")
    case("other magic", msg(INFO, magic=1))
    case("stop", msg(STOP))
    case("suspend", msg(SUSPEND))
    t = sealed(PLAIN)
    case("exec without descriptors", request(PLAIN, 1))
    case("five descriptors", request(PLAIN, 1), (*std(t), NULL))
    case("texts not sealed", request(PLAIN, 1), std(sealed(PLAIN, False)))
    case("texts a pipe", request(PLAIN, 1), std(r))
    case("size too large", request(PLAIN, 1, size=9), std(t))
    case("size of 4 GiB", request(PLAIN, 1, size=0xFFFFFFFF), std(t))
    case("no words", request(PLAIN, 0), std(t))
    case("words over the end", request(PLAIN, 0xFFFFFFFF), std(t))
    case("only narrowing words", request(PLAIN, 1, narrow=1), std(t))
    case("more narrowing words than words", request(PLAIN, 1, narrow=0xFFFFFFFF), std(t))
    rel = b"true\0x\0"
    case("directory relative", request(rel, 1), std(sealed(rel)))
    d = os.open("/tmp", os.O_RDONLY | os.O_DIRECTORY)
    case("standard input a directory", request(PLAIN, 1), (d, NULL, NULL, t))
    for name, word in (("an unknown word", b"z:x"), ("an allowing word", b"W:/etc"), ("mode chat", b"m:chat")):
        texts = word + b"\0" + PLAIN
        case(name, request(texts, 2, narrow=1), std(sealed(texts)))
    case("a terminal of bit 8", request(PLAIN, 1, tty=8), std(t))
    case("all is well", request(PLAIN, 1), std(t))
    held, full = [], 0
    for _ in range(20):
        a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ring(b.fileno())
        b.close()
        held.append(a)
    while full < 4 and (ready := select.select(held, [], [], 8)[0]):
        for a in ready:
            full += a.recv(64)[:8] == msg(FAILED)[:8]
            held.remove(a)
            a.close()
    waiting = len(held)
    print(f"twenty at once: {waiting} wait, {full} full", flush=True)
    for a in held:
        a.close()
    # Their processes end when they see that.
    end = time.monotonic() + 20
    while time.monotonic() < end and not free():
        pass
    case("and after that", request(PLAIN, 1), std(t))


sys.exit(main())
