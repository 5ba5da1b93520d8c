#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tests/net/world.sh COMMAND [ARG]...: runs COMMAND on a machine of its own whose
# network ends in an internet of the tests' own (internet/main.py): every address
# there is answers, and nothing of the real network is reachable. As root in new
# namespaces; as an ordinary user in a user namespace, in which COMMAND has its own
# user's number and no right over them. COMMAND finds in its environment:
#   WORLD      a directory: log (what the internet saw), host.log (what the services of
#              this machine saw), site/ca.pem
#   exit 77    such namespaces cannot be made here
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PATH=$PATH:/usr/sbin:/sbin
host4=198.51.101.2 host6=2600:1f18:51::2

# ---- outside: make the namespaces, clean up after them -----------------------

outside() {
	local status=0
	WORLD=$(mktemp -d "${BERM_TEST_DIR:-/var/tmp}/berm-world.XXXXXX") || exit 1
	export WORLD WORLD_UID=$EUID WORLD_GID
	WORLD_GID=$(id -g)
	# shellcheck disable=SC2064
	trap "chmod -R u+rwX '$WORLD'; rm -rf '$WORLD'" EXIT
	trap 'exit 143' INT TERM
	local new=(unshare --net --mount --propagation private)
	((EUID == 0)) || new+=(--user --map-root-user)
	if ! "${new[@]}" ip link add t0 type veth peer name t1 2>"$WORLD/why"; then
		echo "world.sh: no namespaces of the tests' own here: $(tail -n 1 "$WORLD/why")" >&2
		exit 77
	fi
	make_site || exit 1
	"${new[@]}" "$here/world.sh" --inside "$@" || status=$?
	exit "$status"
}

