/* SPDX-License-Identifier: Apache-2.0 */
/* What "berm check" and "berm rules" share: options of their own before those of run's that
 * describe policy, and the guard's rules of these settings. */
#pragma once

#include "cli/run_opts.h"
#include "guard/decide.h"

/* The options of a verb: own ones, then run's. The first member of the verb's options must be
 * struct run_opts: it is what both kinds are set on. */
struct guard_opts_table {
	struct opt_def defs[96];
	struct opt_table all, own;
};

/* own: n options. */
int guard_opts_join(const struct opt_def *own, size_t n, struct guard_opts_table *ret,
		    struct berm_err *err);

/* A policy, ready to be asked. */
struct guard_setup {
	struct spec *spec;
	struct guard_policy policy; /* the spec's, with what command line and environment say */
	struct guard_rules *rules;
	const char **roots;
	char *cwd;
};

/* Reads settings, options and environment. On failure, too, ret is to be freed. */
int guard_setup_make(struct run_opts *o, struct guard_setup *ret, struct berm_err *err);
void guard_setup_free(struct guard_setup *s);
#define _cleanup_setup_ _cleanup_(guard_setup_free)

/* Where a call of this setup would run, and on what host. */
void guard_setup_call(const struct guard_setup *s, struct guard_call *ret);

/* "file:12" or "file"; "" for none. */
void guard_origin(const struct origin *o, char *dst, size_t size);

/* The rule or row of an opinion as one line; "" for none. */
void guard_opinion_rule(const struct guard_opinion *o, struct buf *out);

/* 0 allowed, 1 denied, 2 ask. */
int guard_exit_status(enum decision d);
