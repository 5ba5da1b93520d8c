# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Ordinary git work is untouched (SPEC F6).
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

clean='[[ -z $(host_git "$W" status --porcelain) ]] && host_git "$W" fsck --no-progress >/dev/null 2>&1'

# Each row is followed by the same look: a clean and sound repository, on the host.
while IFS='|' read -r id what do; do
	works "git.$id" "$what" do="${do//¦/|}" look="$clean"
done <<'LIST'
status|status, log, diff|git status --short; git log --oneline ¦ wc -l; echo x >>README.md; git diff --stat; git checkout -q .
commit|add and commit|echo x >n; git add n; git commit -q -m second; git log --format=%s
commit-all|commit -a, amend|echo x >>README.md; git commit -q -am second; git commit -q --amend -m third; git log --format=%s
commit-many|commit of 300 files|mkdir d; for i in $(seq 1 300); do echo $i >d/$i; done; git add d; git commit -q -m many; git ls-files ¦ wc -l
branch|branch, checkout, switch|git branch a; git checkout -q -b b; git switch -q a; git branch ¦ tr -d ' '; git branch -d b ¦ cut -c1-14; git switch -q main; git branch -m a c; git branch -D c ¦ cut -c1-14
branch-odd|branches named hooks/x and config|git branch hooks/x; git branch config; git branch info/attributes; git switch -q hooks/x; git branch --format='%(refname)'; git switch -q main
merge|merge, fast and not|git switch -q -c a; echo 1 >a; git add a; git commit -q -m a; git switch -q main; git merge -q a; git switch -q -c b HEAD~1; echo 2 >b; git add b; git commit -q -m b; git switch -q main; git merge -q -m m b; git log --format=%s ¦ sort
merge-conflict|a conflict, resolved|git switch -q -c a; echo 1 >README.md; git commit -qam a; git switch -q main; echo 2 >README.md; git commit -qam b; git merge a ¦ tail -1; echo 3 >README.md; git commit -qam merged; git log --format=%s -1
merge-abort|merge --abort|git switch -q -c a; echo 1 >README.md; git commit -qam a; git switch -q main; echo 2 >README.md; git commit -qam b; git merge a >/dev/null; git merge --abort; cat README.md
rebase|rebase|git switch -q -c a; echo 1 >a; git add a; git commit -q -m a; git switch -q main; echo 2 >b; git add b; git commit -q -m b; git switch -q a; git rebase -q main; git log --format=%s
rebase-i|interactive rebase: squash|for i in 1 2 3; do echo $i >f$i; git add f$i; git commit -q -m c$i; done; GIT_SEQUENCE_EDITOR='sed -i 2,3s/pick/fixup/' git rebase -q -i HEAD~3; git log --format=%s
rebase-conflict|a rebase that stops and continues|git switch -q -c a; echo 1 >README.md; git commit -qam a; git switch -q main; echo 2 >README.md; git commit -qam b; git switch -q a; git rebase -q main >/dev/null 2>&1; echo 3 >README.md; git add README.md; GIT_EDITOR=true git rebase --continue >/dev/null; git log --format=%s; cat README.md
rebase-abort|rebase --abort|git switch -q -c a; echo 1 >README.md; git commit -qam a; git switch -q main; echo 2 >README.md; git commit -qam b; git switch -q a; git rebase -q main >/dev/null 2>&1; git rebase --abort; cat README.md
autosquash|rebase --autosquash|echo 1 >f; git add f; git commit -q -m f; echo 2 >f; git commit -q -a --fixup HEAD; GIT_SEQUENCE_EDITOR=true git rebase -q -i --autosquash HEAD~2; git log --format=%s
cherry-pick|cherry-pick, revert|git switch -q -c a; echo 1 >a; git add a; git commit -q -m a; git switch -q main; git cherry-pick a >/dev/null; git revert --no-edit HEAD >/dev/null; git log --format=%s
stash|stash, list, pop|echo x >>README.md; echo n >new; git stash -q -u; git stash list ¦ wc -l; git stash pop -q; tail -1 README.md; git checkout -q .; rm new
stash-branch|stash branch|echo x >>README.md; git stash -q; git stash branch s >/dev/null 2>&1; git checkout -q .; git branch --show-current
tag|tags|git tag v1; git tag -a v2 -m two; git tag; git describe; git tag -d v1 ¦ cut -c1-15
reset|reset, restore, rm, mv|git mv README.md R.md; git rm -q src/main.c; git status --short; git reset -q --hard; ls
clean|clean -fdx|mkdir d; touch d/x y; git clean -fdq; ls; mkdir tools 2>/dev/null; true
bisect|bisect run|for i in 1 2 3 4 5 6; do echo $i >f; git add f; git commit -q -m $i; done; git bisect start HEAD HEAD~5 >/dev/null 2>&1; git bisect run sh -c '[ $(cat f) -lt 4 ]' >/tmp/log 2>&1; grep -c 'is the first bad commit' /tmp/log; rm /tmp/log; git bisect reset >/dev/null 2>&1
patch|format-patch, apply, am|echo 1 >a; git add a; git commit -q -m a; git format-patch -q -1 -o /tmp/p; git reset -q --hard HEAD~1; git apply --check /tmp/p/*.patch; git am -q /tmp/p/*.patch; git log --format=%s; rm -r /tmp/p
apply|apply and apply -R|echo x >>README.md; git diff >/tmp/d; git checkout -q .; git apply /tmp/d; tail -1 README.md; git apply -R /tmp/d; cat README.md; rm /tmp/d
notes|notes|git notes add -m note; git notes show
gc|gc, prune, repack|for i in 1 2 3; do echo $i >f; git add f; git commit -q -m $i; done; git gc -q --prune=now; git count-objects ¦ cut -d, -f1; git log --oneline ¦ wc -l; git repack -adq
reflog|reflog|git commit -q --allow-empty -m e; git reflog ¦ wc -l; git reset -q --hard 'HEAD@{1}'; git log --oneline ¦ wc -l
worktree|worktree add, list, remove|git worktree add -q -b w wt; cd wt; echo x >n; git add n; git commit -q -m w; cd ..; git worktree list ¦ wc -l; git worktree remove wt; git branch -D w ¦ cut -c1-16
worktree-move|worktree move, lock, prune|git worktree add -q --detach wt; git worktree move wt wt2; git worktree lock wt2; git worktree unlock wt2; git -C wt2 status --short; rm -rf wt2; git worktree prune; git worktree list ¦ wc -l
config|config user.*|git config user.name Somebody; git config user.email a@b.invalid; git config --get user.name; git commit -q --allow-empty -m e; git log -1 --format=%an; git config --unset user.name; git config --remove-section user
config-misc|harmless keys|git config core.autocrlf input; git config pull.rebase true; git config push.default simple; git config core.ignorecase false; git config branch.main.description hello; git config --list --local ¦ wc -l; git config branch.main.description
remote|remote add, rename, set-url, remove|git remote add o https://example.invalid/x.git; git remote rename o p; git remote set-url p git@example.invalid:x/y.git; git remote -v ¦ wc -l; git remote remove p; git remote
fetch-push|push to and fetch from a bare repository in /tmp|git init -q --bare /tmp/r.git; git remote add o /tmp/r.git; git push -q -u o main; git fetch -q o; git branch -vv ¦ grep -c o/main; git pull -q; git ls-remote o ¦ wc -l; git push -q o :main 2>/dev/null; rm -rf /tmp/r.git; git remote remove o
clone|clone, work, remove|git clone -q . sub; cd sub; echo x >n; git add n; git commit -q -m n; git log --format=%s; cd ..; rm -rf sub; ls
clone-depth|clone by file:// with --depth|git commit -q --allow-empty -m e; git clone -q --depth 1 file://$PWD sub; git -C sub log --oneline ¦ wc -l; rm -rf sub
clone-shared|clone --shared and --reference|git clone -q --shared . s1; git clone -q --reference . . s2; git -C s1 log --oneline ¦ wc -l; git -C s2 log --oneline ¦ wc -l; rm -rf s1 s2
clone-branch|clone --branch --single-branch|git branch b; git clone -q -b b --single-branch . sub; git -C sub branch; rm -rf sub
init|init in a new directory|git init -q sub; cd sub; echo x >n; git add n; git commit -q -m n; git log --format=%s; git status --short; cd ..; rm -rf sub
copy|cp -a and mv of a repository|git init -q sub; cd sub; echo x >n; git add n; git commit -q -m n; cd ..; cp -a sub sub2; git -C sub2 log --format=%s; git -C sub2 status --short; mv sub2 sub3; git -C sub3 status --short; rm -rf sub sub3; ls
tar-repo|tar of a repository|git init -q sub; cd sub; echo x >n; git add n; git commit -q -m n; cd ..; mkdir o; tar cf - sub ¦ tar xf - -C o; git -C o/sub log --format=%s; rm -rf sub o
init-again|init in the old one|git init -q; git init -q -b x .; git branch --show-current
pull-rebase|pull --rebase between two clones|git clone -q . a; git clone -q a b; cd a; git switch -q -c t; echo 1 >t; git add t; git commit -q -m t; cd ../b; git pull -q --rebase origin t; git log --format=%s; cd ..; rm -rf a b
submodule-local|a repository inside that is ignored|git init -q lib; cd lib; echo l >l; git add l; git commit -q -m l; cd ..; echo /lib/ >>.git/info/exclude; git status --short; rm -rf lib
grep|grep, blame, show, shortlog|git grep -c main; git blame -s README.md ¦ cut -c10-; git show --stat --format=%s ¦ tail -1; git shortlog -s HEAD
archive|archive, bundle|git archive HEAD ¦ tar tf - ¦ wc -l; git bundle create -q /tmp/b.bundle HEAD; git bundle verify -q /tmp/b.bundle; rm /tmp/b.bundle
sparse|sparse-checkout|git sparse-checkout set src; ls; git sparse-checkout disable; ls
plumbing|hash-object, update-index, write-tree, commit-tree|b=$(echo x ¦ git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,z; t=$(git write-tree); git reset -q; c=$(git commit-tree -m c $t); git cat-file -t $c
ignore|ignored and excluded files|echo '*.log' >>.gitignore; git add .gitignore; git commit -q -m i; touch a.log; git status --short; git check-ignore a.log; rm a.log
attributes|.gitattributes with text and eol|echo '*.txt text eol=lf' >.gitattributes; printf 'a\r\n' >a.txt; git add . 2>/dev/null; git commit -q -m a; git show HEAD:a.txt ¦ od -An -c
mv-dir|git mv of a directory|git mv src source; git commit -q -m mv; ls
orphan|checkout --orphan|git checkout -q --orphan o; git rm -rfq --cached .; git add README.md src .gitignore; git commit -q -m o; git log --oneline ¦ wc -l; git switch -q main 2>/dev/null; git branch --show-current
case|names that only look like git's|mkdir -p doc/hooks info objects; echo x >doc/hooks/pre-commit; echo x >config; echo x >info/attributes; echo x >doc/HEAD; git add .; git commit -q -m n; git ls-files ¦ wc -l
maintenance|maintenance run|git maintenance run --quiet --task=gc; git log --oneline ¦ wc -l
rerere|rerere, log files, refs|git config rerere.enabled true; git update-ref refs/x/y HEAD; git symbolic-ref refs/x/z refs/x/y; git for-each-ref refs/x ¦ wc -l; git pack-refs --all; git symbolic-ref -d refs/x/z; git update-ref -d refs/x/y
filter|filter-branch-like rewriting|git commit -q --allow-empty -m e; git -c advice.detachedHead=false checkout -q HEAD~0; git switch -q main; git replace HEAD HEAD~1 2>/dev/null; git replace -l ¦ wc -l; git replace -d $(git replace -l) >/dev/null 2>&1; true
LIST

works git.submodule 'submodule add, update, sync, deinit, removal' same=no \
	do='git init -q lib; cd lib; echo l >l; git add l; git commit -q -m l; cd ..; echo /lib/ >>.git/info/exclude
	git -c protocol.file.allow=always submodule --quiet add ./lib sub && git commit -q -m sub && cat sub/l &&
	git submodule status | wc -l && git submodule sync -q && git -c protocol.file.allow=always submodule update --init -q &&
	(cd sub && echo m >m && git add m && git commit -q -m m && git log --format=%s) && git add sub && git commit -q -m bump &&
	git submodule deinit -q -f sub && git -c protocol.file.allow=always submodule update --init -q && cat sub/m &&
	git rm -q -f sub && git commit -q -m gone && rm -rf .git/modules/sub' look="[[ ! -e sub ]] && $clean"
works git.submodule-clone 'clone --recurse-submodules' same=no \
	do='git init -q lib; cd lib; echo l >l; git add l; git commit -q -m l; cd ..; echo /lib/ >>.git/info/exclude
	git -c protocol.file.allow=always submodule --quiet add "$PWD/lib" sub && git commit -q -m sub &&
	git -c protocol.file.allow=always clone -q --recurse-submodules . c && cat c/sub/l && rm -rf c' look="$clean"
works git.absorb 'submodule absorbgitdirs' same=no \
	do='git init -q lib; cd lib; echo l >l; git add l; git commit -q -m l; cd ..; git -c advice.addEmbeddedRepo=false add lib; git config -f .gitmodules submodule.lib.path lib; git config -f .gitmodules submodule.lib.url ./lib; git add .gitmodules; git commit -q -m s; git submodule absorbgitdirs 2>/dev/null; cat lib/.git; git -C lib log --oneline | wc -l' \
	look="$clean"

# A workspace that is a linked worktree of a repository outside.
wt='cp -a "$W" "$H/src/main"; rm -rf "$W"; git -C "$H/src/main" worktree add -q -b wt "$W"; mkdir "$W/tools"; cp "$T_BASE/bin/attack" "$W/tools/"'
while IFS='|' read -r id what do look; do
	works "git.linked-$id" "from a linked worktree: $what" setup="$wt" do="$do" look="$look"
done <<'LIST'
status|status and log|git status --short; git log --format=%s; git branch --show-current|true
commit|commit|echo x >n; git add n; git commit -q -m linked; git log --format=%s|[[ $(host_git "$H/src/main" log -1 --format=%s wt) == linked ]]
branch|branch and switch|git branch other; git switch -q -c third; git branch --format='%(refname:short)'|[[ -n $(host_git "$H/src/main" branch --list third) ]]
stash|stash|echo x >>README.md; git stash -q; git stash pop -q; git checkout -q .; git status --short|true
rebase|rebase|echo 1 >a; git add a; git commit -q -m a; git commit -q --allow-empty -m b; GIT_SEQUENCE_EDITOR=true git rebase -q -i HEAD~2; git log --format=%s|true
fetch|fetch of the main branch|git fetch -q . main:copy; git branch --list copy|true
gc|gc --auto|git gc -q --auto; git status --short|true
tag|tag|git tag here; git tag|[[ -n $(host_git "$H/src/main" tag) ]]
LIST

# A subdirectory of a repository as the workspace: its git is outside.
if wanted git.subdirectory; then
	fresh
	OUT=$(cd "$W/src" && HOME=$H "$BERM" run -q -w "$W/src" -- sh -c 'echo x >new; ls; git status >/dev/null 2>&1; echo $?' 2>&1)
	t_is git.subdirectory 'a subdirectory of a repository as the workspace works' "$(head -2 <<<"$OUT" | tr '\n' ' ')" 'main.c new '
	drop "$D"
fi

done_testing
