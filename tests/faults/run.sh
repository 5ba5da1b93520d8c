#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/faults/run.sh BERM: each system call of set-up fails once, in each process.
# What must hold each time: the command did not run and berm says why in one line
# and exits 125; or the command ran with the very protection that it has without
# the fault (it reports it itself, see probe.sh), so the failed call was harmless.
# Nothing may be left, in either case. Prints TAP.
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"
berm=${1:?usage: run.sh BERM}

[[ $(uname -m) == x86_64 ]] || {
	echo "1..0 # SKIP the injector knows x86-64 registers only"
	exit 0
}
set_up

# run_once INJECT-OPTION...: one run; sets status, fills $tmp/out and $tmp/err.
run_once() {
	"$tmp/inject" "$@" -- "$berm" run -w "$workspace" -- /bin/sh probe.sh "$secret" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# The report without a fault; twice, because what varies would hide what matters.
run_once -l "$tmp/calls"
((status == 0)) || cannot "without a fault the status is $status: $(<"$tmp/err")"
cp "$tmp/out" "$tmp/good"
run_once
cmp -s "$tmp/out" "$tmp/good" || cannot "the report differs between two runs: $(diff "$tmp/good" "$tmp/out")"
grep -q '^RAN' "$tmp/good" || cannot "the probe did not run"
for line in 'can write a file in the workspace' 'cannot write a git hook' 'cannot write .env' \
	'cannot read the secret' 'cannot mount'; do
	grep -qx "$line" "$tmp/good" || cannot "the report has no line '$line'"
done
before=$(disk_state)

# Before main() the C library ends the program its own way; nothing has been set
# up and nothing started then, so any status but success will do.
early() {
	[[ $1 == 0 ]] && (($2 <= first_own))
}
# The program's first call of its own comes after the start-up calls, of which
# this is the last.
first_own=$(awk -v nr="$(awk '$2 == "mprotect" { print $1 }' "$tmp/names")" \
	'$1 == "0" && $3 == nr { n = $2 } $1 != "0" { exit } END { print n + 0 }' "$tmp/calls")

judge() {
	local process=$1 number=$2 name lines
	name="$3 fails: process $process, call $number, $(call_name "$4")"
	if grep -q '^RAN' "$tmp/out"; then
		if ((status != 0)); then
			not_ok "$name" "the command ran, but the status is $status" "$(<"$tmp/err")"
		elif ! cmp -s "$tmp/out" "$tmp/good"; then
			not_ok "$name" "the command ran with another protection:" \
				"$(diff "$tmp/good" "$tmp/out")" "$(<"$tmp/err")"
		else
			ok "$name: harmless, same protection"
		fi
		return
	fi
	lines=$(grep -c . "$tmp/err")
	if ((status == 125 || status == 126)) && [[ $(head -c 6 "$tmp/err") == 'berm: ' ]] && ((lines <= 2)); then
		ok "$name: $(head -n 1 "$tmp/err" | tr '#' ' ')"
	elif early "$process" "$number" && ((status != 0 && status < 197)); then
		ok "$name: the program did not start"
	elif ((status == 197)); then
		not_ok "$name" "the call was never reached: set-up is not the same in each run"
	else
		not_ok "$name" "status $status, not run, $lines lines on stderr" "$(<"$tmp/err")"
	fi
}

for errno in 1 12; do
	while read -r process number call _; do
		run_once -p "$process" -n "$number" -e "$errno"
		judge "$process" "$number" "errno $errno" "$call"
	done <"$tmp/calls"
done

after=$(disk_state)
if [[ $before == "$after" ]]; then
	ok "nothing is left on disk or mounted"
else
	not_ok "nothing is left on disk or mounted" "$(diff <(echo "$before") <(echo "$after"))"
fi
finish
