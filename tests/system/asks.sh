# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2028
# Asks about files, and the dialog at the terminal (SPEC F10, G2, G6).
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"
HERE=$(dirname "$0")

# dialog ID "what" SCRIPT DO WANT-GLOB [LOOK]: DO on a terminal, with "ask" for the file "asked".
dialog()
{
	local id=$1 text=$2 script=$3 body=$4 want=$5 look=${6:-true} out more=()
	wanted "$id" || return 0
	fresh
	printf 'top\n' >"$W/asked"
	EV=$D/events
	[[ -n ${APPROVER:-} ]] && more=(--approver "$APPROVER")
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm timeout 60 /usr/bin/python3 -B "$HERE/dialog.py" "$script" \
		"$BERM" run --events "$EV" -w "$W" "${more[@]}" --ask "$W/asked" -- /bin/bash --norc --noprofile -c "$body" 2>&1)
	# shellcheck disable=SC2053
	if [[ $out != $want ]]; then
		t_fail "$id" "$text" "wanted: $want" "$out" "$(cut -c1-300 "$EV" 2>/dev/null | grep -E '"(ask|answer|violation)"' | head -n 4)"
	elif ! (cd "$W" && eval "$look"); then
		t_fail "$id" "$text" "the look fails: $look" "$out"
	else
		t_ok "$id" "$text"
	fi
	drop "$D"
}

ask=$'wait asks:[^ ]* may /usr/bin/[a-z]+ \\(pid [0-9]+\\)\n'

dialog asks.once 'once is once' "${ask}answer a
${ask}answer d" 'cat asked; cat asked' '*asks:*may /usr/bin/cat*read*/asked?*allowed once*top*asks:*berm: denied*Permission denied*status 1'
dialog asks.session 'for the session' "${ask}answer s" 'cat asked; cat asked; cat asked' '*allowed for this session*top*top*top*status 0' \
	'[[ $(grep -c "\"event\":\"ask\"" "$EV") == 1 ]]'
dialog asks.kinds 'reading is not changing' "${ask}answer s
${ask}answer d" 'cat asked; echo x >asked; cat asked' '*this session*top*asks:*write*denied*asked: Permission denied*top*status 0' \
	'[[ $(<asked) == top ]]'
dialog asks.write 'a change waits, and then happens' "${ask}answer a" 'echo new >asked' '*write*allowed once*status 0' '[[ $(<asked) == new ]]'
dialog asks.rename 'two names, two questions' "${ask}answer a
${ask}answer a" 'mv asked other && mv other asked && cat other' '*move*allowed once*replace*allowed once*status 1' '[[ $(<asked) == top ]]'
dialog asks.ctrl-c 'Ctrl-C denies, and the command goes on' "${ask}answer \\x03" 'cat asked; echo on' '*berm: denied*on*status 0'
dialog asks.escape 'a key that is none answers nothing' "${ask}type \\x1b[A
type \\r
type  
none berm: (allowed|denied)
answer d" 'cat asked' '*berm: denied*status 1'
dialog asks.typing 'what is typed for the command answers nothing' "${ask}storm a 30
none berm: (allowed|denied)
answer d" 'cat asked; echo end' '*berm: denied*end*status 0'
dialog asks.ahead 'nor what was typed before' "wait ready
type aaaaaa
type go\\n
${ask}none berm: allowed
answer d" 'stty -echo; echo ready; read x; cat asked; echo end' '*berm: denied*end*status 0'
dialog asks.after 'the terminal is the command'\''s again' "${ask}answer a
wait again
type word\\n" 'stty -a >before; cat asked; stty -a >after; cmp before after && echo again; read x; echo "got $x"' '*again*got word*status 0'
dialog asks.redraw 'a program in full screen draws itself again' "${ask}answer a" \
	'trap "echo drawn; exit 0" WINCH; cat asked; for i in $(seq 300); do sleep 0.05; done; exit 3' '*allowed once*drawn*status 0'
dialog asks.killed 'the program that asked is killed' "${ask}wait question is over
type word\\n" \
	'timeout -s KILL 1 cat asked; read x; echo "on $x"' '*question is over*on word*status 0'
dialog asks.many 'one after the other' "${ask}answer s
${ask}answer a" 'cat asked & wait $!; echo y >asked' '*this session*top*allowed once*status 0' '[[ $(<asked) == y ]]'
dialog asks.names 'what a program chose is shown escaped' "${ask}answer d" \
	'exec -a "$(printf "x\\033]0;t\\007--token=abc")" cat asked' '*command: x\\x1b]0;t\\x07--token=\*\*\* asked*berm: denied*'
