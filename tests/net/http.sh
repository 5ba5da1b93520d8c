# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Every request on a plain connection names the host that was allowed; what two readers
# could read differently does not pass.
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'

ok='GET /a HTTP/1.1\r\nHost: TAG.ok.test\r\n\r\n'
evil='GET /evil HTTP/1.1\r\nHost: TAG.no.test\r\n\r\n'
# send ID "what" PIECE...: nothing that says "evil" arrives
send()
{
	local id=$1 text=$2 words='' p
	shift 2
	for p; do
		words+=" '$p'"
	done
	net "http.$id" "$text" do="\$C send \$TAG.ok.test 8081$words" unseen='evil' event='deny TAG.ok.test:8081'
}

net http.plain 'a request' do="\$C send \$TAG.ok.test 8081 '$ok'" want='RAW' seen='^raw '
net http.pieces 'a request in pieces' do="\$C send \$TAG.ok.test 8081 'GET /a HT' 'TP/1.1\\r\\nHo' 'st: TAG.ok.test\\r\\n' '\\r\\n'" want='RAW'
net http.keep-alive 'several on one connection' do="\$C send \$TAG.ok.test 8081 '$ok' '<' '$ok' '<' '$ok'" want='RAW.*RAW.*RAW'
net http.pipelined 'several at once' do='printf "GET /1 HTTP/1.1\r\nHost: $TAG.ok.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: $TAG.ok.test\r\nConnection: close\r\n\r\n" | nc -N -w 5 $TAG.ok.test 80' want='/1.*/2' if=nc
net http.post 'a body' do='head -c 3000000 /dev/zero | curl -s --data-binary @- http://$TAG.ok.test/up' want='got 3000000'
net http.chunked 'a chunked body' do='head -c 300000 /dev/zero | curl -s -H "Transfer-Encoding: chunked" --data-binary @- http://$TAG.ok.test/up' want='got 300000'
net http.expect '100-continue' do='head -c 300000 /dev/zero | curl -s -H "Expect: 100-continue" --data-binary @- http://$TAG.ok.test/up' want='got 300000'
net http.big 'a long answer' do='curl -s "http://$TAG.ok.test/big?n=20000000" | wc -c' want='20000000'
net http.slow 'a slow answer' do='curl -s http://$TAG.ok.test/slow' want='0123456789'
net http.head 'HEAD' do='curl -sI http://$TAG.ok.test/x | tr -d "\r"' want='200 OK'
net http.reuse 'curl, one connection, two requests' do='curl -s http://$TAG.ok.test/1 http://$TAG.ok.test/2' want='/1.*/2'
net http.host-port 'a Host with its port' do='curl -s http://$TAG.ok.test:8000/' want=OK seen='host=t[^ ]*:8000'
net http.websocket 'a websocket' do="\$C send \$TAG.ok.test 80 'GET /c HTTP/1.1\\r\\nHost: TAG.ok.test\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\nSec-WebSocket-Version: 13\\r\\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n\\r\\n' '<' 'ping pong'" \
	want='101 Switching.*ping pong' seen='^ws '

