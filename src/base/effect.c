/* SPDX-License-Identifier: Apache-2.0 */
#include "base/effect.h"

#include <stddef.h>

#include "base/str.h"

static const struct {
	const char *name;
	const char *text;
	bool destructive;
} effects[EFFECT_COUNT] = {
	[EFFECT_FILE_DELETE] = { "file-delete", "delete files", true },
	[EFFECT_FILE_WRITE_OUTSIDE] = { "file-write-outside", "write outside the workspace" },
	[EFFECT_GIT_COMMIT] = { "git-commit", "create a commit" },
	[EFFECT_GIT_PUSH] = { "git-push", "push to a remote", true },
	[EFFECT_PR_CREATE] = { "pr-create", "open a pull request" },
	[EFFECT_PR_PUBLISH] = { "pr-publish", "publish a review or merge", true },
	[EFFECT_TRACKER_WRITE] = { "tracker-write", "write to an external tracker" },
	[EFFECT_PACKAGE_INSTALL] = { "package-install", "install packages" },
	[EFFECT_NETWORK] = { "network", "reach the network" },
	[EFFECT_SECRET_READ] = { "secret-read", "read a secret" },
	[EFFECT_PROCESS] = { "process", "run a program" },
	[EFFECT_WORKSPACE_CHANGE] = { "workspace-change", "change the workspace's make-up" },
	[EFFECT_SANDBOX_CONTROL] = { "sandbox-control", "start or drive a sandbox" },
};

const char *effect_name(enum effect e)
{
	return effects[e].name;
}

int effect_parse(const char *name)
{
	for (size_t i = 0; i < EFFECT_COUNT; i++)
		if (streq(effects[i].name, name))
			return (int)i;
	return -1;
}

const char *effect_text(enum effect e)
{
	return effects[e].text;
}

bool effect_destructive(enum effect e)
{
	return effects[e].destructive;
}
