#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/build.sh KIND: configures and builds one of the builds below in
# $BERM_BUILD/KIND. Quiet when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:?usage: build.sh release|package|gcc|clang|asan|analyzer|fuzz}
dir=${BERM_BUILD:-build}/$kind
options=()
targets=()
case $kind in
release | package)
	# What is installed; package: by dpkg, below /usr. musl where it is there: a shorter start (meson.build).
	if command -v musl-gcc >/dev/null; then
		export CC=musl-gcc
	else
		export CC=gcc
	fi
	targets=(programs libberm_files)
	[[ $kind == release ]] || options=(--prefix=/usr)
	;;
gcc)
	export CC=gcc
	;;
clang)
	export CC=clang
	;;
asan)
	export CC=clang
	options=(--buildtype=debugoptimized "-Db_sanitize=address,undefined" -Db_lundef=false
		-Dc_args=-fno-sanitize-recover=all)
	;;
analyzer)
	export CC=gcc
	# gcc 12 loses what is stored in an array that reallocarray() moved: leaks are left
	# to LeakSanitizer.
	# Without optimisation, which takes away what it then misses; it still does so for
	# variables with a cleanup (their absence is the compiler's -Wuninitialized).
	options=(--buildtype=debug -Doptimization=0 "-Dc_args=-fanalyzer -Wno-analyzer-malloc-leak \
-Wno-analyzer-use-of-uninitialized-value -Wno-format-truncation")
	targets=(libbermcore.a programs libberm_files)
	;;
fuzz)
	export CC=clang
	options=(--buildtype=debugoptimized "-Db_sanitize=address,undefined" -Db_lundef=false
		"-Dc_args=-fno-sanitize-recover=all -fsanitize=fuzzer-no-link")
	targets=(fuzz_libs)
	;;
*)
	echo "build.sh: unknown build '$kind'" >&2
	exit 2
	;;
esac

mkdir -p "${dir%/*}"
if [[ ! -w ${dir%/*} || (-e $dir && ! -w $dir) ]]; then
	echo "berm: cannot write in $dir (built by another user?); choose another place: BERM_BUILD=DIR" >&2
	exit 1
fi
if [[ ! -f $dir/build.ninja ]]; then
	meson setup "$dir" "${options[@]}" >"$dir.setup.log" 2>&1 || {
		cat "$dir.setup.log" >&2
		exit 1
	}
fi
log=$dir/last-build.log
if ! ninja -k 0 -C "$dir" ${BERM_JOBS:+-j"$BERM_JOBS"} "${targets[@]}" >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
