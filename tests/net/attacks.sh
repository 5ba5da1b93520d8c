# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Ways around the gate. Each does its harm bare, or says why it cannot; inside nothing of it
# arrives at the internet or at the host.
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'
as_root && rooted='' || rooted='bare=no:needs a right that only root has'

py()
{
	printf "/usr/bin/python3 -c '\nimport os, socket, struct, time\nTAG = os.environ[\"TAG\"].encode()\n%s' 2>&1" "$1"
}
# past ID "what" ADDRESS DO [WORD]...: no packet to ADDRESS, which is the row's own
past()
{
	local id=$1 text=$2 address=${3//./\\.} script=$4
	shift 4
	net "attacks.$id" "$text" do="$script" unseen="dst=$address( |\$)" tagless=yes "$@"
}

past icmp-raw 'ICMP by a raw socket' 7.7.0.1 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); s.sendto(b"\x08\0\xf7\xff\0\0\0\0", ("7.7.0.1", 0))')" ${rooted:+"$rooted"}
past icmp-ping 'ping' 7.7.0.2 'ping -c 1 -W 1 7.7.0.2' if=ping ${rooted:+"$rooted"}
past icmp-dgram 'ICMP by a datagram socket' 7.7.0.3 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1); s.sendto(b"\x08\0\xf7\xff\0\0\0\0", ("7.7.0.3", 0))')" bare=no:'not for everybody'
past tcp-raw 'a SYN by a raw socket' 7.7.0.4 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_RAW, 6); s.sendto(struct.pack(">HHIIBBHHH", 999, 7, 1, 0, 0x50, 2, 100, 0, 0), ("7.7.0.4", 0))')" ${rooted:+"$rooted"}
past ip-raw 'a whole packet by a raw socket' 7.7.0.5 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_RAW, 255); s.sendto(struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28, 1, 0, 64, 17, 0, b"\xc63e\x02", b"\x07\x07\0\x05") + struct.pack(">HHHH", 9, 9, 8, 0), ("7.7.0.5", 0))')" ${rooted:+"$rooted"}
net attacks.packet 'a frame by a packet socket' do="$(py 's = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
for i in socket.if_nameindex():
    s.bind((i[1], 3)); s.send(b"\xff" * 12 + b"\x08\0" + struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28, 1, 0, 64, 17, 0, b"\xc63e\x02", b"\x07\x07\0\x06") + struct.pack(">HHHH", 9, 9, 8, 0))')" unseen='dst=7\.7\.0\.6' tagless=yes ${rooted:+"$rooted"}
past udp 'UDP' 7.7.1.1 '$C udp 7.7.1.1 7' deny='ERR'
past udp-443 'QUIC' 7.7.1.2 '$C udp 7.7.1.2 443'
past udp-sendto 'UDP that does not listen for errors' 7.7.1.3 '$C udp-sendto 7.7.1.3 9999'
past udp6 'UDP over IPv6' 2600:7::4 '$C udp 2600:7::4 7' deny='ERR'
refused attacks.udp-name 'UDP to an allowed name' '$C udp $TAG.ok.test 7' unseen='^udp.*name=t[0-9]*[bi]\.ok' deny='ERR'
past udp-broadcast 'a broadcast' 255.255.255.255 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1); s.sendto(TAG, ("255.255.255.255", 7))')"
past multicast 'a multicast' 239.1.2.3 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(TAG, ("239.1.2.3", 7))')"
past udplite 'UDP-Lite' 7.7.1.5 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136); s.sendto(TAG, ("7.7.1.5", 7))')"
past sctp 'SCTP' 7.7.1.6 "$(py 's = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132); s.settimeout(3); s.connect(("7.7.1.6", 7))')" bare=no:'the kernel may not have it'
past direct 'an address' 7.7.2.1 '$C blocking 7.7.2.1 7' deny='ERR' event='deny 7.7.2.1:7'
past direct6 'an IPv6 address' 2600:7::5 '$C blocking 2600:7::5 7' deny='ERR'
past nat64 'an address by NAT64' '64:ff9b::7.7.2.2' '$C blocking 64:ff9b::7.7.2.2 7' unseen='dst=64:ff9b::707:202' deny='ERR'
past bound-device 'a socket bound to a device' 7.7.2.3 "$(py 's = socket.socket(); s.settimeout(5)
for i in socket.if_nameindex():
    s.setsockopt(socket.SOL_SOCKET, 25, i[1].encode() + b"\0")
    try: s.connect(("7.7.2.3", 7)); break
    except OSError as e: s.close(); s = socket.socket(); s.settimeout(5)')"
