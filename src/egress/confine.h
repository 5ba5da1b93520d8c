/* SPDX-License-Identifier: Apache-2.0 */
/* The broker's own wall, raised before the first byte of the sandbox's is read: no file but
 * the resolver's, no program, no socket that is not of the internet or a packet of the
 * kernel's own. */
#pragma once

#include "base/err.h"

/* All of it, or a negative errno: err says which part failed. On a kernel without Landlock
 * (before 5.13, or not switched on) the rest holds, and *ret_lacks is a sentence that has to be
 * told; NULL otherwise. */
int confine(const char **ret_lacks, struct berm_err *err);
