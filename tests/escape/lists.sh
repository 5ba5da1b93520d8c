# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Every entry of the built-in lists holds: as a file, as a directory, by rename, at the
# workspace and deeper, or at the root of a nested repository.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

data=$(dirname "$0")/../../data

# A name that the pattern matches.
sample()
{
	local n=${1#'**/'}
	n=${n//'*'/x}
	printf '%s' "${n//'?'/y}"
}

# try ID-PREFIX PLACE...: the names on standard input in each place, one run for all.
try()
{
	local prefix=$1 names name place where script=''
	shift
	wanted "$prefix" || return 0
	mapfile -t names
	for place; do
		for name in "${names[@]}"; do
			script+="mkdir -p '$place/$(dirname "$name")'; \$A make open '$place/$name'; \$A make mkdir '$place/$name'; "
			script+="mkdir -p s; echo x >s/f; mv -T s '$place/$name' || { echo x >f; mv -T f '$place/$name'; }; rm -rf s f; "
		done
	done
	for where in bare in; do
		fresh ".$where"
		(cd "$W" && git init -q repo && mkdir -p deep/er)
		if [[ $where == bare ]]; then
			run_bare "$script"
		else
			run_in "$script"
		fi
		[[ $OUT == *@ran* ]] || t_fail "$prefix.$where" 'it ran' "${OUT:0:500}"
		for place; do
			for name in "${names[@]}"; do
				if [[ $where == bare ]]; then
					made "$W/$place/$name" ||
						t_fail "$prefix.$place/$name" "bare, $place/$name can be made" 'the control did no harm'
				elif made "$W/$place/$name"; then
					t_fail "$prefix.$place/$name" "$place/$name cannot be made" 'IT CAME THROUGH'
				else
					t_ok "$prefix.$place/$name" "$place/$name cannot be made"
				fi
			done
		done
		drop "$D"
	done
}

entries()
{
	grep -v -e '^#' -e '^@' -e '^!' -e '^~' -e '^$' "$1" | while read -r n; do
		sample "$n"
		echo
	done
}

# Each list in pieces, so that a command line stays short.
in_pieces()
{
	local list=$1 n=0
	shift
	while mapfile -t -n 15 part && [[ ${#part[@]} -gt 0 ]]; do
		n=$((n + 1))
		printf '%s\n' "${part[@]}" | try "lists.$list-$n" "$@"
	done
}

in_pieces secret-names . deep/er < <(entries "$data/secret-names")
in_pieces protected-names . deep/er < <(entries "$data/protected-names")
in_pieces agent-dirs . repo < <(entries "$data/agent-dirs")

# With the home as the workspace, the home's own lists hold as well.
if wanted lists.home; then
	fresh
	T_TIMEOUT=60
	script=''
	mapfile -t names < <(sed -n 's,^~/,,p' "$data/protected-names" "$data/secret-paths" | grep -v -e ' ' -e '[*]' | sort -u)
	for name in "${names[@]}"; do
		script+="mkdir -p \"\$H/$(dirname "$name")\"; echo x >\"\$H/$name\"; mkdir \"\$H/$name\"; "
	done
	OUT=$(cd "$H" && HOME=$H timeout 60 "$BERM" run -q -w "$H" -- sh -c "$(prelude)$script" 2>&1)
	rc=$?
	bad=''
	for name in "${names[@]}"; do
		made "$H/$name" && [[ $name != .gitconfig ]] && bad+=" $name"
	done
	if [[ $rc == 125 ]]; then
		t_ok lists.home 'the home is refused as a workspace'
	else
		[[ $OUT == *@ran* ]] || bad+=" it did not run: ${OUT:0:300}"
		t_is lists.home "with the home as workspace none of ${#names[@]} protected paths in it can be made" "$bad" ''
	fi
	drop "$D"
fi

done_testing
