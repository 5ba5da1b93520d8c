#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tools/spawn-sites.sh [ROOT | --list]: every place in src/ that makes a process
# or runs a program stands in tools/spawn-sites.txt as "file function call", and
# every line there is such a place. --list prints what the tree has.
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
list=
if [[ ${1:-} == --list ]]; then
	list=1
	shift
fi
cd "${1:-$tools/..}"

# One line per call: file, enclosing function, what is called. A wrapper such as
# sys_clone3() is a site where it is defined and where it is called.
sites() {
	local file
	while IFS= read -r file; do
		{
			ctags -f - --languages=C --langmap=C:+.h --c-kinds=f --fields=+ne "$file" |
				awk -F'\t' '!/^!/ {
					line = end = 0
					for (i = 4; i <= NF; i++) {
						if ($i ~ /^line:/) line = substr($i, 6)
						if ($i ~ /^end:/) end = substr($i, 5)
					}
					print "FUNCTION", $1, line, end
				}'
			awk -f "$tools/strip-comments.awk" "$file" | sed 's/^/LINE /'
		} | awk -v file="$file" '
		$1 == "FUNCTION" { name[++n] = $2; from[n] = $3; to[n] = $4; next }
		{
			line++
			sub(/^LINE /, "")
			text = open_call $0
			open_call = ""
			# The number of a raw call may stand on the next line.
			if (text ~ /syscall[ \t]*\([ \t]*$/) {
				open_call = text
				next
			}
			while (match(text, call_re)) {
				token = substr(text, RSTART, RLENGTH)
				text = substr(text, RSTART + RLENGTH)
				sub(/^[^A-Za-z_]/, "", token)
				gsub(/[ \t]/, "", token)
				sub(/\($/, "", token)
				sub(/^syscall\(/, "", token)
				where = "-"
				for (i = 1; i <= n; i++)
					if (line >= from[i] && line <= to[i])
						where = name[i]
				print file, where, token
			}
		}' call_re='(^|[^A-Za-z0-9_])(syscall[ \t]*\([ \t]*(SYS_|__NR_|NR_)(v?fork|clone3?|execve(at)?)|((sys|raw|kern)_)?(v?fork|clone3?|posix_spawnp?|execve(at)?|execl[pe]?|execvp?e?|fexecve)[ \t]*\(|(system|popen)[ \t]*\()'
	done < <(find src include -name '*.[ch]' 2>/dev/null | sort)
}

found=$(sites | sort -u)
if [[ -n $list ]]; then
	echo "$found"
	exit 0
fi
known=$(grep -vE '^(#|$)' tools/spawn-sites.txt | awk '{ print $1, $2, $3 }' | sort -u || true)
status=0
new=$(comm -23 <(echo "$found") <(echo "$known") | sed '/^$/d')
gone=$(comm -13 <(echo "$found") <(echo "$known") | sed '/^$/d')
if [[ -n $new ]]; then
	echo "starts a process and is not in tools/spawn-sites.txt (add it with its reason):"
	echo "$new"
	status=1
fi
if [[ -n $gone ]]; then
	echo "in tools/spawn-sites.txt but not in the source (take it out):"
	echo "$gone"
	status=1
fi
exit "$status"
