# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# berm learn (SPEC D1): what it proposes is enough, and no more than that; while it learns it
# holds what berm run holds, and changes nothing.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

here=$(dirname "$0")
# Of several runs, while other tests run.
T_TIMEOUT=180

# b WORD...: berm, from the workspace, with the probe's home.
b()
{
	(cd "$W" && exec env -i HOME="$H" PATH="$T_PATH" TERM=xterm LC_ALL=C.UTF-8 "${T_ENV[@]}" \
		timeout -k 1 "$T_TIMEOUT" "$BERM" "$@")
}

# learn WORD...: the proposal as JSON in OUT, what the command and berm say in SAID, RC.
learn()
{
	OUT=$(b learn --json "$@" 2>"$D/said" </dev/null)
	RC=$?
	SAID=$(<"$D/said")
}

# Of the last proposal: KIND VALUE STATE, one a line.
proposed()
{
	jq -r '.proposals[] | "\(.kind) \(.value) \(.state)"' <<<"$OUT" | sort
}

refused()
{
	jq -r '.not_granted[] | "\(.action) \(.target)"' <<<"$OUT" | sort
}

if ! command -v jq >/dev/null; then
	t_skip learn.all 'berm learn' 'jq is not installed'
	done_testing
	exit 0
fi
# The private copies are overlays on a tmpfs that takes attributes: Linux 6.6.
fresh
b learn -- true >"$D/out" 2>"$D/said"
rc=$?
if [[ $rc == 125 ]]; then
	t_check learn.refused 'where private copies cannot be had it does not start, and says so' \
		grep -q -- --in-place "$D/said"
	t_skip learn.all 'berm learn' "$(head -1 "$D/said")"
	done_testing
	exit 0
fi
t_is learn.nothing 'a command that works needs nothing' "$rc $(<"$D/out")" \
	'0 it works under the policy in force: nothing is to be added'
drop "$D"

# ---- what is proposed is enough, and no more
fresh
mkdir -p "$H/data/deep" "$D/out" "$D/shut"
echo one >"$H/data/one"
echo two >"$H/data/two"
if wanted learn.read; then
	learn --yes --write -- sh -c 'cat ~/data/one'
	t_is learn.read 'a file that is not shown is proposed for reading' "$RC $(proposed)" \
		"0 read $H/data/one needed"
	t_is learn.read-why 'with the program and the call' \
		"$(jq -r '.proposals[0].why' <<<"$OUT")" 'cat: openat'
	t_is learn.read-works 'and written: the command works' "$(b run -q -- cat "$H/data/one" 2>&1)" one
	t_check learn.read-sibling 'its sibling stays hidden' \
		[ "$(b run -q -- cat "$H/data/two" 2>/dev/null)" = '' ]
	t_check learn.read-only 'and it cannot be changed' \
		[ "$(b run -q -- sh -c 'echo x >~/data/one' 2>/dev/null; cat "$H/data/one")" = one ]
	t_is learn.read-file 'the file that was written says why, in the words of a person' \
		"$(<"$W/.berm/policy.local.json")" $'{\n  "files": {\n    "~/data/one": "read" // cat: openat\n  }\n}'
	learn --yes -- sh -c 'cat ~/data/one'
	t_is learn.read-again 'and then there is nothing to add' "$RC$(proposed)" 0
	rm -r "$W/.berm"
fi
if wanted learn.write; then
	learn --yes --write -- sh -c "echo new >'$D/out/made'"
	t_is learn.write 'of a name that is made outside, its folder' "$RC $(proposed)" \
		"0 write $D/out needed"
	t_check learn.write-nothing 'and nothing was made there' [ ! -e "$D/out/made" ]
	t_is learn.write-works 'with the proposal it is made' \
		"$(b run -q -- sh -c "echo new >'$D/out/made'" 2>&1; cat "$D/out/made")" new
	t_check learn.write-sibling 'the folder beside it stays closed' \
		[ "$(b run -q -- sh -c "echo x >'$D/shut/made'" 2>/dev/null; ls "$D/shut")" = '' ]
	rm -r "$W/.berm" "$D/out/made"
fi
if wanted learn.several; then
	for i in 1 2 3 4; do
		echo $i >"$H/data/deep/$i"
	done
	learn --yes -- sh -c 'cat ~/data/deep/1 ~/data/deep/2 ~/data/deep/3'
	t_is learn.several 'several files of a folder: the folder' "$RC $(proposed)" \
		"0 read $H/data/deep needed"
	echo x >"$H/data/deep/id_rsa"
	learn --yes -- sh -c 'cat ~/data/deep/1 ~/data/deep/2 ~/data/deep/3'
	t_is learn.several-secret 'but not when it holds what looks like a secret' "$(proposed)" \
		"$(for i in 1 2 3; do echo "read $H/data/deep/$i needed"; done)"
	echo x >"$H/n1"; echo x >"$H/n2"; echo x >"$H/n3"
	learn --yes -- sh -c 'cat ~/n1 ~/n2 ~/n3'
	t_is learn.several-home 'and never the home' "$(proposed)" \
		"$(for i in 1 2 3; do echo "read $H/n$i needed"; done)"
