#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/words.sh [ROOT]: nothing tracked names a build machine's paths, a package
# registry's host or who typed the code, and nothing is left open.
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

status=0
# forbid REASON REGEX [PATHSPEC]...
forbid() {
	local reason=$1 regex=$2 hits
	shift 2
	hits=$(git grep -nIE "$regex" -- "${@:-.}" | cut -c1-160 || true)
	[[ -z $hits ]] && return
	echo "$reason:"
	echo "$hits"
	status=1
}

# Brackets keep these patterns from matching themselves.
forbid "a path of a build machine" '(^|[^A-Za-z0-9_.])/(wor[k]|far[m])/'
forbid "a package registry's host" 'registry\.npm[j]s\.org|deb\.debian[.]org|pypi[.]org/|crates[.]io/'
forbid "left open" '\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b'
forbid "left open" '(for no[w]|not ye[t] done|not implement[e]d)\b' src include data
forbid "a note on who typed it" '([Cc]o-[Aa]uthored-[Bb]y|[Gg]enerate[d] (by|with) (an? )?(AI|LLM|[Cc]laude|[Cc]opilot|[Cc]odex|[Cc]hatGPT))'
forbid "trailing blanks" '[[:blank:]]$' ':!LICENSE' ':!*.patch' ':!tests/fuzz/corpus' ':!tests/system' ':!tests/escape'
exit "$status"
