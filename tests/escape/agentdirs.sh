# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Folders of agents and editors at every root that a tool of the host opens: there
# or not there yet, by creation, rename, symlink or exchange (SPEC F3, F4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

exchange='/usr/bin/python3 -c "import ctypes,sys; r=ctypes.CDLL(None).syscall(316, -100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2); sys.exit(r)"'

# way|setup|attack on DIR/FILE
ways()
{
	local dir=$1 file=$2 path=$1/$2 parent
	parent=$(dirname "$path")
	cat <<-LIST
		create|true|mkdir -p $parent; echo evil >$path
		create-existing|mkdir -p $parent|echo evil >$path
		rename-file|mkdir -p $parent|echo evil >f; mv f $path
		rename-dir|true|mkdir -p x/$(dirname "$file"); echo evil >x/$file; mv x $dir
		rename-dir-over|mkdir -p $dir|mkdir -p x/$(dirname "$file"); echo evil >x/$file; rmdir $dir; mv -T x $dir
		symlink-dir|true|mkdir -p x/$(dirname "$file"); echo evil >x/$file; ln -s x $dir
		symlink-file|mkdir -p $parent|echo evil >x; ln -s $W/x $path
		hard-link|mkdir -p $parent|echo evil >x; ln x $path
		exchange|mkdir -p $parent; echo good >$path|mkdir -p x/$(dirname "$file"); echo evil >x/$file; $exchange x $dir
		move-edit-back|mkdir -p $parent; echo good >$path|mv $dir x; echo evil >x/$file; mv x $dir
		write-through-link|mkdir -p $parent; echo good >$path|ln -s $dir x; echo evil >x/$file
		replace-parents|mkdir -p $parent; echo good >$path|rm -rf $dir; mkdir -p $parent; echo evil >$path
		tar|true|mkdir -p x/$path; rmdir x/$path; echo evil >x/$path; tar cf t.tar -C x $dir; tar xf t.tar
	LIST
}

evil()
{
	grep -qs evil "$1"
}

while read -r dir file; do
	while IFS='|' read -r way setup do; do
		attack "agentdirs.$way.$dir/$file" "$way cannot bring $dir/$file" \
			setup="$setup" do="$do" harm="evil $dir/$file" event="file-* */$dir*"
	done < <(W='$W' ways "$dir" "$file")
done <<'LIST'
.claude settings.json
.vscode tasks.json
LIST

while read -r dir file; do
	for way in create rename-dir symlink-dir; do
		while IFS='|' read -r w setup do; do
			[[ $w == "$way" ]] || continue
			attack "agentdirs.$way.$dir/$file" "$way cannot bring $dir/$file" \
				setup="$setup" do="$do" harm="evil $dir/$file" event="file-* */$dir*"
		done < <(W='$W' ways "$dir" "$file")
	done
done <<'LIST'
.claude settings.local.json
.claude skills/s/SKILL.md
.claude commands/c.md
.claude agents/a.md
.claude hooks/h.sh
.codex config.toml
.agents skills/s.md
.gemini settings.json
.cursor mcp.json
.opencode opencode.json
.idea workspace.xml
.devcontainer devcontainer.json
.vscode settings.json
.berm policy.json
.berm policy.local.json
LIST

# At the root of a repository inside the workspace a tool is opened as well.
while IFS='|' read -r id setup do harm; do
	attack "agentdirs.nested.$id" "in a nested repository: $id" setup="$setup" do="$do" harm="$harm"
done <<'LIST'
existing-repository|git init -q sub|mkdir -p sub/.claude; echo evil >sub/.claude/settings.json|evil sub/.claude/settings.json
existing-vscode|git init -q sub|mkdir -p sub/.vscode; echo evil >sub/.vscode/tasks.json|evil sub/.vscode/tasks.json
existing-mcp|git init -q sub|echo evil >sub/.mcp.json|evil sub/.mcp.json
new-repository|true|git init -q sub; mkdir -p sub/.claude; echo evil >sub/.claude/settings.json|evil sub/.claude/settings.json
folder-first|true|mkdir -p sub/.claude; echo evil >sub/.claude/settings.json; git init -q sub|evil sub/.claude/settings.json && made sub/.git
folder-first-clone|true|git clone -q . sub0; mkdir -p sub/.claude; echo evil >sub/.claude/settings.json; mv sub0/.git sub/.git|evil sub/.claude/settings.json && made sub/.git
folder-then-move-in|git init -q sub|mkdir -p x; echo evil >x/settings.json; mv x sub/.claude|evil sub/.claude/settings.json
deep-move-in|git init -q a/b/sub|mkdir -p x/.vscode; echo evil >x/.vscode/tasks.json; mv x/.vscode a/b/sub/|evil a/b/sub/.vscode/tasks.json
worktree|true|git worktree add -q wt; mkdir -p wt/.claude; echo evil >wt/.claude/settings.json|evil wt/.claude/settings.json
LIST

# Spelled differently; the tree may be on a file system that folds.
for path in .Claude/settings.json .CLAUDE/SETTINGS.JSON .VSCode/tasks.json .Codex/config.toml .MCP.json .Idea/x.xml; do
	attack "agentdirs.case.$path" "$path is the same name" \
		do="mkdir -p $(dirname "$path"); echo evil >$path" harm="evil $path"
done

# A checkout of tracked, protected files is refused as one, and changes none.
attack agentdirs.checkout 'git checkout of a branch that tracks .claude/settings.json' \
	setup='git checkout -q -b evil; mkdir .claude; echo evil >.claude/settings.json; git add -f .claude; git commit -q -m evil; git checkout -q main' \
	do='git checkout -q evil; git merge -q evil; true' harm='evil .claude/settings.json'
attack agentdirs.stash 'git stash pop' \
	setup='mkdir .claude; echo evil >.claude/settings.json; git add -f .claude; git stash -q' \
	do='git stash pop -q' harm='evil .claude/settings.json'

# The settings files of berm itself, everywhere.
for path in .berm/policy.json .berm/policy.local.json; do
	attack "agentdirs.berm.$path" "berm's own $path" \
		do="mkdir -p .berm; echo '{}' >$path" harm="made $path" event="file-create */.berm*"
done
attack agentdirs.berm.state "berm's state and the user's policy in the home" \
	do='mkdir -p $H/.config/berm $H/.local/state/berm/x; echo "{\"net\":\"open\"}" >$H/.config/berm/policy.json; echo x >$H/.local/state/berm/x/evil; true' \
	harm='made "$H/.config/berm/policy.json" || made "$H/.local/state/berm/x/evil"'

done_testing
