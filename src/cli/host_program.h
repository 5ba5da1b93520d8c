/* SPDX-License-Identifier: Apache-2.0 */
/* Where the host has a program of a name. It informs; nothing is started by it. */
#pragma once

#include <stdbool.h>

/* Is there an executable file? */
bool host_has_program(const char *path);

/* The first executable file `name` in the folders of path (PATH's form; NULL: the usual ones).
 * Caller frees; NULL: there is none. */
char *host_program(const char *name, const char *path);
