/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/effect.h"

#include <string.h>

static const char *const names[EFFECT_N] = {
	[EFFECT_FILE_DELETE] = "fileDelete",
	[EFFECT_GIT_PUSH] = "gitPush",
	[EFFECT_PR_CREATE] = "prCreate",
	[EFFECT_PR_PUBLISH] = "prPublish",
	[EFFECT_VENDOR_SYNC_WRITE] = "vendorSyncWrite",
	[EFFECT_FILE_WRITE_OUTSIDE_WORKTREE] = "fileWriteOutsideWorktree",
	[EFFECT_GIT_COMMIT] = "gitCommit",
	[EFFECT_NETWORK_EGRESS] = "networkEgress",
	[EFFECT_SECRET_ACCESS] = "secretAccess",
	[EFFECT_PACKAGE_INSTALL] = "packageInstall",
	[EFFECT_PROCESS_SPAWN] = "processSpawn",
	[EFFECT_WORKSPACE_MUTATION] = "workspaceMutation",
	[EFFECT_ENCLOSURE_CONTROL] = "enclosureControl",
};

const char *effect_name(enum effect e)
{
	return names[e];
}

bool effect_parse(const char *name, size_t len, enum effect *ret)
{
	for (unsigned i = 0; i < EFFECT_N; i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0) {
			*ret = (enum effect)i;
			return true;
		}
	return false;
}
