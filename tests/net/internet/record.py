# SPDX-License-Identifier: Apache-2.0
"""What the servers saw, one line each: KIND key=value... Tests look there, from
outside, for what came through."""

import os

fd = -1


def start(path):
    global fd
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)


def line(kind, **facts):
    text = " ".join([kind, *(f"{k}={str(v)[:300]}" for k, v in facts.items())])
    safe = "".join(c if c.isprintable() else "?" for c in text)
    os.write(fd, (safe + "\n").encode(errors="replace"))
