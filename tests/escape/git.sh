# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Nothing that a command leaves behind makes a git outside run something (SPEC F6).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# The harm of most rows is git_ran: a host git, used in every directory, ran the
# payload. Where a user would have to do more, the key's presence is the harm.
planted()
{
	[[ -n $(host_git "${2:-$W}" config --local --includes --get-all "$1" 2>/dev/null) ]]
}

# ---- a config key, by every way to write a config ---------------------------

while IFS='|' read -r id do; do
	attack "git.config.$id" "core.fsmonitor by $id" do="$do" harm=git_ran event='file-* */.git*'
done <<'LIST'
git-config|git config core.fsmonitor "touch $PWN;false"
git-config-file|git config -f .git/config core.fsmonitor "touch $PWN;false"
git-config-replace|git config --replace-all core.fsmonitor "touch $PWN;false"
append|printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>.git/config
overwrite|cp .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; cat c >.git/config
cp|cp .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; cp c .git/config
mv|cp .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; mv -f c .git/config
ln|cp .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; rm -f .git/config; ln c .git/config
ln-s|cp .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; ln -sf ../c .git/config
mv-symlink|cp .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; ln -s ../c l; mv -f l .git/config
sed-i|sed -i "s,^.core.,[core]\n\tfsmonitor = \"touch $PWN;false\"," .git/config
lock-rename|cp .git/config .git/config.lock; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>.git/config.lock; mv .git/config.lock .git/config
exchange|cp .git/config aux.src; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>aux.src; /usr/bin/python3 -c 'import ctypes; ctypes.CDLL(None).syscall(316, -100, b"aux.src", -100, b".git/config", 2)'
hard-link|ln .git/config alias; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>alias
move-edit-back|mv .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; mv c .git/config
other-dir|cd .git; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>config
fd|exec 5<.git/config; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>/proc/self/fd/5
rm-and-create|cp .git/config c; rm .git/config; { cat c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN; } >.git/config
python|/usr/bin/python3 -c 'import os,sys; f=open(".git/config","a"); f.write("[core]\n\tfsmonitor = \"touch %s;false\"\n" % sys.argv[1])' $PWN
tar|mkdir -p t/.git; cp .git/config t/.git/config; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>t/.git/config; tar cf t.tar -C t .git/config; tar xf t.tar
ed|printf '$a\n[core]\n\tfsmonitor = "touch %s;false"\n.\nw\nq\n' $PWN | ed -s .git/config || { cp .git/config c; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>c; cp --remove-destination c .git/config; }
worktree-config|git config extensions.worktreeConfig true; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >.git/config.worktree
commondir|mkdir evil; cp -r .git/objects .git/refs evil; cp .git/config evil/config; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>evil/config; echo ../evil >.git/commondir
LIST

attack git.config.vim 'core.fsmonitor by vim' harm=git_ran \
	do='vim -es -u NONE -c "call append(line(\"$\"), [\"[core]\", \"fsmonitor = \\\"touch $PWN;false\\\"\"])" -c wq .git/config'

# ---- other spellings of the same thing for a parser --------------------------

while IFS='|' read -r id text; do
	attack "git.syntax.$id" "a config that says it as: $id" harm=git_ran \
		do="cp .git/config c; printf '$text' \$PWN >>c; mv -f c .git/config"
done <<'LIST'
one-line|[core] fsmonitor = "touch %s;false"\n
case|[CORE]\n\tFsMonitor = "touch %s;false"\n
no-space|[core]\nfsmonitor="touch %s;false"\n
continued|[core]\n\tfsmonitor = \\\n"touch \\\n%s;false"\n
half-quoted|[core]\n\tfsmonitor = touch" "%s";"false\n
comment-before|[core] ; harmless # yes\n\tfsmonitor = "touch %s;false" ; yes\n
crlf|[core]\r\n\tfsmonitor = "touch %s;false"\r\n
tab|[core]\n\t\tfsmonitor\t=\t"touch %s;false"\n
bare-section|[core]bare = false\n[core]fsmonitor = "touch %s;false"\n
after-user|[user]\n\tname = x\n[core]\n\tfsmonitor = "touch %s;false"\n
escapes|[core]\n\tfsmonitor = "touch\\t%s;\\tfalse"\n
no-newline|[core]\n\tfsmonitor = "touch %s;false"
LIST

