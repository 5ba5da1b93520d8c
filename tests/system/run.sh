#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What must work, and what must be refused clearly:
# run.sh [-j N] [-o ID-GLOB] [-s SUBJECT,...] [-k] BERM [SUBJECT...]
# Prints TAP. Runs as whoever calls it. See tests/lib.sh and rows.bash.

HERE=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib.sh
. "$HERE/../lib.sh"

SUBJECTS=(git builds learn tiers flat files basics ipc network terminal asks guard parallel warm inside attach limits places badinput events ghosts)

suite_build()
{
	# shellcheck disable=SC2046
	${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -w -o "$T_BASE/bin/attack" \
		$(printf '%s\n' "$HERE"/../escape/attack/*.c) -pthread -lrt || return 1
	${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -w -o "$T_BASE/bin/fileops" "$HERE/fileops.c" -pthread -lrt || return 1
	${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -w -o "$T_BASE/bin/underfilter" "$HERE/underfilter.c" || return 1
	cp "$T_BASE/bin/attack" "$T_BASE/bin/fileops" "$T_BASE/tpl/home/src/proj/tools/"
}

suite_main "$HERE" "$@"
