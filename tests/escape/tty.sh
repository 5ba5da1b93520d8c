# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# On a terminal: nothing is typed into it, no other terminal is reached (SPEC P2).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

pty=$T_BASE/pty.py
cat >"$pty.$$" <<'PY'
# pty.py OUT COMMAND...: runs the command on a new terminal; what it writes goes to
# OUT, and what is left in the terminal's input afterwards, after a line "INPUT:".
import os, select, sys, time, fcntl, termios, struct
master, slave = os.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
pid = os.fork()
if pid == 0:
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.closerange(3, 100)
    os.execvp(sys.argv[2], sys.argv[2:])
out = b""
end = time.time() + 15
while time.time() < end:
    r, _, _ = select.select([master], [], [], 0.05)
    if r:
        out += os.read(master, 65536)
    elif os.waitpid(pid, os.WNOHANG)[0]:
        break
# a reader on the same terminal, as the user's shell would be
attr = termios.tcgetattr(slave)
attr[3] &= ~termios.ICANON
attr[6][termios.VMIN] = 0
attr[6][termios.VTIME] = 1
termios.tcsetattr(slave, termios.TCSANOW, attr)
left = os.read(slave, 4096)
open(sys.argv[1], "wb").write(out + b"\nINPUT:" + left + b":END\n")
PY
mv "$pty.$$" "$pty"

# on_tty ID TEXT SCRIPT HARM [CONTROL]
on_tty()
{
	local id=$1 text=$2 script=$3 harm=$4 control=${5:-bare} where hit
	wanted "$id" || return 0
	for where in bare in; do
		[[ $where == bare && $control == none ]] && continue
		fresh ".$where"
		local run=(/bin/sh -c "$(prelude)$script")
		[[ $where == in ]] && run=("$BERM" run -w "$W" "${CAPS[@]}" -- "${run[@]}")
		(cd "$W" && HOME=$H PATH=$T_PATH timeout 25 /usr/bin/python3 "$pty" "$D/tty.out" "${run[@]}" >/dev/null 2>&1 </dev/null)
		OUT=$(tr -d '\r\000' <"$D/tty.out")
		hit=0
		(cd "$W" && eval "$harm") && hit=1
		[[ $OUT == *@ran* ]] || hit="it did not run: $OUT"
		drop "$D"
		if [[ $where == bare && $hit != 1 ]]; then
			t_skip "$id" "$text" "outside it does nothing either: ${OUT: -60}"
			return
		fi
	done
	t_is "$id" "$text" "$hit" 0
}

typed='[[ $OUT == *INPUT:*[!:]*:END* ]]'
on_tty tty.tiocsti 'TIOCSTI types nothing' '$A sys tiocsti' "$typed"
on_tty tty.tiocsti-high 'nor with bits above 32' '$A sys tiocsti-high-bits' "$typed"
on_tty tty.tiocsti-dev-tty 'nor through /dev/tty' '/usr/bin/python3 -c "import fcntl, os, termios; fcntl.ioctl(os.open(\"/dev/tty\", os.O_RDWR), termios.TIOCSTI, b\"x\")"' "$typed"
on_tty tty.tiocsti-stderr 'nor through standard error' '/usr/bin/python3 -c "import fcntl, termios; fcntl.ioctl(2, termios.TIOCSTI, b\"x\")"' "$typed"
on_tty tty.tiocsti-i386 'nor by the 32-bit call' 'cat >t.c <<E
#include <stdio.h>
int main(void) { long r; char *c = "x"; (void)c; __asm__ volatile("int \$0x80" : "=a"(r) : "a"(54), "b"(0), "c"(0x5412), "d"(0)); printf("%ld\\n", r); return 0; }
E
cc -w -o t t.c && ./t' '[[ $OUT == *-14* ]]'
on_tty tty.other-pts "the host's other terminals are not there" 'ls /dev/pts; for p in /dev/pts/[0-9]*; do [ $p = "$(tty)" ] && continue; { : >$p; } 2>/dev/null && echo OPENED; done' \
	'[[ $OUT == *OPENED* ]]'
on_tty tty.vcs 'nor the consoles' 'ls /dev/vcs /dev/vcsa /dev/tty0 /dev/tty1 /dev/console 2>/dev/null | grep . && echo SEEN' '[[ $OUT == *SEEN* ]]'
on_tty tty.settings 'the settings of the terminal are as before' 'stty -echo -icanon; sleep 0.1' \
	'(exit 1)' none
on_tty tty.background 'a process that outlives the command does not read the keyboard' \
	'(trap "" HUP TERM; setsid cat /dev/tty >stolen 2>/dev/null &) ; true' '[[ -s stolen ]]' none

done_testing
