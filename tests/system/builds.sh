# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Compilers, package managers and languages, offline.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

works builds.gcc 'gcc: compile, link, run' if=gcc do='gcc -O2 -g -Wall -c -o m.o src/main.c && gcc -o m m.o && ./m; echo $?; ls'
works builds.gcc-tmp 'gcc with its temporary files' if=gcc do='gcc -pipe -o m src/main.c && gcc -save-temps=obj -o m2 src/main.c && ./m2; ls | wc -l'
works builds.shared 'a shared library, dlopen' if=gcc do='echo "int f(void) { return 7; }" >l.c; gcc -shared -fPIC -o l.so l.c; /usr/bin/python3 -c "import ctypes; print(ctypes.CDLL(\"./l.so\").f())"'
works builds.ar 'ar, ranlib, strip, nm' if=gcc do='gcc -c -o m.o src/main.c; ar rcs l.a m.o; nm l.a | grep -c main; gcc -o m m.o; strip m; ./m; echo $?'
works builds.make 'make -j4 with generated dependencies' if=make \
	do='for i in 1 2 3 4 5 6; do echo "int f$i(void) { return $i; }" >f$i.c; done; printf "O = \$(patsubst %%.c,%%.o,\$(wildcard f*.c))\nl.a: \$(O)\n\tar rcs \$@ \$^\n-include *.d\n%%.o: %%.c\n\t\$(CC) -MMD -c -o \$@ \$<\n" >Makefile; make -s -j4; make -q; echo $?; ls *.o | wc -l; touch f1.c; make -s -j2; make -s -j2 -B; ls *.d | wc -l'
works builds.cmake 'cmake and ninja' if='cmake ninja' same=no \
	do='printf "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nadd_executable(m src/main.c)\n" >CMakeLists.txt; cmake -G Ninja -B b . >/dev/null && ninja -C b >/dev/null && b/m' look='[[ -x b/m ]]'
works builds.meson 'meson' if='meson ninja' same=no do='printf "project(%sx%s, %sc%s)\nexecutable(%sm%s, %ssrc/main.c%s)\n" "'"'"'" "'"'"'" "'"'"'" "'"'"'" "'"'"'" "'"'"'" "'"'"'" "'"'"'" >meson.build; meson setup b >/dev/null && ninja -C b >/dev/null && b/m' look='[[ -x b/m ]]'
works builds.configure 'a configure script' do='cat >configure <<E
#!/bin/sh
cat >conftest.c <<F
int main(void) { return 0; }
F
cc -o conftest conftest.c && ./conftest && echo yes
rm -f conftest*
echo "#define X 1" >config.h.tmp && mv config.h.tmp config.h
E
chmod +x configure; ./configure; cat config.h; ls'
works builds.cxx 'g++ with the standard library' if=g++ do='echo "#include <iostream>
int main() { std::cout << 1 << std::endl; }" >a.cc; g++ -o a a.cc && ./a'
works builds.clang 'clang' if=clang do='clang -o m src/main.c && ./m; echo $?'
works builds.asan 'a program with sanitizers' if=gcc do='gcc -fsanitize=address,undefined -o m src/main.c && ./m; echo $?'
works builds.gdb 'gdb runs a program' if='gdb gcc' same=no do='gcc -g -o m src/main.c; gdb -batch -ex "break main" -ex run -ex bt -ex continue ./m 2>&1 | grep -q "Breakpoint 1, main" && echo stopped' look='[[ $OUT == *stopped* ]]'
works builds.strace 'strace of its own child' if=strace same=no do='strace -f -o t sh -c "echo x >f; cat f" && grep -c execve t' look='grep -q execve t && [[ -f f ]]'
works builds.java 'java and javac' if='javac' do='echo "public class A { public static void main(String[] a) throws Exception { java.nio.file.Files.writeString(java.nio.file.Path.of(\"o\"), \"hi\"); System.out.println(1); } }" >A.java; javac A.java && java A; cat o'
works builds.java-single 'java of one source file' if=java same=no do='java -version 2>&1 | head -1' look='[[ $OUT == *version* ]]'

works builds.node 'node: files, child processes, workers' if=node \
	do='node -e "const fs=require(\"fs\"),cp=require(\"child_process\");fs.writeFileSync(\"a\",\"x\");fs.renameSync(\"a\",\"b\");fs.mkdirSync(\"d/e\",{recursive:true});fs.rmSync(\"d\",{recursive:true});console.log(cp.execSync(\"echo hi\").toString());const {Worker}=require(\"worker_threads\");new Worker(\"console.log(1)\",{eval:true})"'
works builds.node-server 'node: http server and fetch' if=node \
	do='node -e "const h=require(\"http\").createServer((q,r)=>r.end(\"ok\")).listen(0,async()=>{const r=await fetch(\"http://localhost:\"+h.address().port);console.log(await r.text());h.close();h.closeAllConnections()})"'
