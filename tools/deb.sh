#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/deb.sh [DIR]: Debian packages of this tree in DIR (default $BERM_BUILD/deb): berm,
# libberm0, libberm-dev. With dpkg's own tools alone, and the same bytes for the same sources.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BERM_BUILD:-build}
[[ $build == /* ]] || build=$PWD/$build
out=${1:-$build/deb}
tools/build.sh package
[[ -f $build/package/berm-panel ]] || {
	echo "deb.sh: the panel was not built: libncurses-dev is missing" >&2
	exit 1
}
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
arch=$(dpkg --print-architecture)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y meson.build)}
export SOURCE_DATE_EPOCH=$epoch
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
umask 022

DESTDIR=$work/all meson install -C "$build/package" --no-rebuild --quiet
lib=$(cd "$work/all" && find usr/lib -name libberm.pc -printf '%h')
lib=${lib%/pkgconfig}

# move PACKAGE PATH...: from the whole tree to a package's.
move() {
	local package=$1 path
	shift
	for path; do
		mkdir -p "$work/$package/${path%/*}"
		mv "$work/all/$path" "$work/$package/$path"
	done
}
move libberm0 "$lib/libberm.so.0" "$lib/libberm.so.$version"
move libberm-dev "$lib" usr/include usr/share/man/man3
mkdir -p "$work/libberm-dev/usr/share/doc/libberm-dev"
mv "$work/all/usr/share/doc/berm/examples" "$work/libberm-dev/usr/share/doc/libberm-dev/"
mv "$work/all" "$work/berm"
rmdir --ignore-fail-on-non-empty "$work/berm/usr/lib"/* "$work/berm/usr/lib" 2>/dev/null || true

# The AppArmor profile is the one that the program itself prints and installs, for its path in
# the package; the package's scripts put it in place where the host asks for one.
mkdir -p "$work/berm/usr/share/berm/apparmor.d"
"$work/berm/usr/bin/berm" doctor --apparmor print | sed "s|\"$work/berm/|\"/|" \
	>"$work/berm/usr/share/berm/apparmor.d/berm"
grep -q '^profile berm "/usr/bin/berm" ' "$work/berm/usr/share/berm/apparmor.d/berm"

# What dpkg knows to need which package.
depends() {
	mkdir -p "$work/shlibs/debian"
	printf 'Source: berm\n\nPackage: berm\nArchitecture: any\n' >"$work/shlibs/debian/control"
	(cd "$work/shlibs" && dpkg-shlibdeps -O "$@" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

# finish PACKAGE SECTION DEPENDS SUMMARY TEXT
finish() {
	local package=$1 section=$2 needs=$3 summary=$4 text=$5 root=$work/$1 doc
	doc=$root/usr/share/doc/$package
	mkdir -p "$doc" "$root/DEBIAN"
	{
		echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
		echo
		printf 'Files: *\nCopyright: the berm authors\nLicense: Apache-2.0\n'
		echo ' The text is in /usr/share/common-licenses/Apache-2.0.'
	} >"$doc/copyright"
	{
		printf 'berm (%s) unstable; urgency=medium\n\n  * Built from source.\n\n' "$version"
		printf ' -- berm <berm@localhost>  %s\n' "$(date -u -R -d "@$epoch")"
	} | gzip -9n >"$doc/changelog.gz"
	find "$root" -path '*/man/*' -type f ! -name '*.gz' -exec gzip -9n {} +
	find "$root" -type f \( -path '*/bin/*' -o -path '*/libexec/*' -o -name '*.so.*' \) \
		-exec strip --strip-unneeded {} +
	find "$root" -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
	{
		printf 'Package: %s\nSource: berm\nVersion: %s\nArchitecture: %s\n' "$package" "$version" "$arch"
		printf 'Maintainer: berm <berm@localhost>\nInstalled-Size: %s\n' \
			"$(du -k -s --apparent-size "$root/usr" | cut -f1)"
		[[ -z $needs ]] || printf 'Depends: %s\n' "$needs"
		[[ $package != libberm0 ]] || printf 'Recommends: berm (>= %s)\n' "$version"
		printf 'Section: %s\nPriority: optional\n' "$section"
		printf 'Description: %s\n%s\n' "$summary" "$text"
	} >"$root/DEBIAN/control"
	[[ $package != berm ]] || install -m 755 packaging/deb/postinst packaging/deb/postrm "$root/DEBIAN/"
	[[ $package != libberm0 ]] || {
		echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
		echo "libberm 0 libberm0 (>= $version)" >"$root/DEBIAN/shlibs"
	}
	(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
	find "$root" -exec touch -h -d "@$epoch" {} +
	dpkg-deb --root-owner-group -Zxz --build "$root" "$out/${package}_${version}_$arch.deb" >/dev/null
}

mkdir -p "$out"
rm -f "$out"/*.deb
finish libberm0 libs "$(depends -e"$work/libberm0/$lib/libberm.so.$version")" \
	"run commands inside berm's sandbox (library)" \
	' libberm starts berm for a program that embeds it, tells what happens as events and lets the
 program answer questions.'
finish libberm-dev libdevel "libberm0 (= $version), libjansson-dev" \
	"run commands inside berm's sandbox (development files)" \
	' The header, the static library, pkg-config data, the manual page and examples of libberm.'
finish berm utils "$(depends -e"$work/berm/usr/libexec/berm/berm-egress" -e"$work/berm/usr/libexec/berm/berm-panel")" \
	'sandbox for coding agents and other commands' \
	' berm runs a command inside a policy that the operating system enforces: files, network,
 processes and system calls. It needs no root and leaves nothing behind.'
ls "$out"
