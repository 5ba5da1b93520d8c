# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Warm sessions: berm start, exec, ls, suspend, resume, stop (SPEC S4).
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

# The session ends with this script, whatever becomes of it.
begin()
{
	b start --owner $$ --name "$@" 2>&1
}

state()
{
	b ls | awk -v n="$1" '$1 == n { print $2 }'
}

# until_true COMMAND...: within ten seconds.
until_true()
{
	local i
	for i in {1..200}; do
		"$@" && return 0
		sleep 0.05
	done
	return 1
}

is_state()
{
	[[ $(state "$1") == "$2" ]]
}

tag()
{
	echo "8$RANDOM$((RANDOM + 10000)).25"
}

running()
{
	pgrep -f "^sleep $1" >/dev/null
}

gone()
{
	! running "$1"
}

# The processes of a session: warden, then its descendants.
member()
{
	local warden
	warden=$(b ls --json | sed -n "s/.*\"name\":\"$1\".*\"pid\":\([0-9]*\).*/\1/p")
	case $2 in
	warden) echo "$warden" ;;
	init) b ls --json | sed -n "s/.*\"name\":\"$1\".*\"init\":\([0-9]*\).*/\1/p" ;;
	supervisor) ps -o ppid= "$(member "$1" init)" | tr -d ' ' ;;
	steward) ps -o pid= --ppid "$warden" | tr -d ' ' | grep -vx "$(member "$1" supervisor)" ;;
	esac
}

fresh
t_is warm.start 'start prints the name' "$(begin one)" one
t_is warm.state 'a session with nothing to do is warm' "$(state one)" warm

# ---- what a command sees -----------------------------------------------------

for rc in 0 1 42 125 126 127 255; do
	b exec one -- sh -c "exit $rc"
	t_is "warm.status-$rc" "exit status $rc" $? $rc
done
for sig in HUP INT TERM KILL USR1 SEGV; do
	b exec one -- sh -c "kill -$sig \$\$; sleep 9" 2>/dev/null
	t_is "warm.signal-$sig" "killed by SIG$sig" $? $((128 + $(kill -l $sig)))
done
b exec one no-such-program 2>"$D/err"
t_is warm.not-found 'a command that is not there' "$? $(cat "$D/err")" '127 berm: no-such-program: command not found'
b exec one ./README.md 2>"$D/err"
t_is warm.not-executable 'a file that is no program' "$? $(grep -c 'Permission denied' "$D/err")" '126 1'
printf 'echo "script $1"\n' >"$W/script" && chmod +x "$W/script"
t_is warm.no-interpreter 'a script without an interpreter goes to the shell' "$(b exec one ./script a)" 'script a'

# same ID WHAT SCRIPT [EXEC OPTION...]: as bare, byte for byte.
same()
{
	local id=$1 what=$2 script=$3 bare in
	shift 3
	wanted "$id" || return 0
	bare=$(b_bare "$script" 2>&1 <"${T_STDIN:-/dev/null}"; echo "status $?")
	in=$(b exec "$@" one -- sh -c "$script" 2>&1 <"${T_STDIN:-/dev/null}"; echo "status $?")
	t_is "$id" "$what" "$in" "$bare"
}

b_bare()
{
	(cd "$W" && exec env -i HOME="$H" PATH="$T_PATH" TERM=xterm LC_ALL=C.UTF-8 sh -c "$1")
}

same warm.pwd 'the directory' 'pwd; ls'
same warm.pipe 'a pipe' 'printf "b\na\n" | sort | tr "\n" ,'
same warm.stderr 'the two outputs' 'echo out; echo err >&2'
same warm.umask 'the umask' 'umask; touch f; stat -c %a f; rm f'
same warm.id 'the user' 'id -u; id -g'
same warm.trap 'a trap' 'trap "echo caught" USR1; kill -USR1 $$; echo on'
t_is warm.fds 'no descriptor but 0, 1 and 2' "$(b exec one -- sh -c 'ls /proc/self/fd | tr "\n" " "')" '0 1 2 3 '
t_is warm.ignored 'signals are ignored and blocked as in a run' "$(b exec one -- grep -E '^Sig(Blk|Ign)' /proc/self/status)" \
	"$(b run -q -- grep -E '^Sig(Blk|Ign)' /proc/self/status)"
