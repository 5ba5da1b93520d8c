#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/peers/run.sh BERM [-o ID-GLOB] [PEER...]: the escape, the must-work and the network corpora under
# berm and under each peer that is here or can be installed (adapters NAME-berm in
# this folder), one after the other, and a table of both. As root the corpora run
# as an ordinary user made for it.
set -uo pipefail
berm=$(realpath "${1:?usage: run.sh BERM [-o ID-GLOB] [PEER...]}")
shift
only=()
if [[ ${1:-} == -o ]]; then
	only=(-o "${2:?an ID-GLOB}")
	shift 2
fi
here=$(cd "$(dirname "$0")" && pwd)
tests=$(dirname "$here")

if (($# == 0)); then
	for adapter in "$here"/*-berm; do
		name=$(basename "$adapter")
		set -- "$@" "${name%-berm}"
	done
fi

stage=$(mktemp -d /tmp/berm-peers.XXXXXXXX)
user=
# shellcheck disable=SC2317 # called by the trap
clean_up() {
	local pid
	if [[ -n $user ]]; then
		for pid in $(ps -o pid= -u "$user"); do
			kill -KILL "$pid" 2>/dev/null
		done
		find /tmp /var/tmp /dev/shm -xdev -depth -user "$user" -delete 2>/dev/null
		userdel -r "$user" >/dev/null 2>&1
	fi
	rm -rf "$stage"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
chmod 755 "$stage"
cp -r "$tests" "$stage/tests"
cp "$berm" "$(dirname "$berm")/berm-egress" "$stage"

export BERM_PEERS=$stage/npm
"$here/install.sh" "$BERM_PEERS" "$@" || exit 1
chmod -R go+rX "$stage"

as_user=()
if ((EUID == 0)); then
	user=berm-peers-$$
	useradd --create-home "$user" || exit 1
	as_user=(runuser -u "$user" -- env -i "HOME=$(getent passwd "$user" | cut -d: -f6)" "USER=$user"
		PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 "BERM_PEERS=$BERM_PEERS")
fi

# corpus NAME PROGRAM RUNNER [SUBJECT]...: one row's part; dashes where it came to no end.
corpus() {
	local log peer=1 program=$2 runner=$3
	log=$stage/$1.$(basename "$(dirname "$3")").log
	[[ $1 == berm ]] && peer=0
	shift 3
	(cd /tmp && timeout 1800 "${as_user[@]}" env "T_PEER=$peer" "$runner" ${only+"${only[@]}"} "$program" "$@") >"$log" 2>&1
	if ! grep -q '^1\.\.[0-9]' "$log"; then
		echo "# $log: $(tail -n 1 "$log" | cut -c1-120)" >&2
		echo '- - - -'
		return
	fi
	awk '
		/^not ok / { if (pending) broken++; pending = 1; next }
		pending && /IT CAME THROUGH/ { through++; pending = 0; next }
		/^ok / { if (tolower($0) ~ /# skip/) skipped++; else fine++ }
		END { if (pending) broken++; print fine + 0, through + 0, broken + 0, skipped + 0 }' "$log"
}

# What a peer can be asked for: what gets through, what does not and what works, not how it is
# told, nor what only berm has.
attack=(race git names lists agentdirs view lifecycle modify links ancestors deps reads modes syscalls
	proc net env exec ipc tty fds setid state)
must=(git builds files basics ipc parallel)
net=(gate names guard tls http dns programs attacks)
printf '%-10s | %8s %8s %8s %8s | %8s %8s %8s | %8s %8s %8s %8s\n' '' stopped through unclear skipped \
	works breaks skipped 'net: ok' through breaks skipped
row() {
	local a b c d e f g h i j k l
	read -r a b c d < <(corpus "$1" "$2" "$stage/tests/escape/run.sh" "${attack[@]}")
	read -r e f g h < <(corpus "$1" "$2" "$stage/tests/system/run.sh" "${must[@]}")
	read -r i j k l < <(corpus "$1" "$2" "$stage/tests/net/run.sh" "${net[@]}")
	[[ $f == - ]] || g=$((f + g))
	printf '%-10s | %8s %8s %8s %8s | %8s %8s %8s | %8s %8s %8s %8s\n' "$1" "$a" "$b" "$c" "$d" \
		"$e" "$g" "$h" "$i" "$j" "$k" "$l"
}
row berm "$stage/berm"
for name; do
	program=$stage/tests/peers/$name-berm
	if ! (cd /tmp && "${as_user[@]}" "$program" run -w /tmp -- true) >"$stage/try.log" 2>&1; then
		printf '%-10s | does not run here: %s\n' "$name" "$(tail -n 1 "$stage/try.log" | cut -c1-120)"
		continue
	fi
	row "$name" "$program"
done
