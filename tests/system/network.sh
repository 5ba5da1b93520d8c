# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The sandbox's network as such, with nothing beyond it: its interface, berm's own
# sockets, what the command may not change, ports led in and out, and what is left of
# it when its keeper dies. tests/net has the rest of the world.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

probe=$T_BASE/net-probe.py
cat >"$probe" <<'PY'
import errno, socket, struct, sys, time
def name(e):
    return errno.errorcode.get(e.errno, str(e))
def call(host, port):
    begin = time.monotonic()
    try:
        s = socket.create_connection((host, port), 10)
        print(host, port, "connected")
        s.close()
    except OSError as e:
        print(host, port, name(e), "late" if time.monotonic() - begin > 2 else "")
def bind(kind, host, port):
    s = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, kind)
    try:
        s.bind((host, port))
        print("bind", port, "ok")
    except OSError as e:
        print("bind", port, name(e))
def route(kind, body, flags):
    # One message to rtnetlink; what the kernel says.
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    s.sendto(struct.pack("=IHHII", 16 + len(body), kind, 1 | 4 | flags, 1, 0) + body, (0, 0))
    err = struct.unpack_from("=i", s.recv(4096), 16)[0]
    print("netlink", kind, errno.errorcode.get(-err, err))
def domain(*args):
    try:
        socket.socket(*args)
        print("socket", *args, "ok")
    except OSError as e:
        print("socket", *map(int, args), name(e))
for word in sys.argv[1:]:
    if word == "changes":
        # lo down; an address; the default route gone; a rule of the packet filter
        route(16, struct.pack("=BxHiII", 0, 0, 1, 0, 1), 0)
        route(20, struct.pack("=BBBBi", 2, 32, 0, 0, 1) + struct.pack("=HH4s", 8, 2, bytes([10, 9, 8, 7])), 0x600)
        route(25, struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 255, 0, 254, 2, 0), 0)
        domain(16, 3, 12)
        domain(17, 3, 0)
        domain(2, 3, 1)
        for path in ("ipv4/ip_unprivileged_port_start", "ipv4/ip_forward", "core/somaxconn"):
            try:
                open("/proc/sys/net/" + path, "w").write("1")
                print(path, "written")
            except OSError as e:
                print(path, name(e))
    elif word == "binds":
        bind(socket.SOCK_STREAM, "127.0.0.1", 80)
        bind(socket.SOCK_STREAM, "0.0.0.0", 443)
        bind(socket.SOCK_DGRAM, "0.0.0.0", 53)
        bind(socket.SOCK_STREAM, "127.0.0.1", 61702)
    else:
        host, _, port = word.rpartition("=")
        call(host, int(port))
PY

# look ID TEXT WANTED WORDS [OPTION]...: what the probe prints inside.
look()
{
	local id=$1 text=$2 wanted=$3 words=$4
	shift 4
	wanted "$id" || return 0
	fresh
	cp "$probe" "$W/net-probe.py"
	run_in "/usr/bin/python3 net-probe.py $words | sed 's/ *$//'" --no-proxy-env -q "$@"
	t_is "$id" "$text" "$(plain)" "$wanted"
	drop "$D"
}

changes='netlink 16 EPERM
netlink 20 EPERM
netlink 25 EPERM
socket 16 3 12 EPROTONOSUPPORT
socket 17 3 0 EAFNOSUPPORT
socket 2 3 1 EPERM
ipv4/ip_unprivileged_port_start EROFS
ipv4/ip_forward EROFS
core/somaxconn EROFS'
look network.changes 'nothing of it can be changed from inside' "$changes" changes
look network.changes-closed 'the same with the closed one' "$changes" changes --test-cap net=closed
look network.binds "ports of the command's own, the low ones too; berm's are taken" \
	'bind 80 ok
bind 443 ok
bind 53 EADDRINUSE
bind 61702 EADDRINUSE' binds
look network.listener 'nobody calls the transparent listener by its own address' \
	'127.0.0.1 61701 ECONNREFUSED