dialog asks.never 'never: written, and kept' "${ask}answer n" 'cat asked; cat asked; cat asked' '*denied from now on in this workspace*' \
	'grep -q "/asked\": \"none\"" .berm/policy.local.json && [[ $(grep -c "\"event\":\"ask\"" "$EV") == 1 ]]'
APPROVER=none dialog asks.none 'nobody: a deny at once' 'wait Permission denied' 'cat asked' '*Permission denied*status 1' \
	'! grep -q "\"event\":\"ask\"" "$EV"'

dialog asks.host 'a host that no rule names' "${ask}wait connect to new.test port 80
answer d" 'curl -sS http://new.test/; echo end' '*curl*connect to new.test port 80*denied*end*status 0' \
	'[[ $(grep -c "\"event\":\"network\".*\"decision\":\"deny\",\"asked\":true,\"host\":\"new.test\"" "$EV") == 1 ]]'
dialog asks.host-direct 'the same without a proxy' "${ask}wait connect to new.test port 81
answer d" 'unset http_proxy HTTP_PROXY; curl -sS http://new.test:81/; echo end' '*curl*connect to new.test port 81*denied*end*status 0'
dialog asks.host-never 'never: the rule is written, and read' "${ask}answer n" \
	'curl -sS http://new.test/; curl -sS http://new.test/; echo end' '*denied from now on in this workspace*end*status 0' \
	'grep -q "\"deny\": \[\"new.test:80\"\]" .berm/policy.local.json && [[ $(grep -c "\"event\":\"ask\"" "$EV") == 1 ]] &&
	grep -q "\"event\":\"policy\",\"in_force\":true" "$EV"'

# A repository that tracks protected files: one question for the whole git command.
# tracked: makes $D/src with a branch "two".
tracked()
{
	git init -q "$D/src" && (
		cd "$D/src" && mkdir .vscode .idea && echo 1 >.vscode/settings.json && echo 1 >.idea/x.xml &&
			echo 1 >.mcp.json && echo 1 >.env.test && echo 1 >.npmrc && echo 1 >zz && git config user.name t && git config user.email t@t && git add -f . && git commit -qm one &&
			git checkout -qb two && for f in .vscode/settings.json .mcp.json .env.test .npmrc zz; do echo 2 >$f; done &&
			git commit -qam two && git checkout -q -
	)
}
checkout()
{
	local id=$1 text=$2 script=$3 body=$4 want=$5 look=$6 out
	wanted "$id" || return 0
	fresh
	EV=$D/events
	tracked && mv "$D/src/.git" "$W/.git2" && rm -rf "$W/.git" && mv "$W/.git2" "$W/.git" && (cd "$W" && git checkout -qf two && git checkout -q -)
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm timeout 60 /usr/bin/python3 -B "$HERE/dialog.py" "$script" \
		"$BERM" run --events "$EV" -w "$W" -- /bin/bash --norc --noprofile -c "$body" 2>&1)
	# shellcheck disable=SC2053
	if [[ $out != $want ]] || ! (cd "$W" && eval "$look"); then
		t_fail "$id" "$text" "wanted: $want, $look" "$out"
	else
		t_ok "$id" "$text"
	fi
	drop "$D"
}
checkout asks.checkout 'a branch with protected files: one question' "${ask}answer a" 'git checkout -q two; git status --short -uno; echo end' \
	'*asks:*git*all of this git command*allowed once*end*status 0' \
	'[[ $(cat .vscode/settings.json .mcp.json .env.test .npmrc zz | tr -d "\n") == 22222 && $(grep -c "\"event\":\"ask\"" "$EV") == 1 ]]'
checkout asks.clone 'a clone of it: one question' "${ask}answer a" 'git clone -q . c; cd c; git status --short -uno; echo end' \
	'*asks:*git*allowed once*end*status 0' \
	'[[ $(cat c/{.vscode/settings.json,.mcp.json,.env.test,.npmrc,zz} | tr -d "\n") == 11111 && $(grep -c "\"event\":\"ask\"" "$EV") == 1 ]]'
checkout asks.checkout-no 'no is no for all of it' "${ask}answer d" 'git checkout -q two; echo end' '*asks:*git*berm: denied*end*status 0' \
	'[[ $(cat .vscode/settings.json .mcp.json .env.test .npmrc | tr -d "\n") == 1111 && $(grep -c "\"event\":\"ask\"" "$EV") == 1 ]]'
checkout asks.checkout-next 'the next git command asks again, and who is not git may not' "${ask}answer a
${ask}answer d" 'git checkout -q two; echo 3 >.mcp.json; git checkout -q -; echo end' '*asks:*git*allowed once*.mcp.json: Permission denied*asks:*git*berm: denied*end*' \
	'[[ $(<.mcp.json) == 2 ]]'
