# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The rows of tests/net. A row is run twice in the world of world.sh, bare and under
# "berm run", each in a fresh copy and with a tag of its own:
#
#   net ID "what" do='…' want=RE deny=RE seen=RE unseen=RE event='GLOB' opts='…'
#
#   do      a script; $TAG is new each time, $C the client (client.py), $CA the
#           internet's authority, $H home, $W workspace
#   want    what the output must match, both times
#   deny    what it must match inside instead (bare it must not)
#   seen    a line of the internet's log about this run must match, both times
#   unseen  the same, bare; inside there must be none: nothing came through. Lines
#           about a run are those with its tag
#   host    yes: the log is that of this machine's own services (for unseen)
#   event   a network event inside, "DECISION HOST:PORT HOW REASON RULE" as a glob
#   quiet   GLOB: there must be no such event
#   rc      the status inside (not looked at otherwise)
#   opts    options instead of $OPTS; more: options besides them
#   bare    no:REASON  the bare run is left out
#   if      programs that must be here, or the row is skipped
#   env, stdin, setup   as in tests/lib.sh
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# What rows run under: one allowed zone, one that is denied, nobody to ask.
OPTS="--approver none --allow-domain *.ok.test --deny-domain *.no.test"

prelude()
{
	printf "W='%s' H='%s' D='%s' A='%s' TAG='%s'; PATH='%s':\$PATH; C='/usr/bin/python3 %s/client.py' CA='%s/ca.pem'; export TAG CA; echo @ran;\n" \
		"$W" "$H" "$D" "$A" "$TAG" "$W/tools" "$W/tools" "$W/tools"
}

# logged RE: what the internet (or the host's services) saw of the last run.
logged()
{
	local log=$WORLD/log
	[[ ${r_host:-} == yes ]] && log=$WORLD/host.log
	tail -c +"$((LOG_AT + 1))" "$log" | grep -aF -- "$TAG" | grep -qaE -- "$1"
}

# Rows of two subjects run at the same time: a line counts by its tag. Where the server
# cannot know the tag (a probe by address), the row's own address or port is in RE and
# tagless=yes says that every new line counts.
logged_any()
{
	local log=$WORLD/log
	[[ ${r_host:-} == yes ]] && log=$WORLD/host.log
	tail -c +"$((LOG_AT + 1))" "$log" | grep -qaE -- "$1"
}

# What was sent before is written down by now: a packet of our own is, and they are in order.
settle()
{
	local mark=settled$RANDOM$RANDOM
	[[ ${r_host:-} == yes ]] && return
	echo "$mark" >/dev/udp/203.0.114.9/9
	for _ in {1..250}; do
		tail -c +"$((LOG_AT + 1))" "$WORLD/log" | grep -qaF "$mark" && return
		sleep 0.02
	done
	echo "# the internet's log stands still" >>"$T_RESULTS"
}

saw()
{
	settle
	if [[ $r_tagless == yes ]]; then
		logged_any "$1"
	else
		logged "$1"
	fi
}

mark()
{
	TAG=t$RANDOM$RANDOM$1
	LOG_AT=$(stat -c %s "$WORLD/$([[ $r_host == yes ]] && echo host.)log")
}

# Network events of the last run: DECISION HOST:PORT HOW REASON RULE.
net_events()
{
	[[ -s $EV ]] || return 0
	/usr/bin/python3 - "$EV" <<-'PY'
		import json, sys
		for line in open(sys.argv[1]):
		    e = json.loads(line)
		    if e["event"] == "network":
		        print(e.get("decision"), f'{e.get("host")}:{e.get("port")}', e.get("how", "-"),
		              e.get("reason", "-"), e.get("rule") or "-")
	PY
}

has_net_event()
{
	local l
	while IFS= read -r l; do
		# shellcheck disable=SC2053
		[[ $l == $1 || $l == $1\ * ]] && return 0
	done < <(net_events)
	return 1
}

