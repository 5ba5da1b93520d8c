# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The tier without namespaces (SPEC B8, docs/tiers.md): what it holds by Landlock and the
# supervisor alone, what it refuses by name, and that nothing of it stays.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

T_CAPS=userns
fresh

# in_it ID TEXT WANTED SCRIPT [OPTION...]: what SCRIPT prints inside.
in_it()
{
	local id=$1 text=$2 want=$3 script=$4
	shift 4
	run_in "$script" "$@"
	t_is "flat.$id" "$text" "$(sed '0,/^@ran$/d' <<<"$OUT" | grep -v '^berm: ')" "$want"
}

# ---- what it cannot hold is refused, by name ---------------------------------

while IFS='|' read -r id options words; do
	# shellcheck disable=SC2086
	run_in 'echo x >made' $options
	t_is "flat.refused.$id" "$options does not start" "$RC $(test -e "$W/made" && echo made)" '125 '
	t_check "flat.refused.$id.name" "$options is named" grep -qF -- "(tier landlock), which cannot hold $words" <<<"$OUT"
	t_check "flat.refused.$id.fix" "$options: and what to do" test "$(grep -c '^berm: ' <<<"$OUT")" = 2
done <<'LIST'
domain|--allow-domain example.com|"allow-domain example.com" (command line
open|--net open|--net open
publish|--publish 8080|"publish" (command line
port|--host-port 5432|"host-port" (command line
pids|--limit pids=50|the limit "pids" (command line
disk|--limit disk=50m|the limit "disk" (command line
home|--home host|--home host
empty|--home empty|--home empty
root|--root host|--root host
LIST
mkdir -p "$H/.config/berm"
echo '{"exec": {"deny_writable": true}}' >"$D/exec.json"
run_in 'echo x >made' --policy "$D/exec.json"
t_check flat.refused.exec 'exec: deny-writable' grep -q '^berm: .*which cannot hold exec: deny-writable' <<<"$OUT"
OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" "$BERM" start --test-cap userns --tier landlock -w "$W" 2>&1 </dev/null)
t_check flat.refused.warm 'a warm session' grep -q '^berm: .*cannot hold a warm session' <<<"$OUT"
run_in 'echo x >made' -w "$H"
t_is flat.refused.home-root 'the home as a workspace' "$RC" 125

# ---- files -------------------------------------------------------------------

in_it works 'workspace, home, TMPDIR and devices work' 'x y z devices' 'echo x >made; echo y >~/own; t=$(mktemp) && echo z >"$t"; cat made ~/own "$t" | tr "\n" " "; : </dev/null >/dev/null && echo devices'
t_check flat.network-told 'that the network is closed is told' grep -q '"event":"degraded","what":"network"' "$EV"

echo CANARY >"$W/a.secret"
ln -s a.secret "$W/link"
in_it deny-read 'a rule that hides a file from reading holds' '' 'cat a.secret link /proc/self/cwd/a.secret 2>/dev/null; ls >/dev/null; cp a.secret b 2>/dev/null' --deny-read '*.secret'
t_check flat.deny-read.event 'and is told' has_event 'file-read */a.secret *'
rm -f "$W/a.secret" "$W/link"

out=$D/outside
mkdir -p "$out/dir"
echo CANARY >"$out/file"
ln -s "$out/file" "$W/to-file"
ln -s /proc/self/environ "$W/to-environ"
T_ENV=(T_CANARY=CANARY)
in_it content 'nothing outside is read' '' "cat '$out/file' to-file /proc/self/root'$out/file' 2>/dev/null; cp -r '$out' got 2>/dev/null; cat to-environ /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep CANARY"
in_it looking 'nor looked at' 'no' "stat '$out/file' to-file/ '$out'/../outside/file 2>/dev/null; ls -d '$out'/* 2>/dev/null; readlink '$out/dir/../x' 2>/dev/null; cd '$out' 2>/dev/null && pwd; test -e '$out/file' || echo no"
in_it own-link 'a link in the workspace can be looked at' "$out/file" 'readlink to-file'
T_ENV=()

py=/usr/bin/python3
if [[ ! -x $py ]]; then
	t_skip flat.calls 'each call that looks' 'python3 is not installed'
else
	$py -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$D/sock"
	run_in 'echo x >made' --allow-unix-socket "$D/sock"
	t_check flat.refused.socket 'a unix socket of the host' grep -q 'which cannot hold unix sockets of the host' <<<"$OUT"
	cat >"$W/look.py" <<'PY'
import os, sys, ctypes
p = sys.argv[1].encode()
libc = ctypes.CDLL(None, use_errno=True)
buf = ctypes.create_string_buffer(4096)
def call(name, *args):
    f = getattr(libc, name)
    if f(*args) >= 0:
        print(name, "went through")
fd = libc.inotify_init()
d = os.open("/", os.O_PATH)
call("open", p, 0)
call("open", p, os.O_PATH)
call("open", p, 3)
call("openat", d, p[1:], 0)
call("access", p, 0)
call("faccessat", d, p[1:], 4, 0)
call("stat", p, buf)
call("lstat", p, buf)
call("fstatat", d, p[1:], buf, 0)
call("statx", d, p[1:], 0, 0xfff, buf)
call("statfs", p, buf)
call("getxattr", p, b"user.x", buf, 100)
call("lgetxattr", p, b"user.x", buf, 100)
call("listxattr", p, buf, 100)
call("llistxattr", p, buf, 100)
call("inotify_add_watch", fd, p, 0xfff)
call("name_to_handle_at", d, p[1:], buf, buf, 0)
call("truncate", p, 0)
call("chmod", p, 0o777)
how = ctypes.create_string_buffer(24)
call("syscall", ctypes.c_long(437), d, p[1:], how, ctypes.c_long(24)) # openat2
PY
	in_it calls 'no call that looks finds it' '' "$py look.py '$out/file'"
	t_check flat.calls.kept 'nor changed it' test "$(cat "$out/file")" = CANARY -a ! -x "$out/file"
	in_it calls.control 'which find what is there' "$(printf '%s went through\n' open open open openat access faccessat stat lstat fstatat statx statfs listxattr llistxattr inotify_add_watch truncate chmod syscall)" "touch here; $py look.py \$PWD/here 2>/dev/null"

	# A file that was opened for reading, and is its user's: no mount says that it is read-only.
	echo shown >"$out/shown"
	chmod 640 "$out/shown"
	touch -d 2001-01-01 "$out/shown"
	remember "$out/shown"
	in_it metadata 'what is only shown is not changed through an open descriptor' 'shown
PermissionError PermissionError PermissionError PermissionError' "cat '$out/shown'; $py -c '
import os
f = os.open(\"$out/shown\", os.O_RDONLY)
def t(call, *a):
    try:
        call(*a)
        return \"done\"
    except OSError as e:
        return type(e).__name__
print(t(os.fchmod, f, 0o666), t(os.utime, f), t(os.fchown, f, os.getuid(), os.getgid()), t(os.setxattr, f, \"user.x\", b\"y\"))'" --allow-read "$out/shown"
	t_check flat.metadata.kept 'it is as before' test "$(facts "$out/shown")" = "$(cat "$D/facts")"
fi
in_it hardlink 'no second name is given to it' '' "ln '$out/file' own 2>/dev/null && cat own; mv '$out/file' own 2>/dev/null; cat own 2>/dev/null"
if as_root; then
	in_it hidden 'what is hidden in a folder that is shown is not there, the rest is' 'shown' 'cat /etc/shadow 2>/dev/null; stat /etc/shadow 2>/dev/null; test -s /etc/passwd && ls /etc >/dev/null && echo shown'
else
	t_skip flat.hidden 'what is hidden in a folder that is shown is not there' 'a user could not read it anyhow'
fi

# ---- processes ---------------------------------------------------------------

sleep 300 &
other=$!
stat=$(cut -d' ' -f18-19 "/proc/$other/stat")
limits=$(cat "/proc/$other/limits")
in_it others 'no process outside is signalled, slowed, limited or seen' '' "kill -9 $other 2>/dev/null; kill -9 -1 2>/dev/null; exec 2>/dev/null; renice 19 $other; renice -n 19 -u \$(id -u); taskset -p 1 $other >/dev/null; prlimit --pid $other --cpu=1; ionice -c 3 -p $other; cat /proc/$other/cmdline /proc/$other/comm /proc/$PPID/cmdline; ls /proc/$other /proc/$other/fd; readlink /proc/$other/cwd; ps -o pid= -p $other"
t_is flat.others.kept 'it is as before' "$(cut -d' ' -f18-19 "/proc/$other/stat") $(cat "/proc/$other/limits")" "$stat $limits"
kill $other
wait $other 2>/dev/null
in_it ps 'the own ones are' 'sh' 'ps -o comm= -p $$'
in_it ipc 'no System V IPC of the host' '' 'ipcmk -Q 2>/dev/null; ipcmk -M 100 2>/dev/null; ipcs -q 2>/dev/null | grep 0x'
[[ ! -x $py ]] || in_it abstract 'no abstract socket name of the host is taken' 'PermissionError PermissionError' "$py -c '
import socket
def t(call, *a):
    try:
        call(*a)
        return \"done\"
    except OSError as e:
        return type(e).__name__
a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
print(t(a.bind, \"\0berm-test\"), t(b.connect, \"\0berm-test\"))'"
in_it inner 'a berm inside starts nothing' '125' "'$BERM' run -- touch inner >/dev/null 2>&1; echo \$? \$(ls inner 2>/dev/null)"
in_it proc 'of /proc what is not of other processes' 'yes' 'cat /proc/keys /proc/net/tcp /proc/self/net/tcp /proc/1/comm 2>/dev/null; grep -q MemTotal /proc/meminfo && grep -q stack /proc/self/maps && test -n "$(readlink /proc/self/exe)" && echo yes'
in_it network 'no connection, by no way' '' 'exec 2>/dev/null; (exec 3<>/dev/tcp/127.0.0.1/22) && echo out; bash -c "exec 3<>/dev/tcp/127.0.0.1/22" && echo out; bash -c "exec 3<>/dev/udp/127.0.0.1/53" && echo out; getent hosts example.com'

# ---- the end -----------------------------------------------------------------

# left TAG: processes of the session that are still there, after a moment.
left()
{
	for _ in $(seq 100); do
		pgrep -f "^sleep $1" >/dev/null || return 1
		sleep 0.05
	done
	pgrep -af "^sleep $1"
}

tag=7$RANDOM$RANDOM
run_in "git config user.name x; (setsid sleep ${tag}1 &); nohup sleep ${tag}2 >/dev/null 2>&1 & (sleep ${tag}3 &); echo begun"
t_check flat.end.soon 'in time' test "$RC" = 0
t_check flat.end 'daemons end with the session' test -z "$(left $tag)"

# Every process of berm, one after the other: the supervisor is a child of the first, ...
for victim in warden supervisor init guard; do
	tag=7$RANDOM$RANDOM
	(cd "$W" && exec env -i HOME="$H" PATH="$T_PATH" "$BERM" run -q -w "$W" --test-cap userns --tier landlock -- \
		sh -c "(setsid sleep ${tag}1 &); sleep ${tag}2" >/dev/null 2>&1 </dev/null) &
	warden=$!
	for _ in $(seq 200); do
		(($(pgrep -fc "^sleep $tag") == 2)) && break
		sleep 0.05
	done
	supervisor=$(pgrep -P $warden)
	init=$(pgrep -P "$supervisor")
	guard=$(pgrep -P "$init" -x berm-guard)
	t_check "flat.killed.$victim.runs" 'the session runs' test "$(pgrep -fc "^sleep $tag")" = 2 -a -n "$guard"
	kill -KILL "${!victim}"
	wait $warden 2>/dev/null
	t_is "flat.killed.$victim" "nothing stays when the $victim is killed" "$? $(left $tag)" '137 '
done
drop "$D"
done_testing
