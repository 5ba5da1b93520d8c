# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Limits of resources: each ends the command, not the host, and says which one it was (SPEC P3).
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

# told REASON LIMIT VALUE: the events have the end and what brought it about.
told()
{
	grep -q "\"event\":\"killed\",\"reason\":\"$1\",\"limit\":\"$2\",\"value\":$3,\"origin\":\"command line\"" "$EV"
}

# ended ID TEXT RC REASON LIMIT VALUE: of the last run.
ended()
{
	local id=$1 text=$2 rc=$3 reason=$4 limit=$5 value=$6
	if [[ $RC != "$rc" ]]; then
		t_fail "$id" "$text" "status $RC, not $rc" "$OUT"
	elif ! told "$reason" "$limit" "$value"; then
		t_fail "$id" "$text" 'no event' "$(cat "$EV")"
	elif [[ $OUT != *"berm: killed: "*"limit $limit="*"(command line)"*"--limit $limit="* ]]; then
		t_fail "$id" "$text" 'no sentence' "$OUT"
	else
		t_ok "$id" "$text"
	fi
}

# of LIMIT: its value, as the policy has it.
of()
{
	(cd "$W" && env -i HOME="$H" PATH="$T_PATH" "$BERM" explain --json) |
		grep -o "\"limit\":\"$1\",\"value\":[0-9]*" | grep -o '[0-9]*$'
}

fresh
for l in pids files memory disk; do
	t_check "limits.default-$l" "a limit of $l holds though nobody asked ($(of $l))" test "$(of $l)" -gt 0
done
run_in 'exec bash -c "ulimit -Hu; ulimit -Hn"'
t_is limits.default-held 'processes and open files, by the kernel' "$OUT" "@ran"$'\n'"$(of pids)"$'\n'"$(of files)"
run_in 'exec bash -c "ulimit -Hu; ulimit -Hn"' --limit pids=none --limit files=none
t_is limits.none 'none is as without berm' "$OUT" "@ran"$'\n'"$(ulimit -Hu)"$'\n'"$(ulimit -Hn)"

# ---- time
t0=$(date +%s%N)
run_in 'sleep 99' --limit time=1
t_check limits.time-soon "in time ($((($(date +%s%N) - t0) / 1000000)) ms)" test $((($(date +%s%N) - t0) / 1000000)) -lt 9000
ended limits.time 'a command that sleeps' 124 timeout time 1
run_in 'trap "" TERM; (trap "" TERM; exec sleep 98.5) & setsid sleep 97.5 & wait; wait; sleep 96.5' --limit time=1
ended limits.time-ignored 'one that ignores SIGTERM, with children' 124 timeout time 1
t_check limits.time-gone 'nothing of it is left' test -z "$(pgrep -f '^sleep 9[678].5$')"
run_in 'trap "echo bye; exit 3" TERM; sleep 99 & wait' --limit time=1
t_check limits.time-graceful 'one that cleans up is let' test "${OUT//bye/}" != "$OUT"
t_is limits.time-graceful-status 'and its status says that time was over' "$RC" 124
run_in 'exit 5' --limit time=50
t_is limits.time-within 'within its time: its own status' "$RC" 5
t_check limits.time-quiet 'and nothing is said' test "$OUT" = @ran

# ---- processes
bomb='exec /usr/bin/python3 -c "
import os, time
while True:
    try:
        if os.fork() == 0:
            time.sleep(0.01)
    except OSError:
        time.sleep(0.01)
"'
if as_root; then
	# By a control group, or looked at: either way it does not go on.
	run_in "$bomb" --limit pids=100
	ended limits.pids-bomb-root 'a fork bomb of root' 137 pids pids 100
else
	run_in "$bomb" --limit pids=100
	ended limits.pids-bomb-ends 'a fork bomb that lives on its limit is ended' 137 pids pids 100
	run_in 'i=0; while [ $i -lt 60 ]; do sleep 30 & i=$((i+1)); done; echo all' --limit pids=40
	t_check limits.pids 'a process too many is refused' test "${OUT/all/}" = "$OUT"
	run_in 'bash -c ":(){ :|:& };:" 2>/dev/null; sleep 1; echo still' --limit pids=64
	t_check limits.pids-bomb 'a fork bomb meets a wall, its shell goes on' test "${OUT/still/}" != "$OUT"
	run_in 'exec /usr/bin/python3 -c "
import os, time
n = 0
try:
    while n < 500:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        n += 1
except OSError as e:
    print(n, e.errno)
