# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The proxies inside: for programs that insist on one; the same verdicts (SPEC N5).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
inside='bare=no:there is no such proxy outside'
P=http://127.0.0.1:61702 S=127.0.0.1:61703
gone='403|ERR|REPLY [1-9]|curl: \([0-9]|refused|NO METHOD'

net proxies.env 'the variables are set' do='for v in HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy NO_PROXY no_proxy; do eval "[ -n \"\$$v\" ] || echo missing $v"; done; echo OK' want='^.OK' "$inside"
net proxies.no-env 'and can be left out' do='env | grep -i proxy; echo OK' more='--no-proxy-env' want='^.OK' "$inside"
net proxies.not-hosts "the host's own proxy variables do not come in" do='env | grep -c evil; echo OK' env='HTTP_PROXY=http://u:evil@127.0.0.1:9 all_proxy=http://u:evil@127.0.0.1:9 NO_PROXY=*.ok.test' more='--no-proxy-env' want='^.0.OK' "$inside"
net proxies.connect 'CONNECT' do="curl -s --cacert \$CA -x $P https://\$TAG.ok.test/" want=OK seen='^http .*sni=t' event='allow TAG.ok.test:443 http-proxy' "$inside"
net proxies.absolute 'an absolute target' do="curl -s -x $P http://\$TAG.ok.test/x" want='OK .*/x' seen='^http .*path=/x .*via=-' event='allow TAG.ok.test:80 http-proxy' "$inside"
net proxies.credentials 'what was meant for the proxy does not go on' do="curl -s -x http://me:mine@127.0.0.1:61702 http://\$TAG.ok.test/x" want='OK' seen='^http .*via=-$' "$inside"
net proxies.post 'a body through it' do="head -c 3000000 /dev/zero | curl -s -x $P --data-binary @- http://\$TAG.ok.test/up" want='got 3000000' "$inside"
net proxies.socks5h 'SOCKS5 with the name' do="curl -s -x socks5h://$S http://\$TAG.ok.test/" want=OK seen='^http ' event='allow TAG.ok.test:80 socks-proxy' "$inside"
net proxies.socks5 'SOCKS5 with an address that was looked up' do="curl -s -x socks5://$S http://\$TAG.ok.test/" want=OK seen='^http ' "$inside"
net proxies.socks5-tls 'TLS through it' do="curl -s --cacert \$CA -x socks5h://$S https://\$TAG.ok.test/" want=OK seen='^http ' "$inside"
net proxies.socks4a 'SOCKS4a works or is refused clearly' do="curl -sS -x socks4a://$S http://\$TAG.ok.test/" want='OK|curl: ' "$inside"
net proxies.all-proxy 'ALL_PROXY' do="ALL_PROXY=socks5h://$S curl -s http://\$TAG.ok.test/" want=OK seen='^http ' more='--no-proxy-env' "$inside"
net proxies.either 'each port understands both' do="curl -s -x socks5h://127.0.0.1:61702 http://\$TAG.ok.test/ && curl -s -x http://$S http://\$TAG.ok.test/" want='OK.*OK' "$inside"
net proxies.client 'SOCKS5 by hand' do='$C socks 61703 $TAG.ok.test 7' want=OK seen='^echo ' "$inside"
net proxies.connect-echo 'a tunnel to what is no TLS' do='$C send 127.0.0.1 61702 "CONNECT TAG.ok.test:7 HTTP/1.1\r\nHost: TAG.ok.test:7\r\n\r\n" "<" "hello TAG"' want='200.*hello t' seen='^echo ' "$inside"

# refused
for how in connect absolute socks5h; do
	case $how in
	connect) words="curl -sSv --cacert \$CA -x $P https://" ;;
	absolute) words="curl -sSv -x $P http://" ;;
	socks5h) words="curl -sSv -x socks5h://$S http://" ;;
	esac
	for name in no who; do
		net "proxies.no-$how-$name" "$how: a name of *.$name.test" do="$words\$TAG.$name.test/" unseen='.' deny="$gone" event="deny TAG.$name.test:*" "$inside"
	done
	net "proxies.no-$how-address" "$how: an address" do="$words 203.0.114.140/" do="${words}203.0.114.140/" unseen='dst=203.0.114.140 ' tagless=yes deny="$gone" "$inside"
	net "proxies.no-$how-private" "$how: a name with a private address" do="${words}ip-10-4-4-4.ok.test/" unseen='dst=10.4.4.4 ' tagless=yes deny="$gone|502" "$inside"
	net "proxies.no-$how-loopback" "$how: the host's loopback" do="${words}127.0.0.1:5000/\$TAG; ${words}localhost:5000/\$TAG; ${words}ip-127-0-0-1.ok.test:5000/\$TAG; ${words}[::1]:5000/\$TAG" host=yes unseen='.' deny="$gone|502" "$inside"
	net "proxies.no-$how-itself" "$how: the proxy itself" do="${words}127.0.0.1:61702/\$TAG; ${words}198.18.0.1:61702/\$TAG; echo END" unseen='.' deny=END "$inside"
