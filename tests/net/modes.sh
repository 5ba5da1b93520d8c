# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# --net off, allow, open; the lower rungs of the ladder; a broker that dies; rules that
# change (SPEC N4, S8).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'
gone='ERR (EAI_NONAME|ECONNREFUSED|EHOSTUNREACH|ECONNRESET|ENETUNREACH|EACCES|EAI_AGAIN)|GOT|curl: \('

refused modes.off 'off: an allowed name' '$C blocking $TAG.ok.test 7' more='--net off' deny="$gone" event='deny TAG.ok.test:*'
refused modes.off-address 'off: an address' '$C blocking 203.0.114.150 7' more='--net off --allow-domain 203.0.114.150' unseen='dst=203.0.114.150 ' tagless=yes deny="$gone" event='deny 203.0.114.150:7'
refused modes.off-dns 'off: names' 'getent hosts $TAG.ok.test || echo ERR ECONNREFUSED' more='--net off' deny="$gone"
net modes.off-loopback 'off: loopback works' do='(nc -l 127.0.0.1 8130 >got & echo $! >pid; for i in $(seq 100); do grep -q :1FC2 /proc/net/tcp && break; sleep 0.05; done; echo OK | nc -N 127.0.0.1 8130; sleep 0.1; cat got)' want=OK more='--net off' if=nc
reaches modes.open 'open: a name that no rule knows' 'curl -s http://$TAG.who.test/' opts='--net open --no-proxy-env --approver none' seen='^http ' event='allow TAG.who.test:80'
reaches modes.open-tls 'open: TLS' 'curl -s --cacert $CA https://$TAG.who.test/' opts='--net open --no-proxy-env --approver none' seen='^http '
reaches modes.open-address 'open: an address' '$C blocking 203.0.114.151 7' opts='--net open --no-proxy-env --approver none' seen='dst=203.0.114.151 ' tagless=yes
refused modes.open-denied 'open: a rule still denies' '$C blocking $TAG.no.test 7' opts='--net open --no-proxy-env --approver none --deny-domain *.no.test' deny="$gone"
refused modes.open-private 'open: a private address' '$C blocking 10.5.5.5 7; $C blocking ip-10-5-5-5.ok.test 7' opts='--net open --no-proxy-env --approver none' unseen='dst=10.5.5.5 ' tagless=yes deny="$gone"
refused modes.open-metadata 'open: metadata' '$C blocking 169.254.169.254 7; $C blocking ip-169-254-169-254.ok.test 7' opts='--net open --no-proxy-env --approver none' unseen='dst=169.254.169.254 ' tagless=yes deny="$gone"
refused modes.open-loopback "open: the host's loopback" '$C send 127.0.0.1 4002 x; $C send ip-127-0-0-1.ok.test 4002 x; $C send 198.51.101.2 4002 x' opts='--net open --no-proxy-env --approver none' host=yes tagless=yes unseen='host-service.* 4002' deny="$gone"
refused modes.open-udp 'open: UDP has no way out' '$C udp 203.0.114.152 7' opts='--net open --no-proxy-env --approver none' unseen='dst=203.0.114.152 ' tagless=yes deny="$gone"
net modes.default 'with no option: the curated groups, nothing else' do='$C blocking $TAG.who.test 7' opts='--no-proxy-env --approver none' unseen='^(syn|tcp|echo)' deny="$gone" event='* TAG.who.test:*'

# each rung, by capping what is above
for rung in tproxy redirect ports; do
	cap="--test-cap net=$rung"
	reaches "modes.$rung" "rung $rung: an allowed name" 'curl -s --cacert $CA https://$TAG.ok.test/' more="$cap" seen='^http '
	reaches "modes.$rung-http" "rung $rung: plain HTTP" 'curl -s http://$TAG.ok.test/' more="$cap" seen='^http '
	refused "modes.$rung-no" "rung $rung: a denied one" 'curl -sS --cacert $CA https://$TAG.no.test/; curl -sS http://$TAG.who.test/' more="$cap" deny="$gone"
	refused "modes.$rung-address" "rung $rung: an address" 'for p in 443 80 7; do $C send 203.0.114.153 $p xxxx; done' more="$cap" unseen='dst=203.0.114.153 ' tagless=yes
	refused "modes.$rung-private" "rung $rung: a name with a private address" '$C send ip-10-5-5-6.ok.test 443 xxxx; $C send ip-10-5-5-6.ok.test 80 xxxx' more="$cap" unseen='dst=10.5.5.6 ' tagless=yes deny="$gone|RESET|END"
	refused "modes.$rung-front" "rung $rung: another name inside of TLS" '$C hello $TAG.ok.test 443 inner$TAG.no.test whole' more="$cap" unseen='sni=inner' deny='ALERT|END|RESET|ERR'
	net "modes.$rung-proxy" "rung $rung: the proxy" do='curl -s -x http://127.0.0.1:61702 http://$TAG.ok.test/' want=OK seen='^http ' more="$cap" bare='no:there is no such proxy outside'
	if wanted "modes.$rung-told"; then
		fresh
		r_host='' && mark i
		# shellcheck disable=SC2086
		run_in 'true' $OPTS $cap
		t_check "modes.$rung-told" "rung $rung: it is said" grep -q '"event":"degraded".*net' "$EV"
		drop "$D"
	fi
done
for way in blocking nonblock epoll-first fastopen dup-first bind-first; do
	reaches "modes.tproxy-$way" "rung tproxy: $way" "\$C $way \$TAG.ok.test 7" more='--test-cap net=tproxy'
	reaches "modes.redirect-$way" "rung redirect: $way" "\$C $way \$TAG.ok.test 7" more='--test-cap net=redirect'
