/* SPDX-License-Identifier: Apache-2.0 */
/* Inside plan/: a plan under construction. After a failed append `failed` is set
 * and everything later is refused; plan_build() checks it once. */
#pragma once

#include "plan/plan.h"

struct plan_build {
	struct plan *plan;
	const struct spec *spec;
	struct berm_err *err;
	size_t steps_cap, trees_cap;
	bool failed;
};

/* Append a step or a tree. NULL when out of memory: then b->failed is set, and a
 * later call does nothing. */
struct step *plan_step(struct plan_build *b, enum step_op op, const char *src, const char *dst,
		       unsigned flags, mode_t mode);
struct tree *plan_tree(struct plan_build *b, enum tree_kind kind, const char *path, bool is_mount);

/* Makes every missing ancestor of path, then path itself as a directory (or file). */
void plan_mkdirs(struct plan_build *b, const char *path, bool is_file);

/* true if some writable root lies strictly below dir. */
bool plan_root_below(const struct spec *s, const char *dir);

/* view.c: the read-only system, /dev, the private places. */
void plan_view(struct plan_build *b);
/* home.c: $HOME in its three forms, with the harmless parts of the real one. */
int plan_home(struct plan_build *b);
/* roots.c: workspaces and grants, their pinned ancestors, masks. */
int plan_roots(struct plan_build *b);
int plan_masks(struct plan_build *b);
/* true if the host's path is seen in the new view through some bind. */
bool plan_shown(const struct plan *p, const char *path);
/* sockets.c: the host's sockets in a wider view. */
int plan_sockets(struct plan_build *b);

/* STEP_NOEXEC where "exec: deny-writable" is in force: a program copied into any
 * place that can be written must not run, and ld.so cannot map it there either. */
unsigned plan_exec_flag(const struct plan_build *b);

/* A private place: native unless a workspace lies below it. */
void plan_private(struct plan_build *b, const char *path);
