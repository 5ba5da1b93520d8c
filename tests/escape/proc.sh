# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Other processes: those of the host, berm's own, and /proc (SPEC P1).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# A process of the host, of the same user, with a secret in its environment.
odd=600.$RANDOM$RANDOM
sleeper="env SECRET=CANARY-env sleep $odd"'>/dev/null 2>&1 & echo $! >pid; own_pid $!; disown; sleep 0.05'

while IFS='|' read -r id do harm; do
	attack "proc.host.$id" "a process of the host: $id" setup="$sleeper" \
		do="P=\$(cat pid); ${do//ODD/$odd}" harm="$harm"
done <<'LIST'
kill|kill -9 $P|dead $(cat pid)
kill-syscall|$A proc kill $P|dead $(cat pid)
tgkill|$A proc tgkill $P|dead $(cat pid)
sigqueue|$A proc sigqueue $P|dead $(cat pid)
pidfd|$A proc pidfd-signal $P|dead $(cat pid)
pkill|pkill -9 -f "^sleep ODD"|dead $(cat pid)
environ|$A proc proc-environ $P|leaked
environ-all|cat /proc/[0-9]*/environ 2>/dev/null|leaked
cmdline-all|cat /proc/[0-9]*/cmdline 2>/dev/null; echo|[[ $OUT == *sleep*600* ]]
ps|ps axww; ps aux|[[ $OUT == *sleep\ 600* ]]
ptrace|$A proc ptrace-attach $P|[[ $OUT == *ok* ]]
ptrace-seize|$A proc ptrace-seize $P|[[ $OUT == *ok* ]]
vm-readv|$A proc vm-readv $P|[[ $OUT == *ok* ]]
vm-writev|$A proc vm-writev $P|[[ $OUT == *EFAULT* ]]
mem|$A proc proc-mem $P|[[ $OUT == *ok* ]]
root|$A proc proc-root $P|[[ $OUT == *ok* ]]
cwd|$A proc proc-cwd $P|[[ $OUT == *ok* ]]
fd|$A proc proc-fd $P|[[ $OUT == *ok* ]]
pidfd-getfd|$A proc pidfd-getfd $P|[[ $OUT == *ok* ]]
prlimit|$A proc prlimit $P|[[ $OUT == *ok* ]]
nice|$A proc setpriority $P|[[ $(ps -o ni= -p $(cat pid)) == *19* ]]
affinity|$A proc sched-affinity $P|[[ $OUT == *ok* ]]
kcmp|$A proc kcmp $P|[[ $OUT == *ok* ]]
visible|ls -d /proc/$P|[[ $OUT != *annot* ]]
gdb|gdb -batch -p $P 2>&1 | grep -i -e attach -e ptrace -e "process"|[[ $OUT == *"Inferior"* || $OUT == *"detached"* ]]
LIST
for ns in mnt pid net; do
	attack "proc.host.setns-$ns" "a process of the host: its $ns namespace" control='root:needs root' \
		setup="$sleeper" do="\$A proc setns-$ns \$(cat pid)" harm='[[ $OUT == *ok* ]]'
done
attack proc.host.pidfd-setns 'a process of the host: namespaces by pidfd' control='root:needs root' \
	setup="$sleeper" do='$A proc pidfd-setns $(cat pid)' harm='[[ $OUT == *ok* ]]'

# Those who share the process group of the caller: a build, a terminal's pipeline.
group='sleep 600 & s=$!; echo $s >pid; '
for form in kill-group setpriority-group ioprio-group; do
	wanted "proc.group.$form" || continue
	case $form in
	kill-group) look='! kill -0 $(cat pid) 2>/dev/null' ;;
	setpriority-group) look='[[ $(ps -o ni= -p $(cat pid)) == *19* ]]' ;;
	ioprio-group) look='[[ $(ionice -p $(cat pid)) == idle* ]]' ;;
	esac
	for where in bare in; do
		fresh ".$where"
		cmd=("$A" proc "$form")
		[[ $where == in ]] && cmd=("$BERM" run -w "$W" "${CAPS[@]}" -- "${cmd[@]}")
		(cd "$W" && HOME=$H setsid -w bash -c "$group"'trap "" USR1; timeout --foreground 20 "$@" >out 2>&1; sleep 0.1; '"$look"' && touch harm; kill -9 $s 2>/dev/null' - "${cmd[@]}" \
			</dev/null >/dev/null 2>&1)
		[[ -e $W/harm ]] && hit=1 || hit=0
		said=$(cat "$W/out")
		drop "$D"
		if [[ $where == bare && $hit == 0 ]]; then
			t_fail "proc.group.$form" "$form" "the control did no harm: $said"
			break
		elif [[ $where == in && $said != *"proc $form"* ]]; then
			t_fail "proc.group.$form" "$form" "it did not run: $said"
		elif [[ $where == in ]]; then
			t_is "proc.group.$form" "$form does not reach the caller's process group" "$hit" 0
		fi
	done
done

# berm's own: pid 1 of the sandbox can be seen, and that is all.
while IFS='|' read -r id do harm; do
	attack "proc.init.$id" "pid 1: $id" control="none:there is no such process outside" do="$do" harm="$harm"
