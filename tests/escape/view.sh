# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The view is a whitelist: what is not given is not there (SPEC F2, DESIGN 3).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
T_SECRETS=1

# Every secret of the home, under each view: one run reads them all, each in three ways.
secrets=$(cd "$T_BASE/secrets" && grep -rl CANARY . | sed 's,^\./,,')
script=''
for p in $secrets; do
	script+="cat \$H/$p; cat \$HOME/$p; cp \$H/$p x; cat x; rm -f x; "
done
for view in bare private host root-host; do
	wanted "view.secrets.$view" || continue
	fresh
	case $view in
	bare) run_bare "$script" ;;
	private) run_in "$script" ;;
	host) run_in "$script" --home host ;;
	root-host) run_in "$script" --root host --home host ;;
	esac
	for p in $secrets; do
		if tier_refused; then
			t_skip "view.$view.$p" "~/$p ($view)" "refused: ${OUT%%$'\n'*}"
		elif [[ $OUT != *@ran* ]]; then
			t_fail "view.$view.$p" "~/$p ($view)" "it did not run: ${OUT:0:200}"
		elif [[ $view == bare ]]; then
			[[ $OUT == *"CANARY-$p"* ]] || t_fail "view.$view.$p" "~/$p can be read bare" 'the control did no harm'
		else
			t_check "view.$view.$p" "~/$p cannot be read (view $view)" test "${OUT/CANARY-$p/}" = "$OUT"
		fi
	done
	drop "$D"
done

while IFS='|' read -r id setup do; do
	attack "view.$id" "$id" setup="$setup" do="$do" harm=leaked
done <<'LIST'
sibling|true|cat ../other/secret.txt; cat $H/src/other/secret.txt
sibling-list|touch $H/src/other/CANARY-name|ls $H/src/other; ls ..; find $H/src
home-list|touch $H/CANARY-name|ls -a $H
host-tmp|echo CANARY >/tmp/berm-canary-$$; echo $$ >n|cat /tmp/berm-canary-$(cat n); ls /tmp | grep -o berm-canary-$(cat n) && echo CANARY
host-var-tmp|true|cat $D/facts; ls /var/tmp | grep -q berm-test && ls $D | grep home && ls $D | grep -v home && echo CANARY
dev-shm|echo CANARY >/dev/shm/berm-canary-$$; echo $$ >n|cat /dev/shm/berm-canary-$(cat n)
proc-self-root|true|cat /proc/self/root$H/src/other/secret.txt
dotdot-many|true|cat ../../../../../../../../../..$H/src/other/secret.txt
symlink-out|true|ln -s $H/src/other o; cat o/secret.txt
symlink-existing|ln -s $H/src/other o|cat o/secret.txt
symlink-existing-file|ln -s $H/.ssh/id_ed25519 k|cat k
symlink-existing-root|ln -s / r|cat r/$H/src/other/secret.txt
hostname-chroot|true|unshare -Ur chroot / cat $H/src/other/secret.txt
userns-umount|true|unshare -Urm sh -c 'umount -l $H; umount -l /home; umount -R -l /tmp; cat '"$H"'/src/other/secret.txt'
remount|true|unshare -Urm sh -c 'mount -t tmpfs x /mnt; cat '"$H"'/src/other/secret.txt'
find-all|true|find / -xdev -name secret.txt -path '*other*' 2>/dev/null | xargs cat
find-env|true|find / -name id_ed25519 2>/dev/null | xargs cat
LIST
find /tmp /dev/shm -maxdepth 1 -name 'berm-canary-*' -user "$(id -u)" -delete 2>/dev/null

# What only root could read is not there for root either.
while IFS='|' read -r id path; do
	attack "view.root.$id" "$path is not readable, not even as root" control='try:it cannot be read bare either' \
		do="dd if=$path of=x bs=8192 count=1 iflag=nonblock && echo CANARY" harm=leaked
done <<'LIST'
shadow|/etc/shadow
gshadow|/etc/gshadow
kmsg|/dev/kmsg
mem-map|/proc/kcore
LIST
attack view.root.home "root's home is not there" control='root:only root may' do='ls /root/.bashrc && echo CANARY' harm=leaked
attack view.root.other-homes "other users' homes are not there" control='root:only root may' \
	setup='mkdir -p $D/x' do='ls -d /home/* && echo CANARY' harm=leaked
attack view.root.disks 'no block device of the host' control='root:only root may' \
	do='ls /dev/*da /dev/loop0 /dev/mem 2>/dev/null | grep . && echo CANARY' harm=leaked

# Places that exist inside, and are not the host's.
attack view.tmp-private '/tmp is private: nothing of it reaches the host' \
	do='echo x >/tmp/berm-from-inside-$(basename $D); echo x >/var/tmp/berm-from-inside-$(basename $D); echo x >/dev/shm/berm-from-inside-$(basename $D); true' \
	harm='n=berm-from-inside-$(basename "$D"); f=0; for d in /tmp /var/tmp /dev/shm; do [[ -e $d/$n ]] && f=1; rm -f "$d/$n"; done; [[ $f == 1 ]]'
# Without mounts it lies in the private home (docs/tiers.md).
flat_tier ||
	attack view.tmpdir '$TMPDIR is a private directory' \
		do='f=$(mktemp); echo x >$f; echo $f >name' harm='f=$(cat name); [[ -e $f ]] && rm -f "$f"'
