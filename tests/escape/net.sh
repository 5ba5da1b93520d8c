# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Nothing of the host or beyond it is reached past the broker (SPEC N1).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# A server on the host, for every probe of this file: prints its ports.
server=$T_BASE/net-server.py
cat >"$server" <<'PY'
import os, socket, sys, threading
base = sys.argv[1]
def serve(s, dgram=False):
    while True:
        if dgram:
            data, _ = s.recvfrom(100)
            open(base + "/net-dgram", "ab").write(data)
        else:
            c, _ = s.accept()
            c.recv(100)
            c.sendall(b"CANARY-service\n")
            c.close()
def start(s, **kw):
    threading.Thread(target=serve, args=(s,), kwargs=kw, daemon=True).start()
def inet(family, host, kind=socket.SOCK_STREAM):
    s = socket.socket(family, kind)
    s.bind((host, 0))
    if kind == socket.SOCK_STREAM:
        s.listen()
    start(s, dgram=kind == socket.SOCK_DGRAM)
    return s.getsockname()[1]
def unix(name, kind):
    s = socket.socket(socket.AF_UNIX, kind)
    s.bind(name)
    if kind != socket.SOCK_DGRAM:
        s.listen()
    start(s, dgram=kind == socket.SOCK_DGRAM)
tcp = inet(socket.AF_INET, "127.0.0.1")
tcp6 = inet(socket.AF_INET6, "::1")
any4 = inet(socket.AF_INET, "0.0.0.0")
udp = inet(socket.AF_INET, "127.0.0.1", socket.SOCK_DGRAM)
for place in (base + "/sock", "/tmp/" + os.path.basename(base)):
    unix(place + "-stream", socket.SOCK_STREAM)
    unix(place + "-seq", socket.SOCK_SEQPACKET)
    unix(place + "-dgram", socket.SOCK_DGRAM)
name = os.path.basename(base)
unix("\0" + name + "-stream", socket.SOCK_STREAM)
unix("\0" + name + "-dgram", socket.SOCK_DGRAM)
open(base + "/ports.new", "w").write("TCP=%d TCP6=%d ANY=%d UDP=%d\n" % (tcp, tcp6, any4, udp))
os.rename(base + "/ports.new", base + "/ports")
threading.Event().wait(300)
PY
/usr/bin/python3 "$server" "$T_BASE" >"$T_BASE/net-server.log" 2>&1 &
own_pid $!
for _ in {1..100}; do
	[[ -e $T_BASE/ports ]] && break
	sleep 0.05
done
# shellcheck disable=SC1091
. "$T_BASE/ports"
BASE_NAME=$(basename "$T_BASE")
ip=$(ip -4 -o addr show scope global 2>/dev/null | awk '{print $4; exit}' | cut -d/ -f1)

got_dgram='for i in 1 2 3 4 5; do [[ -s $T_BASE/net-dgram ]] && break; sleep 0.05; done; [[ -s $T_BASE/net-dgram ]]'
empty='rm -f $T_BASE/net-dgram'

attack net.tcp-loopback 'a TCP service on 127.0.0.1 of the host' do="\$A net tcp '127.0.0.1 $TCP'" harm=leaked errno=ECONNREFUSED
attack net.tcp-loopback6 'a TCP service on ::1 of the host' do="\$A net tcp '::1 $TCP6'" harm=leaked errno='ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH'
attack net.tcp-mapped 'the same, as a mapped address' do="\$A net tcp '::ffff:127.0.0.1 $TCP'" harm=leaked
attack net.tcp-any 'the same, as 0.0.0.0' do="\$A net tcp '0.0.0.0 $TCP'" harm=leaked
attack net.tcp-127-x 'the same, on 127.1.2.3' do="\$A net tcp '127.1.2.3 $ANY'" harm=leaked
attack net.tcp-fastopen 'the same, by TCP fast open' do="\$A net tcp-fastopen '127.0.0.1 $TCP'" harm=leaked
attack net.bash-dev-tcp 'the same, by /dev/tcp of bash' \
	do="bash -c 'exec 3<>/dev/tcp/127.0.0.1/$TCP && echo hi >&3 && cat <&3'" harm=leaked
attack net.curl 'the same, by curl' do="curl -sm 3 --http0.9 http://127.0.0.1:$TCP/; curl -sm 3 --http0.9 http://localhost:$TCP/" harm=leaked
attack net.python 'the same, by python' \
	do="/usr/bin/python3 -c 'import socket; s=socket.create_connection((\"127.0.0.1\", $TCP)); s.send(b\"x\"); print(s.recv(100))'" harm=leaked
if [[ -n $ip ]]; then
	attack net.tcp-own-address "the host's own address" do="\$A net tcp '$ip $ANY'" harm=leaked \
		errno='ENETUNREACH|EHOSTUNREACH|ECONNREFUSED'
else
	t_skip net.tcp-own-address "the host's own address" 'the host has no address but loopback'
