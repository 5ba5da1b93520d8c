#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/data.sh [ROOT]: every list in data/ is compiled in (data/meson.build
# names it) and opens with a comment that says what it is.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0
while IFS= read -r file; do
	name=${file#data/}
	case $name in
	meson.build | *.py | *.awk | *.sh | *.[ch]) continue ;;
	esac
	grep -qE "['\"/]${name}['\"]" data/meson.build || {
		echo "$file: not named in data/meson.build, so not compiled in"
		status=1
	}
	[[ $(head -c 1 "$file") == '#' ]] || {
		echo "$file: does not open with a comment"
		status=1
	}
done < <(find data -type f | sort)
exit "$status"
