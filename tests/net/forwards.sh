# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Ports led through the wall in both directions, and the host's unix sockets (SPEC N8).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'

net forwards.host-port "a port of the host's loopback" do='curl -s http://127.0.0.1:5000/$TAG; curl -s http://localhost:5000/$TAG' more='--host-port 5000' want='OK.*OK' host=yes seen='^http '
net forwards.host-port-other 'and no other' do='$C send 127.0.0.1 4001 TAG' more='--host-port 5000' host=yes tagless=yes unseen='host-service.* 4001' deny='ERR ECONNREFUSED'
net forwards.host-port-none 'nor any without it' do='curl -sS http://127.0.0.1:5000/$TAG; curl -sS "http://[::1]:5000/$TAG"; curl -sS http://0.0.0.0:5000/$TAG' host=yes unseen='.'
net forwards.host-port-inside 'under another number' do='curl -s http://127.0.0.1:5600/$TAG' more='--host-port 5000:5600' want=OK host=yes seen='^http ' bare='no:the number is of the inside'
net forwards.host-port-big 'a transfer through it' do='curl -s "http://127.0.0.1:5000/big?n=20000000" | wc -c' more='--host-port 5000' want='20000000'
net forwards.host-port-gone 'a port where nobody listens' do='$C blocking 127.0.0.1 5999' more='--host-port 5999' want='ERR ECONNREFUSED|GOT|ERR ECONNRESET'
net forwards.host-port-event 'it is told' do='curl -s http://127.0.0.1:5000/$TAG' more='--host-port 5000' want=OK event='allow *:5000 host-port'

# published ID "what" OPTION PORT WANT: a server inside on 3000, asked from outside
published()
{
	local id=$1 text=$2 option=$3 port=$4 want=$5 got=
	wanted "$id" || return 0
	fresh
	r_host='' && mark i
	# shellcheck disable=SC2086
	run_in '/usr/bin/python3 -m http.server 3000 --bind 127.0.0.1 >log 2>&1 & while [ ! -e stop ]; do sleep 0.05; done; kill $!' -q $OPTS $option &
	for _ in {1..100}; do
		# the server, not the forward: README.md is its page
		got=$(curl -sm 5 "http://127.0.0.1:$port/README.md") && [[ -n $got ]] && break
		[[ $want == - && -s $W/log ]] && break
		sleep 0.05
	done
	: >"$W/stop"
	wait
	t_is "$id" "$text" "${got:--}" "$want"
	drop "$D"
}
published forwards.publish 'a published port leads to the server inside' '--publish 3000' 3000 hello
published forwards.publish-other 'under another number' '--publish 3100:3000' 3100 hello
published forwards.publish-none 'what is not published is not reached' '' 3000 -
if wanted forwards.publish-taken; then
	fresh
	r_host='' && mark i
	# shellcheck disable=SC2086
	run_in 'true' -q $OPTS --publish 5000
	t_is forwards.publish-taken 'a port that is taken is an error before anything runs' "$RC $([[ $OUT == *5000* && $OUT != *@ran* ]] && echo said)" '125 said'
	drop "$D"
fi

net forwards.unix 'a unix socket of the host that was allowed' do="\$C unix $WORLD/site/host.sock" more="--allow-unix-socket $WORLD/site/host.sock" want='CANARY'
net forwards.unix-none 'and without' do="\$C unix $WORLD/site/host.sock" deny='ERR (ENOENT|EACCES|ECONNREFUSED)' want=
net forwards.unix-abstract 'an abstract one' do='$C unix @berm-test-host' deny='ERR ECONNREFUSED|ERR EACCES|ERR EPERM' more="--allow-unix-socket $WORLD/site/host.sock"
net forwards.bind 'the command listens where it likes' do='/usr/bin/python3 -c "
import socket
for host in (\"127.0.0.1\", \"0.0.0.0\"):
    s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((host, 8199)); s.listen()
    c = socket.create_connection((\"127.0.0.1\", 8199), 5); a = s.accept(); print(\"OK\"); s.close(); c.close(); a[0].close()
"' want='OK.*OK'

done_testing
