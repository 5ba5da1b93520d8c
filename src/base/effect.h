/* SPDX-License-Identifier: Apache-2.0 */
/* What an action does to the world, in classes: a closed set. shell/ finds them in a command
 * line, settings files name them, guard/ decides by them (SPEC G1). */
#pragma once

#include <stdbool.h>

enum effect {
	EFFECT_FILE_DELETE,
	EFFECT_FILE_WRITE_OUTSIDE, /* outside the workspace */
	EFFECT_GIT_COMMIT,
	EFFECT_GIT_PUSH,
	EFFECT_PR_CREATE,
	EFFECT_PR_PUBLISH, /* publish a review, merge, comment, close */
	EFFECT_TRACKER_WRITE,
	EFFECT_PACKAGE_INSTALL,
	EFFECT_NETWORK,
	EFFECT_SECRET_READ,
	EFFECT_PROCESS,
	EFFECT_WORKSPACE_CHANGE, /* repositories, agents, what a workspace is made of */
	EFFECT_SANDBOX_CONTROL,	 /* start or drive a sandbox or a VM */
	EFFECT_COUNT,
};

/* A set of them. */
#define EFFECT_BIT(e) (1u << (e))

/* "git-push". */
const char *effect_name(enum effect e);

/* By its name; -1 when there is none of this name. */
int effect_parse(const char *name);

/* "push to a remote", for sentences. */
const char *effect_text(enum effect e);

/* Not to be undone: what asks about it says so. */
bool effect_destructive(enum effect e);
