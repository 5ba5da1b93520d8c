#!/bin/sh
# opfuzz.sh BERM [SEEDS [OPERATIONS]]: random operations in a sandbox and bare; both must
# say the same and leave the same tree. TAP.
set -u
berm=$1
seeds=${2:-20}
count=${3:-400}
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'chmod -R u+rwx "$tmp"; rm -rf "$tmp"' EXIT
first=${OPFUZZ_FIRST:-1}

cc -std=gnu17 -O1 -D_GNU_SOURCE -o "$tmp/opfuzz" "$here/opfuzz.c" || exit 1

# The tree, with what a change of it would show.
tree() {
	(cd "$1" && find . -mindepth 1 -printf '%P %y %m %n %l ' \( -type f -printf '%s ' -o -true \) \
		-printf '\n' | sort)
}

echo "1..$seeds"
i=$first
while [ "$i" -lt $((first + seeds)) ]; do
	mkdir -p "$tmp/bare/1/2/3/w" "$tmp/berm/1/2/3/w"
	cp "$tmp/opfuzz" "$tmp/bare/opfuzz"
	cp "$tmp/opfuzz" "$tmp/berm/opfuzz"
	(cd "$tmp/bare/1/2/3/w" && "$tmp/bare/opfuzz" "$i" "$count") >"$tmp/out1" 2>&1
	(cd "$tmp/berm" && "$berm" run -q -w . -- sh -c "cd 1/2/3/w && ../../../../opfuzz $i $count") >"$tmp/out2" 2>&1
	tree "$tmp/bare" >"$tmp/tree1"
	tree "$tmp/berm" >"$tmp/tree2"
	sed -i "s#$tmp/bare/1/2/3/w#BASE#g" "$tmp/out1" "$tmp/tree1"
	sed -i "s#$tmp/berm/1/2/3/w#BASE#g" "$tmp/out2" "$tmp/tree2"
	if [ -s "$tmp/out1" ] && cmp -s "$tmp/out1" "$tmp/out2" && cmp -s "$tmp/tree1" "$tmp/tree2"; then
		echo "ok $i - the same as bare, seed $i"
	else
		echo "not ok $i - the same as bare, seed $i"
		diff "$tmp/out1" "$tmp/out2" | head -"${OPFUZZ_LINES:-6}" | cut -c1-200 | sed 's/^/# /'
		diff "$tmp/tree1" "$tmp/tree2" | head -6 | cut -c1-200 | sed 's/^/# tree /'
	fi
	chmod -R u+rwx "$tmp/bare" "$tmp/berm"
	rm -rf "$tmp/bare" "$tmp/berm"
	i=$((i + 1))
done
