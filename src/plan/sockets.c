/* SPDX-License-Identifier: Apache-2.0 */
/* The host's unix sockets. In the default view none is seen but those that the policy
 * allows, each bound to its own place. With a wider view (--root host, --home host) they come
 * into sight, and neither a read-only mount nor Landlock keeps a command from
 * connecting to one. Every bound socket that would be seen is masked. One
 * that is bound later is not: explain says so. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/build.h"

#define SOCKETS_MAX (4u << 20)
#define ALLOWED_MAX 512

/* The path in a line of /proc/net/unix (proc(5)): the eighth field. */
static char *socket_path(char *line)
{
	for (int field = 0; field < 7; field++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	return *line == '/' ? line : NULL;
}

/* Calls f with the canonical path of each socket that is bound on the host; a path may come
 * several times. */
static int each_socket(struct plan_build *b, int (*f)(struct plan_build *b, const char *path))
{
	_cleanup_free_ char *text = NULL;
	char *save = NULL;
	int r = fd_read_file(AT_FDCWD, "/proc/net/unix", SOCKETS_MAX, &text, NULL);

	if (r < 0)
		return err_errno(b->err, r, "cannot list the host's sockets in /proc/net/unix");
	for (char *line = strtok_r(text, "\n", &save); r >= 0 && line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *path = socket_path(line);
		_cleanup_free_ char *real = path ? realpath(path, NULL) : NULL;
		struct stat st;

		if (real && lstat(real, &st) == 0 && S_ISSOCK(st.st_mode))
			r = f(b, real);
	}
	return r < 0 ? r : 0;
}

/* A socket in a workspace is the project's own. */
static bool in_root(const struct plan_build *b, const char *path)
{
	for (size_t i = 0; i < b->spec->n_roots; i++)
		if (path_within(path, b->spec->roots[i].path))
			return true;
	return false;
}

static int mask_socket(struct plan_build *b, const char *path)
{
	if (plan_shown(b->plan, path) && !in_root(b, path) &&
	    !strv_has(&b->spec->network.unix_sockets, path))
		plan_step(b, STEP_MASK, NULL, path, STEP_OPTIONAL, S_IFREG);
	return 0;
}

int plan_sockets(struct plan_build *b)
{
	const struct spec *s = b->spec;

	if (s->network.all_unix_sockets || (s->root != ROOT_HOST && s->home != HOME_HOST))
		return 0;
	return each_socket(b, mask_socket);
}

static bool has_point(const struct plan_build *b, const char *path)
{
	for (size_t i = 0; i < b->n_points; i++)
		if (streq(b->points[i].path, path))
			return true;
	return false;
}

/* A folder of secrets stays hidden whatever else is allowed. */
static int add_any(struct plan_build *b, const char *path)
{
	for (size_t i = 0; i < b->spec->hidden.n; i++)
		if (path_within(path, b->spec->hidden.v[i]))
			return 0;
	if (in_root(b, path) || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0 ||
	    has_point(b, path))
		return 0;
	if (b->n_points >= ALLOWED_MAX) {
		err_set(b->err, -E2BIG, "this host has more than %d unix sockets", ALLOWED_MAX);
		err_fix(b->err, "name those that are needed in \"allow_unix_sockets\"");
		return -E2BIG;
	}
	return plan_point(b, POINT_SOCKET, path, NULL);
}

int plan_socket_points(struct plan_build *b)
{
	const struct net_spec *n = &b->spec->network;
	int r = 0;

	if (n->all_unix_sockets)
		r = each_socket(b, add_any);
	for (size_t i = 0; r >= 0 && i < n->unix_sockets.n; i++)
		if (!in_root(b, n->unix_sockets.v[i]) && !has_point(b, n->unix_sockets.v[i]))
			r = plan_point(b, POINT_SOCKET, n->unix_sockets.v[i], NULL);
	return r;
}

int plan_socket(struct plan_build *b, const char *path)
{
	struct step *step;
	struct stat st;

	/* Gone since, or seen where it lies. */
	if (lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode) || plan_shown(b->plan, path))
		return 0;
	plan_mkdirs(b, path, true);
	step = plan_step(b, STEP_BIND, path, path, STEP_RO | STEP_NOEXEC | STEP_SAME, 0);
	if (step) {
		step->dev = st.st_dev;
		step->ino = st.st_ino;
	}
	return 0;
}
