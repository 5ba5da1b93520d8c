#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The network, against an internet of the tests' own (world.sh, rows.bash):
# run.sh [-j N] [-o ID-GLOB] [-s SUBJECT,...] [-k] BERM [SUBJECT...]
# Prints TAP. Runs as whoever calls it.

HERE=$(cd "$(dirname "$0")" && pwd)
if [[ -z ${WORLD:-} ]]; then
	"$HERE/world.sh" "$HERE/run.sh" "$@"
	status=$?
	if [[ $status == 77 ]]; then
		echo '1..0 # SKIP no namespaces for an internet of the tests own on this host'
		exit 0
	fi
	exit "$status"
fi
# shellcheck source=tests/lib.sh
. "$HERE/../lib.sh"

SUBJECTS=(gate names guard tls http dns proxies upstream forwards modes asks programs attacks)

suite_build()
{
	local tools=$T_BASE/tpl/home/src/proj/tools
	cp "$HERE/client.py" "$HERE/Net.java" "$HERE/get.go" "$WORLD/site/ca.pem" "$tools/"
	if [[ -e $WORLD/site/login ]]; then
		cp -p "$WORLD/site/login" "$tools/"
	fi
	# shellcheck disable=SC2046
	${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -w -o "$T_BASE/bin/attack" \
		$(printf '%s\n' "$HERE"/../escape/attack/*.c) -pthread -lrt || return 1
	cp "$T_BASE/bin/attack" "$tools/"
}

suite_main "$HERE" "$@"
