# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The rows of tests/system. A row is run twice, bare and under "berm run", each in
# a fresh copy; status and output must be the same, byte for byte.
#
#   works ID "what" setup='…' do='…' look='…' rc=N opts='…' same=no if=PROGRAM
#
#   rc      the status both must have (default 0)
#   look    run outside after each; must be true both times
#   same    no: the outputs may differ (times, hashes)
#   denied  yes: violations are expected; otherwise there must be none
#   if      programs that must be on this machine, or the row is skipped
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

plain()
{
	# the probe's directories differ in their names only
	local text=${OUT//"$D"/@D}
	text=${text//"${D#/}"/@D}
	printf '%s' "${text#*@ran$'\n'}"
}

works_get()
{
	local kv
	r_setup='' r_do='' r_look='' r_rc=0 r_opts='' r_same=yes r_denied=no r_if='' r_env='' r_stdin=''
	for kv; do
		case ${kv%%=*} in
		setup | do | look | rc | opts | same | denied | if | env | stdin)
			printf -v "r_${kv%%=*}" '%s' "${kv#*=}"
			;;
		*)
			echo "bad word in a table: $kv" >&2
			exit 2
			;;
		esac
	done
}

looked()
(
	[[ -z $r_look ]] && exit 0
	cd "$W" 2>/dev/null || cd /
	eval "$r_look"
)

works()
{
	local id=$1 text=$2 p opts bare why=''
	shift 2
	wanted "$id" || return 0
	works_get "$@"
	for p in $r_if; do
		if ! PATH=$T_PATH command -v "$p" >/dev/null; then
			t_skip "$id" "$text" "$p is not installed"
			return 0
		fi
	done
	prepare .bare || why="setup failed: $WHY"
	run_bare "$r_do"
	bare=$(plain; echo " status $RC")
	if [[ -z $why && $RC != "$r_rc" ]]; then
		why="bare, the status is $RC: the row proves nothing; $OUT"
	elif [[ -z $why ]] && ! looked; then
		why="bare, the look fails: the row proves nothing; $OUT"
	fi
	drop "$D"
	if [[ -z $why ]]; then
		prepare '' || why="setup failed: $WHY"
		eval "opts=($r_opts)"
		run_in "$r_do" -q "${opts[@]}"
		if [[ $RC != "$r_rc" ]]; then
			why="status $RC, not $r_rc"
		elif [[ $r_same == yes && $(plain; echo " status $RC") != "$bare" ]]; then
			why="the output differs; bare: ${bare:0:600}"
		elif ! looked; then
			why="the look fails"
		elif [[ $r_denied == no && $T_PEER == 0 && -n $(violations) ]]; then
			why="denied: $(violations | head -5)"
		fi
		why=${why:+$why
berm: ${OUT:0:1200}}
		drop "$D"
	fi
	if [[ -z $why ]]; then
		t_ok "$id" "$text"
	else
		t_fail "$id" "$text" "$why"
	fi
}

# rows PREFIX: a table "id|what|do|look" on standard input; "\|" is a bar in a cell.
rows()
{
	local prefix=$1 id what do look
	shift
	while IFS='|' read -r id what do look; do
		[[ -n $id ]] || continue
		works "$prefix.$id" "$what" do="${do//¦/|}" look="${look//¦/|}" "$@"
	done
}
