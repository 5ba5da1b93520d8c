# SPDX-License-Identifier: Apache-2.0
"""The work that "make bench" measures: what it is done on (made once, the same
bytes each time), the command, and how much slower than bare it may be."""

import io
import os
import random
import shutil
import subprocess
import tarfile

WORDS = [f"word{i}" for i in range(2000)]


def text(rng, size):
    """About size bytes that look like source."""
    lines, have = [], 0
    while have < size:
        line = "\t" + " ".join(rng.choices(WORDS, k=8)) + ";\n"
        lines.append(line)
        have += len(line)
    return "".join(lines)


def tree(where, files, per_dir, size, seed):
    rng = random.Random(seed)
    for i in range(files):
        folder = os.path.join(where, f"d{i // per_dir // 10}", f"s{i // per_dir}")
        if i % per_dir == 0:
            os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"f{i}.c"), "w") as f:
            f.write(text(rng, rng.randint(size // 4, size * 2)))


def git(*args, cwd):
    subprocess.run(["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost",
                    "-c", "gc.auto=0", *args], cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def make_repository(where, files):
    tree(where, files, 50, 3000, 1)
    git("init", "-q", "-b", "main", cwd=where)
    git("add", "-A", cwd=where)
    git("commit", "-qm", "all", cwd=where)


def make_archive(path, files):
    source = path + ".d"
    tree(source, files, 40, 4000, 2)
    with tarfile.open(path, "w") as tar:
        tar.add(source, arcname="unpacked")
    shutil.rmtree(source)


def make_project(where, files):
    """C sources that take a compiler about a tenth of a second each."""
    rng = random.Random(3)
    os.makedirs(where)
    for i in range(files):
        body = ["#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>"]
        for j in range(60):
            body.append(f"int f{i}_{j}(int a, char *s)\n{{\n\tint r = {rng.randint(1, 99)};\n"
                        f"\tfor (int k = 0; k < a; k++) {{\n\t\tr += s[k] * {rng.randint(1, 99)};\n"
                        "\t\tif (r % 7 == 3)\n\t\t\tr ^= (int)strlen(s);\n\t}\n\treturn r;\n}")
        with open(os.path.join(where, f"m{i}.c"), "w") as f:
            f.write("\n".join(body) + "\n")
    objects = " ".join(f"m{i}.o" for i in range(files))
    with open(os.path.join(where, "Makefile"), "w") as f:
        f.write(f"all.a: {objects}\n\t$(AR) rc $@ $^\n%.o: %.c\n\t$(CC) -O2 -c -o $@ $<\n"
                f"clean:\n\trm -f all.a {objects}\n")


def make_packages(where, packages, files):
    """A project whose dependencies are archives on the disk: npm needs no network."""
    rng = random.Random(4)
    os.makedirs(where)
    wanted = {}
    for i in range(packages):
        name = f"package-{i}"
        wanted[name] = f"file:{name}.tgz"
        with tarfile.open(os.path.join(where, name + ".tgz"), "w:gz", compresslevel=1) as tar:
            members = {"package.json": f'{{"name": "{name}", "version": "1.0.0"}}\n'}
            for j in range(files):
                members[f"lib/m{j}.js"] = text(rng, 1500)
            for member, content in members.items():
                info = tarfile.TarInfo("package/" + member)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content.encode()))
    deps = ", ".join(f'"{k}": "{v}"' for k, v in wanted.items())
    with open(os.path.join(where, "package.json"), "w") as f:
        f.write(f'{{"name": "bench", "version": "1.0.0", "dependencies": {{{deps}}}}}\n')


def make_statements(path, count):
    rng = random.Random(5)
    with open(path, "w") as f:
        f.write("PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF;\n"
                "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);\n")
        for i in range(count):
            f.write(f"INSERT INTO t VALUES({i}, '{text(rng, 60).strip()}');\n")


class Work:
    """One kind of work. command runs in the workspace; before() prepares each
    round outside. printed: the command prints the microseconds of one operation."""

    def __init__(self, name, command, target=None, before=None, make=None, needs=None,
                 printed=False):
        self.name, self.command, self.target = name, command, target
        self.before, self.make, self.needs, self.printed = before, make, needs, printed


def remove(*names):
    def before(workspace):
        for name in names:
            path = os.path.join(workspace, name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.unlink(path)
    return before


def fresh(name):
    def before(workspace):
        remove(name)(workspace)
        os.mkdir(os.path.join(workspace, name))
    return before


def unpacked(workspace):
    remove("unpacked")(workspace)
    subprocess.run(["tar", "xf", "files.tar"], cwd=workspace, check=True)


def clean(workspace):
    subprocess.run(["make", "-s", "-C", "project", "clean"], cwd=workspace, check=True)


def all_work(scale):
    """scale 1 is the full size."""
    def count(n):
        return max(20, int(n * scale))

    def at(name, function, *args):
        return lambda workspace: function(os.path.join(workspace, name), *args)

    return [
        Work("open+close", ["./micro", "open", "/etc/passwd", str(count(50000))], 1.4, printed=True),
        Work("open+close, workspace", ["./micro", "open", "./micro", str(count(50000))], 1.4,
             printed=True),
        Work("cat 2,000 files", ["sh", "-c", "cat many/*/*/* >/dev/null"], 1.1,
             make=at("many", tree, 2000, 50, 4000, 6)),
        Work("10,000 creates", ["./micro", "create", "made", str(count(10000))], 2.4,
             before=fresh("made"), printed=True),
        Work("tar x, small files", ["tar", "xf", "files.tar"], 2.0, before=remove("unpacked"),
             make=at("files.tar", make_archive, count(20000))),
        Work("rm -r", ["rm", "-r", "unpacked"], before=unpacked),
        Work("git clone", ["git", "clone", "-q", "--no-hardlinks", "repository", "copy"], 1.6,
             before=remove("copy"), make=at("repository", make_repository, count(20000))),
        Work("git status", ["git", "-C", "repository", "status", "--short"], 1.25),
        Work("npm install", ["sh", "-c", "cd packages && npm install --offline --silent "
                             "--no-audit --no-fund --ignore-scripts"], 1.1,
             before=remove("packages/node_modules"), needs="npm",
             make=at("packages", make_packages, count(120), 60)),
        Work("make -j2", ["make", "-s", "-C", "project", "-j2"], 1.05, before=clean,
             make=at("project", make_project, count(40))),
        Work("sqlite, 3,000 commits", ["sqlite3", "data.db", ".read statements.sql"],
             before=remove("data.db"), needs="sqlite3",
             make=at("statements.sql", make_statements, count(3000))),
    ]


def make_crowd(where, files=50000, repositories=200):
    """A workspace in which a scan would take its time."""
    for i in range(files):
        folder = os.path.join(where, f"d{i // 250}")
        if i % 250 == 0:
            os.makedirs(folder)
        with open(os.path.join(folder, f"f{i}"), "w"):
            pass
    for i in range(repositories):
        git("init", "-q", f"d{i % (files // 250)}/r{i}", cwd=where)
