/* SPDX-License-Identifier: Apache-2.0 */
/* The names git gives meaning to, and where in a git directory a path is. Internal
 * to policy/git_*.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum git_name {
	NAME_OTHER,
	NAME_DOTGIT,
	NAME_GITMODULES,
	NAME_CONFIG,
	NAME_CONFIG_WORKTREE,
	NAME_COMMONDIR,
	NAME_HEAD,
	NAME_REFS,
	NAME_LOGS,
	NAME_HOOKS,
	NAME_INFO,
	NAME_OBJECTS,
	NAME_MODULES,
	NAME_WORKTREES,
	NAME_ATTRIBUTES,
	NAME_ALTERNATES,
	NAME_HTTP_ALTERNATES,
	NAME_REBASE_MERGE,
	NAME_REBASE_APPLY,
	NAME_SEQUENCER,
	NAME_REMOTES,
	NAME_BRANCHES,
	NAME_TODO, /* git-rebase-todo, todo */
	NAME_OPTS,
	NAME_STRATEGY,
	NAME_MERGE_RR,
	NAME_INDEX, /* index, sharedindex.* */
};

/* Which of the names a component is, on whichever file system: ASCII case, the
 * code points HFS+ and ext4 ignore or fold, and NTFS's trailing dots, spaces,
 * streams and short names are folded away. */
enum git_name git_name(const char *s, size_t len);

/* What a directory is to git; the state of a walk down a path. */
enum git_place {
	PLACE_OUTSIDE,	 /* in no git directory */
	PLACE_TOP,	 /* a ".git" */
	PLACE_WORKTREE,	 /* worktrees/NAME: a git directory with a commondir */
	PLACE_MODULE,	 /* below modules/: a git directory, or part of a submodule's name */
	PLACE_MODULES,	 /* modules itself */
	PLACE_WORKTREES, /* worktrees itself */
	PLACE_HOOKS,	 /* hooks or below */
	PLACE_INFO,
	PLACE_OBJECTS,
	PLACE_OBJECTS_INFO,
	PLACE_STATE,  /* rebase-merge, rebase-apply, sequencer */
	PLACE_LEGACY, /* remotes, branches, or below */
	PLACE_INSIDE, /* elsewhere in a git directory: refs, logs, objects/xx, lfs, ... */
};

enum git_place git_place_next(enum git_place place, enum git_name name);

/* Walks the components of path[0..len) from `place` on. */
enum git_place git_place_walk(enum git_place place, const char *path, size_t len);

/* The place a whole directory path is. */
enum git_place git_place(const char *dir);

static inline bool git_place_is_gitdir(enum git_place place)
{
	return place == PLACE_TOP || place == PLACE_WORKTREE || place == PLACE_MODULE;
}

/* Resolves path[0..len), as found in a file, against the absolute directory dir.
 * ".." is taken only in front (there it is exact, dir being canonical; after a name
 * it could be a symlink's). Returns false for anything else, and when dst is
 * too small or the path climbs above "/". */
bool git_resolve(const char *dir, const char *path, size_t len, char *dst, size_t size);
