/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser. Options are a table; a verb's table is also its --help, so
 * that the two cannot disagree. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* One option. `set` gets the value (NULL for a flag) and stores it in ctx; it
 * returns 0 or a negative errno with err set. */
struct opt_def {
	const char *name; /* long name without dashes; NULL: a heading of the help text */
	char letter;	  /* short name, 0 = none */
	const char *arg;  /* what the value is called in help; NULL: a flag */
	const char *help; /* NULL: not listed (known, and answered by set) */
	int (*set)(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);
	int param; /* for set(): lets several options share one function */
};

struct opt_table {
	const struct opt_def *defs;
	size_t n;
};

#define OPT_TABLE(a) ((struct opt_table){ .defs = (a), .n = ARRAY_SIZE(a) })

/* What came of parsing: the operands are argv[first] .. argv[argc - 1]. */
struct opt_result {
	int first;
	bool help; /* --help was seen; parsing stopped there */
};

/* Parses argv[1..argc-1]. Long options take "--name=VALUE" or "--name VALUE",
 * short ones "-xVALUE" or "-x VALUE"; "--" ends them. stop: the first operand
 * ends the options too (what follows belongs to the command); otherwise operands
 * may come in between and argv is reordered so that they stand last. Returns 0
 * or a negative errno with err saying what is wrong and what was perhaps meant. */
int opts_parse(const struct opt_table *t, void *ctx, int argc, char **argv, bool stop,
	       struct opt_result *ret, struct berm_err *err);

/* Prints the listed options of the table to stdout, one a line. */
void opts_help(const struct opt_table *t);
