#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Each check script passes a good tree and fails on the one thing it looks for.

setup() {
	tools=$BATS_TEST_DIRNAME/../../tools
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree"/src/{base,policy,linux,cli} "$tree"/{data,include,tools}
	header base/str.h 'int str_one(void);'
	header policy/rule.h 'int rule_one(void);'
	header linux/launch.h 'int launch_one(void);'
	source_file linux/launch.c '#include "linux/launch.h"' '#include "policy/rule.h"' \
		'#include "base/str.h"'
}

# header PATH DECLARATION...: a sound header with documented declarations.
header() {
	local path=$tree/src/$1
	shift
	{
		echo '/* SPDX-License-Identifier: Apache-2.0 */'
		echo '/* What it is. */'
		echo '#pragma once'
		echo
		echo '/* What it does. */'
		printf '%s\n' "$@"
	} >"$path"
}

source_file() {
	local path=$tree/src/$1
	shift
	{
		echo '/* SPDX-License-Identifier: Apache-2.0 */'
		printf '%s\n' "$@"
	} >"$path"
}

repository() {
	git -C "$tree" init -q
	git -C "$tree" add -A
}

# fails TEXT COMMAND...: the command fails and says TEXT.
fails() {
	local text=$1
	shift
	run "$@"
	echo "$output"
	[[ $status -ne 0 && $output == *"$text"* ]]
}

@test "layers: a good tree passes" {
	run "$tools/layers.sh" "$tree"
	[[ $status -eq 0 && -z $output ]]
}

@test "layers: an include that goes up" {
	source_file policy/rule.c '#include "linux/launch.h"'
	fails 'src/policy/rule.c:2: "linux/launch.h" goes up' "$tools/layers.sh" "$tree"
}

@test "layers: an include of a sibling on the same floor" {
	mkdir "$tree/src/shell"
	header shell/word.h 'int word_one(void);'
	source_file policy/rule.c '#include "shell/word.h"'
	fails 'goes up' "$tools/layers.sh" "$tree"
}

@test "layers: a relative include" {
	source_file policy/rule.c '#include "../base/str.h"'
	fails 'is relative' "$tools/layers.sh" "$tree"
}

@test "layers: an include without a folder" {
	source_file policy/rule.c '#include "rule.h"'
	fails 'names no folder' "$tools/layers.sh" "$tree"
}

@test "layers: a folder that the house does not have" {
	mkdir "$tree/src/util"
	source_file util/x.c 'int x;'
	fails 'has no floor' "$tools/layers.sh" "$tree"
}

@test "layers: the public header includes nothing of src" {
	echo '#include "policy/rule.h"' >"$tree/include/berm.h"
	fails 'the public header includes nothing of src' "$tools/layers.sh" "$tree"
}

@test "sizes: a good tree passes" {
	run "$tools/sizes.sh" "$tree"
	[[ $status -eq 0 ]]
}

@test "sizes: a note, no failure, between 500 and 600 lines" {
	{ yes 'extern int x;' || true; } | head -n 550 >"$tree/src/base/big.c"
	run "$tools/sizes.sh" "$tree"
	[[ $status -eq 0 && $output == *'note: src/base/big.c: 550 lines'* ]]
}

@test "sizes: a file of 601 lines" {
	{ yes 'extern int x;' || true; } | head -n 601 >"$tree/src/base/big.c"
	fails 'src/base/big.c: 601 lines' "$tools/sizes.sh" "$tree"
}

@test "sizes: a function of 101 lines" {
	{
		echo 'int long_one(void)'
		echo '{'
		{ yes '	;' || true; } | head -n 98
		echo '}'
	} >"$tree/src/base/long.c"
	fails 'src/base/long.c:1: long_one() has 101 lines' "$tools/sizes.sh" "$tree"
}

@test "sizes: a function that starts with n is no note" {
	{
		echo 'int next(void)'
		echo '{'
		{ yes '	;' || true; } | head -n 120
		echo '}'
	} >"$tree/src/base/next.c"
	fails 'next() has' "$tools/sizes.sh" "$tree"
}

@test "banned: words in comments, strings and longer names pass" {
	source_file base/ok.c '/* strcpy(a, b) */' '// system("x")' \
		'const char *s = "sprintf(\"x\")"; int my_strcpy(int); int y(void) { return my_strcpy(1); }'
	run "$tools/banned.sh" "$tree"
	echo "$output"
	[[ $status -eq 0 && -z $output ]]
}

@test "banned: a call" {
	source_file base/bad.c 'void f(char *a, const char *b) { strcpy (a, b); }'
	fails 'src/base/bad.c:2: strcpy(): use a bounded buffer' "$tools/banned.sh" "$tree"
}

