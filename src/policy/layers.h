/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: finding and reading the settings files. */
#pragma once

#include "policy/settings.h"

#define PROJECT_FILE ".berm/policy.json"
#define LOCAL_FILE ".berm/policy.local.json"

/* Reads every layer of this run into l, weakest first. s must have its home, state
 * folder and workspaces; notes go to s->notes. */
int layers_read(struct spec *s, const struct policy_input *in, struct settings_list *l,
		struct berm_err *err);

/* A settings file that only user uid or root can have written. -ENOENT: there is none. */
int settings_read_owned(const char *path, unsigned uid, char **ret, size_t *ret_len,
			struct berm_err *err);

/* Directory of the user's settings. Caller frees; NULL when out of memory. */
char *user_config_dir(const struct policy_input *in, const char *user_home);

/* A project's settings file (rel below dir), no symbolic link followed.
 * Returns 0, -ENOENT when there is none, else an error. */
int project_read(const char *dir, const char *rel, char **ret_text, size_t *ret_len,
		 struct berm_err *err);