same warm.background 'a job is waited for' '(sleep 0.05; echo late) & wait; echo after'
same warm.shm 'shared memory' 'echo x >/dev/shm/berm-$$; cat /dev/shm/berm-$$; rm /dev/shm/berm-$$'
same warm.git 'git' 'git status --short; git log --oneline | wc -l'
same warm.cc 'a compiler' 'cc -o prog src/main.c && ./prog; echo $?; rm prog'
head -c 300000 /dev/urandom >"$D/bytes"
T_STDIN=$D/bytes same warm.stdin 'standard input is a file' 'sha256sum'
t_is warm.stdin-pipe 'standard input is a pipe' "$(head -c 3000000 /dev/zero | b exec one -- wc -c)" 3000000
t_is warm.many-words 'a hundred thousand words' "$(cd "$W" && seq 1 100000 | HOME=$H xargs -n 100000 -s 2000000 "$BERM" exec one -- sh -c 'echo $#' x)" 100000
b exec one -- true <"$W" 2>"$D/err"
t_is warm.stdin-dir 'a directory as standard input is refused' "$? $(grep -c 'would open the host' "$D/err")" '125 1'
b exec one -- true <&- >&- 2>&-
t_is warm.closed 'closed descriptors' $? 0

# ---- directory and environment ------------------------------------------------

t_is warm.dir 'a directory of its own' "$(b exec -C src one -- pwd)" "$W/src"
t_is warm.dir-absolute 'an absolute one' "$(b exec -C /tmp one -- sh -c 'pwd; echo $PWD')" $'/tmp\n/tmp'
b exec -C no-such one -- pwd 2>"$D/err"
t_is warm.dir-missing 'one that is not there' "$? $(cat "$D/err")" '125 berm: session one cannot enter the directory no-such: No such file or directory'
b exec -C "$H/src/other" one -- pwd >/dev/null 2>&1
t_is warm.dir-outside 'one outside the view' $? 125
t_is warm.env 'a variable' "$(b exec --env FOO='a b' one -- sh -c 'echo "$FOO"')" 'a b'
t_is warm.env-once 'it is that of one command' "$(b exec one -- sh -c 'echo "<$FOO>"')" '<>'
t_is warm.env-over 'it takes the place of the session'\''s own' "$(b exec --env LC_ALL=C one -- sh -c 'env | grep -c ^LC_ALL=; echo $LC_ALL')" $'1\nC'
T_ENV=(GITHUB_TOKEN=secret FOO=outer)
t_is warm.env-secret 'the caller'\''s environment stays outside' "$(b exec one -- env | grep -cE 'secret|outer')" 0
t_is warm.env-pass 'unless it is named' "$(b exec --env FOO one -- sh -c 'echo $FOO')" outer
T_ENV=()
for v in LD_PRELOAD BASH_ENV HOME TMPDIR BERM_SESSION; do
	b exec --env $v=/tmp/x one -- true 2>/dev/null
	t_is "warm.env-$v" "$v is refused" $? 125
done
t_is warm.tmp 'the commands share /tmp' "$(b exec one -- sh -c 'echo x >/tmp/shared'; b exec one -- cat /tmp/shared; test -e /tmp/shared; echo $?)" $'x\n1'

# ---- the wall holds for each command -----------------------------------------------

begin walls --events "$D/events" >/dev/null
EV=$D/events
b exec walls -- sh -c 'mkdir -p .git/hooks; echo x >.git/hooks/pre-commit; echo y >.env; cat ../other/secret.txt' >"$D/out" 2>&1
t_is warm.wall 'git hooks, secrets, other projects' "$(test -e "$W/.git/hooks/pre-commit" || echo none; test -e "$W/.env" || echo none; grep -c CANARY "$D/out")" $'none\nnone\n0'
told()
{
	has_event 'file-create *.git/hooks/pre-commit*'
}
t_check warm.event 'a denial is an event' until_true told
t_is warm.attacks 'no capability, no new privileges, filter, as in a run' \
	"$(b exec one -- grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status)" \
	"$(b run -q -- grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status)"
t_is warm.init 'init cannot be looked into' "$(b exec one -- sh -c 'cat /proc/1/environ 2>&1; readlink /proc/1/exe 2>&1; kill -9 1; kill -STOP 1; echo still')" \
	"$(b run -q -- sh -c 'cat /proc/1/environ 2>&1; readlink /proc/1/exe 2>&1; kill -9 1; kill -STOP 1; echo still')"
