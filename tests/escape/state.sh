# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# berm's own state, settings and outputs are out of reach.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
T_SECRETS=1

attack state.events-file 'the events file is not written by the command' control='none:there is no events file bare' \
	do='echo "{\"event\":\"forged\"}" >>$D/events; for f in /proc/[0-9]*/fd/*; do :; done' harm='grep -q forged "$EV"'
attack state.events-in-workspace 'an events file in the workspace can be removed by the command, not forged through berm' \
	control='none:there is no events file bare' opts='--events $W/ev.json' do='echo forged >ev.json; echo x >.env' \
	harm='[[ ! -e ev.json ]]'
attack state.fd-of-events 'no descriptor of berm is open in the command' control='none:a count' \
	do='ls /proc/self/fd; ls -l /proc/self/fd' harm='grep -q "^[3-9]$" <<<"$(sed -n "/@ran/,/total/p" <<<"$OUT" | grep -v "^3$")"'
attack state.home-of-another 'the private home of another workspace is not there' \
	setup='mkdir -p "$H/src/w2"; env -i HOME=$H PATH=$T_PATH $BERM run -q -w "$H/src/w2" -- sh -c "echo CANARY >\$HOME/mine" 2>/dev/null; grep -rqs CANARY $H/.local/state/berm || { mkdir -p $H/.local/state/berm/homes/x; echo CANARY >$H/.local/state/berm/homes/x/mine; }' \
	do='cat $H/mine; find $H/.local/state -type f 2>/dev/null | xargs cat' harm=leaked
# What the command writes into its private home no rule judges: nothing in the workspace leads
# a host's tool to it.
home='S=$(awk -v h="$HOME" "\$5 == h { print \$4 }" /proc/self/mountinfo); [ -n "$S" ] || exit 1; N=${S##*/}'
! flat_tier || home='S=$HOME; N=${S##*/}'
while IFS='|' read -r id do; do
	attack "state.link-$id" "a link to the private home: $id" control='none:there is no private home bare' \
		do="$home; $do" harm='[[ -L l ]]' event='file-create */l'
done <<'LIST'
plain|ln -s $S/evil l
by-proc|ln -s /proc/self/root$S/evil l
by-other-link|mkdir d; ln -s d way; ln -s way/../../x/$N/evil l
relative|mkdir -p 1/2/3; ln -s ../../../.local/state/berm/homes/$N 1/2/3/l && mv 1/2/3/l l
above|ln -s x/.local/state/berm/homes l
LIST
attack state.push 'a remote in the private home, with a hook' control='none:there is no private home bare' \
	do="$home"'; git init -q --bare ~/r.git; printf "#!/bin/sh\ntouch $PWN\n" >~/r.git/hooks/pre-receive; chmod +x ~/r.git/hooks/pre-receive; git remote add o "$S/r.git"; git config remote.p.url "file://${S%/*}/%77${N#?}/r.git"; git config branch.main.remote "$S/r.git"' \
	harm='for r in o p ""; do host_git "$W" push -q $r HEAD:x 2>/dev/null; done; made "$PWN"' event='file-* */.git/config*'
attack state.workspace-in-state 'a workspace that is or holds the state is refused' control='none:an error' \
	setup='mkdir -p $H/.local/state/berm' do='echo x >$H/.local/state/berm/evil' harm='made "$H/.local/state/berm/evil"'
attack state.binary 'the berm program itself is not written' control='none:not ours to write' \
	do=": >>\$(readlink -f /proc/1/exe) && echo WRITTEN; : >>$BERM && echo WRITTEN" harm='[[ $OUT == *WRITTEN* ]]'
attack state.nested 'berm inside is refused clearly, and opens nothing' control='none:bare it would run' \
	do="cp $BERM b 2>/dev/null || cat $BERM >b; chmod +x b; ./b run --sandbox off -- sh -c 'echo x >.env'; ./b run --backend none -- sh -c 'echo x >.env'; ./b run -- sh -c 'echo x >.env'" \
	harm='made .env'
