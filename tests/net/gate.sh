# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Every way of using a TCP socket, with no proxy variables: connect() is held until
# there is a verdict and an upstream, then it is what it would be without (SPEC N6).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'

for way in blocking nonblock epoll-first select-first fastopen fastopen-connect dup-first fork-first \
	bind-first peer; do
	reaches "gate.$way" "connects: $way" "\$C $way \$TAG.ok.test 7"
done
# the command's filter has no MPTCP; programs then take TCP
net gate.mptcp 'MPTCP works, or is not there' do='$C mptcp $TAG.ok.test 7' want='OK|ERR EPROTONOSUPPORT'
reaches gate.v6 'a name that has only an IPv6 address' '$C blocking v6-$TAG.ok.test 7'
reaches gate.dual 'a name with both' '$C blocking dual-$TAG.ok.test 7'
reaches gate.alias 'an alias' '$C blocking cname-$TAG.ok.test 7'
reaches gate.many-addresses 'a name with forty addresses' '$C blocking many-$TAG.ok.test 7'
reaches gate.first-dead 'the first address swallows packets, the second answers' 'timeout 25 $C blocking dead-$TAG.ok.test 7' \
	bare=no:'the bare client tries one address only'
reaches gate.first-closed 'the first address is unreachable, the second answers' '$C blocking closed-$TAG.ok.test 7' \
	bare=no:'the bare client tries one address only'
reaches gate.slow-name 'a name that takes a second to resolve' '$C nonblock slow-$TAG.ok.test 7'

# what the upstream says is what the command gets
for way in blocking nonblock epoll-first select-first; do
	net "gate.closed-port-$way" "a closed port is refused: $way" do="\$C $way \$TAG.ok.test 82" want='ERR ECONNREFUSED'
done
net gate.unreachable 'an unreachable host is unreachable' do='$C blocking ip-203-0-115-2.ok.test 80' want='ERR E(HOST|NET)UNREACH'
net gate.nx 'a name that does not exist' do='$C blocking nx-$TAG.ok.test 7' want='ERR (EAI_NONAME|EHOSTUNREACH|ECONNREFUSED)'
net gate.reset 'a reset arrives as one' do='$C reset $TAG.ok.test 81' want='ERR ECONNRESET'
net gate.half-close 'half-close is kept' do='$C half-close $TAG.ok.test 9 3000000' want=OK
net gate.pull '30 MB down, byte for byte' do='$C pull $TAG.ok.test 19 30000000' want=OK
net gate.push '30 MB up' do='$C half-close $TAG.ok.test 9 30000000' want=OK
net gate.first 'a server that speaks first' do='$C send $TAG.ok.test 25 "<" "EHLO TAG\r\n"' want='220 mail ready.*250 ok' seen='^mail '
net gate.many '300 connections open at once' do='$C many $TAG.ok.test 7 300' want='OK 300'
net gate.abandoned '200 given up at once, then one that works' do='$C abandon $TAG.ok.test 7 200; $C blocking $TAG.ok.test 7' want='OK.*OK'
net gate.parallel 'forty processes' do='for i in $(seq 40); do $C blocking $i.$TAG.ok.test 7 & done | sort | uniq -c; wait' want='40 OK'
net gate.reconnect 'one descriptor, two hosts' do='$C reconnect $TAG.ok.test 7 other-$TAG.ok.test 7' want=OK
net gate.loopback "the command's own server" \
	do='/usr/bin/python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & p=$!; for i in $(seq 100); do (: </dev/tcp/127.0.0.1/8123) 2>/dev/null && break; sleep 0.05; done; curl -s http://127.0.0.1:8123/ | grep -c README; kill $p' \
	want='1' quiet='*'
net gate.loopback-shell 'the same by localhost' \
	do='nc -l 127.0.0.1 8124 >got & for i in $(seq 100); do grep -q :1FBC /proc/net/tcp && break; sleep 0.05; done; echo "$TAG" | nc -N localhost 8124; wait; grep -c t got' want='1' if='nc' quiet='*'

# refused, the same for every way
for way in blocking nonblock epoll-first select-first fastopen fastopen-connect dup-first fork-first bind-first; do
	refused "gate.no-$way" "refused: $way" "\$C $way 203.0.114.66 7" unseen='dst=203.0.114.66 ' tagless=yes deny='ERR (ECONNREFUSED|EHOSTUNREACH|EACCES|EPERM|ENETUNREACH)' \
		event='deny 203.0.114.66:7'
done
net gate.no-mptcp 'refused: mptcp' do='$C mptcp 203.0.114.66 7' unseen='dst=203.0.114.66 ' tagless=yes deny='ERR'
refused gate.no-v6 'refused: an IPv6 address' '$C blocking 2606:4700::1166 7' unseen='dst=2606:4700::1166' tagless=yes \
	deny='ERR (ECONNREFUSED|EHOSTUNREACH|EACCES|ENETUNREACH)' event='deny *2606:4700::1166*'
refused gate.no-mapped 'refused: a v4-mapped IPv6 address' '$C blocking ::ffff:203.0.114.67 7' unseen='dst=203.0.114.67 ' tagless=yes \
	deny='ERR (ECONNREFUSED|EHOSTUNREACH|EACCES|ENETUNREACH)'
refused gate.no-reconnect 'a connected socket does not open a second host' '$C reconnect $TAG.ok.test 7 203.0.114.68 7' unseen='dst=203.0.114.68 ' tagless=yes \
	deny='ERR (ECONNREFUSED|EHOSTUNREACH|EACCES|ENETUNREACH)'

done_testing
