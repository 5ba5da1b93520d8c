# SPDX-License-Identifier: Apache-2.0
"""What the judgement before a command costs: inside, as the helper "guard" measures it in the
processor's time, and as a program that is started for each command."""

import os
import random
import statistics

BATCH = 20


def bench_inside(place, table, run, helper):
    """The helper's lines: name, figure, unit, goal, "least" or "most"."""
    _, out = run(place, [helper], place.workspace)
    for line in out.splitlines():
        name, figure, unit, goal, kind = line.split("\t")
        value, wanted = float(figure), float(goal)
        ratio = wanted / value if kind == "least" else value / wanted
        table.row(name, [f"{value:.1f} {unit}", "", f"{goal} {unit}"], ratio, 1.0)


def bench_check(place, table, run, rounds):
    """A whole "berm check" beside a program that does nothing."""
    micro = os.path.join(place.root, "micro")
    commands = {"check": [place.berm, "check", "--shell", "git status && ls -l src"],
                "true": ["/bin/true"]}
    seen = {name: [] for name in commands}
    for _ in range(rounds * 4):
        for name in random.sample(sorted(commands), len(commands)):
            _, out = run(place, [micro, "start", str(BATCH), *commands[name]], place.workspace)
            seen[name].append(float(out.splitlines()[-1]) / 1000)
    more = statistics.median(a - b for a, b in zip(seen["check"], seen["true"]))
    table.row("berm check, one line", [f"{statistics.median(seen['check']):.2f} ms",
                                       f"{more:+.2f} ms", "+2 ms"], more, 2.0)
