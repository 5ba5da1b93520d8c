/* SPDX-License-Identifier: Apache-2.0 */
/* The halves of "berm rules": verb_rules.c reads options, rules_show.c and rules_edit.c do it. */
#pragma once

#include "cli/guard_cli.h"

struct rules_opts {
	struct run_opts run; /* first: guard_cli.h */
	bool user, local, pattern, anywhere;
	struct guard_constraint limits; /* test: the values themselves */
	int enforcement;		/* enum guard_enforcement */
	int64_t expires;		/* 0: never */
	const char *why;		/* NULL: nothing */
};

/* Each returns the exit status. */
int rules_list(struct rules_opts *o);
int rules_test(struct rules_opts *o, const char *subject);
int rules_add(struct rules_opts *o, const char *decision, const char *subject);
int rules_rm(struct rules_opts *o, const char *id);

/* "7d", "2030-12-31T23:59:59Z": to seconds since 1970. */
int rules_expiry(const char *text, int64_t *ret, struct berm_err *err);

/* What list calls a rule: of its file and its text, so that it stays while others come and go. */
#define RULE_ID_SIZE 9
int rules_id(const struct guard_rule *r, char dst[RULE_ID_SIZE]);
