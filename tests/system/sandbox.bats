#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# berm sandbox: what it prints and changes, and its panel on a terminal (tmux's). BERM names
# the program. Each test has a home and a workspace of its own.
# shellcheck shell=bash
# shellcheck disable=SC2154 # bats sets stderr_lines

bats_require_minimum_version 1.5.0

setup() {
	: "${BERM:?}"
	HOME=$BATS_TEST_TMPDIR/home
	WS=$BATS_TEST_TMPDIR/ws
	LOCAL=.berm/policy.local.json
	SOCK=$BATS_TEST_TMPDIR/s
	mkdir -p "$HOME" "$WS"
	unset BERM_SANDBOX BERM_FORCE_SANDBOX XDG_STATE_HOME XDG_CONFIG_HOME TMUX
	export HOME LC_ALL=C.UTF-8
	cd "$WS" || return
}

teardown() {
	tmux -S "$SOCK" kill-server 2>/dev/null || true
}

# The next terminal is not on a server that is about to exit.
new_server() {
	tmux -S "$SOCK" kill-server
	SOCK+=x
}

# member NAME...: of the JSON object in $output.
member() {
	python3 -c '
import json, sys
o = json.loads(sys.argv[1])
for name in sys.argv[2:]:
    v = o[name]
    print(json.dumps(v) if isinstance(v, (bool, list, dict)) else v)' "$output" "$@"
}

# ---- the panel's terminal -------------------------------------------------------

# panel COLUMNS ROWS [OPTION]...: on a new terminal. What it leaves is in the files before, after
# (the terminal's settings) and status.
panel() {
	local columns=$1 rows=$2
	shift 2
	cat >"$BATS_TEST_TMPDIR/go" <<-'END'
		stty -g >"$BATS_TEST_TMPDIR/before"
		"$BERM" sandbox "$@"
		echo "$?" >"$BATS_TEST_TMPDIR/status.new"
		stty -g >"$BATS_TEST_TMPDIR/after"
		mv "$BATS_TEST_TMPDIR/status.new" "$BATS_TEST_TMPDIR/status"
		exec cat
	END
	export BATS_TEST_TMPDIR BERM
	tmux -S "$SOCK" -f /dev/null new-session -d -x "$columns" -y "$rows" -- \
		bash "$BATS_TEST_TMPDIR/go" "$@"
}

screen() {
	tmux -S "$SOCK" capture-pane -p
}

keys() {
	tmux -S "$SOCK" send-keys "$@"
}

# waits COMMAND...: until it succeeds; at most 30 seconds.
waits() {
	local end=$((SECONDS + 30))
	until "$@"; do
		if ((SECONDS > end)); then
			echo "never: $*"
			screen
			return 1
		fi
		sleep 0.02
	done
}

seen() {
	screen | grep -qF -- "$1"
}

gone() {
	! seen "$1"
}

# ended STATUS: and left the terminal as it was.
ended() {
	waits test -f "$BATS_TEST_TMPDIR/status"
	[ "$(<"$BATS_TEST_TMPDIR/status")" = "$1" ]
	cmp "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
	[ "$(tmux -S "$SOCK" display -p '#{alternate_on} #{cursor_flag} #{keypad_flag}')" = '0 1 0' ]
}

# The process of the panel: its shell's only child.
panel_pid() {
	pgrep -P "$(tmux -S "$SOCK" display -p '#{pane_pid}')"
}

# ---- without a terminal -----------------------------------------------------------

@test "sandbox: printed for people and machines; without a terminal it says what to do" {
	run -0 "$BERM" sandbox status
	[[ ${lines[0]} == 'sandbox:   auto-allow  [built-in]' && ${lines[1]} == 'fallback:  unsandboxed  [built-in]' ]]
	[[ ${lines[2]} == 'in force:  on: '* ]]
	run -0 "$BERM" sandbox --json
	[ "$(member mode fallback on state excluded | tr '\n' ' ')" = 'auto-allow unsandboxed true on [] ' ]
	run --separate-stderr -125 "$BERM" sandbox </dev/null
	[ "${stderr_lines[0]}" = 'berm: the panel needs a terminal' ]
	[[ ${stderr_lines[1]} == *'berm sandbox status'* ]]
	[ ! -e .berm ]
}

