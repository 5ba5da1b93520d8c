# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# What the caller has open does not open a way out (DESIGN 3).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# with_fds ID TEXT REDIRECTIONS SCRIPT HARM: berm is started with these open.
with_fds()
{
	local id=$1 text=$2 redir=$3 script=$4 harm=$5 where
	wanted "$id" || return 0
	for where in bare in; do
		fresh ".$where"
		printf 'line one\n' >"$H/log"
		local run=(/bin/sh -c "$(prelude)echo @ran >&2; $script")
		[[ $where == in ]] && run=("$BERM" run -w "$W" "${CAPS[@]}" -- "${run[@]}")
		(cd "$W" && eval "HOME=$H timeout 20 \"\${run[@]}\" $redir") >"$D/shell.out" 2>&1
		local rc=$?
		OUT=$(cat "$D/out" "$D/shell.out" 2>/dev/null)
		local hit=0
		(cd "$W" && eval "$harm") && hit=1
		# berm may refuse to start with such a descriptor
		[[ $OUT == *@ran* || ($where == in && $rc == 125) ]] || hit="it did not run: $OUT"
		drop "$D"
		if [[ $where == bare && $hit != 1 ]]; then
			t_fail "$id" "$text" "the control did no harm: $OUT"
			return
		fi
	done
	t_is "$id" "$text" "$hit" 0
}

out='>$D/out 2>&1'
with_fds fds.file 'a file open as descriptor 9' "9<\$H/src/other/secret.txt $out" 'cat <&9; cat /proc/self/fd/9' leaked
with_fds fds.directory 'a directory open as descriptor 8' "8<\$H $out" 'cat /proc/self/fd/8/src/other/secret.txt; cd /proc/self/fd/8 && cat src/other/secret.txt' leaked
with_fds fds.high 'descriptor 200' "200<\$H/src/other/secret.txt $out" '/usr/bin/python3 -c "import os; print(os.read(200, 100))"' leaked
with_fds fds.stdin-directory 'a directory of the host as standard input' "<\$H $out" \
	'cat /proc/self/fd/0/src/other/secret.txt; /usr/bin/python3 -c "import os; print(os.read(os.open(\"src/other/secret.txt\", os.O_RDONLY, dir_fd=0), 99))"' leaked
with_fds fds.stdin-parent 'and its parents' "<\$W $out" 'cat /proc/self/fd/0/../other/secret.txt' leaked
with_fds fds.stdout-directory 'a directory as standard error' "<\$W 2<\$H/src >\$D/out" \
	'cat /proc/self/fd/2/other/secret.txt' leaked
with_fds fds.stdin-reopen 'a read-only file on standard input is not reopened for writing' "<\$H/log $out" \
	'echo evil >/proc/self/fd/0; echo evil >/dev/stdin' 'grep -q evil "$H/log"'
with_fds fds.stdin-truncate 'nor truncated' "<\$H/log $out" ': >/proc/self/fd/0; truncate -s 0 /dev/stdin' '[[ ! -s $H/log ]]'
with_fds fds.stdin-chmod 'nor its mode changed' "<\$H/log $out" 'chmod 777 /proc/self/fd/0; /usr/bin/python3 -c "import os; os.fchmod(0, 0o777)"' \
	'[[ $(stat -c %a "$H/log") == 777 ]]'
with_fds fds.stdout-truncate 'a log that is appended to is not truncated' ">>\$H/log 2>\$D/out" ': >/proc/self/fd/1; : >/dev/stdout; echo after' \
	'! grep -q "line one" "$H/log"'
with_fds fds.stdout-link 'nor given another name' ">>\$H/log 2>\$D/out" \
	'perl -e "my (\$from, \$to) = (\"/proc/self/fd/1\", \"alias\"); syscall(265, -100, \$from, -100, \$to, 0x400)"' 'made alias'
with_fds fds.proc-parent 'the descriptors of the parent' "9<\$H/src/other/secret.txt $out" \
	'for p in $PPID 1; do for f in /proc/$p/fd/*; do timeout 1 head -c 100 $f; done; done </dev/null' leaked

done_testing