done
net proxies.reason 'a refusal says why' do="curl -s -i -x $P http://\$TAG.no.test/" deny='403 .*[Xx]-[Pp]roxy-[Ee]rror: blocked.*no\.test.*denied' unseen='.' "$inside"
net proxies.reason-connect 'also to CONNECT' do="curl -sv -x $P https://\$TAG.no.test/" deny='403 .*[Xx]-[Pp]roxy-[Ee]rror: blocked' unseen='.' "$inside"
net proxies.udp 'UDP over SOCKS is refused clearly' do="/usr/bin/python3 -c '
import socket
s = socket.create_connection((\"127.0.0.1\", 61703), 10)
s.sendall(b\"\\x05\\x01\\x00\"); s.recv(2)
s.sendall(b\"\\x05\\x03\\x00\\x01\\0\\0\\0\\0\\0\\0\"); print(\"REPLY\", s.recv(10)[1])'" want='REPLY 7' "$inside"
net proxies.host 'CONNECT to one name, Host of another: the target counts' do='$C send 127.0.0.1 61702 "CONNECT TAG.no.test:7 HTTP/1.1\r\nHost: TAG.ok.test:7\r\n\r\n" "<" "evil"' unseen='^(syn|tcp|echo) ' deny='40[03]' "$inside"
net proxies.absolute-host 'absolute target of one name, Host of another' do='$C send 127.0.0.1 61702 "GET http://TAG.ok.test:8081/ HTTP/1.1\r\nHost: TAG.no.test\r\n\r\n"' unseen='no\.test' deny='.' "$inside"
net proxies.second 'a second request to another name on one connection' do='$C send 127.0.0.1 61702 "GET http://TAG.ok.test:8081/ HTTP/1.1\r\nHost: TAG.ok.test:8081\r\n\r\n" "<" "GET http://TAG.no.test:8081/evil HTTP/1.1\r\nHost: TAG.no.test:8081\r\n\r\n"' unseen='evil|no\.test' deny='RAW' "$inside"
net proxies.inner-host 'the Host inside of a tunnel is judged' do='$C send 127.0.0.1 61702 "CONNECT TAG.ok.test:8081 HTTP/1.1\r\nHost: TAG.ok.test:8081\r\n\r\n" "<" "GET /evil HTTP/1.1\r\nHost: TAG.no.test\r\n\r\n"' unseen='evil' deny='200' "$inside"
net proxies.inner-sni 'the SNI inside of a tunnel is judged' do="curl -sS --cacert \$CA -x $P --connect-to inner\$TAG.no.test:443:\$TAG.ok.test:443 https://inner\$TAG.no.test/" unseen='inner' deny='curl: \(' "$inside"
net proxies.ssh 'ssh through the proxy is told why' do="ssh -o StrictHostKeyChecking=no -o ConnectTimeout=10 -o 'ProxyCommand nc -X 5 -x $S %h %p' \$TAG.no.test" unseen='.' deny='.' if='ssh nc' "$inside"
net proxies.junk 'junk does not stop it' do="head -c 100000 /dev/urandom | timeout 3 nc -N 127.0.0.1 61702 >/dev/null; head -c 100000 /dev/urandom | timeout 3 nc -N 127.0.0.1 61703 >/dev/null; printf '\\005\\377' | timeout 3 nc -N 127.0.0.1 61703 >/dev/null; curl -s -x $P http://\$TAG.ok.test/" want=OK if=nc "$inside"
net proxies.loris 'two hundred that never finish their request' do='/usr/bin/python3 - <<PY
import os, socket, subprocess
held = []
for i in range(200):
    s = socket.create_connection(("127.0.0.1", 61702 + i % 2)); s.send(b"GET http://" if i % 2 == 0 else b"\x05"); held.append(s)
print(subprocess.run(["curl", "-s", "-x", "http://127.0.0.1:61702", "http://" + os.environ["TAG"] + ".ok.test/"], capture_output=True, text=True).stdout)
PY' want=OK "$inside"

done_testing