# ---- other keys ---------------------------------------------------------------

while IFS='|' read -r id do; do
	attack "git.key.$id" "$id is refused in a repository's config" do="$do" harm=git_ran \
		event='file-* */.git/config*'
done <<'LIST'
core.hooksPath|mkdir h; printf '#!/bin/sh\ntouch %s\n' $PWN >h/pre-commit; chmod +x h/pre-commit; git config core.hooksPath h
diff.external|printf '#!/bin/sh\ntouch %s\n' $PWN >d; chmod +x d; git config diff.external ./d
diff.textconv|echo '*.txt diff=x' >.gitattributes; git config diff.x.textconv "touch $PWN; cat"
diff.command|echo '*.txt diff=x' >.gitattributes; git config diff.x.command "touch $PWN; true"
filter.clean|echo '*.txt filter=x' >.gitattributes; git config filter.x.clean "touch $PWN; cat"
filter.process|echo '*.txt filter=x' >.gitattributes; git config filter.x.process "touch $PWN; cat"
gpg.program|printf '#!/bin/sh\ntouch %s\n' $PWN >g; chmod +x g; git config gpg.program $W/g; git config commit.gpgsign true
include.path|printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >inc; git config include.path ../inc
includeIf|printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >inc; git config includeIf.gitdir:/.path ../inc
include-absolute|printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >inc; git config include.path $W/inc
core.sshCommand|git remote add s ssh://localhost/x; git config core.sshCommand "touch $PWN;false"
core.gitProxy|git remote add s git://localhost/x; printf '#!/bin/sh\ntouch %s\n' $PWN >g; chmod +x g; git config core.gitProxy $W/g
remote.uploadpack|git remote add s .; git config remote.s.uploadpack "touch $PWN;false"
remote.url-ext|git config protocol.ext.allow always; git remote add s "ext::sh -c touch% $PWN"
LIST

while IFS='|' read -r key value; do
	attack "git.key.$key" "$key is refused in a repository's config" \
		do="git config '$key' '$value'" harm="planted '$key'" event='file-* */.git/config*'
done <<'LIST'
core.pager|touch x
core.editor|touch x
core.askPass|/tmp/x
core.attributesFile|x
core.alternateRefsCommand|touch x
core.worktree|../../..
sequence.editor|touch x
alias.st|!touch x
alias.log|-c core.pager=x log
pager.status|touch x
credential.helper|!touch x
credential.https://example.com.helper|store
filter.lfs.process|touch x
filter.x.smudge|touch x
merge.x.driver|touch x
mergetool.x.cmd|touch x
difftool.x.cmd|touch x
diff.tool|x
gpg.ssh.program|touch x
gpg.x509.program|touch x
gpg.ssh.defaultKeyCommand|touch x
remote.origin.receivepack|touch x
remote.origin.vcs|ext
remote.origin.proxy|http://evil.invalid
url.ext::sh.insteadOf|https://
url.https://evil.invalid/.insteadOf|https://github.com/
url.https://evil.invalid/.pushInsteadOf|https://github.com/
http.proxy|http://evil.invalid
http.sslVerify|false
http.https://github.com.extraHeader|x
http.cookieFile|/tmp/x
uploadpack.packObjectsHook|touch x
receive.procReceiveRefs|refs
submodule.x.update|!touch x
trailer.x.command|touch x
trailer.x.cmd|touch x
interactive.diffFilter|touch x
browser.x.cmd|touch x
man.x.cmd|touch x
instaweb.httpd|touch x
sendemail.smtpserver|/tmp/x
sendemail.toCmd|touch x
imap.tunnel|touch x
init.templateDir|x
commit.template|/etc/passwd
core.excludesFile|/etc/passwd
core.gitProxy|touch x
protocol.allow|always
protocol.file.allow|always
safe.directory|*
ssh.variant|simple
guitool.x.cmd|touch x
remote.x.url|ext::sh -c touch% x
remote.x.url|-oProxyCommand=touch
remote.x.pushurl|ext::sh -c touch% x
branch.x.mergeoptions|-s x
bisect.run|touch x
log.showSignature.x|y
format.pretty-exec|x
tar.x.command|touch x
LIST

# ---- hooks ----------------------------------------------------------------------

