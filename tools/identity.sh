#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/identity.sh user|root RUNNER [ARG]...: runs RUNNER ARG... BERM from the
# staged tree (tools/check-install.sh) as root, or as an ordinary user made for it
# and removed afterwards. When the runner is done nothing of that user may be
# left: no process, no file outside its home. Without root the caller is the
# ordinary user, and what needs root is skipped.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
identity=$1 runner=$2
shift 2
stage=$(<"${BERM_BUILD:-build}/check/stage") || exit 2
berm=$stage/root/usr/local/bin/berm

if [[ ! -x $stage/$runner ]]; then
	echo "$runner is missing or not executable"
	exit 1
fi
if [[ $identity == root ]] && ((EUID != 0)); then
	echo "1..0 # SKIP $runner as root: this run is not root"
	exit 0
fi
if [[ $identity == root ]] || ((EUID != 0)); then
	cd "$stage" || exit 2
	exec "$stage/$runner" "$@" "$berm"
fi

user=
# Without the dead ones: those are for the host's pid 1 to reap, and not every one does.
processes() {
	ps -o pid=,stat= -u "$user" 2>/dev/null | awk '$2 !~ /^Z/ { print $1 }'
}

# shellcheck disable=SC2317 # called by the trap
remove_user() {
	local pid
	[[ -n $user ]] || return
	for pid in $(processes); do
		kill -KILL "$pid" 2>/dev/null
	done
	userdel -r "$user" >/dev/null 2>&1
	user=
}
began=$(mktemp) || exit 1
trap 'remove_user; rm -f "$began"' EXIT
trap 'exit 143' TERM INT HUP

user=berm-test-$$
if ! useradd --create-home --shell /bin/bash "$user"; then
	echo "cannot create the user $user"
	user=
	exit 1
fi
home=$(getent passwd "$user" | cut -d: -f6)

runuser -u "$user" -- env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash \
	PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 bash -c 'cd && exec "$@"' - \
	"$stage/$runner" "$@" "$berm"
status=$?

# A process that was told to die may need a moment to be reaped.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[[ -z $(processes) ]] && break
	sleep 0.1
done
if [[ -n $(processes) ]]; then
	echo "# left behind by $runner, processes:"
	ps -o pid,ppid,stat,args -u "$user"
	status=1
fi
# What tmux and java leave there by custom is the runner's, not berm's, and what is older
# than the run belonged to an earlier user of the same number. All of it goes.
left=$(find /tmp /var/tmp /dev/shm /run -xdev -user "$user" -cnewer "$began" ! -path '*/tmux-[0-9]*' \
	! -path "*/hsperfdata_$user*" 2>/dev/null | head -n 20)
if [[ -n $left ]]; then
	echo "# left behind by $runner, files:"
	echo "$left"
	status=1
fi
find /tmp /var/tmp /dev/shm -xdev -depth -user "$user" -delete 2>/dev/null
exit "$status"
