#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/check-install.sh: "make install" into an empty directory gives a program
# that starts from there, with everything it ships. Leaves that tree for the
# tests that run as other users (tools/identity.sh): $BERM_BUILD/check/stage
# names it.
set -euo pipefail
cd "$(dirname "$0")/.."
marker=${BERM_BUILD:-build}/check/stage

# Below /tmp, because a checkout may lie where an ordinary user cannot go.
[[ ! -f $marker ]] || rm -rf -- "$(<"$marker")"
stage=$(mktemp -d /tmp/berm-check.XXXXXXXX)
echo "$stage" >"$marker"
chmod 755 "$stage"

make --no-print-directory install DESTDIR="$stage/root" PREFIX=/usr/local
berm=$stage/root/usr/local/bin/berm
"$berm" --version | grep -E '^berm [0-9]+\.[0-9]+\.[0-9]+'

size=$(stat -c %s "$berm")
echo "the program has $size bytes"
((size <= 2 * 1024 * 1024)) || {
	echo "the limit is 2 MiB"
	exit 1
}
if readelf -l "$berm" | grep -q 'Requesting program interpreter'; then
	echo "the program is not static"
	exit 1
fi

status=0
# Manual pages and completions are installed as soon as they are in the tree.
for file in docs/man/*.[0-9] packaging/completions/*; do
	[[ -f $file ]] || continue
	name=$(basename "$file")
	installed=$(find "$stage/root" \( -name "$name" -o -name "$name.gz" -o -name "_${name%.*}" \
		-o -name "${name%.bash}" \) -type f)
	[[ -n $installed ]] || {
		echo "$file is not installed"
		status=1
	}
done
stray=$(find "$stage/root" -perm /6022 ! -type l)
[[ -z $stray ]] || {
	echo "set-id or writable by others: $stray"
	status=1
}

cp -r tests data include examples SECURITY.md "$stage/"
mkdir "$stage/src"
cp -r src/lib "$stage/src/"
chmod -R go+rX "$stage"
exit "$status"
