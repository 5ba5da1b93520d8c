# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Bad input: a clear error (125, a reason, nothing ran, nothing changed) or it works.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

# refused ID TEXT OPTION...: status 125, a "berm: " line, and the command did not run.
refused()
{
	local id=$1 text=$2 before after
	shift 2
	wanted "$id" || return 0
	before=$(cd "$D" && find . ! -path './home/.local*' ! -name home -printf '%p %y %s\n' | grep -v '^./out' | sort)
	(cd "$W" && env HOME="$H" "${T_ENV[@]}" timeout 20 "$BERM" run "$@" -- sh -c 'echo ran >ran') >"$D/out" 2>&1 </dev/null
	local rc=$?
	after=$(cd "$D" && find . ! -path './home/.local*' ! -name home -printf '%p %y %s\n' | grep -v '^./out' | sort)
	if [[ $rc != 125 ]]; then
		t_fail "$id" "$text" "status $rc, not 125" "$(head -5 "$D/out")"
	elif [[ -e $W/ran ]]; then
		t_fail "$id" "$text" "the command ran"
	elif ! grep -q '^berm: ' "$D/out" || [[ $(wc -l <"$D/out") -gt 4 ]]; then
		t_fail "$id" "$text" "no clear message:" "$(head -8 "$D/out")"
	elif [[ $before != "$after" ]]; then
		t_fail "$id" "$text" "something changed: $(diff <(echo "$before") <(echo "$after") | head -5)"
	else
		t_ok "$id" "$text"
	fi
	rm -f "$W/ran" "$D/out"
}

fresh
T_ENV=()
touch "$D/file"
mkdir "$D/dir"
while IFS='|' read -r id text args; do
	eval "words=($args)"
	refused "badinput.$id" "$text" "${words[@]}"
done <<'LIST'
unknown-option|an unknown option|--no-such-option
misspelt-option|a misspelt option|--workspce .
missing-workspace|a workspace that is not there|-w $D/none
workspace-file|a workspace that is a file|-w $D/file
workspace-empty|an empty workspace|-w ''
workspace-root|/ as the workspace|-w /
workspace-proc|/proc as the workspace|-w /proc
workspace-dev|/dev as the workspace|-w /dev
workspace-sys|/sys as the workspace|-w /sys
workspace-above-state|a workspace that holds the state directory|-w $H/.local/state
workspace-newline|a missing workspace with a newline|-w $'no\nsuch'
mode|an unknown mode|--mode sometimes
profile|an unknown profile|--profile lenient
home|an unknown home|--home mine
home-closed|the home closed around the workspace, where it is shown|--home host --deny-read '~/'
home-closed-glob|the same with a wildcard|--home host --deny-read '~/**'
home-closed-above|what lies above it|--home host --deny-read "${H%/*}"
root|an unknown root|--root all
net-value|an unknown network|--net maybe
domain-any|every host allowed|--allow-domain '*'
domain-star|a star in a label|--allow-domain 'ex*ample.com'
domain-url|a URL for a host|--allow-domain https://example.com/
domain-port|port 0|--allow-domain example.com:0
domain-octal|an address that some read otherwise|--allow-domain 010.0.0.1
domain-cidr|an address for a network|--deny-domain 10.0.0.1/8
domain-group|an unknown group|--allow-domain @everything
publish|a port that is none|--publish 808080
publish-own|a port of berm's own|--publish 8080:61702
host-port|two ports of the host behind one|--host-port 1:5 --host-port 2:5
approver|an unknown approver|--approver boss
approver-fd|an approver without a descriptor|--approver fd:x
unix-socket|a file for a socket|--allow-unix-socket /etc/passwd
microvm|a backend that this host cannot start|--backend microvm
backend|an unknown backend|--backend docker-compose
sandbox|--sandbox with another word|--sandbox perhaps
dry-run|--dry-run before there is one|--dry-run
limit-key|an unknown limit|--limit colour=3
limit-value|a limit that is no number|--limit files=many
limit-missing|a limit without a value|--limit files
limit-negative|a negative limit|--limit files=-3
env-empty|an empty variable name|--env =x
pattern-bracket|a pattern with an open bracket|--deny-write '[a'
pattern-brace|a pattern with an open brace|--deny-write '{a,b'
pattern-empty|an empty pattern|--deny-write ''
pattern-long|a pattern of 10,000 bytes|--deny-write "$(printf 'a%.0s' {1..10000})"
unprotect|an unknown protection|--unprotect everything
approver|an unknown approver|--approver oracle
events-dir|events into a directory|--events $D/dir
events-nowhere|events into a directory that is not there|--events $D/none/x
events-fd|events to a closed descriptor|--events fd:77
events-fd-word|events to no number|--events fd:x
policy-missing|a policy file that is not there|--policy $D/none.json
policy-dir|a policy file that is a directory|--policy $D/dir
LIST
ln -s "$D/none" "$D/dangling"
ln -s loop "$D/loop"
ln -s "$D/file" "$D/evlink"
mkfifo "$D/fifo"
mkdir -p "$H/.local/state/berm"
for id in workspace-dangling workspace-loop workspace-state events-symlink policy-fifo; do
	# once more now that they are there
	case $id in
	workspace-dangling) words=(-w "$D/dangling") ;;
	workspace-loop) words=(-w "$D/loop") ;;
	workspace-state) words=(-w "$H/.local/state/berm") ;;
	events-symlink) words=(--events "$D/evlink") ;;
	policy-fifo) words=(--policy "$D/fifo") ;;
	esac
	refused "badinput.$id-there" "$id, there" "${words[@]}"
