#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/unit.py KIND: runs every test that the build KIND knows to Meson, and
prints one TAP stream. A cmocka program counts as many tests as it reports, any
other as one; one that dies is a failure whatever it reported before."""

import glob
import json
import os
import re
import subprocess
import sys

TAP_LINE = re.compile(r"^(ok|not ok)\b[ \t]*\d*[ \t]*-?[ \t]*(.*)$")


def tests_of(build):
    out = subprocess.run(["meson", "introspect", "--tests", build], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def run_one(test):
    """Returns [(ok, name, detail)]."""
    env = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP",
               ASAN_OPTIONS="detect_leaks=1:abort_on_error=0",
               UBSAN_OPTIONS="print_stacktrace=1")
    env.update(test["env"])
    name = test["name"]
    try:
        proc = subprocess.run(test["cmd"], env=env, cwd=test["workdir"], text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=test["timeout"] or 120)
        code, text = proc.returncode, proc.stdout
    except subprocess.TimeoutExpired:
        return [(False, name, "timed out")]
    found = [m for m in map(TAP_LINE.match, text.splitlines()) if m]
    # cmocka says "not ok" of a test that it skipped.
    results = [(m.group(1) == "ok" or m.group(2).startswith("# SKIP"), f"{name}: {m.group(2)}", text)
               for m in found]
    if code != 0 and all(ok for ok, _, _ in results):
        results.append((False, f"{name}: exit status {code}", text))
    planned = sum(int(n) for n in re.findall(r"^1\.\.(\d+)", text, re.M))
    if planned != len(found):
        results.append((False, f"{name}: {planned} planned, {len(found)} reported", text))
    return results or [(code == 0, name, text)]


def main():
    build = os.path.join(os.environ.get("BERM_BUILD", "build"), sys.argv[1])
    tests = tests_of(build)
    number = 0
    failed = False

    def report(ok, name, text):
        nonlocal number, failed
        number += 1
        print(f"{'ok' if ok else 'not ok'} {number} - {name}")
        if not ok:
            failed = True
            for line in text.splitlines()[-40:]:
                print(f"#   {line}")

    for test in tests:
        for ok, name, text in run_one(test):
            report(ok, name, text)

    # A test source that no build file names would never run.
    built = " ".join(" ".join(t["cmd"]) for t in tests)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for source in sorted(glob.glob(root + "/tests/unit/test_*.c")):
        stem = os.path.splitext(os.path.basename(source))[0]
        if stem not in built and stem.removeprefix("test_") not in built:
            report(False, f"{stem}.c is not built", "")
    print(f"1..{number}")
    return 1 if failed or number == 0 else 0


sys.exit(main())
