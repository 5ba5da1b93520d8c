# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The common floor of tests/escape and tests/system.
#
# run.sh calls suite_main, which makes one private base directory, builds what the
# probes need, runs each subject file (names.sh, git.sh, ...) in a process of its
# own, two at a time, and numbers their results into one TAP stream. A subject
# that dies before its end is a failure. Nothing of the caller's is touched: HOME
# is a directory below the base for every run.
#
# A probe is a table row of key=value words:
#
#   attack ID "what" setup='…' do='…' harm='…' errno=RE event='GLOB' opts='…'
#
#   setup    run outside, in the workspace, before
#   do       the attack, run by sh in the workspace: once bare in a copy (the
#            control: it must do harm there, or the probe proves nothing) and once
#            under "berm run"
#   harm     run outside, afterwards; true = something came through
#   errno    what the sandboxed attack must have printed (extended regular expression)
#   event    a violation that must have been reported, "ACTION TARGET" as a glob
#   opts     more options of "berm run", split at blanks
#   env      assignments that berm itself is started with, split at blanks
#   control  bare (default) | none:REASON (not made) | root:REASON (made as root only)
#            | try:REASON (skipped where it does no harm on this machine)
#   stdin    a file for standard input
#   refuse   yes: berm may refuse to start instead (125, with a reason)
#
# In setup, do and harm: W workspace, H home, D the probe's own directory (not
# visible inside), A the attack program, OUT the sandboxed output.

set -u
set -f
export LC_ALL=C.UTF-8
umask 022

T_PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
T_TIMEOUT=${T_TIMEOUT:-120}
# A peer has no events and other errnos; only what came through counts.
T_PEER=${T_PEER:-0}
# Parts of the host that are taken away (docs/tiers.md), split at blanks.
T_CAPS=${T_CAPS:-}

# The options for that: CAPS.
set_caps()
{
	local cap
	CAPS=()
	for cap in $T_CAPS; do
		CAPS+=(--test-cap "$cap")
		! flat_cap "$cap" || CAPS+=(--tier landlock)
	done
}

# flat_cap NAME: without this part there are no namespaces.
flat_cap()
{
	[[ $1 == @(userns|mounts) ]]
}

# Are there none?
flat_tier()
{
	local cap
	for cap in $T_CAPS; do
		flat_cap "$cap" && return 0
	done
	return 1
}

set_caps

# ---- results ---------------------------------------------------------------

# One line a result into the subject's file: KIND ID TEXT; notes begin with "#".
t_ok()
{
	printf 'ok\t%s\t%s\n' "$1" "$2" >>"$T_RESULTS"
}

t_skip()
{
	printf 'skip\t%s\t%s # SKIP %s\n' "$1" "$2" "$3" >>"$T_RESULTS"
}

t_fail()
{
	local id=$1 text=$2 line
	shift 2
	printf 'fail\t%s\t%s\n' "$id" "$text" >>"$T_RESULTS"
	for line; do
		printf '%s\n' "$line" | head -c 2000 | tr -d '\000' | sed 's/^/#   /' >>"$T_RESULTS"
	done
}

# t_is ID TEXT GOT WANTED
t_is()
{
	if [[ $3 == "$4" ]]; then
		t_ok "$1" "$2"
	else
		t_fail "$1" "$2" "got:    $3" "wanted: $4"
	fi
}

# t_check ID TEXT COMMAND...: ok when the command succeeds.
t_check()
{
	local id=$1 text=$2
	shift 2
	if "$@"; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "false: $*"
	fi
}

done_testing()
{
	printf 'done\n' >>"$T_RESULTS"
}

# ---- places ----------------------------------------------------------------

# A fresh probe directory from the template; with T_SECRETS the home has secrets in
# it as well. Sets D, H, W, A.
T_COUNT=0
fresh()
{
	T_COUNT=$((T_COUNT + 1))
	T_STDIN=
	T_ENV=()
	D=$T_BASE/$T_SUBJECT.$T_COUNT${1:-}
	mkdir "$D"
	cp -a "$T_BASE/tpl/." "$D"
	if [[ -n ${T_SECRETS:-} ]]; then
		cp -a "$T_BASE/secrets/." "$D/home"
	fi
	places
}

