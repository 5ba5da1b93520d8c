#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs inside the sandbox and prints what protects it, the same text in each run
# of the same policy, by programs that need nothing of /etc. Argument: a file
# outside that must not be readable.
# The first word says that the command ran at all. What follows changes files,
# mounts and settings wherever it is let: so not outside a sandbox.
echo RAN
secret=$1
# A process number outside of a pid namespace of few processes means that /proc is another's
# (the container tier): then the session's name and the flag have to do. So they have where the
# first process is not shown (the landlock tier), and the numbers are the host's.
init=
[ ! -e /proc/1 ] || read -r init </proc/1/comm
if [ "$init" != berm ] && { [ -z "$BERM_SESSION" ] || ! grep -q '^NoNewPrivs:.1' /proc/self/status ||
	{ [ -n "$init" ] && [ $$ -gt 9 ]; }; }; then
	echo "pid 1 is $init: not in a sandbox: stopping"
	exit 98
fi
if [ "$(id -u)" = 0 ]; then
	echo "as root: stopping"
	exit 98
fi

grep -E '^(Uid|Gid|Groups|NoNewPrivs|Seccomp|Seccomp_filters|Cap[A-Z][a-z]+):' /proc/self/status
echo "umask $(umask)"
cat /proc/self/limits
echo "descriptors" /proc/self/fd/*
sed 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]* [^ ]*\).* - \([^ ]*\) .*/\1 \2/' /proc/self/mountinfo |
	sed 's,^/proc/[0-9]* ,/proc/N ,' | sort
printf 'root has %s\n' /*
sed -n '3,$s/:.*//p' /proc/net/dev
env | grep -vE '^(BERM_SESSION|_)=' | sort
hostname

attempt() {
	name=$1
	shift
	if "$@" >/dev/null 2>&1; then echo "can $name"; else echo "cannot $name"; fi
}
# shellcheck disable=SC2317 # called by attempt
write() {
	echo x >"$1"
}
attempt "write a file in the workspace" write plain.txt
attempt "make a directory in the workspace" mkdir -p some/dir
attempt "write in /tmp" write /tmp/plain.txt
attempt "write a git hook" write .git/hooks/post-commit
attempt "set a git filter" git config filter.x.clean true
attempt "write .env" write .env
attempt "make an agent's settings" mkdir -p .claude/skills
attempt "make an agent's settings file" write .mcp.json
attempt "write in /etc" write /etc/berm-faults
attempt "write in /usr" write /usr/berm-faults
attempt "write in the root" write /berm-faults
attempt "write a kernel setting" write /proc/sys/kernel/hostname
attempt "read the secret" cat "$secret"
attempt "make a user namespace" unshare -U true
attempt "make a mount namespace" unshare -m true
attempt "mount" mount -t tmpfs none /tmp
attempt "see processes of the host" test -d /proc/self/root/proc/2000000
exit 0
