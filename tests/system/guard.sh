# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The guard's rules where programs start: what a script, make or eval hid from the line.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"
HERE=$(dirname "$0")

# guarded ID TEXT RULES COMMAND WANT-GLOB [LOOK]: stdout and stderr together, then "rc N".
guarded()
{
	local id=$1 text=$2 rules=$3 body=$4 want=$5 look=${6:-true} out
	wanted "$id" || return 0
	fresh
	EV=$D/events
	printf '{"guard": {"rules": [%s]}}' "$rules" >"$D/guard.json"
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" "$BERM" run --approver none --policy "$D/guard.json" --events "$EV" \
		-w "$W" -- /bin/bash --norc --noprofile -c "$body" 2>&1 </dev/null
	echo "rc $?")
	# shellcheck disable=SC2053
	if [[ $out != $want ]]; then
		t_fail "$id" "$text" "wanted: $want" "$out"
	elif ! (cd "$W" && eval "$look"); then
		t_fail "$id" "$text" "the look fails: $look" "$out" "$(cat "$EV")"
	else
		t_ok "$id" "$text"
	fi
	drop "$D"
}

push='{"command": "git push", "decision": "deny"}'
guarded guard.make 'make' "$push" 'printf "all:\n\tgit push x\n" >Makefile; make; echo end' '*git: *not permitted*end*rc 0' \
	'grep -q "\"action\":\"process-exec\",\"target\":\"/usr/bin/git push x\".*\"rule\":\"deny command git push" "$EV"'
guarded guard.eval 'eval' "$push" 'eval "$(printf "git pu"; printf "sh x")"; echo end' '*git: *not permitted*end*rc 0'
guarded guard.script 'a script' "$push" 'printf "#!/bin/sh\nexec git push\n" >s; chmod +x s; ./s; echo end' '*not permitted*end*rc 0'
guarded guard.python 'another language' "$push" '/usr/bin/python3 -c "
import subprocess
try: subprocess.run([\"git\", \"push\"])
except PermissionError as e: print(\"refused\", e.errno)"' '*refused 1*'
guarded guard.link 'another name of the program' "$push" 'ln -s /usr/bin/git other; ./other push; echo end' '*not permitted*end*rc 0'
guarded guard.argv0 'another name of its own' "$push" '(exec -a ls git push); echo end' '*not permitted*end*rc 0'
guarded guard.wrapper 'behind a wrapper' "$push" 'nice timeout 9 git push; echo end' '*not permitted*end*rc 0'
guarded guard.others 'the rest of the program runs' "$push" 'git status >/dev/null; git log --oneline | head -n 1; git push; echo end' \
	'*not permitted*end*rc 0' '[[ $(grep -c "\"violation\"" "$EV") -ge 1 ]]'
guarded guard.first 'the command itself' '{"command": "bash", "decision": "deny"}' 'echo no' '*bash: Operation not permitted*rc 126'
guarded guard.effect 'by effect' '{"effect": "packageInstall", "decision": "deny"}' 'make -v >/dev/null; npm --version >/dev/null; npm install x; echo end' \
	'*npm: *not permitted*end*rc 0'
guarded guard.nobody 'an ask with nobody to ask is a deny' '{"command": "git push", "decision": "ask"}' 'git push; echo end' \
	'*not permitted*end*nobody is there to answer*' 
guarded guard.allow 'a rule that allows changes nothing' '{"command": "git push", "decision": "allow"}' 'git status >/dev/null; echo end' '*end*rc 0' \
	'! grep -q violation "$EV"'
guarded guard.long 'more arguments than are looked at' "$push" '/bin/echo $(seq 2000) | wc -w; git $(printf -- "-c a.b=%d " {1..300}) push; echo end' \
	'*2000*not permitted*end*rc 0'
guarded guard.secret 'secrets are not told' "$push" 'git -c http.extraHeader="Authorization: Bearer s3cr3tpassw0rd" push --token=s3cr3tpassw0rd; echo end' \
	'*not permitted*end*rc 0' '! grep -q s3cr3t "$EV"'
if wanted guard.ask; then
	fresh
	printf '{"guard": {"rules": [{"command": "git tag", "decision": "ask"}]}}' >"$D/guard.json"
	ask=$'wait asks:[^ ]* may /usr/bin/[a-z]+ \\(pid [0-9]+\\)\nwait execute /usr/bin/git tag'
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm timeout 60 /usr/bin/python3 -B "$HERE/dialog.py" "$ask one
answer a
$ask two
answer d" "$BERM" run --policy "$D/guard.json" -w "$W" -- /bin/bash --norc --noprofile -c 'git tag one; git tag two; echo end; git branch' 2>&1)
	if [[ $out == *'allowed once'*'berm: denied'*'not permitted'*end* && $(cd "$W" && git tag) == one ]]; then
		t_ok guard.ask 'an ask is held: this command, and no other'
	else
		t_fail guard.ask 'an ask is held: this command, and no other' "$out" "tags: $(cd "$W" && git tag)"
	fi
	drop "$D"
fi

done_testing
