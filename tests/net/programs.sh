# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Real programs, without proxy variables and with them: allowed names work, others are
# refused (SPEC N5, N6).
# shellcheck source=tests/net/rows.bash
. "$(dirname "$0")/rows.bash"

# program ID PROGRAMS WANT DO: DO with $N (the name's zone: ok or no), run four times
program()
{
	local id=$1 needs=$2 want=$3 script=$4
	shift 4
	net "programs.$id" "$id, no proxy variables" do="N=ok; $script" want="$want" if="$needs" more='--no-proxy-env' seen='.' quiet='deny *' "$@"
	net "programs.$id-proxy" "$id, with them" do="N=ok; $script" want="$want" if="$needs" seen='.' quiet='deny *' "$@"
	net "programs.$id-no" "$id, a denied name" do="N=no; $script" unseen='.' if="$needs" more='--no-proxy-env' event='deny *no.test:*' "$@"
	net "programs.$id-no-proxy" "$id, a denied name, with proxy variables" do="N=no; $script" unseen='.' if="$needs" event='deny *no.test:*' "$@"
}

program curl curl OK 'curl -s http://$TAG.$N.test/'
program curl-https curl OK 'curl -s --cacert $CA https://$TAG.$N.test/'
program curl-redirect curl OK 'curl -sL "http://$TAG.$N.test/redirect?to=https://again-$TAG.$N.test/" --cacert $CA'
program wget wget OK 'wget -qO- -T 10 -t 1 http://$TAG.$N.test/'
program wget-https wget OK 'wget -qO- -T 10 -t 1 --ca-certificate=$CA https://$TAG.$N.test/'
program git 'git curl' 'from the internet' 'git clone -q http://$TAG.$N.test/git/project.git c && cat c/file.txt'
program git-https git 'from the internet.*pushed' 'export GIT_SSL_CAINFO=$CA; git clone -q https://$TAG.$N.test/git/project.git c && cat c/file.txt && cd c && echo x >y && git add y && git commit -qm x && git push -q origin HEAD:refs/heads/$TAG && echo pushed'
program ssh 'ssh dropbear' 'OK' 'ssh -i $W/tools/login -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -o ConnectTimeout=15 -p 2222 $(id -un)@$TAG.$N.test "echo OK"'
program git-ssh 'ssh dropbear git' 'from the internet' 'export GIT_SSH_COMMAND="ssh -i $W/tools/login -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o BatchMode=yes -o ConnectTimeout=15 -p 2222"; git clone -q $(id -un)@$TAG.$N.test:'"$WORLD"'/site/git/project.git c && cat c/file.txt'
program npm 'npm node' 'leftish works' 'mkdir p && cd p && echo "{}" >package.json && npm install --silent --no-audit --no-fund --fetch-retries=0 --registry http://$TAG.$N.test/npm/ leftish && node -e "console.log(require(\"leftish\"))"'
program npm-https 'npm node' 'leftish works' 'mkdir p && cd p && echo "{}" >package.json && npm install --silent --no-audit --no-fund --fetch-retries=0 --cafile $CA --registry https://$TAG.$N.test/npm/ leftish && node -e "console.log(require(\"leftish\"))"'
program pip python3 'leftish works' '/usr/bin/python3 -m pip install -q --disable-pip-version-check --retries 0 --target t --index-url https://$TAG.$N.test/simple --cert $CA leftish && PYTHONPATH=t /usr/bin/python3 -m leftish'
program node-fetch node OK 'NODE_EXTRA_CA_CERTS=$CA node -e "fetch(\"https://\"+process.env.TAG+\".$N.test/\").then(r=>r.text()).then(console.log)"'
program node-http node OK 'node -e "require(\"http\").get(\"http://\"+process.env.TAG+\".$N.test/\",r=>r.on(\"data\",d=>console.log(\"\"+d)))"'
program node-net node OK 'node -e "const s=require(\"net\").connect(7,process.env.TAG+\".$N.test\",()=>s.end(\"OK\"));s.on(\"data\",d=>console.log(\"\"+d))"'
program urllib python3 OK '/usr/bin/python3 -c "
import os, ssl, urllib.request
print(urllib.request.urlopen(\"https://\" + os.environ[\"TAG\"] + \".$N.test/\", context=ssl.create_default_context(cafile=os.environ[\"CA\"])).read().decode())"'
program asyncio python3 OK '/usr/bin/python3 -c "
import asyncio, os
async def main():
    r, w = await asyncio.open_connection(os.environ[\"TAG\"] + \".$N.test\", 7)
    w.write(b\"OK\"); print(await r.read(2))
asyncio.run(main())"'
for library in requests httpx aiohttp; do
	if /usr/bin/python3 -c "import $library" 2>/dev/null; then
		case $library in
		aiohttp) call='import asyncio, aiohttp
async def main():
    async with aiohttp.ClientSession(trust_env=True) as s:
        print(await (await s.get(url)).text())
asyncio.run(main())' ;;
		*) call="import $library; print($library.get(url).text)" ;;
		esac
		program "$library" python3 OK "/usr/bin/python3 -c 'import os; url = \"http://\" + os.environ[\"TAG\"] + \".'\$N'.test/\"
$call'"
	elif wanted "programs.$library"; then
		t_skip "programs.$library" "$library" 'it is not installed'
	fi
done
program ruby ruby OK 'ruby -rnet/http -e "puts Net::HTTP.get(URI(\"http://#{ENV[\"TAG\"]}.$N.test/\"))"'
program perl perl OK 'perl -MIO::Socket::INET -e "\$s = IO::Socket::INET->new(\"\$ENV{TAG}.$N.test:7\") or die \"no\"; print \$s \"OK\n\"; print scalar <\$s>"'
program bash bash OK 'bash -c "exec 3<>/dev/tcp/$TAG.$N.test/7 && echo OK >&3 && head -n 1 <&3"'
program nc nc OK 'echo OK | nc -N -w 10 $TAG.$N.test 7'
program psql psql $'\n42$' 'psql -h $TAG.$N.test -U me -At -c "select 1"'
program java java 'client OK.*old OK.*nio OK 4' 'java -Xshare:auto $W/tools/Net.java $TAG.$N.test $CA'
program go go OK 'mkdir g && cp tools/get.go g/ && cd g && GO111MODULE=off GOCACHE=$W/g/c go run get.go http://$TAG.$N.test/'
program cargo 'cargo git' 'leftish works' 'cargo init -q --name x c && cd c && printf "leftish = { git = \"http://$TAG.$N.test/git/crate.git\" }\n" >>Cargo.toml && echo "fn main() { println!(\"{}\", leftish::say()); }" >src/main.rs && cargo run -q'
program openssl openssl OK 'printf "GET / HTTP/1.1\r\nHost: $TAG.$N.test\r\nConnection: close\r\n\r\n" | openssl s_client -quiet -CAfile $CA -verify_return_error -connect $TAG.$N.test:443 -servername $TAG.$N.test 2>/dev/null'
net programs.nc-z 'nc -z: an open port is open, a closed one closed' do='nc -z -w 5 $TAG.ok.test 7 && echo open; nc -z -w 5 $TAG.ok.test 82 || echo closed' want='open.closed' if=nc more='--no-proxy-env'
# a browser: the page, its script's fetch, and a picture of it
T_TIMEOUT=90
chrome='chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir=/tmp/chrome-$TAG --virtual-time-budget=8000 --hide-scrollbars --ignore-certificate-errors'
net programs.chromium 'Chromium loads a page' do="$chrome --dump-dom https://\$TAG.ok.test/page 2>/dev/null; rm -rf /tmp/chrome-\$TAG" want='fetched: script ran' seen='path=/sub.txt' if=chromium more='--no-proxy-env'
net programs.chromium-proxy 'the same with proxy variables' do="$chrome --dump-dom https://\$TAG.ok.test/page 2>/dev/null; rm -rf /tmp/chrome-\$TAG" want='fetched: script ran' seen='path=/sub.txt' if=chromium
net programs.chromium-no 'and not a denied one' do="$chrome --dump-dom https://\$TAG.no.test/page 2>/dev/null; rm -rf /tmp/chrome-\$TAG" unseen='.' if=chromium more='--no-proxy-env' event='deny TAG.no.test:*'
net programs.chromium-picture 'a picture of the page has something on it' do="$chrome --screenshot=shot.png --window-size=600,300 http://\$TAG.ok.test/page 2>/dev/null; rm -rf /tmp/chrome-\$TAG; file shot.png" want='PNG image data, 600 x 300' if='chromium file' more='--no-proxy-env'

done_testing
