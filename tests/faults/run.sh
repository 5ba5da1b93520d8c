#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/faults/run.sh BERM: each system call of set-up fails once, in each process.
# What must hold each time: the command did not run and berm says why in one line
# and exits 125; or the command ran with the very protection that it has without
# the fault (it reports it itself, see probe.sh), so the failed call was harmless.
# Nothing may be left, in either case. Prints TAP. With FAULTS="1 12 38" each call
# fails with each of these errnos; the default is EPERM alone. FAULT_CAPS=proc (a name of
# docs/tiers.md) does it on a host that lacks that, with both attempts of each run.
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "$(dirname "$0")/lib.sh"
berm=${1:?usage: run.sh BERM}

[[ $(uname -m) == x86_64 ]] || {
	echo "1..0 # SKIP the injector knows x86-64 registers only"
	exit 0
}
in_shares 3 "$0" "$berm"
set_up

# run_once INJECT-OPTION...: one run; sets status, fills $tmp/out and $tmp/err. An
# open file too many: what closes it must not fail unseen.
run_once() {
	tidy
	# shellcheck disable=SC2086
	"$tmp/inject" "$@" -- "$berm" run -w "$workspace" ${FAULT_CAPS:+--test-cap $FAULT_CAPS --tier landlock} -- /bin/sh probe.sh "$secret" \
		>"$tmp/out" 2>"$tmp/err" </dev/null 9<"$tmp/names"
	status=$?
}

# The report without a fault; twice, because what varies would hide what matters.
# The calls are listed the second time: the first run makes the private home.
run_once
((status == 0)) || cannot "without a fault the status is $status: $(<"$tmp/err")"
cp "$tmp/out" "$tmp/good"
run_once -l "$tmp/calls"
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
# Those calls are the first ones, up to the first that start-up does not make.
first_own=0
while read -r _ number call _; do
	case $(call_name "$call") in
	arch_prctl | set_tid_address | set_robust_list | rseq | brk | mmap | mprotect | prlimit64 | readlinkat) ;;
	*) break ;;
	esac
	first_own=$number
done <"$tmp/calls"

# A place of the read-only view that cannot be looked at is not in the view: all
# that differs is that such lines are missing.
narrower() {
	local differs
	differs=$(diff "$tmp/good" "$tmp/out") && return 1
	! grep -qvE '^([0-9,]+d[0-9]+$|< root has /|< /[^ ]+ ro,)' <<<"$differs"
}

# What of a report says what is held; the mounts of another tier differ.
protects() {
	grep -E '^(can|cannot|Uid|Gid|NoNewPrivs|Seccomp|Cap[A-Z][a-z]+)\b' "$1"
}

# What the command could still do before it was ended is what it always can.
ended_closed() {
	[[ $(head -c 6 <<<"$(tail -n 1 "$tmp/err")") == 'berm: ' ]] &&
		! grep '^can ' "$tmp/out" | grep -qvxFf "$tmp/good"
}

judge() {
	local process=$1 number=$2 name lines
	name="$3 fails: process $process, call $number, $(call_name "$4")"
	if ((status != 197)) && grep -q '^RAN' "$tmp/out"; then
		if ((status == 137 || status == 125)) && ended_closed; then
			ok "$name: the session ended"
		elif ((status != 0)); then
			not_ok "$name" "the command ran, but the status is $status" "$(<"$tmp/err")"
		elif grep -q '^berm: tier: ' "$tmp/err"; then
			if diff <(protects "$tmp/good") <(protects "$tmp/out") >"$tmp/diff"; then
				ok "$name: begun again at another tier, and told"
			else
				not_ok "$name" "another tier holds less:" "$(<"$tmp/diff")" "$(<"$tmp/err")"
			fi
		elif narrower; then
			ok "$name: harmless, a smaller view under the same protection"
		elif ! cmp -s "$tmp/out" "$tmp/good"; then
			not_ok "$name" "the command ran with another protection:" \
				"$(diff "$tmp/good" "$tmp/out")" "$(<"$tmp/err")"
		else
			ok "$name: harmless, same protection"
		fi
		return
	fi
	lines=$(grep . "$tmp/err" | grep -Ecv '^berm: (tier|network: closed): ')
	if ((status >= 125 && status <= 127 || status == 137)) && [[ $(head -c 6 "$tmp/err") == 'berm: ' ]] && ((lines <= 2)); then
		ok "$name: $(head -n 1 "$tmp/err" | tr '#' ' ')"
	elif early "$process" "$number" && ((status != 0 && status < 197)); then
		ok "$name: the program did not start"
	elif ((status == 197)); then
		skip "$name" "not reached in three runs: how often some calls are made depends on timing"
	else
		not_ok "$name" "status $status, not run, $lines lines on stderr" "$(<"$tmp/err")"
	fi
}

for errno in ${FAULTS:-1}; do
	index=0
	while read -r process number call _; do
		index=$((index + 1))
		mine "$index" || continue
		# The kernel cannot fail these (close always lets go of the descriptor): there is
		# nothing to learn from an impossible answer.
		case $(call_name "$call") in
		close | umask | getpid | getppid | gettid | getuid | geteuid | getgid | getegid | set_tid_address | exit_group)
			ok "errno $errno fails: process $process, call $number, $(call_name "$call"): cannot fail"
			continue
			;;
		esac
		for _ in 1 2 3; do
			run_once -p "$process" -n "$number" -e "$errno"
			((status == 197)) || break
		done
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
