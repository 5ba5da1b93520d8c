#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs inside the sandbox and prints what protects it, the same text in each run
# of the same policy. Argument: a file outside that must not be readable.
# The first word says that the command ran at all.
echo RAN
secret=$1

grep -E '^(Uid|Gid|Groups|NoNewPrivs|Seccomp|Seccomp_filters|Cap[A-Z][a-z]+):' /proc/self/status
echo "umask $(umask)"
cat /proc/self/limits
echo "pid 1 is $(cat /proc/1/comm)"
echo "descriptors" /proc/self/fd/*
awk '{ gsub(/\/[^ ]*(b-[0-9a-f]+)[^ ]*/, "SESSION"); sub(/ - /, " "); print $5, $6, $(NF - 2) }' \
	/proc/self/mountinfo | sort
echo "root has" /*
awk 'NR > 2 { print "interface", $1 }' /proc/net/dev
awk '{ print "key", $8, $9 }' /proc/keys 2>&1 | sort
env | grep -vE '^(BERM_SESSION|_)=' | sort
hostname

attempt() {
	name=$1
	shift
	if "$@" >/dev/null 2>&1; then echo "can $name"; else echo "cannot $name"; fi
}
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
attempt "signal the parent of pid 1" kill -0 0
rm -rf plain.txt some /tmp/plain.txt
