# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# A berm run inside a sandbox: in place when it asks for nothing, else in a sandbox beside under a
# policy that is only narrower; and what a hostile command makes of that way out.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

here=$(dirname "$0")
pty=$here/term.py

# b WORD...: berm, from the workspace, with the probe's home.
b()
{
	(cd "$W" && exec env -i HOME="$H" PATH="$T_PATH" TERM=xterm LC_ALL=C.UTF-8 "${T_ENV[@]}" \
		timeout -k 1 "$T_TIMEOUT" "$BERM" "$@")
}

# inside SCRIPT [OPTION...]: a script in a sandbox, where ./b is berm.
inside()
{
	local script=$1
	shift
	b run -q "$@" -- sh -c "$script" 2>&1
}

fresh
cp "$BERM" "$W/b"
cp "$here/inside_raw.py" "$W/raw.py"
printf 'text\n' >"$W/notes" && mkdir "$W/sub" "$W/built" && printf 'x\n' >"$W/sub/old"

# ---- nothing to narrow: the command takes berm's place ------------------------

t_is inside.place 'without options the command runs in the session itself' \
	"$(inside 'echo $BERM_SESSION; ./b run -- sh -c "echo \$BERM_SESSION; echo x >/tmp/shared"; cat /tmp/shared' | uniq -c | awk '{ print $1 }')" $'2\n1'
for rc in 0 7 255; do
	t_is "inside.status-$rc" "exit status $rc" "$(inside "./b run -- sh -c 'exit $rc'; echo \$?; ./b run --net off -- sh -c 'exit $rc'; echo \$?")" "$rc"$'\n'"$rc"
done
t_is inside.not-found 'a command that is not there' "$(inside './b run -- no-such; echo $?; ./b run -q --net off -- no-such; echo $?')" \
	$'berm: no-such: command not found\n127\nberm: no-such: command not found\n127'
t_is inside.not-executable 'a file that is no program' "$(inside './b run -- ./notes 2>/dev/null; echo $?; ./b run -q --net off -- ./notes 2>/dev/null; echo $?')" $'126\n126'
t_is inside.signal 'a signal' "$(inside './b run -q --net off -- sh -c "kill -KILL \$\$"; echo $?' 2>&1)" 137
t_is inside.env 'the environment is the caller'\''s' "$(inside 'FOO=bar ./b run --net off --env B=c --unset-env GONE -- sh -c "echo \$FOO \$B \$GONE \$HOME"' | sed "s|$H|HOME|")" 'bar c HOME'
t_is inside.loader 'but for what makes programs load code' "$(inside 'LD_PRELOAD=/x PYTHONSTARTUP=/x ./b run -q --net off -- env' | grep -cE '^(LD_PRELOAD|PYTHONSTARTUP)=')" 0
t_is inside.dir 'and the directory' "$(inside 'cd sub && ../b run --net off -- pwd')" "$W/sub"
t_is inside.dir-gone 'one that the other sandbox does not have' "$(inside 'mkdir /tmp/d && cp b /tmp/b && cd /tmp/d && ../b run -q --net off -- true; echo $?' | tail -2)" \
	$'berm: cannot enter the work directory /tmp/d: No such file or directory\n125'
t_is inside.pipe 'the standard descriptors' "$(inside 'seq 1 100000 | ./b run -q --net off -- wc -l | cat; ./b run -q --net off -- sh -c "echo e >&2" 2>&1 >/dev/null')" $'100000\ne'
t_is inside.stdin-dir 'a directory as one of them is refused' "$(inside './b run -q --net off -- true <sub 2>&1; echo $?' | grep -cE 'would open the host|^125$')" 2
inside 'timeout -s TERM 1 ./b run -q --net off -- sh -c "trap \"echo term >got; exit 3\" TERM; sleep 9 & wait"' >/dev/null
t_is inside.term 'signals are passed on' "$(cat "$W/got")" term
t_is inside.tmp 'the other sandbox has a /tmp and processes of its own' \
	"$(inside 'echo x >/tmp/mine; ./b run -q --net off -- sh -c "ls /tmp; ps -e | wc -l; echo \$\$"' | tail -1)" 2
out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm python3 "$pty" 30 90 'name? bob\r' "$BERM" run -q -- \
	./b run -q --net off -- sh -c 'test -t 0 && test -t 1 && stty size && printf "name? "; read x; echo "<$x>"; exit 5' 2>&1 | tr -d '\r')
t_is inside.terminal 'a terminal, its size, and what is typed' "$(grep -cE '^30 90$|<bob>|^status 5$' <<<"$out")" 3

# ---- what narrows -------------------------------------------------------------

