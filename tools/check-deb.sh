#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/check-deb.sh: the Debian packages are the same bytes twice, install into a root of
# their own (dpkg --root: needs no rights), work from there, and leave nothing when removed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BERM_BUILD:-build}
[[ $build == /* ]] || build=$PWD/$build
tools/deb.sh "$build/deb" >/dev/null
tools/deb.sh "$build/deb-again" >/dev/null
cmp <(cd "$build/deb" && sha256sum ./*.deb) <(cd "$build/deb-again" && sha256sum ./*.deb)
rm -rf "$build/deb-again"

root=$(mktemp -d /tmp/berm-deb.XXXXXXXX)
trap 'rm -rf -- "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
before=$(cd "$root" && find . -path ./var -prune -o -print | sort)

# What they depend on is the host's.
for deb in "$build"/deb/*.deb; do
	dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/(.*//; s/ //g; /^$/d'
done | sort -u | while read -r name; do
	[[ $name == libberm* ]] || dpkg-query -W -f='${Status}\n' "$name" | grep -q '^install ok installed$' || {
		echo "the packages depend on $name, which is not on this host"
		exit 1
	}
done
packages=(libberm0 libberm-dev berm)
dpkg=(dpkg "--root=$root" --force-not-root --force-depends --force-bad-path --force-script-chrootless
	--log=/dev/null)
"${dpkg[@]}" --install "$build"/deb/*.deb >"$root.log" 2>&1 || {
	cat "$root.log"
	exit 1
}
rm -f "$root.log"
"$root/usr/bin/berm" --version | grep -E '^berm [0-9]'
status=$("$root/usr/bin/berm" run -q -w "$root/usr/share" -- sh -c 'echo inside; exit 7' >"$root/said" || echo $?)
[[ $status == 7 && $(<"$root/said") == inside ]] || {
	echo "berm run from the package: status $status, $(<"$root/said")"
	exit 1
}
rm -f "$root/said"
zcat "$root"/usr/share/man/man1/berm-run.1.gz | grep -q raw
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name libberm.pc)")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR=$root
# shellcheck disable=SC2046
cc "$root/usr/share/doc/libberm-dev/examples/run.c" $(pkg-config --cflags --libs libberm) -o "$root/example"
LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig} BERM=$root/usr/bin/berm "$root/example" true
rm "$root/example"

# A host that wants an AppArmor profile gets it, and one of its own is left alone.
profile=$root/etc/apparmor.d/berm
[[ ! -e $profile ]] || {
	echo "an AppArmor profile where the host asks for none"
	exit 1
}
mkdir -p "$root/etc/apparmor.d" "$root/proc/sys/kernel"
touch "$root/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
configure() {
	DPKG_ROOT=$root sh "$root/var/lib/dpkg/info/berm.postinst" configure
}
configure
grep -q '^profile berm "/usr/bin/berm" flags=(unconfined) {$' "$profile"
configure
echo '# mine' >"$profile"
configure
[[ $(<"$profile") == '# mine' ]] || {
	echo "postinst replaced an AppArmor profile that is not the package's"
	exit 1
}
rm "$profile"
configure
[[ -e $profile ]]
"${dpkg[@]}" --remove berm >/dev/null 2>&1
[[ ! -e $profile ]] || {
	echo "the AppArmor profile stays when berm is removed"
	exit 1
}
rm -r "$root/etc/apparmor.d" "$root/proc"
rmdir "$root/etc"

"${dpkg[@]}" --purge "${packages[@]}" >/dev/null 2>&1
after=$(cd "$root" && find . -path ./var -prune -o -print | sort)
diff <(echo "$before") <(echo "$after") || {
	echo "left behind by dpkg --purge"
	exit 1
}
