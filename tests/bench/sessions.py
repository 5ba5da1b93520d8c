#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# sessions.py BERM [SESSIONS [PROCESSES]]: warm sessions in numbers. So many at once (1000): what
# the first and the last starts take, what an idle one holds of memory; so many processes in
# one (1000): what stopping them takes. Its own state folder, which it removes.
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

berm = os.path.realpath(sys.argv[1])
sessions = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
processes = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
base = tempfile.mkdtemp(prefix="berm-sessions.", dir="/var/tmp")
work = os.path.join(base, "work")
os.mkdir(work)
env = dict(os.environ, XDG_STATE_HOME=os.path.join(base, "state"))


def run(*words):
    return subprocess.run([berm, *words], env=env, cwd=work, check=True, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout


def timed(*words):
    begin = time.monotonic()
    run(*words)
    return (time.monotonic() - begin) * 1e3


def members(pid):
    yield pid
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as f:
            for child in f.read().split():
                yield from members(int(child))


def pss(pid):
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Pss:"))


def main():
    # The first one makes the folders.
    run("start", "--name", "warm-up", "--owner", str(os.getpid()))
    starts = [timed("start", "--name", f"s{i}", "--owner", str(os.getpid())) for i in range(sessions)]
    n = max(1, min(50, sessions // 4))
    first, last = statistics.median(starts[:n]), statistics.median(starts[-n:])
    print(f"{sessions} sessions alive: a start takes {first:.2f} ms at first, {last:.2f} ms at last, "
          f"ratio {last / first:.2f} (goal 2)")
    lines = [json.loads(line) for line in run("ls", "--json").splitlines()]
    held = [sum(pss(p) for p in members(s["pid"])) for s in lines[:20]]
    print(f"an idle session holds {statistics.median(held)} KiB PSS (goal 2048)")
    print(f"ls of all: {timed('ls'):.1f} ms")
    print(f"stop --now of all: {timed('stop', '--all', '--now'):.0f} ms")
    for option in ([], ["--now"]):
        run("start", "--name", "many", "--owner", str(os.getpid()))
        run("exec", "many", "--", "sh", "-c",
            f"i=0; while [ $i -lt {processes} ]; do sleep 1000 & i=$((i + 1)); done >/dev/null 2>&1")
        print(f"stop {' '.join(option)} of {processes} processes: {timed('stop', *option, 'many'):.0f} ms (goal 100)")


try:
    main()
finally:
    subprocess.run([berm, "stop", "--all", "--now"], env=env, check=False)
    shutil.rmtree(base)
