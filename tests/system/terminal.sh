# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# On a terminal: job control, Ctrl-C, window size, raw mode (SPEC P5).
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

pty=$(dirname "$0")/term.py

# term ID TEXT TYPED COMMAND-SCRIPT WANT-GLOB: the same glob must hold bare and inside.
term()
{
	local id=$1 text=$2 typed=$3 script=$4 want=$5 where out
	wanted "$id" || return 0
	for where in bare in; do
		fresh ".$where"
		local run=(/bin/bash --norc --noprofile -c "$script")
		[[ $where == in ]] && run=("$BERM" run -q ${rung:+--test-cap "net=$rung"} -w "$W" -- "${run[@]}")
		out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm timeout 90 /usr/bin/python3 -B "$pty" 33 101 "$typed" "${run[@]}" 2>&1)
		[[ -e $W/look ]] && out+=$(printf '\nlook: '; cat "$W/look")
		drop "$D"
		# shellcheck disable=SC2053
		if [[ $where == bare && $out != $want ]]; then
			t_fail "$id" "$text" "the row is wrong: bare it gives: $out"
			return
		elif [[ $out != $want ]]; then
			t_fail "$id" "$text" "$out"
			return
		fi
	done
	t_ok "$id" "$text"
}

term terminal.is-a-tty 'it is a terminal' '' 'test -t 0 && test -t 1 && test -t 2 && echo yes; tty | grep -c pts' $'*yes\n1\nstatus 0*'
# With each way of the network's set-up: both wait for berm's process outside.
for rung in tproxy redirect ports closed; do
	term "terminal.net-$rung" "a terminal, and the network by $rung" '' 'test -t 1 && echo yes' $'*yes\nstatus 0*'
done
rung=
term terminal.size 'the window size' '' 'stty size; tput cols' $'*33 101\n101\nstatus 0*'
term terminal.winch 'a change of the window size arrives' 'ready winch 40 120' \
	'trap "stty size; exit 0" WINCH; echo ready; while :; do sleep 0.1; done' $'*40 120\nstatus 0*'
