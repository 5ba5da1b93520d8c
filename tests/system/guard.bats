#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The judgement before a command: check, rules, audit, and what a run writes into the log.
# BERM names the program. Each test has a home and a workspace of its own.
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2154 # scripts for another shell; bats sets stderr_lines

bats_require_minimum_version 1.5.0

setup() {
	: "${BERM:?}"
	HOME=$BATS_TEST_TMPDIR/home
	WS=$BATS_TEST_TMPDIR/ws
	LOG=$HOME/.local/state/berm/audit.jsonl
	mkdir -p "$HOME" "$WS"
	unset BERM_SANDBOX BERM_FORCE_SANDBOX XDG_STATE_HOME XDG_CONFIG_HOME
	export HOME
	cd "$WS" || return
}

berm() {
	"$BERM" "$@"
}

# member NAME...: of the JSON object in $output, "a.b" goes deeper; one a line.
member() {
	python3 -c '
import json, sys
o = json.loads(sys.argv[1])
for name in sys.argv[2:]:
    v = o
    for part in name.split("."):
        v = v[int(part)] if isinstance(v, list) else v[part]
    print(json.dumps(v) if isinstance(v, (bool, list, dict)) else v)' "$output" "$@"
}

# says STATUS NAME=VALUE... -- CHECK-ARG...: berm check --json has that status and members.
says() {
	local want=$1 pairs=() pair
	shift
	while [ "$1" != -- ]; do
		pairs+=("$1")
		shift
	done
	shift
	run --separate-stderr -"$want" berm check --json "$@"
	echo "$output"
	for pair in "${pairs[@]}"; do
		[ "$(member "${pair%%=*}")" = "${pair#*=}" ]
	done
}

# ---- check --------------------------------------------------------------------

@test "check: allowed, asked about, denied; where it is written" {
	says 0 verdict=allow source=auto-allow sandboxed=true -- ls -la
	says 2 verdict=ask source=default origin=data/guard-defaults:5 -- git push origin main
	says 1 verdict=deny source=list sandboxed=true -- sudo ls
	says 1 verdict=deny parts.2.context=string -- --shell "ls; bash -c 'sudo ls'"
	says 2 verdict=ask source=doubt certain=false -- --shell '$cmd x'
	run -1 berm check -- sudo ls
	[[ ${lines[0]} == 'deny: sudo ls' && $output == *'from:     data/commands-deny:'* ]]
	[ -z "$(ls -A)" ]
}

@test "check: a question is one for all of the line, and what it may remember is narrow" {
	says 2 confirmation.destructive=true confirmation.remember.0.refs='["feature/**"]' \
		confirmation.remember.0.effect=gitPush -- git push origin feature/login
	says 2 'confirmation.effects.0.effect=gitPush' 'confirmation.effects.1.effect=prCreate' -- \
		--shell 'git push origin f/x && gh pr create'
	says 1 source=no-approver -- --no-approver -- git push
}

@test "check: modes that change nothing deny; a call that wants out is a question" {
	says 1 source=mode mode=plan -- --mode plan -- git commit -m x
	says 1 source=mode -- --mode review -- npm install left-pad
	says 0 source=auto-allow -- --mode orchestrate -- git log
	says 2 unsandboxed=true override=true -- --unsandboxed -- ls
	mkdir -p "$HOME/.config/berm"
	echo '{"guard": {"allow_unsandboxed": false}}' >"$HOME/.config/berm/policy.json"
	says 0 sandboxed=true override_ignored=true "sandbox_origin=$HOME/.config/berm/policy.json:1" -- \
		--unsandboxed -- ls
}

@test "check: settings, and a project that only tightens until it is trusted" {
	mkdir .berm
	cat >.berm/policy.json <<-'END'
	{ "guard": { "excluded_commands": ["docker ps:*"], "rules": [
		{ "command": "git push", "decision": "allow" },
		{ "command": "make", "decision": "deny", "why": "use ninja" } ] } }
	END
	says 2 source=default -- git push
	says 1 source=tightening why='use ninja' "origin=$WS/.berm/policy.json:3" -- make all
	says 0 sandboxed=true -- docker ps -a
	run -0 berm trust --yes
	[[ $output == *'allow command git push'* && $output == *'may leave the sandbox: docker ps:*'* ]]
	says 0 source=rule "origin=$WS/.berm/policy.json:2" -- git push
	says 2 source=unsandboxed sandboxed=false "sandbox_origin=$WS/.berm/policy.json:1" -- docker ps -a
	says 0 sandboxed=true -- --shell 'docker ps; ls'
}

