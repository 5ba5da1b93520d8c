# SPDX-License-Identifier: Apache-2.0
"""term.py ROWS COLS SCRIPT COMMAND...: the command on a new terminal.

SCRIPT is a list of "SEEN TEXT" lines: once SEEN (no blanks; python escapes) has
come out since the line before, TEXT (python escapes) is typed; "winch R C" as
TEXT changes the window's size instead. Prints what came, then "status N".
"""
import fcntl, os, select, struct, sys, termios, time

LIMIT = 60  # seconds: only to end a test that hangs


def plain(text):
    return text.encode().decode("unicode_escape").encode()


def main():
    rows, cols, script = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    start, go = os.pipe()
    pid, fd = os.forkpty()
    if pid == 0:
        os.close(go)
        os.read(start, 1)
        os.closerange(3, 100)
        os.execvp(sys.argv[4], sys.argv[4:])
    size = lambda r, c: fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", r, c, 0, 0))
    size(rows, cols)
    os.close(go)
    todo = [line.split(" ", 1) for line in script.splitlines() if line]
    out, at, end = b"", 0, time.monotonic() + LIMIT
    while time.monotonic() < end:
        while todo and (found := out.find(plain(todo[0][0]), at)) >= 0:
            at = found + len(plain(todo[0][0]))
            text = todo.pop(0)[1]
            if text.startswith("winch"):
                size(*map(int, text.split()[1:]))
            else:
                os.write(fd, plain(text))
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        out += got
    else:
        os.kill(pid, 9)
    status = os.waitpid(pid, 0)[1]
    sys.stdout.write(out.decode(errors="replace").replace("\r", ""))
    for seen, _ in todo:
        print("never seen:", seen)
    print("status", os.waitstatus_to_exitcode(status))


main()
