#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/cppcheck.sh: cppcheck over src/. A finding is an error; one that is wrong
# is suppressed beside the line, with its reason. memleak is off: it does not know
# the cleanup attribute (LeakSanitizer looks for leaks).
set -euo pipefail
cd "$(dirname "$0")/.."
cache=${BERM_BUILD:-build}/check/cppcheck
mkdir -p "$cache"
cppcheck --quiet --std=c11 --language=c --platform=unix64 --inline-suppr --error-exitcode=1 \
	--enable=warning,performance,portability --suppress=missingIncludeSystem --suppress=memleak \
	--cppcheck-build-dir="$cache" -j "${BERM_CHECK_JOBS:-$(nproc)}" \
	-D__linux__=1 -D__x86_64__=1 -D_GNU_SOURCE=1 '-DBERM_VERSION=""' -I src -I include src