past mark 'a marked socket' 7.7.2.4 "$(py 's = socket.socket(); s.settimeout(5)
for mark in (0, 1, 0xdead, 0xffffffff):
    try: s.setsockopt(socket.SOL_SOCKET, 36, struct.pack("I", mark))
    except OSError as e: print(e)
s.connect(("7.7.2.4", 7))')"
past transparent 'a transparent socket' 7.7.2.5 "$(py 's = socket.socket(); s.settimeout(5)
try: s.setsockopt(0, 19, 1)
except OSError as e: print(e)
try: s.bind(("7.7.2.5", 0))
except OSError as e: s.close(); s = socket.socket(); s.settimeout(5)
s.connect(("7.7.2.5", 7))')" bare=no:'from an address of its own'
past source-port 'from the ports of berm' 7.7.2.6 "$(py 'for port in (53, 61701, 61702, 61703):
    s = socket.socket(); s.settimeout(3); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.setsockopt(socket.SOL_SOCKET, 15, 1)
    try: s.bind(("127.0.0.1" if port == 53 else "", port if port > 1024 else 0)); s.connect(("7.7.2.6", 7))
    except OSError as e: print(e)')"
past local-listener 'a listener of its own on that address stands for it inside only' 7.7.2.7 "$(py 'try:
    l = socket.socket(); l.bind(("7.7.2.7", 7)); l.listen()
except OSError as e: print(e)
s = socket.socket(); s.settimeout(3); s.connect(("7.7.2.7", 7)); s.send(TAG)')"
past from-elsewhere 'from another local address' 7.7.2.8 "$(py 'for source in ("127.0.0.1", "198.18.0.1", "8.8.8.8", ""):
    s = socket.socket(); s.settimeout(3)
    try: s.bind((source, 0)); s.connect(("7.7.2.8", 7))
    except OSError as e: print(e)')"

# the namespace's configuration
tools='ip link set lo down; ip route flush table local; ip route add default dev lo; ip addr add 10.0.0.1/8 dev lo; ip link add type veth; ip rule add pref 1 table main; ip link set lo netns 1; nft flush ruleset; iptables -F; iptables -t mangle -F; sysctl -w net.ipv4.ip_forward=1'
past netlink 'changes by netlink' 7.7.3.1 "($tools) 2>&1; \$C blocking 7.7.3.1 7" bare=no:'it would change the world' deny='ERR'
net attacks.netlink-still 'and afterwards all works as before' do="($tools) 2>&1 >/dev/null; \$C blocking \$TAG.ok.test 7" want=OK bare=no:'it would change the world'
past netlink-raw 'the rules of the gate by netfilter' 7.7.3.2 "$(py 's = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12); print("socket", s.fileno())
s.send(struct.pack("IHHIIBBH", 20, 0x10, 1, 1, 0, 0, 0, 10) + struct.pack("IHHIIBBH", 20, (10 << 8) | 2, 0x805, 2, 0, 1, 0, 0) + struct.pack("IHHIIBBH", 20, 0x11, 1, 3, 0, 0, 0, 10)); print(s.recv(1000))'); \$C blocking 7.7.3.2 7" bare=no:'it would change the world' deny='ERR'
past queue 'its packet queue' 7.7.3.3 "$(py 's = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
s.send(struct.pack("IHHIIBBHHHBBH", 28, (3 << 8) | 2, 5, 1, 0, 0, 0, 0x700, 8, 1, 1, 0, 0x200)); print(s.recv(1000))'); \$C blocking 7.7.3.3 7" bare=no:'it would change the world' deny='ERR'
past unshare 'a network namespace of its own, and back' 7.7.3.4 'unshare -Urn $C blocking 7.7.3.4 7; nsenter -n -t 1 $C blocking 7.7.3.4 7; nsenter -n -t $$ $C blocking 7.7.3.4 7; $C blocking 7.7.3.4 7' bare=no:'it would leave the world'
past setns 'every namespace in /proc' 7.7.3.5 "$(py 'import ctypes, glob
for p in glob.glob("/proc/*/ns/net") + glob.glob("/proc/*/task/*/ns/net"):
    try: fd = os.open(p, 0); print(ctypes.CDLL(None).setns(fd, 0))
    except OSError: pass