hook='printf "#!/bin/sh\ntouch %s\n" $PWN'
while IFS='|' read -r id do; do
	attack "git.hook.$id" "a hook by $id" do="${do//HOOK/$hook}" harm=git_ran event='file-* */.git*'
done <<'LIST'
redirect|HOOK >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
cp|HOOK >h; chmod +x h; cp -p h .git/hooks/pre-commit
mv|HOOK >h; chmod +x h; mv h .git/hooks/pre-commit
ln|HOOK >h; chmod +x h; ln h .git/hooks/pre-commit
ln-s|HOOK >h; chmod +x h; ln -s ../../h .git/hooks/pre-commit
install|HOOK >h; install -m 755 h .git/hooks/pre-commit
tar|mkdir -p t/.git/hooks; HOOK >t/.git/hooks/pre-commit; chmod +x t/.git/hooks/pre-commit; tar cf t.tar -C t .git/hooks; tar xf t.tar
sample-edit-rename|HOOK >.git/hooks/pre-commit.sample; mv .git/hooks/pre-commit.sample .git/hooks/pre-commit
sample-rename-link|HOOK >h; chmod +x h; mv h .git/hooks/x.sample; ln .git/hooks/x.sample .git/hooks/pre-commit
sample-symlink|HOOK >h; chmod +x h; ln -s ../../h .git/hooks/x.sample; mv .git/hooks/x.sample .git/hooks/pre-commit
dir-rename|mkdir n; HOOK >n/pre-commit; chmod +x n/pre-commit; mv .git/hooks h; mv n .git/hooks
dir-replace|mkdir n; HOOK >n/pre-commit; chmod +x n/pre-commit; rm -rf .git/hooks; mv n .git/hooks
dir-symlink|mkdir n; HOOK >n/pre-commit; chmod +x n/pre-commit; rm -rf .git/hooks; ln -s ../n .git/hooks
dir-exchange|mkdir aux.n; HOOK >aux.n/pre-commit; chmod +x aux.n/pre-commit; /usr/bin/python3 -c 'import ctypes; ctypes.CDLL(None).syscall(316, -100, b"aux.n", -100, b".git/hooks", 2)'
dir-away-fill-back|mv .git/hooks h; HOOK >h/pre-commit; chmod +x h/pre-commit; mv h .git/hooks
git-away-fill-back|mv .git g; HOOK >g/hooks/pre-commit; chmod +x g/hooks/pre-commit; mv g .git
git-away-new|mv .git g; git init -q .; mkdir -p .git/hooks; HOOK >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
cwd-in-hooks|cd .git/hooks; HOOK >pre-commit; chmod +x pre-commit
symlinked-way|ln -s .git/hooks way; HOOK >way/pre-commit; chmod +x way/pre-commit
post-checkout|HOOK >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout
post-index-change|HOOK >.git/hooks/post-index-change; chmod +x .git/hooks/post-index-change
reference-transaction|HOOK >.git/hooks/reference-transaction; chmod +x .git/hooks/reference-transaction
new-repository|git init -q --template= sub; mkdir -p sub/.git/hooks; HOOK >sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit
new-repository-deep|mkdir -p a/b; git init -q a/b/c; mkdir -p a/b/c/.git/hooks; HOOK >a/b/c/.git/hooks/pre-commit; chmod +x a/b/c/.git/hooks/pre-commit
new-repository-in-deps|mkdir -p node_modules; git init -q node_modules/m; mkdir -p node_modules/m/.git/hooks; HOOK >node_modules/m/.git/hooks/pre-commit; chmod +x node_modules/m/.git/hooks/pre-commit
template|mkdir -p t/hooks; HOOK >t/hooks/pre-commit; chmod +x t/hooks/pre-commit; git init -q --template=t sub
template-reinit|mkdir -p t/hooks; HOOK >t/hooks/pre-commit; chmod +x t/hooks/pre-commit; git init -q --template=$W/t .
clone-template|mkdir -p t/hooks; HOOK >t/hooks/pre-commit; chmod +x t/hooks/pre-commit; git clone -q --template=t . sub
clone-then-write|git clone -q . sub; mkdir -p sub/.git/hooks; HOOK >sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit
hand-made-repository|mkdir -p sub/.git/objects sub/.git/refs sub/.git/hooks; echo ref: refs/heads/main >sub/.git/HEAD; HOOK >sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit
hooks-first|mkdir -p sub/dot/hooks; HOOK >sub/dot/hooks/pre-commit; chmod +x sub/dot/hooks/pre-commit; mv sub/dot sub/.git; git init -q sub
hooks-first-cp|mkdir -p dot/hooks; HOOK >dot/hooks/pre-commit; chmod +x dot/hooks/pre-commit; mkdir sub; cp -a dot sub/.git; git init -q sub
submodule|git clone -q . m0; git -c protocol.file.allow=always submodule --quiet add ./m0 m; mkdir -p .git/modules/m/hooks; HOOK >.git/modules/m/hooks/pre-commit; chmod +x .git/modules/m/hooks/pre-commit; cd m && { mkdir -p .git/hooks; HOOK >.git/hooks/pre-commit; }
worktree|git worktree add -q wt; HOOK >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
LIST
attack git.hook.existing-hooks-path 'a hook in the directory that core.hooksPath names already' \
	setup='mkdir .husky; git config core.hooksPath .husky' \
	do='printf "#!/bin/sh\ntouch %s\n" $PWN >.husky/pre-commit; chmod +x .husky/pre-commit' harm=git_ran \
	errno='[Pp]ermission denied' event='file-create */.husky/pre-commit'
