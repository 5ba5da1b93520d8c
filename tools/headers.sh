#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/headers.sh [ROOT]: every source file names its license first; every
# header is guarded and opens with a sentence on what it is; every function a
# header declares is documented there, alone or in a group under one comment
# (NAME_free, which releases what NAME holds, needs none).
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0
while IFS= read -r file; do
	head -n 1 "$file" | grep -qxF '/* SPDX-License-Identifier: Apache-2.0 */' || {
		echo "$file: the first line is not the license line"
		status=1
	}
done < <(find src include tests -name '*.[ch]' 2>/dev/null | sort)

while IFS= read -r file; do
	grep -qx '#pragma once' "$file" || {
		echo "$file: no '#pragma once'"
		status=1
	}
	awk '
	NR == 2 && $0 !~ /^\/\*/ { print FILENAME ": no opening comment under the license line"; bad = 1 }
	/^$/ { documented = 0 }
	/\/\*/ { documented = 1 }
	/^#/ { next }
	# A declaration starts in the first column and runs to its semicolon.
	/^[A-Za-z_].*\(/ && !/^(static|struct [a-z0-9_]+ \{|enum|typedef|union|_Static_assert)/ {
		start = NR
		text = $0
		while (text !~ /[;{]/ && (getline more) > 0)
			text = text " " more
		if (text ~ /;/ && text !~ /\{/ && !documented && text !~ /[a-z]_free\(/) {
			sub(/\(.*/, "", text)
			print FILENAME ":" start ": " text "() is not documented"
			bad = 1
		}
	}
	END { exit bad }' "$file" || status=1
done < <(find src include -name '*.h' 2>/dev/null | sort)
exit "$status"