attack view.sys-write '/sys cannot be written' control='root:only root may' \
	do='for f in /sys/kernel/mm/ksm/run /sys/kernel/uevent_helper /sys/kernel/profiling; do : 2>/dev/null >>$f && echo CANARY; done; true' harm=leaked
attack view.cgroup 'no cgroup of the host can be changed' control='root:only root may' \
	do='find /sys/fs/cgroup -maxdepth 3 -name cgroup.procs -o -maxdepth 3 -name release_agent 2>/dev/null | while read f; do : 2>/dev/null >>$f && echo CANARY; done; true' harm=leaked
attack view.workspace-only 'of two workspaces only the given one is seen' \
	setup='mkdir $D/w2; echo CANARY >$D/w2/f' do='cat $D/w2/f' harm=leaked
attack view.read-grant '--allow-read gives reading, not writing' \
	setup='mkdir $D/r; echo old >$D/r/f' opts='--allow-read $D/r' \
	do='cat $D/r/f; echo evil >$D/r/f; touch $D/r/new; rm $D/r/f' harm='[[ $(cat "$D/r/f") != old || -e $D/r/new ]]'
attack view.read-grant-secret '--allow-read of the home does not give the secrets in it' \
	opts='--allow-read $H' do='cat $H/.ssh/id_ed25519; cat $H/.aws/credentials' harm=leaked
attack view.write-grant-neighbour '--allow-write of one directory does not give its neighbour' \
	setup='mkdir $D/g $D/n' opts='--allow-write $D/g' do='echo x >$D/g/ok; echo evil >$D/n/f' harm='made "$D/n/f"'
attack view.write-grant-names '--allow-write trees keep the mandatory names' \
	setup='mkdir $D/g' opts='--allow-write $D/g' do='echo x >$D/g/.env; mkdir $D/g/.claude; echo x >$D/g/.claude/settings.json' \
	harm='made "$D/g/.env" || made "$D/g/.claude/settings.json"'

# The same, where only root can show that it would work outside.
attack view.proc-1-root 'the root of pid 1' control='try:pid 1 is closed bare as well' \
	do='cat /proc/1/root$H/src/other/secret.txt; cat /proc/1/cwd$H/src/other/secret.txt' harm=leaked
attack view.file-handle 'a file handle of a place outside' control='root:needs root' \
	do='$A read file-handle $H/src/other/secret.txt' harm=leaked

# Denials of places outside of the workspace: held, or refused before anything runs.
while IFS='|' read -r id opts do; do
	attack "view.deny.$id" "--deny-read outside: $id" opts="$opts" refuse=yes do="$do" harm='[[ $OUT == *FOUND* ]]'
done <<'LIST'
system-file|--deny-read /etc/hostname|cat /etc/hostname && echo FOUND
system-directory|--deny-read /usr/share/doc|ls /usr/share/doc/* >/dev/null && echo FOUND
system-glob|--deny-read '/etc/host*'|cat /etc/hostname && echo FOUND
system-double-star|--deny-read '/usr/**/os-release'|cat /usr/lib/os-release && echo FOUND
system-symlink|--deny-read /etc/os-release|cat /usr/lib/os-release && echo FOUND
system-exec|--deny-read /usr/bin/id|/usr/bin/id >/dev/null && echo FOUND; cat /usr/bin/id >/dev/null && echo FOUND
everything|--deny-read '/**'|cat README.md && echo FOUND
grant-then-deny|--allow-read $H/src/other --deny-read $H/src/other/secret.txt|cat $H/src/other/secret.txt && echo FOUND
tmp|--deny-write /tmp|echo x >/tmp/berm-deny-$$ && rm /tmp/berm-deny-$$ && echo FOUND
private-home|--deny-write $H/.cache|mkdir -p $H/.cache/x && rmdir $H/.cache/x && echo FOUND
LIST

# A secret of the host that comes, or moves, while the run goes on.
wait_for='i=0; while [ $i -lt 40 ] && ! [ -e placed ]; do sleep 0.05; i=$((i+1)); done'
attack view.host.late 'a secret that appears in the home later (--home host)' opts='--home host' \
	setup='mv $H/.ssh $D/ssh; { for i in {1..100}; do [[ -e go ]] && mv $D/ssh $H/.ssh && touch placed && break; sleep 0.05; done; } >/dev/null 2>&1 &' \
	do="touch go; $wait_for; cat \$H/.ssh/id_ed25519" harm=leaked
attack view.host.replaced 'a secret file that an editor of the host replaces (--home host)' opts='--home host' \
	setup='{ for i in {1..100}; do [[ -e go ]] && cp $H/.netrc $H/.netrc.new && mv $H/.netrc.new $H/.netrc && touch placed && break; sleep 0.05; done; } >/dev/null 2>&1 &' \
	do="touch go; $wait_for; cat \$H/.netrc" harm=leaked
attack view.host.moved 'a secret directory that the host renames (--home host)' opts='--home host' \
	setup='{ for i in {1..100}; do [[ -e go ]] && mv $H/.aws $H/.aws-old && mv $H/.aws-old $H/.aws && touch placed && break; sleep 0.05; done; } >/dev/null 2>&1 &' \
	do="touch go; $wait_for; cat \$H/.aws/credentials \$H/.aws-old/credentials" harm=leaked

done_testing
