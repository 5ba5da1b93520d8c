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

mapfile -t files < <(find src include tests -name '*.[ch]' 2>/dev/null | sort)
((${#files[@]})) || exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [[ -n $fix ]]; then
	clang-format -i "${files[@]}"
	exit
fi
# All at once: a process for each file takes longer than the formatting.
clang-format --dry-run -Werror "${files[@]}" 2>"$log" && exit
sed -n 's/^\([^: ]*\.[ch]\):[0-9].*error: .*/\1/p' "$log" | sort -u | while IFS= read -r file; do
	clang-format "$file" | diff -u --label "$file" --label formatted "$file" - | head -n 20 || true
done
grep -q ': error: ' "$log" || cat "$log"
exit 1
