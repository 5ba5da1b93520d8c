# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Terminals of warm sessions that outlive their viewers (SPEC T1).
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

here=$(cd "$(dirname "$0")" && pwd)
name=here$$
fresh
export HOME=$H XDG_STATE_HOME=$D/state TERM=xterm SHELL=/bin/sh
cd "$W" || exit 2
"$BERM" start -q --keep --name "$name" -w "$W" >/dev/null || echo "# no session"
terminals() {
	ls "$XDG_STATE_HOME/berm/terminals" 2>/dev/null
}

# until_ok COMMAND...: it comes true within a minute.
until_ok() {
	local i
	for i in {1..600}; do
		"$@" && return
		sleep 0.1
	done
	return 1
}
no_keeper() {
	! pgrep -f "attach .*$name" >/dev/null
}
gone() {
	[[ -z $(terminals) ]]
}

if wanted attach.viewers; then
	timeout 300 /usr/bin/python3 -B "$here/attach.py" "$BERM" "$name" >"$D/said" 2>"$D/err"
	for row in starts size detach restored replayed resized second smallest winch-said winch one-answers \
		only-looks read-only killed goes-on status restored-end; do
		t_is "attach.$row" "viewers of one terminal: $row" "$(sed -n "s/^$row: //p" "$D/said")" yes
	done
	[[ ! -s $D/err ]] || sed 's/^/#   /' "$D/err" >>"$T_RESULTS"
	t_check attach.gone 'its socket goes with the command' until_ok gone
fi
if wanted attach.detached; then
	"$BERM" attach -d "$name" -- sh -c 'echo x >made; sleep 1000'
	t_is attach.detached-status '-d returns' $? 0
	t_check attach.detached 'and the command runs' until_ok test -e "$W/made"
	t_is attach.name 'there is a terminal' "$(terminals)" "$name"
	out=$("$BERM" attach "$name" -- true 2>&1)
	t_is attach.taken 'its name is taken' "$?:$(grep -c "there is a terminal $name already" <<<"$out")" 125:1
	out=$("$BERM" attach "$name" </dev/null 2>&1)
	t_is attach.no-tty 'only a terminal can be attached' "$?:$(grep -c 'no terminal' <<<"$out")" 125:1
	"$BERM" attach -d -t other "$name" -- sleep 1000
	t_is attach.other 'another terminal' "$(terminals | tr '\n' ' ')" "$name $name+other "
	keeper=$(pgrep -f "attach -d -t other $name" | head -1)
	kill -9 "$keeper"
	t_check attach.keeper-killed 'its keeper is killed' until_ok bash -c "! kill -0 $keeper 2>/dev/null"
	"$BERM" attach -d -t other "$name" -- sleep 1000
	t_is attach.stale 'one whose keeper was killed gives its name back' $? 0
	out=$("$BERM" attach -d -t third "$name" -- /nonexistent/command 2>&1)
	t_is attach.not-found 'a command that is not there' "$?:$(terminals | tr '\n' ' ')" "127:$name $name+other "
	out=$("$BERM" attach nosuch 2>&1)
	t_is attach.no-session 'a session that is not there' "$?:$(grep -c 'there is no session nosuch' <<<"$out")" 125:1
	"$BERM" stop "$name"
	t_check attach.stop 'the end of the session is theirs' until_ok gone
	t_check attach.keepers 'and their keepers end' until_ok no_keeper
fi
"$BERM" stop "$name" >/dev/null 2>&1
drop "$D"

done_testing
