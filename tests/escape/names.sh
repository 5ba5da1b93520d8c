# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# A protected name cannot appear in a writable tree, by any call (SPEC F5).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# The errno the kernel's own table gives where the filter refuses the whole ABI.
refused='EACCES|EPERM|ENOSYS|EAFNOSUPPORT|ESOCKTNOSUPPORT|EPROTONOSUPPORT|ENOENT'

# Every form of call on one name of each kind: a floating secret name, and one that
# is protected at the workspace's root only.
forms()
{
	"$T_BASE/bin/attack" list make | cut -d' ' -f2
}

for form in $(forms); do
	case $form in
	exchange*)
		# needs a file in place; see modify.sh
		continue
		;;
	uring-* | i386-* | x32-* | bind-dgram | file-handle | proc-* | dev-fd-dir)
		event=''
		;;
	*)
		event='file-* */%s'
		;;
	esac
	# There is no socket to bind.
	[[ $form != bind-* ]] || ! flat_tier || event=''
	control=bare
	if [[ $form == file-handle ]]; then
		control='root:open_by_handle_at needs root'
	fi
	for name in .env .mcp.json; do
		attack "names.$form.$name" "$form cannot make $name" \
			do="\$A make $form $name" harm="made $name" errno="$refused" \
			event="${event/\%s/$name}" control="$control"
	done
done

# Every protected name by the plainest call, a directory and a rename.
while read -r name; do
	attack "names.create.$name" "creating $name is refused" \
		do="mkdir -p $(dirname "$name"); \$A make open $name" harm="made $name" \
		errno=EACCES event="file-create */$name"
	attack "names.rename.$name" "moving a file to $name is refused" \
		do="mkdir -p $(dirname "$name"); echo x >plain; mv plain $name" harm="made $name" \
		errno='[Pp]ermission denied' event="file-* */$name"
done <<'LIST'
.env
.env.local
.env.production
sub/.env
sub/deep/deeper/.env
server.key
sub/server.pem
cert.p12
cert.pfx
id_rsa
id_ecdsa
id_ed25519
id_dsa
sub/id_rsa
.bashrc
.bash_profile
.profile
.zshrc
.zshenv
.gitconfig
.ripgreprc
.mcp.json
LIST

# Another case is the same name: the tree may be read on a file system that folds.
for name in .ENV .Env .eNv.local SERVER.KEY a.Pem ID_RSA .Mcp.Json .BashRC; do
	attack "names.case.$name" "$name is refused as well" \
		do="\$A make open $name" harm="made $name" errno=EACCES event="file-create */$name"
done

# The same by the tools that agents use.
while IFS='|' read -r id do; do
	attack "names.tool.$id" "$id cannot make .env" do="$do" harm='made .env' \
		event='file-* */.env'