s = socket.socket(); s.settimeout(5); s.connect(("7.7.3.5", 7))')" bare=no:'it would leave the world'
past pidfd "every process's sockets" 7.7.3.6 "$(py 'import ctypes
libc = ctypes.CDLL(None)
for pid in range(1, 400):
    p = libc.syscall(434, pid, 0)
    if p < 0: continue
    for fd in range(3, 40):
        got = libc.syscall(438, p, fd, 0)
        if got >= 0 and pid != os.getpid(): print("GOT", pid, fd)
s = socket.socket(); s.settimeout(5); s.connect(("7.7.3.6", 7))')"
net attacks.inherited 'no socket of berm is inherited' do='ls -l /proc/self/fd /proc/1/fd 2>/dev/null | grep -c socket: ; echo end' want='^.0.end'
net attacks.kit-owner 'the sockets of berm in /proc/net are not its own' do='awk "NR > 1 { print \$2, \$4 }" /proc/net/tcp | sort | uniq | head -n 30; for f in /proc/[0-9]*/fd/*; do readlink $f; done 2>/dev/null | grep -c "socket:"; echo end' want='end' bare=no:'nothing to see'

# talking to berm's own ports
for target in '127.0.0.1 61701' '198.18.0.1 61701' '::1 61701'; do
	net "attacks.kit-${target// /-}" "berm's transparent listener, directly: $target" do="\$C send $target 'GET /evil HTTP/1.1\\r\\nHost: TAG.ok.test\\r\\n\\r\\n'; echo end; \$C blocking \$TAG.ok.test 7" want='end.*OK' unseen='evil' bare='no:it is not there'
done
past kit-loop 'the proxy through the proxy through the proxy' 7.7.4.1 '$C send 127.0.0.1 61702 "CONNECT 127.0.0.1:61702 HTTP/1.1\r\nHost: 127.0.0.1:61702\r\n\r\n" "<" "CONNECT 7.7.4.1:7 HTTP/1.1\r\nHost: 7.7.4.1:7\r\n\r\n" "<" x; echo end' deny='end' bare=no:'there is no such proxy outside'
net attacks.kit-take 'taking the place of a listener of berm' do="$(py 'for host in ("127.0.0.1", "0.0.0.0", "::1", "::", "198.18.0.1"):
    for port in (53, 61701, 61702, 61703):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.setsockopt(socket.SOL_SOCKET, 15, 1)
            try:
                s.bind((host, port)); s.listen() if kind == socket.SOCK_STREAM else 0
            except OSError: pass'); \$C blocking \$TAG.ok.test 7" want=OK bare=no:'nothing to take'
net attacks.kit-steal 'while it listens there itself, others are still judged' do="($(py 'held = []
for host in ("127.0.0.1", "0.0.0.0", "127.0.0.53", "203.0.114.53"):
    for port in (53, 61701, 61702, 61703, 80):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            s = socket.socket(socket.AF_INET, kind); s.setsockopt(socket.SOL_SOCKET, 15, 1)
            try:
                s.bind((host, port)); s.listen() if kind == socket.SOCK_STREAM else 0; held.append(s)
            except OSError: pass
open("held", "w"); time.sleep(4)')) & while [ ! -e held ]; do sleep 0.05; done; timeout 8 curl -sS http://\$TAG.no.test/; echo end; kill %1; wait" unseen='.' deny=end bare=no:'nothing to take'

