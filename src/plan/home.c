/* SPDX-License-Identifier: Apache-2.0 */
/* $HOME. Private by default: a directory of berm's own state, one per
 * workspace, bound where the home is expected. Secrets are invisible by
 * construction, caches persist, and nothing of it can poison the host's. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/path.h"
#include "plan/build.h"

/* Directories that tools fill with many files: they exist beforehand, so that
 * Landlock can grant them even where the home itself must be supervised. */
static const char *const busy_dirs[] = { ".cache", ".config", ".local", ".npm",	 ".cargo",
					 ".m2",	   ".gradle", ".nuget", ".yarn", ".bun" };

static bool leads_to_root(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(s->roots[i].path, path))
			return true;
	return false;
}

/* With a workspace below it the home as a whole gets no Landlock right; those of
 * its directories that lead to no workspace do. */
static int grant_children(struct plan_build *b, int home)
{
	_cleanup_closedir_ DIR *d = NULL;
	const struct dirent *e;
	unsigned n = 0;
	int fd = dup(home);

	if (fd < 0)
		return err_errno(b->err, -errno, "cannot read the private home %s",
				 b->spec->home_source);
	d = fdopendir(fd);
	if (!d) {
		close_quietly(fd);
		return err_errno(b->err, -errno, "cannot read the private home %s",
				 b->spec->home_source);
	}
	while ((e = readdir(d)) && n < 128) {
		_cleanup_free_ char *path = NULL;
		struct stat st;

		if (streq(e->d_name, ".") || streq(e->d_name, "..") ||
		    fstatat(home, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
			continue;
		path = path_join(b->spec->home_path, e->d_name);
		if (!path)
			return err_set(b->err, -ENOMEM, "out of memory");
		if (!leads_to_root(b->spec, path)) {
			struct tree *t = plan_tree(b, TREE_NATIVE, path, false);

			if (t)
				t->optional = true;
			n++;
		}
	}
	return 0;
}

/* An earlier session may have left anything in the private home. A name that
 * must be a directory (a mount point's ancestor) is cleared of what is none. */
static int clear_mount_point(struct plan_build *b, int home, const char *path)
{
	const char *rel = path + strlen(b->spec->home_path);
	_cleanup_close_ int dir = fcntl(home, F_DUPFD_CLOEXEC, 3);

	if (dir < 0)
		return err_errno(b->err, -errno, "cannot read the private home");
	for (rel += strspn(rel, "/"); *rel; rel += strspn(rel, "/")) {
		char name[256];
		size_t n = strcspn(rel, "/");
		struct stat st;
		int next;

		if (n >= sizeof(name))
			return err_set(b->err, -ENAMETOOLONG, "a component of %s is too long",
				       path);
		memcpy(name, rel, n);
		name[n] = '\0';
		rel += n;
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return errno == ENOENT
				       ? 0
				       : err_errno(b->err, -errno, "cannot look at %s", path);
		if (!S_ISDIR(st.st_mode)) {
			if (!*rel && S_ISREG(st.st_mode))
				return 0; /* the mount point of a file */
			if (unlinkat(dir, name, 0) < 0)
				return err_errno(b->err, -errno, "cannot clear the mount point %s",
						 path);
			return 0;
		}
		next = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return err_errno(b->err, -errno, "cannot open %s", path);
		close_quietly(dir);
		dir = next;
	}
	return 0;
}

static int clear_mount_points(struct plan_build *b, int home)
{
	const struct spec *s = b->spec;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n_roots; i++)
		if (path_within(s->roots[i].path, s->home_path))
			r = clear_mount_point(b, home, s->roots[i].path);
	for (size_t i = 0; r >= 0 && i < s->n_reads; i++)
		if (path_within(s->reads[i].path, s->home_path))
			r = clear_mount_point(b, home, s->reads[i].path);
	for (size_t i = 0; r >= 0 && i < b->n_points; i++)
		if (b->points[i].kind == POINT_SOCKET &&
		    path_within(b->points[i].path, s->home_path))
			r = clear_mount_point(b, home, b->points[i].path);
	return r;
}

static int private_home(struct plan_build *b)
{
	const struct spec *s = b->spec;
	_cleanup_close_ int home =
		open(s->home_source, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct step *step;
	struct stat st;
	int r;

	if (home < 0 || fstat(home, &st) < 0)
		return err_errno(b->err, -errno, "cannot open the private home %s", s->home_source);
	for (size_t i = 0; i < ARRAY_SIZE(busy_dirs); i++)
		if (mkdirat(home, busy_dirs[i], 0700) < 0 && errno != EEXIST)
			return err_errno(b->err, -errno, "cannot make %s in the private home",
					 busy_dirs[i]);
	r = clear_mount_points(b, home);
	if (r < 0)
		return r;
	step = plan_step(b, plan_bind_op(s, st.st_mode), s->home_source, s->home_path,
			 STEP_SAME | plan_exec_flag(b), 0);
	if (step) {
		step->dev = st.st_dev;
		step->ino = st.st_ino;
	}
	plan_private(b, s->home_path);
	return plan_root_below(s, s->home_path) ? grant_children(b, home) : 0;
}

int plan_home_bind(struct plan_build *b)
{
	const struct spec *s = b->spec;

	plan_mkdirs(b, s->home_path, false);
	if (s->home == HOME_PRIVATE)
		return private_home(b);
	plan_step(b, STEP_BIND, s->user_home, s->home_path, STEP_RO | STEP_REC, 0);
	/* Judged like a workspace: a mask holds only for what was there at the start. */
	plan_tree(b, TREE_GOVERNED, s->home_path, true);
	return 0;
}

int plan_home(struct plan_build *b)
{
	const struct spec *s = b->spec;

	/* The home itself is a workspace: nothing is laid below it. */
	for (size_t i = 0; i < s->n_roots; i++)
		if (streq(s->roots[i].path, s->home_path))
			return 0;
	switch (s->home) {
	case HOME_PRIVATE:
		return plan_point(b, POINT_HOME, s->home_path, NULL);
	case HOME_EMPTY:
		return plan_point(b, POINT_PRIVATE, s->home_path, NULL);
	case HOME_HOST:
		return plan_point(b, POINT_HOME_HOST, s->home_path, NULL);
	}
	return -EINVAL;
}
