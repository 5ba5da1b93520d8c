#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/bench/bench.py --berm FILE --helpers DIR [OPTION]... [WORK]...

One interleaved run: in each round every tool does every work once, in random
order; what is shown is the median of the rounds' ratios. Absolute times say how
fast this machine is and are never judged. WORK: names of the table's first
column, by prefix."""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import guard
import tools
import work

START_BATCH = 10


def environment(place):
    return {"HOME": place.home, "XDG_STATE_HOME": os.path.join(place.root, "state"),
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
            "USER": os.environ.get("USER", "bench"),
            "BERM_PEERS": os.environ.get("BERM_PEERS", ""),
            "XDG_RUNTIME_DIR": os.path.join(place.root, "runtime")}


def run(place, argv, workspace):
    """Returns (seconds, output); raises when it failed: a failure is no time."""
    with tempfile.TemporaryFile() as out:
        begin = time.monotonic()
        proc = subprocess.run(argv, cwd=workspace, env=environment(place), stdout=out,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
        took = time.monotonic() - begin
        out.seek(0)
        text = out.read().decode(errors="replace")
    if proc.returncode != 0:
        message = proc.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(f"{os.path.basename(argv[0])}: status {proc.returncode}: "
                           f"{message[-1] if message else ''}")
    return took, text


class Table:
    def __init__(self):
        self.missed = 0

    def head(self, *columns):
        print(f"{'':<24}" + "".join(f"{c:>12}" for c in columns), flush=True)

    def row(self, name, cells, ratio=None, target=None):
        verdict = ""
        if target is not None and ratio is not None:
            verdict = "held" if ratio <= target else "MISSED"
            self.missed += ratio > target
        print(f"{name:<24}" + "".join(f"{c:>12}" for c in cells) + f"  {verdict}", flush=True)


def times(values):
    return "-" if not values else f"{statistics.median(values):.2f}x"


def pairs(a, b):
    return [x / y for x, y in zip(a, b)]


def usable(place, names):
    """Peers that are installed and do start something here."""
    found = {}
    for name in names:
        try:
            installed = os.path.join(os.environ.get("BERM_PEERS", ""), "node_modules/.bin", name)
            if not shutil.which(name) and not os.path.exists(installed):
                print(f"# {name} is not installed")
                continue
            run(place, tools.PEERS[name](place, place.workspace, ["true"]), place.workspace)
            found[name] = tools.PEERS[name]
        except (RuntimeError, OSError) as why:
            print(f"# {name} does not run here: {why}")
    return found


def bench_start(place, table, rounds, peers):
    """Start of "true": what it takes beyond starting it bare is berm's own, but the
    ratios are of the whole, as a user feels it."""
    runners = {"bare": tools.bare, "floor": tools.floor, "berm": tools.berm, **peers}
    seen = {name: [] for name in runners}
    for _ in range(rounds * 4):
        for name in random.sample(sorted(runners), len(runners)):
            batch = 1 if name in ("srt", "codex") else START_BATCH
            argv = runners[name](place, place.workspace, ["true"])
            argv[0] = shutil.which(argv[0]) or argv[0]
            _, out = run(place, [os.path.join(place.root, "micro"), "start", str(batch), *argv],
                         place.workspace)
            seen[name].append(float(out))
    table.head("median", "berm/this", "target")
    for name, values in seen.items():
        ratio = statistics.median(pairs(seen["berm"], values))
        target = {"bwrap": 0.7, "floor": 1.25}.get(name)
        table.row(f"start, {name}", [f"{statistics.median(values) / 1000:.2f} ms", f"{ratio:.2f}x",
                                     f"{target}x" if target else ""], ratio, target)


def bench_crowd(place, table, rounds):
    crowd, empty = os.path.join(place.home, "crowd"), os.path.join(place.home, "empty")
    os.makedirs(empty)
    os.makedirs(crowd)
    work.make_crowd(crowd)
    seen = {crowd: [], empty: []}
    for _ in range(rounds * 4):
        for workspace in random.sample([crowd, empty], 2):
            _, out = run(place, [os.path.join(place.root, "micro"), "start", str(START_BATCH),
                                 *tools.berm(place, workspace, ["true"])], workspace)
            seen[workspace].append(float(out) / 1000)
    more = statistics.median(a - b for a, b in zip(seen[crowd], seen[empty]))
    table.row("start, 50,000 files", [f"{statistics.median(seen[crowd]):.2f} ms", f"{more:+.2f} ms",
                                      "+1 ms"], more, 1.0)
    shutil.rmtree(crowd)


def bench_work(place, table, rounds, peers, wanted, scale):
    runners = {"bare": tools.bare, "berm": tools.berm, **peers}
    table.head("bare", "berm", "target", *peers)
    for item in work.all_work(scale):
        if item.make and (wanted(item.name) or item.name.startswith(("tar", "git clone"))):
            item.make(place.workspace) # rm needs tar's archive, status clone's repository
        if not wanted(item.name):
            continue
        if item.needs and not shutil.which(item.needs):
            print(f"{item.name:<24} skipped: no {item.needs}")
            continue
        seen = {name: [] for name in runners}
        broken = {}
        for turn in range(rounds + 1):
            for name in random.sample(sorted(runners), len(runners)):
                if name in broken:
                    continue
                if item.before:
                    item.before(place.workspace)
                try:
                    took, out = run(place, runners[name](place, place.workspace, item.command),
                                    place.workspace)
                except RuntimeError as why:
                    broken[name] = why
                    continue
                if turn: # the first one warms the caches
                    seen[name].append(float(out) / 1e6 if item.printed else took)
        for name, why in broken.items():
            print(f"# {item.name}: {name}: {why}")
        if "bare" in broken:
            continue
        base = statistics.median(seen["bare"])
        ratios = {name: pairs(seen[name], seen["bare"]) for name in runners}
        ratio = statistics.median(ratios["berm"]) if ratios["berm"] else float("inf")
        table.row(item.name, [f"{base * 1e6:.2f} us" if item.printed else f"{base * 1000:.0f} ms",
                              times(ratios["berm"]), f"{item.target}x" if item.target else "",
                              *(times(ratios[name]) for name in peers)], ratio, item.target)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--berm", required=True)
    parser.add_argument("--helpers", required=True, help="directory of floor and micro")
    parser.add_argument("--dir", default=os.path.expanduser("~"),
                        help="where the work is done; not below /tmp or /var, which are private inside")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the work, 1 is full")
    parser.add_argument("--pss", type=int, help="KiB, measured by run.sh")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed")
    parser.add_argument("work", nargs="*")
    return parser.parse_args()


def make_place(args):
    root = tempfile.mkdtemp(prefix="berm-bench-", dir=args.dir)
    place = tools.Place(root, args.berm, os.path.dirname(os.path.abspath(__file__)))
    for path in (place.private, place.workspace, os.path.join(root, "runtime")):
        os.makedirs(path, mode=0o700)
    os.makedirs(os.path.join(place.private, "work")) # where a peer's bind goes
    for where in (root, place.workspace):
        shutil.copy(os.path.join(args.helpers, "micro"), where)
    shutil.copy(os.path.join(args.helpers, "floor"), root)
    return place


def main():
    args = parse()
    place = make_place(args)
    table = Table()

    def wanted(name):
        return not args.work or any(name.startswith(w) for w in args.work)

    try:
        peers = {} if args.no_peers else usable(place, tools.PEERS)
        print(f"# {os.cpu_count()} CPUs, Linux {os.uname().release}, load "
              f"{os.getloadavg()[0]:.1f}, {args.rounds} rounds")
        if wanted("start"):
            bench_start(place, table, args.rounds, peers)
            bench_crowd(place, table, args.rounds)
        size = os.path.getsize(args.berm)
        table.row("size of the program", [f"{size / 2**20:.2f} MB", "", "2 MB"], size, 2 * 2**20)
        if args.pss:
            table.row("PSS while it sleeps", [f"{args.pss / 1024:.2f} MB", "", "2 MB"], args.pss,
                      2048)
        if wanted("guard"):
            guard.bench_inside(place, table, run, os.path.join(args.helpers, "guard"))
            guard.bench_check(place, table, run, args.rounds)
        few = {name: peers[name] for name in peers if name == "bwrap"}
        bench_work(place, table, args.rounds, few, wanted, args.scale)
    finally:
        shutil.rmtree(place.root, ignore_errors=True)
    print(f"# {table.missed} targets missed")
    return 1 if args.strict and table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
