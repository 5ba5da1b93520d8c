# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Out through a company's proxy, or a proxy of the user's own (SPEC N8).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'
inside='bare=no:only berm goes through it'
corp='HTTPS_PROXY=http://corp:s3cret%25@198.51.101.1:8080 HTTP_PROXY=http://corp:s3cret%25@198.51.101.1:8080'

net upstream.connect "berm goes through the host's proxy" do='curl -s --cacert $CA https://$TAG.ok.test/' env="$corp" want=OK seen='^proxy method=CONNECT target=t.*:443 login=corp:s3cret%' "$inside"
net upstream.echo 'for every port' do='$C blocking $TAG.ok.test 7' env="$corp" want=OK seen='^proxy method=CONNECT target=t.*:7 login=corp' "$inside"
net upstream.plain 'and plain HTTP' do='curl -s http://$TAG.ok.test/' env="$corp" want=OK seen='^proxy method=CONNECT target=t.*:80 ' "$inside"
net upstream.only 'and never beside it' do='curl -s --cacert $CA https://$TAG.ok.test/' env="$corp" unseen='^syn ' deny=OK "$inside"
net upstream.no-proxy 'but for what NO_PROXY names' do='curl -s http://$TAG.ok.test/' env="$corp NO_PROXY=.ok.test" want=OK unseen='^proxy ' "$inside"
net upstream.denied 'what is denied does not reach it' do='curl -sS http://$TAG.no.test/; curl -sS http://$TAG.who.test/' env="$corp" unseen='.' "$inside"
net upstream.wrong-password 'a proxy that refuses berm' do='$C blocking $TAG.ok.test 7' env='HTTPS_PROXY=http://corp:wrong@198.51.101.1:8080' want='ERR|END|GOT' unseen='^echo ' "$inside"
net upstream.gone 'a proxy that is not there' do='$C blocking $TAG.ok.test 7' env='HTTPS_PROXY=http://corp:x@198.51.101.1:82' want='ERR' unseen='^(echo|tcp) ' "$inside"
net upstream.secret 'its password is nowhere inside' do='env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\0" "\n" >all; grep -c "s3cre[t]" all; curl -s --cacert $CA https://$TAG.ok.test/' env="$corp" want='0.OK' "$inside"
if wanted upstream.secret-outside; then
	# neither in the arguments of berm's processes nor in the events
	fresh
	r_host='' && mark i
	T_ENV=("HTTPS_PROXY=http://corp:s3cret%25@198.51.101.1:8080")
	# shellcheck disable=SC2086
	run_in 'curl -s --cacert $CA https://$TAG.ok.test/; sleep 0.5' -q $OPTS &
	for _ in {1..100}; do
		pgrep -u "$(id -u)" berm-egress >/dev/null && break
		sleep 0.05
	done
	found=$(for p in $(pgrep -u "$(id -u)" berm); do tr '\0' ' ' <"/proc/$p/cmdline"; done 2>/dev/null)
	wait
	t_is upstream.secret-outside 'nor in arguments or events' "$(grep -c s3cret <<<"$found"; grep -c s3cret "$D/events")" $'0\n0'
	drop "$D"
fi

own='printf "{\"network\": {\"%s\": %d}}" $KEY $PORT >$D/own.json'
net upstream.own-http "the user's own HTTP proxy takes the place of berm's" setup="KEY=http_proxy_port PORT=4080; $own" opts='--policy $D/own.json --approver none' \
	do='curl -s -x http://127.0.0.1:61702 http://$TAG.who.test/own' want=OK host=yes seen='^http .*path=http://t' "$inside"
net upstream.own-socks "and SOCKS" setup="KEY=socks_proxy_port PORT=4081; $own" opts='--policy $D/own.json --approver none' \
	do='curl -s -x socks5h://127.0.0.1:61703 http://$TAG.who.test/own' want=own-socks host=yes seen='^own-socks ' "$inside"

done_testing
