# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# No ancestor of a protected path is moved away, replaced or swapped (SPEC F4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

exchange='/usr/bin/python3 -c "import ctypes,sys; ctypes.CDLL(None).syscall(316, -100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)"'
hook='printf "#!/bin/sh\ntouch %s\n" $PWN'

while IFS='|' read -r id setup do harm; do
	do=${do//EXCHANGE/$exchange}
	attack "ancestors.$id" "$id" setup="$setup" do="${do//HOOK/$hook}" harm="$harm"
done <<'LIST'
git-renamed-planted|true|mv .git x; mkdir -p .git/hooks; HOOK >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; cp -r x/* .git|git_ran
git-rename-edit-return|true|mv .git x; HOOK >x/hooks/pre-commit; chmod +x x/hooks/pre-commit; mv x .git|git_ran
git-exchanged|true|cp -a .git x; HOOK >x/hooks/pre-commit; chmod +x x/hooks/pre-commit; EXCHANGE x .git|git_ran
git-symlinked|true|cp -a .git x; HOOK >x/hooks/pre-commit; chmod +x x/hooks/pre-commit; rm -rf .git; ln -s x .git|git_ran
git-moved-deeper|true|mkdir d; mv .git d/.git; HOOK >d/.git/hooks/pre-commit; chmod +x d/.git/hooks/pre-commit|git_ran
hooks-renamed|true|mv .git/hooks .git/h2; mkdir .git/hooks; HOOK >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit|git_ran
hooks-removed|true|rm -rf .git/hooks; mkdir .git/hooks; HOOK >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit|git_ran
nested-renamed|git init -q sub; mkdir -p sub/.git/hooks|mv sub y; HOOK >y/.git/hooks/pre-commit; chmod +x y/.git/hooks/pre-commit|git_ran
nested-git-renamed|git init -q sub; mkdir -p sub/.git/hooks|mv sub/.git sub/g; HOOK >sub/g/hooks/pre-commit; chmod +x sub/g/hooks/pre-commit; mv sub/g sub/.git|git_ran
nested-exchanged|git init -q sub; mkdir -p sub/.git/hooks|mkdir -p x/hooks; HOOK >x/hooks/pre-commit; chmod +x x/hooks/pre-commit; EXCHANGE x sub/.git; git init -q sub|git_ran
claude-renamed|mkdir .claude; echo good >.claude/settings.json|mv .claude x; mkdir .claude; echo evil >.claude/settings.json|grep -qs evil .claude/settings.json
claude-emptied|mkdir -p .claude/skills|rmdir .claude/skills .claude; mkdir x; echo evil >x/settings.json; mv x .claude|grep -qs evil .claude/settings.json
claude-skills-symlink|mkdir -p .claude|mkdir x; echo evil >x/s.md; ln -s ../x .claude/skills|grep -qs evil .claude/skills/s.md
protected-moved-up|mkdir -p a/.claude; echo evil >a/.claude/settings.json|mv a/.claude .claude|grep -qs evil .claude/settings.json
protected-moved-up-exchange|mkdir -p a/.claude b; echo evil >a/.claude/settings.json|EXCHANGE a/.claude b; mv b .claude|grep -qs evil .claude/settings.json
LIST

# A path of the user's own: its ancestors are held as well, there or not.
while IFS='|' read -r id setup do harm; do
	attack "ancestors.user.$id" "--deny-write \$W/a/b/keep: $id" opts='--deny-write $W/a/b/keep' \
		setup="$setup" do="${do//EXCHANGE/$exchange}" harm="$harm"
done <<'LIST'
rename-parent|mkdir -p a/b; echo old >a/b/keep|mv a/b a/c; mkdir a/b; echo new >a/b/keep|grep -qs new a/b/keep
rename-grandparent|mkdir -p a/b; echo old >a/b/keep|mv a c; mkdir -p a/b; echo new >a/b/keep|grep -qs new a/b/keep
rename-grandparent-only|mkdir -p a/b; echo old >a/b/keep|mv a c|! made a/b/keep
rename-parent-edit-return|mkdir -p a/b; echo old >a/b/keep|mv a/b x; echo new >x/keep; mv x a/b|grep -qs new a/b/keep
exchange-parent|mkdir -p a/b; echo old >a/b/keep|mkdir x; echo new >x/keep; EXCHANGE x a/b|grep -qs new a/b/keep
exchange-grandparent|mkdir -p a/b; echo old >a/b/keep|mkdir -p x/b; echo new >x/b/keep; EXCHANGE x a|grep -qs new a/b/keep
move-in-parent|true|mkdir -p x/b; echo new >x/b/keep; mv x a|grep -qs new a/b/keep
move-in-direct|true|mkdir -p a x; echo new >x/keep; mv x a/b|grep -qs new a/b/keep
symlink-parent|true|mkdir x; echo new >x/keep; mkdir a; ln -s ../x a/b|grep -qs new a/b/keep
symlink-grandparent|true|mkdir -p x/b; echo new >x/b/keep; ln -s x a|grep -qs new a/b/keep
symlink-there-already|mkdir -p x/b; ln -s x a|echo new >x/b/keep; echo new >a/b/keep|grep -qs new a/b/keep
through-cwd|mkdir -p a/b; echo old >a/b/keep|cd a/b; echo new >keep; mv keep k; echo new >keep|grep -qs new a/b/keep
through-open-dir|mkdir -p a/b; echo old >a/b/keep|exec 5<a/b; mv /proc/self/fd/5/keep k; echo new >/proc/self/fd/5/keep|grep -qs new a/b/keep
parent-replaced-by-file|true|mkdir a; echo x >a/b|made a/b
bind-over|mkdir -p a/b x; echo old >a/b/keep|unshare -Urm sh -c 'mount --bind a/b x && echo new >x/keep'|grep -qs new a/b/keep
LIST

# The workspace itself and what is above it.
attack ancestors.workspace-renamed 'the workspace is not moved' \
	do='cd /; mv $W $H/src/gone; mv $H/src $H/gone' harm='! made "$W/README.md"'
attack ancestors.workspace-removed 'nor removed from above' do='cd /; rmdir $W; rm -rf $H/src' \
	harm='[[ ! -d "$W" || -e $H/src/other.gone || ! -e $H/src/other/secret.txt ]]'
attack ancestors.workspace-chmod 'nor closed' control='none:the owner may' \
	do='chmod 777 $H/src $H' harm='[[ $(stat -c %a "$H/src") == 777 || $(stat -c %a "$H") == 777 ]]'

done_testing
