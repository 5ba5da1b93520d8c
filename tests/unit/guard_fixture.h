/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of the guard made from texts, one for each layer. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "guard/decide.h"
#include "policy/settings.h"

#define NOW 1000000
#define GP_FILES_MAX 16

struct gp {
	struct settings files[GP_FILES_MAX];
	size_t n_files;
	struct guard_policy policy;
	struct guard_rules *rules;
};

void gp_up(struct gp *g);
void gp_down(struct gp *g);

/* The text between the brackets of "rules", or a whole "guard" object when it begins with "{\"".
 * trusted false: of a file that may only tighten; so is LAYER_MANAGED. */
void gp_add(struct gp *g, enum layer layer, bool trusted, const char *text);

/* "user: [...]" and the like: LAYER of the first word (user, project, local, cli, managed,
 * untrusted), the rest as gp_add(). */
void gp_add_text(struct gp *g, const char *text);

/* Compiles what was added; again after more was added or moved. */
void gp_compile(struct gp *g);

/* Facts of one branch, or none. */
struct guard_facts gp_refs(const char *const *refs, size_t n, bool more);

/* Judges a line in chat, in /w/p. Free the line after the answer. */
void gp_decide(struct gp *g, const char *line, enum mode mode, bool override,
	       struct shell_line **ret_line, struct guard_answer *ret);
