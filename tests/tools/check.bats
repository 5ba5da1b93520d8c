#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The counting of tools/check.sh and the package list: wrong here, and a red
# tree looks green.

setup() {
	tools=$BATS_TEST_DIRNAME/../../tools
	export BERM_BUILD=$BATS_TEST_TMPDIR/build
	export BERM_CHECKS=$BATS_TEST_TMPDIR/checks.txt
	: >"$BERM_CHECKS"
}

# check NAME NEEDS BODY: one more check, a script with this body.
check() {
	local script=$BATS_TEST_TMPDIR/$1.sh
	printf '#!/bin/bash\n%s\n' "$3" >"$script"
	chmod +x "$script"
	echo "$1 group $2 ${4:-20} $script" >>"$BERM_CHECKS"
}

# closes STATUS LINE: check.sh exits so and ends with exactly that line.
closes() {
	run "$tools/check.sh"
	echo "$output"
	[[ $status -eq $1 && ${lines[-1]} == "$2" ]]
}

@test "plain checks count as one" {
	check a - 'exit 0'
	check b a 'echo fine'
	closes 0 '2 passed, 0 failed'
	[[ $(<"$BERM_BUILD/check/summary") == '2 passed, 0 failed' ]]
}

@test "a failing check fails the run and shows its output" {
	check a - 'echo what went wrong; exit 3'
	closes 1 '0 passed, 1 failed'
	[[ $output == *'what went wrong'* ]]
}

@test "TAP is counted line by line, skips with their reasons" {
	check a - 'echo 1..3; echo "ok 1 - x"; echo "ok 2 - y # SKIP no such device"; echo "ok 3 - z"'
	closes 0 '2 passed, 0 failed'
	[[ $output == *'y # SKIP no such device'* && $output == *'1 skipped'* ]]
}

@test "a failure in TAP is one even with exit status 0" {
	check a - 'echo 1..2; echo "ok 1 - x"; echo "not ok 2 - y"; echo "# detail"; exit 0'
	closes 1 '1 passed, 1 failed'
	[[ $output == *'not ok 2 - y'* && $output == *'# detail'* ]]
}

@test "TAP that is cut short fails" {
	check a - 'echo 1..3; echo "ok 1 - x"; echo "ok 2 - y"'
	closes 1 '2 passed, 1 failed'
}

@test "TAP without a plan fails" {
	check a - 'echo "ok 1 - x"'
	closes 1 '1 passed, 1 failed'
}

@test "TAP that is green with a bad exit status fails" {
	check a - 'echo "ok 1 - x"; echo 1..1; exit 1'
	closes 1 '1 passed, 1 failed'
}

@test "TAP without a test fails, a skipped stream is counted as skipped" {
	check a - 'echo 1..0'
	closes 1 '0 passed, 1 failed'
	: >"$BERM_CHECKS"
	check a - 'exit 0'
	check b - 'echo "1..0 # SKIP not root"'
	closes 0 '1 passed, 0 failed'
	[[ $output == *'not root'* ]]
}

@test "what needs a failed check is failed, not run" {
	check a - 'exit 1'
	check b a "touch $BATS_TEST_TMPDIR/ran"
	check c b "touch $BATS_TEST_TMPDIR/ran"
	closes 1 '0 passed, 3 failed'
	[[ ! -e $BATS_TEST_TMPDIR/ran ]]
}

@test "a check that hangs is stopped and failed" {
	check a - 'sleep 30' 1
	closes 1 '0 passed, 1 failed'
	[[ $output == *'stopped after 1 s'* ]]
}

@test "a run that ran nothing is no success" {
	check a - 'echo "1..0 # SKIP nothing here"'
	closes 1 '0 passed, 0 failed'
}

@test "one check by name brings what it needs; an unknown name is an error" {
	check a - 'exit 0'
	check b a 'exit 0'
	check c - 'exit 1'
	run "$tools/check.sh" b
	[[ $status -eq 0 && ${lines[-1]} == '2 passed, 0 failed' ]]
	run "$tools/check.sh" nosuch
	[[ $status -eq 2 ]]
}

@test "the list of checks is sound: each command exists, each need is a check above it" {
	local name needs command n seen=' '
	while read -r name _ needs _ command _; do
		[[ -z $name || $name == \#* ]] && continue
		[[ $command != tools/* || -x $tools/../$command ]]
		for n in ${needs//,/ }; do
			[[ $n == - || $seen == *" $n "* ]]
		done
		seen+="$name "
	done <"$tools/checks.txt"
	[[ $seen == *' escape-user '* ]]
}

@test "packages: silent when nothing is missing" {
	printf 'run bash cmd:bash\nrun files file:/bin/s*\nother no cmd:no-such-program\n' \
		>"$BATS_TEST_TMPDIR/packages"
	BERM_PACKAGES=$BATS_TEST_TMPDIR/packages run "$tools/deps.sh" run
	[[ $status -eq 0 && -z $output ]]
}

@test "packages: a bad probe is an error" {
	echo 'run bash what:bash' >"$BATS_TEST_TMPDIR/packages"
	BERM_PACKAGES=$BATS_TEST_TMPDIR/packages run "$tools/deps.sh" run
	[[ $status -ne 0 && $output == *'bad probe'* ]]
}

@test "packages: without root and without sudo the one line to run" {
	((EUID == 0)) || skip "needs root to become nobody"
	echo 'run no-such-package cmd:no-such-program' >"$BATS_TEST_TMPDIR/packages"
	chmod a+rx "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/.." 2>/dev/null || true
	# The checkout may lie where nobody cannot go: the script comes by standard input.
	run setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \
		env BERM_PACKAGES=/dev/fd/3 bash -s run 3<"$BATS_TEST_TMPDIR/packages" <"$tools/deps.sh"
	echo "$output"
	[[ $status -eq 1 && $output == *'sudo apt-get install -y no-such-package'* ]]
}
