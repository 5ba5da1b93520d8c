/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: the directories and the environment of a spec. */
#pragma once

#include <sys/types.h>

#include "policy/resolve.h"

/* Home, state folder and workspaces: what must be known to find the settings. */
int places_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err);

/* A spec that knows only its home and state folder (and a session id). */
int places_state(const struct policy_input *in, struct spec **ret, struct berm_err *err);

/* After the settings: the private home, what is shown read-only over it. */
int view_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err);

/* After the rules: what the view shows and rules hide must be masked; a workspace
 * or a grant that a protection covers is an error. */
int view_check(struct spec *s, const struct policy_input *in, struct berm_err *err);

/* Does the view, as it stands, show path (outside the writable roots)? */
bool view_shows(const struct spec *s, const char *path);

/* One of the machine's own directories, which no user writes? */
bool view_is_system(const char *path);

/* As view_shows(), with what a command may do there. */
enum view_kind { VIEW_NOTHING, VIEW_PRIVATE, VIEW_READ_ONLY, VIEW_DEVICE };
enum view_kind view_kind(const struct spec *s, const char *path);

/* Add a writable root, or a tree that is shown read-only. All is copied. 0 or -ENOMEM. */
int spec_add_root(struct spec *s, const char *path, enum root_kind kind, bool read_only,
		  bool is_file, const struct origin *origin);
int spec_add_read(struct spec *s, const char *path, const char *source,
		  const struct origin *origin);

/* A kernel interface, or a place whose name must stay private: never writable for
 * a command. */
bool is_machine_place(const char *path);

/* path with symlinks resolved as far as it exists; what does not exist is
 * appended as spelled. Caller frees. NULL when out of memory. */
char *path_resolve(const char *path);

/* Makes a directory and its parents. */
int make_dirs(const char *path, mode_t mode);

/* A folder that holds what a run trusts must be the user's own. */
int check_owned(const char *path, unsigned uid, struct berm_err *err);

/* The command's environment. */
int env_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err);

/* The value of name in a NULL-terminated environment, NULL when it is not set. */
const char *env_get(char *const *vars, const char *name);