# names and addresses
past unnamed 'an address of the range of names that no name has' 198.18.77.77 '$C blocking 198.18.77.77 7; $C blocking 198.19.255.254 7; $C blocking fd62:6572:6d01::77 7' deny='ERR'
net attacks.spoof 'a false answer to a neighbour opens nothing' do="$(py 'import threading
def serve(s):
    while True:
        q, peer = s.recvfrom(600)
        s.sendto(q[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + q[12:] + b"\xc0\x0c\0\1\0\1\0\0\0\x09\0\4" + socket.inet_aton("203.0.114.171"), peer)
for host in ("127.0.0.53", "203.0.114.53", "127.0.0.1", "0.0.0.0"):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.setsockopt(socket.SOL_SOCKET, 15, 1)
    try: s.bind((host, 53)); threading.Thread(target=serve, args=(s,), daemon=True).start(); print("bound", host)
    except OSError: pass
os.system("timeout 8 curl -sS http://$TAG.no.test/; timeout 8 curl -sS http://$TAG.ok.test/"); print("end")')" unseen='dst=203\.0\.114\.171' tagless=yes deny=end bare=no:'it answers inside only'
net attacks.exhaust 'seventy thousand names, then one that was there before' do="getent hosts \$TAG.ok.test >/dev/null; $(py 'import sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(("203.0.114.53", 53)); s.setblocking(False)
for i in range(70000):
    n = b"%d" % i
    q = b"\0\1\1\0\0\1\0\0\0\0\0\0" + bytes([len(n)]) + n + bytes([len(TAG)]) + TAG + b"\2ok\4test\0\0\1\0\1"
    for _ in range(1000):
        try: s.send(q); break
        except OSError: time.sleep(0.001)
    try:
        while True: s.recv(600)
    except OSError: pass'); \$C blocking \$TAG.ok.test 7" want=OK bare=no:'it is about the table of names'
net attacks.flood 'three thousand refused connections, then an allowed one' do="$(py 'import select
for i in range(3000):
    s = socket.socket(); s.setblocking(False); s.connect_ex(("7.7.5.%d" % (i % 250), 1000 + i)); s.close()'); \$C blocking \$TAG.ok.test 7" want=OK unseen='dst=7\.7\.5\.' tagless=yes bare=no:'it is about the broker'
net attacks.half-open 'a thousand connections that never speak' do="ulimit -n 3000; $(py 'held = []
for i in range(1000):
    s = socket.socket(); s.setblocking(False); s.connect_ex((socket.gethostbyname(os.environ["TAG"] + ".ok.test"), 83)); held.append(s)
time.sleep(1)
os.system("/usr/bin/python3 tools/client.py blocking $TAG.ok.test 7")')" want='OK' bare=no:'it is about the broker'

# berm's processes
net attacks.kill 'killing whatever can be killed' do="\$C blocking \$TAG.ok.test 7; $(py 'for pid in range(2, 5000):
    if pid != os.getpid() and pid != os.getppid():
        try: os.kill(pid, 9); print("killed", pid)
        except OSError: pass'); \$C blocking after\$TAG.ok.test 7" want='OK.*OK' bare=no:'it would end the machine'
net attacks.see "berm's processes are not there" do='for p in /proc/[0-9]*; do tr "\0" " " <$p/cmdline; echo; done | grep -c "egres[s]"; echo end' want='^.0.end' bare=no:'there they are'

# host's sockets
net attacks.unix-path 'a unix socket of the host' do="\$C unix $WORLD/site/host.sock" deny='ERR'
net attacks.unix-abstract 'an abstract one' do='$C unix @berm-test-host' deny='ERR'
net attacks.vsock 'vsock' do="$(py 's = socket.socket(40, socket.SOCK_STREAM); print("OK made")')" want= deny='EACCES|EPERM|EAFNOSUPPORT|denied|not permitted|not supported' bare=no:'the kernel may not have it'
net attacks.services "the host's services by every local address" do='for a in 127.0.0.1 127.0.0.53 0.0.0.0 198.51.101.2 198.18.0.1 ::1 2600:1f18:51::2 fd62:6572:6d00::1 ::ffff:127.0.0.1; do $C send $a 4002 x; done' host=yes tagless=yes unseen='host-service.* 4002'
net attacks.host-udp 'and over UDP' do='for a in 127.0.0.1 198.51.101.2; do $C udp $a 4003; done' host=yes unseen='host-udp'

# what people are shown
if wanted attacks.escapes; then
	fresh
	r_host='' && mark i
	# shellcheck disable=SC2086
	run_in '$C send 127.0.0.1 61702 "CONNECT \x1b]0;pwned\x07\x1b[2J.TAG.no.test:443 HTTP/1.1\r\nHost: x\r\n\r\n" >/dev/null; $C socks 61703 "$(printf "a\033[31mb\nberm: fine\007.no.test")" 443; $C ask 203.0.114.53 53 "$(printf "\033[2Jx").TAG.no.test" 1; /usr/bin/python3 -c "import os; os.execv(\"/usr/bin/python3\", [\"x\\x1b]0;pwned\\x07\", \"tools/client.py\", \"blocking\", os.environ[\"TAG\"] + \".no.test\", \"7\"])"' $OPTS
	if grep -q $'[\x01-\x08\x0b-\x1f\x7f]' <<<"$OUT" || grep -q $'[\x01-\x08\x0b-\x1f\x7f]' "$EV"; then
		t_fail attacks.escapes 'no control character of a name reaches a terminal' "$(cat -v <<<"$OUT" | head -n 20)" "$(cat -v "$EV" | grep M-BM- | head -n 3)"
	else
		t_check attacks.escapes 'no control character of a name reaches a terminal' grep -q '"decision":"deny"' "$EV"
	fi
	drop "$D"
fi

done_testing
