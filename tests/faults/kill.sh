#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/faults/kill.sh [-e N] BERM: SIGKILL to each of berm's processes, before each of
# its system calls of set-up and again while the command works. Each time nothing
# of the session survives (the injector is the subreaper of all of it) and nothing
# is left on disk. With -e before every Nth call only. Prints TAP.
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"
if [[ ${1:-} == -e ]]; then
	export KILL_EVERY=$2
	shift 2
fi
berm=${1:?usage: kill.sh [-e N] BERM}

[[ $(uname -m) == x86_64 ]] || {
	echo "1..0 # SKIP the injector knows x86-64 registers only"
	exit 0
}
in_shares 3 "$0" "$berm"
set_up

run_once() {
	tidy
	"$tmp/inject" "$@" -- "$berm" run -w "$workspace" -- /bin/sh probe.sh "$secret" \
		>"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# Twice: the first run makes the private home.
run_once
run_once -l "$tmp/calls"
((status == 0)) || cannot "without a kill the status is $status: $(<"$tmp/err")"
before=$(disk_state)

# A killed part ends the session: not with success, and not with the command
# having done all of its work unprotected.
index=0
while read -r process number call _; do
	index=$((index + 1))
	((index % ${KILL_EVERY:-1} == 0)) || continue
	mine $((index / ${KILL_EVERY:-1})) || continue
	name="killed in set-up: process $process before call $number, $(call_name "$call")"
	run_once -p "$process" -n "$number" -k
	if ((status == 0)) && grep -q '^berm: network: its steward died' "$tmp/err"; then
		# No part that holds the rules: it had opened the way out, and now none is open.
		ok "$name: the network was closed, and berm said so"
	elif ((status == 0)); then
		not_ok "$name" "berm reports success"
	elif ((status >= 197)); then
		not_ok "$name" "status $status" "$(<"$tmp/err")"
	elif [[ $(disk_state) != "$before" ]]; then
		not_ok "$name" "$(diff <(echo "$before") <(disk_state))"
		before=$(disk_state)
	else
		ok "$name"
	fi
done <"$tmp/calls"

# The processes of a running session, by descent from the injector.
descendants() {
	local pid
	for pid in $(ps -o pid= --ppid "$1"); do
		echo "$pid"
		descendants "$pid"
	done
}

# Without the command's processes that come and go.
lasting() {
	local pid name
	while read -r pid; do
		read -r name 2>/dev/null <"/proc/$pid/comm" || continue
		[[ $name != @(berm|berm-egress|sleep) ]] || echo "$pid"
	done
}

run_and_kill() {
	local victim=$1 delay=$2 name pids pid runner
	rm -f "$workspace/started"
	"$tmp/inject" -t 30 -- "$berm" run -w "$workspace" -- /bin/sh work.sh \
		>"$tmp/out" 2>"$tmp/err" </dev/null &
	runner=$!
	for _ in $(seq 100); do
		[[ -e $workspace/started ]] && break
		sleep 0.05
	done
	sleep "$delay"
	mapfile -t pids < <(descendants "$runner" | lasting)
	pid=${pids[victim]:-}
	name="killed at work: process $((victim + 1)) of the session"
	if [[ -z $pid ]]; then
		kill -KILL "${pids[0]}"
		wait "$runner"
		return 1
	fi
	name+=" ($(tr -d '\n' <"/proc/$pid/comm" 2>/dev/null)), after $delay s"
	kill -KILL "$pid"
	# A process of the command's own is no part of berm: its death ends nothing by
	# itself, so the session is ended as well.
	sleep 0.5
	kill -TERM "${pids[0]}" 2>/dev/null
	wait "$runner"
	status=$?
	if ((status == 0 || status >= 197)); then
		not_ok "$name" "status $status" "$(<"$tmp/err")"
	elif ! diff <(echo "$before") <(disk_state) >"$tmp/diff"; then
		not_ok "$name" "$(<"$tmp/diff")"
	else
		ok "$name"
	fi
}

for delay in 0 0.1; do
	mine 0 || break
	victim=0
	while ((victim < 12)) && run_and_kill "$victim" "$delay"; do
		victim=$((victim + 1))
	done
	# Warden, supervisor, init, steward, broker, and the one that has left the session.
	((victim >= 6)) || not_ok "a session has at least six processes" "seen: $victim"
done
finish
