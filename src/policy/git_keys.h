/* SPDX-License-Identifier: Apache-2.0 */
/* Which configuration keys cannot make git run anything, and with which values.
 * Internal to policy/git_*.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum git_key_kind {
	KEY_UNKNOWN, /* not on the list: only what is in place already may stay */
	KEY_PLAIN,   /* booleans, numbers, dates, enumerations, relative names */
	KEY_WORD,    /* letters, digits, "-", "_" */
	KEY_TEXT,    /* one line of anything printable */
	KEY_LINES,   /* as KEY_TEXT, with line breaks */
	KEY_REF,     /* ref names and refspecs */
	KEY_URL,
	KEY_REMOTE, /* the name of a remote, or a URL */
	KEY_TRUE,   /* "true" only */
	KEY_FALSE,  /* "false" only */
	KEY_SHARED, /* core.sharedRepository that gives strangers nothing */
	KEY_UPDATE, /* submodule.*.update without "!command" */
	KEY_TAGOPT,
	KEY_GPG_FORMAT,
	KEY_WORKTREE, /* core.worktree: needs the path of the file */
};

/* key as git_config_next() gives it. Sets *ret_sub and *ret_sub_len to the
 * subsection inside key (length 0 when there is none). */
enum git_key_kind git_key_kind(const char *key, const char **ret_sub, size_t *ret_sub_len);

/* Whether a subsection is safe as an argument of the commands git starts: names of
 * remotes, branches and submodules end up there. */
bool git_sub_ok(const char *sub, size_t len);

/* Whether a value is fine for its kind; value NULL: a key without "=". KEY_WORKTREE
 * and KEY_UNKNOWN never are. */
bool git_value_ok(enum git_key_kind kind, const char *value);

/* Whether a URL names a transport that runs no program of its writer's choice. */
bool git_url_ok(const char *url);

/* Is the key one of those that are known to start a program? */
bool git_key_runs(const char *key);

/* What a key that is not on the list does, for the message: "may run a program", or
 * "is not on the list of harmless keys". */
const char *git_key_danger(const char *key);