# Certificates, a repository, packages: what the servers serve.
make_site() {
	local site=$WORLD/site
	mkdir -p "$site/git" "$site/npm" "$site/files" "$WORLD/etc"
	(
		cd "$site" || exit 1
		openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3 -subj '/CN=berm test CA' \
			-addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem &&
			openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=test' -keyout server.key -out server.csr &&
			printf 'subjectAltName=DNS:*.ok.test,DNS:*.no.test,DNS:*.who.test,DNS:*.alias.test,DNS:*.test\n' >ext &&
			openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 3 -extfile ext -out leaf.pem &&
			cat server.key leaf.pem ca.pem >server.pem || exit 1
		export HOME=$site GIT_CONFIG_NOSYSTEM=1
		git init -q -b main project && cd project && echo 'from the internet' >file.txt && git add . &&
			git -c user.name=t -c user.email=t@t commit -q -m first && cd .. &&
			git clone -q --bare project git/project.git || exit 1
		mkdir -p crate/src && printf '[package]\nname = "leftish"\nversion = "1.0.0"\n' >crate/Cargo.toml &&
			echo 'pub fn say() -> &'"'static"' str { "leftish works" }' >crate/src/lib.rs && (
			cd crate && git init -q -b main . && git add . && git -c user.name=t -c user.email=t@t commit -q -m first
		) && git clone -q --bare crate git/crate.git || exit 1
		mkdir -p package && echo '{"name": "leftish", "version": "1.0.0"}' >package/package.json &&
			echo 'module.exports = "leftish works";' >package/index.js &&
			tar czf npm/leftish-1.0.0.tgz package || exit 1
		if command -v dropbear >/dev/null; then
			ssh-keygen -q -t ed25519 -N '' -f login && dropbearkey -t ed25519 -f host_key &&
				mkdir -p home/.ssh && cp login.pub home/.ssh/authorized_keys && chmod -R go-w home &&
				id=$(id -un) && echo "$id:x:$WORLD_UID:$WORLD_GID::$site/home:/bin/sh" >"$WORLD/etc/passwd" || exit 1
		fi
		/usr/bin/python3 - <<-'PY'
			import zipfile
			d = "leftish-1.0.dist-info/"
			with zipfile.ZipFile("files/leftish-1.0-py3-none-any.whl", "w") as z:
			    z.writestr("leftish.py", 'print("leftish works")\n')
			    z.writestr(d + "METADATA", "Metadata-Version: 2.1\nName: leftish\nVersion: 1.0\n")
			    z.writestr(d + "WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
			    z.writestr(d + "RECORD", "leftish.py,,\n" + "".join(f"{d}{f},,\n" for f in ("METADATA", "WHEEL", "RECORD")))
		PY
	) >"$WORLD/site.log" 2>&1 || {
		tail -n 5 "$WORLD/site.log" >&2
		return 1
	}
	printf 'nameserver 203.0.114.53\noptions timeout:2 attempts:2\n' >"$WORLD/etc/resolv.conf"
	printf '%s\n' '127.0.0.1 localhost' '::1 localhost' '203.0.114.80 inhosts.ok.test' \
		'203.0.114.81 inhosts.no.test' '10.9.9.9 private-inhosts.ok.test' '203.0.111.1 bench.ok.test' >"$WORLD/etc/hosts"
}

# ---- inside: the network and its servers ----------------------------------------

inside() {
	local other=(nsenter "--net=$WORLD/net")
	mount --make-rprivate / && mount --bind "$WORLD" "$WORLD" && mount --make-private "$WORLD" &&
		: >"$WORLD/net" && unshare "--net=$WORLD/net" true || exit 77
	ip link set lo up
	# addresses of this machine that are on no interface: for numbers over loopback
	ip route add local 203.0.111.0/24 dev lo
	echo 1024 65535 >/proc/sys/net/ipv4/ip_local_port_range
	echo 1 >/proc/sys/net/ipv4/tcp_tw_reuse
	"${other[@]}" ip link add inet1 type veth peer name berm0 netns $$ || exit 77
	ip link set berm0 mtu 65535 up
	ip addr add "$host4/30" dev berm0
	ip -6 addr add "$host6/64" dev berm0 nodad
	"${other[@]}" sh -euc '
		ip link set lo up
		ip link set inet1 mtu 65535 up
		ip addr add 198.51.101.1/30 dev inet1
		ip -6 addr add 2600:1f18:51::1/64 dev inet1 nodad
		ip route add local default dev lo table main
		ip -6 route add local ::/0 dev lo table main
		ip route add blackhole 203.0.115.1
		ip route add unreachable 203.0.115.2
		ip route add prohibit 203.0.115.3
		echo 1 >/proc/sys/net/ipv4/ip_forward # or it would not send errors
		echo 0 >/proc/sys/net/ipv4/icmp_ratelimit
		echo 3 >/proc/sys/net/ipv4/tcp_fastopen' || exit 77
	ip route add default via 198.51.101.1
	ip -6 route add default via 2600:1f18:51::1
	# a resolv.conf may point to below /run
	mount -t tmpfs -o mode=755 tmpfs /run || exit 77
	for file in resolv.conf hosts; do
		target=$(realpath -m "/etc/$file")
		[[ -e $target ]] || { mkdir -p "${target%/*}" && : >"$target"; }
		mount --bind "$WORLD/etc/$file" "$target" || exit 77
	done
	serve "${other[@]}" -- internet "$WORLD/log"
	serve -- host "$WORLD/host.log"
	umount -l "$WORLD/net"
	if ((WORLD_UID == 0)); then
		"$@"
	else
		unshare --user "--map-user=$WORLD_UID" "--map-group=$WORLD_GID" -- "$@"
	fi
}

# serve [WRAPPER]... -- ROLE LOG: one server process; back when it listens.
serve() {
	local wrap=() ready=$WORLD/ready
	while [[ $1 != -- ]]; do
		wrap+=("$1")
		shift
	done
	rm -f "$ready"
	"${wrap[@]}" /usr/bin/python3 -B "$here/internet/main.py" "$2" "$3" "$WORLD/site" "$ready" \
		>"$WORLD/$2.err" 2>&1 </dev/null &
	for _ in {1..200}; do
		[[ -e $ready ]] && return
		kill -0 $! 2>/dev/null || break
		sleep 0.05
	done
	echo "world.sh: the $2 did not start: $(tail -n 3 "$WORLD/$2.err")" >&2
	exit 1
}

if [[ ${1:-} == --inside ]]; then
	shift
	inside "$@"
else
	outside "$@"
fi
