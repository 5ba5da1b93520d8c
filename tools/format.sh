#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/format.sh [--fix] [ROOT]: C source as .clang-format wants it.
set -euo pipefail
fix=
if [[ ${1:-} == --fix ]]; then
	fix=1
	shift
fi
cd "${1:-$(dirname "$0")/..}"

status=0
while IFS= read -r file; do
	if [[ -n $fix ]]; then
		clang-format -i "$file"
	elif ! clang-format "$file" | diff -u --label "$file" --label formatted "$file" - | head -n 20; then
		status=1
	fi
done < <(find src include tests -name '*.[ch]' 2>/dev/null | sort)
exit "$status"
