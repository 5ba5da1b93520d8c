# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Each test that SECURITY.md names for a promise is there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd)
file=$here/../../SECURITY.md
n=0
while read -r name; do
	subject=${name%%.*}
	rest=${name#*.}
	rest=${rest%'*'}
	found=''
	for dir in "$here" "$here/../system" "$here/../net"; do
		[[ -f $dir/$subject.sh ]] || continue
		if [[ -z $rest ]] || grep -q -F -e "$subject.$rest" -e "${rest%.}|" -e "py $rest " "$dir/$subject.sh"; then
			found=$dir
		elif grep -q -F -e "$subject.${rest%.*}.\$" "$dir/$subject.sh" && grep -q "^${rest##*.}[^ ]*|" "$dir/$subject.sh"; then
			found=$dir # a row of a table
		elif [[ $subject == view && $rest =~ ^(private|host|root-host)\.$ ]]; then
			found=$dir
		fi
	done
	t_check "promises.$name" "the tests $name exist" test -n "$found"
	n=$((n + 1))
done < <(grep -o '`[a-z][a-z]*\.[a-z.-]*\*\?`' "$file" | tr -d '`' | grep -v -e '^package\.' -e '^subject\.' | sort -u)
t_check promises.some 'SECURITY.md names tests' test "$n" -gt 30
while read -r s; do
	s=${s%.sh}
	[[ $s == run || $s == promises || $s == world ]] && continue
	t_check "promises.named-$s" "the subject $s stands for a promise" grep -q "\`$s\." "$file"
done < <(find "$here" "$here/../net" -maxdepth 1 -name '*.sh' -printf '%f\n' | sort)

done_testing
