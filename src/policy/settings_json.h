/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as a policy file of berm's own. */
#pragma once

#include "policy/front.h"

/* A policy that says what the file's two lists say, with the remarks as comments at its head.
 * *ret_lost: so many things it cannot say (each is a comment as well). */
int settings_to_json(const struct front_parts *parts, struct buf *out, size_t *ret_lost);