fi
if wanted learn.least; then
	echo 3 >"$H/data/three"
	learn --yes -- sh -c 'cat ~/data/two; cat ~/data/three && cat ~/data/missing; test -e ~/data/three'
	t_is learn.least 'what the command works without is told, not proposed' "$RC $(proposed)" \
		"0 $(printf 'read %s needed\nread %s dispensable' "$H/data/three" "$H/data/two")"
	t_is learn.least-diff 'and is no part of the difference' \
		"$(jq -r .diff <<<"$OUT" | grep -c '^+.*"read"')" 1
fi
if wanted learn.exec; then
	mkdir "$H/tools"
	printf '#!/bin/sh\necho tool\n' >"$H/tools/tool"
	chmod +x "$H/tools/tool"
	learn --yes -- sh -c '~/tools/tool'
	t_is learn.exec 'a program that is not shown' "$RC $(proposed)" "0 read $H/tools/tool needed"
	ln -s ../tools/tool "$W/link"
	ln -sfn "$H/tools/tool" "$W/link"
	learn --yes -- ./link
	t_is learn.link 'by a link in the workspace: what it leads to' "$RC $(proposed)" \
		"0 read $H/tools/tool needed"
	rm "$W/link"
fi
if wanted learn.comments; then
	echo f >"$H/data/five"
	mkdir -p "$W/.berm"
	printf '{\n\t// mine\n\t"files": {\n\t\t"~/data/two": "read" // old\n\t}\n}\n' >"$W/.berm/policy.local.json"
	learn --yes --write -- cat "$H/data/five"
	t_check learn.untrusted 'a local file that is not trusted is left alone' \
		grep -q 'berm trust' "$D/said"
	b trust --yes >/dev/null 2>&1
	learn --yes --write -- cat "$H/data/five"
	t_is learn.comments 'comments, order and indentation stay' "$(<"$W/.berm/policy.local.json")" \
		$'{\n\t// mine\n\t"files": {\n\t\t"~/data/two": "read", // old\n\t\t"~/data/five": "read" // cat: openat\n\t}\n}'
	t_is learn.comments-diff 'the difference is that' "$(jq -r .diff <<<"$OUT")" \
		$'--- .berm/policy.local.json\n+++ .berm/policy.local.json\n@@ line 1 @@\n {\n \t// mine\n \t"files": {\n-\t\t"~/data/two": "read" // old\n+\t\t"~/data/two": "read", // old\n+\t\t"~/data/five": "read" // cat: openat\n \t}\n }'
	t_is learn.comments-works 'and is trusted' "$(b run -q -- cat "$H/data/five" 2>&1)" f
	rm -r "$W/.berm"
fi
drop "$D"

# ---- what is not proposed
T_SECRETS=1
fresh
mkdir -p "$H/.ssh" "$H/.cache/tool" "$D/ws2"
echo key >"$H/.ssh/id_rsa"
echo cached >"$H/.cache/tool/x"
echo t >"$H/.netrc"
if wanted learn.secrets; then
	learn --yes -- sh -c 'cat ~/.ssh/id_rsa ~/.netrc; ls ~/.ssh ~/.aws; exit 3'
	t_is learn.secrets 'secrets are never proposed' "$RC $(proposed)" '3 '
	t_check learn.secrets-told 'but told' grep -q "^file-read $H/.ssh/id_rsa$" <(refused)
	t_check learn.secrets-kept 'and never seen' [ "$(grep -c key <<<"$SAID")" = 0 ]
	learn --yes -- sh -c 'ls -d ~/.cache/tool; exit 3'
	t_is learn.caches 'nor caches: the private home has its own' "$(proposed)" ''
fi
if wanted learn.wide; then
	learn --yes -- sh -c "ls '$H/..' / /srv /mnt /var/lib /proc/1 >/dev/null; ls /media; ls '$H'; exit 3"
	t_is learn.wide 'nor folders that hold far more than a command needs' \
		"$(proposed | grep -E " (/|/srv|/mnt|/media|$H) ")" ''
