#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Ordinary git is untouched: runs git's everyday commands, outside any sandbox, with
# each file that git puts in place handed to policy/git.h on the way (git_shim.c).
# Prints TAP. A command must do the same as without the shim, and nothing may be refused;
# then what must be refused is tried, so that silence above means something.
# A row is expanded in the directory it runs in, each in a subshell of its own.
# shellcheck disable=SC2016,SC2030,SC2031
#
# usage: git_differential.sh [-b BERM] [WORK-DIRECTORY]
# With -b the rows run in sandboxes of BERM instead of with the shim: a denial is what it
# reports on stderr.

set -u
src=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
berm=
if [ "${1:-}" = -b ]; then
	berm=$(realpath "$2") || exit 2
	shift 2
fi
work=${1:-$(mktemp -d)} || exit 2
mkdir -p "$work" && work=$(cd "$work" && pwd -P) || exit 2
[ $# -gt 0 ] || trap 'rm -rf "$work"' EXIT
for tool in git cc python3; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool"; exit 0; }
done

if [ -z "$berm" ] && { ! python3 "$src/data/gen.py" "$work/lists.c" "$src/data/git-config-keys" ||
	! cc -shared -fPIC -O1 -std=gnu17 -D_GNU_SOURCE -iquote "$src/src" "$src/tests/system/git_shim.c" \
		"$src"/src/policy/git_*.c "$src/src/policy/private_home.c" "$src/src/base/str.c" "$src/src/base/path.c" \
		"$work/lists.c" -o "$work/shim.so"; }; then
	echo 'Bail out! the shim does not build'
	exit 1
fi

unset "${!GIT_@}"
export HOME=$work/home LC_ALL=C GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true GIT_MERGE_AUTOEDIT=no
export GIT_SHIM_LOG=$work/log
mkdir -p "$HOME"
git config --global init.defaultBranch main
git config --global user.name Someone
git config --global user.email someone@example.org
git config --global protocol.file.allow always
git config --global advice.detachedHead false

n=0
bad=0
result() # ok|not ok, text
{
	n=$((n + 1))
	echo "$1 $n - $2"
	[ "$1" = ok ] || bad=$((bad + 1))
}

bare() # line
(
	cd "$work/bare" || exit
	export W=$work/bare
	eval "$1"
)

shimmed() # line
(
	cd "$work/shim" || exit
	export W=$work/shim GIT_SHIM_ROOT=$work/shim LD_PRELOAD=$work/shim.so
	eval "$1"
)

sandboxed() # line
(
	cd "$work/shim" || exit
	"$berm" run -w . -- env W="$work/shim" GIT_CONFIG_GLOBAL="$work/shim/gitconfig" \
		GIT_EDITOR=true GIT_MERGE_AUTOEDIT=no bash -c "$1" 2>"$work/err"
	rc=$?
	cat "$work/err"
	grep '^berm:   ' "$work/err" >>"$GIT_SHIM_LOG"
	exit $rc
)

held() # line
{
	if [ -n "$berm" ]; then
		sandboxed "$1"
	else
		shimmed "$1"
	fi
}

# Runs a line twice, in twin directories.
both() # name, line
{
	local rc1 rc2
	: >"$GIT_SHIM_LOG"
	bare "$2" >"$work/out.bare" 2>&1
	rc1=$?
	held "$2" >"$work/out.shim" 2>&1
	rc2=$?
	if [ $rc1 -eq 0 ] && [ $rc2 -eq 0 ] && [ ! -s "$GIT_SHIM_LOG" ]; then
		result ok "$1"
	else
		result 'not ok' "$1"
		echo "# bare $rc1, held $rc2: $2"
		sed 's/^/# /' "$GIT_SHIM_LOG"
		tail -n 5 "$work/out.bare" "$work/out.shim" | sed 's/^/# /'
	fi
}

# A line of which something must be refused.
refused() # name, line
{
	: >"$GIT_SHIM_LOG"
	held "$2" >"$work/out.shim" 2>&1
	if [ -s "$GIT_SHIM_LOG" ]; then
		result ok "refused: $1"
	else
		result 'not ok' "refused: $1"
		tail -n 5 "$work/out.shim" | sed 's/^/# /'
	fi
}

rm -rf "$work/bare" "$work/shim"
mkdir "$work/bare" "$work/shim"
cp "$HOME/.gitconfig" "$work/shim/gitconfig"
commit='c() { echo "$1" >"$2" && git add "$2" && git commit -qm "$1"; };'

both init 'git init -q a'
both 'init again' 'git init -q a'
both 'init without templates' 'git init -q --template= bare-template'
both 'init sha256' 'git init -q --object-format=sha256 s && cd s && '"$commit"' c 1 f && c 2 f'
both commit "cd a && $commit"' c 1 f && c 2 f && git commit -q --amend -m 2b'
both 'config user.*' 'cd a && git config user.name A && git config user.email a@b &&
	git config --unset user.name && git config --remove-section user'
both 'config of everyday' 'cd a && git config pull.rebase true && git config push.default current &&
	git config core.autocrlf input && git config rerere.enabled true && git config tag.sort -creatordate &&
	git config fetch.prune true && git config core.untrackedCache true && git config gc.auto 0 &&
	git config core.fsmonitor false && git config color.ui false && git config core.abbrev 12'
both 'branch, checkout, switch' "cd a && git branch b && git checkout -q b && $commit"' c b1 g && c b2 g &&
	git switch -q -c c && git branch -m c c2 && git checkout -q main && git branch -D c2'
both 'branch names like judged files' 'cd a && git branch config && git branch hooks/x &&
	git branch info/attributes && git branch objects/info/alternates && git branch modules/m/config &&
	git branch commondir && git pack-refs --all && git branch -d config hooks/x commondir'
both 'branch description' 'cd a && GIT_EDITOR="echo text >" git branch --edit-description'
both merge "cd a && $commit"' c m1 h && git merge -q -m merged b'
both 'merge with a conflict, rerere' "cd a && git checkout -q -b m1 && $commit"' c x f && git checkout -q main && c y f &&
	! git merge -q m1 && echo z >f && git add f && git commit -qm z && git reset -q --hard HEAD^ &&
	! git merge -q m1 && git add f && git commit -qm z'
both rebase "cd a && git checkout -q -b r main~2 && $commit"' c r1 r && c r2 r && git rebase -q main'
both 'rebase with a conflict' "cd a && git checkout -q -b r2 main~2 && $commit"' c q f && c r r3 && ! git rebase -q main &&
	echo w >f && git add f && git rebase --continue && git checkout -q main'
both 'rebase -i' "cd a && git checkout -q -b r4 && $commit"' c 1 i && c 2 i && c 3 i &&
	GIT_SEQUENCE_EDITOR="sed -i 2s/pick/squash/" git rebase -q -i main && git checkout -q main'
both 'rebase --apply, --merge -s' 'cd a && git rebase -q --apply main r4 && git rebase -q -s recursive main r4 && git checkout -q main'
both 'rebase --autostash, --abort' "cd a && git checkout -q -b r5 main~1 && $commit"' c k f && echo s >>g &&
	! git rebase -q --autostash main; git rebase --abort && git checkout -q -f main'
both 'rebase --rebase-merges' "git init -q rm && cd rm && $commit"' c 1 f && git checkout -q -b s && c 2 g && git checkout -q main && c 3 h &&
	git merge -q -m m s && git rebase -q --rebase-merges --force HEAD~1'
both 'cherry-pick, a sequence' "cd a && git checkout -q -b p main~1 && $commit"' c v f && c u u && git checkout -q main &&
	! git cherry-pick -X ours -m 1 nothing; git cherry-pick p; ! git cherry-pick --strategy=recursive p~2..p;
	git cherry-pick --abort; git reset -q --hard'
both 'revert, a sequence' 'cd a && git revert --no-edit HEAD && git revert --no-commit HEAD && git revert --abort; git reset -q --hard'
both stash 'cd a && echo s >>f && git stash -q && echo t >>g && git stash -q -u && git stash pop -q && git stash drop -q'
both 'format-patch, am' 'cd a && git format-patch -q -1 r -o ../patches && git checkout -q -b am main~3 && git am -q ../patches/*.patch; git am --abort; git checkout -q -f main'
both 'tag, notes, replace' 'cd a && git tag t && git tag -a -m x t2 && git notes add -m n && git notes append -m o && git replace HEAD~1 HEAD~2 && git replace -d HEAD~1'
both bisect 'cd a && git bisect start HEAD HEAD~3 -- f && git bisect run true; git bisect reset'
both 'reflog, fsck, describe, blame' 'cd a && git reflog expire --expire=now --all && git fsck && git describe --tags && git blame f'
both 'rm, mv, restore, reset, clean' 'cd a && git mv g g2 && git rm -q f && git restore --staged . && git reset -q --hard && git clean -fdxq'
both 'add -N, update-index' 'cd a && echo >n && git add -N n && git update-index --index-version 4 && git update-index --split-index &&
	echo >n2 && git add n2 && git status && git update-index --no-split-index && git reset -q --hard'
both 'index with tables' 'cd a && git -c index.threads=2 -c index.recordOffsetTable=true -c index.recordEndOfIndexEntries=true update-index --index-version 4 --force-remove n;
	echo >n && git -c index.threads=2 add n && git reset -q --hard'
both 'gc, repack, commit-graph, midx' 'cd a && git gc -q --prune=now && git repack -adq && git commit-graph write --reachable && git multi-pack-index write && git prune-packed'
both maintenance 'cd a && git maintenance run && git maintenance run --task=incremental-repack --task=loose-objects'
both 'clone, clone --shared, --reference, --mirror away' 'git clone -q a c1 && git clone -q --shared a c2 && git clone -q --reference a a c3 && git clone -q --no-local a c4'
both 'clone --depth, --filter, --sparse' 'git -C a config uploadpack.allowFilter true && git clone -q --depth 1 "file://$W/a" d1 && git -C d1 fetch -q --unshallow &&
	git clone -q --filter=blob:none --sparse "file://$W/a" d2 && git -C d2 sparse-checkout set x && git -C d2 sparse-checkout disable'
both 'sparse-checkout with a sparse index' 'cd c1 && mkdir -p x y && echo >x/f && echo >y/f && git add . && git commit -qm xy &&
	git sparse-checkout init --cone --sparse-index && git sparse-checkout set x && git status && git sparse-checkout disable'
both 'remotes' 'cd c1 && git remote add up ../a && git remote set-url up ../c2 && git remote set-url --push up ../c3 && git remote rename up up2 &&
	git fetch -q --all && git remote prune up2 && git remote remove up2'
both 'set-upstream, push, pull' 'cd c1 && git checkout -q -b w && git push -q -u origin w && git branch --set-upstream-to=origin/main && git pull -q --no-rebase &&
	git push -q origin :w && git branch --unset-upstream && git push -q origin HEAD:refs/heads/w2'
both 'worktree add, lock, move, repair, remove, prune' 'cd c1 && git worktree add -q ../w1 && git worktree add -q -b wb ../w2 main && git worktree lock ../w1 &&
	git worktree unlock ../w1 && git worktree move ../w1 ../w3 && mv ../w2 ../w4 && git worktree repair ../w4 && git worktree list &&
	(cd ../w3 && echo >q && git add q && git commit -qm q && git rebase -q main) && git worktree remove ../w3 && rm -rf ../w4 && git worktree prune'
both 'config.worktree' 'cd c1 && git worktree add -q ../w5 && cd ../w5 && git sparse-checkout set x && git config --worktree core.abbrev 10'
both 'submodule add' 'git init -q super && cd super && git submodule --quiet add ../a libs/a && git submodule --quiet add -b main --name other/n ../c1 n && git commit -qm s'
both 'submodule update, sync, foreach, set-url, set-branch' 'git clone -q super super2 && cd super2 && git submodule --quiet init && git submodule --quiet update &&
	git submodule --quiet sync && git submodule --quiet foreach git status && git submodule set-url libs/a ../c1 &&
	git submodule set-branch -b main n && git submodule --quiet update --remote --merge n && git submodule --quiet update --rebase libs/a'
both 'clone --recurse-submodules, deinit, rm' 'git clone -q --recurse-submodules super super3 && cd super3 && git submodule --quiet deinit -f libs/a && git rm -q n && git commit -qm rm'
both 'nested submodules' 'git init -q top && cd top && git submodule --quiet add ../super s && git submodule --quiet update --init --recursive && git commit -qm t && cd .. && git clone -q --recurse-submodules top top2'
both 'submodule absorbgitdirs' 'git init -q abs && cd abs && git clone -q ../a in && git submodule --quiet add ./in in 2>/dev/null; git add in && git submodule absorbgitdirs in && test -f in/.git && git -C in status'
both 'submodule moved' 'cd super && git mv libs/a lib2 && git commit -qm mv && git -C lib2 status'
both 'submodule in a worktree' 'cd super && git worktree add -q ../sw && cd ../sw && git submodule --quiet update --init && git -C n status'
both '.gitmodules in a checkout, merge and stash' "cd super && git checkout -q -b gm HEAD~1 && $commit"' c 1 o && git merge -q -m m main && git checkout -q HEAD~1 && git checkout -q main'
both 'switch with --recurse-submodules' 'cd super2 && git reset -q --hard && git -c submodule.recurse=true checkout -q -b sub2 && git -c submodule.recurse=true checkout -q main'
both 'filter-branch, bundle, archive' 'cd c4 && FILTER_BRANCH_SQUELCH_WARNING=1 git filter-branch -f --msg-filter cat -- HEAD~1..HEAD && git bundle create ../b.bundle main && git clone -q ../b.bundle ../frombundle && git archive HEAD >/dev/null'
both 'fast-export, fast-import' 'git init -q fi && git -C a fast-export main | git -C fi fast-import --quiet'
both 'cp -a of repositories' 'mkdir copy && cp -a a c1 super s top2 copy/'
both 'tar of a repository' 'mkdir tar && tar cf - super2 | tar xf - -C tar'
both 'rm -rf of repositories' 'rm -rf copy tar super2/.git'

control='cd a &&'
refused 'core.fsmonitor' "$control git config core.fsmonitor ./x"
refused 'core.hooksPath' "$control git config core.hooksPath h"
refused 'an alias' "$control git config alias.x '!y'"
refused 'a filter' "$control git config filter.x.clean y"
refused 'a config by mv' "$control printf '[core]\n\tpager = x\n' >x && mv x .git/config"
refused 'a config by cp' "$control printf '[core]\n\tpager = x\n' >x && cp x .git/config"
refused 'a hook' "$control cp /bin/true .git/hooks/pre-commit"
refused 'a bare repository' 'git init -q --bare bare'
refused 'a separate git directory' 'git init -q --separate-git-dir=store sep'
refused 'a pointer' "mkdir p && echo 'gitdir: ../a/.git' >x && mv x p/.git"
refused 'a .git from elsewhere' 'mkdir e && mv e e.git; mkdir e2 && mv e.git e2/.git'
refused 'submodule.*.update' "cd super && git config -f .gitmodules submodule.n.update '!x'"
refused 'exec in a rebase' "cd rm && git rebase -x true HEAD~1"
refused 'an index' "$control"' mkdir -p xgit/hooks && echo >xgit/hooks/x && git add xgit && sed "s/xgit/.git/" .git/index >y; mv y .git/index'

# The reader itself, beside git's: it needs the sources, and no sandbox.
if [ -n "$berm" ]; then
	:
elif cc -O1 -std=gnu17 -D_GNU_SOURCE -iquote "$src/src" "$src/tests/system/git_dump.c" \
	"$src/src/policy/git_config.c" -o "$work/dump" &&
	python3 "$src/tests/system/git_config_diff.py" "$work/dump" "$work" 400; then
	result ok 'random configuration files are read as git reads them'
else
	result 'not ok' 'random configuration files are read as git reads them'
fi

echo "1..$n"
[ $bad -eq 0 ]
