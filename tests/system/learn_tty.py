#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""learn_tty.py ANSWER COMMAND...: runs it on a terminal, types ANSWER at the first question
("[y/N]"), and "n" at later ones. Prints what came."""
import os
import pty
import re
import select
import sys
import time

answer, command = sys.argv[1], sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
out, asked, until = b"", 0, time.monotonic() + 60
while time.monotonic() < until:
    if not select.select([fd], [], [], 1)[0]:
        continue
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    out += data
    while len(re.findall(rb"\[y/N\] ", out)) > asked:
        asked += 1
        os.write(fd, (answer if asked == 1 else "n").encode() + b"\n")
sys.stdout.buffer.write(out)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xff)
