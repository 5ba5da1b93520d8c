/* SPDX-License-Identifier: Apache-2.0 */
/* Roles of paths. A ".git" component says by itself what everything below it is;
 * elsewhere the question is whether an ancestor is a bare repository, and only the
 * directory's entries tell (struct dir_facts). They are asked last, and only for
 * names that would play a role there. */
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/git.h"
#include "policy/git_path.h"

/* Deepest judged entry of a bare repository, in levels below it:
 * worktrees/NAME/modules/NAME/objects/info/alternates. */
#define FACTS_DEPTH 7

static bool is_link_or_dir(enum file_type type)
{
	return type == FT_DIR || type == FT_SYMLINK;
}

/* An entry of a directory that may be a git directory. */
static enum git_role role_in_gitdir(enum git_place place, enum git_name name, enum file_type type)
{
	switch (name) {
	case NAME_CONFIG:
	case NAME_CONFIG_WORKTREE:
		/* A submodule may be called "config". */
		if (place == PLACE_MODULE && type == FT_DIR)
			return GIT_DIRPART;
		return GIT_CONFIG;
	case NAME_COMMONDIR:
		return place == PLACE_MODULE && type == FT_DIR ? GIT_DIRPART : GIT_COMMONDIR;
	case NAME_MERGE_RR:
		return place == PLACE_MODULE && type == FT_DIR ? GIT_DIRPART : GIT_STATE;
	case NAME_HOOKS:
	case NAME_INFO:
	case NAME_OBJECTS:
	case NAME_MODULES:
	case NAME_WORKTREES:
	case NAME_REBASE_MERGE:
	case NAME_REBASE_APPLY:
	case NAME_SEQUENCER:
	case NAME_REMOTES:
	case NAME_BRANCHES:
		return is_link_or_dir(type) ? GIT_DIRPART : GIT_NONE;
	default:
		/* refs and logs of a module end its name; they hold nothing judged. */
		if (place == PLACE_MODULE && is_link_or_dir(type) &&
		    git_place_next(place, name) == PLACE_MODULE)
			return GIT_DIRPART;
		return GIT_NONE;
	}
}

static enum git_role role_in_state(enum git_name name)
{
	return name == NAME_TODO || name == NAME_STRATEGY || name == NAME_OPTS ? GIT_STATE
									       : GIT_NONE;
}

/* The role of the last component in a directory whose place is known, but for GIT_LINK. */
static enum git_role role_of_name(enum git_place place, const char *base, enum git_name name,
				  enum file_type type)
{
	if (name == NAME_DOTGIT)
		return type == FT_DIR ? GIT_DOTGIT : GIT_POINTER;
	if (name == NAME_GITMODULES)
		return GIT_MODULES;
	switch (place) {
	case PLACE_TOP:
	case PLACE_WORKTREE:
	case PLACE_MODULE:
		return role_in_gitdir(place, name, type);
	case PLACE_MODULES:
	case PLACE_WORKTREES:
		return is_link_or_dir(type) ? GIT_DIRPART : GIT_NONE;
	case PLACE_HOOKS:
		/* The templates that "git init" copies; git runs none of them. */
		if ((type == FT_REG || type == FT_NONE) && str_ends(base, ".sample"))
			return GIT_NONE;
		return GIT_HOOK;
	case PLACE_INFO:
		return name == NAME_ATTRIBUTES ? GIT_ATTRIBUTES : GIT_NONE;
	case PLACE_OBJECTS:
		return name == NAME_INFO && is_link_or_dir(type) ? GIT_DIRPART : GIT_NONE;
	case PLACE_OBJECTS_INFO:
		return name == NAME_ALTERNATES || name == NAME_HTTP_ALTERNATES ? GIT_ALTERNATES
									       : GIT_NONE;
	case PLACE_STATE:
		return role_in_state(name);
	case PLACE_LEGACY:
		return GIT_STATE;
	default:
		return GIT_NONE;
	}
}

static enum git_role role_at(enum git_place place, const char *base, enum git_name name,
			     enum file_type type)
{
	enum git_role role = role_of_name(place, base, name, type);

	return role == GIT_NONE && type == FT_SYMLINK && place != PLACE_OUTSIDE ? GIT_LINK : role;
}

static bool fact(const struct dir_facts *f, unsigned up, const char *name)
{
	enum file_type type = up == 0 ? f->entry(f->ctx, name) : f->entry_above(f->ctx, up, name);

	return type != FT_NONE;
}

/* What makes git take a directory for a git directory, or for the common directory
 * of one (a linked worktree's works without the HEAD of the main one). `with` counts
 * as present: the entry about to appear. Types are not looked at: git asks
 * access(X_OK), which symlinks and executable files pass. */
static bool complete(const struct dir_facts *f, unsigned up, enum git_name with)
{
	bool head = with == NAME_HEAD || fact(f, up, "HEAD");

	if (head && (with == NAME_COMMONDIR || fact(f, up, "commondir")))
		return true;
	return (with == NAME_OBJECTS || fact(f, up, "objects")) &&
	       (with == NAME_REFS || fact(f, up, "refs")) &&
	       (head || with == NAME_WORKTREES || fact(f, up, "worktrees"));
}

/* If the directory `up` levels above the parent were a git directory, would the
 * path play a role? Only then it is worth asking whether it is one. */
