/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: the directories and the environment of a spec. */
#pragma once

#include "policy/resolve.h"

/* Home, state folder, workspaces, private home, readable trees. */
int places_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err);

/* The command's environment. */
int env_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err);

/* The value of name in a NULL-terminated environment, NULL when it is not set. */
const char *env_get(char *const *environ, const char *name);