@test "banned: a call after a comment that closes on its line" {
	source_file base/bad.c '/* a' ' b */ int x = sscanf("1", "%d", &y);'
	fails 'src/base/bad.c:3: sscanf()' "$tools/banned.sh" "$tree"
}

@test "spawn-sites: a known site passes" {
	source_file linux/start.c 'int start(void)' '{' '	return fork();' '}'
	echo 'src/linux/start.c start fork  the one' >"$tree/tools/spawn-sites.txt"
	run "$tools/spawn-sites.sh" "$tree"
	echo "$output"
	[[ $status -eq 0 && -z $output ]]
}

@test "spawn-sites: an unknown site, in every spelling" {
	: >"$tree/tools/spawn-sites.txt"
	local call
	for call in 'fork()' 'vfork()' 'execve(a, b, c)' 'posix_spawnp(a)' 'sys_clone3(a, b)' \
		'syscall(SYS_clone3, a)' 'syscall(__NR_execveat, a)' 'popen(a, b)' 'execlp(a, b)' \
		'fexecve(a, b, c)'; do
		source_file linux/start.c 'int start(void)' '{' "	return $call;" '}'
		fails 'src/linux/start.c start' "$tools/spawn-sites.sh" "$tree"
	done
	source_file linux/start.c 'int start(void)' '{' '	return syscall(' '		SYS_clone, 1);' '}'
	fails 'src/linux/start.c start SYS_clone' "$tools/spawn-sites.sh" "$tree"
}

@test "spawn-sites: a line without its site" {
	echo 'src/linux/gone.c start fork  was here' >"$tree/tools/spawn-sites.txt"
	fails 'take it out' "$tools/spawn-sites.sh" "$tree"
}

@test "headers: a good tree passes" {
	header base/more.h 'int one(void);' 'int two(int a,' '	int b);'
	run "$tools/headers.sh" "$tree"
	echo "$output"
	[[ $status -eq 0 && -z $output ]]
}

@test "headers: a function without a word" {
	header base/more.h 'int one(void);' '' 'int two(int a,' '	int b);'
	fails 'src/base/more.h:8: int two() is not documented' "$tools/headers.sh" "$tree"
}

@test "headers: no guard, no license, no opening comment" {
	echo 'int x(void);' >"$tree/src/base/bare.h"
	run "$tools/headers.sh" "$tree"
	[[ $status -ne 0 && $output == *"license line"* && $output == *"pragma once"* ]]
	printf '%s\n' '/* SPDX-License-Identifier: Apache-2.0 */' '#pragma once' >"$tree/src/base/bare.h"
	fails 'no opening comment' "$tools/headers.sh" "$tree"
}

@test "words: a good tree passes, a bad word fails" {
	repository
	run "$tools/words.sh" "$tree"
	echo "$output"
	[[ $status -eq 0 ]]
	local bad
	for bad in "see /wor""k/main/x" "TO""DO: more" "registry.npm""js.org" "FIX""ME" \
		"Co-Authored""-By: x" "blank at the end "; do
		echo "$bad" >"$tree/src/base/note.txt"
		git -C "$tree" add -A
		fails 'src/base/note.txt' "$tools/words.sh" "$tree"
	done
}

@test "data: a list that nothing compiles in" {
	echo '# what' >"$tree/data/known"
	echo "data = ['known']" >"$tree/data/meson.build"
	run "$tools/data.sh" "$tree"
	[[ $status -eq 0 ]]
	echo '# what' >"$tree/data/unknown"
	fails 'data/unknown: not named' "$tools/data.sh" "$tree"
	rm "$tree/data/unknown"
	echo 'x' >"$tree/data/known"
	fails 'does not open with a comment' "$tools/data.sh" "$tree"
}

@test "format: finds and mends" {
	cp "$BATS_TEST_DIRNAME/../../.clang-format" "$tree"
	source_file base/f.c 'int   f( void ){return 1;}'
	fails 'src/base/f.c' "$tools/format.sh" "$tree"
	"$tools/format.sh" --fix "$tree"
	run "$tools/format.sh" "$tree"
	[[ $status -eq 0 ]]
}

@test "shellcheck: scripts by name and by first line" {
	printf '#!/bin/sh\nexit 0\n' >"$tree/tools/good.sh"
	repository
	run "$tools/shellcheck.sh" "$tree"
	[[ $status -eq 0 ]]
	printf '%s\n' '#!/bin/bash' "echo \$1" >"$tree/tools/bad"
	git -C "$tree" add -A
	fails 'SC2086' "$tools/shellcheck.sh" "$tree"
}

@test "codespell: a misspelt word" {
	echo 'the quick fox' >"$tree/README"
	repository
	run "$tools/codespell.sh" "$tree"
	[[ $status -eq 0 ]]
	echo 'rec''ieve' >"$tree/README"
	fails 'README' "$tools/codespell.sh" "$tree"
}