t_is warm.after 'and goes on after that' "$(b exec one -- echo on)" on
sessions=$H/.local/state/berm/sessions
t_check warm.socket-there 'the socket is there' test -S "$sessions/one"
t_is warm.socket-mode 'in a folder of the user'\''s alone' "$(stat -c %a "$sessions")" 700
t_is warm.socket-hidden 'no sandbox shows it' "$(b exec one -- ls "$sessions" 2>&1 | grep -c 'No such')" 1
n=0
for o in '--root host' '--home host' '--root host --home host' '--allow-read .local' '--allow-read .local/state'; do
	[[ $o == *allow-read* ]] && o=${o/.local/$H/.local}
	# shellcheck disable=SC2086
	b run -q $o -- /usr/bin/python3 -c "
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
try:
    s.connect('$sessions/one')
    print('CONNECTED')
except OSError as e:
    print('refused')" >"$D/out" 2>&1
	n=$((n + 1))
	t_is "warm.unreachable$n" "nor with ${o/$H\//}" "$(cat "$D/out")" refused
done
b run -q --allow-unix-socket "$sessions/one" -- true 2>"$D/err"
t_is warm.socket-grant 'it cannot be granted' "$? $(grep -c "own sockets are never shown" "$D/err")" '125 1'
b start --owner $$ --sandbox off >/dev/null 2>&1
t_is warm.no-bare 'there is no session without a sandbox' $? 125
begin rules --deny-exec /usr/bin/tac >/dev/null
t_is warm.deny-exec 'a program that a rule denies' "$(b exec rules -- tac README.md 2>/dev/null; echo $?; b exec rules -- cat README.md)" $'126\nhello'
begin reads --deny-read '*.pem' >/dev/null
echo key >"$W/a.pem"
t_is warm.deny-read 'a file that a rule hides' "$(b exec reads -- cat a.pem 2>/dev/null; echo $?; b exec reads -- cat README.md)" $'1\nhello'

# ---- terminals -----------------------------------------------------------------

