/* SPDX-License-Identifier: Apache-2.0 */
/* The names of private homes in berm's state: homes/WORKSPACE-HASH (view.c). What is written
 * there is judged by no rule, so nothing in a workspace may lead a host's tool to it. */
#pragma once

#include <stdbool.h>

/* Would the text, as a path, go into a private home or to the directory of all of them: is
 * there a "homes/NAME-HASH" or a "berm/homes" in it, or the session's own NAME-HASH (may be
 * NULL)? */
bool names_private_home(const char *path, const char *own);

/* Stricter, for places where no such name has any other use: any component "NAME-HASH". The
 * text may be percent-encoded, as git decodes its URLs. */
bool may_name_private_home(const char *text);
