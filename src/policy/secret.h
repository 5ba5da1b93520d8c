/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in lists of secrets, asked about any path: a spec has rules only for those that its
 * view could show. */
#pragma once

#include "base/data_list.h"
#include "policy/spec.h"

/* Is path one of data/secret-paths, or below one? Not when that protection is lifted. */
bool secret_place(const struct spec *s, const char *path, struct data_entry *ret);

/* Does one of them lie in dir? */
bool secret_place_below(const struct spec *s, const char *dir);

/* Does the last component look like that of a secret (data/secret-names)? */
bool secret_name(const char *path, struct data_entry *ret);
