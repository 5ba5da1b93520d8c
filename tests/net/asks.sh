# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# A connection that waits for an answer (SPEC N7, G6). approver.py answers through each way.
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
HERE=$(dirname "$0")

# asked ID "what" HOW ANSWER DO WANT [WORD]...: DO under berm with approver HOW; ANSWER: allow, deny,
# allow:session, bad, never, quit, or several with commas. $D/asked holds what was asked.
#   seen=RE unseen=RE count=N (questions) opts='…'
asked()
{
	local id=$1 text=$2 how=$3 answer=$4 script=$5 want=$6 kv why='' s_seen='' s_unseen='' s_count='' s_opts=''
	shift 6
	wanted "$id" || return 0
	for kv; do
		printf -v "s_${kv%%=*}" '%s' "${kv#*=}"
	done
	fresh
	r_host='' && mark i
	EV=$D/events
	: >"$EV"
	# shellcheck disable=SC2086
	OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=dumb LC_ALL=C.UTF-8 setsid -w timeout -k 1 "$T_TIMEOUT" \
		/usr/bin/python3 -B "$HERE/approver.py" "$how" "$answer" "$D/asked" "$D" \
		"$BERM" run -w "$W" --events "$EV" -q --no-proxy-env ${s_opts:-} -- /bin/sh -c "$(prelude)$script" 2>&1 </dev/null)
	RC=$?
	if [[ -n $s_unseen ]] && logged "$s_unseen"; then
		why='IT CAME THROUGH'
	elif [[ ! ${OUT#*@ran} =~ $want ]]; then
		why="output: wanted $want"
	elif [[ -n $s_seen ]] && ! logged "$s_seen"; then
		why='the internet saw nothing'
	elif [[ -n $s_count && $(wc -l <"$D/asked") != "$s_count" ]]; then
		why="asked $(wc -l <"$D/asked") times, wanted $s_count"
	elif [[ $answer != never && $answer != quit* && -n $s_count && $s_count != 0 ]] && ! grep -q '"event":"answer"' "$EV"; then
		why='no answer event'
	fi
	if [[ -z $why ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "$why" "exit $RC, said: ${OUT:0:900}" "$(head -c 600 "$D/asked" 2>/dev/null)" "$(grep -aE '"(ask|answer|network)"' "$EV" | head -n 4 | cut -c1-300)"
	fi
	drop "$D"
}

for how in fd socket mailbox; do
	for way in blocking nonblock epoll-first; do
		asked "asks.$how-$way" "$how: held, allowed: $way" "$how" allow "\$C $way \$TAG.who.test 7" OK seen='^echo ' count=1
	done
	asked "asks.$how-deny" "$how: held, denied" "$how" deny '$C blocking $TAG.who.test 7' 'ERR E' unseen='^(syn|tcp|echo)' count=1
	asked "asks.$how-late" "$how: answered after three seconds" "$how" wait3:allow '$C blocking $TAG.who.test 7; $C nonblock late2$TAG.who.test 7' 'OK.*OK' seen='^echo '
	asked "asks.$how-quit" "$how: the approver goes away" "$how" quit 'timeout 20 $C blocking $TAG.who.test 7; timeout 20 $C blocking more$TAG.who.test 7; echo end' 'ERR.*end' unseen='^(syn|tcp|echo)'
	asked "asks.$how-bad" "$how: answers that are none" "$how" bad '(timeout 5 $C blocking $TAG.who.test 7; echo end)' 'end' unseen='^(syn|tcp|echo)'
done
asked asks.merged 'forty connections, one question' fd wait2:allow '$C many $TAG.who.test 7 40' 'OK 40' seen='^echo ' count=1
asked asks.thousand 'a thousand connections held by one question, then released' fd wait1:allow 'ulimit -n 4096; $C many $TAG.who.test 7 1000' 'OK 1000' count=1
asked asks.abandoned 'half of them given up' fd wait1:allow '$C abandon $TAG.who.test 7 150; $C many $TAG.who.test 7 150' 'OK.*OK 150'
asked asks.others-go-on 'others go on meanwhile' fd never '(timeout 8 $C blocking $TAG.who.test 7; true) & for i in 1 2 3; do $C blocking $i.$TAG.ok.test 7; done; kill %1; wait; echo end' 'OK.*OK.*OK.*end' opts='--allow-domain *.ok.test'
# an answer holds for five seconds, for what programs try again at once
asked asks.once 'once is once' fd allow,deny '$C blocking $TAG.who.test 7; $C blocking $TAG.who.test 7; sleep 6; $C blocking $TAG.who.test 7' 'OK.*OK.*ERR' count=2
asked asks.session 'for the session: not asked again' fd allow:session,deny '$C blocking $TAG.who.test 7; $C blocking $TAG.who.test 7; $C blocking $TAG.who.test 7' 'OK.*OK.*OK' count=1
asked asks.session-port 'for that port only' fd allow:session,deny '$C blocking $TAG.who.test 7; $C blocking $TAG.who.test 80' 'OK.*ERR' count=2 unseen='port=80 '
asked asks.time 'nobody answers in time' fd never '$C blocking $TAG.who.test 7; echo end' 'ERR E.*end' unseen='^(syn|tcp|echo)' opts='--policy $D/short.json'
asked asks.rule 'an ask rule over an allowed zone' fd allow '$C blocking $TAG.ok.test 7; $C blocking $TAG.ok.test 7' 'OK.*OK' opts='--allow-domain *.ok.test --ask-domain *.ok.test:7'
asked asks.denied-unasked 'what a rule denies is not asked for' fd allow '$C blocking $TAG.no.test 7; echo end' 'ERR.*end' count=0 opts='--deny-domain *.no.test' unseen='.'
asked asks.fixed-unasked 'nor what is denied always' fd allow '$C blocking metadata.google.internal 80; $C blocking 169.254.169.254 80; $C blocking ip-10-6-6-6.ok.test 7; echo end' 'ERR.*ERR.*ERR.*end' count=0 opts='--allow-domain *.ok.test'
asked asks.private 'a yes to a name does not open a private address' fd allow '$C blocking ip-127-0-0-1.who.test 4001; $C blocking ip-169-254-169-254.who.test 7; echo end' 'ERR.*ERR.*end'
asked asks.address 'an address is asked for as such' fd allow '$C blocking 203.0.114.160 7' OK count=1
asked asks.proxy 'through the proxy' fd allow 'curl -s -x http://127.0.0.1:61702 http://$TAG.who.test/' OK seen='^http ' count=1
asked asks.proxy-deny 'through the proxy, denied' fd deny 'curl -s -i -x http://127.0.0.1:61702 http://$TAG.who.test/' '403' unseen='^(syn|tcp)' count=1
asked asks.socks 'through SOCKS' fd allow '$C socks 61703 $TAG.who.test 7' OK seen='^echo ' count=1
asked asks.curl 'curl waits' fd wait2:allow 'curl -s http://$TAG.who.test/' OK seen='^http '
asked asks.node 'fetch of node waits' fd wait2:allow 'node -e "fetch(\"http://\"+process.env.TAG+\".who.test/\").then(r=>r.text()).then(console.log)"' OK seen='^http '

if wanted asks.attribution; then
	# the program that the kernel knows, not what it calls itself
	fresh
	r_host='' && mark i
	EV=$D/events
	(cd "$W" && env -i HOME="$H" PATH="$T_PATH" timeout 30 /usr/bin/python3 -B "$HERE/approver.py" fd deny "$D/asked" "$D" \
		"$BERM" run -w "$W" --events "$EV" -q --no-proxy-env -- /bin/bash -c "$(prelude)exec -a '/usr/bin/curl' /usr/bin/python3 \$W/tools/client.py blocking \$TAG.who.test 7") >"$D/out" 2>&1 </dev/null
	t_check asks.attribution 'a program cannot say that it is another' grep -q '"exe":"/usr/bin/python3' "$D/asked"
	drop "$D"
fi

done_testing
