# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# A shell, its pipes, its signals and its bytes, exactly as without berm (SPEC P5).
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

for rc in 0 1 2 42 124 125 126 127 128 254 255; do
	works "basics.status-$rc" "exit status $rc" do="exit $rc" rc=$rc
done
for sig in HUP INT QUIT TERM KILL USR1 SEGV ABRT PIPE; do
	n=$(kill -l $sig)
	# the caller sees 128+n; bare, timeout(1) stands between
	works "basics.signal-$sig" "the command is killed by SIG$sig" do="sh -c 'kill -$sig \$\$; sleep 1'; exit \$?" \
		rc=$((128 + n)) same=no
	if wanted "basics.killed-$sig"; then
		fresh
		(cd "$W" && HOME=$H exec env --default-signal "$BERM" run -q -w "$W" -- sh -c "kill -$sig \$\$; sleep 1") >/dev/null 2>&1
		t_is "basics.killed-$sig" "SIG$sig of the command itself is status 128+n" "$?" $((128 + n))
		drop "$D"
	fi
done

rows basics <<'LIST'
pipe|a pipe|printf 'b\na\n' ¦ sort ¦ tr '\n' ,|
pipe-status|status of a pipe|bash -c 'set -o pipefail; false ¦ true; echo $?'|
sigpipe|SIGPIPE ends a writer|yes ¦ head -2; echo done|
and-or|lists|true && echo a; false ¦¦ echo b|
here-string|a here-string|bash -c 'cat <<<hello'|
procsub|process substitution|bash -c 'diff <(echo a) <(echo b)'; echo $?|
procsub-out|process substitution for output|bash -c 'echo x ¦ tee >(cat >side) >/dev/null; for i in {1..200}; do [ -s side ] && break; sleep 0.05; done; cat side'|
background|a background job is waited for|(sleep 0.05; echo late) & wait; echo after|
wait-status|its status|(exit 7) & wait $!; echo $?|
trap|a trap|trap 'echo caught' USR1; kill -USR1 $$; sleep 0.05; echo on|
trap-exit|an exit trap|(trap 'echo bye' EXIT; exit 3); echo $?|
subshell|a subshell|(cd src; pwd; exit 3); echo $? $(pwd)|
stderr|standard error|echo out; echo err >&2|
fd3|further descriptors|exec 3>f; echo x >&3; exec 3>&-; cat f|
noclobber|set -C|set -C; echo a >f; (echo b >f) 2>/dev/null; echo $?; cat f|
umask|the umask is the caller's|umask; touch f; stat -c %a f|
umask-set|umask 077|umask 077; touch f; mkdir d; stat -c %a f d|
umask-000|umask 000|umask 0; touch f; mkdir d; stat -c %a f d|
umask-mixed|two umasks at once|(umask 077; sleep 0.02; touch a) & touch b; wait; stat -c %a a b|
cwd|the work directory|pwd; cd src; pwd; ls|
mktemp|mktemp and mktemp -d|f=$(mktemp); d=$(mktemp -d); echo x >$f; cat $f; ls -d $d ¦ wc -l; rm -r $f $d|
tmp|/tmp|echo x >/tmp/berm-x-$$; cat /tmp/berm-x-$$; rm /tmp/berm-x-$$|
var-tmp|/var/tmp|echo x >/var/tmp/berm-x-$$; cat /var/tmp/berm-x-$$; rm /var/tmp/berm-x-$$|
shm|/dev/shm|echo x >/dev/shm/berm-x-$$; cat /dev/shm/berm-x-$$; rm /dev/shm/berm-x-$$|
home|HOME is writable|mkdir -p $HOME/.cache/x; echo x >$HOME/.cache/x/f; cat $HOME/.cache/x/f|
id|the user|id -u; id -g; whoami|
null|/dev/null, zero, full|echo x >/dev/null; head -c 3 /dev/zero ¦ od -An -c; (echo x >/dev/full) 2>&1 ¦ grep -o 'No space'; echo x 2>>/dev/null|
random|/dev/urandom|head -c 16 /dev/urandom ¦ wc -c; head -c 4 /dev/random ¦ wc -c|
dev-fd|/dev/fd and /dev/stdin|echo a ¦ cat /dev/fd/0; echo b ¦ cat /dev/stdin; echo c >/dev/stdout; echo d >/dev/stderr|
tee|tee to /dev/stderr|echo x ¦ tee /dev/stderr|
closed-stdin|a closed standard input|exec <&-; cat 2>/dev/null; echo $?|
closed-stdout|a closed standard output|(exec >&-; echo x 2>/dev/null; true); echo still|
timeout|timeout(1)|timeout 0.1 sleep 5; echo $?|
nice|nice|nice -n 5 nice|
nohup|nohup|nohup echo x 2>/dev/null|
ulimit|ulimit|ulimit -n 64; ulimit -n|
exec|exec|exec echo x|
time|date and sleep|a=$(date +%s); sleep 0.1; b=$(date +%s); [ $((b - a)) -le 2 ]; echo $?|
xargs|xargs|seq 1 100 ¦ xargs -n 7 echo ¦ wc -l|
find-exec|find -exec|find . -name '*.c' -exec grep -c main {} +|
awk|awk, sed, sort, uniq|seq 1 50 ¦ awk '{print $1 % 7}' ¦ sort -n ¦ uniq -c ¦ sed 's/^ *//'|
sed-i|sed -i|sed -i s/hello/goodbye/ README.md; cat README.md|
perl-i|perl -pi|perl -pi -e 's/hello/bye/' README.md; cat README.md|
ps|ps sees the sandbox|ps -o args= -p $$ ¦ cut -c1-7|
proc|/proc/self|cat /proc/self/comm; readlink /proc/self/cwd; tr '\0' ' ' </proc/self/cmdline ¦ cut -c1-4|
proc-cpu|/proc/cpuinfo, meminfo, version|grep -c ^processor /proc/cpuinfo; grep -c MemTotal /proc/meminfo; nproc|
passwd|the user database|getent passwd $(id -u) ¦ cut -d: -f3; getent passwd root ¦ cut -d: -f1|
locale|locale|LC_ALL=C.UTF-8 printf 'é' ¦ wc -m|
tz|time zones|TZ=Europe/Berlin date -d @0 +%H|
hosts|localhost has an address|getent hosts localhost ¦ wc -l ¦ grep -qv '^0'; echo $?|
jobs|kill a job|sleep 5 & kill $!; wait $! 2>/dev/null; echo $?|
killgroup|kill a process group|bash -mc 'sleep 5 & kill -- -$!; wait $!; echo $?' 2>/dev/null|
stop-cont|stop and continue|sleep 0.2 & kill -STOP $!; kill -CONT $!; wait $!; echo $?|
setsid|setsid|setsid -w sh -c 'echo x'|
flock|flock|flock l sh -c 'flock -n l true; echo $?'|
sudo-free|sudo says no by itself|sudo -n true >/dev/null 2>&1; [ $? -ne 0 ] ¦¦ [ $(id -u) = 0 ]; echo $?|
LIST

