# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Workspaces of every kind, in every place.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

check='echo x >new && mv new newer && mkdir d && echo y >d/f && rm -r d && cat newer && (echo z >.env) 2>/dev/null; test ! -e .env && echo fine'

# place ID TEXT DIR: a run in DIR does the check.
place()
{
	local id=$1 text=$2 dir=$3 out
	shift 3
	wanted "$id" || return 0
	out=$(cd "$dir" && HOME=$H timeout 20 "$BERM" run -q "$@" -- sh -c "$check" 2>&1)
	t_is "$id" "$text" "$out" $'x\nfine'
}

fresh
for name in 'with blanks' $'new\nline' '*' '[a]' '{x,y}' '$HOME' "it's" '"q"' 'ünï' $'\xff\xfe' '-w' '#' 'a:b' 'a,b' 'a\b' '%s' '~' '..x'; do
	mkdir -p -- "$D/places/$name" "$D/places/$name/sub"
	printf -v shown %q "$name"
	place "places.name-$shown" "a workspace named $shown" "$D/places/$name"
	place "places.option-$shown" "and by -w, from elsewhere" "$D" -w "$D/places/$name"
done
deep=$D
while [[ ${#deep} -lt 3800 ]]; do
	deep+=/$(printf 'd%.0s' {1..200})
done
(
	cd "$D" || exit
	rest=${deep#"$D"/}
	while [[ -n $rest ]]; do
		mkdir -p "${rest%%/*}" && cd "${rest%%/*}" || exit
		[[ $rest == */* ]] && rest=${rest#*/} || rest=''
	done
)
if wanted places.deep; then
	out=$(cd "$deep" && HOME=$H timeout 20 "$BERM" run -q -- sh -c "$check" 2>&1)
	rc=$?
	if [[ $out == $'x\nfine' ]]; then
		t_ok places.deep 'a workspace whose path is nearly 4,095 bytes long works'
	else
		t_check places.deep 'a workspace whose path is nearly 4,095 bytes long works or is refused clearly' \
			test "$rc" = 125 -a -n "$out" -a ! -e "$deep/newer"
	fi
fi
drop "$D"

fresh
mkdir "$D/real"
ln -s real "$D/link"
place places.symlink 'a workspace that is a symlink' "$D/link"
place places.symlink-option 'by -w' "$H" -w "$D/link"
mkdir -p "$D/a/b"
place places.relative 'a relative -w' "$D" -w a/b
place places.dots '-w with dots and slashes' "$D" -w "./a//../a/./b/"
place places.outside-home 'a workspace outside of HOME' "$D/a"
place places.in-home 'a workspace in HOME' "$H/src/other"
mkdir -p "$H/deep/er/still/ws"
place places.deep-in-home 'a workspace deep in HOME' "$H/deep/er/still/ws"
place places.home-host 'with --home host' "$H/src/proj" --home host
rm -f "$H/src/proj/newer"
place places.root-host 'with --root host' "$H/src/proj" --root host
rm -f "$H/src/proj/newer"
place places.home-empty 'with --home empty' "$H/src/proj" --home empty
mkdir -p "$D/nest/sub"
place places.nested-roots 'one workspace in another' "$D/nest" -w "$D/nest" -w "$D/nest/sub"
rm -rf "$D/nest/newer"
place places.twice 'the same workspace twice' "$D/nest" -w "$D/nest" -w "$D/nest"
drop "$D"

# Without a home, or with a strange one.
fresh
mkdir "$D/ws"
for home in '' /nonexistent "$D/file" relative; do
	echo x >"$D/file"
	rm -rf "$D/ws/newer"
	wanted "places.HOME-${home//\//_}" || continue
	out=$(cd "$D/ws" && env -i PATH="$T_PATH" ${home:+HOME="$home"} XDG_STATE_HOME="$D/state" timeout 20 "$BERM" run -q -- sh -c "$check" 2>&1)
	rc=$?
	if [[ $out == $'x\nfine' ]]; then
		t_ok "places.HOME-${home//"$D"/D}" "HOME=${home//"$D"/D} works"
	else
		t_check "places.HOME-${home//"$D"/D}" "HOME=${home//"$D"/D} is refused clearly" test $rc = 125 -a -n "$out" -a ! -e "$D/ws/newer"
	fi
done
drop "$D"

# Kinds of file systems.
if wanted places.tmpfs; then
	d=$(mktemp -d /dev/shm/berm-test.XXXXXX)
	fresh
	place places.tmpfs 'a workspace on tmpfs' "$d"
	rm -rf "$d"
	drop "$D"
fi
if as_root; then
	fresh
	mkdir -p "$D/lo" "$D/up" "$D/wk" "$D/mnt" "$D/ro"
	echo low >"$D/lo/low"
	if mount -t overlay -o "lowerdir=$D/lo,upperdir=$D/up,workdir=$D/wk" none "$D/mnt" 2>/dev/null; then
		place places.overlay 'a workspace on overlay' "$D/mnt"
		umount "$D/mnt"
	else
		t_skip places.overlay 'a workspace on overlay' 'overlay cannot be mounted here'
	fi
	mount --bind "$D/lo" "$D/ro" && mount -o remount,bind,ro "$D/ro"
	out=$(cd "$D/ro" && HOME=$H timeout 20 "$BERM" run -q -- sh -c 'cat low; (echo x >new) 2>/dev/null || echo refused' 2>&1)
	t_is places.read-only 'a workspace on a read-only mount: reading works, writing does not' "$out" $'low\nrefused'
	umount "$D/ro"
	mkdir "$D/ext"
	if truncate -s 16M "$D/img" && mkfs.ext4 -q "$D/img" 2>/dev/null && mount -o loop "$D/img" "$D/ext" 2>/dev/null; then
		place places.ext4 'a workspace that is a mount of its own' "$D/ext"
		umount "$D/ext"
	else
		t_skip places.ext4 'a workspace that is a mount of its own' 'no loop device'
	fi
	drop "$D"
else
	for p in overlay read-only ext4; do
		t_skip "places.$p" "a workspace on $p" 'mounting needs root'
	done
	fresh
	mkdir "$D/ws"
	echo low >"$D/ws/low"
	chmod 555 "$D/ws"
	out=$(cd "$D/ws" && HOME=$H timeout 20 "$BERM" run -q -- sh -c 'cat low; (echo x >new) 2>/dev/null || echo refused' 2>&1)
	t_is places.not-writable 'a workspace that its user may not write' "$out" $'low\nrefused'
	chmod 755 "$D/ws"
	drop "$D"
fi

# Where the command starts.
fresh
out=$(cd "$W/src" && HOME=$H "$BERM" run -q -w "$W" -- pwd 2>&1)
t_check places.cwd-inside 'the work directory is within the workspace' test "$out" = "$W" -o "$out" = "$W/src"
out=$(cd / && HOME=$H "$BERM" run -q -w "$W" -- pwd 2>&1)
t_is places.cwd-root 'started from /' "$out" "$W"
out=$(cd "$W" && HOME=$H "$BERM" run -q -- pwd 2>&1)
t_is places.cwd-default 'the current directory is the default' "$out" "$W"
mkdir "$D/gone"
out=$(cd "$D/gone" && rmdir "$D/gone" && HOME=$H "$BERM" run -q -w "$W" -- pwd 2>&1)
t_is places.cwd-gone 'from a directory that is gone, with -w' "$out" "$W"
mkdir "$D/gone"
out=$(cd "$D/gone" && rmdir "$D/gone" && HOME=$H "$BERM" run -q -- pwd 2>&1)
t_is places.cwd-gone-default 'and without: refused' "$?" 125
drop "$D"

# A large workspace starts as fast as a small one: nothing walks the tree.
if wanted places.large; then
	fresh
	mkdir "$W/many"
	(cd "$W/many" && for i in {1..40}; do mkdir "$i" && (cd "$i" && seq 1 250 | xargs touch); done)
	for i in {1..40}; do
		mkdir -p "$W/nested/$i/.git/objects" "$W/nested/$i/.git/refs"
		echo 'ref: refs/heads/main' >"$W/nested/$i/.git/HEAD"
	done
	mkdir "$D/small"
	one()
	{
		local t0=${EPOCHREALTIME/./} i
		for i in {1..20}; do
			(cd "$1" && HOME=$H "$BERM" run -q -- true)
		done
		echo $((${EPOCHREALTIME/./} - t0))
	}
	one "$W" >/dev/null
	small=$(one "$D/small")
	large=$(one "$W")
	t_check places.large "10,000 files and 40 repositories cost nothing (20 starts: $((small / 1000)) and $((large / 1000)) ms)" \
		test "$large" -lt $((small * 2))
	drop "$D"
fi

done_testing