checkout asks.checkout-hook 'what it runs is not it' "${ask}answer a" \
	'git -c core.fsmonitor="sh -c \"echo 3 >.codex; echo 3 >.idea/x.xml\"" checkout -q two; echo end' '*asks:*git*allowed once*end*' \
	'[[ ! -e .codex && $(<.idea/x.xml) == 1 && $(<.mcp.json) == 2 ]]'
checkout asks.checkout-false 'a program that only calls itself git' 'wait end' \
	'cp /bin/cp git; ./git zz .codex; ./git zz .mcp.json; (exec -a git cp zz .mcp.json); echo end' '*denied*denied*denied*end*' \
	'[[ ! -e .codex && $(<.mcp.json) == 1 ]]'
checkout asks.checkout-berm 'not berm'\''s own policy' 'wait refused' \
	'echo 1 >b; git update-index --add --cacheinfo "100644,$(git hash-object -w b),berm.json" && git checkout-index -f berm.json || echo refused; echo end' '*berm.json: Permission denied*refused*end*' \
	'[[ ! -e berm.json ]]'
if wanted asks.clone-alone; then
	fresh
	tracked
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" "$BERM" run -q --approver none -w "$W" --allow-read "$D/src" -- git clone -q "$D/src" c 2>&1 </dev/null)
	t_is asks.clone-alone 'with nobody to ask the rest of a clone is there' "$(cd "$W/c" && find . -path ./.git -prune -o -print | sort | tr '\n' ' ')" \
		". ./.idea ./.vscode ./zz "
	drop "$D"
fi

# In the background nobody is asked: the question waits for the foreground.
if wanted asks.background; then
	fresh
	printf 'top\n' >"$W/asked"
	printf 'PS1="> "\n' >"$D/rc"
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=dumb timeout 60 /usr/bin/python3 -B "$HERE/dialog.py" "wait > 
type $BERM run -q --approver tty -w $W --events $D/events --ask $W/asked -- cat asked & while ! grep -q '\"ask\"' $D/events; do :; done\\n
wait \\n> 
type echo not \$((6*7))\\n
wait not 42
none asks:
type fg\\n
${ask}answer a
wait top[^>]*> 
type exit\\n" /bin/bash --rcfile "$D/rc" --noprofile -i 2>&1)
	if [[ $out == *'dialog.py:'* || $out != *'allowed once'* ]]; then
		t_fail asks.background 'in the background nobody is asked, in the foreground then' "$out"
	else
		t_ok asks.background 'in the background nobody is asked, in the foreground then'
	fi
	drop "$D"
fi

# client ID "what" ANSWER DO WANT-GLOB: a client over a descriptor answers.
client()
{
	local id=$1 text=$2 answer=$3 body=$4 want=$5 out
	wanted "$id" || return 0
	fresh
	printf 'top\n' >"$W/asked"
	printf 'treasure\n' >"$W/hidden"
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" timeout 60 /usr/bin/python3 -B "$HERE/../net/approver.py" fd "$answer" "$D/asked" "$D" \
		"$BERM" run -q --events "$D/events" -w "$W" --ask "$W/asked" --deny-read "$W/hidden" -- /bin/bash -c "$body" 2>&1 </dev/null)
	# shellcheck disable=SC2053
	if [[ $out != $want || $out == *treasure* ]]; then
		t_fail "$id" "$text" "wanted: $want" "$out" "$(cut -c1-300 "$D/events" | head -n 8)"
	else
		t_ok "$id" "$text"
	fi
	drop "$D"
}