attack git.hook.existing-hooks-path-absolute 'the same with an absolute, not yet existing path' \
	setup='git config core.hooksPath "$W/ci/hooks"' \
	do='mkdir -p ci/hooks; printf "#!/bin/sh\ntouch %s\n" $PWN >ci/hooks/pre-commit; chmod +x ci/hooks/pre-commit' \
	harm=git_ran
attack git.hook.existing-monitor 'a program that core.fsmonitor names already and that is not there' \
	setup='git config core.fsmonitor ci/monitor' \
	do='mkdir -p ci; printf "#!/bin/sh\ntouch %s\n" $PWN >ci/monitor; chmod +x ci/monitor' harm=git_ran \
	event='file-create */ci*'
attack git.hook.existing-monitor-global "the same in the user's own configuration" \
	setup='env -i HOME="$H" PATH="$T_PATH" git config --global core.fsmonitor "$W/ci/monitor"' \
	do='mkdir -p ci; printf "#!/bin/sh\ntouch %s\n" $PWN >ci/monitor; chmod +x ci/monitor' harm=git_ran
attack git.hook.existing-template 'a template that init.templateDir names already' \
	setup='env -i HOME="$H" PATH="$T_PATH" git config --global init.templateDir "$W/tpl"' \
	do='mkdir -p tpl/hooks; printf "#!/bin/sh\ntouch %s\n" $PWN >tpl/hooks/pre-commit; chmod +x tpl/hooks/pre-commit' \
	harm='host_git "$H" init -q new; made "$H/new/.git/hooks/pre-commit"'
attack git.hook.existing-edit 'an existing hook changes' \
	setup='printf "#!/bin/sh\nexit 0\n" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit' \
	do='echo "touch $PWN" >.git/hooks/pre-commit' harm=git_ran event='file-write */.git/hooks/pre-commit'
attack git.hook.existing-rewrite 'an existing hook is replaced through an alias made before' \
	setup='printf "#!/bin/sh\nexit 0\n" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; ln .git/hooks/pre-commit alias' \
	do='printf "#!/bin/sh\ntouch $PWN\n" >alias' harm=git_ran
attack git.hook.existing-delete 'an existing hook is deleted' \
	setup='printf "#!/bin/sh\nexit 1\n" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit' \
	do='rm -f .git/hooks/pre-commit' harm='! made .git/hooks/pre-commit' event='file-* */.git/hooks/pre-commit'
attack git.hook.existing-disable 'an existing hook loses its x bit' \
	setup='printf "#!/bin/sh\nexit 1\n" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit' \
	do='chmod a-x .git/hooks/pre-commit' harm='[[ ! -x .git/hooks/pre-commit ]]' event='file-* */.git/hooks/pre-commit'

# ---- a repository where there was none --------------------------------------------