term terminal.status 'the exit status' '' 'exit 7' '*status 7*'
term terminal.read 'input is read' 'ready hello\n' 'echo ready; read x; echo "got <$x>"' '*got <hello>*status 0*'
term terminal.eof 'Ctrl-D is the end of input' 'ready ab\n
ab\r\nab \x04' 'echo ready; cat; echo end' '*end*status 0*'
term terminal.ctrl-c 'Ctrl-C interrupts' 'ready \x03' 'echo ready; sleep 99; echo not-here' '*ready*^C*status @(-2|130)*'
term terminal.ctrl-c-trap 'Ctrl-C can be caught' 'ready \x03' 'trap "echo caught; exit 5" INT; echo ready; while :; do sleep 0.1; done' '*caught*status 5*'
term terminal.ctrl-backslash 'Ctrl-\ quits' 'ready \x1c' 'trap "echo quit; exit 6" QUIT; echo ready; while :; do sleep 0.1; done' '*quit*status 6*'
term terminal.dev-tty '/dev/tty' 'ready word\n' 'echo ready; read x </dev/tty; echo "got $x" >/dev/tty' '*got word*status 0*'
term terminal.raw 'raw mode and back' 'ready q' 'stty raw -echo; echo ready; c=$(head -c 1); stty sane; echo "key $c"' '*key q*status 0*'
term terminal.no-echo 'a password is not echoed' 'word: secret\n' 'stty -echo; echo word:; read x; stty echo; echo "len ${#x} $x" | tr a-z A-Z' $'*word:\nLEN 6 SECRET\nstatus 0*'
term terminal.bytes 'every byte comes out' '' 'printf "\033[31mred\033[0m\a\t|"; seq 1 300 | tail -1' $'*\033[31mred*300\nstatus 0*'
# The shell echoes what is typed: what is waited for is spelled otherwise there.
term terminal.job-control 'an interactive shell has job control' 'bash- sleep 99 &\n
bash- jobs\n
Running kill -9 %1; until ! jobs -r %1; do :; done; echo go""ne\n
gone exit 3\n' 'exec bash --norc --noprofile -i' '*Running*sleep 99*status 3*'
# One process: a stop between vfork and exec would hold up a shell for ever, bare as well.
# Not one long sleep: perl looks at a signal between two, and it may be stopped before the first.
term terminal.stop 'Ctrl-Z and fg inside' 'bash- perl -e '\''$SIG{CONT} = sub { print "again\\n" }; $| = 1; print "up\\n"; sleep 1 while 1'\''\n
\rup \x1a
Stopped jobs\n
Stopped fg\n
\nagain \x03
bash- exit 4\n' 'exec bash --norc --noprofile -i' '*Stopped*again*status 4*'
term terminal.python 'a pty made inside' '' '/usr/bin/python3 -c "
import pty, os
pid, fd = pty.fork()
if pid == 0: os.execvp(\"tty\", [\"tty\"])
print(b\"pts\" in os.read(fd, 100))"' '*True*status 0*'
term terminal.script 'script(1)' '' 'script -qc "echo inner; test -t 1 && echo tty" /dev/null' '*inner*tty*status 0*'
term terminal.less 'a pager' '32 q' 'seq 1 500 >f; less f; echo left' '*left*status 0*'
term terminal.vim 'vim' 'New ix\x1b:wq\n' 'vim -u NONE -N f; cat f >look' '*look: x*'
term terminal.git-pager 'git with a pager' 'END q' 'git -c core.pager=less log; echo left' '*left*status 0*'

if wanted terminal.settings-restored; then
	fresh
	out=$(cd "$W" && timeout 90 /usr/bin/python3 -B "$pty" 24 80 '' bash -c "
		stty -a >'$D/a'; HOME=$H '$BERM' run -q -w '$W' -- sh -c 'stty raw -echo; kill -9 \$\$'; stty -a >'$D/b'" 2>&1)
	t_is terminal.settings-restored 'the settings of the terminal are restored' "$(diff "$D/a" "$D/b" && echo same)" same
	t_check terminal.settings-read 'and were read' test -s "$D/a" -a -s "$D/b"
	drop "$D"
fi
if wanted terminal.outer-stop; then
	# Ctrl-Z stops the whole run in the shell that started it, and fg goes on
	fresh
	out=$(cd "$W" && env HOME="$H" timeout 90 /usr/bin/python3 -B "$pty" 24 80 "bash- $BERM run -q -w $W -- sh -c 'echo begin; read x; echo finished'\\n
\\rbegin \\x1a
Stopped jobs\\n
Stopped fg\\n
begin \\n
\\nfinished exit 4\\n" bash --norc --noprofile -i 2>&1)
	t_check terminal.outer-stop 'Ctrl-Z stops the run, fg continues it' test "$(grep -c -e '^begin' -e Stopped -e '^finished' <<<"$out")" -ge 3
	[[ $out == *finished* ]] || printf '#   %s\n' "$out" | head -20 >>"$T_RESULTS"
	drop "$D"
fi
if wanted terminal.mixed; then
	fresh
	out=$(cd "$W" && timeout 90 /usr/bin/python3 -B "$pty" 24 80 '' bash -c "HOME=$H '$BERM' run -q -w '$W' -- sh -c 'test -t 0 && echo in; test -t 1 || echo no-out >&2; test -t 2 && echo err >&2; echo data' | tr a-z A-Z" 2>&1)
	t_check terminal.mixed 'output in a pipe, the rest on the terminal' test "$(grep -c -e '^IN$' -e '^no-out$' -e '^err$' -e '^DATA$' <<<"$out")" = 4
	[[ $out == *DATA* ]] || printf '#   %s\n' "$out" | head >>"$T_RESULTS"
	out=$(cd "$W" && timeout 90 /usr/bin/python3 -B "$pty" 24 80 '' bash -c "echo piped | HOME=$H '$BERM' run -q -w '$W' -- cat" 2>&1)
	t_check terminal.mixed-in 'input from a pipe' test "$(grep -c '^piped$' <<<"$out")" = 1
	drop "$D"
fi

# What reaches the host by way of the terminal does not get there (docs/policy.md, Terminal).
# filter ID TEXT TYPED SCRIPT WANT [OPTION...]: the bytes between < and > as python shows them.
filter()
{
	local id=$1 text=$2 typed=$3 script=$4 want=$5 out
	shift 5
	wanted "$id" || return 0
	fresh
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm LANG=C.UTF-8 timeout 20 /usr/bin/python3 "$pty" 24 80 "$typed" \
		"$BERM" run -q -w "$W" "$@" -- /bin/sh -c "$script" 2>&1)
	t_is "$id" "$text" "$(/usr/bin/python3 -c 'import re,sys; print(ascii(re.search("<(.*?)(>|status)",sys.argv[1],re.S).group(1)))' "$out")" "'$want'"
	drop "$D"
}
evil='printf "<a\033]52;c;ZWNobw==\007\033[21t\033P\$qm\033\\\\\005\302\23352;5i\033[1mb>"'
filter terminal.filter 'clipboard, title report, DECRQSS, answerback, printing are left out' '' "$evil" 'a\x1b[1mb'
filter terminal.raw-terminal '--raw-terminal passes them' '' "$evil" \
	'a\x1b]52;c;ZWNobw==\x07\x1b[21t\x1bP$qm\x1b\\\x05\x9b52;5i\x1b[1mb' --raw-terminal
filter terminal.filter-split 'cut in pieces as well' '' \
	'printf "<a\033]5"; sleep 0.2; printf "2;c;ZQ==\033"; sleep 0.2; printf "\\\\b>"' ab
filter terminal.filter-tty 'by way of /dev/tty as well' '' 'printf "<a\033]52;c;ZQ==\007b>" >/dev/tty' ab
filter terminal.filter-utf8 'utf-8 passes' '' 'printf "<\303\251\342\202\254\304\233>"' '\xe9\u20ac\u011b'
filter terminal.undo 'modes that were left behind are set back' '' \
	'printf "<\033[?1049h\033[?25l\033[?1000h"; kill -9 $$' \
	'\x1b[?1049h\x1b[?25l\x1b[?1000h\x1b[?1049l\x1b[?25h\x1b[?9;1000;1001;1002;1003;1005;1006;1015;1016l'
if wanted terminal.filter-told; then
	fresh
	out=$(cd "$W" && HOME=$H timeout 20 /usr/bin/python3 "$pty" 24 80 '' "$BERM" run -w "$W" --events "$D/ev" -- /bin/sh -c "$evil" 2>&1)
	t_check terminal.filter-told 'the summary counts them' grep -q 'kept from your terminal: clipboard 1, string 1, window 1, printer 1, control 1 (--raw-terminal' <<<"$out"
	t_is terminal.filter-event 'and an event' "$(jq -c 'select(.event=="terminal").left_out' "$D/ev")" \
		'{"clipboard":1,"string":1,"window":1,"printer":1,"control":1}'
	drop "$D"
fi
if wanted terminal.filter-project; then
	fresh
	mkdir -p "$W/.berm"
	echo '{"terminal_filter": false}' >"$W/.berm/policy.json"
	out=$(cd "$W" && HOME=$H timeout 20 /usr/bin/python3 "$pty" 24 80 '' "$BERM" run -q -w "$W" -- /bin/sh -c "$evil" 2>&1)
	t_check terminal.filter-project "a project's own file cannot turn it off" test "${out/52;c/}" = "$out"
	(cd "$W" && HOME=$H "$BERM" trust --yes >/dev/null 2>&1)
	out=$(cd "$W" && HOME=$H timeout 20 /usr/bin/python3 "$pty" 24 80 '' "$BERM" run -q -w "$W" -- /bin/sh -c "$evil" 2>&1)
	t_check terminal.filter-trusted 'a trusted one can' test "${out/52;c/}" != "$out"
	drop "$D"
fi
if wanted terminal.answers; then
	# The answer to the command's last question comes after its end: whoever reads next does not get it.
	fresh
	cat >"$D/answers.py" <<'PY'
import os, select, sys, time
pid, fd = os.forkpty()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out, end, asked = b"", time.time() + 12, False
while time.time() < end:
    if not select.select([fd], [], [], 0.05)[0]:
        continue
    try:
        got = os.read(fd, 65536)
    except OSError:
        break
    out += got
    if b"\033[5n" in out and not asked:
        asked = True
        os.write(fd, b"\033]11;rgb:00/11/22\007\033[0n")
        os.write(fd, b"typed\n")
print(ascii(out))
PY
	out=$(cd "$W" && HOME=$H timeout 20 /usr/bin/python3 "$D/answers.py" bash -c "'$BERM' run -q -w '$W' -- printf '\\033]11;?\\007'; read -r x; echo \"next: \$x.\"" 2>&1)
	t_check terminal.answers 'an answer that comes late is nobody'"'"'s input' grep -q 'next: typed\.' <<<"$out"
	[[ $out == *'next: typed.'* ]] || printf '#   %s\n' "$out" >>"$T_RESULTS"
	drop "$D"
fi
if wanted terminal.killed; then
	# berm itself is killed while the terminal is raw.
	fresh
	out=$(cd "$W" && HOME=$H timeout 20 /usr/bin/python3 "$pty" 24 80 '' bash -c "
		stty -a >'$D/a'
		exec 3<&0
		(until [ -e '$W/ready' ]; do sleep 0.05; done; stty -a >'$D/raw' <&3; kill -9 \$(cat '$D/pid')) &
		sh -c 'echo \$\$ >\"$D/pid\"; exec \"$BERM\" run -q -w \"$W\" -- sh -c \"touch ready; sleep 9\"'
		for i in {1..100}; do stty -a >'$D/b'; cmp -s '$D/a' '$D/b' && break; sleep 0.05; done" 2>&1)
	t_check terminal.killed-raw 'it was raw' grep -q -e '-icanon' "$D/raw"
	t_is terminal.killed 'the terminal is restored when berm is killed' "$(diff "$D/a" "$D/b" && echo same)" same
	drop "$D"
fi

# berm shell
if wanted terminal.shell; then
	fresh
	mkdir -p "$H/.ssh" && echo KEY >"$H/.ssh/id_rsa"
	out=$(cd "$W" && HOME=$H SHELL=/bin/sh timeout 30 /usr/bin/python3 "$pty" 24 80 '' "$BERM" shell -q -- -c \
		'tty | grep -c pts; echo there >~/made; cat ~/.ssh/id_rsa; echo evil >>~/.bashrc; pwd >here; exit 5' 2>&1)
	t_check terminal.shell 'berm shell: a terminal, and the status' grep -q -z $'1\n.*status 5' <<<"$out"
	t_is terminal.shell-home 'the home is writable' "$(cat "$H/made")" there
	t_is terminal.shell-here 'and the work directory' "$(cat "$W/here")" "$W"
	t_check terminal.shell-secret 'secrets cannot be read' test "${out/KEY/}" = "$out"
	t_check terminal.shell-rc 'the start-up files of the shell cannot be changed' test -z "$(grep evil "$H/.bashrc" 2>/dev/null)"
	out=$(cd "$W" && HOME=$H SHELL=/bin/sh "$BERM" shell -q --home private -- -c 'cat ~/made' 2>&1)
	t_check terminal.shell-private '--home private takes the place of it' test "${out/there/}" = "$out"
	out=$(cd "$W" && HOME=$H SHELL='' "$BERM" shell -q -- -c 'echo $0' 2>&1)
	t_is terminal.shell-none 'without SHELL it is /bin/sh' "$out" /bin/sh
	out=$(cd "$W" && HOME=$H "$BERM" shell --sandbox off -- -c 'echo bare' 2>&1)
	t_is terminal.shell-bare 'never without a sandbox' "$?:${out/bare/}" "125:$out"
	drop "$D"
fi

done_testing