@test "sandbox: changed in the local file; comments stay, nothing is written without need" {
	run -0 "$BERM" sandbox --mode auto-allow --fallback unsandboxed
	[ "$output" = "nothing to change in: $LOCAL" ]
	[ ! -e .berm ]
	run -0 "$BERM" sandbox --mode regular --fallback strict --exclude 'docker *' --exclude 'make x'
	[ "$output" = "written to: $LOCAL" ]
	sed -i '1s/^/\/\/ mine\n/' "$LOCAL"
	run -0 "$BERM" trust --yes
	run -0 "$BERM" sandbox --json
	[ "$(member mode mode_origin | tr '\n' ' ')" = "regular $WS/$LOCAL:3 " ]
	[ "$(member fallback)" = strict ]
	run -0 "$BERM" sandbox --include 'docker *'
	grep -qx '// mine' "$LOCAL"
	run -0 "$BERM" sandbox status
	[[ $output == *'excluded:  make x'* && $output != *docker* ]]
	# The next command is judged so.
	run -2 "$BERM" check -- ls
	run -0 "$BERM" sandbox --mode auto-allow
	run -0 "$BERM" check -- ls
}

@test "sandbox: a stronger setting is told of; a file that is not trusted is left alone" {
	BERM_FORCE_SANDBOX=1 run --separate-stderr -1 "$BERM" sandbox --mode disabled
	[[ ${stderr_lines[0]} == 'berm: BERM_FORCE_SANDBOX=1 still says otherwise'* ]]
	mkdir -p "$HOME/.config/berm"
	echo '{"guard": {"excluded_commands": ["docker *"]}}' >"$HOME/.config/berm/policy.json"
	run --separate-stderr -1 "$BERM" sandbox --include 'docker *'
	[[ ${stderr_lines[0]} == "berm: $HOME/.config/berm/policy.json:1 still says otherwise"* ]]
	git init -q .
	mkdir -p .berm
	echo '{"guard": {"sandbox": false}}' >"$LOCAL"
	git add -f "$LOCAL"
	cp "$LOCAL" "$BATS_TEST_TMPDIR/copy"
	run --separate-stderr -125 "$BERM" sandbox --mode regular
	[[ ${stderr_lines[0]} == *"$LOCAL is not trusted" ]]
	cmp "$LOCAL" "$BATS_TEST_TMPDIR/copy"
}

@test "sandbox: wrong use" {
	run --separate-stderr -125 "$BERM" sandbox --mode plan
	[ "${stderr_lines[1]}" = 'berm: one of: disabled, regular, auto-allow' ]
	run --separate-stderr -125 "$BERM" sandbox --fallback maybe
	run --separate-stderr -125 "$BERM" sandbox ls
	run --separate-stderr -125 "$BERM" sandbox --exclude ''
	run --separate-stderr -125 "$BERM" sandbox status --mode regular
	run --separate-stderr -125 "$BERM" sandbox --json --mode regular
	[ ! -e .berm ]
}

@test "sandbox: why there is none: from a sandbox that was tried" {
	unshare -Ur true || skip "no user namespaces here"
	# shellcheck disable=SC2016 # for that shell
	run -0 unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$BERM" sandbox --json'
	[ "$(member on state | tr '\n' ' ')" = 'false missing-dependency ' ]
	[[ $(member fix) == *max_user_namespaces* ]]
}

@test "sandbox: a list of platforms without this one: that is the reason, and where it stands" {
	echo '{"sandbox": {"enabled": true,
	"enabledPlatforms": ["macos"]}}' >"$HOME/s.json"
	run -0 "$BERM" sandbox --json --settings "claude:$HOME/s.json"
	[ "$(member on state reason_origin mode | tr '\n' ' ')" = "false excluded-platform $HOME/s.json:2 disabled " ]
	run -2 "$BERM" check --settings "claude:$HOME/s.json" -- ls
	[[ $output == *'the settings exclude this platform'* ]]
	BERM_FORCE_SANDBOX=1 run -0 "$BERM" sandbox --json --settings "claude:$HOME/s.json"
	[ "$(member on state | tr '\n' ' ')" = 'true on ' ]
	run -0 "$BERM" import claude "$HOME/s.json"
	[[ $output == *'"sandbox": false'* ]]
}

