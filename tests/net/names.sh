# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Hosts by name, port and spelling (SPEC N2, N3).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"
OPTS+=' --no-proxy-env'
gone='ERR (EAI_NONAME|ECONNREFUSED|EHOSTUNREACH)|[Cc]ould not resolve|[Cc]onnection refused|[Cc]ouldn.t connect'

reaches names.allowed 'an allowed name' 'curl -s http://$TAG.ok.test/' seen='^http ' event='allow TAG.ok.test:80'
reaches names.deep 'a sub-domain at any depth' 'curl -s http://a.b.c.$TAG.ok.test/' seen='^http '
refused names.unknown 'a name that no rule names' 'curl -sS http://$TAG.who.test/' deny="$gone" event='* TAG.who.test:*'
refused names.denied 'a denied name' 'curl -sS http://$TAG.no.test/' deny="$gone" event='deny TAG.no.test:*'
refused names.apex 'the apex is not a sub-domain' 'curl -sS http://ok.test/' unseen='name=ok.test ' tagless=yes deny="$gone"
refused names.suffix 'a name that only ends alike' 'curl -sS http://${TAG}ok.test/' deny="$gone"
refused names.prefix 'a name that only begins alike' 'curl -sS http://$TAG.ok.test.who.test/' deny="$gone"
refused names.case-denied 'a denied name in capitals' 'curl -sS http://$TAG.NO.TEST/' deny="$gone"
refused names.dot-denied 'a denied name with a trailing dot' 'curl -sS http://$TAG.no.test./' deny="$gone"
reaches names.case 'an allowed name in capitals' 'curl -s http://$TAG.OK.TEST/' seen='^http '
reaches names.dot 'an allowed name with a trailing dot' 'curl -s http://$TAG.ok.test./' seen='^http '
refused names.deny-wins 'deny beats allow' 'curl -sS http://$TAG.ok.test/' more='--deny-domain $TAG.ok.test' deny="$gone"
reaches names.specific 'of one layer the more specific rule wins' 'curl -s http://$TAG.no.test/' more='--allow-domain $TAG.no.test' seen='^http '

# ports
reaches names.port 'host:port allows that port' 'curl -s http://$TAG.who.test:8000/' more='--allow-domain $TAG.who.test:8000' seen='^http '
refused names.port-other 'and no other' 'curl -sS http://$TAG.who.test:80/' more='--allow-domain $TAG.who.test:8000' unseen='port=80 ' deny="$gone"
reaches names.port-range 'a range of ports' 'curl -s http://$TAG.who.test:8000/' more='--allow-domain $TAG.who.test:7990-8010' seen='^http '
refused names.port-denied 'a denied port of an allowed name' 'curl -sS http://$TAG.ok.test:8000/' more='--deny-domain $TAG.ok.test:8000' unseen='port=8000 ' deny="$gone"
reaches names.middle 'a star in the middle is one label' 'curl -s http://a.$TAG.b.who.test/' more='--allow-domain a.*.b.who.test' seen='^http '
refused names.middle-two 'and not two' 'curl -sS http://a.x.$TAG.b.who.test/' more='--allow-domain a.*.b.who.test' deny="$gone"

# addresses
reaches names.address 'an allowed address' 'curl -s http://203.0.114.90/' more='--allow-domain 203.0.114.90' seen='dst=203.0.114.90' tagless=yes
reaches names.cidr 'an allowed network' 'curl -s http://203.0.114.91/' more='--allow-domain 203.0.114.88/29' seen='dst=203.0.114.91' tagless=yes
refused names.cidr-beside 'what lies beside it' '$C blocking 203.0.114.96 80' more='--allow-domain 203.0.114.88/29' unseen='dst=203.0.114.96' tagless=yes deny="$gone"
reaches names.address6 'an allowed IPv6 address' 'curl -s "http://[2606:4700::1190]/"' more='--allow-domain "[2606:4700::1190]"' seen='dst=2606:4700::1190' tagless=yes
# every spelling of 203.0.114.70
for spelling in 3405804102 0xcb007246 0313.0.0162.0106 203.29254 203.0.29254 0xcb.0.0x72.70 '[::ffff:203.0.114.70]' '[::ffff:cb00:7246]'; do
	refused "names.literal-$spelling" "an address as $spelling" "curl -sS 'http://$spelling/'" unseen='dst=203.0.114.70' tagless=yes
done
refused names.address-of-name "the real address of an allowed name, by itself" 'curl -sS -H "Host: api.ok.test" http://203.0.114.71/' \
	unseen='dst=203.0.114.71' tagless=yes deny='[Cc]onnection refused|[Nn]o route|connect'
refused names.curl-resolve 'curl --resolve goes to another address' 'curl -sS --resolve $TAG.ok.test:80:203.0.114.72 http://$TAG.ok.test/' unseen='dst=203.0.114.72' tagless=yes

# the machine's own list of names opens nothing
refused names.hosts-denied 'a denied name that /etc/hosts knows' 'curl -sS http://inhosts.no.test/' unseen='dst=203.0.114.81' tagless=yes deny="$gone|[Cc]onnection"
reaches names.hosts 'an allowed name that /etc/hosts knows' 'curl -s http://inhosts.ok.test/' seen='dst=203.0.114.80' tagless=yes
refused names.hosts-private 'an allowed name that /etc/hosts gives a private address' 'curl -sS http://private-inhosts.ok.test/' unseen='dst=10.9.9.9' tagless=yes

# the fixed list
for name in metadata.google.internal 169.254.169.254; do
	refused "names.fixed-$name" "$name, although allowed" "\$C blocking $name 80" more="--allow-domain $name" \
		unseen='dst=169.254.169.254' tagless=yes bare=no:'the name is not in this internet' deny="$gone|125"
done

done_testing
