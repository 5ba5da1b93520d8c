#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/shellcheck.sh [ROOT]: every shell script of the tree: by name, or by its
# first line.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

scripts=()
while IFS= read -r -d '' file; do
	[[ -f $file ]] || continue
	case $file in
	*.sh | *.bash | *.bats) scripts+=("$file") ;;
	*)
		IFS= read -r first <"$file" 2>/dev/null || first=
		[[ $first =~ ^\#!.*[/\ ](ba|da)?sh($|\ ) ]] && scripts+=("$file")
		;;
	esac
done < <(git ls-files -z)
((${#scripts[@]})) || {
	echo "no shell script found"
	exit 1
}
shellcheck -x -P SCRIPTDIR "${scripts[@]}"
