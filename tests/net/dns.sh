# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Names are answered inside; no question leaves (SPEC N6).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'

for tool in 'dig +short $TAG.ok.test' 'host $TAG.ok.test' 'nslookup $TAG.ok.test' 'getent hosts $TAG.ok.test' 'getent ahosts $TAG.ok.test' \
	'python3 -c "import os,socket; print(socket.gethostbyname(os.environ[\"TAG\"]+\".ok.test\"))"' \
	'node -e "require(\"dns\").resolve4(process.env.TAG+\".ok.test\",(e,a)=>console.log(e||a[0]))"' \
	'node -e "require(\"dns\").lookup(process.env.TAG+\".ok.test\",(e,a)=>console.log(e||a))"'; do
	net "dns.${tool%% *}-$((n = ${n:-0} + 1))" "${tool%% *} knows an allowed name" do="$tool" want='[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|[0-9a-f]+:[0-9a-f:]+' if="${tool%% *}"
done
net dns.nxdomain 'a denied name does not exist, at once' do='dig $TAG.no.test' deny='NXDOMAIN' unseen='^dns' if=dig
net dns.ede 'and dig is told why' do='dig $TAG.no.test' deny='EDE: 15 .Blocked' unseen='^dns' if=dig event='deny TAG.no.test:*'
net dns.who 'an unknown name with nobody to ask' do='dig $TAG.who.test; host $TAG.who.test' unseen='^dns' if='dig host'
net dns.other-server 'asking another server is asking berm' do='dig +short @8.8.8.8 $TAG.ok.test' want='^.[0-9]+\.' if=dig
net dns.other-server-leak 'and it does not hear of it' do='dig +short @8.8.8.8 $TAG.ok.test' unseen='udp .*dst=8\.8\.8\.8' tagless=yes if=dig
net dns.other-server6 'an IPv6 one' do='dig +short @2001:4860:4860::8888 $TAG.ok.test' want='^.[0-9]+\.' if=dig
net dns.tcp 'over TCP' do='dig +tcp +short $TAG.ok.test' want='^.[0-9]+\.' if=dig
net dns.tcp-denied 'a denied name over TCP' do='dig +tcp $TAG.no.test' deny=NXDOMAIN unseen='^dns' if=dig
net dns.ptr 'an address of ours has its name' do='dig +short -x $(dig +short $TAG.ok.test | tail -n 1)' deny='ok\.test\.' if=dig
net dns.https 'HTTPS records: none' do='dig +short $TAG.ok.test HTTPS | wc -l' want='0' if=dig
net dns.stable 'the same name, the same address' do='a=$(dig +short $TAG.ok.test); b=$(dig +short $TAG.ok.test); [ -n "$a" ] && [ "$a" = "$b" ] && echo SAME' want=SAME if=dig
net dns.distinct 'another name, another address' do='a=$(dig +short a$TAG.ok.test); b=$(dig +short b$TAG.ok.test); [ -n "$a" ] && [ "$a" != "$b" ] && echo DIFFERENT' want=DIFFERENT if=dig
for type in TXT MX SRV ANY NAPTR NULL DNSKEY AXFR; do
	net "dns.$type" "nothing leaves by $type" do="dig +tries=1 +time=2 data-\$TAG.ok.test $type; dig +tries=1 +time=2 @8.8.8.8 data-\$TAG.no.test $type" unseen='^dns' if=dig
done
net dns.tunnel-labels 'nothing leaves in long labels of a denied zone' do='for i in 1 2 3 4 5; do dig +tries=1 +time=2 $(head -c 28 /dev/urandom | od -An -tx1 | tr -d " \n").$TAG.no.test A; done' unseen='^dns' if=dig
net dns.tunnel-raw 'nor to a server on another port' do='$C udp 8.8.4.4 5353; dig +tries=1 +time=2 -p 443 @8.8.4.4 $TAG.ok.test' unseen='dst=8\.8\.4\.4' tagless=yes if=dig
net dns.dot 'nor by DNS over TLS' do='$C blocking 9.9.9.10 853' unseen='dst=9\.9\.9\.10' tagless=yes
net dns.name-lazily 'a name that is looked up only is not resolved outside for nothing' do='getent hosts lazy$TAG.ok.test; dig lazy$TAG.ok.test AAAA' unseen='^dns.*type=(TXT|HTTPS)' bare=no:'it is about what the broker asks' if=dig
net dns.many 'a thousand names' do='for i in $(seq 1000); do echo $i.$TAG.ok.test; done >names; dig +short -f names | sort | uniq | wc -l' want='1000' if=dig
net dns.case 'the letters come back as they were asked (0x20)' do='dig $(echo $TAG | tr t T).OK.teST' want='T[0-9]+[bi]\.OK\.teST\.' if=dig
net dns.junk 'junk on the port does no harm' do='head -c 3000 /dev/urandom | nc -u -w 1 127.0.0.53 53; head -c 30000 /dev/urandom | nc -w 1 203.0.114.53 53; $C ask 203.0.114.53 53 TAG.ok.test 1' want='RCODE 0 ANSWERS 1' if=nc
net dns.bad-names 'names that are none' do='$C ask 203.0.114.53 53 "a b.TAG.ok.test" 1; $C ask 203.0.114.53 53 "x;y.TAG.no.test" 1; $C ask 203.0.114.53 53 "TAG.ok.test" 1' want='RCODE 0 ANSWERS 1'
net dns.resolv-conf 'resolv.conf names a server that does not exist' do='dig +short @198.51.101.77 $TAG.ok.test' deny='^.[0-9]+\.' if=dig bare=no:'nobody is there'
for server in 127.0.0.53 127.0.0.1; do
	net "dns.local-$server" "the host's own resolver at $server is not reached" do="\$C udp $server 53" host=yes unseen='host-udp'
done

done_testing
