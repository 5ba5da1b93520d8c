#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff_bash.py DUMP [COUNT [SEED]]: what the reader makes of lines, against bash and dash.

Lines are made from a grammar, and broken at random. Each that `bash -n` accepts must be read or
be opaque. Then bash and dash really run it: the only programs on PATH are stubs that note their
arguments. Every program that ran must be one of the parts; every part that runs without any
condition must have run. Prints TAP.
"""
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

STUBS = ["git", "rm", "push", "aa", "bb", "cc", "no1", "no2", "pull", "if1", "x"]
CONDITIONAL, TEST, BACKGROUND = 1 << 8, 1 << 9, 1 << 0


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.docs = []
        self.funcs = 0
        self.no_newline = 0
        self.variables = []

    def pick(self, *choices):
        return self.r.choice(choices)

    def chance(self, n):
        return self.r.randrange(n) == 0

    def text(self):
        return "".join(self.r.choice("abpq1_-.,:+@%=/ ") for _ in range(self.r.randrange(1, 5)))

    def plain(self):
        return self.pick("a", "b1", "push", "-f", "--all", "x=y", "k:v", "a,b", "@", "%", "a#b", "9", "+", "!", "]", "a}b", "if", "fi", "}", "then")

    def double(self, depth):
        out = []
        for _ in range(self.r.randrange(0, 4)):
            out.append(self.pick(
                lambda: self.text(), lambda: "'", lambda: "\\\"", lambda: "\\\\", lambda: "\\$",
                lambda: "\\`", lambda: "\\n", lambda: "#", lambda: ";", lambda: "&|", lambda: "*",
                lambda: "$", lambda: self.dollar(depth, True), lambda: ")", lambda: "}",
                lambda: "\n" if not self.no_newline else " ", lambda: "\\\n", lambda: "{a,b}")())
        return '"' + "".join(out) + '"'

    def dollar(self, depth, quoted=False):
        if depth <= 0:
            return self.pick("$v", "${v}", "$1", "$#")
        kind = self.r.randrange(12)
        if kind < 3 and self.variables:
            v = self.pick(*self.variables)
            return self.pick("$%s", "${%s}") % v
        if kind < 5:
            return "$(" + self.inner(depth - 1) + ")"
        if kind == 5:
            text = self.inner_simple(0)
            return "`" + text.replace("\\", "\\\\").replace("`", "\\`").replace("$", "\\$") + "`" \
                if '"' not in text else "$(" + text + ")"
        if kind == 6:
            op = self.pick(":-", "-", ":+", "#", "%", "%%", "##")
            return "${v" + op + (self.word(depth - 1) if not quoted else self.double(depth - 1)) + "}"
        if kind == 7:
            return self.pick("${v/a/b}", "${#v}", "${v:1:2}", "${v^^}", "${v@Q}") if self.bash else "${#v}"
        if kind == 8:
            return "$((" + self.pick("1+2", "v", "(1+2)*3", "1 << 2", "v+1") + "))"
        if kind == 9:
            return "$( (" + self.inner(depth - 1) + ") )"
        return self.pick("$v", "${v}", "$1", "$#", "$@", "$?")

    bash = True

    def word(self, depth=2):
        out = []
        for _ in range(self.pick(1, 1, 1, 2, 2, 3)):
            choices = [self.plain, self.plain, self.plain, lambda: "'" + self.text() + self.pick("", '"', "$x", "`", "\\", "#;&") + "'",
                       lambda: self.double(depth), lambda: "\\" + self.pick(*"abgt $`\"'\\;&|<>(){}*?#~"),
                       lambda: "\\\n", lambda: self.dollar(depth)]
            if self.bash:
                choices += [lambda: "$'" + self.pick("a", "\\x67", "\\n", "\\147", "\\t", "\\\\", "\"", "\\e", "\\cB", "\\u0041") + "'",
                            lambda: "{" + ",".join(self.r.choice(["a", "b", "", "'c,d'", "{e,f}", "g"]) for _ in range(2)) + "}",
                            lambda: self.pick("{1..3}", "{c..a}", "{a}", "{}", "{,}", "{a", "a,}", "{2..-1}"),
                            lambda: '$"' + self.pick("a", "b c") + '"']
            if self.chance(8):
                choices += [lambda: self.pick("*", "?", "[ab]", "~", "a*b", "f1*")]
            out.append(self.r.choice(choices)())
        return "".join(out) or "''"

    def name(self):
        n = self.r.choice(STUBS)
        style = self.r.randrange(12)
        if style == 0:
            return "\\" + n
        if style == 1:
            return n[0] + "'" + n[1:] + "'"
        if style == 2:
            return '"' + n + '"'
        if style == 3:
            return n[0] + "\\\n" + n[1:]
        if style == 4 and self.bash:
            return "$'\\x%02x%s'" % (ord(n[0]), n[1:])
        if style == 5 and self.bash:
            return "{" + n + ",pp}"
        if style == 6 and self.variables:
            return "$" + self.pick(*self.variables)
        return n

    def redir(self):
        kind = self.r.randrange(12)
        if kind < 3 and not self.no_newline and len(self.docs) < 3:
            tag = "E%d" % self.r.randrange(100)
            quoted = self.chance(2)
            strip = self.chance(3)
            body = []
            for _ in range(self.r.randrange(0, 3)):
                self.no_newline += 1
                body.append(self.pick("text 'q", "$(" + self.inner_simple(0) + ")", "\\$(aa)", "a \\\\", "`bb z`", "\"", "${v}", ";|&("))
                self.no_newline -= 1
            lines = "".join(("\t" if strip and self.chance(2) else "") + b + "\n" for b in body)
            self.docs.append(lines + ("\t" if strip and self.chance(2) else "") + tag + "\n")
            return "<<" + ("-" if strip else "") + self.pick("", " ") + (self.pick("'%s'", "\"%s\"", "\\%s") % tag if quoted else tag)
        if kind == 3 and self.bash:
            return "<<< " + self.word(1)
        return self.pick(">f1", ">> f2", "2>&1", "2>/dev/null", "</dev/null", ">|f3", "1>&2", "3>f1", "&>f2" if self.bash else ">f2", "<&-")

    def simple(self, depth):
        out = []
        if self.chance(6):
            out.append(self.pick("k", "m") + "=" + self.pick("1", "'a b'", "$(aa)", "", "x"))
        if self.chance(10):
            out.append(self.redir())
        out.append(self.name())
        for _ in range(self.r.randrange(0, 4)):
            out.append(self.word(depth))
            if self.chance(10):
                out.append(self.redir())
        return self.pick(" ", "  ", "\t", " \\\n").join(out)

    def assign(self):
        v = self.pick("va", "vb", "vc")
        value = self.pick("push", "git", "'a b'", "x", "\"*\"", "''", "aa", "$(aa)", "$va")
        if v not in self.variables:
            self.variables.append(v)
        return v + "=" + value

    def inner_simple(self, depth):
        self.no_newline += 1
        out = self.r.choice(STUBS) + " " + self.pick("y", "'z w'", "$v", "q")
        self.no_newline -= 1
        return out

    def inner(self, depth):
        """Commands inside ( ) of any kind: their here-documents do not come in."""
        self.no_newline += 1
        out = self.list(depth - 1, top=False)
        self.no_newline -= 1
        return (" " if out[:1] == "(" else "") + out + (" " if self.chance(2) else "")

    def compound(self, depth):
        kind = self.r.randrange(13)

        def body():
            return self.list(depth - 1, top=False)
        if kind == 0:
            return "(" + self.inner(depth) + ")"
        if kind == 1:
            return "{ " + body() + self.end() + "}"
        if kind == 2:
            return "if " + body() + self.end() + "then " + body() + self.end() + \
                (("else " + body() + self.end()) if self.chance(2) else "") + "fi"
        if kind == 3:
            return "while no1" + self.end() + "do " + body() + self.end() + "done"
        if kind == 4:
            return "for i in " + " ".join(self.word(0) for _ in range(2)) + self.end() + "do " + body() + self.end() + "done"
        if kind == 5:
            return "case " + self.word(0) + " in " + self.pick("a", "b|c", "(a", "*", "'x'", "\"$v\"") + ") " + body() + self.end(";;") + \
                self.pick("", "*) " + body() + self.end(";;")) + "esac"
        if kind == 6 and self.bash:
            return "[[ " + self.pick("-n a", "a == b*", "$v =~ ^(a|b)$", "a < b && -z ''", "! -e f", "( a = a )") + " ]]"
        if kind == 7 and self.bash:
            return "((" + self.pick(" 1 + 1 ", "v=3", "v++", "(1)*2", "$(aa w)") + "))"
        if kind == 8:
            self.funcs += 1
            f = "fn%d" % self.funcs
            return f + self.pick("()", " ()", "() ") + " { " + body() + self.end() + "}" + self.end() + f + " " + self.word(0)
        if kind == 9:
            return self.pick("! ", "time " if self.bash else "! ") + self.simple(depth - 1)
        if kind == 10:
            text = self.list(0, top=False, plain=True)
            return self.pick("eval ", "%s -c " % ("bash" if self.bash else "sh")) + "'" + text.replace("'", "'\\''") + "'"
        return self.simple(depth - 1)

    def end(self, mark=";"):
        """Ends a command: here-documents that wait come now."""
        if self.docs:
            out = (mark if mark != ";" else "") + "\n" + "".join(self.docs)
            self.docs = []
            return out
        if self.no_newline or self.chance(2):
            return mark + " "
        return (mark if mark != ";" else "") + "\n"

    def command(self, depth):
        if depth > 0 and self.chance(3):
            return self.compound(depth)
        if self.chance(6):
            return self.assign()
        return self.simple(depth)

    def list(self, depth, top=True, plain=False):
        out = []
        n = self.pick(1, 1, 2, 3) if top else self.pick(1, 1, 2)
        for i in range(n):
            out.append(self.simple(0) if plain else self.command(depth))
            if i + 1 == n:
                break
            sep = self.pick(" && ", " || ", " | ", " & ", "; ", "\n", ";", "&&", "|", " |& " if self.bash else " | ")
            if self.no_newline and "\n" in sep:
                sep = "; "
            if "\n" in sep:
                sep += self.pick("", "# it's \"a `comment\n") + "".join(self.docs)
                self.docs = []
            out.append(sep)
        return "".join(out)

    def line(self):
        out = self.list(3)
        if self.docs:
            out += "\n" + "".join(self.docs)
        return out


def broken(r, line):
    """The same with a character or two changed."""
    chars = list(line)
    for _ in range(r.choice([1, 1, 2])):
        i = r.randrange(len(chars) + 1)
        what = r.randrange(3)
        if what == 0 and chars:
            del chars[min(i, len(chars) - 1)]
        elif what == 1:
            chars.insert(i, r.choice(list("'\"\\$`(){};&|<>#\n =*~") + ["$(", "${", "$((", "))", "<(", ";;", "<<E\n", "]]"]))
        elif len(chars) > 1:
            i = min(i, len(chars) - 2)
            chars[i], chars[i + 1] = chars[i + 1], chars[i]
    return "".join(chars)


def read_answers(dump, lines):
    p = subprocess.run([dump, "-m"], input=b"".join(l.encode() + b"\0" for l in lines), stdout=subprocess.PIPE, check=True)
    answers, parts = [], []
    for row in p.stdout.split(b"\n")[:-1]:
        f = row.split(b"\t")
        if f[0] == b"end":
            answers.append((parts, int(f[1], 16), int(f[2], 16), int(f[3], 16), f[4].decode()))
            parts = []
            continue
        words = []
        for w in f[4:]:
            why, many, known, text = w.split(b",")
            words.append((int(why, 16), many == b"1", int(known), bytes.fromhex(text.decode())))
        parts.append((f[0].decode(), int(f[1], 16), int(f[2], 16), int(f[3], 16), words))
    if len(answers) != len(lines):
        sys.exit("Bail out! %d answers to %d lines" % (len(answers), len(lines)))
    return answers


def fits(words, argv):
    """Can these words become this argument list?"""
    if not words:
        return not argv
    why, many, known, text = words[0]
    if not why:
        return bool(argv) and argv[0] == text and fits(words[1:], argv[1:])
    if many:
        if known:
            return any(argv[0].startswith(text[:known]) and fits(words[1:], argv[n:]) for n in range(1, len(argv) + 1)) if argv else False
        return any(fits(words[1:], argv[n:]) for n in range(len(argv) + 1))
    return bool(argv) and argv[0].startswith(text[:known]) and fits(words[1:], argv[1:])


class Runner:
    def __init__(self, dump, root):
        self.bin = os.path.join(root, "bin")
        self.root = root
        os.mkdir(self.bin)
        for s in STUBS:
            os.symlink(dump, os.path.join(self.bin, s))
        for s in ("bash", "sh"):
            os.symlink(shutil.which(s), os.path.join(self.bin, s))

    def run(self, shell, line, number):
        """None: it is not valid. Else the argument lists of what ran."""
        if subprocess.run([shell, "-n", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, env={"LC_ALL": "C.UTF-8"}).returncode:
            return None
        work = os.path.join(self.root, "w%d-%s" % (number, os.path.basename(shell)))
        os.mkdir(work)
        log = os.path.join(work, ".log")
        open(log, "w").close()
        env = {"PATH": self.bin, "HOME": work, "STUB_LOG": log, "LC_ALL": "C.UTF-8", "FUNCNEST": "4"}
        try:
            # The pipe ends when everything that it started has ended.
            subprocess.run(["/usr/bin/timeout", "-k", "1", "20", shell, "-c", line], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env, cwd=work, timeout=60)
            with open(log, "rb") as f:
                data = f.read()
        finally:
            shutil.rmtree(work)
        out = []
        for record in data.split(b"\0\0")[:-1]:
            args = record.split(b"\0")
            out.append([args[0]] + [a[1:] for a in args[1:]])
        return out


def judge(answer, ran, check_missing):
    """What is wrong, or None; and how many of the commands were found with certainty."""
    parts, _, _, blind, _ = answer
    certain = 0
    for argv in ran:
        best = None
        for origin, flags, why, b, words in parts:
            if words and not flags & TEST and fits(words, argv):
                best = "certain" if not why else best or "maybe"
                if best == "certain":
                    break
        if best == "certain":
            certain += 1
        if not best and not blind:
            return "ran, and is no part: %r" % (argv,), certain
    if not check_missing or blind:
        return None, certain
    for origin, flags, why, b, words in parts:
        # What is in the background may still be about to run.
        if flags & (CONDITIONAL | TEST | BACKGROUND) or not words or why or origin == "function":
            continue
        argv = [w[3] for w in words]
        if argv[0].decode("latin1") in STUBS and argv not in ran:
            return "is a part, and did not run: %r" % (argv,), certain
    return None, certain


def main():
    dump, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    r = random.Random(seed)
    cases = []
    for i in range(count):
        g = Gen(seed * 1000003 + i)
        dash = i % 4 == 3
        g.bash = not dash
        line = g.line()
        whole = True
        if i % 3 == 2 and not g.funcs and "{ " not in line:
            line, whole = broken(r, line), False
        # dash knows none of bash's quotes: what follows $ is the same for both by chance only.
        if "\0" in line or (dash and any(t in line for t in ("$'", '$"', "$[", "{a,", ",b}", ",}"))):
            continue
        # Behind a pipe bash looks for a program of that name.
        whole = whole and not any(t in line for t in ("| time", "& time"))
        cases.append((line, ["dash"] if dash else ["bash"], whole))
    shells = {s: shutil.which(s) for s in ("bash", "dash")}
    answers = read_answers(dump, [c[0] for c in cases])
    stats = {"valid": 0, "certain": 0, "opaque": 0, "commands": 0}
    bad = []
    with tempfile.TemporaryDirectory() as root:
        runner = Runner(dump, root)

        def one(i):
            line, wanted, whole = cases[i]
            found = []
            for s in wanted:
                if shells[s]:
                    found.append((s, runner.run(shells[s], line, i)))
            return i, found

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for i, found in pool.map(one, range(len(cases))):
                for shell, ran in found:
                    if ran is None:
                        continue
                    stats["valid"] += 1
                    stats["opaque"] += answers[i][3] != 0
                    stats["commands"] += len(ran)
                    problem, certain = judge(answers[i], ran, cases[i][2])
                    stats["certain"] += certain
                    if problem:
                        bad.append((shell, cases[i][0], problem, answers[i]))
    for shell, line, problem, answer in bad[:int(os.environ.get("SHOW", "10"))]:
        print("# %s: %s" % (shell, problem))
        print("#   " + repr(line))
        for p in answer[0]:
            print("#     %s %x why %x blind %x %s" % (p[0], p[1], p[2], p[3], " ".join(repr(w[3].decode("latin1")) + ("?" if w[0] else "") + ("*" if w[1] else "") for w in p[4])))
        if answer[4]:
            print("#     " + answer[4])
    print("# %d lines, seed %d: %s" % (len(cases), seed, stats))
    print("1..2")
    print("%sok 1 - what ran is what was read (%d of %d lines differ)" % ("not " if bad else "", len(bad), stats["valid"]))
    # A test that finds everything opaque finds nothing.
    enough = stats["valid"] > count * 0.6 and stats["certain"] > stats["commands"] * 0.4 and stats["opaque"] < stats["valid"] * 0.4
    print("%sok 2 - most of it was read with certainty" % ("" if enough else "not "))
    sys.exit(1 if bad or not enough else 0)


main()
