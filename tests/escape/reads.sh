# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# What a rule hides from reading inside the workspace cannot be read (F2, DESIGN 4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

hide='--deny-read **/hidden.txt'
plant='echo "echo CANARY-hidden" >hidden.txt; chmod 755 hidden.txt'

for form in $("$T_BASE/bin/attack" list read | cut -d' ' -f2); do
	event='file-* */hidden.txt' control=bare
	case $form in
	xattrs) continue ;;
	file-handle) event='' control='root:open_by_handle_at needs root' ;;
	uring-* | i386-* | x32-* | opath-reopen | proc-self-*) event='' ;;
	esac
	attack "reads.$form" "$form does not show a file that a rule hides" control="$control" \
		setup="$plant" opts="--deny-read '**/hidden.txt'" do="\$A read $form hidden.txt" harm=leaked \
		event="$event"
done

while IFS='|' read -r id setup do; do
	attack "reads.tool.$id" "$id does not show it" setup="$plant; $setup" \
		opts="--deny-read '**/hidden.txt'" do="$do" harm=leaked
done <<'LIST'
cat|true|cat hidden.txt
cp|true|cp hidden.txt x; cat x
grep-r|true|grep -r CANARY .
source|true|. ./hidden.txt
execute|true|./hidden.txt
sh|true|sh hidden.txt
ld-so|true|/lib64/ld-linux-x86-64.so.2 ./hidden.txt; sh ./hidden.txt
python|true|/usr/bin/python3 -c 'print(open("hidden.txt").read())'
python-mmap|true|/usr/bin/python3 -c 'import mmap; f=open("hidden.txt","rb"); print(mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ)[:])'
perl|true|perl -pe '' hidden.txt
node|true|node -e 'console.log(require("fs").readFileSync("hidden.txt","utf8"))'
dd|true|dd if=hidden.txt
tar|true|tar cf - --exclude=./.git . | strings | grep CANARY-hidden
git-add|true|git add -f hidden.txt; git show :hidden.txt
git-diff-no-index|true|git diff --no-index /dev/null hidden.txt
diff|true|diff /dev/null hidden.txt
sort-in-place|true|sort -o x hidden.txt; cat x
rename|true|mv hidden.txt x; cat x
rename-dir|mkdir d; mv hidden.txt d|mv d e; cat e/hidden.txt
symlink|true|ln -s hidden.txt x; cat x
symlink-existing|ln -s hidden.txt x|cat x
hard-link|true|ln hidden.txt x; cat x
link-L|ln -s hidden.txt s|ln -L s x; cat x
absolute|true|cat $W/hidden.txt
proc-cwd|true|cat /proc/self/cwd/hidden.txt
proc-parent-cwd|true|cat /proc/$$/cwd/hidden.txt
dotdot|mkdir d|cat d/../hidden.txt
cd|true|cd /; cat .$W/hidden.txt
nested|mkdir -p a/b; cp hidden.txt a/b/|cat a/b/hidden.txt
stdin|true|cat <hidden.txt
here|true|while read l; do echo $l; done <hidden.txt
created-later|true|mkdir z; printf 'CAN%s' ARY-late >z/hidden.txt; cat z/hidden.txt; cat z/h*
gcc-include|true|echo '#include "hidden.txt"' >x.c; cc -E x.c; cc -c x.c
xargs|true|xargs -a hidden.txt echo
wc-files0|true|wc --files0-from=hidden.txt
truncate-copy|true|cp --reflink=auto --sparse=always hidden.txt x; cat x
overlay|true|mkdir u w m; unshare -Urm sh -c 'mount -t overlay -o lowerdir=.,upperdir=u,workdir=w,userxattr none m && cat m/hidden.txt'
bind|mkdir d; mv hidden.txt d; mkdir e|unshare -Urm sh -c 'mount --bind d e && cat e/hidden.txt'
LIST

# The rule in its other spellings.
attack reads.rule.literal '--deny-read of one path' setup="$plant" opts='--deny-read $W/hidden.txt' \
	do='cat hidden.txt' harm=leaked event='file-read* */hidden.txt'
attack reads.rule.directory '--deny-read of a directory holds below it' \
	setup="mkdir -p d/e; $plant; mv hidden.txt d/e/x" opts='--deny-read $W/d' do='cat d/e/x; ls d' harm=leaked
attack reads.rule.listing '--deny-read of a directory hides its list' \
	setup='mkdir d; touch d/CANARY-name' opts='--deny-read $W/d' do='ls d; echo d/*; find . -name "CAN*"' harm=leaked
attack reads.rule.not-there '--deny-read of a path that comes later' opts='--deny-read $W/later/x' \
	do='mkdir later; printf "CAN%s\n" ARY >later/x; cat later/x' harm=leaked
attack reads.rule.ancestor 'its parent is not moved away' setup="mkdir d; $plant; mv hidden.txt d/x" \
	opts='--deny-read $W/d/x' do='mv d e; cat e/x' harm=leaked
attack reads.rule.write-too 'and it cannot be written' setup="$plant; remember hidden.txt" \
	opts='--deny-read $W/hidden.txt' do='echo new >hidden.txt; echo new >>hidden.txt; rm -f hidden.txt' harm='changed hidden.txt'
attack reads.rule.symlinked-spelling 'a deny that is spelled through a symlink holds for the real file' \
	setup="mkdir real; ln -s real alias; $plant; mv hidden.txt real/x" opts='--deny-read $W/alias/x' \
	do='cat real/x; cat alias/x' harm=leaked
attack reads.rule.root-glob 'a glob from the root' setup="$plant" opts="--deny-read '/**/hidden.txt'" \
	do='cat hidden.txt' harm=leaked
attack reads.rule.existing-hard-link 'an alias made before the run is refused or reported' \
	setup="$plant; ln hidden.txt alias" opts='--deny-read $W/hidden.txt' do='cat alias' \
	harm='leaked && ! grep -q "hidden.txt\|alias" "$EV"'

# Profile strict hides secret-named files.
for name in .env sub/.env.production server.key id_rsa a.pem; do
	attack "reads.strict.$name" "--profile strict: $name is not readable" opts='--profile strict' \
		setup="mkdir -p $(dirname "$name"); echo CANARY-secret >$name" do="cat $name" harm=leaked \
		event="file-read* */$name"
done
attack reads.strict.race 'a path that is swapped while it is opened' opts='--profile strict' \
	setup='echo CANARY-secret >.env' do='$A race path-read .env' harm=leaked

done_testing