fi
attack net.udp-loopback 'a UDP service of the host' setup="$empty" do="\$A net udp '127.0.0.1 $UDP'" harm="$got_dgram"
for kind in stream seq; do
	form=unix-${kind/seq/seqpacket}
	attack "net.unix-$kind-outside" "a unix $kind socket of the host, by its path" \
		do="\$A net $form $T_BASE/sock-$kind" harm=leaked errno='ENOENT|EACCES|EPERM|ECONNREFUSED'
	attack "net.unix-$kind-tmp" "a unix $kind socket in the host's /tmp" \
		do="\$A net $form /tmp/$BASE_NAME-$kind" harm=leaked errno='ENOENT|EACCES|EPERM|ECONNREFUSED'
	attack "net.unix-$kind-symlink" "a unix $kind socket of the host, through a symlink" \
		setup="ln -s $T_BASE/sock-$kind s" do="\$A net $form s" harm=leaked
	attack "net.unix-$kind-host-view" "a unix $kind socket of the host in the host view" opts='--root host' \
		do="\$A net $form $T_BASE/sock-$kind; \$A net $form /tmp/$BASE_NAME-$kind" harm=leaked
done
for form in unix-dgram unix-dgram-sendto unix-pair-connect; do
	attack "net.$form-outside" "$form: a datagram socket of the host" setup="$empty" \
		do="\$A net $form $T_BASE/sock-dgram" harm="$got_dgram"
	attack "net.$form-host-view" "$form: in the host view" opts='--root host' setup="$empty" \
		do="\$A net $form $T_BASE/sock-dgram; \$A net $form /tmp/$BASE_NAME-dgram" harm="$got_dgram"
done
attack net.abstract-stream 'an abstract stream socket of the host' do="\$A net unix-stream @$BASE_NAME-stream" harm=leaked \
	errno='ECONNREFUSED|EPERM|EACCES'
attack net.abstract-stream-host-view 'the same in the host view' opts='--root host' do="\$A net unix-stream @$BASE_NAME-stream" harm=leaked
attack net.abstract-dgram 'an abstract datagram socket of the host' setup="$empty" \
	do="\$A net unix-dgram-sendto @$BASE_NAME-dgram; \$A net unix-pair-connect @$BASE_NAME-dgram" harm="$got_dgram"

# The outside world. Every address is the sandbox's own, so a datagram goes nowhere and
# its sender hears that at once; a group's address answers nobody. Port 53 is berm's DNS.
for dst in '8.8.8.8 443' '169.254.169.254 80' '10.0.0.1 123' '2606:4700::1111 443' '224.0.0.1 5353' '255.255.255.255 9' "${ip:-192.0.2.1} 123"; do
	wanted "net.udp.${dst% *}" || continue
	fresh
	run_in "\$A net udp-reply '$dst'" -q
	case ${dst%%.*} in
	224) answer=EAGAIN ;;
	255) answer=EACCES ;;
	*) answer=ECONNREFUSED ;;
	esac
	! flat_tier || answer=EPROTONOSUPPORT
	if [[ $OUT == *"$answer"* ]]; then
		t_ok "net.udp.${dst% *}" "no datagram to ${dst% *} ($answer)"
	else
		t_fail "net.udp.${dst% *}" "no datagram to ${dst% *}" "$OUT"
	fi
	drop "$D"
done
if wanted net.quick; then
	fresh
	t0=$SECONDS
	run_in 'getent hosts example.com && echo RESOLVED; curl -fsm 5 http://example.com/ && echo FETCHED; git ls-remote https://example.com/x.git && echo FETCHED; true' --net off
	t_check net.no-dns 'with the network off no name is resolved, nothing is fetched' test "${OUT/RESOLVED/}" = "$OUT" -a "${OUT/FETCHED/}" = "$OUT"
	t_check net.quick 'and the refusal is quick' test $((SECONDS - t0)) -le 3
	run_in 'ls /sys/class/net 2>/dev/null; cat /proc/net/dev /proc/net/route /proc/net/arp /proc/net/tcp /proc/net/unix'
	t_check net.interfaces 'no interface of the host is seen' test "${OUT/eth0/}" = "$OUT"
	t_check net.tables 'nor its sockets' test "${OUT/$BASE_NAME/}" = "$OUT" -a "${OUT/$(printf %04X "$TCP")/}" = "$OUT"
	# Without a network of its own there are none to read.
	flat_tier || t_check net.table-ran 'and the tables were read' grep -q 'lo:' <<<"$OUT"
	drop "$D"
fi
attack net.listen-not-on-host 'a server inside is not reached from the host' control='none:the port would be the host'"'"'s' \
	do='/usr/bin/python3 -c "
import socket, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((\"0.0.0.0\", 47613)); s.listen()
open(\"up\", \"w\").close(); time.sleep(0.6)" & for i in $(seq 400); do test -e up && break; sleep 0.05; done; test -e up && echo up; wait' \
	setup='{ for i in {1..1000}; do [[ -e up ]] && { (exec 3<>/dev/tcp/127.0.0.1/47613) 2>/dev/null && touch reached; break; }; sleep 0.02; done; } >/dev/null 2>&1 &' \
	harm='sleep 0.2; made reached || [[ $OUT != *up* ]]'
rm -f "/tmp/$BASE_NAME-stream" "/tmp/$BASE_NAME-seq" "/tmp/$BASE_NAME-dgram"

done_testing