t_is inside.deny-read 'a path is hidden' "$(inside 'cat notes; ./b run -q --deny-read notes -- cat notes; echo $?')" $'text\ncat: notes: Permission denied\n1'
t_is inside.deny-write 'a path cannot be changed' "$(inside './b run -q --deny-write sub -- sh -c "echo y >sub/new; echo y >sub/old; cat sub/old; echo y >new && cat new"' | grep -v denied)" $'x\ny'
t_is inside.deny-write-held 'and was not' "$(ls "$W/sub"; cat "$W/sub/old")" $'old\nx'
t_is inside.deny-exec 'a program cannot be run' "$(inside './b run -q --deny-exec /usr/bin/env -- /usr/bin/env; echo $?' | tail -1)" 126
t_is inside.mode 'a mode makes the workspace read-only' "$(inside './b run -q --mode review -- sh -c "echo y >made; echo y >/tmp/made && cat notes"' | grep -v 'Read-only')" text
t_check inside.mode-held 'and it was' test ! -e "$W/made"
t_is inside.net 'the network can be closed' "$(inside './b run -q --net off -- python3 -c "import socket; socket.create_connection((\"pypi.org\", 443), 5)"; echo $?' | tail -1)" 1
t_is inside.limit 'a limit can be lowered' "$(inside './b run -q --limit files=50 -- sh -c "ulimit -n"; ./b run -q --limit files=5000 -- sh -c "ulimit -n"' --limit files=100)" $'50\n100'
t_is inside.files-limit 'else it is the outer one' "$(inside 'ulimit -Sn; ./b run -q --net off -- sh -c "ulimit -Sn"' | uniq | wc -l)" 1
t_is inside.still 'what the outer session denies stays denied' "$(inside './b run -q --deny-read sub -- sh -c "cat notes; echo y >built/x"' --deny-read notes --deny-write built | grep -c 'denied')" 2
t_is inside.allow-nothing 'nothing is opened' "$(inside './b run --deny-read sub --allow-write built --allow-read notes -- sh -c "cat notes; echo y >built/x"' --deny-read notes --deny-write built | grep -cE 'only narrow|Permission denied')" 3
t_is inside.names 'built-in protections are there' "$(inside './b run -q --net off -- sh -c "echo y >.env"' | grep -c 'denied')" 1
t_check inside.names-held 'and were held' test ! -e "$W/.env"
for o in '--profile strict' '--policy x' '--home empty' '--root host' '--publish 8080' '--ask notes' '--unprotect secrets' '--events ev'; do
	# shellcheck disable=SC2086
	out=$(inside "./b run $o -- true; echo \$?")
	t_is "inside.unheld-${o%% *}" "$o is refused by name" "$(tail -1 <<<"$out") $(grep -c "berm: ${o%% *} cannot be given here" <<<"$out")" '125 1'
done
t_is inside.workspace 'another workspace as well' "$(inside './b run -w sub -- true; echo $?' | tail -1)" 125
t_is inside.workspace-same 'the same one is none' "$(inside "./b run -w '$W' -- pwd")" "$W"
t_is inside.nested 'a further one is begun by none' "$(inside './b run -q --net off -- ./b run --mode plan -- true; echo $?' | tail -1)" 125
t_is inside.nested-place 'but its commands may run berm' "$(inside './b run -q --net off -- ./b run -- echo in place')" 'in place'

mkdir -p "$H/src/other" && cp /bin/true "$H/src/other/prog"
t_is inside.untold 'what lies outside is told to who is outside alone' \
	"$(b run -- "$H/src/other/prog" 2>&1 | grep -c 'outside there is') $(inside "./b run --net off -- $H/src/other/prog" | grep -c 'outside there is')" '1 0'

# ---- the way out, by hand --------------------------------------------------------

out=$(b run -q -- python3 raw.py 2>&1)
t_is inside.raw 'a request of any other form is refused, and the session goes on' "$out" \
	"$(sed -n 's/^# expect: //p' "$here/inside_raw.py")"
t_is inside.outside 'outside nobody is taken for inside' "$(T_ENV=(BERM_SESSION=b-0123456789abcdef); b run -q -- sh -c 'ls /proc/1/root/home 2>&1 | wc -l; cat /proc/1/comm')" \
	"$(b run -q -- sh -c 'ls /proc/1/root/home 2>&1 | wc -l; cat /proc/1/comm')"

# ---- ends -------------------------------------------------------------------------

tag=8$RANDOM$((RANDOM + 10000)).5
(cd "$W" && exec env -i HOME="$H" PATH="$T_PATH" "$BERM" run -q -- ./b run -q --net off -- sleep "$tag") &
berm=$!
for _ in {1..200}; do pgrep -f "^sleep $tag" >/dev/null && break; sleep 0.05; done
t_check inside.runs 'it runs' pgrep -f "^sleep $tag"
kill -KILL $berm
wait $berm 2>/dev/null
for _ in {1..100}; do pgrep -f "^sleep $tag" >/dev/null || break; sleep 0.05; done
t_check inside.killed 'and dies with the outer session' bash -c "! pgrep -f '^sleep $tag'"
inside "timeout -s KILL 1 ./b run -q --net off -- sleep $tag" >/dev/null
t_check inside.client-killed 'and with its client' bash -c "! pgrep -f '^sleep $tag'"

# ---- a warm session ----------------------------------------------------------------

name=$(b start --owner $$ --name in 2>&1)
t_is inside.warm 'a warm session does so as well' "$(b exec "$name" -- sh -c 'echo $BERM_SESSION; ./b run -- sh -c "echo \$BERM_SESSION"; ./b run -q --mode review -- sh -c "echo y >made || echo held"' 2>/dev/null | uniq -c | awk '{ print $1 }')" $'2\n1'
b stop "$name"
drop "$D"
done_testing