done
refused modes.closed 'rung closed: nothing' '$C blocking $TAG.ok.test 7' more='--test-cap net=closed' deny="$gone"

# ---- what dies, what changes ------------------------------------------------------

# berms NAME: processes of this run by their program's name, best known by the run's tag.
broker_of()
{
	local p
	for p in $(pgrep -u "$(id -u)" berm-egress); do
		# the run's own: its ancestor is the berm that was started in this probe's directory
		local a=$p
		while [[ $a -gt 1 ]]; do
			[[ $(readlink "/proc/$a/cwd" 2>/dev/null) == "$W" || $(tr '\0' ' ' <"/proc/$a/cmdline" 2>/dev/null) == *"$D/events"* ]] && {
				echo "$p"
				return
			}
			a=$(awk '/^PPid/ { print $2 }' "/proc/$a/status" 2>/dev/null || echo 0)
			[[ -n $a ]] || break
		done
	done
}

# killed ID "what" WHOM [MEANWHILE [READY]]: after a first connection, and when READY is true of what
# MEANWHILE has begun, WHOM is killed; then nothing gets out, MEANWHILE ends, the command goes on,
# the session says so.
killed()
{
	local id=$1 text=$2 p='' meanwhile=${4:-true} ready=${5:-true}
	wanted "$id" || return 0
	fresh
	r_host='' && mark i
	# shellcheck disable=SC2086
	run_in '$C blocking $TAG.ok.test 7; ('"$meanwhile"'; echo over >over) & until '"$ready"'; do sleep 0.05; done; echo go >went; while [ ! -e killed ]; do sleep 0.05; done; for i in 1 2 3; do timeout 15 $C blocking after$TAG.ok.test 7; done; for i in $(seq 300); do [ -e over ] && echo @over && break; sleep 0.05; done; echo @end' $OPTS >/dev/null &
	for _ in {1..200}; do
		[[ -e $W/went ]] && p=$(broker_of) && [[ -n $p ]] && break
		sleep 0.05
	done
	if [[ $3 == steward && -n $p ]]; then
		p=$(awk '/^PPid/ { print $2 }' "/proc/$p/status")
	fi
	[[ -n $p ]] && kill -9 "$p"
	: >"$W/killed"
	wait
	OUT=$(<"$D/out") RC=$(<"$D/rc")
	if [[ -z $p ]]; then
		t_fail "$id" "$text" 'there is no broker' "$OUT"
	elif logged 'echo name=after'; then
		t_fail "$id" "$text" 'IT CAME THROUGH'
	elif [[ $OUT != *OK*ERR*ERR*ERR*@over*@end* || $RC != 0 ]]; then
		t_fail "$id" "$text" "exit $RC" "$OUT"
	elif ! grep -q '"event":"degraded"' "$D/events"; then
		t_fail "$id" "$text" 'the session does not say so' "$(tail -n 3 "$D/events")"
	else
		t_ok "$id" "$text"
	fi
	drop "$D"
}
# run_in in the background cannot set our variables
eval "$(declare -f run_in | sed '1s/run_in/run_in_front/')"
run_in()
{
	run_in_front "$@"
	printf '%s' "$OUT" >"$D/out"
	printf '%s' "$RC" >"$D/rc"
}
killed modes.broker-killed 'the broker is killed' broker
killed modes.steward-killed 'the steward is killed' steward
for whom in broker steward; do
	killed "modes.$whom-killed-dialling" "the $whom is killed while a connection waits for its upstream" "$whom" \
		'$C blocking dead-$TAG.ok.test 7 >held' 'grep -q " 02 0" /proc/net/tcp /proc/net/tcp6'
	killed "modes.$whom-killed-transfer" "the $whom is killed in the middle of a transfer" "$whom" \
		'curl -s "http://$TAG.ok.test/big?n=99000000000" | (head -c 1000 >part; cat >/dev/null)' '[ -s part ]'
done

# live FILE-CONTENT-BEFORE AFTER ...: the user's own policy changes while it runs
live()
{
	local id=$1 text=$2 before=$3 after=$4 want=$5
	wanted "$id" || return 0
	fresh
	r_host='' && mark i
	mkdir -p "$H/.config/berm"
	printf '%s\n' "${before//TAG/$TAG}" >"$H/.config/berm/policy.json"
	run_in '$C blocking live$TAG.who.test 7; echo go >went; while [ ! -e changed ]; do sleep 0.05; done; echo "then $($C blocking live$TAG.who.test 7)"' --approver none --no-proxy-env -q &
	for _ in {1..200}; do
		[[ -e $W/went ]] && break
		sleep 0.05
	done
	printf '%s\n' "${after//TAG/$TAG}" >"$H/.config/berm/policy.json.new"
	mv "$H/.config/berm/policy.json.new" "$H/.config/berm/policy.json"
	for _ in {1..100}; do
		grep -q '"event":"policy"' "$D/events" && break
		sleep 0.05
	done
	: >"$W/changed"
	wait
	OUT=$(<"$D/out")
	if [[ $OUT == *"then $want"* ]] && grep -q '"event":"policy"' "$D/events"; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "$OUT" "$(grep -a policy "$D/events" | head -n 3)"
	fi
	drop "$D"
}
live modes.live-allow 'a host that is allowed meanwhile' '{"network": {"allow": ["x.who.test"]}}' '{"network": {"allow": ["liveTAG.who.test"]}}' OK
live modes.live-deny 'a host that is denied meanwhile' '{"network": {"allow": ["*.who.test"]}}' '{"network": {"deny": ["liveTAG.who.test"]}}' ERR
live modes.live-broken 'a broken file changes nothing' '{"network": {"allow": ["*.who.test"]}}' '{"network": {"deny": [' OK

done_testing
