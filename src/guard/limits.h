/* SPDX-License-Identifier: Apache-2.0 */
/* guard/ only: a rule's limits, compiled, against the values of an action. */
#pragma once

#include "guard/facts.h"
#include "policy/guard.h"
#include "policy/pattern.h"

enum guard_fit {
	FIT_MISS,
	FIT_UNKNOWN, /* of a rule that restricts: the action does not say what is limited */
	FIT_HIT,
};

struct limits;

/* Compiles. base, home: what relative paths and "~/" start from. *ret is NULL when nothing is
 * limited. Errors name the entry. */
int limits_new(const struct guard_constraint *c, const char *base, const char *home,
	       struct limits **ret, struct berm_err *err);
void limits_free(struct limits *l);

/* A rule that restricts fits when any value is covered (a count: when it is above the limit),
 * one that permits when every value is (a count: when it is not above) and all are known. */
enum guard_fit limits_fit(const struct limits *l, const struct guard_facts *f, bool restricts);