fi
if wanted learn.decided; then
	printf '{ "files": { "~/kept": "none", "deploy/**": "read" } }\n' >"$D/policy.json"
	mkdir -p "$W/deploy" "$H/kept"
	echo x >"$H/kept/file"
	learn --yes --policy "$D/policy.json" -- sh -c \
		'cat ~/kept/file; echo x >deploy/x; echo x >.env; echo x >.git/hooks/pre-commit; mkdir .vscode; exit 3'
	t_is learn.decided 'nor what a rule, a list or a protection closes' "$RC $(proposed)" '3 '
	t_check learn.decided-told 'each with its option' \
		[ "$(jq -r '.not_granted[].grant' <<<"$OUT" | grep -cE -- "--allow-write $W/.env|--unprotect")" -ge 2 ]
fi
if wanted learn.mode; then
	learn --yes -m review -- sh -c 'echo x >file'
	t_is learn.mode 'nor a writable workspace in a mode that only looks' "$(proposed)" ''
fi
T_SECRETS=
drop "$D"

# ---- hosts
fresh
if wanted learn.hosts; then
	ask='import socket,sys
for host, port in (("db.example.net", 5432), ("169.254.169.254", 80), ("transfer.sh", 443)):
    try: socket.create_connection((host, port), 5)
    except OSError as e: print(e)
sys.exit(4)'
	learn --yes -- python3 -c "$ask"
	t_is learn.hosts 'a host that no rule names is proposed, and by --yes not opened' "$RC $(proposed)" \
		'4 host db.example.net:5432 untried'
	t_is learn.hosts-denied 'hosts that the lists deny are not' \
		"$(refused | grep network)" \
		$'network-outbound 169.254.169.254:80\nnetwork-outbound transfer.sh:443'
	t_is learn.hosts-form 'as a list of the settings' \
		"$(jq -r .diff <<<"$OUT" | grep -c '"db.example.net:5432" // python')" 1
	learn --yes --net off -- python3 -c "$ask"
	t_is learn.hosts-off 'with the network off none is' "$(proposed)" ''
fi
drop "$D"

# ---- while it learns
fresh
mkdir "$H/data"
echo one >"$H/data/one"
# All that is there but berm's own state, with sizes, inodes and times.
everything()
{
	(cd "$D" && find . -path ./home/.local/state -prune -o -path ./said -prune -o -printf '%p %s %i %T@\n' | sort)
}

if wanted learn.untouched; then
	: >"$D/said"
	b run -q -- true # berm's own state is there
	before=$(everything)
	learn --yes -- sh -c 'echo x >new; echo y >>README; rm -rf src; mkdir d; mv tools t2 2>/dev/null; git init -q r; cat ~/data/one >copied; echo z >~/private; ls'
	after=$(everything)
	t_is learn.untouched 'nothing that the command changes lasts' "$after" "$before"
	t_check learn.untouched-home 'neither in its private home' \
		[ "$(find "$H/.local/state/berm" -name private | wc -l)" = 0 ]
	t_check learn.seen 'though the command saw it' grep -q copied "$D/said"
fi
if wanted learn.in-place; then
	learn --in-place -- sh -c 'echo x >new'
	t_is learn.in-place 'with --in-place it does' "$RC $(cat "$W/new")" '0 x'
	rm "$W/new"
fi
if wanted learn.held; then
	learn -- sh -c 'echo x >.env; echo x >.git/hooks/post-commit; git config core.pager evil; cat ~/.bashrc; cat /proc/sys/kernel/hostname >/dev/null; exit 5'
	t_is learn.held 'what berm run refuses it refuses' \
		"$(grep -cE 'cannot create (\.env|\.git/hooks/post-commit)' "$D/said")" 2
	T_ENV=(BERM_SANDBOX=off)
	out=$(b learn -- true 2>&1)
	t_is learn.off 'it does not run without a sandbox' "$? ${out%%,*}" \
		'125 berm: berm learn needs the sandbox'
	T_ENV=()
fi
if wanted learn.no-consent; then
	learn -- sh -c 'cat ~/data/one'
	t_is learn.no-consent 'where nobody is asked there is one round, and nothing is opened' \
		"$RC $(jq -r .runs <<<"$OUT") $(proposed)" "1 1 read $H/data/one untried"
fi
if wanted learn.asked && [[ -e $here/term.py ]]; then
	for answer in y n; do
		want=one
		[[ $answer == y ]] || want=none
		(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm LC_ALL=C.UTF-8 \
			python3 "$here/learn_tty.py" "$answer" "$BERM" learn -- sh -c 'cat ~/data/one') >"$D/tty" 2>&1
		seen=$(grep -qx $'one\r*' "$D/tty" && echo one || echo none)
		t_is "learn.asked-$answer" "asked on the terminal, $answer: that is what happens" "$seen" "$want"
	done