"' --limit pids=50
	t_check limits.pids-count "the number is exact, and init counts (${OUT#*$'\n'})" test "${OUT#*$'\n'}" = '48 11'
fi

# ---- memory
# how LIMIT: by what it is held, as the events say.
how()
{
	grep -o "\"limit\":\"$1\",\"value\":[0-9]*,\"held_by\":\"[a-z]*\"" "$EV" | grep -o '[a-z]*"$' | tr -d '"'
}
groups=''
run_in 'true' --limit memory=200m
case $(how memory) in
cgroup) groups=yes ;;
watch) t_check limits.memory-weak 'what is only watched is said to be' test "${OUT//not held by the kernel/}" != "$OUT" ;;
*) t_fail limits.memory-how 'by what memory is held' "$(cat "$EV")" ;;
esac
hog='x = []
while True:
    x.append(bytearray(b"x" * (1 << 20)))'
run_in "exec /usr/bin/python3 -c '$hog'" --limit memory=200m
ended limits.memory "a hog of memory ($(how memory))" 137 oom memory $((200 << 20))
run_in 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do /usr/bin/python3 -c "import time
x = bytearray(b\"x\" * (25 << 20)); time.sleep(60)" & done; wait; sleep 60' --limit memory=200m
ended limits.memory-many 'many small ones together' 137 oom memory $((200 << 20))
run_in 'exec /usr/bin/python3 -c "
import mmap, time
m = mmap.mmap(-1, 400 << 20)
for i in range(0, 400 << 20, 4096): m[i] = 1
time.sleep(60)"' --limit memory=200m
ended limits.memory-shared 'memory that is shared' 137 oom memory $((200 << 20))
run_in 'exec /usr/bin/python3 -c "
import os, time
x = bytearray(b\"x\" * (60 << 20))
for i in range(8):
    if os.fork() == 0:
        time.sleep(1.5)
        os._exit(0)
for i in range(8): os.wait()
print(len(x) >> 20)"' --limit memory=200m
t_check limits.memory-forks 'pages that children share count once' test "${OUT//60/}" != "$OUT" -a "$RC" = 0
t_check limits.memory-leftover 'no group is left' test -z "$(find /sys/fs/cgroup -maxdepth 6 -name "berm-*" -user "$(id -u)" 2>/dev/null | while read -r g; do p=${g##*/berm-}; kill -0 "${p%.self}" 2>/dev/null || echo "$g"; done)"

# ---- processor time
if [[ $groups ]]; then
	run_in 'exec /usr/bin/python3 -c "
import time
t = time.monotonic()
while time.monotonic() - t < 3: pass
print(round(time.process_time() * 10))"' --limit cpu=20%
	t_check limits.cpu "a fifth of a processor (${OUT#*$'\n'} of 30)" test "$RC" = 0 -a "${OUT#*$'\n'}" -le 9
	t_is limits.cpu-how 'by a control group' "$(how cpu)" cgroup
else
	run_in 'true' --limit cpu=20%
	t_check limits.cpu 'what cannot be held is refused, with a way out' \
		test "$RC" = 125 -a "${OUT//cannot hold the limit cpu=20%*systemd-run/}" != "$OUT"
fi

# ---- open files
run_in 'exec /usr/bin/python3 -c "
import os
n = 0
try:
    while True:
        os.dup(0)
        n += 1
except OSError as e:
    print(n + 3, e.errno)
"' --limit files=200
t_is limits.files 'a hog of descriptors' "$OUT" $'@ran\n200 24'

# ---- disk
run_in 'for f in /tmp/a /var/tmp/b /dev/shm/c /tmp/d; do head -c 3m /dev/zero >$f 2>/dev/null; done; cat /tmp/a /var/tmp/b /dev/shm/c /tmp/d | wc -c' --limit disk=5m
t_is limits.disk 'the private places together' "$OUT" $'@ran\n5242880'
run_in 'head -c 3m /dev/zero >/tmp/a && ls -l /tmp/a | wc -l' --limit disk=5m
t_is limits.disk-within 'within the limit nothing is in the way' "$OUT" $'@ran\n1'

# ---- what cannot be
refused()
{
	local id=$1 text=$2 want=$3
	shift 3
	run_in 'true' "$@"
	# shellcheck disable=SC2053
	if [[ $RC == 125 && $OUT == $want && $OUT != *@ran* ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "status $RC" "$OUT"
	fi
}
refused limits.typo 'a key with a typing error' $'berm: there is no limit "pidz"\nberm: did you mean "pids"?' --limit pidz=100
refused limits.small 'a limit in which nothing could run' $'*"1" is too small\nberm: at least 8' --limit pids=1
refused limits.higher 'more than berm itself may' $'berm: cannot hold the limit files=9999999999: *\nberm: *--limit files=none*' --limit files=9999999999

# ---- settings
mkdir -p "$W/.berm"
printf '{\n"limits": { "time": "1s", "pids": 9999999, "files": "none" }\n}\n' >"$W/.berm/policy.json"
run_in 'sleep 99'
t_is limits.project "a project's file lowers" "$RC" 124
t_check limits.project-where 'and the sentence names it' test "${OUT/policy.json:2)/}" != "$OUT"
run_in 'exec bash -c "ulimit -Hu; ulimit -Hn"'
t_is limits.project-raise 'and does not raise' "$OUT" "@ran"$'\n'"$(of pids)"$'\n'"$(of files)"
rm -r "$W/.berm"

# ---- output
run_in 'yes' --limit output=100k
ended limits.output 'a command that writes for ever' 137 output output 102400
t_is limits.output-exact 'all that is within it comes out, and no more' "$(grep -c '^y$' <<<"${OUT%%berm:*}")" $(((102400 - 5 + 1) / 2))
run_in 'head -c 102395 /dev/zero | tr "\0" x; printf x >&2' --limit output=102401
t_is limits.output-within 'to the last byte, both streams together' "$RC ${#OUT}" "0 102401"
run_in 'printf a; printf b >&2; printf c; printf d >&2; printf "e\n"' --limit output=1m
t_is limits.output-order 'one stream stays one' "$OUT" $'@ran\nabcde'
T_STDIN='' run_in 'yes | head -c 300000; exit 4' --limit output=none
t_is limits.output-none 'none' "$RC ${#OUT}" '4 300004'
slow()
{
	(cd "$W" && env -i HOME="$H" PATH="$T_PATH" timeout -k 1 "$T_TIMEOUT" "$BERM" run -q -w "$W" --limit output=1m -- \
		sh -c 'head -c 200000 /dev/zero; echo end >&2' 2>"$D/err") | { sleep 1; wc -c; }
}
t_is limits.output-slow 'a reader that takes its time gets all' "$(slow) $(<"$D/err")" '200000 end'
t_is limits.output-gone 'a reader that goes: SIGPIPE as ever' "$(
	(cd "$W" && env -i HOME="$H" PATH="$T_PATH" timeout -k 1 "$T_TIMEOUT" "$BERM" run -q -w "$W" --limit output=1g -- yes
		echo "$?" >"$D/rc") | head -n 1
) $(<"$D/rc")" 'y 141'
run_words --limit output=64k -- /usr/bin/python3 -c 'import pty, sys; sys.exit(pty.spawn(["yes"]) >> 8)'
t_is limits.output-pty 'a terminal of its own counts where it comes out' "$RC" 137
OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=xterm timeout 60 /usr/bin/python3 -B "$(dirname "$0")/term.py" 24 80 '' \
	"$BERM" run -w "$W" --limit output=64k -- yes 2>&1)
t_check limits.output-terminal "and the user's terminal" test "${OUT/killed: it wrote more output than the limit output=64k/}" != "$OUT"
OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" "$BERM" start --owner $$ --name loud --limit output=1m 2>&1)
t_check limits.output-warm 'of a session it is refused, with a way out' test "${OUT/berm run --limit output=SIZE/}" != "$OUT"

# ---- warm sessions
b()
{
	(cd "$W" && exec env -i HOME="$H" PATH="$T_PATH" TERM=dumb LC_ALL=C.UTF-8 timeout -k 1 "$T_TIMEOUT" "$BERM" "$@" 2>&1)
}
EV=$D/warm-events
b start --owner $$ --name timed --limit time=1 --events "$EV" >/dev/null
OUT=$(b exec timed -- sh -c 'trap "" TERM; sleep 99 & wait; sleep 99')
t_is limits.warm-time 'the time is of each command' "$?" 124
t_is limits.warm-time-said 'and the client is told' "$OUT" 'berm: killed: session timed has reached its limit of time'
t_check limits.warm-time-event 'and the events' told timeout time 1
t_is limits.warm-lives 'the session goes on' "$(b exec timed -- echo on)" on
b stop timed
b start --owner $$ --name small --limit memory=150m --events "$EV" >/dev/null
OUT=$(b exec small -- /usr/bin/python3 -c "$hog")
t_is limits.warm-memory 'memory is of the session as a whole' "$?" 137
t_is limits.warm-memory-said 'and the client is told' "$OUT" 'berm: killed: session small has reached its limit of memory'
drop "$D"
done_testing
