#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/sizes.sh [ROOT]: files stay below 600 lines (a word from 500 on),
# functions at or below 100 (a word from 80 on).
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0
mapfile -t files < <(find src include -name '*.[ch]' 2>/dev/null | sort)
for file in "${files[@]}"; do
	lines=$(wc -l <"$file")
	if ((lines > 600)); then
		echo "$file: $lines lines, the limit is 600"
		status=1
	elif ((lines > 500)); then
		echo "note: $file: $lines lines, 500 is the rule"
	fi
done

long=$(ctags -f - --languages=C --langmap=C:+.h --c-kinds=f --fields=+ne "${files[@]}" | awk -F'\t' '
	/^!/ { next }
	{
		line = end = 0
		for (i = 4; i <= NF; i++) {
			if ($i ~ /^line:/) line = substr($i, 6)
			if ($i ~ /^end:/) end = substr($i, 5)
		}
		n = end - line + 1
		if (n > 100)
			print $2 ":" line ": " $1 "() has " n " lines, the limit is 100"
		else if (n > 80)
			print "note: " $2 ":" line ": " $1 "() has " n " lines"
	}')
[[ -z $long ]] || echo "$long"
if grep -q '^[^n]\|^n[^o]' <<<"$long"; then
	status=1
fi
exit "$status"