fi
if wanted learn.status; then
	learn -- sh -c 'exit 42'
	t_is learn.status 'the exit status is the command'"'"'s' "$RC $(jq -r .works <<<"$OUT")" '42 false'
	learn -- /nonexistent
	t_is learn.status-127 'also when there is none' "$RC" 127
	learn -- sh -c 'kill -9 $$'
	t_is learn.status-137 'or a signal ended it' "$RC" 137
fi
if wanted learn.stdin; then
	echo first >"$H/in"
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" "$BERM" learn --yes -- sh -c 'cat; cat ~/data/one' <"$H/in" 2>&1 >/dev/null)
	t_is learn.stdin 'each round reads its input from the beginning' "$(grep -c first <<<"$out")" 2
fi
if wanted learn.killed; then
	mark=8$RANDOM$RANDOM
	(cd "$W" && exec env -i HOME="$H" PATH="$T_PATH" "$BERM" learn -- sleep "$mark" >/dev/null 2>&1) &
	pid=$!
	for _ in {1..200}; do
		pgrep -f "^sleep $mark" >/dev/null && break
		sleep 0.05
	done
	t_check learn.killed-runs '(the command runs)' pgrep -f "^sleep $mark"
	kill -9 $pid
	wait $pid 2>/dev/null
	for _ in {1..200}; do
		pgrep -f "^sleep $mark" >/dev/null || break
		sleep 0.05
	done
	t_check learn.killed 'when berm learn is killed the command ends' [ -z "$(pgrep -f "^sleep $mark")" ]
fi
if wanted learn.hostile; then
	printf 'x' >"$H/data/"$'new\nline\e[31m'
	learn -- sh -c 'cat "$(printf "%s/data/new\nline\033[31m" ~)"'
	t_is learn.hostile 'a name with control characters is written as JSON writes it' \
		"$(jq -r '.proposals[0].value' <<<"$OUT" | cat -v)" "$H/data/new"$'\n''line^[[31m'
	out=$(b learn -- sh -c 'cat "$(printf "%s/data/new\nline\033[31m" ~)"' 2>/dev/null | grep -c $'\e')
	t_is learn.hostile-text 'and never reaches the terminal as it is' "$out" 0
	learn --rounds 1 -- sh -c 'i=0; while [ $i -lt 3000 ]; do test -e ~/data/x$i; i=$((i+1)); done; cat ~/data/one'
	t_is learn.hostile-many 'thousands of names that are not there do not hide one that is' \
		"$(proposed)" "read $H/data/one untried"
fi
drop "$D"

# ---- real programs
# real ID PROGRAM SETUP COMMAND EXPECTED
real()
{
	local id=$1 program=$2 setup=$3 do=$4 expected=$5
	wanted "$id" || return 0
	if ! PATH=$T_PATH command -v "$program" >/dev/null; then
		t_skip "$id" "$program" "$program is not installed"
		return 0
	fi
	fresh
	(cd "$W" && export H D && eval "$setup") >/dev/null 2>&1
	learn --yes --write -- sh -c "$do"
	t_is "$id" "$program: the proposal" "$RC $(proposed | grep 'needed$')" "0 ${expected//@H/$H}"
	t_check "$id-works" "$program works with it" b run -q -- sh -c "$do"
	drop "$D"
}
real learn.make make 'mkdir -p "$H/include" && echo "#define X 0" >"$H/include/x.h"
	printf "int main(void){return X;}\n#include <x.h>\n" | tac >m.c
	printf "m: m.c\n\tcc -I$H/include -o m m.c\n" >Makefile' 'make -s && ./m' 'read @H/include needed'
real learn.git git 'git init -q --bare "$H/up.git"; git -c init.defaultBranch=main clone -q "$H/up.git" c; cd c
	git config user.name n; git config user.email e; echo x >f; git add f; git commit -qm 1; git push -q origin HEAD:main
	git reset -q --hard' 'cd c && git fetch -q' 'read @H/up.git needed'
real learn.python python3 'mkdir -p "$H/lib/mod"; echo "v = 5" >"$H/lib/mod/__init__.py"' \
	'python3 -B -c "import sys, os; sys.path.insert(0, os.environ[\"HOME\"] + \"/lib\"); import mod; assert mod.v == 5"' \
	'read @H/lib needed'
real learn.npm npm 'mkdir -p "$H/pkg" p; echo "{\"name\":\"pkg\",\"version\":\"1.0.0\"}" >"$H/pkg/package.json"
	echo "module.exports = 7" >"$H/pkg/index.js"; echo "{\"name\":\"p\",\"version\":\"1.0.0\"}" >p/package.json' \
	'cd p && npm install --offline --no-audit --no-fund --silent ~/pkg && node -e "if (require(\"pkg\") !== 7) process.exit(1)"' \
	$'read @H/pkg/index.js needed\nread @H/pkg/package.json needed'
done_testing
