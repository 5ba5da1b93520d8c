# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# When a session ends nothing of it stays, however it ends (SPEC S8).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# A process inside that can be found from outside by its odd argument, t.
tags=()
new_tag()
{
	t=7$RANDOM$((RANDOM + 10000)).25
	tags+=("$t")
}

running()
{
	pgrep -f "^sleep $1" >/dev/null
}

gone_soon()
{
	local i
	for i in {1..40}; do
		running "$1" || return 0
		sleep 0.05
	done
	return 1
}

# leaves ID TEXT SCRIPT: what SCRIPT starts inside is gone when berm has returned.
leaves()
{
	local id=$1 text=$2 script=$3 t hit=0
	wanted "$id" || return 0
	fresh .bare
	new_tag
	T_TIMEOUT=5 run_bare "T=$t; $script" >/dev/null
	for _ in {1..20}; do
		running "$t" && hit=1 && break
		sleep 0.05
	done
	pkill -9 -f "^sleep $t"
	drop "$D"
	if [[ $hit == 0 ]]; then
		t_fail "$id" "$text" "the control left nothing behind"
		return
	fi
	fresh
	new_tag
	run_in "T=$t; $script"
	if [[ $OUT != *@ran* ]]; then
		t_fail "$id" "$text" "it did not run (exit $RC): $OUT"
	elif gone_soon "$t"; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "sleep $t is still there"
	fi
	pkill -9 -f "^sleep $t"
	drop "$D"
}

