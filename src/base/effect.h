/* SPDX-License-Identifier: Apache-2.0 */
/* The effect classes: what an action does to the world, a closed set. Rules, modes and the
 * audit log speak of them; more than one may hold for an action. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum effect {
	EFFECT_FILE_DELETE,
	EFFECT_GIT_PUSH,
	EFFECT_PR_CREATE,
	EFFECT_PR_PUBLISH,
	EFFECT_VENDOR_SYNC_WRITE,
	EFFECT_FILE_WRITE_OUTSIDE_WORKTREE,
	EFFECT_GIT_COMMIT,
	EFFECT_NETWORK_EGRESS,
	EFFECT_SECRET_ACCESS,
	EFFECT_PACKAGE_INSTALL,
	EFFECT_PROCESS_SPAWN,
	EFFECT_WORKSPACE_MUTATION,
	EFFECT_ENCLOSURE_CONTROL,
	EFFECT_N,
};

/* A set of them. */
typedef uint16_t effects_t;
#define EFFECT_BIT(e) ((effects_t)(1u << (e)))
#define EFFECTS_ALL ((effects_t)((1u << EFFECT_N) - 1))

/* "gitPush": the name in settings and in the audit log. */
const char *effect_name(enum effect e);

/* The class of that name, len bytes long. Returns false when there is none. */
bool effect_parse(const char *name, size_t len, enum effect *ret);

/* "push to a remote", for sentences. */
const char *effect_text(enum effect e);

/* Not to be undone: a question about it says so. */
bool effect_destructive(enum effect e);
