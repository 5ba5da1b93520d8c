#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/tidy.sh [FILE]...: clang-tidy (.clang-tidy) over the program's source as the
# clang build compiles it. (glibc_compat.c is not in that build.) The analyzer among its checks
# goes less deep than by itself, at a tenth of the time, unless TIDY_DEEP is set: gcc's goes
# deep over the same files in each run.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BERM_BUILD:-build}/clang

if (($# == 0)); then
	mapfile -t files < <(find src -name '*.c' ! -name glibc_compat.c | sort)
	set -- "${files[@]}"
fi
mode=shallow
[[ -z ${TIDY_DEEP:-} ]] || mode=deep
printf '%s\0' "$@" |
	xargs -0 -n 4 -P "${BERM_CHECK_JOBS:-$(nproc)}" clang-tidy --quiet -p "$build" \
		--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang "--extra-arg=mode=$mode"