leaves lifecycle.background 'a background job' 'sleep $T >/dev/null 2>&1 &'
leaves lifecycle.nohup 'a job under nohup' 'nohup sleep $T >/dev/null 2>&1 &'
leaves lifecycle.setsid 'a job in its own session' 'setsid sleep $T >/dev/null 2>&1 &'
leaves lifecycle.double-fork 'a daemon' '(setsid sh -c "sleep $T & exec sleep $T" >/dev/null 2>&1 &) ; true'
leaves lifecycle.ignore-term 'one that ignores signals' '(trap "" TERM HUP INT QUIT; exec setsid sleep $T >/dev/null 2>&1) &'
leaves lifecycle.stopped 'one that is stopped' 'setsid sleep $T >/dev/null 2>&1 & for i in $(seq 200); do read -r c </proc/$!/comm; [ "$c" = sleep ] && break; sleep 0.02; done; kill -STOP $!'
leaves lifecycle.fork-storm 'one of many' 'for i in 1 2 3 4 5 6 7 8 9 10; do (sh -c "sh -c \"sleep $T &\"" >/dev/null 2>&1 &); done'
leaves lifecycle.traced 'one that is traced' '/usr/bin/python3 -c "
import os, subprocess, ctypes
p = subprocess.Popen([\"setsid\", \"sleep\", \"$T\"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
ctypes.CDLL(None).ptrace(0x4206, p.pid, None, None)"'

# killed ID TEXT WHO [SIGNAL]: a process of berm's gets a signal; the command dies.
start_run()
{
	fresh
	new_tag
	EV=$D/events
	(cd "$W" && HOME=$H exec setsid env --default-signal "$BERM" run -w "$W" --events "$EV" "${CAPS[@]}" -- \
		/bin/sh -c "(setsid sleep $t &); touch started; sleep $t" </dev/null >"$D/out" 2>&1) &
	main=$!
	own_pid "$main"
	for _ in {1..100}; do
		[[ -e $W/started ]] && running "$t" && break
		sleep 0.03
	done
	# berm's own processes and the command's, the first one first
	crew_of "$main"
}

crew_of()
{
	local p
	mapfile -t crew < <(descendants "$1")
	stamps=()
	for p in "${crew[@]}"; do
		stamps+=("$(stamped "$p")")
	done
}

# alive PID:TIME: that very process is, after a moment
alive()
{
	[[ $(stamped "${1%%:*}") == "$1" && -n ${1#*:} ]] && ! dead "${1%%:*}"
}

descendants()
{
	local p
	echo "$1"
	for p in $(pgrep -P "$1"); do
		descendants "$p"
	done
}

# The sandbox's first program of its own is where berm ends.
is_berm()
{
	[[ $(tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null) != /bin/sh* ]]
}

mounts_of_host()
{
	grep -c . /proc/self/mountinfo
}

check_gone()
{
	local id=$1 text=$2 p left=''
	gone_soon "$t" || left="the command (sleep $t) is still there"
	for p in "${stamps[@]}"; do
		for _ in {1..20}; do
			alive "$p" || break
		done
		alive "$p" && left+=" process $p ($(tr '\0' ' ' <"/proc/${p%%:*}/cmdline" 2>/dev/null | head -c 60)) is still there"
	done
	rm -f "$W/started"
	host_git "$W" status --porcelain >"$D/status"
	[[ -s $D/status ]] && left+=" leftovers: $(cat "$D/status")"
	[[ $(mounts_of_host) == "$mounts" ]] || left+=" mounts: $(mounts_of_host), not $mounts"
	if [[ -z $left ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "$left"
	fi
	for p in "${stamps[@]}"; do
		kill_own "$p"
	done
	pkill -9 -f "^sleep $t"
	drop "$D"
}

mounts=$(mounts_of_host)
for sig in KILL TERM INT HUP QUIT; do
	wanted "lifecycle.signal-$sig" || continue
	start_run
	if [[ ! -e $W/started ]]; then
		t_fail "lifecycle.signal-$sig" "SIG$sig to berm" "it did not start: $(cat "$D/out")"
		continue
	fi
	kill "-$sig" "$main"
	check_gone "lifecycle.signal-$sig" "after SIG$sig to berm nothing is left"
done
if wanted lifecycle.kill-each; then
	n=1
	while [[ $n -lt 8 ]]; do
		start_run
		if [[ $n -ge ${#crew[@]} ]] || ! is_berm "${crew[n]}"; then
			kill -9 "$main"
			check_gone "lifecycle.kill-main" "the last of ${#crew[@]}: berm itself again"
			break
		fi
		what=$(tr '\0' ' ' <"/proc/${crew[n]}/cmdline" 2>/dev/null | head -c 40)
		kill -9 "${crew[n]}"
		check_gone "lifecycle.kill-each-$n" "after SIGKILL of descendant $n (${what%%/*}) nothing is left"
		n=$((n + 1))
	done
fi
# The same at odd moments of the start.
if wanted lifecycle.kill-start; then
	bad=''
	for us in 0 1 2 3 4 5 6 8 10 12 15 20 30; do
		fresh
		new_tag
		(cd "$W" && HOME=$H exec setsid "$BERM" run -w "$W" "${CAPS[@]}" -- /bin/sh -c "echo x >begun; sleep $t" </dev/null >"$D/out" 2>&1) &
		main=$!
		sleep "0.0$(printf %02d "$us")"
		crew_of "$main"
		kill -9 "$main"
		gone_soon "$t" || bad+=" $us ms: the command lives"
		for p in "${stamps[@]}"; do
			for _ in {1..20}; do
				alive "$p" || break
			done
			alive "$p" && bad+=" $us ms: $p lives"
		done
		rm -f "$W/begun"
		[[ -z $(host_git "$W" status --porcelain) ]] || bad+=" $us ms: leftovers"
		drop "$D"
	done
	t_is lifecycle.kill-start 'SIGKILL in the first 30 ms leaves nothing, at no moment' "$bad" ''
	t_is lifecycle.mounts 'and no mount' "$(mounts_of_host)" "$mounts"
fi

# Core dumps are files that the kernel makes past everybody.
attack lifecycle.core 'a core dump' do='ulimit -c unlimited; sh -c "kill -SEGV \$\$"; ls' \
	harm='find . -name "core*" -type f | grep -q .'
attack lifecycle.core-name 'a core dump whose name is chosen' \
	do='/usr/bin/python3 -c "import resource; resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))"; prlimit --core=unlimited:unlimited sh -c "kill -ABRT \$\$"' \
	harm='find . -name "core*" -type f | grep -q .'
attack lifecycle.rlimit-core 'RLIMIT_CORE is not raised' do='$A sys rlimit-core' harm='[[ $OUT == *ok* ]]' errno=EPERM \
	control='none:root may, others as their hard limit says'

# Nothing is left after a run that did nothing.
if wanted lifecycle.nothing-left; then
	fresh
	find "$W" ! -type d ! -path '*/.git/index' -printf '%p %y %s %T@ %C@\n' | sort >"$D/ws.before"
	run_in 'true'
	for _ in 1 2; do
		run_in 'cat README.md; git status; ls -laR . >/dev/null; echo x >.env; mkdir .claude/x; echo x >.git/hooks/y'
	done
	find "$W" ! -type d ! -path '*/.git/index' -printf '%p %y %s %T@ %C@\n' | sort >"$D/ws.after"
	t_is lifecycle.nothing-left 'the workspace is as it was, to the inode times' "$(diff "$D/ws.before" "$D/ws.after")" ''
	[[ $OUT == *@ran* ]] || t_fail lifecycle.nothing-left-ran 'it ran' "$OUT"
	drop "$D"
fi

# What the controls left and had not become a sleep yet when the others were killed.
for t in "${tags[@]}"; do
	pkill -9 -f "^sleep $t"
done
done_testing