static enum git_role role_by_facts(const char *path, const char *base, enum git_name name,
				   enum file_type type, const struct dir_facts *facts)
{
	enum git_name above[FACTS_DEPTH]; /* nearest first */
	const char *end = base;
	unsigned n = 0;
	bool any = name != NAME_OTHER;

	while (n < FACTS_DEPTH && end - path > 1) {
		const char *start = end - 1;

		while (start > path && start[-1] != '/')
			start--;
		above[n] = git_name(start, (size_t)(end - 1 - start));
		any = any || above[n] != NAME_OTHER;
		n++;
		end = start;
	}
	/* A symlink plays one under any name, but deeper down only below git's own. */
	if (!any && type == FT_SYMLINK)
		n = 0;
	for (unsigned up = 0; (any || type == FT_SYMLINK) && up <= n; up++) {
		enum git_place place = PLACE_TOP;
		enum git_role role;

		for (unsigned i = up; i-- > 0;)
			place = git_place_next(place, above[i]);
		role = role_at(place, base, name, type);
		if (role != GIT_NONE && complete(facts, up, NAME_OTHER))
			return role;
	}
	return GIT_NONE;
}

static bool is_marker(enum git_name name, const struct dir_facts *facts)
{
	switch (name) {
	case NAME_HEAD:
	case NAME_OBJECTS:
	case NAME_REFS:
	case NAME_COMMONDIR:
	case NAME_WORKTREES:
		return !complete(facts, 0, NAME_OTHER) && complete(facts, 0, name);
	default:
		return false;
	}
}

enum git_role git_role(const char *path, enum file_type type, const struct dir_facts *facts)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	enum git_place place = git_place_walk(PLACE_OUTSIDE, path, (size_t)(base - path));
	enum git_name name = git_name(base, strlen(base));
	enum git_role role = role_at(place, base, name, type), by_facts;

	if (!facts || git_place_is_gitdir(place) || place == PLACE_HOOKS ||
	    (role != GIT_NONE && role != GIT_LINK))
		return role;
	by_facts = role_by_facts(path, base, name, type, facts);
	if (by_facts != GIT_NONE)
		return by_facts;
	return is_marker(name, facts) ? GIT_MARKER : role;
}

bool git_symlink_ok(const char *path, const char *target, const struct dir_facts *facts)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	enum git_role role = git_role(path, FT_SYMLINK, facts);
	char unused[PATH_MAX];

	if (role == GIT_NONE)
		return true;
	if (role == GIT_LINK && streq(base, "HEAD"))
		return str_starts(target, "refs/") &&
		       git_resolve("/", target, strlen(target), unused, sizeof(unused));
	return streq(target, "testing") && base[0] == 't' && strlen(base) == 7 &&
	       git_name(base, 7) == NAME_OTHER &&
	       (role == GIT_LINK ||
		git_place_walk(PLACE_OUTSIDE, path, (size_t)(base - path)) == PLACE_MODULE);
}

bool git_is_index(const char *path, const struct dir_facts *facts)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	if (git_name(base, strlen(base)) != NAME_INDEX)
		return false;
	if (git_place_is_gitdir(git_place_walk(PLACE_OUTSIDE, path, (size_t)(base - path))))
		return true;
	/* A bare one's worktree has its own index, maybe before its HEAD. */
	return facts && (complete(facts, 0, NAME_OTHER) ||
			 (complete(facts, 2, NAME_OTHER) && fact(facts, 2, "worktrees")));
}

/* What "git submodule absorbgitdirs" does. */
static bool is_absorb(const char *from, const char *to)
{
	const char *base = strrchr(from, '/');

	return base && strcmp(base, "/.git") == 0 &&
	       git_place_walk(PLACE_OUTSIDE, from, (size_t)(base - from)) == PLACE_OUTSIDE &&
	       git_place(to) == PLACE_MODULE;
}

bool git_rename_ok(const char *from, const struct dir_facts *from_facts, const char *to,
		   const struct dir_facts *to_facts, enum file_type type)
{
	enum git_role role = git_role(to, type, to_facts);

	if (type == FT_REG || type == FT_NONE)
		return role != GIT_HOOK && role != GIT_MARKER;
	if (type != FT_DIR)
		return role == GIT_NONE;
	if (is_absorb(from, to))
		return true;
	if (role != GIT_NONE || git_role(from, type, from_facts) != GIT_NONE)
		return false;
	return git_place(to) == PLACE_OUTSIDE || git_place(from) != PLACE_OUTSIDE;
}

const char *git_role_reason(enum git_role role)
{
	switch (role) {
	case GIT_HOOK:
		return "a git hook would run outside the sandbox";
	case GIT_MARKER:
		return "this would make the directory a git repository of its own";
	case GIT_DOTGIT:
	case GIT_DIRPART:
		return "a directory of git's that is not made in place";
	case GIT_LINK:
		return "a link among git's files: git outside would write through it";
	default:
		return "git's file must be a regular file";
	}
}

bool git_keeps(const char *root, const char *path)
{
	const char *rel = path + strlen(root);

	if (streq_fold(path_base(root), ".git"))
		return streq_fold(rel, "/config") || strncasecmp(rel, "/hooks/", 7) == 0;
	return streq_fold(rel, "/.git") || streq_fold(rel, "/.git/config") ||
	       streq_fold(rel, "/.git/hooks") || strncasecmp(rel, "/.git/hooks/", 12) == 0;
}