# What a run left in the private home does not bend the next one's set-up: links and
# files where something of the host will be bound.
while IFS='|' read -r id plant host; do
	wanted "state.plant-$id" || continue
	fresh
	echo old >"$D/victim"
	mkdir "$D/victimdir"
	run_in "$plant"
	[[ $OUT == *@ran* ]] || t_fail "state.plant-$id" 'the first run' "$OUT"
	(cd "$H" && eval "$host")
	before=$(find "$D" ! -path '*/.local/state/berm*' ! -path "$D/events" ! -path "$D" -printf '%p %y %s\n' | sort)
	run_in 'cat ~/.gitconfig >/dev/null; echo evil >>~/.gitconfig; echo evil >~/.cargo/bin/x; echo evil >~/.nvm/x; true'
	after=$(find "$D" ! -path '*/.local/state/berm*' ! -path "$D/events" ! -path "$D" -printf '%p %y %s\n' | sort)
	if [[ $OUT != *@ran* && ($RC != 125 || $OUT != berm:*) ]]; then
		t_fail "state.plant-$id" 'the second run starts, or is refused clearly' "exit $RC: $OUT"
	else
		t_is "state.plant-$id" "$id in the private home bends nothing of the next run" "$(diff <(echo "$before") <(echo "$after"))$(cat "$D/victim")" old
	fi
	drop "$D"
done <<'LIST'
a symlink to a file|rm -f ~/.gitconfig; mv ~/.gitconfig ~/x; ln -s $D/victim ~/.gitconfig; ln -s $D/victim ~/.nvm|mkdir .nvm
a symlink to a directory|rm -rf ~/.cargo; ln -s $D/victimdir ~/.cargo; ln -s $D/victimdir ~/.nvm|mkdir -p .cargo/bin .nvm
a symlink upwards|rm -rf ~/.cargo; ln -s ../../../../.. ~/.cargo; ln -s .. ~/.nvm|mkdir -p .cargo/bin .nvm
a symlink to the workspace|rm -rf ~/.cargo; mkdir -p $W/c; ln -s $W/c ~/.cargo; ln -s $W ~/.nvm|mkdir -p .cargo/bin .nvm
a file for a directory|rm -rf ~/.cargo; echo x >~/.cargo; echo x >~/.nvm|mkdir -p .cargo/bin .nvm
a directory for a file|rm -f ~/.gitconfig; mkdir -p ~/.gitconfig/x|true
a FIFO|rm -rf ~/.cargo; mkfifo ~/.cargo; mkfifo ~/.nvm|mkdir -p .cargo/bin .nvm
a closed directory|mkdir -p ~/.cargo ~/.nvm; chmod 0 ~/.cargo ~/.nvm|mkdir -p .cargo/bin .nvm
a link over the workspace's parent|cd /; mv ~/src ~/x; ln -s $D/victimdir ~/src; true|true
LIST
# A state directory that others could write, or that lies in the workspace.
for how in 'chmod 777 "$H/.local/state/berm"' \
	'rm -rf "$H/.local/state/berm"; echo x >"$H/.local/state/berm"'; do
	wanted state.dir || continue
	fresh
	mkdir -p "$D/victimdir" "$H/.local/state/berm"
	eval "$how"
	run_in 'echo x >~/f'
	t_check "state.dir-${how%% *}" "the state directory after: ${how:0:60}: refused, nothing written" \
		test "$RC" = 125 -a -z "$(ls -A "$D/victimdir")"
	drop "$D"
done
if wanted state.in-workspace; then
	fresh
	T_ENV=("XDG_STATE_HOME=$W/state")
	run_in 'echo evil >state/berm/evil; find state; true'
	T_ENV=()
	t_check state.in-workspace 'a state directory in the workspace: refused' test "$RC" = 125
	drop "$D"
fi

for w in / '$H'; do
	wanted "state.root-$w" || continue
	fresh
	eval "w=$w"
	OUT=$(cd "$W" && HOME=$H timeout 20 "$BERM" run -w "$w" "${CAPS[@]}" -- sh -c "echo x >$H/.bashrc; echo x >$H/.ssh/authorized_keys; cat $H/.ssh/id_ed25519; echo @ran" 2>&1)
	t_check "state.wide.${w//\//_}" "-w $w is refused or keeps secrets and rc files" \
		test "${OUT/CANARY/}" = "$OUT" -a "$(cat "$H/.bashrc")" = '# rc' -a ! -e "$H/.ssh/authorized_keys"
	drop "$D"
done

done_testing
