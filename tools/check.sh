#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/check.sh [NAME | GROUP]...: every test and check, or the named ones with
# what they need. A check is a line of tools/checks.txt. One that prints TAP
# counts as many tests as it reports, any other counts as one. Skipped tests are
# listed with their reasons. The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

export BERM_BUILD=${BERM_BUILD:-build}
[[ $BERM_BUILD == /* ]] || BERM_BUILD=$PWD/$BERM_BUILD
out=$BERM_BUILD/check
table=${BERM_CHECKS:-tools/checks.txt}
jobs=${BERM_CHECK_JOBS:-$(nproc)}
if ! mkdir -p "$out" || ! rm -f "$out"/*.log "$out"/*.cpu "$out/summary" || [[ ! -w $out ]]; then
	echo "check.sh: cannot write in $out (made by another user?); choose another place: BERM_BUILD=DIR" >&2
	exit 2
fi

declare -A group needs limit command state began
declare -A pid_name=()
names=()
passed=0 failed=0 skipped=0

read_table() {
	local n g d t c
	while read -r n g d t c; do
		[[ -z $n || $n == \#* ]] && continue
		names+=("$n")
		group[$n]=$g needs[$n]=${d//,/ } limit[$n]=$t command[$n]=$c state[$n]=off
		[[ $d == - ]] && needs[$n]=
	done <"$table"
}

# Switches a check on together with what it needs.
want() {
	local n
	[[ -n ${state[$1]:-} ]] || {
		echo "check.sh: '$1' needs or names no check" >&2
		exit 2
	}
	state[$1]='wait'
	for n in ${needs[$1]}; do
		[[ ${state[$n]:-} == wait ]] || want "$n"
	done
}

select_checks() {
	local arg n hit
	(($#)) || set -- "${names[@]}"
	for arg; do
		hit=
		for n in "${names[@]}"; do
			[[ $n == "$arg" || ${group[$n]} == "$arg" ]] && want "$n" && hit=1
		done
		[[ -n $hit ]] || want "$arg"
	done
}

# What a finished check contributed: sets p, f, s. Its log may get a line on why
# a failure was counted that the TAP itself does not show.
count() {
	local log=$1 rc=$2 plan total
	read -r p f s plan < <(awk '
		/^ok / { if (tolower($0) ~ /# skip/) s++; else p++ }
		/^not ok / { f++ }
		/^1\.\.[0-9]+/ { plan = substr($1, 4); if (tolower($0) ~ /# skip/ && plan == 0) s++ }
		END { print p + 0, f + 0, s + 0, plan == "" ? -1 : plan }' "$log")
	total=$((p + f + s))
	if ((total == 0 && plan < 0)); then
		((rc == 0)) && p=1 || f=1
	elif ((plan < 0)); then
		f=$((f + 1))
		echo "# counted as failed: TAP without a plan, it was cut short" >>"$log"
	elif ((plan > 0 && plan != total)); then
		f=$((f + 1))
		echo "# counted as failed: $plan tests planned, $total reported" >>"$log"
	elif ((rc != 0 && f == 0)); then
		f=1
		echo "# counted as failed: exit status $rc" >>"$log"
	elif ((total == 0)); then
		f=1
		echo "# counted as failed: it ran no test" >>"$log"
	fi
}

finish() {
	local n=$1 rc=$2 p=0 f=0 s=0 seconds user=0 system=0
	seconds=$((SECONDS - began[$n]))
	((rc == 124)) && echo "# stopped after ${limit[$n]} s" >>"$out/$n.log"
	count "$out/$n.log" "$rc"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	state[$n]=passed
	((f > 0)) && state[$n]=failed
	read -r user system < <(tail -n 1 "$out/$n.cpu" 2>/dev/null)
	printf '%-18s %5d passed %4d failed %4d skipped %5d s %5d s of a processor\n' "$n" "$p" "$f" "$s" \
		"$seconds" $((10#0${user%.*} + 10#0${system%.*}))
}

start() {
	local n=$1
	began[$n]=$SECONDS
	state[$n]=running
	# shellcheck disable=SC2086 # the table's commands are words
	{
		TIMEFORMAT='%U %S'
		time timeout -k 10 "${limit[$n]}" ${command[$n]} >"$out/$n.log" 2>&1 </dev/null
	} 2>"$out/$n.cpu" &
	pid_name[$!]=$n
}

# Starts the first check whose needs have passed; one whose need failed is
# counted as failed without being run.
start_next() {
	local n d ready
	for n in "${names[@]}"; do
		[[ ${state[$n]} == wait ]] || continue
		ready=1
		for d in ${needs[$n]}; do
			case ${state[$d]} in
			passed) ;;
			failed)
				echo "not run: $d failed" >"$out/$n.log"
				began[$n]=$SECONDS
				finish "$n" 1
				continue 2
				;;
			*) ready= ;;
			esac
		done
		[[ -n $ready ]] && start "$n" && return 0
	done
	return 1
}

run_all() {
	local pid
	while :; do
		while ((${#pid_name[@]} < jobs)) && start_next; do :; done
		((${#pid_name[@]})) || break
		wait -n -p pid
		finish "${pid_name[$pid]}" $?
		unset "pid_name[$pid]"
	done
}

report() {
	local n
	for n in "${names[@]}"; do
		[[ ${state[$n]} == failed ]] || continue
		echo
		echo "== $n failed (${command[$n]})"
		if grep -q '^not ok' "$out/$n.log"; then
			grep -A 12 '^not ok' "$out/$n.log" | grep -v '^ok ' | head -n 80
			grep '^# counted as failed' "$out/$n.log"
		else
			tail -n 60 "$out/$n.log"
		fi
	done
	if ((skipped)); then
		echo
		echo "== skipped"
		for n in "${names[@]}"; do
			[[ -f $out/$n.log && ${state[$n]} != off ]] &&
				grep -iE '^(ok .*|1\.\.0.*)# skip' "$out/$n.log" | sed "s/^/$n: /"
		done
	fi
	echo
	((skipped)) && echo "$skipped skipped, each with its reason above"
	echo "whole run: $SECONDS s"
}

read_table
select_checks "$@"
run_all
report
echo "$passed passed, $failed failed" | tee "$out/summary"
((failed == 0 && passed > 0))