net_get()
{
	local kv
	r_setup='' r_do='' r_want='' r_deny='' r_seen='' r_unseen='' r_event='' r_quiet='' r_rc='' r_opts=$OPTS
	r_more='' r_bare='' r_if='' r_env='' r_stdin='' r_host='' r_tagless=no
	for kv; do
		case ${kv%%=*} in
		setup | do | want | deny | seen | unseen | event | quiet | rc | opts | more | bare | if | env | stdin | host | tagless)
			printf -v "r_${kv%%=*}" '%s' "${kv#*=}"
			;;
		*)
			echo "bad word in a table: $kv" >&2
			exit 2
			;;
		esac
	done
}

net_bare()
{
	WHY=
	[[ $r_bare == no:* ]] && return 0
	prepare .bare || return 1
	mark b
	run_bare "$r_do"
	if [[ $OUT != *@ran* ]]; then
		WHY="bare, it did not start"
	elif [[ -n $r_want && ! ${OUT#*@ran} =~ $r_want ]]; then
		WHY="bare, the output is another: the row proves nothing"
	elif [[ -n $r_deny && ${OUT#*@ran} =~ $r_deny ]]; then
		WHY="bare, it is refused as well: the row proves nothing"
	elif [[ -n $r_seen$r_unseen ]] && ! saw "${r_seen:-$r_unseen}"; then
		WHY="bare, the internet saw nothing: the row proves nothing"
	fi
	WHY=${WHY:+$WHY; said: ${OUT:0:600}}
	drop "$D"
	[[ -z $WHY ]]
}

net()
{
	local id=$1 text=$2 why='' opts p glob
	shift 2
	wanted "$id" || return 0
	net_get "$@"
	for p in $r_if; do
		if ! PATH=$T_PATH command -v "$p" >/dev/null; then
			t_skip "$id" "$text" "$p is not installed"
			return 0
		fi
	done
	if ! net_bare || ! prepare ''; then
		t_fail "$id" "$text" "$WHY"
		return 0
	fi
	if [[ -n ${T_BARE:-} ]]; then
		# only the controls: is the table itself right?
		t_ok "$id" "$text"
		drop "$D"
		return 0
	fi
	mark i
	eval "opts=($r_opts $r_more)"
	run_in "$r_do" -q "${opts[@]}"
	glob=${r_event//TAG/$TAG}
	if [[ -n $r_unseen ]] && saw "$r_unseen"; then
		why="IT CAME THROUGH: $(tail -c +"$((LOG_AT + 1))" "$WORLD/log" | grep -aE -- "$r_unseen" | head -n 2)"
	elif [[ $OUT != *@ran* ]]; then
		why="it did not start (exit $RC)"
	elif [[ $T_PEER == 1 && -n $r_unseen ]]; then
		why='' # how it is refused is its own affair
	elif [[ -n ${r_deny:-$r_want} && ! ${OUT#*@ran} =~ ${r_deny:-$r_want} ]]; then
		why="output: wanted ${r_deny:-$r_want}"
	elif [[ -n $r_seen ]] && ! saw "$r_seen"; then
		why="the internet saw nothing: wanted $r_seen"
	elif [[ -n $r_rc && $RC != "$r_rc" ]]; then
		why="exit $RC, wanted $r_rc"
	elif [[ $T_PEER == 0 && -n $glob ]] && ! has_net_event "$glob"; then
		why="no event $glob; there are: $(net_events | head -n 4)"
	elif [[ -n $r_quiet ]] && has_net_event "${r_quiet//TAG/$TAG}"; then
		why="an event that should not be: $(net_events | head -n 4)"
	fi
	if [[ -z $why ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "$why" "exit $RC, said: ${OUT:0:900}"
	fi
	drop "$D"
}

# The two usual rows.
#   reaches ID "what" DO [WORD]...   the same output inside as bare: OK
#   refused ID "what" DO [WORD]...   nothing with the tag reaches the internet
reaches()
{
	local id=$1 text=$2 script=$3
	shift 3
	net "$id" "$text" do="$script" want='OK' "$@"
}

refused()
{
	local id=$1 text=$2 script=$3
	shift 3
	net "$id" "$text" do="$script" unseen='.' "$@"
}