places()
{
	H=$D/home
	W=$H/src/proj
	A=$W/tools/attack
	# what git would run, should it run something: visible outside only
	PWN=$D/pwned
}

drop()
{
	if [[ -n ${T_KEEP:-} ]]; then
		return 0
	fi
	rm -rf "$1" 2>/dev/null || {
		chmod -R u+rwX "$1" 2>/dev/null
		rm -rf "$1"
	}
}

as_root()
{
	[[ $(id -u) == 0 ]]
}

# ---- running ---------------------------------------------------------------

# The words every attack starts with: where it is, and proof that it ran.
prelude()
{
	printf "W='%s' H='%s' D='%s' A='%s' PWN='%s'; PATH='%s':\$PATH; echo @ran;\n" \
		"$W" "$H" "$D" "$A" "$PWN" "$W/tools"
}

# run_bare SCRIPT: OUT, RC.
run_bare()
{
	local script
	script=$(prelude)$1
	OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=dumb LC_ALL=C.UTF-8 \
		"${T_ENV[@]}" setsid -w timeout -k 1 "$T_TIMEOUT" /bin/sh -c "$script" \
		<"${T_STDIN:-/dev/null}" 2>&1)
	RC=$?
}

# run_in SCRIPT [BERM OPTION...]: OUT (both streams), RC, EV (the events' file).
run_in()
{
	local script
	script=$(prelude)$1
	shift
	run_words "$@" -- /bin/sh -c "$script"
}

