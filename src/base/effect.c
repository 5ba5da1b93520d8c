/* SPDX-License-Identifier: Apache-2.0 */
#include "base/effect.h"

#include <string.h>

static const struct {
	const char *name;
	const char *text;
	bool destructive;
} effects[EFFECT_N] = {
	[EFFECT_FILE_DELETE] = { "fileDelete", "delete files", true },
	[EFFECT_GIT_PUSH] = { "gitPush", "push to a remote", true },
	[EFFECT_PR_CREATE] = { "prCreate", "open a pull request" },
	[EFFECT_PR_PUBLISH] = { "prPublish", "publish a review or merge", true },
	[EFFECT_VENDOR_SYNC_WRITE] = { "vendorSyncWrite", "write to an external tracker" },
	[EFFECT_FILE_WRITE_OUTSIDE_WORKTREE] = { "fileWriteOutsideWorktree",
						 "write outside the workspace" },
	[EFFECT_GIT_COMMIT] = { "gitCommit", "create a commit" },
	[EFFECT_NETWORK_EGRESS] = { "networkEgress", "reach the network" },
	[EFFECT_SECRET_ACCESS] = { "secretAccess", "read a secret" },
	[EFFECT_PACKAGE_INSTALL] = { "packageInstall", "install packages" },
	[EFFECT_PROCESS_SPAWN] = { "processSpawn", "run a program" },
	[EFFECT_WORKSPACE_MUTATION] = { "workspaceMutation",
					"change what the workspace is made of" },
	[EFFECT_ENCLOSURE_CONTROL] = { "enclosureControl", "start or drive a sandbox" },
};

const char *effect_name(enum effect e)
{
	return effects[e].name;
}

bool effect_parse(const char *name, size_t len, enum effect *ret)
{
	for (size_t i = 0; i < EFFECT_N; i++) {
		if (strlen(effects[i].name) == len && memcmp(effects[i].name, name, len) == 0) {
			*ret = (enum effect)i;
			return true;
		}
	}
	return false;
}

const char *effect_text(enum effect e)
{
	return effects[e].text;
}

bool effect_destructive(enum effect e)
{
	return effects[e].destructive;
}
