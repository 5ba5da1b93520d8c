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
	GIT_CONFIG,    /* config, config.worktree of a git directory (".git", .git/modules/x, a bare
			  one) */
	GIT_MODULES,   /* .gitmodules */
	GIT_POINTER,   /* ".git" as a file (or symlink: refuse) */
	GIT_COMMONDIR, /* commondir */
	GIT_ALTERNATES, /* objects/info/alternates, objects/info/http-alternates */
	GIT_ATTRIBUTES, /* info/attributes of a git directory */
	GIT_STATE,	/* what an unfinished operation goes on with: rebase-merge/git-rebase-todo
			 * ("exec" lines), rebase-merge/strategy and sequencer/opts (git runs
			 * "git-merge-STRATEGY", slashes and all), MERGE_RR (paths that rerere
			 * writes to), remotes/ and branches/ (old forms of remote.*) */
	GIT_HOOK,	/* any entry of a git directory's hooks/ but a regular *.sample */
	GIT_DOTGIT,	/* ".git" as a directory (mkdir ok, rename to/from and symlink not) */
	GIT_MARKER,	/* the entry that would make a directory outside .git a bare repository
			 * (HEAD, objects, refs: the last of the three; commondir beside HEAD) */
	GIT_DIRPART,	/* a directory whose replacement would move judged content: hooks, info,
			 * objects, objects/info, modules, worktrees, rebase-merge, sequencer of a
			 * git directory, and each directory in modules and worktrees */
	GIT_LINK,	/* a symlink anywhere else in a git directory: git writes through it
			 * (logs/HEAD, COMMIT_EDITMSG, MERGE_MSG), what and where the command says */
};

/* The role the path would play once `type` exists there (FT_NONE: as FT_REG).
 * Case is folded, and so are the spellings that NTFS, HFS+ and ext4's folded
 * directories take for the same name. facts may be NULL: then only what the path
 * itself says counts, and bare repositories are not seen.
 *
 * What the caller does with it, for whatever would make, replace, change or link:
 * - content roles (git_role_has_content): regular files only, and only with bytes
 *   that git_content_ok() passed, in an inode that nobody else can write. Making a
 *   symlink, FIFO, socket, directory or hard link there is refused, and so is giving
 *   another hard link to what is there.
 * - GIT_HOOK, GIT_MARKER: refused.
 * - GIT_DOTGIT, GIT_DIRPART: mkdir is fine; for a symlink git_symlink_ok() decides.
 * - GIT_LINK: git_symlink_ok() decides.
 * - renames: git_rename_ok().
 * - removing is fine in every role, as far as git is concerned. */
enum git_role git_role(const char *path, enum file_type type, const struct dir_facts *facts);

static inline bool git_role_has_content(enum git_role role)
{
	return role >= GIT_CONFIG && role <= GIT_STATE;
}

/* Why the role is refused, static text. */
const char *git_role_reason(enum git_role role);

/* Is path part of the writable root's own repository that is not taken away: a
 * person's git works in it. Clones made inside may go. For paths that have a role. */
bool git_keeps(const char *root, const char *path);

/* Did the policy lift what guards the role ("unprotect": git-hooks, git-config)? */
static inline bool git_role_lifted(const struct spec *s, enum git_role role)
{
	return s->lifted.n && role != GIT_NONE &&
	       strv_has(&s->lifted, role == GIT_HOOK ? "git-hooks" : "git-config");
}

/* Whether a rename may go ahead. Facts are those of each side's parent directory;
 * NULL as for git_role(). An exchange is two renames: ask both ways.
 *
 * Directories: no judged directory (role GIT_DOTGIT or GIT_DIRPART) moves or is
 * replaced, none comes into a git directory from outside. The one exception is what
 * "git submodule absorbgitdirs" does: SUB/.git -> SUPER/.git/modules/NAME. (Its
 * config is judged in both places alike. The caller keeps the .git of a writable
 * root where it is.) "git worktree move" and "git mv SUBMODULE" rename ordinary
 * directories.
 * Regular files: true unless `to` is a hook or a marker; where `to` has a content
 * role the bytes are still to be judged. Symlinks and special files: true unless `to`
 * has any role. */
bool git_rename_ok(const char *from, const struct dir_facts *from_facts, const char *to,
		   const struct dir_facts *to_facts, enum file_type type);

/* Whether symlink(2) may make `path` lead to `target`: it has no role, it is a HEAD of the
 * old form (a link to refs/...), or it is how git asks the file system whether it has
 * symlinks (a link "tXXXXXX" to "testing" in a new git directory; when that fails, git sets
 * core.symlinks=false). Such a link can lead only to its own neighbour, which is judged under
 * its own path. */
bool git_symlink_ok(const char *path, const char *target, const struct dir_facts *facts);

/* Largest content that is judged, bytes; anything bigger is refused. */
#define GIT_CONTENT_MAX (256u * 1024u)

struct git_content {
	enum git_role role;
	const char *path; /* absolute path of the file to be */
	const char *root; /* the writable root it lies in */
	const char *old;  /* bytes in place now, NULL when none: entries that are
			   * already there may stay */
	size_t old_len;
	const char *bytes;
	size_t len;
	const char *const *roots; /* further writable roots that paths may lead to; may be NULL */
	size_t n_roots;
};

/* true: may be put in place. false: reason (at most size bytes, escaped) says which
 * key or line is not on the allow-list. Never allocates, bounded time. */
bool git_content_ok(const struct git_content *c, char *reason, size_t size);

/* The index and its shared base are judged too, but in their own way, for they are
 * binary, large and written by nearly every command. git trusts the paths in
 * them: an entry ".git/hooks/post-checkout" becomes a hook at the next
 * "git checkout -- ." outside. git_role() says GIT_NONE for them.
 *
 * Whether a path is an index for some git. Only a regular file may be there: no
 * symlink, no hard link, nothing still open for writing. */
bool git_is_index(const char *path, const struct dir_facts *facts);

/* Whether the bytes are an index that git can read and whose entries all stay in the
 * worktree; empty is fine. Never allocates, linear time (some 10 ms for 10 MiB). */
bool git_index_ok(const void *bytes, size_t len, char *reason, size_t size);
