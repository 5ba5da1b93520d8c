#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The escape corpus: run.sh [-j N] [-o ID-GLOB] [-s SUBJECT,...] [-k] BERM [SUBJECT...]
# Prints TAP. Runs as whoever calls it. See tests/lib.sh.

HERE=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/lib.sh
. "$HERE/../lib.sh"

# The long ones first: two run at a time.
SUBJECTS=(race git names lists agentdirs view lifecycle modify links ancestors deps reads modes syscalls
	proc net env exec ipc tty fds setid state promises)

suite_build()
{
	# shellcheck disable=SC2046
	${CC:-cc} -std=gnu17 -D_GNU_SOURCE -O1 -w -o "$T_BASE/bin/attack" \
		$(printf '%s\n' "$HERE"/attack/*.c) -pthread -lrt || return 1
	# Copies of the programs that berm does not let run: an attack must fail by
	# what it does, not by the name of its tool.
	local p tools=$T_BASE/tpl/home/src/proj/tools
	for p in unshare mount umount chroot nsenter setpriv; do
		p=$(PATH=$T_PATH command -v "$p") && cp -L "$p" "$tools/" && chmod 755 "$tools/${p##*/}"
	done
	cp "$T_BASE/bin/attack" "$tools/"
	secrets "$T_BASE/secrets"
}

# The user's secrets, as far as a home has them; each holds a canary.
secrets()
{
	local p
	while read -r p; do
		mkdir -p "$1/$(dirname "$p")"
		printf 'CANARY-%s\n' "$p" >"$1/$p"
	done <<-'LIST'
		.ssh/id_ed25519
		.ssh/config
		.aws/credentials
		.gnupg/private-keys-v1.d/key.gpg
		.config/gh/hosts.yml
		.config/gcloud/credentials.db
		.azure/msal_token_cache.json
		.kube/config
		.docker/config.json
		.netrc
		.git-credentials
		.npmrc
		.pypirc
		.cargo/credentials.toml
		.bash_history
		.python_history
		.vault-token
		.pgpass
		.password-store/mail.gpg
		.mozilla/firefox/cookies.sqlite
		.config/google-chrome/Default/Login
		.local/share/keyrings/login.keyring
		.claude/.credentials.json
		.codex/auth.json
		.config/github-copilot/hosts.json
		.terraform.d/credentials.tfrc.json
		.m2/settings.xml
		.config/rclone/rclone.conf
		.config/op/config
		.huggingface/token
	LIST
}

suite_main "$HERE" "$@"
