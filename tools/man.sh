#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/man.sh: the manual page of each verb names exactly the long options that
# its --help prints (which comes from the table that parses them), the shell
# completions know each of them, and the pages are sound roff.
set -euo pipefail
cd "$(dirname "$0")/.."
berm=${BERM_BUILD:-build}/release/berm
status=0

long_options() {
	grep -oE -- '(^|[^A-Za-z0-9-])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u
}

# Backslash-hyphen is a plain hyphen on the page.
page_options() {
	sed 's/\\-/-/g; s/\\f[BIRP]//g' "$1" | grep -E '^(\.B|\.BR|\.BI|\.IP|\.OP|-|--)' | long_options
}

pages=(docs/man/berm-*.1)
[[ -f ${pages[0]} ]] || {
	echo "docs/man: no page berm-VERB.1"
	exit 1
}
for page in "${pages[@]}"; do
	verb=$(basename "$page" .1)
	verb=${verb#berm-}
	if ! help=$("$berm" "$verb" --help 2>/dev/null); then
		echo "$page: 'berm $verb --help' fails"
		status=1
		continue
	fi
	in_help=$(long_options <<<"$help")
	in_page=$(page_options "$page")
	only_help=$(comm -23 <(echo "$in_help") <(echo "$in_page") | grep -vx -- --help || true)
	only_page=$(comm -13 <(echo "$in_help") <(echo "$in_page") || true)
	[[ -z $only_help ]] || {
		echo "$page does not describe:" "${only_help//$'\n'/ }"
		status=1
	}
	[[ -z $only_page ]] || {
		echo "$page describes what --help does not print:" "${only_page//$'\n'/ }"
		status=1
	}
	for completion in packaging/completions/berm.*; do
		[[ -f $completion ]] || continue
		for option in $in_help; do
			grep -qE -- "(--|-l ?'?)?${option#--}" "$completion" || {
				echo "$completion does not know $option of berm $verb"
				status=1
			}
		done
	done
done
for page in docs/man/*.[0-9]; do
	if command -v groff >/dev/null && groff -man -Tutf8 -ww -z "$page" 2>&1 | grep .; then
		echo "$page: groff complains"
		status=1
	fi
done
exit "$status"
