/* SPDX-License-Identifier: Apache-2.0 */
/* Adding one value to a settings file that a person wrote: comments, order, indentation and
 * line ends stay as they are. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define JSONC_PATH_MAX 8

struct jsonc_change {
	const char *path[JSONC_PATH_MAX]; /* keys from the root to the container, NULL-ended */
	const char *name;  /* the member that is set; NULL: the container is a list, to which the
			    * value is added unless it is there */
	const char *value; /* a string */
	const char *json;  /* instead of value: any value, as JSON in one line */
	const char *note;  /* a comment behind it, where it gets a line of its own; NULL none. No
			    * line end is in it */
	bool unless_there; /* a member that is there stays as it is */
	bool remove;	   /* of a list: the value is taken out; with it goes a comment before it */
};

/* Writes text (len bytes; empty or only comments: as if "{}") with the change into out. 0: done,
 * 1: it says that already (or holds nothing to take out) (out is the same text). Errors read
 * "name:line: what": the text is no JSON with comments, or something on the path has another type.
 * The result was read back and says exactly what the old text said, and the change. */
int jsonc_edit(const char *name, const char *text, size_t len, const struct jsonc_change *c,
	       struct buf *out, struct berm_err *err);
