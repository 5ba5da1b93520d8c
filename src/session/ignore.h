/* SPDX-License-Identifier: Apache-2.0 */
/* ignore_violations: known noise that is neither told nor counted (SPEC S6). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* true when the pattern matches the whole text. "*" stands for any bytes ("/"
 * too), everything else for itself. Time is at most pattern times text. */
bool ignore_match(const char *pattern, const char *text, size_t len);
