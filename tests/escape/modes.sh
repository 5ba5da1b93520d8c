# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The modes that only look do not write (SPEC S2); protected checkouts (F3).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
T_SECRETS=1

for mode in review plan orchestrate; do
	while IFS='|' read -r id do harm; do
		attack "modes.$mode.$id" "--mode $mode: $id" opts="--mode $mode" do="$do" harm="$harm" \
			errno='EROFS|EACCES|EPERM|ENOSYS|[Rr]ead-only|[Dd]enied|@ran'
	done <<-'LIST'
		create|echo x >new|made new
		create-call|$A make open new|made new
		mkdir|mkdir new|made new
		modify|echo x >README.md|grep -qx x README.md
		truncate|: >README.md|[[ ! -s README.md ]]
		truncate-call|$A modify truncate README.md|[[ ! -s README.md ]]
		delete|rm README.md|! made README.md
		rename|mv README.md new|made new
		exchange|$A make exchange README.md; $A modify exchange README.md|! grep -q hello README.md
		chmod|chmod 777 README.md|[[ $(stat -c %a README.md) == 777 ]]
		touch|touch -d 2001-01-01 README.md|[[ $(stat -c %Y README.md) -lt 1000000000 ]]
		xattr|$A modify setxattr README.md|[[ $("$T_BASE/bin/attack" read xattrs README.md) == *user.pwned* ]]
		link|ln README.md new|made new
		symlink|ln -s README.md new|made new
		bind|$A make bind-stream new|made new
		mkfifo|mkfifo new|made new
		tmpfile|$A make tmpfile-linkat-proc new|made new
		uring|$A make uring-openat new|made new
		i386|$A make i386-open new|made new
		commit|git commit -q --allow-empty -m evil|[[ $(git log -1 --format=%s) == evil ]]
		reopen|$A modify reopen-proc-self-fd README.md|grep -q PWNED README.md
		mmap|$A modify mmap-shared README.md|grep -q PWN README.md
		remount|unshare -Urm sh -c 'mount -o remount,rw,bind . .; echo x >new'|made new
	LIST
done

# What a rule hides from reading is hidden where nothing is written, too.
for mode in review plan orchestrate; do
	attack "modes.$mode.deny-read" "--mode $mode: a pattern that may not be read" opts="--mode $mode --deny-read '**/*.secret'" \
		setup='echo SECRET-X >a.secret; mkdir d; echo SECRET-X >d/b.secret' do='cat a.secret d/b.secret; cat <d/../a.secret' \
		harm='[[ $OUT == *SECRET-X* ]]' errno='[Dd]enied' event='file-read *a.secret'
	attack "modes.$mode.strict" "--mode $mode: secret names under --profile strict" opts="--mode $mode --profile strict" \
		setup='echo SECRET-X >.env' do='cat .env' harm='[[ $OUT == *SECRET-X* ]]' errno='[Dd]enied' event='file-read *.env'
done

# --deny-write of the whole, and read-only grants.
attack modes.deny-write-root '--deny-write of the workspace itself' opts='--deny-write $W' \
	do='echo x >new; mkdir d; rm README.md; mv src s' harm='made new || made d || made s || ! made README.md'
attack modes.protected-checkout 'a registered checkout is not written, in any mode' \
	setup='mkdir $D/reg; echo old >$D/reg/f; printf "{\"protected_paths\": [\"%s\"]}" "$D/reg" >$D/policy.json' \
	opts='--policy $D/policy.json --allow-write $D/reg' do='echo evil >$D/reg/f; touch $D/reg/new' \
	harm='[[ $(cat $D/reg/f) != old ]] || made $D/reg/new'
attack modes.protected-in-workspace 'nor when it lies in the workspace' \
	setup='mkdir reg; echo old >reg/f; printf "{\"protected_paths\": [\"%s\"]}" "$W/reg" >$D/policy.json' \
	opts='--policy $D/policy.json' do='echo evil >reg/f; touch reg/new; mv reg reg2' \
	harm='[[ $(cat reg/f 2>/dev/null) != old ]] || made reg/new || made reg2'

# A project's own policy file tightens, and does not loosen until it is trusted.
attack modes.project-loosens 'a project policy that opens .env is not believed' \
	setup='mkdir .berm; printf "{\"unprotect\": [\"secret-names\", \"agent-dirs\", \"git-config\"], \"files\": {\"**/.env\": \"write\", \"~/.ssh\": \"read\"}}" >.berm/policy.json' \
	do='echo x >.env; cat $H/.ssh/id_ed25519' harm='made .env || leaked'
attack modes.project-tightens 'a project policy that closes a path is' \
	setup='mkdir .berm; printf "{\"files\": {\"src/**\": \"read\"}}" >.berm/policy.json; remember src/main.c' \
	do='echo x >src/main.c' harm='changed src/main.c'
attack modes.project-writes-itself 'and the command does not write one for the next run' \
	do='mkdir -p .berm; echo "{\"files\": {\"**\": \"write\"}}" >.berm/policy.json; echo "{}" >.berm/policy.local.json' \
	harm='made .berm/policy.json || made .berm/policy.local.json'

done_testing
