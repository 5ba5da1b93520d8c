# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# An allowed name that leads to an address nobody meant: it is not dialled (SPEC N3).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'
gone='ERR (EAI_NONAME|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EACCES)'

# ADDRESS: what the internet would see of it
while read -r address what; do
	refused "guard.$address" "a name of $what" "\$C blocking ip-${address//./-}.ok.test 7" \
		unseen="^(syn|tcp) .*dst=$address " tagless=yes deny="$gone" event="deny ip-${address//./-}.ok.test:*"
done <<'LIST'
10.1.2.3 a private network
10.255.255.254 the end of one
172.16.0.9 another
172.31.200.1 its end
192.168.7.7 a home's
100.64.3.3 a carrier's
169.254.169.254 cloud metadata
169.254.7.7 link-local
192.0.0.8 IETF protocols
198.18.7.7 the sandbox's own names
100.100.100.200 another cloud's metadata
LIST
while read -r hex seen what; do
	refused "guard.v6-$seen" "a name of $what" "\$C blocking ip6-$hex.ok.test 7" \
		unseen="dst=$seen" tagless=yes deny="$gone" event="deny ip6-$hex.ok.test:*"
done <<'LIST'
fd000000000000000000000000000077 fd00::77 a private IPv6 network
fc00000000000000000000000000aaaa fc00::aaaa another
fd000ec2000000000000000000000254 fd00:ec2::254 IPv6 cloud metadata
0064ff9b00000000000000000a010203 64:ff9b::a01:203 10.1.2.3 by NAT64
20020a01020300000000000000000001 2002:a01:203::1 10.1.2.3 by 6to4
LIST
# this machine itself
while read -r address what; do
	refused "guard.own-$address" "a name of $what" "\$C send ip-${address//./-}.ok.test 4001 x" host=yes tagless=yes unseen='host-service.* 4001' \
		deny="$gone"
done <<'LIST'
127.0.0.1 loopback
127.8.9.10 other loopback
0.0.0.0 this host
198.51.101.2 the machine's own address
LIST
while read -r hex what; do
	refused "guard.own6-$hex" "a name of $what" "\$C send ip6-$hex.ok.test 4001 x" host=yes tagless=yes unseen='host-service.* 4001' deny="$gone"
done <<'LIST'
00000000000000000000000000000001 loopback
26001f18005100000000000000000002 the machine's own IPv6 address
LIST
refused guard.own-mapped 'a name of ::ffff:127.0.0.1' '$C send ip6-00000000000000000000ffff7f000001.ok.test 4001 x' host=yes tagless=yes unseen='host-service.* 4001' \
	deny="$gone" bare=no:'resolvers do not give it out'
refused guard.rebind 'a name that changes to loopback' 'for i in 1 2 3 4; do $C send rebind-$TAG.ok.test 4001 x; sleep 0.3; done' host=yes tagless=yes unseen='host-service.* 4001'
reaches guard.mixed 'a public address beside a private one is still dialled' '$C blocking ip-10-1-2-4--203-0-114-60.ok.test 7' bare=no:'the bare client tries the first only' \
	seen='dst=203.0.114.60 ' tagless=yes
refused guard.mixed-private 'but not the private one' '$C blocking ip-10-1-2-5--203-0-114-61.ok.test 7' unseen='dst=10.1.2.5 ' tagless=yes

# opened in so many words
reaches guard.cidr 'a private network opened by a rule' '$C blocking 10.1.7.7 7' more='--allow-domain 10.1.0.0/16' seen='dst=10.1.7.7 ' tagless=yes
reaches guard.cidr-name 'and a name in it' '$C blocking ip-10-1-7-8.ok.test 7' more='--allow-domain 10.1.0.0/16' seen='dst=10.1.7.8 ' tagless=yes
reaches guard.exact 'an exact name from the command line may be private' '$C blocking ip-10-1-7-9.ok.test 7' more='--allow-domain ip-10-1-7-9.ok.test' seen='dst=10.1.7.9 ' tagless=yes
refused guard.exact-metadata 'but never metadata' '$C blocking ip-169-254-169-253.ok.test 7' more='--allow-domain ip-169-254-169-253.ok.test' unseen='dst=169.254.169.253 ' tagless=yes deny="$gone"
refused guard.exact-loopback 'nor loopback' '$C send ip-127-0-0-1.ok.test 4001 x' more='--allow-domain ip-127-0-0-1.ok.test' host=yes tagless=yes unseen='host-service.* 4001' deny="$gone"

done_testing
