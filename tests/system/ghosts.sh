# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Nothing is made on the user's disk: not for an instant, not after SIGKILL.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

# Everything in workspace and home but berm's own state: name, type, mode, inode; of
# files their size and time as well.
picture()
{
	find "$1" \( -path '*/.local/state/berm' -o -path "$1/.local" -o -path "$1/.local/state" \) -prune -o \
		\( -type d -printf '%P %y %m %i\n' -o -printf '%P %y %m %s %T@ %i\n' \) 2>/dev/null |
		grep -v '^src/proj/\.git/index ' | sort
}

# still ID TEXT COMMAND...: the picture is the same afterwards.
still()
{
	local id=$1 text=$2 now
	shift 2
	wanted "$id" || return 0
	fresh
	before=$(picture "$H")
	(cd "$W" && "$@") >"$D/out" 2>&1
	now=$(picture "$H")
	t_is "$id" "$text" "$(diff <(echo "$before") <(echo "$now"))" ''
	drop "$D"
}

run()
{
	HOME=$H "$BERM" run -q -w "$W" "$@"
}

still ghosts.true 'after true' run -- true
still ghosts.ls 'after looking around' run -- sh -c 'ls -laR . >/dev/null; git status >/dev/null; cat README.md'
still ghosts.denied 'after denied creations' run -- sh -c 'touch .env; mkdir -p .codex/x; echo x >.git/hooks/y; echo x >.mcp.json; ln -s a .vscode'
still ghosts.strict 'in profile strict' run --profile strict -- true
still ghosts.review 'in mode review' run --mode review -- true
still ghosts.rules 'with rules on paths that do not exist' run --deny-write '**/*.lock' --deny-write "x/y/z" --deny-read 'secret/**' -- true
still ghosts.host-home 'with --home host' run --home host -- true
still ghosts.host-root 'with --root host' run --root host -- true
still ghosts.not-found 'after a command that is not there' run -- no-such-command
still ghosts.bad-option 'after a refused option' run --no-such-option -- true
still ghosts.home-writes 'after writing in the private home' run -- sh -c 'echo x >~/f; mkdir -p ~/.cache/x ~/.ssh; echo x >~/.bashrc; echo x >~/.ssh/config'
still ghosts.tmp-writes 'after writing in /tmp' run -- sh -c 'echo x >/tmp/x; echo x >/var/tmp/x; echo x >/dev/shm/x'

# What is seen inside is what is there, no more and no less.
if wanted ghosts.same-list; then
	fresh
	out=$(find "$W" -printf '%P %y %m %s\n' | sort)
	in=$(run -- find . -printf '%P %y %m %s\n' | sort)
	t_is ghosts.same-list 'inside the workspace looks as outside' "$(diff <(echo "$out") <(echo "$in"))" ''
	t_is ghosts.git-clean 'git status inside is clean' "$(run -- git status --porcelain 2>&1)" ''
	t_is ghosts.git-add 'git add -A works' "$(run -- sh -c 'git add -A && git status --porcelain' 2>&1)" ''
	names=$(ls -A "$W")
	run -- sh -c 'touch .env; mkdir .codex; sleep 0.4' >"$D/out" 2>&1 &
	sleep 0.2
	t_is ghosts.while 'while it runs, the workspace holds nothing else' "$(ls -A "$W")" "$names"
	wait
	drop "$D"
fi

# The same when it is killed, at once or later.
if wanted ghosts.killed; then
	bad=''
	for ms in 1 3 5 10 20 60 150; do
		fresh
		before=$(picture "$H")
		# The lock file that git itself makes is not berm's to take away.
		(cd "$W" && HOME=$H exec "$BERM" run -q -w "$W" --deny-write x/y -- sh -c 'touch .env; mkdir .claude/x; GIT_OPTIONAL_LOCKS=0 git status; sleep 5') >"$D/out" 2>&1 &
		pid=$!
		sleep "0.$(printf %03d "$ms")"
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
		sleep 0.05
		d=$(diff <(echo "$before") <(picture "$H"))
		[[ -z $d ]] || bad+=" after $ms ms: $d"
		drop "$D"
	done
	t_is ghosts.killed 'after SIGKILL at seven moments' "$bad" ''
fi

# Temporary places of the machine.
if wanted ghosts.machine; then
	fresh
	list()
	{
		find /tmp /var/tmp /dev/shm "/run/user/$(id -u)" -maxdepth 2 -user "$(id -u)" -iname '*berm*' 2>/dev/null | grep -v -e "$T_BASE" -e berm-test | sort
	}
	a=$(list)
	run -- true
	run -- sh -c 'touch .env' 2>/dev/null
	t_is ghosts.machine 'no temporary file of berm stays on the machine' "$(diff <(echo "$a") <(list) | grep '^>' | grep -v -e snap -e build)" ''
	drop "$D"
fi
# The state holds what belongs to it: a directory of the workspace's own, closed to others.
if wanted ghosts.state; then
	fresh
	run -- sh -c 'echo kept >~/kept'
	t_is ghosts.state-keeps 'the private home is kept for the next run' "$(run -- cat "$H/kept" 2>&1)" kept
	t_is ghosts.state-mode 'and is closed to others' "$(stat -c %a "$H/.local/state/berm")" 700
	mkdir "$D/other"
	t_is ghosts.state-apart 'another workspace has another one' "$(cd "$D/other" && HOME=$H "$BERM" run -q -- sh -c 'cat ~/kept 2>/dev/null; echo end')" end
	t_is ghosts.state-empty 'and --home empty none' "$(run --home empty -- sh -c 'cat ~/kept 2>/dev/null; ls -A ~ | grep -v src; echo end')" end
	drop "$D"
fi

done_testing
