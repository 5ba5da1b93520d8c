# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# No program gains rights inside, and none is left behind that would outside (P1).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

setid='[[ -u x || -g x ]]'
attack setid.chmod 'a set-uid program is not left in the workspace' do='cp /bin/true x; chmod u+s x' harm="$setid"
attack setid.chmod-number 'by number' do='cp /bin/true x; chmod 4755 x' harm="$setid"
attack setid.chmod-group 'a set-gid program' do='cp /bin/true x; chmod 2755 x' harm="$setid"
attack setid.fchmod 'by descriptor' do='cp /bin/true x; /usr/bin/python3 -c "import os; os.fchmod(os.open(\"x\", 0), 0o6755)"' harm="$setid"
attack setid.open 'by the mode of open' do='/usr/bin/python3 -c "import os; os.open(\"x\", os.O_CREAT | os.O_WRONLY, 0o6755)"' harm="$setid"
attack setid.mknod 'by the mode of mknod' do='/usr/bin/python3 -c "import os, stat; os.mknod(\"x\", stat.S_IFREG | 0o6755)"' harm="$setid"
attack setid.tmpfile 'by O_TMPFILE and linkat' \
	do='/usr/bin/python3 -c "import os; fd = os.open(\".\", os.O_TMPFILE | os.O_WRONLY, 0o6755); os.link(\"/proc/self/fd/%d\" % fd, \"x\", src_dir_fd=-1)" || perl -e "1"' \
	harm="$setid" control='none:one form of many'
attack setid.install 'by install' do='install -m 4755 /bin/true x' harm="$setid"
attack setid.tar 'by tar -p' do='mkdir t; cp /bin/true t/x; tar --mode=4755 -cf t.tar -C t x; tar xpf t.tar' harm="$setid"
attack setid.cp 'by cp -p of one that is there' setup='cp /bin/true y; chmod 4755 y' do='cp -p y x; true' harm="$setid"
attack setid.private-home 'nor in the private home, which is a directory of the host' \
	do='cp /bin/true $HOME/x; chmod 4755 $HOME/x; true' harm='find "$H" -name x -perm /6000 | grep -q .'
attack setid.run 'a set-uid program gives nothing' control='root:only root can make one' \
	setup='cp /usr/bin/id x; chown 65534 x; chmod 4755 x' do='./x -u; ./x' harm='[[ $OUT == *65534* ]]'
attack setid.caps-file 'file capabilities give nothing' control='root:only root can set them' \
	setup='cp /usr/bin/ping x 2>/dev/null || cp /bin/true x; setcap cap_sys_admin,cap_dac_override+ep x; cp /usr/bin/python3 py; setcap cap_dac_override+ep py; cp /etc/shadow s; chmod 0 s; echo CANARY >s; chown 65534 s' \
	do='setpriv --reuid=1 true 2>/dev/null; ./py -c "print(open(\"s\").read())"; grep CapEff /proc/self/status' \
	harm='[[ $OUT == *CANARY* ]]'
attack setid.setuid-call 'another user cannot be taken' control='root:only root may' \
	do='/usr/bin/python3 -c "import os; os.setuid(65534); print(\"CHANGED\")"' harm='[[ $OUT == *CHANGED* ]]'
attack setid.setgroups 'nor groups' control='root:only root may' \
	do='/usr/bin/python3 -c "import os; os.setgroups([0, 1, 2]); print(\"CHANGED\")"' harm='[[ $OUT == *CHANGED* ]]'
attack setid.chown 'a file is not given to another user' control='root:only root may' do='chown 65534 README.md' \
	harm='[[ $(stat -c %u README.md) == 65534 ]]'
attack setid.dac 'a file that only another user may read stays closed, for root too' control='root:root may bare' \
	setup='echo CANARY >f; chown 65534 f; chmod 0400 f' do='cat f' harm=leaked
attack setid.newuidmap 'newuidmap maps no range' control='none:needs a helper' \
	do='unshare -U --map-users=1,100000,1 id; newuidmap $$ 0 0 1; id -u' harm='[[ $OUT == *100000* ]]'

done_testing
