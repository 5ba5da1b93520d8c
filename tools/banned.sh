#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/banned.sh [ROOT]: calls that have a safer sibling (tools/banned.txt).
# base/banned.h poisons some of them for the compiler; this also sees code that
# the present build leaves out.
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tools/..}"

status=0
while IFS= read -r file; do
	# The list itself, and what gives a library built for glibc its own calls.
	[[ $file == src/base/banned.h || $file == src/base/glibc_compat.c ]] && continue
	awk -f "$tools/strip-comments.awk" "$file" | awk '
	NR == FNR {
		if ($0 !~ /^#/ && NF >= 2) {
			name = $1
			sub(/^[^ \t]+[ \t]+/, "")
			why[name] = $0
		}
		next
	}
	{
		rest = $0
		while (match(rest, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
			name = substr(rest, RSTART, RLENGTH - 1)
			gsub(/[ \t]/, "", name)
			if (name in why) {
				print file ":" FNR ": " name "(): " why[name]
				bad = 1
			}
			rest = substr(rest, RSTART + RLENGTH)
		}
	}
	END { exit bad }' file="$file" "$tools/banned.txt" - || status=1
done < <(find src include -name '*.[ch]' 2>/dev/null | sort)
exit "$status"
