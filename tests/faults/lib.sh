# SPDX-License-Identifier: Apache-2.0
# What the fault runners share: the injector, a workspace, TAP.
# shellcheck shell=bash

faults=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tests_done=0
tests_failed=0

ok() {
	tests_done=$((tests_done + 1))
	echo "ok $tests_done - $1"
}

skip() {
	tests_done=$((tests_done + 1))
	echo "ok $tests_done - $1 # SKIP $2"
}

# not_ok NAME DETAIL...
not_ok() {
	tests_done=$((tests_done + 1))
	tests_failed=$((tests_failed + 1))
	echo "not ok $tests_done - $1"
	shift
	(($#)) && printf '%s\n' "$@" | head -n 30 | sed 's/^/#   /'
}

finish() {
	echo "1..$tests_done"
	((tests_failed == 0)) || exit 1
	exit 0
}

cannot() {
	echo "Bail out! $*"
	exit 1
}

# in_shares N SCRIPT BERM: runs N of this script side by side, each with a share of
# the calls (mine says whether one is), and merges what they print. The runs wait
# more than they compute. Returns at once in a share.
in_shares() {
	local shares=$1 script=$2 berm=$3 dir i
	[[ -z ${FAULT_SHARE:-} ]] || return 0
	dir=$(mktemp -d "${TMPDIR:-/tmp}/berm-faults.XXXXXXXX") || cannot "no temporary directory"
	for ((i = 0; i < shares; i++)); do
		FAULT_SHARE="$i $shares" "$script" "$berm" >"$dir/$i" 2>&1 &
	done
	wait
	for ((i = 0; i < shares; i++)); do
		grep -q '^1\.\.' "$dir/$i" || echo "not ok 0 - share $i of $shares ran to its end" >>"$dir/$i"
	done
	cat "$dir"/[0-9]* | awk '
		/^1\.\./ { next }
		/^(not )?ok / { n++; sub(/ok [0-9]+/, "ok " n); if (/^not/) bad = 1 }
		{ print }
		END { print "1.." n + 0; exit bad }'
	i=$?
	rm -rf "$dir"
	exit "$i"
}

# mine INDEX: this share's?
mine() {
	local share=${FAULT_SHARE:-0 1}
	(($1 % ${share#* } == ${share% *}))
}

# Makes $tmp with the injector, a workspace of files and a repository, a home of
# its own and a secret outside; all of it goes away at the end.
set_up() {
	((EUID != 0)) || cannot "a fault may cost protection: run it as an ordinary user"
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/berm-faults.XXXXXXXX") || cannot "no temporary directory"
	trap 'rm -rf "$tmp"' EXIT
	cc -O1 -D_GNU_SOURCE -o "$tmp/inject" "$faults/inject.c" || cannot "the injector does not build"
	echo '#include <sys/syscall.h>' | cc -E -dM - |
		awk '$2 ~ /^__NR_/ && $3 ~ /^[0-9]+$/ { print $3, substr($2, 6) }' >"$tmp/names"
	export HOME=$tmp/home
	unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR
	workspace=$tmp/workspace
	secret=$HOME/secret
	mkdir -p "$HOME" "$workspace/src"
	echo secret >"$secret"
	cp "$faults/probe.sh" "$faults/work.sh" "$workspace/"
	echo text >"$workspace/src/file"
	git -C "$workspace" init -q
	git -C "$workspace" -c user.name=x -c user.email=x@x add -A
	git -C "$workspace" -c user.name=x -c user.email=x@x commit -qm first
}

call_name() {
	awk -v n="$1" '$1 == n { print $2; found = 1 } END { if (!found) print "call " n }' "$tmp/names"
}

# Takes away what the probe and the worker make in the workspace.
tidy() {
	chmod -f u+rwx "$workspace"/some "$workspace"/some/dir
	rm -rf "$workspace"/plain.txt "$workspace"/some "$workspace"/started "$workspace"/w.[0-9]
}

# Everything that a run could leave on disk: the workspace, the directories where
# temporary files go, berm's state without the private homes' contents, the mounts
# of the host. A user of the test's own (tools/identity.sh) has no other temporary
# files; anyone else's come and go, so only names that berm could have chosen count.
[[ $(id -un) == berm-test-* ]] || others='^/[a-z/]*/([^b]|b[^e-]|berm-(test|canary))'
disk_state() {
	tidy
	(cd "$workspace" && find . -type f -printf '%p %m %s\n' -o -printf '%p %y %m\n' | sort)
	# The note on the last run that did not start is meant to stay (berm doctor --last).
	find "$HOME" -path '*/berm/homes/*/*' -prune -o ! -name last-failure.json -printf '%p %y %m\n' | sort
	find /tmp /var/tmp /dev/shm -maxdepth 1 -user "$(id -u)" -printf '%p\n' 2>/dev/null |
		grep -vE "/berm-faults\\.${others:+|$others}" | sort
	# The corpora of tests/system mount at times, when root runs them.
	awk '$5 !~ /\/berm-test\./ { print $5, $6 }' /proc/self/mountinfo | sort
}
