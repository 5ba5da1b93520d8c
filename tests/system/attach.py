# SPDX-License-Identifier: Apache-2.0
"""attach.py BERM SESSION: viewers of one terminal, one after the other and side by side.
Prints "NAME: yes" or "NAME: no, and what came"."""
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time

BERM, SESSION = sys.argv[1:3]
PATIENCE = 60


class Viewer:
    def __init__(self, *args, rows=30, cols=100):
        self.out = b""
        self.at = 0
        master, slave = os.openpty()
        self.slave = slave
        self.fd = master
        self.before = termios.tcgetattr(slave)
        self.size(rows, cols)
        self.proc = subprocess.Popen([BERM, "attach", *args], stdin=slave, stdout=slave, stderr=slave,
                                     preexec_fn=self.lead)

    def lead(self):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def size(self, rows, cols):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def read(self, timeout):
        if not select.select([self.fd], [], [], timeout)[0]:
            return False
        self.out += os.read(self.fd, 65536)
        return True

    def sees(self, text):
        """Until it came, after what was seen before."""
        end = time.time() + PATIENCE
        while time.time() < end:
            found = self.out.find(text.encode(), self.at)
            if found >= 0:
                self.at = found + len(text)
                return True
            self.read(0.1)
        return False

    def types(self, text):
        os.write(self.fd, text.encode())

    def status(self):
        end = time.time() + PATIENCE
        while self.proc.poll() is None and time.time() < end:
            self.read(0.05)
        if self.proc.poll() is None:
            self.proc.kill()
            return None
        while self.read(0.1):
            pass
        return self.proc.returncode

    def restored(self):
        return termios.tcgetattr(self.slave) == self.before


def tell(name, ok, *viewers):
    print(f"{name}: " + ("yes" if ok else "no, " + " ".join(ascii(v.out[-500:]) for v in viewers)), flush=True)


a = Viewer(SESSION, "--", "/bin/sh", "-c",
           r"printf 'q\033[6nr\033]52;c;ZQ==\a'; echo; while read -r x; do [ $x = end ] && exit 9; "
           r"[ $x = size ] && stty size; [ $x = ask ] && printf 'A\033[cB\n'; echo =$x; done")
tell("starts", a.sees("q\x1b[6nr") and b"]52" not in a.out, a)
a.types("size\n")
tell("size", a.sees("30 100") and a.sees("=size"), a)
a.types("\x1dd")
tell("detach", a.sees("detached") and a.status() == 0, a)
tell("restored", a.restored(), a)

b = Viewer(SESSION, rows=24, cols=120)
tell("replayed", b.sees("qr") and b.sees("=size"), b)
b.types("size\n")
tell("resized", b.sees("24 120") and b.sees("=size"), b)
c = Viewer(SESSION, rows=40, cols=70)
tell("second", c.sees("24 120") and c.sees("=size"), c)
b.types("size\n")
tell("smallest", b.sees("24 70") and c.sees("24 70") and b.sees("=size") and c.sees("=size"), b, c)
c.size(20, 60)
os.kill(c.proc.pid, signal.SIGWINCH)
c.types("winch\n")
tell("winch-said", b.sees("=winch"), b)
b.types("size\n")
tell("winch", b.sees("20 60") and b.sees("=size"), b)
c.types("ask\n")
tell("one-answers", c.sees("A\x1b[cB") and b.sees("AB"), b, c)
r = Viewer("-r", SESSION, rows=5, cols=5)
tell("only-looks", r.sees("=ask"), r)
r.types("typed\n")
b.types("size\n")
tell("read-only", b.sees("20 60") and b.sees("=size") and b"typed" not in b.out, b)
c.proc.kill()
c.status()
end = time.time() + PATIENCE
while not c.restored() and time.time() < end:
    time.sleep(0.05)
tell("killed", c.restored(), c)
b.types("size\n")
tell("goes-on", b.sees("24 120") and b.sees("=size"), b)
b.types("end\n")
tell("status", b.status() == 9 and r.status() == 9, b, r)
tell("restored-end", b.restored() and r.restored(), b, r)