works builds.node-fork 'node: fork with a channel, unix socket' if=node \
	do='echo "process.on(\"message\",m=>{process.send(m+1);process.disconnect()})" >c.js; node -e "const c=require(\"child_process\").fork(\"./c.js\");c.on(\"message\",m=>console.log(m));c.send(1);const n=require(\"net\");const s=n.createServer(x=>x.end(\"u\")).listen(\"./s\",()=>n.connect(\"./s\").on(\"data\",d=>{console.log(String(d));s.close()}))"'
works builds.node-watch 'node: fs.watch' if=node do='node -e "const fs=require(\"fs\");const w=fs.watch(\".\",()=>{console.log(1);w.close()});setTimeout(()=>fs.writeFileSync(\"n\",\"\"),50)"'
works builds.npm-local 'npm install of a local package and its scripts' if=npm same=no \
	do='echo "{\"name\":\"p\",\"version\":\"1.0.0\",\"bin\":{\"p\":\"p.js\"},\"scripts\":{\"postinstall\":\"node -e 0\"}}" >p/package.json; printf "#!/usr/bin/env node\nconsole.log(\"from p\")\n" >p/p.js; (cd p && npm pack --silent); mkdir a; cd a; npm init -y >/dev/null; npm install --silent --offline --no-audit --no-fund ../p/p-1.0.0.tgz && npx --offline p; ls node_modules/p; npm ls --silent >/dev/null; npm run --silent env | grep -c npm_' \
	look='[[ -e a/node_modules/.bin/p && -e a/node_modules/p/cacert.pem && $OUT == *"from p"* ]]' setup='mkdir p; echo x >p/cacert.pem'
works builds.npm-script 'npm run and npm test' if=npm same=no do='echo "{\"name\":\"a\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node -e \\\"console.log(42)\\\"\",\"build\":\"echo built >out\"}}" >package.json; npm test --silent; npm run --silent build; cat out' look='[[ $OUT == *42*built* ]]'