@test "explain: each value of the guard's, with the place it stands at" {
	mkdir -p "$HOME/.config/berm"
	printf '{"guard": {\n"template": "strict",\n"auto_allow": false,\n"excluded_commands": [\n"docker *"],\n"rules": [\n%s]}}' \
		'{"effect": "gitPush", "decision": "deny"}' >"$HOME/.config/berm/policy.json"
	run -0 "$BERM" explain
	local f=$HOME/.config/berm/policy.json
	[[ $output == *"  template             strict  [$f:2]"* ]]
	[[ $output == *"  auto_allow           false  [$f:3]"* ]]
	[[ $output == *"  sandbox              true  [built-in]"* ]]
	[[ $output == *"  may leave the sandbox: docker *  [$f:5]"* ]]
	[[ $output == *"  deny gitPush  [$f:7]"* ]]
	run -0 "$BERM" explain --json
	python3 -c '
import json, sys
g = json.loads(sys.argv[1])["policy"]["guard"]
assert g["template"] == {"value": "strict", "file": sys.argv[2], "line": 2}, g
assert g["sandbox"]["value"] is True and g["auto_allow"]["line"] == 3, g
assert g["excluded_commands"] == [{"pattern": "docker *", "file": sys.argv[2], "line": 5}], g
assert [(r["rule"], r["line"]) for r in g["rules"]] == [("deny gitPush", 7)], g' "$output" "$f"
}

@test "settings that change count for the next command: berm's, another tool's, add-dir, exclude" {
	mkdir "$BATS_TEST_TMPDIR/more" .claude
	echo '{"permissions": {"deny": ["Bash(make *)"]}}' >"$HOME/s.json"
	run -1 "$BERM" check --settings "claude:$HOME/s.json" -- make all
	run -0 "$BERM" run --settings "claude:$HOME/s.json" -- true
	echo '{"permissions": {"deny": ["Bash(ninja *)", "Edit(kept)"]}}' >"$HOME/s.json"
	run -0 "$BERM" check --settings "claude:$HOME/s.json" -- make all
	run -1 "$BERM" check --settings "claude:$HOME/s.json" -- ninja all
	run "$BERM" run -q --settings "claude:$HOME/s.json" -- sh -c 'echo x >kept'
	[ "$status" -ne 0 ]
	[ ! -e kept ]
	run "$BERM" run -q -- touch "$BATS_TEST_TMPDIR/more/x"
	[ ! -e "$BATS_TEST_TMPDIR/more/x" ]
	run -0 "$BERM" add-dir "$BATS_TEST_TMPDIR/more"
	run -0 "$BERM" run -q -- touch "$BATS_TEST_TMPDIR/more/x"
	[ -e "$BATS_TEST_TMPDIR/more/x" ]
	run -0 "$BERM" check -- docker ps
	run -0 "$BERM" exclude 'docker ps'
	run -2 "$BERM" check -- docker ps
	[[ ${lines[0]} == 'ask (unsandboxed): docker ps' ]]
}

# ---- the panel --------------------------------------------------------------------

@test "panel: shows, chooses, writes on a change alone" {
	panel 80 24
	waits seen '> (*) auto-allow'
	[ "$(screen | wc -L)" -le 80 ]
	[[ $(screen | tail -n 1) == *'q quit' ]]
	keys Enter
	waits seen 'it is so already'
	keys Up
	waits seen '> ( ) regular'
	[ ! -e .berm ]
	keys Enter
	waits seen "written to: $LOCAL"
	waits seen '> (*) regular'
	keys G Enter
	waits seen '> (*) strict'
	keys q
	ended 0
	[ "$(cat "$LOCAL")" = '{
  "guard": { "auto_allow": false, "allow_unsandboxed": false }
}' ]
}

@test "panel: without a sandbox only after a yes" {
	panel 80 24
	waits seen '> (*) auto-allow'
	keys g Enter
	waits seen 'WITHOUT a sandbox?'
	keys n
	waits gone 'WITHOUT a sandbox?'
	[ ! -e .berm ]
	keys Enter
	waits seen 'WITHOUT a sandbox?'
	keys y
	waits seen '> (*) disabled'
	waits seen 'Now: the sandbox is off'
	keys Escape
	ended 0
	grep -q '"sandbox": false' "$LOCAL"
}

@test "panel: excluded commands, typed in any script; those of other files stay" {
	mkdir -p "$HOME/.config/berm"
	echo '{"guard": {"excluded_commands": ["docker *"]}}' >"$HOME/.config/berm/policy.json"
	panel 80 24
	waits seen Mode
	keys 2
	waits seen '> docker *  ['
	keys d
	waits seen "that one stands in $HOME/.config/berm/policy.json"
	keys a
	waits seen 'Pattern:'
	keys -l 'mäke 漢x'
	keys BSpace
	waits seen 'Pattern: mäke 漢'
	keys Enter
	waits seen 'mäke 漢  ['
	keys a
	waits seen 'Pattern:'
	keys -l 'other'
	keys Escape
	waits gone 'Pattern:'
	grep -qF '["mäke 漢"]' "$LOCAL"
	keys G
	waits seen '> mäke'
	keys d
	waits gone 'mäke'
	keys q
	ended 0
	run -0 "$BERM" sandbox --json
	[[ $(member excluded) != *other* ]]
}