done <<'LIST'
shell-redirect|echo X=1 > .env
shell-append|echo X=1 >> .env
tee|echo X=1 | tee .env
cp|cp README.md .env
cp-archive|mkdir s; cp README.md s/x; mv s/x s/.env || cp -a README.md s/.env; cp -a s/. .
mv|cp README.md a; mv a .env
ln|ln README.md .env
ln-s|ln -s README.md .env
dd|dd if=README.md of=.env
install|install -m 644 README.md .env
touch|touch .env
mkdir|mkdir .env
mkfifo|mkfifo .env
sed-w|sed -n 'w .env' README.md
python|/usr/bin/python3 -c 'open(".env", "w").write("X=1")'
python-bytes|/usr/bin/python3 -c 'import os; os.close(os.open(b"./.env", os.O_CREAT | os.O_WRONLY))'
perl|perl -e 'open(F, ">", ".env") or die $!'
tar|mkdir s; cp README.md s/e; tar cf t.tar --transform 's,s/e,.env,' s/e; tar xf t.tar
unzip|/usr/bin/python3 -c 'import zipfile; zipfile.ZipFile("t.zip", "w").writestr(".env", "X=1")'; unzip -o -q t.zip
patch|printf -- '--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+X=1\n' | git apply
git-checkout|b=$(echo X=1 | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,.env; git checkout-index -f .env
git-stash|b=$(echo X=1 | git hash-object -w --stdin); git update-index --add --cacheinfo 100644,$b,.env; git -c user.name=t -c user.email=t@example.com commit -qm e; git reset -q --hard
vim|vim -es -u NONE -c 'w! .env' -c q README.md
node|node -e 'require("fs").writeFileSync(".env", "X=1")'
sqlite|sqlite3 .env 'create table t(x)'
gcc|cc -o .env src/main.c
split|split -b 3 README.md .env; mv .envaa .env
xargs|echo .env | xargs touch
LIST

# Names that look different and are the same, or the other way about.
attack names.newline-suffix 'a name that only contains .env is judged as itself' \
	do='echo ok >"x.env
.env"; $A make open .env' harm='made .env' errno=EACCES
attack names.via-dirlink 'through a symlink to a directory' setup='mkdir sub; ln -s sub alias' \
	do='$A make open alias/.env' harm='made sub/.env' errno=EACCES event='file-create */sub/.env'
attack names.via-absolute 'by the absolute path' \
	do='$A make open $W/.env' harm='made .env' errno=EACCES event='file-create */.env'
attack names.chdir-deep 'at the end of a path of more than 4,096 bytes, in steps' \
	do='/usr/bin/python3 -c "
import os
for i in range(25):
    os.mkdir(\"d\" * 200); os.chdir(\"d\" * 200)
open(\".env\", \"w\")"' \
	harm='find . -name .env | grep -q .'
attack names.unlinked-cwd 'in a directory that is gone, then back' \
	do='mkdir gone; cd gone; rmdir ../gone; $A make open .env; $A make open ../.env; cd $W; $A make open .env' harm='made .env'
attack names.subshell-umask 'with another umask' \
	do='umask 0777; $A make open .env' harm='made .env' errno=EACCES
attack names.exec-child 'by a child of a child' \
	do='sh -c "sh -c \"exec \$A make open .env\"" ; (setsid $A make open .env; true) & wait' harm='made .env'
attack names.userns-bind 'behind a bind mount in a nested user namespace' \
	do='mkdir a; unshare -Urm sh -c "mount --bind a a && echo x >a/../.env; mount -t tmpfs none a; mkdir a/m; mount --bind . a/m && echo x >a/m/.env"' harm='made .env'
attack names.userns-chroot 'from a chroot in a nested user namespace' \
	do='unshare -Ur chroot . /tools/nothing; unshare -Ur sh -c "cd / && echo x >\"$W/.env\""' harm='made .env'
attack names.overlay 'with the workspace as upper directory of an overlay' \
	do='mkdir lo wk mnt up; unshare -Urm sh -c "mount -t overlay -o lowerdir=lo,upperdir=up,workdir=wk,userxattr none mnt && echo x >mnt/.env"' \
	harm='made up/.env'
attack names.btrfs 'a btrfs subvolume named .vscode: the ioctl is refused by the filter' \
	do='$A sys btrfs-subvol' harm='[[ $OUT == *ENOTTY* || $OUT == *ok* ]]' errno='EPERM|EACCES' control="none:ran bare below"

# Policy rules of the user's own: exact, glob, directory, and no exemptions.
attack names.cli-glob '--deny-write with a glob, at any depth' \
	opts='--deny-write "**/*.lock"' do='mkdir -p a/b; $A make open a/b/x.lock' harm='made a/b/x.lock' \
	errno=EACCES event='file-create */a/b/x.lock'
attack names.cli-literal '--deny-write of a path that does not exist yet' \
	opts='--deny-write $W/out/secret' do='mkdir out; $A make open out/secret' harm='made out/secret' \
	errno=EACCES event='file-create */out/secret'
attack names.cli-literal-mkdir '--deny-write: nor a directory there' \
	opts='--deny-write $W/out/secret' do='mkdir out; $A make mkdir out/secret' harm='made out/secret' \
	errno=EACCES
attack names.cli-dir '--deny-write of a directory holds below it' setup='mkdir -p keep/sub' \
	opts='--deny-write $W/keep' do='$A make open keep/sub/new; $A make mkdir keep/d' \
	harm='made keep/sub/new || made keep/d' errno=EACCES event='file-create */keep/sub/new'
attack names.cli-brace '--deny-write with braces and a class' \
	opts='--deny-write "**/{a,b}[0-9].txt"' do='$A make open b7.txt' harm='made b7.txt' errno=EACCES
attack names.cli-deps '--deny-write of one'"'"'s own has no exemption below node_modules' \
	opts='--deny-write "**/*.lock"' do='mkdir -p node_modules/a; $A make open node_modules/a/x.lock' \
	harm='made node_modules/a/x.lock' errno=EACCES
attack names.cli-relative '--deny-write of a relative path' \
	opts='--deny-write data' do='$A make mkdir data; $A make open data' harm='made data' errno=EACCES

# A run where everything else is allowed still holds the mandatory names.
attack names.allow-does-not-lift '--allow-write of the name does not lift a mandatory protection' \
	opts='--allow-write $W/.mcp.json' do='$A make open .mcp.json' harm='made .mcp.json' errno=EACCES

done_testing