works basics.here-doc 'a here-document' do='cat <<E
line $((1+1))
E'

# Bytes, in and out.
works basics.stdin 'standard input is the caller'"'"'s' stdin='$W/README.md' do='cat; cat' 
works basics.stdin-seek 'and is still seekable' stdin='$W/README.md' do='head -c 2; echo; head -c 2'
works basics.stdin-lines 'read takes what it needs and no more' setup='seq 1 5 >n' stdin='$W/n' do='read a; read b; echo $b; cat'
works basics.unread-stdin 'a command that does not read its input' setup='seq 1 100000 >n' stdin='$W/n' do='echo x'

if wanted basics.bytes; then
	fresh
	head -c 10485760 /dev/urandom >"$D/blob"
	# shellcheck disable=SC2002 # a pipe, not a file
	cat "$D/blob" | (cd "$W" && HOME=$H "$BERM" run -w "$W" -- cat) >"$D/out" 2>"$D/err"
	t_check basics.bytes '10 MB of random bytes through cat' cmp -s "$D/blob" "$D/out"
	t_check basics.bytes-stderr 'and nothing on standard error' test ! -s "$D/err"
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- cat <"$D/blob") >"$D/out"
	t_check basics.bytes-file '10 MB from a file' cmp -s "$D/blob" "$D/out"
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- sh -c 'cat >&2' <"$D/blob") 2>"$D/out" >"$D/err"
	t_check basics.bytes-err '10 MB to standard error' cmp -s "$D/blob" "$D/out"
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- sh -c 'echo a; echo b >&2; printf c; printf d >&2') >"$D/out" 2>"$D/err"
	t_is basics.streams-out 'the streams stay apart: out' "$(xxd -p "$D/out")" 610a63
	t_is basics.streams-err 'the streams stay apart: err' "$(xxd -p "$D/err")" 620a64
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- sh -c 'echo x') >>"$D/out" 2>"$D/err"
	t_is basics.append 'output that is appended' "$(tail -c 2 "$D/out")" x
	n=$(cd "$W" && HOME=$H "$BERM" run -w "$W" -- yes | head -c 1000000 | wc -c)
	t_is basics.reader-leaves 'a reader that leaves early ends the command' "$n" 1000000
	drop "$D"