# run_words WORD...: berm run -w W WORD..., in W.
T_ENV=()
run_words()
{
	EV=$D/events
	: >"$EV"
	set_caps
	OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" TERM=dumb LC_ALL=C.UTF-8 \
		"${T_ENV[@]}" setsid -w timeout -k 1 "$T_TIMEOUT" \
		"$BERM" run -w "$W" --events "$EV" "${CAPS[@]}" "$@" <"${T_STDIN:-/dev/null}" 2>&1)
	RC=$?
	# what is told of the tier is no word of the command's
	while [[ $T_CAPS && $OUT == @('berm: tier: '|'berm: network: closed')* ]]; do
		OUT=${OUT#*$'\n'}
	done
}

# Violations of the last run, one a line: ACTION TARGET RULE.
violations()
{
	local l a t r
	while IFS= read -r l; do
		[[ $l == *'"event":"violation"'* ]] || continue
		a='' t='' r=''
		[[ $l =~ \"action\":\"([^\"]*)\" ]] && a=${BASH_REMATCH[1]}
		[[ $l =~ \"target\":\"([^\"]*)\" ]] && t=${BASH_REMATCH[1]}
		[[ $l =~ \"rule\":\"([^\"]*)\" ]] && r=${BASH_REMATCH[1]}
		printf '%s %s %s\n' "$a" "$t" "$r"
	done <"$EV"
}

# has_event GLOB: a violation "ACTION TARGET" or "ACTION TARGET RULE" matches.
has_event()
{
	local l
	while IFS= read -r l; do
		# shellcheck disable=SC2053
		[[ $l == $1 || ${l% *} == $1 || $l == $1\ * ]] && return 0
	done < <(violations)
	return 1
}

# ---- what came through -----------------------------------------------------

# made PATH: the name is there (relative to the workspace).
made()
{
	[[ -e $1 || -L $1 ]]
}

# changed PATH [FACT]: content (or mode, mtime, xattr when asked) is not as before.
changed()
{
	[[ $(facts "$1") != "$(cat "$D/facts" 2>/dev/null)" ]]
}

# facts PATH: everything about a file that must not change.
facts()
{
	if [[ -e $1 ]]; then
		stat -c '%F %a %u %g %Y %i %s' "$1"
		if [[ -f $1 ]]; then
			sha256sum <"$1"
			"$T_BASE/bin/attack" read xattrs "$1"
			lsattr "$1" 2>/dev/null | cut -d' ' -f1
		fi
	else
		echo gone
	fi
}

# remember PATH: facts for `changed`.
remember()
{
	facts "$1" >"$D/facts"
}

# leaked: a canary's words are in the output.
leaked()
{
	[[ $OUT == *CANARY* ]]
}

# dead PID: gone, or only waiting to be reaped (after a moment).
dead()
{
	local state
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		state=$(awk '/^State/ { print $2 }' "/proc/$1/status" 2>/dev/null)
		[[ -z $state || $state == Z ]] && return 0
		sleep 0.03
	done
	return 1
}

# git_ran: a git of the host, used as its user would, in every directory that git
# might take for a repository, has run something.
git_ran()
{
	local d top seen=' '
	rm -f "$PWN"
	while IFS= read -r -d '' d; do
		top=$(host_sh "$d" 'git rev-parse --absolute-git-dir')
		if [[ -n $top && $seen == *" $top "* ]]; then
			host_sh "$d" 'git status >/dev/null 2>&1'
		else
			seen+="$top "
			host_sh "$d" "$HOST_USER"
		fi
		[[ -e $PWN ]] && return 0
	done < <(find "$W" -name .git -prune -o -type d -print0 2>/dev/null | head -z -n 30)
	return 1
}

host_git()
(
	cd "$1" 2>/dev/null || exit 0
	shift
	env -i HOME="$H" PATH="$T_PATH" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat \
		timeout 10 git "$@" </dev/null
)

# host_sh DIR SCRIPT: a shell of the host's there, for git; one that hangs counts as harm.
host_sh()
(
	cd "$1" 2>/dev/null || exit 0
	env -i HOME="$H" PATH="$T_PATH" PWN="$PWN" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat \
		timeout 60 sh -c "$2" </dev/null 2>/dev/null
	[[ $? == 124 ]] && : >"$PWN"
	return 0
)

# What a user, an editor or a prompt does in a directory. The submodule's script is slow, and reads
# those two files first.
# shellcheck disable=SC2016
HOST_USER='n=0
for words in status "log -1 -p --ext-diff" "add -A" "commit -q -m host" diff "checkout -q -b host-$$" \
	"fetch -q --all" "submodule update -q" stash "merge -q HEAD~0" "gc -q --auto" "push -q"; do
	n=$((n + 1))
	[ "$n" != 8 ] || [ -e .gitmodules ] || git config --get-regexp "^submodule" >/dev/null || continue
	{ echo "line $$ $n" >>host-edit.txt; } 2>/dev/null
	git $words >/dev/null 2>&1
	[ -e "$PWN" ] && exit
done
rm -f host-edit.txt'

# ---- the table row ---------------------------------------------------------

row_get()
{
	local kv
	r_setup='' r_do='' r_harm='' r_errno='' r_event='' r_opts='' r_control=bare r_env='' r_stdin='' r_refuse=''
	for kv; do
		case ${kv%%=*} in
		setup | do | harm | errno | event | opts | control | env | stdin | refuse)
			printf -v "r_${kv%%=*}" '%s' "${kv#*=}"
			;;
		*)
			echo "bad word in a table: $kv" >&2
			exit 2
			;;
		esac
	done
}

harmed()
(
	cd "$W" 2>/dev/null || cd /
	eval "$r_harm"
)

prepare()
{
	fresh "$1"
	(cd "$W" && set +f && export HOME=$H && eval "$r_setup") >"$D/setup.log" 2>&1 || {
		WHY="setup failed: $(tail -c 500 "$D/setup.log")"
		return 1
	}
	T_STDIN=
	if [[ -n $r_stdin ]]; then
		eval "T_STDIN=$r_stdin"
	fi
	T_ENV=()
	if [[ -n $r_env ]]; then
		eval "T_ENV=($r_env)"
	fi
}

# The control: bare, in a copy, the attack must do harm. A race may be lost some times in a row.
control()
{
	local tries=${T_CONTROL_TRIES:-1}
	until control_once; do
		tries=$((tries - 1))
		[[ $tries -gt 0 && $WHY == 'the control did no harm'* ]] || return 1
	done
}

control_once()
{
	WHY=
	case $r_control in
	none:*)
		return 0
		;;
	root:*)
		as_root || {
			WHY="SKIP ${r_control#root:}"
			return 1
		}
		;;
	esac
	prepare .bare || return 1
	run_bare "$r_do"
	if [[ $OUT == *': ENOSYS'* || $OUT == *': EAFNOSUPPORT'* ]]; then
		WHY="SKIP this kernel does not have it"
	elif [[ $OUT != *@ran* ]]; then
		WHY="the control did not start: $OUT"
	elif ! harmed; then
		WHY="SKIP ${r_control#try:}"
		[[ $r_control == try:* ]] || WHY="the control did no harm, so this proves nothing: $OUT"
	fi
	drop "$D"
	[[ -z $WHY ]]
}

# A 32-bit program: 112 bytes of ELF that exit with 42 when getpid gave an answer.
T_ELF32='\177ELF\001\001\001\0\0\0\0\0\0\0\0\0\002\0\003\0\001\0\0\0\124\200\004\010\064\0\0\0\0\0\0\0\0\0\0\0\064\0\040\0\001\0\050\0\0\0\0\0\001\0\0\0\0\0\0\0\0\200\004\010\0\200\004\010\160\0\0\0\160\0\0\0\005\0\0\0\0\020\0\0'
T_ELF32+='\270\024\0\0\0\315\200\061\333\205\300\170\002\263\052\061\300\100\315\200\0\0\0\0\0\0\0\0'

# Kernels can be built without the 32-bit system calls.
i386_here()
{
	local rc
	# shellcheck disable=SC2059
	[[ -x $T_BASE/i386 ]] || { printf "$T_ELF32" >"$T_BASE/i386.$BASHPID" && chmod +x "$T_BASE/i386.$BASHPID" &&
		mv "$T_BASE/i386.$BASHPID" "$T_BASE/i386"; }
	"$T_BASE/i386" 2>/dev/null
	rc=$?
	((rc == 42))
}

# Was the last run refused, because a part was taken away that one of its rules needs?
tier_refused()
{
	[[ $T_CAPS && $RC == 125 && $OUT == 'berm: '*' (tier '*'), which cannot hold '* ]]
}

attack()
{
	local id=$1 text=$2 why='' opts
	shift 2
	wanted "$id" || return 0
	row_get "$@"
	if [[ $id == *i386* && $r_control == bare ]] && ! i386_here; then
		r_control='try:this kernel has no 32-bit system calls'
	fi
	if ! control; then
		if [[ $WHY == SKIP* ]]; then
			t_skip "$id" "$text" "${WHY#SKIP }"
		else
			t_fail "$id" "$text" "$WHY"
		fi
		return 0
	fi
	if ! prepare ''; then
		t_fail "$id" "$text" "$WHY"
		return 0
	fi
	eval "opts=($r_opts)"
	# What is elsewhere there but not the command's is not there at all.
	[[ -z $r_errno ]] || ! flat_tier || r_errno+='|ENOSYS|EAFNOSUPPORT|EPROTONOSUPPORT'
	run_in "$r_do" "${opts[@]}"
	if tier_refused; then
		t_skip "$id" "$text" "refused: ${OUT%%$'\n'*}"
		drop "$D"
		return 0
	elif [[ -n $r_refuse && $RC == 125 && $OUT == berm:* ]]; then
		why=''
	elif [[ $OUT != *@ran* ]]; then
		why="the attack did not run (exit $RC)"
	elif harmed; then
		why="IT CAME THROUGH"
	elif [[ $T_PEER == 0 && -n $r_errno && ! $OUT =~ $r_errno ]]; then
		why="errno: wanted $r_errno"
	elif [[ $T_PEER == 0 && -n $r_event ]] && ! has_event "$r_event"; then
		why="no event $r_event; there are: $(violations | head -5)"
	fi
	if [[ -z $why ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "$why" "exit $RC, said: ${OUT:0:900}"
	fi
	drop "$D"
}

# wanted ID: does the filter of the command line let it run?
wanted()
{
	# shellcheck disable=SC2053
	[[ -z ${T_ONLY:-} || $1 == $T_ONLY ]]
}

# ---- the suite -------------------------------------------------------------

# Filled in by the suite: makes $T_BASE/bin and $T_BASE/tpl.
suite_template()
{
	local h=$T_BASE/tpl/home
	mkdir -p "$T_BASE/bin" "$h/src/proj/tools" "$h/src/proj/src" "$h/src/other"
	printf '[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n' >"$h/.gitconfig"
	# shellcheck disable=SC2016
	printf '# rc\n' | tee "$h/.bashrc" "$h/.profile" "$h/.zshrc" >/dev/null
	printf 'CANARY other project\n' >"$h/src/other/secret.txt"
	(
		cd "$h/src/proj" || exit 1
		printf 'hello\n' >README.md
		printf 'int main(void)\n{\n\treturn 0;\n}\n' >src/main.c
		printf '/tools/\n' >.gitignore
		export HOME=$h GIT_CONFIG_NOSYSTEM=1
		git init -q --template= -b main . && mkdir .git/hooks .git/info &&
			printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-commit.sample &&
			chmod +x .git/hooks/pre-commit.sample &&
			git add . && git commit -q -m first
	)
}

suite_cleanup()
{
	local p
	set +f
	for p in "$T_BASE"/pids/*; do
		[[ -e $p ]] && kill_own "$(<"$p")"
	done
	if [[ -n ${T_KEEP:-} ]]; then
		echo "# kept: $T_BASE"
		return 0
	fi
	chmod -R u+rwX "$T_BASE" 2>/dev/null
	rm -rf "$T_BASE"
}

# A process of the runner's own that must be gone at the end. A pid alone may be
# somebody else's by then: it goes with the time at which the process began.
stamped()
{
	echo "$1:$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20)"
}

own_pid()
{
	stamped "$1" >"$T_BASE/pids/$1"
}

# kill_own PID:TIME
kill_own()
{
	[[ -n ${1#*:} && $(stamped "${1%%:*}") == "$1" ]] && kill -9 "${1%%:*}" 2>/dev/null
}

suite_usage()
{
	echo "usage: run.sh [-j N] [-o ID-GLOB] [-s SUBJECT,...] [-k] BERM [SUBJECT...]" >&2
	exit 2
}

suite_main()
{
	local s jobs=2 dir=$1 named=()
	shift
	while getopts 'j:o:s:k' s; do
		case $s in
		j) jobs=$OPTARG ;;
		o) export T_ONLY=$OPTARG ;;
		s) IFS=, read -ra named <<<"$OPTARG" ;;
		k) export T_KEEP=1 ;;
		*) suite_usage ;;
		esac
	done
	shift $((OPTIND - 1))
	[[ $# -ge 1 && -x $1 ]] || suite_usage
	BERM=$(realpath "$1")
	shift
	T_BASE=$(mktemp -d "${BERM_TEST_DIR:-/var/tmp}/berm-test.XXXXXX") || exit 1
	export BERM T_BASE T_PEER
	mkdir "$T_BASE/pids" "$T_BASE/results"
	set +f
	trap suite_cleanup EXIT
	trap 'exit 1' INT TERM
	suite_template && suite_build || exit 1
	set -f
	suite_subjects "$dir" "$jobs" ${named+"${named[@]}"} "$@"
	suite_report
}

suite_subjects()
{
	local dir=$1 jobs=$2 s running=0
	shift 2
	if [[ $# == 0 ]]; then
		# shellcheck disable=SC2046
		set -- $(cd "$dir" && printf '%s\n' "${SUBJECTS[@]}")
	fi
	for s; do
		if [[ $running -ge $jobs ]]; then
			wait -n
			running=$((running - 1))
		fi
		T_SUBJECT=$s T_RESULTS=$T_BASE/results/$s.tap bash "$dir/$s.sh" \
			>"$T_BASE/results/$s.log" 2>&1 </dev/null &
		running=$((running + 1))
	done
	T_RAN=("$@")
	wait
}

suite_report()
{
	local s kind id text n=0 bad=0 skip=0
	for s in "${T_RAN[@]}"; do
		while IFS=$'\t' read -r kind id text; do
			case $kind in
			ok) n=$((n + 1)) && echo "ok $n - $id $text" ;;
			skip) n=$((n + 1)) && skip=$((skip + 1)) && echo "ok $n - $id $text" ;;
			fail) n=$((n + 1)) && bad=$((bad + 1)) && echo "not ok $n - $id $text" ;;
			done) ;;
			*) printf '%s\n' "$kind" ;;
			esac
		done <"$T_BASE/results/$s.tap"
		if ! grep -q '^done$' "$T_BASE/results/$s.tap" 2>/dev/null; then
			n=$((n + 1)) bad=$((bad + 1))
			echo "not ok $n - $s.sh ran to its end"
			tail -5 "$T_BASE/results/$s.log" | sed 's/^/# /'
		fi
	done
	echo "1..$n"
	echo "# $((n - bad - skip)) passed, $bad failed, $skip skipped ($(id -un))"
	[[ $bad == 0 && $n -gt 0 ]]
}
