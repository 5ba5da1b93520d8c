#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""git_config_diff.py DUMP DIRECTORY [COUNT [SEED]]: random configuration files, read by git
and by the judge's reader (git_dump.c). Prints each file on which they differ, and
ends with 1 when there was one."""
import os
import random
import subprocess
import sys

PIECES = [
    "[", "]", '"', "\\", "\n", "\r\n", "\r", " ", "\t", "=", "#", ";", ".", "-", "_", "\\\n", "\\\r\n",
    "\\t", "\\n", "\\b", '\\"', "\\\\", "\\x", "\v", "\f", "\xa0", "\xef\xbb\xbf", "\xef",
    "fsmonitor", "k", "9x = 1\n", "a_b=1\n", "<<<<<<< x\n", '[s "x" ]', "[ s]",
]
WHOLE = [
    "[core]\n", "[core]", '[remote "o"]\n', '[a "b\\"c"] ', "[A.B]\n", "[.]", "[x.]", "fsmonitor = x\n",
    "\tbare = false\n", "url=u\n", "k\n", "V = a  b \t c ; d\n", 'v = "a ; b" # c\n', "a-b=1\n",
    "v = a\\\n b\n", "# [x] \\\n", "; y\n", 'q = "\\t\\n\\"" x\n', "e =\n", "\r\n", "c = d\r\n",
]


def sample(rng):
    text = "" if rng.random() < 0.1 else "[core]\n"
    for _ in range(rng.randint(1, 10)):
        text += rng.choice(WHOLE if rng.random() < 0.8 else PIECES)
    if rng.random() < 0.2:
        at = rng.randint(0, len(text))
        text = text[:at] + chr(rng.randint(1, 255)) + text[at:]
    return text.encode("latin-1")


def main():
    dump, directory = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    path = os.path.join(directory, "random-config")
    both = bad = 0
    for _ in range(count):
        data = sample(rng)
        with open(path, "wb") as f:
            f.write(data)
        git = subprocess.run(["git", "config", "-f", path, "-l", "-z"], capture_output=True, check=False)
        ours = subprocess.run([dump, path], capture_output=True, check=False)
        accepted = git.returncode == 0
        if accepted and ours.returncode == 0:
            both += 1
        # With intent stricter: no variable before the first section.
        if git.stdout and ours.returncode == 1 and b"." not in git.stdout.split(b"\0")[0].split(b"\n")[0]:
            continue
        if accepted != (ours.returncode == 0) or (accepted and git.stdout != ours.stdout):
            bad += 1
            print("# %r: git %d %r, reader %d %r" % (data, git.returncode, git.stdout, ours.returncode, ours.stdout))
    print("# %d files, %d read by both, %d differences" % (count, both, bad))
    # A comparison of refusals only would show little.
    return 1 if bad or both < count // 10 else 0


if __name__ == "__main__":
    sys.exit(main())
