/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: finding and reading the settings files of other tools. */
#pragma once

#include "policy/front.h"
#include "policy/resolve.h"

/* One file of theirs. */
struct front_source {
	enum front_kind kind;
	enum layer layer;
	bool pushed;
	struct front_parts parts;
};

struct front_set {
	struct front_source *v;
	size_t n;
};

/* Reads every file that in->settings asks for. */
int front_read(struct spec *s, const struct policy_input *in, struct front_set *ret,
	       struct berm_err *err);
void front_set_free(struct front_set *set);

/* Moves the lists of this layer's files to l. */
int front_push(struct front_set *set, enum layer layer, struct settings_list *l);

/* Is the project's file (by its name below the project) one that is not committed? */
bool front_file_is_local(const char *rel);
