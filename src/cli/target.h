/* SPDX-License-Identifier: Apache-2.0 */
/* What "berm why" asks about: an action and a path, resolved on the host as the
 * supervisor would resolve it inside. The answer informs; nothing is enforced
 * with it, so that a path may be looked up by name here. */
#pragma once

#include "policy/spec.h"

struct target {
	enum file_op op;
	enum file_type type;
	char *parent; /* canonical as far as it exists */
	char *path;   /* parent and the last component */
	struct dir_facts facts;
};

/* action: read, write, create, delete, exec. A missing path is fine; "write" of
 * one is its creation. A slash at the end of a missing path: a directory. */
int target_parse(struct target *t, const char *action, const char *path, struct berm_err *err);
void target_free(struct target *t);

/* The question for spec_judge(); valid as long as t. */
struct file_query target_query(const struct target *t);
