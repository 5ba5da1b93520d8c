#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/bench/run.sh BERM [OPTION]... [WORK]...: builds the helpers beside BERM and
# measures (bench.py --help; net.py for the network, which WORK calls "net"). As root it makes an ordinary user for it, and only
# root can see the memory of berm's processes, which nobody else may look into.
# Peers: what is on the PATH, or below $BERM_PEERS, into which npm puts srt.
set -euo pipefail
berm=$(realpath "${1:?usage: run.sh BERM [OPTION]... [WORK]...}")
shift
here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "$berm")
if ! log=$(ninja -C "$build" berm-egress tests/bench/{floor,guard,micro,netmicro} 2>&1); then
	printf '%s\n' "$log" >&2
	exit 1
fi

# Is the network among the WORK that is asked for?
net_wanted() {
	local some=
	while (($#)); do
		case $1 in
		--rounds | --scale | --dir | --pss) shift ;;
		-*) ;;
		net) return 0 ;;
		*) some=1 ;;
		esac
		shift
	done
	[[ -z $some ]]
}

if [[ " $* " != *" --no-peers "* ]]; then
	export BERM_PEERS=${BERM_PEERS:-$build/peers}
	"$here/../peers/install.sh" "$BERM_PEERS" srt
fi

if ((EUID != 0)); then
	status=0
	python3 "$here/bench.py" --berm "$berm" --helpers "$build/tests/bench" "$@" || status=$?
	net_wanted "$@" || exit "$status"
	"$here/../net/world.sh" python3 "$here/net.py" --berm "$berm" --helpers "$build/tests/bench" "$@" ||
		status=$?
	exit "$status"
fi

stage=$(mktemp -d /tmp/berm-bench.XXXXXXXX)
user=berm-bench-$$
# shellcheck disable=SC2317 # called by the trap
clean_up() {
	local pid
	for pid in $(ps -o pid= -u "$user" 2>/dev/null); do
		kill -KILL "$pid" 2>/dev/null || true
	done
	# Peers leave their sockets there.
	find /tmp /var/tmp /dev/shm -xdev -depth -user "$user" -delete 2>/dev/null || true
	userdel -r "$user" >/dev/null 2>&1 || true
	rm -rf "$stage"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
useradd --create-home "$user"
home=$(getent passwd "$user" | cut -d: -f6)
chmod 755 "$stage"
cp "$berm" "$build/berm-egress" "$build/tests/bench/"{floor,guard,micro,netmicro} "$stage"
mkdir "$stage/tests"
cp -r "$here" "$(dirname "$here")/peers" "$(dirname "$here")/net" "$stage/tests"
[[ ! -d ${BERM_PEERS:-} ]] || cp -r "$BERM_PEERS" "$stage/npm"
chmod -R go+rX "$stage"
as_user=(runuser -u "$user" -- env -i "HOME=$home" "USER=$user" PATH=/usr/local/bin:/usr/bin:/bin
	"BERM_PEERS=$stage/npm")
# pasta wants the device that udev gives to everybody; a machine without udev may keep it for root.
if [[ -c /dev/net/tun ]] && ! runuser -u "$user" -- test -w /dev/net/tun &&
	mknod -m 666 "$stage/tun" c 10 200; then
	# shellcheck disable=SC2016
	as_user=(unshare --mount sh -c 'mount --bind "$0" /dev/net/tun && exec "$@"' "$stage/tun" "${as_user[@]}")
fi

# The proportional memory of everything of berm's own around a sleeping command.
pss() {
	local pid total=0 kib
	mkdir "$home/pss"
	chown "$user:" "$home/pss"
	"${as_user[@]}" "$stage/berm" run -q -w "$home/pss" -- sleep 4 &
	sleep 2
	for pid in $(pgrep -u "$user" -x berm); do
		kib=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup")
		total=$((total + kib))
	done
	wait
	rm -r "$home/pss"
	echo "$total"
}

# The same of a broker that has relayed something.
pss_broker() {
	local pid='' kib=0
	"${net[@]}" --hold >/dev/null &
	for _ in {1..200}; do
		pid=$(pgrep -u "$user" -x berm-egress) && break
		sleep 0.05
	done
	sleep 2
	[[ -z $pid ]] || kib=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup")
	wait
	echo "$kib"
}

status=0
memory=$(pss)
cd /
"${as_user[@]}" python3 "$stage/tests/bench/bench.py" --berm "$stage/berm" --helpers "$stage" \
	--pss "$memory" "$@" || status=$?
if net_wanted "$@"; then
	net=("${as_user[@]}" "$stage/tests/net/world.sh" python3 "$stage/tests/bench/net.py"
		--berm "$stage/berm" --helpers "$stage")
	memory=$(pss_broker)
	"${net[@]}" --pss "$memory" "$@" || status=$?
fi
exit "$status"
