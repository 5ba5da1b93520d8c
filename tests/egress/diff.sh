#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# diff.sh dns|hello|http: what the broker's readers see, against what others see in the same
# bytes (diff_*.py). Prints TAP. Needs the gcc build.
set -euo pipefail
cd "$(dirname "$0")/../.."
dump=${BERM_BUILD:-build}/gcc/tests/egress/dump

if [[ ! -x $dump ]]; then
	echo "Bail out! $dump is not there"
	exit 1
fi
# Debian's own interpreter: its packages are what is compared with.
exec /usr/bin/python3 -B "tests/egress/diff_$1.py" "$(realpath "$dump")"
