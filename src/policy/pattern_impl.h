/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by pattern.c (matching) and pattern_compile.c. */
#pragma once

#include "policy/pattern.h"

enum comp_kind { COMP_LITERAL, COMP_GLOB, COMP_DEEP };

struct comp {
	const char *s; /* literal: escapes removed */
	uint16_t len;
	uint8_t kind;
};

struct alt {
	struct comp *c; /* one block: the components, then the texts they point into */
	unsigned n;
};

struct pattern {
	unsigned flags;
	bool relative;
	size_t literal;
	unsigned wild;
	unsigned n;
	struct alt *alts; /* &one, when there is only one */
	struct alt one;
};

/* End of the set that begins at p ('['), NULL when it is not closed. */
const char *pattern_set_end(const char *p, const char *end);