client asks.client 'a client says yes' wait1:allow 'cat asked; cat asked' $'top\ntop'
client asks.client-no 'a client says no' deny 'cat asked' '*Permission denied'
client asks.swap 'what is opened is what was allowed, whatever the path says by then' wait1:allow 'exec python3 -c "
import ctypes, os, threading, time
libc = ctypes.CDLL(None, use_errno=True)
path = ctypes.create_string_buffer(b\"asked\", 64)
def swap():
    time.sleep(0.3)
    ctypes.memmove(path, b\"hidden\\0\", 7)
threading.Thread(target=swap).start()
fd = libc.open(path, 0)
print(os.read(fd, 99) if fd >= 0 else os.strerror(ctypes.get_errno()))
"' '*Permission denied*'
client asks.links 'nor what it leads to by then' wait1:allow 'ln -s asked link; cat link & sleep 0.3; ln -sfn hidden link; wait $!' '*'
client asks.flood 'two hundred calls held at once' never 'for i in $(seq 200); do cat asked 2>/dev/null & done; sleep 1; kill -9 $(jobs -p); wait; echo end' '*end'
client asks.parallel 'others go on while calls are held' never 'cat asked & for i in $(seq 50); do echo $i >f$i; cat f$i; done | tail -1; kill -9 $!; echo end' '*50*end'
client asks.fork 'one of a family is held, not the others' wait1:allow '(cat asked) & (echo x >new; cat new); wait' '*x*top'
client asks.exec 'an open that is held ends with its process' never 'python3 -c "
import os, threading, time
threading.Thread(target=lambda: open(\"asked\"), daemon=True).start()
time.sleep(0.5)
os.execv(\"/bin/echo\", [\"echo\", \"on\"])
"' '*on'

# Who has the answers dies: what is held is denied, and the session goes on.
if wanted asks.steward; then
	fresh
	printf 'top\n' >"$W/asked"
	(
		for _ in {1..200}; do
			grep -q '"event":"ask"' "$D/events" 2>/dev/null && break
			sleep 0.05
		done
		for pid in $(pgrep -x berm -u "$(id -u)"); do
			tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "--events $D/events" || continue
			mapfile -t parts < <(pgrep -P "$pid")
			((${#parts[@]} == 2)) || continue
			kill -KILL "${parts[1]}" && : >"$D/killed"
			break
		done
	) >/dev/null 2>&1 &
	killer=$!
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" timeout 60 /usr/bin/python3 -B "$HERE/../net/approver.py" fd never "$D/asked" "$D" \
		"$BERM" run -q --events "$D/events" -w "$W" --ask "$W/asked" -- /bin/sh -c 'cat asked; echo on; cat asked' 2>&1 </dev/null)
	wait "$killer"
	t_check asks.steward-killed 'the steward was there to be killed' made "$D/killed"
	# shellcheck disable=SC2053
	if [[ $out == *'asked: Permission denied'*on*'asked: Permission denied'* && $out == *'its steward died'* ]]; then
		t_ok asks.steward 'without the steward an ask is a deny'
	else
		t_fail asks.steward 'without the steward an ask is a deny' "$out"
	fi
	drop "$D"
fi

# The client has standard input and output; the command has neither.
if wanted asks.stdio; then
	fresh
	printf 'top\n' >"$W/asked"
	cd "$W" || exit 1
	coproc CLIENT { env -i HOME="$H" PATH="$T_PATH" timeout 30 "$BERM" run -q --approver stdio -w "$W" --ask "$W/asked" -- /bin/sh -c 'cat; cat asked; echo on' 2>"$D/err"; }
	IFS= read -r line <&"${CLIENT[0]}"
	printf '%s\n' '{"type":"control_response","response":{"subtype":"success","request_id":"berm-1","response":{"behavior":"allow"}}}' >&"${CLIENT[1]}"
	rest=$(cat <&"${CLIENT[0]}")
	wait "$CLIENT_PID"
	cd / || exit 1
	t_is asks.stdio 'a client on standard input and output' "$(grep -c '"tool_name":"SandboxFileAccess"' <<<"$line") $rest $(tr '\n' ' ' <"$D/err")" '1  top on '
	drop "$D"
fi

# Without a terminal nobody can be asked, and nothing waits.
fresh
printf 'top\n' >"$W/asked"
run_in 'cat asked; echo $?' --ask "$W/asked"
t_check asks.no-terminal 'no terminal: a deny at once' grep -q 'Permission denied' <<<"$OUT"
run_in true --approver tty
t_check asks.tty-missing '--approver tty without one' test "$RC" = 125 -a -n "$(grep 'no terminal' <<<"$OUT")"
for bad in "socket:$W/s" "mailbox:$W" "socket:$W/tools/s" fd:77 fd:x nobody "mailbox:$W/missing"; do
	run_in true --approver "$bad"
	n=$((${n:-0} + 1))
	t_check "asks.refused-$n" "--approver ${bad/"$W"/W} is refused" test "$RC" = 125
done
mkdir -m 777 "$D/open"
run_in true --approver "mailbox:$D/open"
t_check asks.mailbox-open 'a mailbox that others can write is refused' test "$RC" = 125 -a -n "$(grep 'others can write' <<<"$OUT")"
mkdir -m 700 "$D/own"
echo '{"network": {"allow_all_unix_sockets": true}}' >"$D/all.json"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$D/own/s"
for shown in "--policy $D/all.json" "--allow-unix-socket $D/own/s"; do
	# shellcheck disable=SC2086
	run_in true $shown --approver "socket:$D/own/s"
	t_check "asks.socket-shown-${shown%% *}" 'a socket that the command may use is refused' \
		test "$RC" = 125 -a -n "$(grep 'answer its own questions' <<<"$OUT")"
done

done_testing
