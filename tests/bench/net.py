#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/bench/net.py --berm FILE --helpers DIR [--rounds N] [--strict]: inside of
tests/net/world.sh, one interleaved run: in each round every way out does every work
once, in random order. Shown are medians of ratios to a direct connection over
loopback. Every way but the direct one goes over two of them."""

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

HOST, ADDRESS, PORT = "bench.ok.test", "203.0.111.1", "9900"
# name, netmicro's words, how the ratio to direct is judged
WORK = [("down", ["down", "1500"], "MB/s", "min", 0.7), ("up", ["up", "1000"], "MB/s", "min", 0.55),
        ("connect, 1 byte, close", ["latency", "600"], "us", "max", 3.2),
        ("connections, 8 at a time", ["rate", "4000", "8"], "1/s", "min", 0.25),
        ("open 8,000 at once", ["open", "8000"], "ms", "max", None)]
# srt takes milliseconds for each connection
SMALLER = {"latency": "60", "rate": "300", "open": None, "down": "300", "up": "200"}


class Ways:
    def __init__(self, args, root):
        self.berm, self.root, self.args = args.berm, root, args
        self.micro = os.path.join(args.helpers, "netmicro")
        self.workspace = os.path.join(root, "work")
        os.makedirs(self.workspace)
        shutil.copy(self.micro, self.workspace)

    def client(self, words, host=HOST):
        return ["./netmicro", words[0], host, PORT, *words[1:]]

    def direct(self, words):
        return self.client(words)

    def run(self, options, words):
        return [self.berm, "run", "-q", "-w", self.workspace, "--approver", "none",
                "--allow-domain", HOST, "--allow-domain", ADDRESS, *options, "--", *self.client(words)]

    def gate(self, words):
        return self.run([], words)

    def tproxy(self, words):
        return self.run(["--test-cap", "net=tproxy"], words)

    def http_proxy(self, words):
        argv = self.run([], words)
        at = argv.index("--")
        return [*argv[:at], "--env", "PROXY=1", "--", *argv[at + 1:]]

    def pasta(self, words):
        return ["pasta", "--config-net", "-q", "--", *self.client(words, ADDRESS)]

    def srt(self, words):
        program = os.path.join(os.environ.get("BERM_PEERS", ""), "node_modules/.bin/srt")
        settings = os.path.join(self.root, "srt.json")
        with open(settings, "w", encoding="ascii") as f:
            f.write('{"network": {"allowedDomains": ["%s"], "deniedDomains": []}, "filesystem": '
                    '{"denyRead": [], "allowWrite": ["."], "denyWrite": []}}' % HOST)
        words = [words[0], SMALLER[words[0]], *words[2:]]
        # its way out listens a moment after the command has begun
        wait = "until (: </dev/tcp/127.0.0.1/${HTTPS_PROXY##*:}) 2>/dev/null; do sleep 0.01; done; "
        return [program if os.path.exists(program) else "srt", "--settings", settings, "-c",
                wait + "PROXY=1 " + " ".join(self.client(words))]


def once(ways, way, words, patience=120):
    env = {"PATH": os.environ["PATH"], "HOME": ways.root, "LANG": "C.UTF-8",
           "XDG_STATE_HOME": ways.root + "/state"}
    run = subprocess.Popen(way(words), cwd=ways.workspace, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, errors = run.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        raise
    if run.returncode != 0:
        said = errors.decode(errors="replace").strip().splitlines()
        raise RuntimeError(said[-1] if said else f"exit {run.returncode}")
    return float(out)


def usable(ways, names):
    found = {}
    for name in names:
        try:
            once(ways, getattr(ways, name), ["latency", "3"], 20)
            found[name] = getattr(ways, name)
        except (RuntimeError, OSError, ValueError, subprocess.TimeoutExpired) as why:
            print(f"# {name} does not run here: {why}")
    return found


def cell(ratios):
    return f"{statistics.median(ratios):.2f}x" if ratios else "-"


def work(ways, names, rounds):
    missed = 0
    print(f"{'':<26}{'direct':>14}{'target':>9}" + "".join(f"{n:>12}" for n in names), flush=True)
    for title, words, unit, judge, target in WORK:
        seen = {name: [] for name in ["direct", *names]}
        broken = {}
        for turn in range(rounds + 1):
            for name in random.sample(sorted(seen), len(seen)):
                if name in broken or (name == "srt" and SMALLER[words[0]] is None):
                    continue
                try:
                    value = once(ways, getattr(ways, name), words)
                except (RuntimeError, ValueError, subprocess.TimeoutExpired) as why:
                    broken[name] = why
                    continue
                if turn:  # the first one warms up
                    seen[name].append(value)
        for name, why in broken.items():
            print(f"# {title}: {name}: {why}")
        if not seen["direct"]:
            continue
        ratios = {n: [a / b for a, b in zip(seen[n], seen["direct"])] for n in names}
        verdict = ""
        if target and "gate" in names:
            ratio = statistics.median(ratios["gate"]) if ratios["gate"] else None
            held = ratio is not None and (ratio >= target if judge == "min" else ratio <= target)
            verdict = "held" if held else "MISSED"
            missed += not held
        sign = {"min": ">= ", "max": "<= "}[judge] + f"{target}x" if target else ""
        print(f"{title:<26}{statistics.median(seen['direct']):>9.0f} {unit:<4}{sign:>9}" +
              "".join(f"{cell(ratios[n]):>12}" for n in names) + f"  {verdict}", flush=True)
    return missed


def start(ways, rounds):
    """What the network costs a run that never uses it."""
    micro = os.path.join(ways.args.helpers, "micro")
    runs = {"gate": [], "closed": ["--test-cap", "net=closed"]}
    seen = {name: [] for name in runs}
    env = {"PATH": os.environ["PATH"], "HOME": ways.root, "XDG_STATE_HOME": ways.root + "/state"}
    for _ in range(rounds * 6):
        for name in random.sample(sorted(runs), 2):
            out = subprocess.run([micro, "start", "20", ways.berm, "run", "-q", "-w", ways.workspace,
                                  *runs[name], "--", "true"], env=env, check=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
            seen[name].append(float(out) / 1000)
    more = statistics.median(a - b for a, b in zip(seen["gate"], seen["closed"]))
    held = more <= 0.5
    print(f"{'start of true':<26}{statistics.median(seen['closed']):>9.2f} ms  {'<= +0.5 ms':>11}"
          f"{more:>+9.2f} ms  {'held' if held else 'MISSED'}")
    return not held


def hold(ways):
    """A broker that has relayed something, for somebody to look at."""
    argv = ways.run([], ["latency", "1"])
    argv = argv[:argv.index("--") + 1] + ["sh", "-c", " ".join(ways.client(["latency", "50"])) +
                                          "; exec sleep 5"]
    env = {"PATH": os.environ["PATH"], "HOME": ways.root, "XDG_STATE_HOME": ways.root + "/state"}
    subprocess.run(argv, cwd=ways.workspace, env=env, stdin=subprocess.DEVNULL, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--berm", required=True)
    parser.add_argument("--helpers", required=True, help="directory of micro and netmicro")
    parser.add_argument("--dir", default=os.path.expanduser("~"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--pss", type=int, help="KiB of the broker, measured by run.sh")
    parser.add_argument("--hold", action="store_true", help="only keeps a broker busy for run.sh")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed")
    args, _ = parser.parse_known_args()  # the others are bench.py's
    root = tempfile.mkdtemp(prefix="berm-bench-", dir=args.dir)
    missed = 0
    server = None
    try:
        ways = Ways(args, root)
        server = subprocess.Popen([ways.micro, "serve", ADDRESS, PORT], stdout=subprocess.PIPE)
        server.stdout.readline()
        if args.hold:
            hold(ways)
            return 0
        names = list(usable(ways, ["gate", "tproxy", "http_proxy"] +
                            ([] if args.no_peers else ["pasta", "srt"])))
        print(f"# the network: {args.rounds} rounds, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} CPUs")
        missed += "gate" not in names
        missed += work(ways, names, args.rounds)
        missed += start(ways, args.rounds)
        if args.pss:
            over = args.pss > 6 * 1024
            missed += over
            print(f"{'PSS of the broker':<26}{args.pss / 1024:>9.2f} MB  {'<= 6 MB':>11}"
                  f"{'':>12}  {'MISSED' if over else 'held'}")
    finally:
        if server:
            server.kill()
        shutil.rmtree(root, ignore_errors=True)
    print(f"# {missed} targets of the network missed")
    return 1 if args.strict and missed else 0


if __name__ == "__main__":
    sys.exit(main())
