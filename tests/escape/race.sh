# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Two threads against one check: nothing is decided on what can still change (F4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

export RACE_MS=${RACE_MS:-400}
# Bare too the window may be missed.
export T_CONTROL_TRIES=4
race="RACE_MS=$RACE_MS \$A race"

for form in path-open path-openat2 path-creat path-mkdir path-mknod path-symlink path-link path-rename \
	sockaddr-bind family-bind open-how final-symlink killed-caller signals; do
	attack "race.$form" "$form cannot make .env" do="$race $form .env" harm='made .env'
done
# .mcp.json is protected here and free in a directory below.
attack race.moving-parent 'moving-parent cannot make .mcp.json at the root' \
	do="$race moving-parent .mcp.json" harm='[[ -e .mcp.json ]]' control='none:the window is too small to hit bare'
for form in directory-symlink dirfd cwd; do
	attack "race.$form" "$form cannot make .mcp.json at the root" do="$race $form .mcp.json" \
		harm='[[ -e .mcp.json ]]'
done
for form in directory-symlink dirfd cwd path-open final-symlink; do
	attack "race.$form.hook" "$form cannot make a hook" do="$race $form .git/hooks/pre-commit" \
		harm='made .git/hooks/pre-commit'
done
for form in path-truncate path-chmod path-unlink reopen; do
	attack "race.$form" "$form does not change .env" setup='echo A=1 >.env; remember .env' \
		do="$race $form .env" harm='changed .env'
done
bad='printf "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = \"touch %s;false\"\n\tx = %0200d\n" $PWN 0'
attack race.content-after-rename 'bytes that change after a config was put in place' \
	do="$bad | \$A race content-after-rename .git/config" harm=git_ran
attack race.content-flip 'bytes that change while a config is put in place' \
	do="$bad | $race content-flip .git/config" harm='for i in 1 2 3; do git_ran && exit 0; done; grep -q fsmonitor .git/config'
attack race.content-append 'a descriptor that goes on writing after the rename' \
	do='cp .git/config .git/config.lock; exec 5>>.git/config.lock; mv .git/config.lock .git/config; printf "[core]\n\tfsmonitor = \"touch %s;false\"\n" $PWN >&5' \
	harm=git_ran
attack race.two-writers 'good and bad contents in turns, by two processes' \
	do='cp .git/config good; { cat good; printf "[core]\n\tfsmonitor = \"touch %s;false\"\n" $PWN; } >bad
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cp good a; mv a .git/config; cp bad b; mv b .git/config; done & for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cp bad c; mv c .git/config; ln -f bad .git/config; done; wait; cp bad b; mv b .git/config' \
	harm=git_ran
attack race.pointer-late 'a .git file whose writer keeps it open' \
	do='mkdir -p g/objects g/refs sub; cp .git/HEAD g/HEAD; printf "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch %s;false\"\n" $PWN >g/config; exec 5>sub/.git; echo gitdir: ../g >&5; sleep 0.1' \
	harm=git_ran
attack race.config-open-end 'a config that is open for writing when everything is killed' \
	do='exec 5>>.git/config; printf "[core]\n\tfsmonitor = \"touch %s;false\"\n" $PWN >&5; kill -9 $$' harm=git_ran
attack race.many-threads 'two hundred processes at once' \
	do='i=0; while [ $i -lt 200 ]; do (echo x >.env; echo x >ok.$i; mkdir .claude/x; echo x >.git/hooks/h$i) 2>/dev/null & i=$((i+1)); done; wait' \
	harm='made .env || find .git/hooks -name "h[0-9]*" | grep -q .; r=$?; n=$(find . -maxdepth 1 -name "ok.*" | wc -l); [[ $r == 0 || $n != 200 ]]'
attack race.notification-flood 'asking faster than can be answered' \
	do='$A race path-mkdir .env & $A race path-rename .env & $A race path-open .env & $A race path-symlink .env & wait' \
	harm='made .env'

done_testing
