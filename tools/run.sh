#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/run.sh [OPTION]...: what "make run" does after building. The command
# comes in BERM_RUN_CMD, its workspace in BERM_RUN_DIR.
set -euo pipefail
berm=$(cd "$(dirname "$0")/.." && pwd)/${BERM_BUILD:-build}/release/berm
[[ ${BERM_BUILD:-} == /* ]] && berm=$BERM_BUILD/release/berm

if [[ -z ${BERM_RUN_CMD:-} ]]; then
	echo "usage: make run CMD='npm test' [DIR=path] [ARGS='berm run options']" >&2
	exit 2
fi
# The shell does not expand the tilde in DIR=~/path.
dir=${BERM_RUN_DIR:-.}
[[ $dir == \~/* ]] && dir=$HOME/${dir#\~/}
exec "$berm" run -w "$dir" "$@" -- sh -c "$BERM_RUN_CMD"
