# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The name in a TLS handshake must be the one that was allowed (SPEC N9), however the
# handshake is cut.
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'
gone='ALERT 49|END|RESET|ERR'

for how in whole bytes records late; do
	net "tls.$how" "the right name, hello sent: $how" do="\$C hello \$TAG.ok.test 443 \$TAG.ok.test $how" want='OK HTTP/1.1 200' seen='^http '
	net "tls.front-$how" "another allowed name's connection, hello sent: $how" do="\$C hello \$TAG.ok.test 443 inner\$TAG.no.test $how" \
		unseen='sni=inner' deny="$gone" event='deny TAG.ok.test:443'
done
net tls.alert 'the refusal is an alert that says so' do='$C hello $TAG.ok.test 443 inner$TAG.no.test whole' unseen='sni=inner' deny='ALERT 49'
net tls.curl 'curl' do='curl -s --cacert $CA https://$TAG.ok.test/' want=OK seen='^http .*sni=t'
net tls.port 'TLS on another port' do='curl -s --cacert $CA https://$TAG.ok.test:8443/' want=OK seen='^http .*sni=t'
net tls.front-port 'and another name there' do='$C hello $TAG.ok.test 8443 inner$TAG.no.test whole' unseen='sni=inner' deny="$gone"
net tls.front-80 'TLS on a port that is not meant for it' do='$C hello $TAG.ok.test 8000 inner$TAG.no.test whole; echo ALERT' unseen='inner' deny='ALERT' \
	bare=no:'the server speaks no TLS there'
net tls.sub 'a sub-domain of the name is another name' do='$C hello $TAG.ok.test 443 inner.$TAG.ok.test whole' unseen='sni=inner' deny="$gone"
net tls.case 'the same name in capitals is the same' do='$C hello $TAG.ok.test 443 $(echo $TAG | tr t T).OK.test whole' want='OK HTTP' seen='^http '
net tls.front-by-connect-to 'curl --connect-to' do='curl -sS --cacert $CA --connect-to $TAG.no.test:443:$TAG.ok.test:443 https://$TAG.no.test/' \
	unseen='sni=t[0-9b-z]*.no' deny='curl: \('
net tls.host 'a Host inside of TLS is not seen, and said so' do='curl -s --cacert $CA -H "Host: other.ok.test" https://$TAG.ok.test/' want=OK
net tls.big '20 MB by TLS' do='curl -s --cacert $CA "https://$TAG.ok.test/big?n=20000000" | wc -c' want='20000000'
net tls.websocket 'a websocket by TLS' do="$(
	cat <<-'DO'
		/usr/bin/python3 - <<PY
		import os, socket, ssl
		name = os.environ["TAG"] + ".ok.test"
		s = ssl.create_default_context(cafile=os.environ["CA"]).wrap_socket(socket.create_connection((name, 443), 10), server_hostname=name)
		s.sendall(f"GET /chat HTTP/1.1\r\nHost: {name}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
		head = s.recv(4096)
		s.sendall(b"\x81\x85abcd" + b"hello")
		print(head.split(b"\r\n")[0].decode(), "OK" if s.recv(100)[-5:] == b"hello" else "")
		PY
	DO
)" want='101.*OK' seen='^ws '
if wanted tls.none; then
	# no name at all: the connection's own name stands for it, or it is refused; never another's
	net tls.none 'a handshake without a name' do='$C hello $TAG.ok.test 443 - whole; echo END' want='OK|ALERT|END'
fi

done_testing
