#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/deps.sh GROUP...: installs the missing packages of these groups
# (tools/packages.txt). Silent when nothing is missing.
set -euo pipefail
list=${BERM_PACKAGES:-$(dirname "$0")/packages.txt}

present() {
	case $1 in
	cmd:*) command -v "${1#cmd:}" >/dev/null ;;
	file:*) compgen -G "${1#file:}" >/dev/null ;;
	*)
		echo "tools/packages.txt: bad probe '$1'" >&2
		exit 2
		;;
	esac
}

missing() {
	local group package probe
	while read -r group package probe; do
		[[ -z $group || $group == \#* || " $* " != *" $group "* ]] && continue
		present "$probe" || echo "$package"
	done <"$list" | sort -u
}

packages=$(missing "$@")
[[ -z $packages ]] && exit 0
mapfile -t want <<<"$packages"

as_root=()
if ((EUID != 0)); then
	as_root=(sudo)
	# Without a terminal sudo must not wait for a password nobody can type.
	[[ -t 0 ]] || as_root=(sudo -n)
fi
if ! command -v apt-get >/dev/null; then
	echo "berm: missing (Debian names): ${want[*]}; install them with your package manager" >&2
	exit 1
fi
if ((EUID != 0)) && ! "${as_root[@]}" true 2>/dev/null; then
	echo "berm: some packages are missing; install them with:" >&2
	echo "  sudo apt-get install -y ${want[*]}" >&2
	exit 1
fi

echo "berm: installing ${want[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt=("${as_root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300)
"${apt[@]}" update >&2
"${apt[@]}" install -y --no-install-recommends "${want[@]}" >/dev/null

still=$(missing "$@")
if [[ -n $still ]]; then
	echo "berm: still missing after the installation: ${still//$'\n'/ }" >&2
	exit 1
fi