fi
if wanted basics.args; then
	fresh
	# shellcheck disable=SC1003 # a backslash is one of the words
	args=('a b' '' '*' '$HOME' "it's" '"q"' $'new\nline' $'tab\t' '-w' '--' 'ü' $'\xff\xfe' '\' '!!' '#')
	want=$(printf '<%s>' "${args[@]}" | xxd -p)
	got=$(cd "$W" && HOME=$H "$BERM" run -w "$W" -- printf '<%s>' "${args[@]}" | xxd -p)
	t_is basics.args 'arguments arrive as they are' "$got" "$want"
	got=$(cd "$W" && HOME=$H "$BERM" run -w "$W" sh -c 'echo "$0 $*"' -- -q --net x)
	t_is basics.args-after-command 'options after the command are the command'"'"'s' "$got" '-- -q --net x'
	big=$(head -c 100000 /dev/zero | tr '\0' a)
	got=$(cd "$W" && HOME=$H "$BERM" run -w "$W" -- sh -c 'printf %s "$1" | wc -c' - "$big")
	t_is basics.args-long 'an argument of 100,000 bytes' "$got" 100000
	got=$(cd "$W" && HOME=$H "$BERM" run -w "$W" -- sh -c 'echo $#' - $(seq 1 20000))
	t_is basics.args-many '20,000 arguments' "$got" 20000
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- ./no-such) >"$D/out" 2>&1
	t_is basics.not-found 'a command that is not there: 127' "$?" 127
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- no-such-command-in-path) >"$D/out" 2>&1
	t_is basics.not-found-path 'nor in PATH: 127' "$?" 127
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- ./README.md) >"$D/out" 2>&1
	t_is basics.not-executable 'one that is not executable: 126' "$?" 126
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- ./src) >"$D/out" 2>&1
	t_is basics.directory 'a directory: 126' "$?" 126
	(cd "$W" && HOME=$H "$BERM" run -w "$W" -- "$W/tools/attack" list) >"$D/out" 2>&1
	t_is basics.absolute 'a program of the workspace by its path' "$?" 0
	drop "$D"
fi
if wanted basics.reaped; then
	fresh
	run_in 'i=0; while [ $i -lt 300 ]; do (exit 0) & i=$((i+1)); done; wait; sh -c "sleep 0.05; exit 1" & sleep 0.15; sh -c "(sleep 0.02 &)"; sleep 0.1; ps -e -o stat= | grep -c ^Z'
	t_is basics.reaped 'children and orphans are reaped' "$OUT${RC#1}" $'@ran\n0'
	drop "$D"
fi
# Signals to berm reach the command and give it time.
for sig in TERM INT HUP; do
	wanted "basics.forward-$sig" || continue
	fresh
	(cd "$W" && HOME=$H exec env --default-signal "$BERM" run -w "$W" -- \
		sh -c 'trap "echo got; sleep 0.2; echo done; exit 9" '"$sig"'; touch up; while :; do sleep 0.05; done') \
		>"$D/out" 2>&1 &
	pid=$!
	for _ in {1..100}; do
		[[ -e $W/up ]] && break
		sleep 0.03
	done
	sleep 0.05
	kill "-$sig" $pid
	wait $pid
	t_is "basics.forward-$sig" "SIG$sig to berm reaches the command, which may clean up" "$? $(grep -v Hangup "$D/out" | tr '\n' ' ')" '9 got done '
	drop "$D"
done

done_testing
