# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# A protected file that is there does not change, by any call (SPEC F3, F4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

while read -r name setup; do
	for form in $("$T_BASE/bin/attack" list modify | cut -d' ' -f2); do
		case $form in
		# refused whole by the filter or by Landlock: no event
		uring-* | i386-* | x32-* | ioctl-setflags | rename-whiteout | reopen-*) event='' ;;
		hard-link-* | symlink-*) event='file-* *' ;;
		*) event="file-* */$name" ;;
		esac
		attack "modify.$form.${name##*/}" "$form does not change $name" \
			setup="$setup; remember $name" do="\$A modify $form $name" harm="changed $name" \
			errno='EACCES|EPERM|EROFS|ENOSYS|ENOTTY|EXDEV' event="$event"
	done
done <<'LIST'
.env echo A=1 >.env
.mcp.json echo {} >.mcp.json
.git/hooks/pre-push printf '#!/bin/sh\nexit 1\n' >.git/hooks/pre-push; chmod +x .git/hooks/pre-push
LIST

# A git config is judged by its content: a descriptor may be given, what is written
# to it is not put in place. Its times and its emptiness are no harm.
for form in $("$T_BASE/bin/attack" list modify | cut -d' ' -f2); do
	case $form in
	*trunc* | *chmod* | *utime* | *setxattr* | ioctl-setflags) continue ;;
	esac
	attack "modify.$form.config" "$form does not spoil .git/config" \
		do="\$A modify $form .git/config" harm='[[ ! -f .git/config || -L .git/config ]] || grep -q -e PWN -e planted .git/config'
done

# The other files of the kind, by the plainest calls.
while read -r name; do
	for form in open-wronly rename-over unlink; do
		attack "modify.$form.$name" "$form does not change $name" \
			setup="mkdir -p $(dirname "$name"); echo old >$name; remember $name" \
			do="\$A modify $form $name" harm="changed $name" errno=EACCES event="file-* */$name"
	done
done <<'LIST'
.git/hooks/pre-commit
.claude/settings.json
.claude/settings.local.json
.claude/skills/s/SKILL.md
.codex/config.toml
.vscode/tasks.json
.idea/workspace.xml
.bashrc
server.key
sub/.env
LIST

# Outside every writable root nothing changes at all.
attack modify.outside.system 'a file of the system' control='root:only root could' \
	do=': >>/etc/hostname && echo OPENED' harm='[[ $OUT == *OPENED* ]]'
attack modify.outside.sibling 'a file of the project next door' setup='remember $H/src/other/secret.txt' \
	do='echo x >$H/src/other/secret.txt' harm='changed "$H/src/other/secret.txt"'
attack modify.outside.dotdot 'by ../' setup='remember $H/src/other/secret.txt' \
	do='echo x >../other/secret.txt; echo x >$W/../other/secret.txt' harm='changed "$H/src/other/secret.txt"'
attack modify.outside.new 'a new file next door' do='echo x >../new; echo x >$H/new' \
	harm='made "$H/new" || made "$H/src/new"'
attack modify.outside.symlink 'through a symlink planted in the workspace' setup='remember $H/src/other/secret.txt' \
	do='ln -s $H/src/other o; echo x >o/secret.txt; echo x >o/new' harm='changed "$H/src/other/secret.txt" || made "$H/src/other/new"'
attack modify.outside.existing-symlink 'through a symlink that was there' \
	setup='ln -s "$H/src/other" o; remember $H/src/other/secret.txt' \
	do='echo x >o/secret.txt; echo x >o/new; mv README.md o/moved' \
	harm='changed "$H/src/other/secret.txt" || made "$H/src/other/new" || made "$H/src/other/moved"'
attack modify.outside.file-symlink 'through a symlink to a file outside' \
	setup='ln -s "$H/src/other/secret.txt" o; remember $H/src/other/secret.txt' \
	do='echo x >o; : >>o; truncate -s 0 o; chmod 777 o' harm='changed "$H/src/other/secret.txt"'
for rc in .bashrc .profile .zshrc .zshenv .ssh/authorized_keys .config/autostart/x.desktop .local/bin/x \
	.config/systemd/user/x.service .npmrc .cargo/config.toml .config/fish/config.fish .xinitrc \
	.pam_environment .config/environment.d/x.conf .local/share/applications/x.desktop .vimrc .gitconfig; do
	attack "modify.home.$rc" "~/$rc of the user does not change" setup="remember \"\$H/$rc\"" \
		do="mkdir -p \$H/$(dirname "$rc"); echo 'evil' >>\$H/$rc; cat \$H/$rc; true" harm="changed \"\$H/$rc\""
done

done_testing
