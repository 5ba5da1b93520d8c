# SPDX-License-Identifier: Apache-2.0
# warm_input.py SOCKET: what a warm session must refuse, one line each, and that it answers
# afterwards. Exit status 0 when all of it was refused.
import array
import fcntl
import os
import pty
import socket
import struct
import sys

MAGIC = 0x324D5257
INFO, EXEC, SIGNAL, SUSPEND, RESUME, STOP = range(1, 7)
STATE, STARTED, EXITED, FAILED, DONE = range(64, 69)
SEALS = 15  # F_SEAL_SEAL | SHRINK | GROW | WRITE
NULL = os.open("/dev/null", os.O_RDWR)
bad = 0


def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # the address is short whatever the path
    d = os.open(os.path.dirname(sys.argv[1]), os.O_PATH)
    s.connect(f"/proc/self/fd/{d}/{os.path.basename(sys.argv[1])}")
    os.close(d)
    s.settimeout(10)
    return s


def msg(kind, value=0, magic=MAGIC):
    return struct.pack("<IIii", magic, kind, value, 0)


def texts(data, seals=SEALS):
    fd = os.memfd_create("t", os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    if seals:
        fcntl.fcntl(fd, 1033, seals)  # F_ADD_SEALS
    return fd


def request(args=1, env=0, dir_len=0, size=11, tty=0, narrow=0):
    return msg(EXEC) + struct.pack("<6I", tty, args, env, dir_len, size, narrow) + bytes(40)


def send(s, data, fds=()):
    anc = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    s.sendmsg([data], anc)


def answer(s):
    try:
        data = s.recv(8192)
    except ConnectionResetError:
        return "closed"
    except TimeoutError:
        return "nothing"
    if not data:
        return "closed"
    return struct.unpack_from("<IIii", data)[1]


def refused(what, data, fds=()):
    global bad
    s = connect()
    try:
        send(s, data, fds)
        got = answer(s)
    except BrokenPipeError:
        got = "closed"
    if got not in (FAILED, "closed"):
        bad += 1
        print(f"{what}: {got}")
    s.close()


TRUE = b"/bin/true\0\0"
STD = [NULL, NULL, NULL]


def main():
    global bad
    good = texts(TRUE)
    refused("one byte", b"x")
    refused("another magic", msg(INFO, magic=1))
    refused("an unknown request", msg(99))
    refused("an answer for a request", msg(EXITED))
    refused("a request with something behind it", msg(INFO) + b"x")
    refused("a request with descriptors", msg(INFO), [NULL])
    refused("exec without descriptors", request())
    refused("exec with three descriptors", request(), STD)
    refused("exec with five descriptors", request(), STD + [good, NULL])
    refused("exec cut short", request()[:-1], STD + [good])
    refused("exec that is too long", request() + bytes(500), STD + [good])
    refused("texts without seals", request(), STD + [texts(TRUE, 0)])
    refused("texts that can still be written", request(), STD + [texts(TRUE, 7)])
    refused("texts that are no memory file", request(), STD + [NULL])
    refused("another size", request(size=10), STD + [good])
    refused("size 0", request(size=0), STD + [good])
    refused("a huge size", request(size=0xFFFFFFFF), STD + [good])
    refused("words that are not the command's", request(args=2, size=14, narrow=1), STD + [texts(b"n:\0" + TRUE)])
    refused("no words", request(args=0), STD + [good])
    refused("more words than there are", request(args=2), STD + [good])
    refused("a huge number of words", request(args=0xFFFFFFFF), STD + [good])
    refused("a huge number of variables", request(env=0xFFFFFFFF), STD + [good])
    refused("variables that are not there", request(env=1), STD + [good])
    refused("a directory of another length", request(dir_len=3), STD + [good])
    refused("no NUL at the end", request(size=10), STD + [texts(b"/bin/true\0")])
    refused("an empty command", request(size=2), STD + [texts(b"\0\0")])
    refused("a variable without a name", request(env=1, size=16), STD + [texts(TRUE[:-1] + b"=x\0\0\0\0")])
    refused("a variable without a value", request(env=1, size=15), STD + [texts(TRUE[:-1] + b"FOO\0\0")])
    for name in (b"LD_PRELOAD", b"LD_LIBRARY_PATH", b"BASH_ENV", b"HOME", b"TMPDIR", b"PWD", b"BERM_SESSION"):
        t = TRUE[:-1] + name + b"=x\0\0"
        refused(f"the variable {name.decode()}", request(env=1, size=len(t)), STD + [texts(t)])
    refused("unknown bits for terminals", request(tty=8), STD + [good])
    d = os.open("/", os.O_RDONLY)
    for i in range(3):
        fds = STD[:i] + [d] + STD[i + 1:]
        refused(f"a directory as descriptor {i}", request(), fds + [good])
    master, slave = pty.openpty()
    for i in range(3):
        fds = STD[:i] + [slave] + STD[i + 1:]
        refused(f"a terminal as descriptor {i}", request(), fds + [good])
        fds = STD[:i] + [master] + STD[i + 1:]
        refused(f"a terminal's master as descriptor {i}", request(), fds + [good])

    # Two commands on one connection at once; a signal without a command is nothing.
    t = b"/bin/sleep\0009\0\0"
    s = connect()
    send(s, msg(SIGNAL, 9))
    send(s, request(args=2, size=len(t)), STD + [texts(t)])
    send(s, request(), STD + [good])
    got = answer(s)
    if got != FAILED:
        bad += 1
        print(f"a second command on one connection: {got}")
    send(s, msg(SIGNAL, 0))
    send(s, msg(SIGNAL, -1))
    send(s, msg(SIGNAL, 1000))
    send(s, msg(SIGNAL, 9))
    got = answer(s)
    if got != EXITED:
        bad += 1
        print(f"the first one is killed: {got}")
    s.close()

    # More connections than it takes at once; those that only connect; those that do not read.
    many = [connect() for _ in range(200)]
    for s in many:
        s.close()
    s = connect()
    s.setblocking(False)
    try:
        for _ in range(100000):
            send(s, msg(INFO))
    except (BlockingIOError, BrokenPipeError, ConnectionResetError):
        pass
    s.close()

    s = connect()
    send(s, msg(INFO))
    if answer(s) != STATE:
        bad += 1
        print("it does not answer any more")
    send(s, request(), STD + [good])
    if answer(s) != EXITED:
        bad += 1
        print("it does not run anything any more")
    return bad != 0


sys.exit(main())
