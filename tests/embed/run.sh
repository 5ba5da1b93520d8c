#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/embed/run.sh BERM: libberm in a program with threads, under ASan and UBSan and under
# TSan; then the examples, built against what is installed beside BERM. Prints TAP.
set -uo pipefail
berm=$(realpath "${1:?usage: run.sh BERM}")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd "$work" || exit 2
number=0
status=0

# tap TEXT COMMAND...
tap() {
	local text=$1
	shift
	number=$((number + 1))
	if "$@" >log 2>&1; then
		echo "ok $number - $text"
	else
		echo "not ok $number - $text"
		sed 's/^/#   /' log
		status=1
	fi
}

# embed NAME FLAG...: the library's sources themselves, with the sanitizer.
embed() {
	local name=$1
	shift
	mkdir -p "$name.w"
	clang -std=gnu17 -D_GNU_SOURCE -g -O1 -w "$@" -DBERM_VERSION='"0"' -DLIBBERM_PROGRAM='"/nonexistent"' \
		-I "$top/include" -iquote "$top/src" -o "$name" "$here/embed.c" "$top"/src/lib/*.c -ljansson -pthread || return 1
	(cd "$name.w" && HOME=$work "../$name" "$berm") >"$name.tap"
	local rc=$?
	sed 's/^ok [0-9]* -/ok -/; s/^not ok [0-9]* -/not ok -/' "$name.tap" | while IFS= read -r line; do
		case $line in
		"ok - "*) echo "ok" "${line#ok - }" ;;
		"not ok - "*) echo "not" "${line#not ok - }" ;;
		esac
	done >"$name.rows"
	while read -r verdict text; do
		number=$((number + 1))
		if [[ $verdict == ok ]]; then
			echo "ok $number - $name: $text"
		else
			echo "not ok $number - $name: $text"
			status=1
		fi
	done <"$name.rows"
	number=$((number + 1))
	if ((rc == 0)) && grep -q '^1\.\.' "$name.tap"; then
		echo "ok $number - $name: ends well"
	else
		echo "not ok $number - $name: ends well (status $rc)"
		status=1
	fi
}

embed asan -fsanitize=address,undefined -fno-sanitize-recover=all
embed tsan -fsanitize=thread

# The installed files: header, pkg-config, both libraries.
prefix=${berm%/bin/berm}
root=${prefix%/usr/local}
[[ $root != "$prefix" ]] || root=${prefix%/usr}
pc=$(find "$prefix" -name libberm.pc -print -quit)
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$root
export LD_LIBRARY_PATH=${pc%/pkgconfig/*} BERM=$berm HOME=$work
for example in run asks; do
	# shellcheck disable=SC2046
	tap "examples/$example.c: shared" cc -Wall -Wextra -Werror "$top/examples/$example.c" \
		$(pkg-config --cflags --libs libberm) -o "$example"
	# shellcheck disable=SC2046
	tap "examples/$example.c: static" cc -Wall -Wextra -Werror "$top/examples/$example.c" -Wl,-Bstatic \
		$(pkg-config --cflags --libs libberm) -Wl,-Bdynamic -ljansson -pthread -o "$example-static"
done
mkdir w && cd w || exit 2
# shellcheck disable=SC2016
tap 'run: the status and what was denied' bash -c '../run sh -c "touch .env; exit 3" 2>err; [ $? = 3 ] && grep -q "denied: file-create .*/.env" err'
# shellcheck disable=SC2016
tap 'run: statically linked' bash -c '../run-static true'
tap 'asks: a host is denied by its rule' bash -c '../asks .example -- python3 -c "
import socket
try:
    socket.create_connection((\"b.test\", 80), 30)
except OSError:
    print(\"no\")" 2>err | grep -x no && grep -q "host b.test .*: denied" err'
tap 'only berm_* is exported' bash -c "! nm -D --defined-only '$LD_LIBRARY_PATH'/libberm.so | awk '\$3 !~ /^(berm_[a-z_]+@@LIBBERM_0\\.1|LIBBERM_0\\.1)\$/' | grep ."
echo "1..$number"
exit "$status"
