#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""why_live.py BERM [TRIPLES [SEED]]: random (policy, path, operation) triples: what
"berm why" says is what happens under "berm run" (DESIGN 4). Works in the current
directory, which must be empty. Exit status 1 when they disagree."""
import os
import random
import shutil
import subprocess
import sys

NAMES = ["src", "doc", "a.txt", "main.c", ".env", ".env.example", ".envrc", "a.key", "id_rsa",
         ".git", "hooks", "config", "HEAD", "objects", "refs", "info", "modules", "worktrees",
         ".vscode", ".claude", "settings.json", ".mcp.json", ".bashrc", "node_modules", "vendor",
         ".berm", "x y", "we[i]rd", "commondir", ".GIT", ".VSCode", "pre-commit"]
POLICIES = [[], [], ["--deny-write", "src/**"], ["--deny-read", "**/*.txt"], ["-m", "review"],
            ["--profile", "strict"], ["--unprotect", "editor-settings"],
            ["--unprotect", "git-hooks"], ["--allow-write", "**/.env"], ["--deny-write", "**/doc"],
            ["--ask", "**/main.c"], ["--allow-write", "src/a.key", "--deny-write", "**/*.key"]]
ACTS = {
    "create": ("create", '[ ! -e "$1" ] && : >"$1"'),
    "mkdir": ("create", 'mkdir "$1"'),
    "write": ("write", ': >>"$1"'),
    "delete": ("delete", 'if [ -d "$1" ]; then rmdir "$1"; else rm -f "$1" && [ ! -e "$1" ]; fi'),
    "read": ("read", 'cat "$1" >/dev/null'),
}


def build(rng):
    """A small repository with some of the names in it. Returns its files."""
    for entry in os.listdir("."):
        shutil.rmtree(entry) if os.path.isdir(entry) else os.unlink(entry)
    shutil.copytree("../tpl", ".", dirs_exist_ok=True, symlinks=True)
    for _ in range(6):
        path = "/".join(rng.choice(NAMES) for _ in range(rng.randint(1, 3)))
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            if not os.path.exists(path):
                with open(path, "w", encoding="ascii") as file:
                    file.write("x\n")
        except OSError:
            pass
    return [os.path.join(d, f)[2:] for d, _, files in os.walk(".") for f in files
            if "/.git/objects/" not in d + "/"]


def choose(rng, files):
    act = rng.choice(list(ACTS))
    if act in ("write", "delete", "read") and files and rng.random() < 0.8:
        return act, rng.choice(files)
    path = "/".join(rng.choice(NAMES) for _ in range(rng.randint(1, 4)))
    return act, path


def possible(act, path):
    """Would it work without a sandbox? Only then do the two have to agree."""
    parent = os.path.dirname(path) or "."
    try:
        os.makedirs(parent, exist_ok=True)
    except OSError:
        return False
    if act in ("create", "mkdir"):
        return not os.path.lexists(path)
    if act in ("write", "read"):
        return os.path.isfile(path)
    if os.path.isdir(path):
        return not os.listdir(path)
    return os.path.lexists(path)


def main():
    berm = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    rng = random.Random(seed)
    subprocess.run(["git", "init", "-q", "../tpl"], check=True)
    wrong = tried = 0
    seen = set()
    while tried < count:
        files = build(rng)
        act, path = choose(rng, files)
        policy = rng.choice(POLICIES)
        if not possible(act, path):
            continue
        verb, script = ACTS[act]
        asked = path + "/" if act == "mkdir" else path
        why = subprocess.run([berm, "why", *policy, "--", verb, asked], capture_output=True,
                             text=True, check=False)
        if why.returncode not in (0, 1, 2):
            print(f"seed {seed}: why {policy} {verb} {asked}: {why.stderr}")
            return 1
        if "a file of git's" in why.stdout:
            continue  # depends on what would be written
        tried += 1
        seen.add((act, why.returncode != 0))
        # Nobody is asked: an ask is a deny.
        run = subprocess.run([berm, "run", "-q", "--approver", "none", *policy, "--", "sh", "-c",
                              script, "-", path], capture_output=True, text=True, check=False)
        if (why.returncode == 0) != (run.returncode == 0) or run.returncode == 125:
            wrong += 1
            print(f"seed {seed}: {policy} {act} {path!r}:\n  why: {why.stdout}  run: "
                  f"{run.returncode} {run.stderr}")
    if len(seen) < 2 * len(ACTS) - 2 and count >= 200:
        print(f"seed {seed}: only {sorted(seen)} came up")
        return 1
    print(f"seed {seed}: {tried} triples, {wrong} disagree")
    return 1 if wrong else 0


sys.exit(main())
