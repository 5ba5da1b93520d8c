# SPDX-License-Identifier: Apache-2.0
# What the adapters of the peers share.
# shellcheck shell=bash disable=SC2034

# Sets workspace, command, allowed and denied (hosts) from berm's own command line.
peer_arguments() {
	workspace=.
	command=()
	allowed=()
	denied=()
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
		--allow-domain)
			allowed+=("$2")
			shift 2
			;;
		--deny-domain)
			denied+=("$2")
			shift 2
			;;
		--*=* | -q | --quiet | --no-proxy-env) shift ;;
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

# Where "make peers" installed it, or the PATH's own. The corpora start everything with an
# environment of their own, without BERM_PEERS: then it is beside the stage's tests.
peer_program() {
	local own=${BERM_PEERS:-$(dirname "${BASH_SOURCE[0]}")/../../npm}/node_modules/.bin/$1

	if [[ -x $own ]]; then
		realpath -s "$own"
	else
		command -v "$1"
	fi
}