@test "check: forced or turned off by the environment" {
	BERM_SANDBOX=off says 2 source=unsandboxed sandboxed=false -- ls
	BERM_FORCE_SANDBOX=1 says 0 sandboxed=true override_ignored=true -- --unsandboxed -- ls
}

@test "check: wrong use, wrong settings" {
	run --separate-stderr -125 berm check
	[ "${stderr_lines[0]}" = 'berm: a command is needed' ]
	run --separate-stderr -125 berm check --shell ls -- ls
	mkdir -p "$HOME/.config/berm"
	echo '{"guard": {"rules": [{"effect": "gitpush", "decision": "deny"}]}}' >"$HOME/.config/berm/policy.json"
	run --separate-stderr -125 berm check -- ls
	[[ ${stderr_lines[0]} == *'policy.json:1: "effect" is "gitpush"'* ]]
	[ "${stderr_lines[1]}" = 'berm: did you mean "gitPush"?' ]
}

@test "check: any bytes of a line end in a verdict" {
	local i line
	for i in 1 2 3 4 5 6 7 8; do
		line=$(python3 -c 'import random, sys
r = random.Random(int(sys.argv[1]))
sys.stdout.buffer.write(bytes(r.choice(b"ab $(){}|&;<>`\\\"#=~*?[]!\n\t\x01\x80\xff") for _ in range(300)))' "$i" | tr -d '\0')
		run --separate-stderr berm check --json --shell "$line"
		[ "$status" -le 2 ]
		member verdict
	done
}

# ---- rules --------------------------------------------------------------------

@test "rules: written, shown, tried, taken out again; comments stay" {
	run -0 berm rules add deny gitPush --ref main --ref 'release/*' --why 'reviewed only'
	[ "$output" = "written to: $HOME/.config/berm/policy.json" ]
	sed -i '1s/^/\/\/ mine\n/' "$HOME/.config/berm/policy.json"
	run -0 berm rules add allow 'npm test' --expires 7d --local
	run -0 berm rules add ask 'git * main' --pattern
	run -0 berm rules list
	[[ $output == *'deny gitPush refs=main,release/*'* && $output == *'allow command npm test until '* ]]
	says 1 why='reviewed only' -- git push origin main
	says 1 verdict=deny -- git push origin HEAD:release/2
	says 0 source=rule -- npm test
	run -1 berm rules test gitPush --ref main
	run -2 berm rules test gitPush --ref x
	[[ $output == *'data/guard-defaults:5'* ]]
	run -0 berm rules list --json
	id=$(python3 -c 'import json, sys
print(next(r["id"] for r in json.loads(sys.argv[1])["rules"] if r["text"].startswith("deny gitPush")))' "$output")
	run -0 berm rules rm "$id"
	[ "$output" = "taken out of: $HOME/.config/berm/policy.json" ]
	says 2 source=default -- git push origin x
	run -0 head -1 "$HOME/.config/berm/policy.json"
	[ "$output" = '// mine' ]
	run --separate-stderr -125 berm rules rm "$id"
	[ "${stderr_lines[0]}" = "berm: there is no rule $id" ]
}

@test "rules: nothing is written that would not be read" {
	run --separate-stderr -125 berm rules add deny gitPush --host 'a.*'
	run --separate-stderr -125 berm rules add deny gitPush --expires soon
	run --separate-stderr -125 berm rules add maybe gitPush
	run --separate-stderr -125 berm rules add deny "a 'b"
	run --separate-stderr -125 berm rules add deny gitPush --local --user
	run --separate-stderr -125 berm rules test gitpush
	[ "${stderr_lines[1]}" = 'berm: did you mean "gitPush"?' ]
	[ ! -e "$HOME/.config/berm/policy.json" ]
	[ -z "$(ls -A)" ]
}

@test "rules: a local file that is not trusted does not become so with a rule" {
	mkdir .berm
	echo '{"files": {"/srv": "write"}}' >.berm/policy.local.json
	run --separate-stderr -125 berm rules add allow make --local
	[[ ${stderr_lines[0]} == *'is not trusted' ]]
	run -0 cat .berm/policy.local.json
	[ "$output" = '{"files": {"/srv": "write"}}' ]
}

@test "rules: managed ones, and those that are over, say what they are" {
	run -0 berm rules add allow make --expires 2020-01-01T00:00:00Z
	run -0 berm rules list
	[[ $output == *'(over)'* ]]
	says 0 source=auto-allow -- make
}

# ---- audit --------------------------------------------------------------------

@test "audit: a run's refusals are in it, a run without any leaves it alone" {
	run -0 berm run -q -- true
	[ ! -s "$LOG" ]
	run berm run -q -- sh -c 'echo x >.env'
	run -0 berm audit show --event violation --json
	[ "$(member action target rule)" = "file-create
$WS/.env
deny-write **/.env" ]
	run -0 berm run -q --sandbox off -- true
	run -0 berm audit show --last 1
	[[ $output == *UNSANDBOXED* ]]
	run -0 berm audit verify
}

@test "audit: no secret is written" {
	run berm check --audit --shell 'GITHUB_TOKEN=ghp_abcdefghijkl curl -H "Authorization: Bearer S3CR3T" https://u:S3CR3T@h.example/ --password S3CR3T'
	run -0 berm audit show --event check --json
	run ! grep -E 'S3CR3T|abcdefghijkl' "$LOG"
	grep -q '"event":"check"' "$LOG"
}

@test "audit: a change is found, also at the end; a torn line is none" {
	local i
	for i in 1 2 3; do run berm check --audit -- ls; done
	run -0 berm audit verify --json
	[ "$(member whole records)" = 'true
3' ]
	head=$(member head)
	cp "$LOG" "$BATS_TEST_TMPDIR/whole"
	sed -i '2s/allow/deny /' "$LOG"
	run -1 berm audit verify
	sed '2d' "$BATS_TEST_TMPDIR/whole" >"$LOG"
	run -1 berm audit verify
	sed '$d' "$BATS_TEST_TMPDIR/whole" >"$LOG"
	run -1 berm audit verify
	cp "$BATS_TEST_TMPDIR/whole" "$LOG"
	printf '{"n":4,"prev":"' >>"$LOG"
	run -0 berm audit verify
	run berm check --audit -- ls
	run -0 berm audit verify --json
	[ "$(member whole records torn)" = 'true
5
1' ]
	run -0 berm audit verify --head "$head"
	run -1 berm audit verify --head "${head//[0-9]/0}"
	run -0 berm audit export
	[ "${#lines[@]}" -eq 5 ]
}

@test "audit: many writers, some of them killed" {
	local i pids=()
	for i in $(seq 12); do
		(for _ in $(seq 20); do "$BERM" check --audit -- ls >/dev/null; done) 3>&- &
		pids+=($!)
	done
	# The first of them is done: the others are in the middle of it.
	wait "${pids[0]}"
	kill -KILL "${pids[@]:1}" 2>/dev/null || true
	wait
	run -0 berm audit verify
	run berm check --audit -- ls
	run -0 berm audit verify
}

@test "audit: a large log is put away, and the chain goes on through both files" {
	mkdir -p "${LOG%/*}"
	python3 - "$LOG" <<-'END'
	import hashlib, sys
	n, prev, size = 0, "0" * 64, 0
	with open(sys.argv[1], "w") as f:
	    while size <= 8 << 20:
	        n += 1
	        text = '{"n":%d,"prev":"%s","t":"2030-01-01T00:00:00Z","event":"check","command":"%s"' % (n, prev, "x" * 5000)
	        prev = hashlib.sha256(text.encode()).hexdigest()
	        size += f.write('%s,"hash":"%s"}\n' % (text, prev))
	END
	chmod 600 "$LOG"
	run -1 berm audit verify
	[[ $output == *'audit.head is missing'* ]]
	local n
	n=$(wc -l <"$LOG")
	run -0 berm check --audit -- ls
	run -0 berm run -q -- true
	run -0 berm audit verify
	[[ ${lines[0]} == "$((n + 1)) records"* && $output == *'whole: every record'* ]]
	[ "$(wc -l <"$LOG")" = 1 ]
	[ "$(wc -l <"${LOG%.jsonl}.$(printf %020d "$n").jsonl")" = "$n" ]
	run -0 berm audit show --last 2
	[[ ${lines[1]} == *' check allow  ls'* ]]
	rm "${LOG%.jsonl}.$(printf %020d "$n").jsonl"
	run -1 berm audit verify
	[[ $output == *'records before this one are missing'* ]]
}
