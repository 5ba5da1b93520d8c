#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/man.sh: the manual page of each verb names each long option that its --help
# prints (which comes from the table that parses them) and none that it does not
# know, the shell completions know each of them, and the pages are sound roff.
set -euo pipefail
cd "$(dirname "$0")/.."
berm=${BERM_BUILD:-build}/release/berm
status=0

long_options() {
	# None at all is no error: what is missing is told below.
	{ grep -oE -- '(^|[^A-Za-z0-9-])--[a-z][a-z-]+' || true; } | { grep -oE -- '--[a-z-]+' || true; } | sort -u
}

# Backslash-hyphen is a plain hyphen on the page.
page_options() {
	sed 's/\\-/-/g; s/\\f[BIRP]//g' "$1" | { grep -E '^(\.B|\.BR|\.BI|\.IP|\.OP|-|--)' || true; } | long_options
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
	described=$in_page
	# A verb that takes run's policy options may refer to its page.
	if [[ $verb != run ]] && grep -q 'berm\\\?-run' "$page"; then
		described=$(sort -u <(echo "$in_page") <(page_options docs/man/berm-run.1))
	fi
	for option in $(comm -23 <(echo "$in_help") <(echo "$described")); do
		[[ $option == --help ]] && continue
		echo "$page does not describe $option"
		status=1
	done
	# What is known but not printed is what later versions enforce and this refuses.
	for option in $(comm -13 <(echo "$in_help") <(echo "$in_page")); do
		if "$berm" "$verb" "$option" 2>&1 | grep -q 'unknown option'; then
			echo "$page describes $option, which berm $verb does not know"
			status=1
		fi
	done
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
	if groff -man -Tutf8 -ww -z "$page" 2>&1 | grep .; then
		echo "$page: groff complains"
		status=1
	fi
done
exit "$status"
