# SPDX-License-Identifier: Apache-2.0
"""Messages to dump.c, and what it says of each; TAP."""

import struct
import subprocess
import sys

COUNT = [0, 0]


def dump(program, kind, messages):
    """One list of fields for each message."""
    stdin = b"".join(struct.pack(">I", len(m)) + m for m in messages)
    out = subprocess.run([program, kind], input=stdin, stdout=subprocess.PIPE, check=True)
    lines = out.stdout.decode("latin-1").split("\n")[:-1]
    if len(lines) != len(messages):
        sys.exit(f"dump said {len(lines)} lines of {len(messages)}")
    return [line.split("\t") for line in lines]


def report(ok, text, detail=()):
    COUNT[0] += 1
    print(f"{'ok' if ok else 'not ok'} {COUNT[0]} - {text}")
    if not ok:
        COUNT[1] += 1
        for line in list(detail)[:20]:
            print(f"#   {line}")


def end():
    print(f"1..{COUNT[0]}")
    sys.exit(1 if COUNT[1] else 0)