cfg='printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch %s;false\"\n" $PWN'
bare='mkdir -p sub/objects sub/refs; echo ref: refs/heads/main >sub/HEAD'
while IFS='|' read -r id do; do
	do=${do//CFG/$cfg}
	attack "git.plant.$id" "a planted repository: $id" do="${do//BARE/$bare}" harm=git_ran
done <<'LIST'
bare|BARE; CFG >sub/config
bare-config-first|mkdir sub; CFG >sub/config; BARE
bare-head-first|mkdir sub; echo ref: refs/heads/main >sub/HEAD; CFG >sub/config; mkdir sub/refs sub/objects
bare-objects-last|mkdir -p sub/refs; echo ref: refs/heads/main >sub/HEAD; CFG >sub/config; mkdir o; mv o sub/objects
bare-refs-symlink|mkdir -p sub/objects r; echo ref: refs/heads/main >sub/HEAD; CFG >sub/config; ln -s ../r sub/refs
bare-objects-symlink|mkdir -p sub/refs; echo ref: refs/heads/main >sub/HEAD; CFG >sub/config; ln -s ../.git/objects sub/objects
bare-head-mv|mkdir -p sub/objects sub/refs; CFG >sub/config; echo ref: refs/heads/main >h; mv h sub/HEAD
bare-head-ln|mkdir -p sub/objects sub/refs; CFG >sub/config; echo ref: refs/heads/main >h; ln h sub/HEAD
bare-head-symlink|mkdir -p sub/objects sub/refs; CFG >sub/config; ln -s refs/heads/main sub/HEAD
bare-head-copied|mkdir -p sub/objects sub/refs; CFG >sub/config; cp .git/HEAD sub/HEAD
bare-commondir|mkdir -p sub c/objects c/refs; printf '[remote "x"]\n\turl = .\n\tuploadpack = "touch %s;false"\n' $PWN >c/config; echo ../c >sub/commondir; echo ref: refs/heads/main >sub/HEAD
bare-moved-dir|mkdir -p x/a/objects x/a/refs; CFG >x/a/config; cp .git/HEAD x/a/HEAD; mv x/a sub
bare-git-init|git init -q --bare sub; CFG >sub/config
bare-git-init-append|git init -q --bare sub; printf '[core]\n\tbare=false\n\tworktree=.\n\tfsmonitor = "touch %s;false"\n' $PWN >>sub/config
bare-clone-append|git clone -q --bare . sub; printf '[core]\n\tbare=false\n\tworktree=.\n\tfsmonitor = "touch %s;false"\n' $PWN >>sub/config
bare-clone-c|git clone -q --bare -c remote.x.url=. -c remote.x.uploadpack="touch $PWN;false" . sub
bare-tar|mkdir -p t/sub/objects t/sub/refs; CFG >t/sub/config; tar cf t.tar -C t sub; mkdir z; tar xf t.tar -C z; cp .git/HEAD z/sub/HEAD
bare-deps|mkdir -p node_modules/sub/objects node_modules/sub/refs; CFG >node_modules/sub/config; cp .git/HEAD node_modules/sub/HEAD
moved-dot-git|git init -q x; mv x/.git x/g; CFG >x/g/config
copied-dot-git|git init -q x; cp -a x/.git x/g; CFG >x/g/config
renamed-to-dot-git|mkdir -p sub/g/objects sub/g/refs; cp .git/HEAD sub/g/HEAD; CFG >sub/g/config; mv sub/g sub/.git
renamed-step-by-step|mkdir -p sub/g; CFG >sub/g/config; mv sub/g sub/.git; mkdir sub/.git/objects sub/.git/refs; cp .git/HEAD sub/.git/HEAD
symlink-dot-git|mkdir sub; mkdir -p g/objects g/refs; cp .git/HEAD g/HEAD; CFG >g/config; ln -s ../g sub/.git
symlink-dot-git-first|mkdir sub; ln -s ../g sub/.git; git init -q sub; CFG >g/config
pointer-file|mkdir sub; mkdir -p g/objects g/refs; cp .git/HEAD g/HEAD; CFG >g/config; echo gitdir: ../g >sub/.git
pointer-file-mv|mkdir sub; mkdir -p g/objects g/refs; cp .git/HEAD g/HEAD; CFG >g/config; echo gitdir: ../g >p; mv p sub/.git
pointer-file-ln|mkdir sub; mkdir -p g/objects g/refs; cp .git/HEAD g/HEAD; CFG >g/config; echo gitdir: ../g >p; ln p sub/.git
separate-git-dir|git init -q --separate-git-dir=g sub; CFG >g/config
pointer-over-root|mkdir -p g/objects g/refs; cp .git/HEAD g/HEAD; CFG >g/config; mv .git old; echo gitdir: g >.git
symlink-over-root|mv .git old; ln -s old .git; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>old/config
exchange-root|cp -a .git aux.g; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>aux.g/config; /usr/bin/python3 -c 'import ctypes; ctypes.CDLL(None).syscall(316, -100, b"aux.g", -100, b".git", 2)'
copy-edit-swap|cp -a .git g; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>g/config; rm -rf .git; mv g .git
new-repository-config|git init -q sub; CFG >sub/.git/config
new-repository-append|git init -q sub; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>sub/.git/config
new-repository-git-config|git init -q sub; cd sub; git config core.fsmonitor "touch $PWN;false"
clone-c|git clone -q -c core.fsmonitor="touch $PWN;false" . sub
config-before-init|mkdir -p sub/.git; CFG >sub/.git/config; git init -q sub
template-config|mkdir t; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >t/config; git init -q --template=t sub
info-attributes|mkdir -p .git/info; echo '*.txt filter=x' >.git/info/attributes; git config filter.x.clean "touch $PWN; cat"
worktree-commondir|git worktree add -q wt; mkdir -p c; cp -r .git/objects .git/refs c; CFG >c/config; echo $W/c >.git/worktrees/wt/commondir
worktree-config|git config extensions.worktreeConfig true; git worktree add -q wt; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >.git/worktrees/wt/config.worktree
submodule-config|git clone -q . m0; git -c protocol.file.allow=always submodule --quiet add ./m0 m; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>.git/modules/m/config
submodule-git-config|git clone -q . m0; git -c protocol.file.allow=always submodule --quiet add ./m0 m; cd m; git config core.fsmonitor "touch $PWN;false"
modules-moved-in|mkdir -p e/objects e/refs; cp .git/HEAD e/HEAD; CFG >e/config; mkdir -p .git/modules; mv e .git/modules/e; mkdir sub; echo gitdir: ../.git/modules/e >sub/.git
modules-hand-made|mkdir -p .git/modules/e/objects .git/modules/e/refs sub; cp .git/HEAD .git/modules/e/HEAD; CFG >.git/modules/e/config; echo gitdir: ../.git/modules/e >sub/.git
refs-disguise|mkdir -p .git/refs/heads/e/objects .git/refs/heads/e/refs sub; cp .git/HEAD .git/refs/heads/e/HEAD; CFG >.git/refs/heads/e/config; echo gitdir: ../.git/refs/heads/e >sub/.git
objects-disguise|mkdir -p .git/objects/e/objects .git/objects/e/refs sub; cp .git/HEAD .git/objects/e/HEAD; CFG >.git/objects/e/config; echo gitdir: ../.git/objects/e >sub/.git
logs-move|mkdir -p .git/logs/e/objects .git/logs/e/refs; cp .git/HEAD .git/logs/e/HEAD; CFG >.git/logs/e/config; mkdir sub; mv .git/logs/e sub/.git
LIST

# A link among git's files: git outside writes through it, and the command says what.
fsm='printf "[core]\n\tfsmonitor = \"touch %s;false\"\n" $PWN'
while IFS='|' read -r id do; do
	attack "git.link.$id" "a link that leads to the config: $id" \
		do="git switch -q -c b; echo 1 >f; git add f; $fsm >m; git commit -q --cleanup=verbatim -F m; git switch -q main; echo 2 >f; git add f; git commit -q -m f; $do" \
		harm='host_git "$W" cherry-pick b >/dev/null 2>&1; git_ran' event='file-* */.git/MERGE_MSG'
done <<'LIST'
symlink|ln -s config .git/MERGE_MSG
rename|ln -s config l; mv l .git/MERGE_MSG
hard-link-of-it|ln -s config l; ln -P l .git/MERGE_MSG
exchange|echo x >.git/MERGE_MSG; ln -s config aux.l; /usr/bin/python3 -c 'import ctypes; ctypes.CDLL(None).syscall(316, -100, b"aux.l", -100, b".git/MERGE_MSG", 2)'
LIST
while IFS='|' read -r id do; do
	attack "git.link.$id" "a link that leads out of the workspace: $id" setup='echo "# mine" >"$H/.bashrc"; remember "$H/.bashrc"' \
		do="git config user.name '\$(touch x)'; $do" \
		harm='host_git "$W" commit -q --allow-empty -m x; changed "$H/.bashrc"' event='file-* */.git/*'
done <<'LIST'
reflog|ln -sf $H/.bashrc .git/logs/HEAD
reflog-of-branch|ln -sf $H/.bashrc .git/logs/refs/heads/main
message|ln -sf $H/.bashrc .git/COMMIT_EDITMSG
LIST
attack git.link.directory 'a directory of reflogs that lies in the home' \
	do='rm -rf .git/logs; ln -s $H .git/logs' harm='host_git "$W" commit -q --allow-empty -m x; made "$H/HEAD"'

# A rebase that was left half-way and continues outside.
attack git.plant.rebase-continue 'an exec line left in a rebase runs when the user continues' \
	do='echo 1 >n; git add n; git commit -q -m n; mkdir -p .git/rebase-merge; git rev-parse HEAD >.git/rebase-merge/onto; git rev-parse HEAD >.git/rebase-merge/orig-head; echo refs/heads/main >.git/rebase-merge/head-name; : >.git/rebase-merge/done; : >.git/rebase-merge/interactive; echo 1 >.git/rebase-merge/msgnum; echo 1 >.git/rebase-merge/end; printf "exec touch %s\n" $PWN >.git/rebase-merge/git-rebase-todo' \
	harm='host_git "$W" rebase --continue >/dev/null 2>&1; made "$PWN"'

# A workspace that is no repository yet.
attack git.plant.root-not-a-repository 'a bare repository in the workspace itself' setup='rm -rf .git' \
	do="mkdir objects refs; echo ref: refs/heads/main >HEAD; $cfg >config" harm=git_ran
attack git.plant.root-hooks-first 'hooks first, then git init at the root' setup='rm -rf .git' \
	do='mkdir -p .git/hooks; printf "#!/bin/sh\ntouch %s\n" $PWN >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git init -q .' \
	harm=git_ran

# Content that points out of the workspace, or would make git do more than it says.
attack git.alternates.outside 'objects/info/alternates names a repository outside' \
	do='mkdir -p .git/objects/info; echo $H/src/other/.git/objects >.git/objects/info/alternates; true' \
	harm='[[ -s .git/objects/info/alternates ]]'
attack git.alternates.mv 'the same by rename' \
	do='mkdir -p .git/objects/info; echo /etc >a; mv a .git/objects/info/alternates' \
	harm='[[ -s .git/objects/info/alternates ]]'
attack git.alternates.http 'objects/info/http-alternates' \
	do='mkdir -p .git/objects/info; echo http://evil.invalid/ >.git/objects/info/http-alternates' \
	harm='[[ -s .git/objects/info/http-alternates ]]'
attack git.attributes.info '.git/info/attributes with a filter' \
	do='mkdir -p .git/info; echo "* filter=lfs" >.git/info/attributes' harm='[[ -s .git/info/attributes ]]'
attack git.attributes.existing-filter 'a filter the user already has, switched on by info/attributes' \
	setup='git config filter.x.clean "touch $PWN; cat"' \
	do='mkdir -p .git/info; echo "*.txt filter=x" >.git/info/attributes' harm=git_ran
for bad in 'update = !touch x' 'url = ext::sh -c x' 'url = -oProxyCommand=x' 'path = ../../x' 'path = .git/x'; do
	attack "git.modules.${bad// /_}" ".gitmodules with $bad" \
		do="printf '[submodule \"m\"]\n\tpath = m\n\turl = ./m\n\t$bad\n' >.gitmodules" \
		harm='grep -q -e "ext::" -e "!touch" -e "-o" -e "\.\./" -e ".git/x" .gitmodules'
done
attack git.modules.name '.gitmodules with a name that climbs' \
	do='printf "[submodule \"../../x\"]\n\tpath = m\n\turl = ./m\n" >.gitmodules' harm='grep -q "\.\./" .gitmodules'
attack git.modules.symlink '.gitmodules as a symlink' \
	do='printf "[submodule \"m\"]\n\tpath = m\n\tupdate = !x\n" >m.txt; ln -s m.txt .gitmodules' harm='[[ -L .gitmodules ]]'

# File systems that fold names, and git's own list of spellings of ".git".
while IFS='|' read -r id path; do
	attack "git.fold.$id" "$path is judged as git's own" \
		do="mkdir -p '$(dirname "$path")'; echo x >'$path'" harm="[[ -s '$path' ]]"
done <<'LIST'
upper-git|sub/.GIT/hooks/pre-commit
mixed-git|sub/.Git/hooks/pre-commit
upper-hooks|.git/HOOKS/pre-commit
ntfs-short|sub/GIT~1/hooks/pre-commit
trailing-dot|sub/.git./hooks/pre-commit
trailing-space|sub/.git /hooks/pre-commit
hfs-ignorable|sub/.g‌it/hooks/pre-commit
LIST
attack git.fold.config-upper '.git/CONFIG is judged as config' \
	do='printf "[core]\n\tfsmonitor = x\n" >.git/CONFIG' harm='[[ -s .git/CONFIG ]]'

# The user's own repository and settings stay.
attack git.keep.rm-config 'the config of the workspace is not deleted' do='rm -f .git/config' \
	harm='! made .git/config' event='file-* */.git/config'
attack git.keep.rm-rf 'rm -rf .git does not take the config along' do='rm -rf .git' harm='! made .git/config'
attack git.keep.global 'the user'"'"'s ~/.gitconfig does not change' setup='remember "$H/.gitconfig"' \
	do='git config --global core.fsmonitor x; echo "[core]" >>$H/.gitconfig; mv $H/.gitconfig $H/x; true' \
	harm='changed "$H/.gitconfig"'
attack git.keep.xdg 'nor does ~/.config/git appear' \
	do='mkdir -p $H/.config/git; echo "[core]" >$H/.config/git/config; true' harm='made "$H/.config/git/config"'

# A linked worktree: its main repository gets what locks need and no more.
wt='cp -a "$W" "$H/src/main"; rm -rf "$W"; git -C "$H/src/main" worktree add -q "$W"; mkdir "$W/tools"; cp "$T_BASE/bin/attack" "$W/tools/"'
while IFS='|' read -r id do harm; do
	attack "git.linked.$id" "from a linked worktree: $id" setup="$wt" do="M=\$H/src/main; $do" harm="M=\$H/src/main; $harm"
done <<'LIST'
main-hook|printf "#!/bin/sh\ntouch %s\n" $PWN >$M/.git/hooks/pre-commit; chmod +x $M/.git/hooks/pre-commit|made $M/.git/hooks/pre-commit
main-config|git config core.fsmonitor "touch $PWN;false"|[[ -n $(host_git $M config core.fsmonitor) ]]
main-config-append|printf "[core]\n\tfsmonitor = x\n" >>$M/.git/config|[[ -n $(host_git $M config core.fsmonitor) ]]
main-files|echo x >$M/README.md|grep -qx x $M/README.md
main-new-file|echo x >$M/new|made $M/new
own-config-worktree|printf "[core]\n\tfsmonitor = x\n" >$M/.git/worktrees/proj/config.worktree|made $M/.git/worktrees/proj/config.worktree
own-commondir|echo $W/c >$M/.git/worktrees/proj/commondir|grep -q /c $M/.git/worktrees/proj/commondir
own-pointer|rm .git; echo gitdir: x >.git|grep -q "gitdir: x" $W/.git
other-worktree|mkdir -p $M/.git/worktrees/other; echo x >$M/.git/worktrees/other/gitdir|made $M/.git/worktrees/other/gitdir
main-head|echo ref: refs/heads/evil >$M/.git/HEAD|grep -q evil $M/.git/HEAD
main-attributes|mkdir -p $M/.git/info; echo "* filter=x" >$M/.git/info/attributes|made $M/.git/info/attributes
main-modules|mkdir -p $M/.git/modules/x|made $M/.git/modules/x
LIST
attack git.linked.forged-pointer 'a .git file that names a repository which does not point back grants nothing' \
	setup='git init -q "$H/src/victim"; mkdir -p "$H/src/victim/.git/worktrees/x"; rm -rf .git; echo "gitdir: $H/src/victim/.git/worktrees/x" >.git' \
	do='echo x >$H/src/victim/.git/refs/heads/x; echo x >$H/src/victim/.git/description' \
	harm='made "$H/src/victim/.git/refs/heads/x" || grep -qx x "$H/src/victim/.git/description"'

done_testing
