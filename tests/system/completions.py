#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""completions.py BERM: lines that are completed by the shells themselves (bash, zsh, fish) with
the completions that are installed beside BERM. Prints TAP.

bash and zsh run on a terminal: the line is typed, then Tab, then a key that prints what the
line is now. fish has a command that says what it would offer."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

berm = os.path.realpath(sys.argv[1])
share = os.path.join(os.path.dirname(os.path.dirname(berm)), "share")
places = {
    "bash": os.path.join(share, "bash-completion/completions/berm"),
    "zsh": os.path.join(share, "zsh/site-functions/_berm"),
    "fish": os.path.join(share, "fish/vendor_completions.d/berm.fish"),
}
work = tempfile.mkdtemp(prefix="berm-completions.")
os.mkdir(work + "/folder")
os.mkdir(work + "/bin")
os.symlink(berm, work + "/bin/berm")
os.symlink("/bin/true", work + "/bin/qqprogram")
env = {"HOME": work, "PATH": work + "/bin:/usr/bin:/bin", "TERM": "dumb", "LC_ALL": "C.UTF-8",
       "PS1": "", "XDG_STATE_HOME": work, "XDG_CONFIG_HOME": work}

# What is typed, what it becomes; of fish: which of its offers it must be.
ROWS = [
    ("berm she", "berm shell", "shell"),
    ("berm rul", "berm rules", "rules"),
    ("berm susp", "berm suspend", "suspend"),
    ("berm lea", "berm learn", "learn"),
    ("berm add-", "berm add-dir", "add-dir"),
    ("berm run --allow-dom", "berm run --allow-domain", "--allow-domain"),
    ("berm run --raw", "berm run --raw-terminal", "--raw-terminal"),
    ("berm run --mode rev", "berm run --mode review", "review"),
    ("berm run --net of", "berm run --net off", "off"),
    ("berm shell --profile str", "berm shell --profile strict", "strict"),
    ("berm run -- qqpro", "berm run -- qqprogram", "qqprogram"),
    ("berm learn --in-", "berm learn --in-place", "--in-place"),
    ("berm learn --allow-wr", "berm learn --allow-write", "--allow-write"),
    ("berm learn -- qqpro", "berm learn -- qqprogram", "qqprogram"),
    ("berm why conn", "berm why connect", "connect"),
    ("berm why --js", "berm why --json", "--json"),
    ("berm explain --cov", "berm explain --coverage", "--coverage"),
    ("berm check --unsand", "berm check --unsandboxed", "--unsandboxed"),
    ("berm rules --enf", "berm rules --enforcement", "--enforcement"),
    ("berm audit ver", "berm audit verify", "verify"),
    ("berm import cla", "berm import claude", "claude"),
    ("berm export bw", "berm export bwrap", "bwrap"),
    ("berm trust --rev", "berm trust --revoke", "--revoke"),
    ("berm init --loc", "berm init --local", "--local"),
    ("berm doctor --app", "berm doctor --apparmor", "--apparmor"),
    ("berm start --ke", "berm start --keep", "--keep"),
    ("berm exec --workd", "berm exec --workdir", "--workdir"),
    ("berm attach --read", "berm attach --read-only", "--read-only"),
    ("berm stop --gr", "berm stop --grace", "--grace"),
    ("berm ls --qui", "berm ls --quiet", "--quiet"),
    ("berm add-dir fol", "berm add-dir folder", "folder"),
    ("berm stop live-sess", "berm stop live-session", "live-session"),
    ("berm exec live-sess", "berm exec live-session", "live-session"),
]

number = failures = 0


def result(good, text, *more):
    global number, failures
    number += 1
    failures += not good
    print("%s %d - completions.%s" % ("ok" if good else "not ok", number, text))
    for line in more if not good else ():
        print("#   " + line)
    sys.stdout.flush()


class Shell:
    """A shell on a terminal, whose key Ctrl-X prints its line between marks, and empties it."""

    def __init__(self, argv, setup):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(work)
            os.execve(argv[0], argv, env)
        self.seen = b""
        os.write(self.fd, setup.encode())
        self.until(rb"<<ready>>")

    def until(self, pattern):
        end = time.monotonic() + 60
        while not re.search(pattern, self.seen):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(self.seen[-300:])
            self.seen += os.read(self.fd, 65536)
        match = re.search(pattern, self.seen)
        self.seen = self.seen[match.end():]
        return match

    def complete(self, line):
        self.seen = b""
        os.write(self.fd, line.encode() + b"\t\x18")
        return self.until(rb"<\[(.*?)\]>").group(1).decode(errors="replace")

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def bash():
    return Shell(["/bin/bash", "--norc", "--noprofile", "-i"],
                 "set +o history; bind 'set completion-query-items 0'; bind 'set bell-style none'; "
                 "shown() { printf '<[%%s]>\\n' \"$READLINE_LINE\"; READLINE_LINE=; READLINE_POINT=0; }; "
                 "bind -x '\"\\C-x\": shown'; source '%s'; echo '<<'ready'>>'\n" % places["bash"])


def zsh():
    return Shell([shutil.which("zsh"), "-f", "-i"],
                 "unsetopt beep zle_bracketed_paste prompt_sp; bindkey -e; fpath=('%s' $fpath); "
                 "autoload -Uz compinit && compinit -u -d '%s/dump'; "
                 "shown() { print -r -- \"<[$BUFFER]>\"; BUFFER= }; zle -N shown; "
                 "bindkey -r -p '^X'; bindkey '^X' shown; "
                 "echo '<<'ready'>>'\n" % (os.path.dirname(places["zsh"]), work))


def fish(line):
    out = subprocess.run([shutil.which("fish"), "--no-config", "-c", "source $argv[1]; complete -C $argv[2]",
                          places["fish"], line], env=env, cwd=work, capture_output=True, text=True,
                         timeout=60, check=False)
    return [offer.split("\t")[0].rstrip("/") for offer in out.stdout.splitlines()], out.stderr


def typed(name, start):
    shell = start()
    for line, wanted, _ in ROWS:
        try:
            got = shell.complete(line).rstrip(" /=")
        except TimeoutError as e:
            result(False, "%s %s" % (name, line), "nothing came: %s" % e)
            return
        result(got == wanted, "%s %s" % (name, line), "got:    " + got, "wanted: " + wanted)
    shell.close()


def offered():
    for line, _, wanted in ROWS:
        got, said = fish(line)
        result(wanted in got and not said, "fish " + line, "got:    %s" % got[:8], said[:200])


try:
    subprocess.run([berm, "start", "--name", "live-session", "--owner", str(os.getpid())], env=env, cwd=work,
                   check=True, stdout=subprocess.DEVNULL)
    for name in ("bash", "zsh", "fish"):
        if not shutil.which(name):
            number += 1
            print("ok %d - completions.%s # SKIP %s is not installed" % (number, name, name))
        elif not os.path.exists(places[name]):
            result(False, "%s %s is missing" % (name, places[name]))
        elif name == "fish":
            offered()
        else:
            typed(name, bash if name == "bash" else zsh)
finally:
    subprocess.run([berm, "stop", "live-session"], env=env, cwd=work, check=False, stdout=subprocess.DEVNULL)
    shutil.rmtree(work, ignore_errors=True)
print("1..%d" % number)
sys.exit(failures > 0)