done
if ! as_root; then
	mkdir -m 000 "$D/closed"
	echo '{}' >"$D/unreadable.json"
	chmod 000 "$D/unreadable.json"
	refused badinput.policy-unreadable 'a policy file that cannot be read' --policy "$D/unreadable.json"
	refused badinput.workspace-closed 'a workspace that cannot be entered' -w "$D/closed"
	refused badinput.workspace-foreign 'a workspace in a place that cannot be entered' -w /root/x
	refused badinput.events-unwritable 'events where one may not write' --events /usr/events
	chmod 700 "$D/closed"
fi

# Policy files, each wrong in one way; the message names file and line.
n=0
while IFS='|' read -r id text json; do
	printf '%b' "$json" >"$D/p.json"
	refused "badinput.json-$id" "a policy with $text" --policy "$D/p.json"
	if wanted "badinput.json-$id-names"; then
		OUT=$(cd "$W" && HOME=$H "$BERM" run --policy "$D/p.json" -- true 2>&1)
		t_check "badinput.json-$id-names" "and the message names the file" grep -q 'p\.json' <<<"$OUT"
	fi
	n=$((n + 1))
done <<'LIST'
unknown-key|an unknown key|{"flies": {}}
unknown-nested|an unknown key inside|{"exec": {"deny_writeable": true}}
wrong-type|a wrong type|{"files": []}
wrong-type-deep|a wrong type inside|{"files": {"a": 3}}
wrong-word|a wrong word|{"files": {"a": "maybe"}}
bad-pattern|a bad pattern|{"files": {"[a": "read"}}
broken|broken JSON|{"files": 
trailing|something after the end|{} {}
empty|nothing in it|
array|an array|[]
duplicate|a key twice|{"files": {"a": "read", "a": "write"}}
comment-open|an open comment|{} /* x
utf8|bytes that are no UTF-8|{"profile": "\\xff"}
nul|a NUL byte|{"pro\\x00file": "agent"}
control|a control character|{"profile": "a\\x01"}
LIST
{
	printf '['%.0s {1..5000}
} >"$D/p.json"
refused badinput.json-deep 'a policy of 5,000 brackets' --policy "$D/p.json"
head -c 3000000 /dev/zero | tr '\0' ' ' >"$D/p.json"
refused badinput.json-big 'a policy of 3 MB' --policy "$D/p.json"
refused badinput.json-endless 'a policy without an end' --policy /dev/zero

# A broken policy in a place where it is read by itself stops the run as well.
mkdir "$W/.berm"
echo '{"files": {' >"$W/.berm/policy.json"
refused badinput.project-broken "a broken policy of the project"
rm -r "$W/.berm"
mkdir -p "$H/.config/berm"
echo '{"flies": {}}' >"$H/.config/berm/policy.json"
refused badinput.user-unknown "an unknown key in the user's policy"
rm -r "$H/.config/berm"
drop "$D"

# No command, odd commands.
fresh
for words in '' '--' '-w .' '-w . --'; do
	# shellcheck disable=SC2086
	OUT=$(cd "$W" && HOME=$H "$BERM" run $words 2>&1)
	t_is "badinput.no-command${words// /_}" "no command (run $words)" "$?" 125
done
OUT=$(cd "$W" && HOME=$H "$BERM" run -- '' 2>&1)
rc=$?
t_check badinput.empty-command "an empty command name ($rc)" test "$rc" = 127 -o "$rc" = 125
OUT=$(cd "$W" && HOME=$H "$BERM" 2>&1)
rc=$?
t_check badinput.no-verb 'no verb: it says so' test $rc != 0 -a -n "$OUT"
OUT=$(cd "$W" && HOME=$H "$BERM" rnu -- true 2>&1)
rc=$?
t_check badinput.verb 'an unknown verb: a suggestion' test $rc != 0 -a -n "$(grep 'run' <<<"$OUT")"
OUT=$(cd "$W" && HOME=$H "$BERM" run --workspce . -- true 2>&1)
t_check badinput.suggestion 'a misspelt option: a suggestion' grep -q -e --workspace <<<"$OUT"
OUT=$(cd "$W" && HOME=$H "$BERM" run -- "$(printf 'x%.0s' {1..5000})" 2>&1)
t_check badinput.long-command 'a command name of 5,000 bytes is not run' test $? -ge 125
OUT=$(cd "$W" && HOME=$H "$BERM" run -- sh -c 'exit 0' 3>&- 2>&1 <&-)
t_is badinput.closed-stdin 'closed standard input' "$?" 0
(cd "$W" && HOME=$H "$BERM" run -- sh -c 'exit 3' >&- 2>&- <&-)
t_is badinput.closed-all 'all standard descriptors closed' "$?" 3
(cd "$W" && exec env HOME="$H" sh -c 'ulimit -n 8; exec "$0" run -- true' "$BERM") >"$D/out" 2>&1
rc=$?
t_check badinput.few-files "8 open files are enough, or it says so ($rc)" test "$rc" = 0 -o "$rc" = 125
(cd "$W" && exec env HOME="$H" sh -c 'ulimit -f 0; exec "$0" run -- true' "$BERM") >"$D/out2" 2>&1
rc=$?
t_check badinput.no-file-size "a file size limit of 0 ($rc)" test "$rc" = 0 -o "$rc" = 125
(cd "$W" && exec env HOME="$H" sh -c 'ulimit -v 60000; exec "$0" run -- true' "$BERM") >"$D/out3" 2>&1
rc=$?
t_check badinput.little-memory "60 MB of address space ($rc)" test "$rc" = 0 -o "$rc" = 125 -o "$rc" = 127
drop "$D"

# Nested (inside.sh): what is more than the session has is refused clearly, and nothing runs.
if wanted badinput.nested; then
	fresh
	cp "$BERM" "$W/berm"
	OUT=$(cd "$W" && HOME=$H "$BERM" run -q -- ./berm run -w /tmp -- sh -c 'echo inner >inner' 2>&1)
	rc=$?
	t_check badinput.nested 'berm in berm, with another workspace' test $rc = 125 -a ! -e "$W/inner" -a "$(grep -c '^berm: ' <<<"$OUT")" -ge 1
	drop "$D"
fi
# Switched off knowingly: it runs, and says so.
for off in '--sandbox off' '--backend none'; do
	wanted "badinput.off${off// /}" || continue
	fresh
	# shellcheck disable=SC2086
	OUT=$(cd "$W" && HOME=$H "$BERM" run $off -- sh -c 'echo x >.env; echo ran' 2>&1)
	t_check "badinput.off${off// /}" "$off runs bare and says so on its first line" \
		test -n "$(head -1 <<<"$OUT" | grep -i sandbox)" -a -e "$W/.env" -a -n "$(grep '^ran$' <<<"$OUT")"
	drop "$D"
done
if wanted badinput.env-off; then
	fresh
	OUT=$(cd "$W" && HOME=$H BERM_SANDBOX=off "$BERM" run -- sh -c 'echo ran' 2>&1)
	t_check badinput.env-off 'BERM_SANDBOX=off is said as well' grep -qi 'DISABLED' <<<"$OUT"
	OUT=$(cd "$W" && HOME=$H BERM_SANDBOX=perhaps "$BERM" run -- sh -c 'echo x >.env; echo ran' 2>&1)
	t_check badinput.env-odd 'BERM_SANDBOX=perhaps does not switch it off' test ! -e "$W/.env"
	drop "$D"
fi

done_testing
