# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The exemption of dependency folders is no way in: a name that may lie below
# node_modules does not come out of it (DESIGN 4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

exchange='/usr/bin/python3 -c "import ctypes,sys; ctypes.CDLL(None).syscall(316, -100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)"'

while IFS='|' read -r id setup do harm; do
	attack "deps.$id" "$id" setup="$setup" do="${do//EXCHANGE/$exchange}" harm="$harm"
done <<'LIST'
file-out|true|mkdir -p node_modules/p; echo X >node_modules/p/.env; mv node_modules/p/.env .env|made .env
file-out-link|true|mkdir -p node_modules/p; echo X >node_modules/p/.env; ln node_modules/p/.env .env|made .env
package-out|true|mkdir -p node_modules/p; echo X >node_modules/p/.env; mv node_modules/p p|made p/.env
package-out-rename|true|mkdir -p node_modules/p; echo X >node_modules/p/.env; perl -e 'rename("node_modules/p", "p") or print "$!\n"'|made p/.env
package-out-exchange|true|mkdir -p node_modules/p q; echo X >node_modules/p/.env; EXCHANGE node_modules/p q|made q/.env
folder-renamed|true|mkdir -p node_modules/p; echo X >node_modules/p/.env; mv node_modules lib|made lib/p/.env
folder-renamed-rename|true|mkdir -p node_modules/p; echo X >node_modules/.env; perl -e 'rename("node_modules", "lib") or print "$!\n"'|made lib/.env
folder-exchanged|true|mkdir -p node_modules q; echo X >node_modules/.env; EXCHANGE node_modules q|made q/.env
folder-parent-moved-in|true|mkdir -p a/vendor; echo X >a/vendor/.env; perl -e 'rename("a/vendor", "b")'|made b/.env
here-symlink|true|ln -s . node_modules; echo X >node_modules/.env|made .env
here-symlink-deep|true|mkdir d; ln -s .. d/vendor; echo X >d/vendor/.env|made .env
symlink-out|true|mkdir node_modules; ln -s .. node_modules/up; echo X >node_modules/up/.env|made .env
dotdot|true|mkdir node_modules; echo X >node_modules/../.env|made .env
deep-dotdot|true|mkdir -p node_modules/a; echo X >node_modules/a/../../.env|made .env
upper-case|true|mkdir NODE_MODULES; echo X >NODE_MODULES/.env|made NODE_MODULES/.env
lookalike|true|mkdir node_modules2; echo X >node_modules2/.env|made node_modules2/.env
file-named|true|mkdir -p d; echo X >d/node_modules; echo X >d/.env|made d/.env
vscode-out|true|mkdir -p node_modules/p/.vscode; echo evil >node_modules/p/.vscode/tasks.json; mv node_modules/p/.vscode .vscode|made .vscode/tasks.json
claude-out|true|mkdir -p node_modules/p/.claude; echo evil >node_modules/p/.claude/settings.json; perl -e 'rename("node_modules/p/.claude", ".claude")'|made .claude/settings.json
git-hook-inside|true|mkdir -p node_modules/p/.git/hooks; printf '#!/bin/sh\ntouch %s\n' $PWN >node_modules/p/.git/hooks/pre-commit; chmod +x node_modules/p/.git/hooks/pre-commit; git init -q node_modules/p|git_ran
git-out|true|mkdir -p node_modules/p; git init -q node_modules/p; printf '[core]\n\tfsmonitor = "touch %s;false"\n' $PWN >>node_modules/p/.git/config; mv node_modules/p p|git_ran
repository-in-dep|true|mkdir -p node_modules/p; git init -q node_modules/p; mkdir node_modules/p/.claude; echo evil >node_modules/p/.claude/settings.json; mv node_modules/p p|made p/.claude/settings.json && made p/.git/HEAD
mcp-out|true|mkdir -p vendor; echo evil >vendor/.mcp.json; mv vendor/.mcp.json .|made .mcp.json
key-out|true|mkdir -p target; echo evil >target/id_rsa; cp target/id_rsa .|made id_rsa
LIST

done_testing