send host 'another Host' "$evil"
send host-second 'another Host in the second request' "$ok" '<' "$evil"
send host-pipelined 'another Host behind the first request' "$ok$evil"
send host-two 'two Hosts' 'GET /evil HTTP/1.1\r\nHost: TAG.ok.test\r\nHost: TAG.no.test\r\n\r\n'
send host-none 'none' 'GET /evil HTTP/1.1\r\nX-Tag: TAG\r\n\r\n'
send host-space 'Host with a space before the colon' 'GET /evil HTTP/1.1\r\nHost : TAG.no.test\r\nHost: TAG.ok.test\r\n\r\n'
send host-fold 'Host on a folded line' 'GET /evil HTTP/1.1\r\nX: a\r\n Host: TAG.no.test\r\nHost: TAG.ok.test\r\n\r\n'
send host-list 'a list of hosts' 'GET /evil HTTP/1.1\r\nHost: TAG.ok.test, TAG.no.test\r\n\r\n'
send host-user 'Host with a user' 'GET /evil HTTP/1.1\r\nHost: TAG.ok.test@TAG.no.test\r\n\r\n'
send absolute 'another host in the target' 'GET http://TAG.no.test/evil HTTP/1.1\r\nHost: TAG.ok.test\r\n\r\n'
send absolute-host 'the right target, another Host' 'GET http://TAG.ok.test/evil HTTP/1.1\r\nHost: TAG.no.test\r\n\r\n'
send connect 'CONNECT inside of an allowed connection' 'CONNECT TAG.no.test:443 HTTP/1.1\r\nHost: TAG.ok.test\r\nX: evil\r\n\r\n'
send cl-te 'Content-Length and Transfer-Encoding' 'POST /evil HTTP/1.1\r\nHost: TAG.ok.test\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
send cl-cl 'two Content-Lengths' 'POST /evil HTTP/1.1\r\nHost: TAG.ok.test\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd'
send cl-plus 'a Content-Length with a sign' 'POST /evil HTTP/1.1\r\nHost: TAG.ok.test\r\nContent-Length: +4\r\n\r\nabcd'
send te-other 'an unknown Transfer-Encoding' 'POST /evil HTTP/1.1\r\nHost: TAG.ok.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'
send chunk-size 'a chunk size that is none' 'POST /a HTTP/1.1\r\nHost: TAG.ok.test\r\nTransfer-Encoding: chunked\r\n\r\n' '<' '0x5\r\nevil!\r\n0\r\n\r\n'
long=$(printf 'a%.0s' {1..400})
send blank-nbsp 'blanks of Latin-1 around a long target' "GET\\xa0/evil$long\\xa0HTTP/1.1\\r\\nHost: TAG.no.test\\r\\n\\r\\n"
send blank-long 'and behind a long method' "evil$long\\x85/\\x1cHTTP/1.1\\r\\nHost: TAG.no.test\\r\\n\\r\\n"
send bare-lf 'bare line feeds' 'GET /evil HTTP/1.1\nHost: TAG.ok.test\n\n'
send bare-cr 'bare carriage returns' 'GET /evil HTTP/1.1\r\nX: a\rHost: TAG.no.test\r\nHost: TAG.ok.test\r\n\r\n'
send nul 'a NUL in a header' 'GET /evil HTTP/1.1\r\nHost: TAG.ok.test\r\nX: a\x00b\r\n\r\n'
net http.http09 'HTTP/0.9' do='$C send $TAG.ok.test 8081 "GET /evilTAG\r\n"' unseen=evil
send http2 'HTTP/2 without TLS' 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nevil TAG'
send after-body 'another Host right behind a body' 'POST /a HTTP/1.1\r\nHost: TAG.ok.test\r\nContent-Length: 3\r\n\r\nabcGET /evil HTTP/1.1\r\nHost: TAG.no.test\r\n\r\n'
send upgrade-no 'what follows an Upgrade that is not granted' 'GET /a HTTP/1.1\r\nHost: TAG.ok.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n' '<' "$evil"
send upgrade-eager 'what follows an Upgrade before it is granted' "GET /a HTTP/1.1\\r\\nHost: TAG.ok.test\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n$evil"
net http.giant 'a head without end' do='(printf "GET /evil HTTP/1.1\r\nHost: $TAG.ok.test\r\nX: "; head -c 2000000 /dev/zero | tr "\0" e) | timeout 10 nc -N $TAG.ok.test 8081; echo done' want=done if=nc
net http.many-headers 'a thousand headers' do='(printf "GET /evil$TAG HTTP/1.1\r\nHost: $TAG.ok.test\r\n"; for i in $(seq 1000); do printf "X-$i: a\r\n"; done; printf "\r\n") | timeout 10 nc -N -w 3 $TAG.ok.test 8081; echo done' want=done if=nc
net http.loris 'two hundred heads that never end, and one that comes drop by drop, keep nobody' do="/usr/bin/python3 -c '
import os, socket, subprocess, time
name = os.environ[\"TAG\"] + \".ok.test\"
held = []
for i in range(200):
    s = socket.create_connection((name, 80), 20); s.send(b\"GET / HTTP/1.1\r\nHost: \"); held.append(s)
print(subprocess.run([\"curl\", \"-s\", \"http://\" + name + \"/\"], capture_output=True, text=True).stdout)
s = socket.create_connection((name, 80), 20)
for c in b\"GET /drops HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n\" % name.encode():
    s.send(bytes([c])); time.sleep(0.01)
print(s.makefile().read())'" want='OK.*OK .*/drops' seen='path=/drops'
net http.body-is-not-head 'what looks like a request inside of a body is a body' \
	do="\$C send \$TAG.ok.test 8081 'POST /a HTTP/1.1\\r\\nHost: TAG.ok.test\\r\\nContent-Length: 51\\r\\n\\r\\nGET /b HTTP/1.1\\r\\nHost: a.no.test\\r\\nConnection: x\\r\\n\\r\\n'" want=RAW seen='Connection: x'
net http.not-http 'a protocol that is not HTTP goes through' do='$C send $TAG.ok.test 7 "hello TAG"' want='hello t' seen='^echo '
net http.looks-like 'one that begins like it' do='$C send $TAG.ok.test 7 "GETTAG"' want='GETt|SILENCE|END'

done_testing