py=/usr/bin/python3
works builds.python 'python: files, subprocess, threads' do="$py -c '
import os, subprocess, tempfile, threading, shutil
t = tempfile.NamedTemporaryFile(); t.write(b\"x\"); t.flush()
d = tempfile.mkdtemp(dir=\".\"); open(d + \"/f\", \"w\").close(); shutil.rmtree(d)
print(subprocess.run([\"echo\", \"hi\"], capture_output=True).stdout)
os.replace(t.name, \"kept\") if False else None
x = threading.Thread(target=lambda: open(\"n\", \"w\").write(\"1\")); x.start(); x.join(); print(open(\"n\").read())'"
works builds.python-mp 'python: multiprocessing, pools, shared memory' do="$py -c '
from multiprocessing import Pool, Queue, Process, Lock, shared_memory
def f(x): return x * x
if __name__ == \"__main__\":
    with Pool(4) as p: print(p.map(f, range(5)))
    s = shared_memory.SharedMemory(create=True, size=10); s.buf[0] = 5; s.close(); s.unlink(); print(Lock())
' | sed 's/<.*>/lock/'"
works builds.python-asyncio 'python: asyncio, subprocess, signals' do="$py -c '
import asyncio, signal
async def m():
    p = await asyncio.create_subprocess_exec(\"echo\", \"hi\", stdout=asyncio.subprocess.PIPE); print(await p.stdout.read())
    s = await asyncio.start_server(lambda r, w: (w.write(b\"ok\"), w.close()), \"127.0.0.1\", 0)
    r, w = await asyncio.open_connection(*s.sockets[0].getsockname()); print(await r.read()); print(await asyncio.to_thread(lambda: 1))
asyncio.run(m())'"
works builds.python-bytecode 'python: byte code beside the source' do="mkdir m; echo 'x = 1' >m/__init__.py; $py -c 'import m; print(m.x)'; ls m; $py -m compileall -q m; ls m/__pycache__ | wc -l"
works builds.python-unittest 'python -m unittest' do="printf 'import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(1, 1)\n' >test_x.py; $py -m unittest -q 2>&1 | tail -1"
works builds.python-http 'python: http.server and urllib' do="$py -c '
import http.server, threading, urllib.request
s = http.server.ThreadingHTTPServer((\"localhost\", 0), http.server.SimpleHTTPRequestHandler)
s.RequestHandlerClass.log_message = lambda *a: None
threading.Thread(target=s.serve_forever, daemon=True).start()
print(urllib.request.urlopen(\"http://localhost:%d/README.md\" % s.server_port).read())'"
works builds.venv 'python -m venv and pip install of a local package' same=no denied=no \
	do="$py -m venv v && mkdir -p p/p && printf '[project]\nname = \"p\"\nversion = \"1\"\n[build-system]\nrequires = []\nbuild-backend = \"b\"\nbackend-path = [\".\"]\n' >p/pyproject.toml && printf 'import zipfile\ndef build_wheel(d, c=None, m=None):\n    n = \"p-1-py3-none-any.whl\"\n    with zipfile.ZipFile(d + \"/\" + n, \"w\") as z:\n        z.writestr(\"p.py\", \"x = 3\")\n        z.writestr(\"p-1.dist-info/METADATA\", \"Metadata-Version: 2.1\\\\nName: p\\\\nVersion: 1\\\\n\")\n        z.writestr(\"p-1.dist-info/WHEEL\", \"Wheel-Version: 1.0\\\\nGenerator: b\\\\nRoot-Is-Purelib: true\\\\nTag: py3-none-any\\\\n\")\n        z.writestr(\"p-1.dist-info/RECORD\", \"\")\n    return n\n' >p/b.py && v/bin/pip install -q --no-index --no-build-isolation ./p && v/bin/python -c 'import p; print(p.x)'; ls v/lib/*/site-packages/pip/_vendor/certifi/cacert.pem" \
	look='[[ $OUT == *3* && -n $(find v -name cacert.pem) ]]'
works builds.sqlite 'sqlite: rollback journal and WAL' if=sqlite3 \
	do='sqlite3 d "create table t(x); insert into t values(1); begin; insert into t values(2); rollback; select * from t"; sqlite3 w "pragma journal_mode=wal; create table t(x); insert into t values(1); select count(*) from t"; sqlite3 d vacuum; ls'
works builds.perl 'perl' if=perl do='perl -e "open(my \$f, q(>), q(x)) or die; print \$f 1; close \$f; rename q(x), q(y) or die; mkdir q(d) or die; opendir(my \$d, q(.)) or die; print join(q( ), sort grep { !/^\./ } readdir \$d), qq(\n)"'
works builds.zip 'zip and unzip' if='zip unzip' do='zip -q -r z.zip src README.md; mkdir o; unzip -q z.zip -d o; find o -type f | sort'
works builds.archives 'gzip, bzip2, xz' do='for c in gzip bzip2 xz; do cp README.md f; $c f; $c -d f.*; cat f; rm f; done'
works builds.vim 'vim saves as vim does' if=vim do='vim -es -u NONE -c "s/hello/vim/" -c wq README.md; cat README.md; ls -A'
works builds.ed 'ed' if=ed do='printf "1s/hello/ed/\nw\nq\n" | ed -s README.md; cat README.md'
works builds.patch 'patch and diff' if=patch do='cp README.md a; echo more >>a; diff -u README.md a >p; patch -s README.md p; cat README.md; ls'
works builds.jq 'jq' if=jq do='echo "{\"a\":[1,2]}" | jq -c .a'
works builds.ssh-keygen 'ssh-keygen into the workspace' if=ssh-keygen same=no do='ssh-keygen -q -t ed25519 -N "" -f deploy && ls' look='[[ -s deploy && -s deploy.pub ]]'
works builds.openssl 'openssl' if=openssl same=no do='openssl rand -hex 8 | wc -c; openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=x -keyout k -out c 2>/dev/null; openssl x509 -in c -noout -subject' look='[[ -s c ]]'
works builds.gpg 'gpg with its agent, in the private home' if='gpg' same=no do='gpg --batch --passphrase "" --quick-gen-key t default default never >/dev/null 2>&1; echo x | gpg --batch -se -r t 2>/dev/null | gpg --batch -d 2>/dev/null; gpgconf --kill all' look='true'
works builds.cargo 'cargo build' if=cargo same=no do='cargo init -q --vcs none --name x . && cargo build -q --offline && target/debug/x' look='[[ -x target/debug/x ]]'
works builds.go 'go build' if=go same=no do='printf "package main\nfunc main() { println(1) }\n" >m.go; go mod init x 2>/dev/null; GOFLAGS=-mod=mod go build -o m . && ./m' look='[[ -x m ]]'
works builds.ruby 'ruby' if=ruby do='ruby -e "File.write(%q(x), 1); puts File.read(%q(x))"'
works builds.rsync 'rsync' if=rsync do='rsync -a src/ dst/; ls dst'
works builds.tmux 'tmux with a server of its own' if=tmux same=no denied=yes do='TERM=xterm tmux -L t new-session -d "echo x >f; sleep 0.2"; for i in $(seq 200); do [ -s f ] && break; sleep 0.05; done; cat f' look='[[ -s f ]]'
works builds.docker-free 'no docker socket is missed by its absence' do='ls /var/run/docker.sock 2>/dev/null; true' same=no

done_testing
