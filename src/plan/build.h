/* SPDX-License-Identifier: Apache-2.0 */
/* Inside plan/: a plan under construction. After a failed append `failed` is set
 * and everything later is refused; plan_build() checks it once. */
#pragma once

#include "base/str.h"
#include "plan/plan.h"

/* Where something is mounted; see points.c. */
enum point_kind {
	POINT_PRIVATE,	 /* a place of the root's own tmpfs that stays writable */
	POINT_HOME,	 /* the private home, from berm's state */
	POINT_HOME_HOST, /* the real one, read-only */
	POINT_READ,	 /* data: struct readable_tree */
	POINT_SOCKET,	 /* a unix socket of the host's that was allowed */
	POINT_PIN,
	POINT_ROOT, /* data: struct writable_root */
};

struct plan_point {
	enum point_kind kind;
	char *path;
	const void *data;
};

struct plan_build {
	struct plan *plan;
	const struct spec *spec;
	struct berm_err *err;
	size_t steps_cap, trees_cap, n_points;
	struct plan_point *points;
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

/* points.c: adds a mount point; path is copied, data is not. */
int plan_point(struct plan_build *b, enum point_kind kind, const char *path, const void *data);
/* Pins the ancestors of workspaces, then emits every point's steps in path order. */
int plan_points(struct plan_build *b);
void plan_points_free(struct plan_build *b);

/* view.c: the read-only system, /dev, the private places. */
int plan_view(struct plan_build *b);
/* What of it is there whatever the spec says; sets plan->n_fixed. */
void plan_view_fixed(struct plan_build *b);
/* home.c: $HOME in its three forms. */
int plan_home(struct plan_build *b);
int plan_home_bind(struct plan_build *b);
/* roots.c: workspaces, grants and readable trees; then what covers the rest. */
int plan_roots(struct plan_build *b);
int plan_root(struct plan_build *b, const struct writable_root *root);
int plan_read(struct plan_build *b, const struct readable_tree *t);
int plan_masks(struct plan_build *b);
/* true if the host's path is seen in the new view through some bind. */
bool plan_shown(const struct plan *p, const char *path);
/* sockets.c: the host's sockets: those that are allowed, and in a wider view the others. */
int plan_socket_points(struct plan_build *b);
int plan_socket(struct plan_build *b, const char *path);
int plan_sockets(struct plan_build *b);
/* view.c: what of the system and of /dev is in every view; NULL after the last. */
const char *plan_system_name(size_t i);
const char *plan_device_name(size_t i);
/* roots.c: need it be covered: is it there, and open to this user? */
bool plan_coverable(const char *path, struct stat *ret);
/* Programs outside the writable roots that somebody's own rule forbids; added to paths. */
int plan_forbidden_programs(const struct spec *s, struct strv *paths, struct berm_err *err);
/* hosts.c: names that are resolved past the broker. */
int plan_hosts(struct plan_build *b);
/* What of a hosts(5) file may be seen inside, into out; true when that is less than all. */
bool plan_hosts_filter(const char *text, struct buf *out);

/* STEP_NOEXEC where "exec: deny-writable" is in force: a program copied into any
 * place that can be written must not run, and ld.so cannot map it there either. */
unsigned plan_exec_flag(const struct plan_build *b);

/* How a host's directory or file, which may be changed inside, is shown there. */
enum step_op plan_bind_op(const struct spec *s, mode_t mode);

/* A private place: native unless a workspace lies below it. */
void plan_private(struct plan_build *b, const char *path);
