#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/fuzz.sh SECONDS [NAME]...: runs each tests/fuzz/fuzz_NAME.c for so long
# with libFuzzer, ASan and UBSan, from its corpus. New inputs go to
# $BERM_BUILD/fuzz/corpus, a crash to $BERM_BUILD/fuzz/crashes.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
export BERM_BUILD=${BERM_BUILD:-build}
dir=$BERM_BUILD/fuzz

tools/build.sh fuzz
if (($# == 0)); then
	for source in tests/fuzz/fuzz_*.c; do
		name=$(basename "$source" .c)
		set -- "$@" "${name#fuzz_}"
	done
fi

# Where it is no library, its sources are one of lib*.a below.
read -ra llhttp < <(pkg-config --libs libllhttp 2>/dev/null || echo)

failed=0
mkdir -p "$dir/crashes"
for name; do
	program=$dir/fuzz_$name
	clang -g -O1 -D_GNU_SOURCE -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -I src -I include -o "$program" \
		"tests/fuzz/fuzz_$name.c" "$dir"/src/egress/lib*.a "$dir/libbermcore.a" -ljansson \
		"${llhttp[@]}"
	mkdir -p "$dir/corpus/$name"
	echo "== fuzz_$name, $seconds s"
	if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$dir/crashes/$name-" "$dir/corpus/$name" \
		"tests/fuzz/corpus/$name" >"$dir/fuzz_$name.log" 2>&1; then
		failed=$((failed + 1))
		tail -n 40 "$dir/fuzz_$name.log"
	fi
	grep -E '^stat::(number_of_executed_units|average_exec_per_sec)|^#[0-9]+[[:space:]]+DONE' \
		"$dir/fuzz_$name.log" || true
done
echo "$(($# - failed)) passed, $failed failed"
((failed == 0))
