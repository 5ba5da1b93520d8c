#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# diff.sh [COUNT [SEED]]: what the reader of command lines makes of thousands of lines, against
# what bash and dash really run. Prints TAP. Needs the gcc build.
set -euo pipefail
cd "$(dirname "$0")/../.."
dump=${BERM_BUILD:-build}/gcc/tests/shell/shell_dump

if [[ ! -x $dump ]]; then
	echo "Bail out! $dump is not there"
	exit 1
fi
exec python3 -B tests/shell/diff_bash.py "$(realpath "$dump")" "$@"