::1 61701 ECONNREFUSED
198.18.0.1 61701 ECONNREFUSED' '127.0.0.1=61701 ::1=61701 198.18.0.1=61701'
refused='8.8.8.8 443 EHOSTUNREACH
2606:4700::1111 443 EACCES'
look network.off 'with --net off the way out is refused at once' "$refused" '8.8.8.8=443 2606:4700::1111=443' --net off
look network.closed 'and without a way out there is none' '8.8.8.8 443 ENETUNREACH' '8.8.8.8=443' --test-cap net=closed

if wanted network.interface; then
	fresh
	run_in 'sed -n "3,\$s/:.*//p" /proc/net/dev; awk "NR > 1 && \$2 ~ /:0035\$/" /proc/net/udp | wc -l; cat /proc/sys/net/ipv4/tcp_congestion_control'
	t_is network.interface 'one interface, DNS listens, no pacing' "$(plain | tr -d ' ')" $'lo\n1\nreno'
	drop "$D"
fi

# A lower rung is told, in the events and to the person.
for rung in tproxy redirect ports; do
	wanted "network.rung-$rung" || continue
	fresh
	run_in 'echo ran' --test-cap "net=$rung" -q
	if [[ $RC == 0 && $OUT == *'berm: network: no '* ]] && grep -q '"event":"degraded","what":"network"' "$EV"; then
		t_ok "network.rung-$rung" "rung $rung is reported"
	else
		t_fail "network.rung-$rung" "rung $rung is reported" "status $RC" "$OUT" "$(<"$EV")"
	fi
	drop "$D"
done
if wanted network.rung-best; then
	fresh
	run_in 'echo ran' -q
	t_is network.rung-best 'and the best one here says nothing' "$(plain)$(grep degraded "$EV")" ran
	drop "$D"
fi

# Ports that cannot be had: nothing runs, and the message names them.
taken=$T_BASE/taken
/usr/bin/python3 -c '
import os, socket, sys, threading
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
open(sys.argv[1] + ".new", "w").write(str(s.getsockname()[1])); os.rename(sys.argv[1] + ".new", sys.argv[1])
threading.Event().wait(300)' "$taken" >/dev/null 2>&1 &
own_pid $!
for _ in {1..100}; do
	[[ -e $taken ]] && break
	sleep 0.05
done
port=$(<"$taken")
# cannot ID TEXT WORDS OPTION...: refused with all of WORDS.
cannot()
{
	local id=$1 text=$2 words=$3
	shift 3
	wanted "$id" || return 0
	fresh
	run_in 'echo ran' "$@"
	# shellcheck disable=SC2053
	if [[ $RC == 125 && $OUT != *@ran* && $OUT == $words ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "status $RC" "$OUT"
	fi
	drop "$D"
}
cannot network.publish-taken 'a published port that is taken' "*127.0.0.1:$port*in use*--publish HOST_PORT:$port*" --publish "$port"
cannot network.host-port-own "a port inside that one of berm's own listeners has" '*port 53*in use*berm takes inside*' --host-port 80:53

# The steward is the second child that berm makes.
if wanted network.steward; then
	fresh
	cp "$probe" "$W/net-probe.py"
	rm -f "$W/started" "$W/go"
	(
		for _ in {1..200}; do
			[[ -e $W/started ]] && break
			sleep 0.05
		done
		for pid in $(pgrep -x berm -u "$(id -u)"); do
			tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF -- "--events $D/events" || continue
			mapfile -t parts < <(pgrep -P "$pid")
			((${#parts[@]} == 2)) || continue
			kill -KILL "${parts[1]}" && : >"$W/killed"
			break
		done
		: >"$W/go"
	) >/dev/null 2>&1 &
	run_in ': >started; for i in $(seq 200); do [ -e go ] && break; sleep 0.05; done; sleep 0.1
		/usr/bin/python3 net-probe.py 8.8.8.8=443 127.0.0.1=61702; echo still here' --no-proxy-env
	wait $!
	t_check network.steward-killed 'the steward was there to be killed' made "$W/killed"
	t_is network.steward 'without it the session goes on, its network closed' "$(plain | sed 's/ *$//')" \
		"berm: network: its steward died: nothing goes out any more
8.8.8.8 443 ECONNREFUSED
127.0.0.1 61702 ECONNREFUSED
still here"
	t_check network.steward-event 'and the events say so' grep -q '"degraded","what":"network","detail":"its steward died' "$EV"
	drop "$D"
fi

done_testing