done <<'LIST'
kill|kill -9 1; $A proc kill 1; sleep 0.1; echo still-here|[[ $OUT != *still-here* ]]
stop|kill -STOP 1; sleep 0.1; echo still-here|[[ $OUT != *still-here* ]]
all-signals|for s in 1 2 3 4 5 6 7 8 10 11 12 13 14 15 16 24 25 26 27 29 30 31; do kill -$s 1 2>/dev/null; done; sleep 0.1; echo still-here|[[ $OUT != *still-here* ]]
ptrace|$A proc ptrace-attach 1|[[ $OUT == *ok* ]]
seize|$A proc ptrace-seize 1|[[ $OUT == *ok* ]]
mem|$A proc proc-mem 1|[[ $OUT == *ok* ]]
environ|$A proc proc-environ 1|[[ $OUT == *ok* ]]
root|$A proc proc-root 1|[[ $OUT == *ok* ]]
fd|ls -l /proc/1/fd; readlink /proc/1/fd/*|[[ $OUT == *'->'* ]]
pidfd-getfd|$A proc pidfd-getfd 1|[[ $OUT == *ok* ]]
vm-readv|$A proc vm-readv 1|[[ $OUT == *ok* ]]
setns|$A proc setns-mnt 1; $A proc setns-user 1|[[ $OUT == *ok* ]]
LIST
attack proc.init.alone 'no other process of berm is to be seen' control='none:a count' \
	do='for d in /proc/[0-9]*; do [ ${d#/proc/} = 1 ] || tr "\0" "\n" <$d/cmdline | head -n 1; done' \
	harm='grep -q "berm$" <<<"$OUT"'
attack proc.init.tracer 'a process of the host is no tracer or parent that could be seen' control='none:a count' \
	do='grep -h -e PPid -e TracerPid /proc/self/status /proc/1/status' harm='grep -vq "[[:space:]][01]$" <<<"$(grep TracerPid <<<"$OUT")"'

# /proc files that change the machine. Each is written with what it holds.
for f in kernel/core_pattern kernel/hostname kernel/domainname kernel/modprobe kernel/sysrq kernel/panic \
	kernel/randomize_va_space vm/overcommit_memory vm/drop_caches fs/file-max fs/suid_dumpable \
	net/ipv4/ip_forward user/max_user_namespaces kernel/ns_last_pid kernel/threads-max \
	kernel/unprivileged_bpf_disabled kernel/printk; do
	attack "proc.sys.$f" "/proc/sys/$f cannot be written" control='try:it is refused bare as well' \
		do="f=/proc/sys/$f; v=\$(cat \$f 2>/dev/null); case $f in vm/drop_caches) v=1;; kernel/ns_last_pid) v=\${v:-1};; esac; printf '%s' \"\$v\" >\$f && echo WRITTEN" \
		harm='[[ $OUT == *WRITTEN* ]]'
done
attack proc.sysrq '/proc/sysrq-trigger cannot be opened for writing' control='try:it is refused bare as well' \
	do=': >>/proc/sysrq-trigger && echo WRITTEN' harm='[[ $OUT == *WRITTEN* ]]'
attack proc.sysrq-lower-level 'nor by the userns that unshare would make' control="none:never on the host" \
	do='unshare -Ur sh -c ": >>/proc/sysrq-trigger && echo WRITTEN; : >>/proc/sys/kernel/core_pattern && echo WRITTEN"' harm='[[ $OUT == *WRITTEN* ]]'
attack proc.fresh-proc 'a fresh /proc, mounted in a user namespace' \
	do='mkdir p; unshare -Urpfm sh -c "mount -t proc p p && echo MOUNTED"' harm='[[ $OUT == *MOUNTED* ]]'
attack proc.fresh-sysfs 'a fresh /sys' do='mkdir p; unshare -Urnm sh -c "mount -t sysfs s p && echo MOUNTED"' harm='[[ $OUT == *MOUNTED* ]]'
attack proc.fresh-tmpfs 'a tmpfs' do='mkdir p; unshare -Urm sh -c "mount -t tmpfs s p && echo MOUNTED"' harm='[[ $OUT == *MOUNTED* ]]'
attack proc.fresh-mqueue 'an mqueue' do='mkdir p; unshare -Urim sh -c "mount -t mqueue s p && echo MOUNTED"' harm='[[ $OUT == *MOUNTED* ]]'
attack proc.uid-map 'a map of all ids' control='root:only root could' \
	do='unshare -U sh -c "sleep 0.3" & sleep 0.1; echo "0 0 4294967295" >/proc/$!/uid_map && echo WRITTEN' harm='[[ $OUT == *WRITTEN* ]]'
attack proc.setgroups 'the groups of the caller are not more than the caller has' control='none:a count' \
	do='id -G' harm='for g in ${OUT#*@ran}; do [[ $g == 65534 || " $(id -G) " == *" $g "* ]] || exit 0; done; exit 1'
attack proc.oom 'the oom score is not lowered' control='try:it is refused bare as well' \
	do='echo -1000 >/proc/self/oom_score_adj && echo WRITTEN' harm='[[ $OUT == *WRITTEN* ]]'
attack proc.nice 'priority is not raised' control='try:it is refused bare as well' do='nice -n -10 true 2>&1 | grep -q "cannot set" || echo RAISED' harm='[[ $OUT == *RAISED* ]]'
attack proc.realtime 'nor real-time scheduling taken' control='try:it is refused bare as well' \
	do='chrt -f 50 true && echo RAISED' harm='[[ $OUT == *RAISED* ]]'
attack proc.mlock 'nor limits raised' control='try:it is refused bare as well' do='ulimit -Hn 2000000 && echo RAISED' harm='[[ $OUT == *RAISED* ]]'

done_testing
