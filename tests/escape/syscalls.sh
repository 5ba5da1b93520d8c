# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# System calls and socket families that are refused (SPEC P2). Outside, the kernel
# looks at the arguments; inside the answer is the filter's. Where the kernel
# refuses the caller anyway, only a run as root can show the difference.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# refusal ID FORM ERRNO-RE: the answer must be a refusal inside, and another outside.
refusal()
{
	local group=$1 form=$2 errno=$3
	wanted "syscalls.$form" || return 0
	fresh .bare
	run_bare "\$A $group $form"
	local bare
	bare=$(sed -n "s/^$group $form: //p" <<<"$OUT")
	drop "$D"
	fresh
	run_in "\$A $group $form"
	local in
	in=$(sed -n "s/^$group $form: //p" <<<"$OUT")
	if [[ $OUT != *@ran* ]]; then
		t_fail "syscalls.$form" "$form is refused" "it did not run (exit $RC): $OUT"
	elif [[ $in == ok || ! $in =~ ^($errno)$ ]]; then
		if [[ $bare == "$in" && $bare != ok ]]; then
			t_skip "syscalls.$form" "$form is refused" "this kernel answers $bare to anybody like this"
		else
			t_fail "syscalls.$form" "$form is refused" "outside: $bare" "inside: $in, wanted $errno"
		fi
	elif [[ $bare == "$in" ]]; then
		t_skip "syscalls.$form" "$form is refused" "outside the answer is $bare too"
	else
		t_ok "syscalls.$form" "$form is refused ($in; outside: $bare)"
	fi
	drop "$D"
}

for form in $("$T_BASE/bin/attack" list sys | cut -d' ' -f2); do
	case $form in
	tiocsti* | tioclinux) continue ;; # tty.sh, on a terminal
	rlimit-core) continue ;; # lifecycle.sh
	mknod-*) continue ;; # below: what counts is the node
	i386-* | x32-*) refusal sys "$form" 'EPERM|ENOSYS|EACCES|@ran' ;;
	btrfs-*) refusal sys "$form" 'EPERM|EACCES' ;;
	personality) refusal sys "$form" 'EPERM|EINVAL' ;;
	*) refusal sys "$form" 'EPERM|ENOSYS|EACCES|ENOSPC' ;;
	esac
done

for form in $("$T_BASE/bin/attack" list net | grep -v -e unix- -e tcp -e udp | cut -d' ' -f2); do
	refusal net "$form" 'EPERM|EAFNOSUPPORT|EACCES|EPROTONOSUPPORT|ESOCKTNOSUPPORT'
done

for form in mknod-char mknod-block; do
	attack "syscalls.$form" "$form makes no device node" control='root:needs root' \
		do="\$A sys $form" harm='made aux.null || made aux.sda' errno='EPERM|EACCES'
done
attack syscalls.mknod-whiteout 'nor the 0:0 device that anybody may make' \
	do='$A sys mknod-whiteout' harm='made aux.whiteout' errno='EPERM|EACCES'

attack syscalls.i386-program 'a 32-bit program gets no system call through' \
	do="printf '$T_ELF32' >p; chmod +x p; ./p; echo status=\$?" harm='[[ $OUT == *status=42* ]]'

# What the filter of the command is, seen from inside.
if wanted syscalls.state; then
	fresh
	run_in 'cat /proc/self/status; cat /proc/sys/user/max_user_namespaces; ulimit -Hc'
	t_check syscalls.nnp 'no_new_privs is set' grep -q 'NoNewPrivs:[[:space:]]*1' <<<"$OUT"
	t_check syscalls.seccomp 'a seccomp filter is in force' grep -q 'Seccomp:[[:space:]]*2' <<<"$OUT"
	for cap in Inh Prm Eff Bnd Amb; do
		# A user cannot empty it outside of namespaces; it grants nothing (docs/tiers.md).
		[[ $cap != Bnd ]] || ! flat_tier || as_root || continue
		t_check "syscalls.cap-$cap" "Cap$cap is empty" grep -q "Cap$cap:[[:space:]]*0000000000000000" <<<"$OUT"
	done
	t_is syscalls.core-limit 'RLIMIT_CORE is 0, hard' "$(tail -1 <<<"$OUT")" 0
	drop "$D"
fi

done_testing