@test "panel: dependencies and the policy in force" {
	panel 80 24
	waits seen Mode
	keys 3
	waits seen 'sandbox (--mode chat)'
	keys Tab
	waits seen 'profile              agent'
	[ "$(screen | wc -L)" -le 80 ]
	keys End
	waits gone 'profile              agent'
	keys Home
	waits seen 'profile              agent'
	keys BTab BTab
	waits seen '[2 Excluded]'
	keys q
	ended 0
}

@test "panel: options of run's count for what it shows" {
	mkdir .claude
	echo '{"sandbox": {"excludedCommands": ["terraform *"]}}' >"$HOME/settings.json"
	panel 80 24 --settings "claude:$HOME/settings.json"
	waits seen Mode
	keys 2
	waits seen 'terraform *'
	keys q
	ended 0
}

@test "panel: small windows, and other sizes while it is shown" {
	panel 20 5
	waits seen 'too small a window'
	tmux -S "$SOCK" resize-window -x 80 -y 24
	waits seen '> (*) auto-allow'
	tmux -S "$SOCK" resize-window -x 26 -y 7
	waits seen '> (*)'
	[ "$(screen | wc -L)" -le 26 ]
	keys G
	waits seen '> ( ) strict'
	tmux -S "$SOCK" resize-window -x 1 -y 1
	tmux -S "$SOCK" resize-window -x 200 -y 50
	waits seen 'What berm run starts'
	keys q
	ended 0
}

@test "panel: what files say cannot draw" {
	mkdir -p "$HOME/.config/berm"
	printf '{"guard": {"excluded_commands": ["a\\u001b[41mb\\nc\\u202ed"]}}' >"$HOME/.config/berm/policy.json"
	panel 100 24
	waits seen Mode
	keys 2
	waits seen 'a\x1b[41mb\x0ac\xe2\x80\xaed  ['
	[[ $(tmux -S "$SOCK" capture-pane -pe) != *$'\e[41m'* ]]
	keys q
	ended 0
}

@test "panel: a locale of ASCII, a terminal that cannot" {
	mkdir -p "$HOME/.config/berm"
	echo '{"guard": {"excluded_commands": ["mäke"]}}' >"$HOME/.config/berm/policy.json"
	LC_ALL=C panel 80 24
	waits seen Mode
	keys 2
	waits seen 'm\xc3\xa4ke  ['
	keys q
	ended 0
	new_server
	rm "$BATS_TEST_TMPDIR/status"
	# shellcheck disable=SC2016 # for that shell
	sed -i 's/^"\$BERM"/TERM=dumb "$BERM"/' "$BATS_TEST_TMPDIR/go"
	tmux -S "$SOCK" -f /dev/null new-session -d -x 80 -y 24 -- bash "$BATS_TEST_TMPDIR/go"
	waits test -f "$BATS_TEST_TMPDIR/status"
	[ "$(<"$BATS_TEST_TMPDIR/status")" = 125 ]
	waits seen 'cannot move the cursor on this terminal'
}

@test "panel: a signal ends it, and the terminal is as before" {
	local s
	for s in TERM:143 HUP:129 INT:130; do
		rm -f "$BATS_TEST_TMPDIR/status"
		panel 80 24
		waits seen '> (*) auto-allow'
		kill "-${s%:*}" "$(panel_pid)"
		ended "${s#*:}"
		new_server
	done
	[ ! -e .berm ]
}

@test "panel: broken settings, or no panel at all, end in a sentence" {
	mkdir -p "$HOME/.config/berm"
	echo '{"guard": {"sandbox": 7}}' >"$HOME/.config/berm/policy.json"
	panel 120 24
	waits seen '"sandbox" must be true or false'
	waits test -f "$BATS_TEST_TMPDIR/status"
	[ "$(<"$BATS_TEST_TMPDIR/status")" = 125 ]
	new_server
	rm "$HOME/.config/berm/policy.json" "$BATS_TEST_TMPDIR/status"
	mkdir "$BATS_TEST_TMPDIR/bin"
	cp "$BERM" "$BATS_TEST_TMPDIR/bin/berm"
	BERM=$BATS_TEST_TMPDIR/bin/berm panel 120 24
	waits seen 'the panel (berm-panel) is not installed'
	waits test -f "$BATS_TEST_TMPDIR/status"
	[ "$(<"$BATS_TEST_TMPDIR/status")" = 125 ]
}
