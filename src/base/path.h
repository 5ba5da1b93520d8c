/* SPDX-License-Identifier: Apache-2.0 */
/* Paths as strings. Nothing here touches the file system. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Joins and normalises: removes "//", "/./", "." and trailing slashes; ".." is
 * resolved lexically (so only for paths a person wrote, never for enforcement).
 * p absolute: base ignored. Returns a new string (caller frees) or NULL. */
char *path_join(const char *base, const char *p);

/* true if path equals dir or lies below it; both normalised. "/" contains all. */
bool path_within(const char *path, const char *dir);

/* Pointer to the last component inside path ("" for "/"). */
const char *path_base(const char *path);
