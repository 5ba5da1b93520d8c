/* SPDX-License-Identifier: Apache-2.0 */
/* Git is judged by content, not by name (SPEC F6). Pure functions: which role a
 * path plays for some git, and whether bytes may play that role. No OS calls.
 *
 * The danger: a later git OUTSIDE the sandbox runs what the repository's
 * files tell it to (core.fsmonitor, hooks, filters, aliases, ...). */
#pragma once

#include "policy/spec.h"

enum git_role {
	GIT_NONE,
	GIT_CONFIG,     /* config, config.worktree of a git directory (".git", .git/modules/x, a bare one) */
	GIT_MODULES,    /* .gitmodules */
	GIT_POINTER,    /* ".git" as a file */
	GIT_COMMONDIR,  /* commondir */
	GIT_ALTERNATES, /* objects/info/alternates, objects/info/http-alternates */
	GIT_ATTRIBUTES, /* info/attributes of a git directory */
	GIT_HOOK,       /* any entry of a git directory's hooks/ */
	GIT_DOTGIT,     /* ".git" as a directory (mkdir ok, rename to/from and symlink not) */
	GIT_MARKER,     /* the entry that would make a directory outside .git a bare repository
			 * (HEAD, objects, refs: the last of the three) */
	GIT_DIRPART,    /* a directory whose replacement would move judged content:
			 * hooks, info, objects/info, modules, worktrees of a git directory */
};

/* The role the path would play once `type` exists there. Case-insensitive. */
enum git_role git_role(const char *path, enum file_type type, const struct dir_facts *facts);

/* Largest content that is judged, bytes; anything bigger is refused. */
#define GIT_CONTENT_MAX (256u * 1024u)

struct git_content {
	enum git_role role;
	const char *path;       /* absolute path of the file to be */
	const char *root;       /* the writable root it lies in */
	const char *old;        /* bytes in place now, NULL when none: entries that are
				 * already there may stay */
	size_t old_len;
	const char *bytes;
	size_t len;
};

/* true: may be put in place. false: reason (at most size bytes, escaped) says which
 * key or line is not on the allow-list. Never allocates, bounded time. */
bool git_content_ok(const struct git_content *c, char *reason, size_t size);
