#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""dialog.py SCRIPT COMMAND...: runs the command on a terminal of its own and plays the person.
SCRIPT has a step a line:
  wait REGEX     until the output, from behind the last match on, has it
  answer KEY     presses the key, again and again (one counts only after a silence), until
                 the dialog says what was decided
  storm KEY N    presses it N times, faster than a silence
  type TEXT      writes it (python escapes)
  none REGEX     the output so far must not have it
Prints the output without carriage returns, then "status N". A step that does not come about in
time ends it all."""
import os
import re
import select
import signal
import sys
import time

LIMIT = 15
DECIDED = rb"berm: (allowed|denied)[^\r]*\r+\n"


class Terminal:
    """The command and what it has written."""

    def __init__(self, command):
        self.pid, self.fd = os.forkpty()
        if self.pid == 0:
            os.execvp(command[0], command)
        self.out, self.at, self.open = b"", 0, True

    def read(self, seconds):
        """Takes what comes within this time."""
        if not self.open or not select.select([self.fd], [], [], seconds)[0]:
            return
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        self.open = bool(got)
        self.out += got

    def wait(self, regex, each=None, every=0.0):
        """Until regex is there; each() meanwhile, every so many seconds."""
        end, due = time.time() + LIMIT, 0.0
        while True:
            found = re.search(regex, self.out[self.at:], re.S)
            if found:
                self.at += found.end()
                return
            if time.time() > end or not self.open:
                raise TimeoutError(f"never came: {regex.decode()}")
            if each and time.time() >= due:
                each()
                due = time.time() + every
            self.read(0.05)

    def type(self, text):
        """As if typed."""
        os.write(self.fd, text)


def typed(text):
    """Python's escapes."""
    return text.encode().decode("unicode_escape").encode()


def step(term, line):
    """One line of the script."""
    word, _, rest = line.partition(" ")
    if word == "wait":
        term.wait(rest.encode())
    elif word == "type":
        term.type(typed(rest))
    elif word == "answer":
        term.wait(DECIDED, lambda: term.type(typed(rest)), 0.5)
    elif word == "storm":
        key, _, count = rest.partition(" ")
        for _ in range(int(count)):
            term.type(key.encode())
            term.read(0.05)
    elif word == "none":
        if re.search(rest.encode(), term.out, re.S):
            raise ValueError(f"there is: {rest}")
    else:
        raise ValueError(f"no such step: {word}")


def main():
    """Plays the script."""
    term = Terminal(sys.argv[2:])
    try:
        for line in filter(None, sys.argv[1].splitlines()):
            step(term, line)
        end = time.time() + LIMIT
        while term.open and time.time() < end:
            term.read(0.1)
        if term.open:
            raise TimeoutError("it does not end")
    except (TimeoutError, ValueError, OSError) as err:
        print(f"dialog.py: {err}")
        os.kill(term.pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(term.pid, 0)[1])
    sys.stdout.write(term.out.decode(errors="replace").replace("\r", ""))
    print("status", status)


main()
