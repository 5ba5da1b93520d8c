# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Other names for a protected file: symlinks, hard links, descriptors (SPEC F4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

while IFS='|' read -r id setup do harm; do
	attack "links.$id" "$id" setup="$setup" do="$do" harm="$harm"
done <<'LIST'
final-symlink-create|true|ln -s .env x; echo evil >x|made .env
final-symlink-absolute|true|ln -s $W/.env x; echo evil >x|made .env
final-symlink-chain|true|ln -s .env a; ln -s a b; ln -s b c; echo evil >c|made .env
final-symlink-exists|ln -s .env x|echo evil >x|made .env
dir-symlink|true|ln -s .git/hooks x; echo evil >x/pre-commit|made .git/hooks/pre-commit
dir-symlink-chain|true|ln -s .git a; ln -s a/hooks b; echo evil >b/pre-commit|made .git/hooks/pre-commit
dir-symlink-dotdot|mkdir -p d/e|ln -s ../.. d/e/up; echo evil >d/e/up/.git/hooks/pre-commit|made .git/hooks/pre-commit
dir-symlink-proc|true|ln -s /proc/self/cwd/.git/hooks x; echo evil >x/pre-commit|made .git/hooks/pre-commit
dir-symlink-root|true|ln -s /proc/self/root/$W/.git/hooks x; echo evil >x/pre-commit|made .git/hooks/pre-commit
dir-symlink-fd|true|exec 7<.git/hooks; ln -s /proc/self/fd/7 x; echo evil >x/pre-commit|made .git/hooks/pre-commit
loop|true|ln -s loop loop; echo evil >loop; ln -s .env y; echo evil >y|made .env
trailing-slash|true|mkdir .claude/; mkdir x; echo evil >x/settings.json; mv -T x/ .claude/|grep -qs evil .claude/settings.json
hard-link-made|echo good >.env|ln .env x; echo evil >x|grep -qs evil .env
hard-link-made-L|echo good >.env; ln -s .env s|ln -L s x; echo evil >x|grep -qs evil .env
hard-link-dir-swap|echo good >.env; mkdir d|ln .env d/.env; echo evil >d/.env|grep -qs evil .env
hard-link-existing-config|ln .git/config x|printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>x|git_ran
hard-link-existing-settings|mkdir .claude; echo good >.claude/settings.json; ln .claude/settings.json x|echo evil >x|grep -qs evil .claude/settings.json
hard-link-existing-mcp|echo good >.mcp.json; ln .mcp.json x|echo evil >x|grep -qs evil .mcp.json
hard-link-existing-truncate|ln .git/config x|: >x|[[ ! -s .git/config ]]
hard-link-existing-mv|ln .git/config x|mv x y; echo evil >>y|grep -qs evil .git/config
symlinked-claude|mkdir store; ln -s store .claude|echo evil >store/settings.json|grep -qs evil .claude/settings.json
symlinked-claude-file|mkdir .claude store; echo good >store/s; ln -s ../store/s .claude/settings.json|echo evil >store/s|grep -qs evil .claude/settings.json
symlinked-codex|mkdir dots; ln -s dots .codex|echo evil >dots/config.toml|grep -qs evil .codex/config.toml
symlinked-hooks|rm -rf .git/hooks; mkdir h; ln -s ../h .git/hooks|printf '#!/bin/sh\ntouch %s\n' $PWN >h/pre-commit; chmod +x h/pre-commit|git_ran
symlinked-git|mv .git g; ln -s g .git|printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>g/config|git_ran
symlinked-env|echo good >vars; ln -s vars .env|echo evil >.env|grep -qs evil .env
fd-before-move|true|exec 7>x; mv x y; ln y .env; echo evil >&7|made .env
sendfd|true|/usr/bin/python3 -c 'import socket,os,array; a,b=socket.socketpair(); fd=os.open(".git/config", os.O_RDONLY); socket.send_fds(a, [b"x"], [fd]); m,f,_,_=socket.recv_fds(b, 1, 1); open("/proc/self/fd/%d" % f[0], "a").write("[evil]\n")'|grep -qs evil .git/config
LIST

attack links.map-files 'reopening a mapping through /proc/self/map_files' control='root:needs a capability' \
	setup='echo good >.env' \
	do='/usr/bin/python3 -c "
import mmap
f = open(\".env\")
m = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)
d = [l.split()[0] for l in open(\"/proc/self/maps\") if l.rstrip().endswith(\".env\")][0]
open(\"/proc/self/map_files/\" + d, \"w\").write(\"evil\")"' harm='grep -qs evil .env'

done_testing
