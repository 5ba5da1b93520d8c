# SPDX-License-Identifier: Apache-2.0
# What the adapters of the peers share.
# shellcheck shell=bash disable=SC2034

# Sets workspace and command from berm's own command line.
peer_arguments() {
	workspace=.
	command=()
	[[ ${1:-} == run ]] || {
		echo "peer: only 'run' is adapted" >&2
		exit 125
	}
	shift
	while (($#)); do
		case $1 in
		-w | --workspace)
			workspace=$2
			shift 2
			;;
		--)
			shift
			command=("$@")
			break
			;;
		--*=* | -q | --quiet) shift ;;
		-*) shift 2 ;;
		*)
			command=("$@")
			break
			;;
		esac
	done
	((${#command[@]})) || {
		echo "peer: no command" >&2
		exit 125
	}
}

# Where "make peers" installed it (BERM_PEERS), or the PATH's own.
peer_program() {
	local own=${BERM_PEERS:-}/node_modules/.bin/$1
	if [[ -n ${BERM_PEERS:-} && -x $own ]]; then
		echo "$own"
	else
		command -v "$1"
	fi
}
