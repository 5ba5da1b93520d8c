#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/layers.sh [ROOT]: a file under src/ includes only its own folder and
# floors below it (DESIGN: the house), and says so from src/ on.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0
while IFS= read -r file; do
	awk -v file="$file" '
	function floor_of(dir) { return dir in floors ? floors[dir] : -1 }
	BEGIN {
		n = split("base lib|policy shell|guard|plan|linux darwin vm win egress workspace|" \
			"session|forge|agent|server|cli panel", level, "|")
		for (i = 1; i <= n; i++) {
			m = split(level[i], dirs, " ")
			for (j = 1; j <= m; j++)
				floors[dirs[j]] = i
		}
		split(file, part, "/")
		own = part[2]
		if (floor_of(own) < 0) {
			print file ": folder \"" own "\" has no floor in tools/layers.sh"
			bad = 1
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, quoted, "\"")
		path = quoted[2]
		slash = index(path, "/")
		dir = substr(path, 1, slash - 1)
		if (path ~ /(^|\/)\.\.?\//)
			why = "is relative: write it from src/ on"
		else if (slash == 0)
			why = "names no folder: write it from src/ on"
		else if (floor_of(dir) < 0)
			why = "is of no known folder"
		else if (dir != own && floor_of(dir) >= floor_of(own))
			why = "goes up: " own " may include only floors below it"
		else
			next
		print file ":" FNR ": \"" path "\" " why
		bad = 1
	}
	END { exit bad }' "$file" || status=1
done < <(find src -name '*.[ch]' | sort)

# The public header stands alone.
if [[ -d include ]] && grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' include; then
	echo "include/: the public header includes nothing of src/"
	status=1
fi
exit "$status"