# term ID TEXT TYPED SCRIPT WANT-GLOB
term()
{
	local id=$1 text=$2 typed=$3 script=$4 want=$5 s=${6:-one} out
	wanted "$id" || return 0
	out=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm timeout 90 /usr/bin/python3 -B "$pty" 33 101 "$typed" \
		"$BERM" exec "$s" -- /bin/bash --norc --noprofile -c "$script" 2>&1)
	# shellcheck disable=SC2053
	if [[ $out == $want ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "$out"
	fi
}

term warm.tty 'a terminal' '' 'test -t 0 && test -t 1 && test -t 2 && echo yes; tty | grep -c pts; echo $TERM' $'*yes\n1\nxterm\nstatus 0*'
term warm.tty-reads 'a terminal while reads are judged' '' 'test -t 0 && tty | grep -c pts' $'*1\nstatus 0*' reads
term warm.tty-size 'the window size' '' 'stty size' $'*33 101\nstatus 0*'
term warm.tty-winch 'a change of it' 'ready winch 40 120' 'trap "stty size; exit 0" WINCH; echo ready; while :; do sleep 0.1; done' $'*40 120\nstatus 0*'
term warm.tty-status 'the exit status' '' 'exit 7' '*status 7*'
term warm.tty-read 'input' 'ready hello\n' 'echo ready; read x; echo "got <$x>"' '*got <hello>*status 0*'
term warm.tty-ctrl-c 'Ctrl-C' 'ready \x03' 'echo ready; sleep 99; echo not-here' '*ready*^C*status @(-2|130)*'
term warm.tty-jobs 'job control of a shell' 'bash- sleep 99 &\n
bash- jobs\n
Running kill -9 %1; until ! jobs -r %1; do :; done; echo go""ne\n
gone exit 3\n' 'exec bash --norc --noprofile -i' '*Running*sleep 99*status 3*'
# One process: a stop between vfork and exec would hold up a shell for ever, bare as well.
term warm.tty-stop 'Ctrl-Z and fg inside' 'bash- perl -e '\''$SIG{CONT} = sub { print "again\\n" }; $| = 1; print "up\\n"; sleep 1 while 1'\''\n
\rup \x1a
Stopped jobs\n
Stopped fg\n
\nagain \x03
bash- exit 4\n' 'exec bash --norc --noprofile -i' '*Stopped*again*status 4*'

# ---- many, and clients that go -------------------------------------------------

for i in {1..20}; do
	(
		b exec one -- sh -c "sleep 0.2; exit $i" >/dev/null 2>&1
		echo $? >"$D/rc.$i"
	) &
done
wait
got=''
for i in {1..20}; do
	got+="$(cat "$D/rc.$i") "
done
t_is warm.parallel 'twenty commands at once' "$got" "$(seq 1 20 | tr '\n' ' ')"
t=$(tag)
b exec one -- sh -c "sleep $t >/dev/null 2>&1 &"
t_check warm.stays 'what was put into the background stays' until_true running "$t"
(cd "$W" && HOME=$H exec "$BERM" exec one -- sh -c "trap '' TERM; sleep ${t}1; sleep 60") &
client=$!
until_true running "${t}1"
t_is warm.active 'a session that runs something is active' "$(state one)" active
kill -9 $client
t_check warm.client-killed 'a killed client'\''s command is killed' until_true gone "${t}1"
t_check warm.idle 'and the session is warm again' until_true is_state one warm
t_check warm.still 'the others stay' running "$t"
(cd "$W" && HOME=$H exec "$BERM" exec one -- sh -c "trap 'exit 9' TERM; sleep ${t}2 & wait") &
client=$!
until_true running "${t}2"
kill -TERM $client
wait $client
t_is warm.forward 'a signal to the client reaches the command' $? 9

# ---- suspend -------------------------------------------------------------------

cat >"$W/tools/count.py" <<'END'
import os, signal, threading, time
for _ in range(3):
    if os.fork() == 0:
        break
def work(n):
    while True:
        open(f"/tmp/count.{os.getpid()}.{n}", "w").write(str(time.monotonic_ns()))
threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
for t in threads:
    t.start()
# one that continues its siblings as often as it can
while True:
    os.kill(0, signal.SIGCONT)
END
counts()
{
	b exec one -- sh -c 'cat /tmp/count.*' 2>/dev/null
}
(T_TIMEOUT=300 b exec one -- /usr/bin/python3 tools/count.py >/dev/null 2>&1) &
b exec one -- sh -c "setsid sleep ${t}3 >/dev/null 2>&1 &"
until_true running "${t}3"
b exec one -- pkill -STOP -f "^sleep ${t}3"
many()
{
	[[ $(b exec one -- sh -c 'ls /tmp/count.* | wc -l') == 8 ]]
}
until_true many
b suspend one
t_is warm.suspend 'suspend' "$? $(state one)" '0 suspended'
# from outside: no thread of the session's, init aside, can go on
threads()
{
	local p
	for p in $(pgrep -f 'tools/count.py|^sleep '"$t"); do
		[[ $(ps -o comm= -p "$p") == @(python3|sleep) ]] && ps -L -o s= -p "$p"
	done | tr -d ' ' | sort -u | tr '\n' ' '
}
t_is warm.suspended 'every thread is stopped' "$(threads)" 'T '
b exec one -- true 2>"$D/err"
t_is warm.suspended-exec 'nothing is begun meanwhile' "$? $(grep -c 'berm resume one' "$D/err")" '125 1'
b suspend one
t_is warm.suspend-again 'a second time is nothing' $? 0
b resume one
t_is warm.resume 'resume' "$? $(state one)" '0 active'
a=$(counts)
moved()
{
	[[ $(counts) != "$a" ]]
}
t_check warm.resumed 'they go on' until_true moved
stopped=$(pgrep -f "^sleep ${t}3")
t_is warm.stay-stopped 'what was stopped before stays so' "$([[ -n $stopped ]] && ps -o s= -p "$stopped")" T
b suspend one && b stop one
t_is warm.stop-suspended 'a suspended session can be stopped' "$? $(state one)" '0 '
t_check warm.stop-all 'and all of it goes' gone "$t"

# ---- the end -------------------------------------------------------------------

t=$(tag)
begin two >/dev/null
b exec two -- sh -c "(trap '' TERM; exec setsid sleep $t) >/dev/null 2>&1 &"
until_true running "$t"
b stop --grace 1 two
t_is warm.stop 'stop ends what ignores SIGTERM' "$? $(running "$t" && echo runs)" '0 '
t_check warm.stop-socket 'nothing is left in the folder' test ! -e "$sessions/two"
begin two >/dev/null
b exec two -- sh -c "sleep $t >/dev/null 2>&1 &"
b exec two -- sleep 99 2>"$D/err" &
client=$!
until_true is_state two active
b stop --now two
wait $client
t_is warm.stop-client 'who waits for a command is told' "$? $(cat "$D/err")" '137 berm: session two ended, and the command with it'
t_is warm.stop-now 'stop --now' "$(running "$t" && echo runs)" ''
b stop two 2>"$D/err"
t_is warm.stop-none 'a session that is not there' "$? $(head -1 "$D/err")" '125 berm: there is no session two'

sleep 99 &
owner=$!
b start --owner $owner --name owned >/dev/null
b exec owned -- sh -c "sleep $t >/dev/null 2>&1 &"
kill $owner
is_gone()
{
	[[ -z $(state owned) ]]
}
t_check warm.owner 'a session ends with its owner' until_true is_gone
t_check warm.owner-all 'and all of it' until_true gone "$t"
T_ENV=()
(cd "$W" && env -i HOME="$H" PATH="$T_PATH" sh -c '"$1" start --name parent >/dev/null; "$1" exec parent true && echo ran' sh "$BERM") >"$D/out" 2>&1
t_is warm.parent 'by default its owner is who started it' "$(cat "$D/out")" ran
parent_gone()
{
	[[ -z $(state parent) ]]
}
t_check warm.parent-ends 'and it ends with that' until_true parent_gone
(cd "$W" && env -i HOME="$H" PATH="$T_PATH" sh -c '"$1" start --keep --name kept >/dev/null; exit 0' sh "$BERM")
t_is warm.keep '--keep: it does not' "$(b exec kept -- echo on)" on
b stop kept
b start --owner 99999999 2>/dev/null
t_is warm.owner-none 'an owner that is not there' $? 125

# ---- names and what killed sessions leave --------------------------------------

begin name >/dev/null
begin name >"$D/out"
t_is warm.clash 'a name that is taken' "$? $(head -1 "$D/out")" '125 berm: there is a session name already'
for n in '' . .. .x -x a/b ../x 'a b' $'a\nb' "$(printf 'x%.0s' {1..64})"; do
	b start --owner $$ "--name=$n" >"$D/out" 2>&1
	rc=$?
	t_is "warm.bad-name-$(printf %s "$n" | md5sum | head -c 6)" 'a bad name' $rc 125
done
b exec ../sessions/name true 2>/dev/null
t_is warm.no-path 'a path is no name' $? 125
name=$(b start --owner $$)
t_is warm.made-up 'a name that is made up' "$([[ $name == w-???????? ]] && b exec "$name" -- echo "works")" works
t_is warm.two 'two sessions in one workspace' "$(b exec "$name" -- sh -c 'echo a >f'; b exec name -- cat f)" a
kill -9 "$(member name warden)"
t_check warm.killed-warden 'a killed warden: the session is gone' until_true is_state name ''
no_socket()
{
	b ls >/dev/null
	[[ ! -e $sessions/name ]]
}
t_check warm.stale 'and its socket, once somebody looked' until_true no_socket
begin name >/dev/null
kill -9 "$(member name warden)"
sleep 0.1
t_is warm.stale-start 'a name that a killed session left is free' "$(begin name)" name
for who in supervisor init; do
	b exec name -- sh -c "sleep $t >/dev/null 2>&1 &"
	until_true running "$t"
	b exec name -- sleep 99 2>/dev/null &
	client=$!
	until_true is_state name active
	kill -9 "$(member name $who)"
	wait $client
	t_is "warm.killed-$who-client" "a killed $who ends the session" $? 137
	t_check "warm.killed-$who" 'and all of it' until_true gone "$t"
	t_check "warm.killed-$who-socket" 'and its socket' until_true test ! -e "$sessions/name"
	begin name >/dev/null
done
kill -9 "$(member name steward)"
t_is warm.killed-steward 'a killed steward: the network is closed, the session goes on' "$(b exec name -- echo on)" on

# ---- bad input -----------------------------------------------------------------

begin input >/dev/null
t_is warm.input 'what is malformed is refused, and the session goes on' "$(timeout 120 /usr/bin/python3 -B "$here/warm_input.py" "$sessions/input" 2>&1; echo $?)" 0
kill -STOP "$(member input warden)"
t_is warm.ls-silent 'a session that does not answer is told' "$(state input)" error
kill -CONT "$(pgrep -f -- '--name input' | head -1)"
for words in 'exec' 'exec one' 'exec nobody true' 'exec --no-such one true' 'stop' 'stop --all one' 'stop --grace x one' 'suspend' 'resume nobody' 'ls x' 'start x'; do
	# shellcheck disable=SC2086
	b $words >/dev/null 2>"$D/err"
	t_is "warm.usage-${words// /-}" "berm $words is an error" "$? $(($(grep -c '^berm: ' "$D/err") > 0))" "125 1"
done

b stop --all --now
t_is warm.stop-all-sessions 'stop --all' "$(b ls -q; ls "$sessions")" ''
drop "$D"
done_testing
