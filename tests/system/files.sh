# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# What programs do with files, with the results and errors of the bare kernel.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

for t in $("$T_BASE/bin/fileops"); do
	works "files.$t" "$t" do="mkdir x; cd x; ulimit -n 1024; ../tools/fileops $t && echo fine"
done

rows files <<'LIST'
create|create, append, truncate|echo a >f; echo b >>f; : >g; cat f; wc -c <g|[[ $(cat f) == $'a\nb' ]]
rename|rename over a file, a directory|echo a >f; echo b >g; mv f g; mkdir d e; mv -T d e; ls; cat g|[[ -d e && ! -e d ]]
rename-across|rename across directories|mkdir -p a/b c; echo x >a/b/f; mv a/b/f c/; mv a/b c/; ls -R a c|
hard-link|hard links|echo x >f; ln f g; echo y >>g; cat f; stat -c %h f; rm f; cat g|
symlink|symlinks, relative, absolute, dangling|ln -s README.md a; ln -s "$PWD/README.md" b; ln -s none c; cat a b; readlink c; ln -sfn src a; ls a; echo x >c; cat none|
dirs|mkdir -p, rmdir -p, rm -r|mkdir -p a/b/c/d; rmdir -p a/b/c/d; mkdir -p x/y; touch x/y/z; rm -r x; ls|
chmod|chmod, symbolic and numeric|touch f; chmod 600 f; stat -c %a f; chmod u+x,g+r f; stat -c %a f; chmod a-w f; stat -c %a f; chmod -R go-rwx src; stat -c %a src/main.c|
read-only|a read-only file and directory|echo x >f; chmod 444 f; cat f; mkdir d; chmod 555 d; chmod 755 d; rm -f f|
chown|chown to oneself|touch f; chown "$(id -u):$(id -g)" f; chgrp "$(id -g)" f; stat -c '%u %g' f|
touch|touch -d, -r|touch -d '2001-02-03 04:05:06 UTC' f; stat -c %Y f; touch -r f g; stat -c %Y g; touch f; [ $(stat -c %Y f) -gt 1000000000 ]; echo $?|
cp|cp -a, -r, -p, -l, -s|cp -a src s1; cp -r src s2; cp -p README.md r; cp -al src s3; cp -as "$PWD/src" s4; ls s1 s2 s3 s4; cp --reflink=auto README.md q; cat q|
temp-rename|an editor's save: write aside, rename|echo new >.README.md.swp~; mv .README.md.swp~ README.md; cat README.md|
many|two thousand files|mkdir d; cd d; seq 1 2000 ¦ xargs touch; ls ¦ wc -l; rm -rf ../d|
tree|a tree of 500 directories|for i in $(seq 1 25); do mkdir -p t/$i/a/b; done; find t -type d ¦ wc -l; cp -a t u; mv t v; rm -r v u; ls|
odd-names|names with blanks, newlines, globs, quotes|touch -- 'a b' '*' '?' '[x]' '-n' 'it'\''s' '$HOME' '"'; touch "$(printf 'new\nline')" "$(printf 'tab\t')"; ls -b; rm -- 'a b' '*' -n|
utf8|UTF-8 and other bytes|touch 'ünï' '日本' "$(printf '\377\376x')"; ls -b ¦ sort; mv 'ünï' ß; ls -b|
dots|dot names|touch .hidden ..two ...; ls -A ¦ sort|
dot-env-example|.env.example, .sample, .template|echo A= >.env.example; echo A= >.env.sample; echo A= >.env.template; cat .env.*|
node-modules|packages that ship .vscode, .env, a certificate|mkdir -p node_modules/p/.vscode node_modules/p/.claude; echo {} >node_modules/p/.vscode/settings.json; echo x >node_modules/p/.env; echo x >node_modules/p/cacert.pem; echo x >node_modules/p/.claude/settings.json; cat node_modules/p/.env; rm -rf node_modules|
site-packages|pip's cacert.pem|mkdir -p v/lib/python3/site-packages/pip/_vendor/certifi; echo x >v/lib/python3/site-packages/pip/_vendor/certifi/cacert.pem; cat v/lib/python3/site-packages/pip/_vendor/certifi/cacert.pem; rm -r v|
vendor-move|a package moves within node_modules|mkdir -p node_modules/.tmp/p; echo x >node_modules/.tmp/p/server.key; mv node_modules/.tmp/p node_modules/p; cat node_modules/p/server.key|
github|.github, .husky-like names that are not protected|mkdir -p .github/workflows .config .local; echo x >.github/workflows/ci.yml; echo x >.editorconfig; echo x >.npmignore; echo x >.dockerignore; echo x >.prettierrc; ls -A|
deep-claude|.claude below a plain directory|mkdir -p docs/.claude; echo x >docs/.claude/settings.json; cat docs/.claude/settings.json|
claude-md|CLAUDE.md, AGENTS.md|echo x >CLAUDE.md; echo y >AGENTS.md; cat CLAUDE.md AGENTS.md|
unlink-open|remove a directory one stands in|mkdir d; cd d; rmdir ../d; ls; cd "$OLDPWD"; ls|
proc-fd|/proc/self/fd/N for writing|exec 5>f; echo x >/proc/self/fd/5; exec 5>&-; cat f|
proc-cwd|/proc/self/cwd/x|cat /proc/self/cwd/README.md|
tar|tar with modes, links and times|mkdir t; echo x >t/f; ln t/f t/g; ln -s f t/l; chmod 750 t/f; touch -d @1000000000 t/f; tar cf t.tar t; rm -r t; tar xf t.tar; stat -c '%a %Y %h %n' t/f; readlink t/l|
tar-gz|tar czf of many small files|mkdir t; for i in $(seq 1 200); do echo $i >t/$i; done; tar czf t.tgz t; rm -r t; tar xzf t.tgz; cat t/* ¦ md5sum|
sparse|truncate -s|truncate -s 1G big; stat -c %s big; rm big|
dd|dd with seek and direct flags|dd if=/dev/zero of=f bs=4096 count=4 seek=2 conv=notrunc 2>/dev/null; stat -c %s f; dd if=f of=g bs=4096 oflag=sync 2>/dev/null; cmp f g|
df|df, du, stat -f|df . >/dev/null; du -s src ¦ wc -l; stat -f . >/dev/null; echo $?|
find|find -newer, -perm, -delete|touch a; sleep 0.02; touch b; find . -newer a -name b; find . -name a -delete; ls|
mkfifo|a FIFO between two processes|mkfifo p; (echo hello >p) & cat p; wait|
inotify-tail|tail -f sees what is appended|echo a >f; (sleep 0.2; echo b >>f) & timeout 20 tail -n +1 -f --pid=$! f; wait; true|
lockfile|lock directories, lock files|mkdir lock && echo got; mkdir lock 2>/dev/null ¦¦ echo busy; set -C; echo $$ >pid; (echo 1 >pid) 2>/dev/null ¦¦ echo held|
rm-rf|rm -rf of everything but .git|rm -rf -- * ; ls -A|
sync|sync, fsync|echo x >f; sync f; sync; cat f|
acl|default ACL|mkdir d; setfacl -d -m u::rwx,g::rwx,o::- d 2>/dev/null; touch d/f; stat -c %a d/f|
xdg|XDG places in HOME|mkdir -p ~/.cache/a ~/.local/share/b ~/.config/c; touch ~/.cache/a/f ~/.config/c/g; ls ~/.cache/a ~/.config/c|
LIST

works files.grant '--allow-write of a second tree' setup='mkdir $D/g' opts='--allow-write $D/g' \
	do='echo x >$D/g/f; mkdir $D/g/d; mv $D/g/f $D/g/d/; cat $D/g/d/f' look='[[ -f $D/g/d/f ]]'
works files.grant-file '--allow-write of one file' setup='echo old >$D/one' opts='--allow-write $D/one' \
	do='echo new >$D/one; cat $D/one' look='[[ $(cat $D/one) == new ]]'
works files.read-grant '--allow-read' setup='mkdir $D/r; echo x >$D/r/f' opts='--allow-read $D/r' do='cat $D/r/f; ls $D/r'
works files.two-workspaces 'two workspaces' setup='mkdir $D/w2; echo x >$D/w2/f' opts='-w $D/w2' \
	do='cat $D/w2/f; echo y >$D/w2/g; mv $D/w2/g .; mv README.md $D/w2/; ls . $D/w2' same=no look='[[ -f g && -f $D/w2/README.md ]]'
works files.layers 'a closed directory with an open one in it' opts='--policy $D/p.json' \
	setup='mkdir -p a/b/c; echo x >a/f; echo "{\"files\": {\"$W/a\": \"read\", \"$W/a/b\": \"write\"}}" >$D/p.json' \
	do='cat a/f; echo y >a/b/c/new; mv a/b/c/new a/b/; cat a/b/new; (echo z >a/f) 2>/dev/null; true' same=no denied=yes \
	look='[[ -f a/b/new ]]'
works files.limit-files '--limit files' opts='--limit files=50' do='ulimit -n' same=no look='[[ $OUT != *@ran* || $T_PEER == 1 || $D == *.bare || $OUT == *50 ]]'
works files.limit-fsize '--limit fsize' opts='--limit fsize=64k' do='head -c 200000 /dev/zero >big; true' same=no \
	look='[[ $D == *.bare || $(stat -c %s big) -le 65536 ]]'
works files.limit-cpu '--limit cpu' opts='--limit cpu=1' do='timeout 5 sh -c "while :; do :; done"; echo over' same=no look='[[ $OUT == *over* ]]'
works files.unprotect '--unprotect and --allow-write of a protected name open it' opts='--allow-write $W/.env' \
	do='echo A=1 >.env; cat .env' look='[[ -f .env ]]'
works files.secret-readable '.env can be read in the default profile' setup='echo A=1 >.env' do='cat .env; . ./.env; echo $A'
works files.hide-others '--deny-read leaves the rest as it is' opts="--deny-read '**/x.txt'" setup='echo s >x.txt' \
	do='cat README.md; echo n >new; mv new new2; ls; git status --short; cc -o m src/main.c && ./m; python3 -c "print(1)"; tar cf t.tar src; cat /proc/self/comm; cat </dev/null; (cat x.txt || true) 2>/dev/null' \
	same=no denied=yes look='[[ -f new2 && -x m ]]'
works files.review-reads '--mode review reads, and writes in /tmp and HOME' opts='--mode review' \
	do='cat README.md; git log --format=%s; git status --short; echo x >/tmp/berm-r-$$; cat /tmp/berm-r-$$; rm /tmp/berm-r-$$; echo x >~/r; cat ~/r; grep -r main src'
works files.strict '--profile strict: system programs work' opts='--profile strict' \
	do='cat README.md; echo x >f; git status --short; python3 -c "print(1)"; sed -i s/x/y/ f; cat f; sh -c "echo in"' same=no

done_testing
