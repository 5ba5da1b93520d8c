/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a host without user namespaces. Nothing can be mounted, so the command sees the
 * host's tree, and Landlock opens of it what the view of the other tiers would show. Landlock
 * cannot take back a part of what it has granted: a tree with something hidden in it is granted
 * by its children, and new children of such a folder stay closed. That is the wall behind the
 * supervisor, which opens and looks at everything in the command's place, and goes by the
 * lists of what is shown and hidden.
 *
 * There is no place that is private to the session: the home is berm's own directory under its
 * real name, and $TMPDIR lies in it. Both are changed by the supervisor alone, like a workspace
 * but without rules, so that the command's domain has no right to write anywhere. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/path.h"
#include "plan/build.h"
#include "policy/resolve.h"

#define TMP_NAME ".tmp"
#define DEPTH_MAX 64 /* of a folder with something hidden in it */

struct flat {
	struct plan_build b;
	char home[PATH_MAX];
};

static bool is_hidden(const struct flat *f, const char *path)
{
	for (size_t i = 0; i < f->b.plan->hidden.n; i++)
		if (streq(f->b.plan->hidden.v[i], path))
			return true;
	return false;
}

/* The first hidden path below, NULL none. */
static const char *hidden_below(const struct flat *f, const char *path)
{
	for (size_t i = 0; i < f->b.plan->hidden.n; i++)
		if (path_within(f->b.plan->hidden.v[i], path))
			return f->b.plan->hidden.v[i];
	return NULL;
}

static int nomem(struct flat *f)
{
	return err_set(f->b.err, -ENOMEM, "out of memory");
}

/* Only what is there and could be read: as with masks, see plan_coverable(). */
static int hide(struct flat *f, const struct strv *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		char real[PATH_MAX];
		struct stat st;

		if (plan_coverable(paths->v[i], &st) && realpath(paths->v[i], real) &&
		    strv_add(&f->b.plan->hidden, real) < 0)
			return nomem(f);
	}
	return 0;
}

static bool granted(const struct flat *f, const char *path)
{
	for (size_t i = 0; i < f->b.plan->n_trees; i++)
		if (f->b.plan->trees[i].kind == TREE_READ &&
		    path_within(path, f->b.plan->trees[i].path))
			return true;
	return false;
}

static int grant(struct flat *f, const char *path, unsigned depth);

static int grant_children(struct flat *f, const char *path, unsigned depth)
{
	_cleanup_closedir_ DIR *d = opendir(path);
	const struct dirent *e;
	int r = 0;

	/* What we cannot list the command could not either; nothing in it is granted. */
	if (!d)
		return errno == EACCES || errno == ENOENT
			       ? 0
			       : err_errno(f->b.err, -errno, "cannot read %s", path);
	while (r >= 0 && (e = readdir(d))) {
		_cleanup_free_ char *child = NULL;

		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		child = path_join(path, e->d_name);
		r = child ? grant(f, child, depth) : nomem(f);
	}
	return r;
}

/* What lies at a canonical path, but for what is hidden. Landlock goes by what is there, not by
 * names: a symlink in it needs no grant, what it leads to has one of its own or none. */
static int grant(struct flat *f, const char *path, unsigned depth)
{
	struct stat st;
	struct tree *t;

	if (is_hidden(f, path) || granted(f, path) || lstat(path, &st) < 0 ||
	    !(S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)))
		return 0;
	if (S_ISDIR(st.st_mode) && hidden_below(f, path))
		return depth < DEPTH_MAX ? grant_children(f, path, depth + 1) : 0;
	t = plan_tree(&f->b, TREE_READ, path, false);
	if (!t)
		return nomem(f);
	t->is_file = !S_ISDIR(st.st_mode);
	t->optional = true;
	return 0;
}

static int show(struct flat *f, const char *path)
{
	return strv_add(&f->b.plan->shown, path) < 0 ? nomem(f) : 0;
}

/* As it is named, and as what it leads to. */
static int grant_named(struct flat *f, const char *path)
{
	char real[PATH_MAX];
	int r = show(f, path);

	if (r < 0 || !realpath(path, real))
		return r;
	r = streq(path, real) ? 0 : show(f, real);
	return r < 0 ? r : grant(f, real, 0);
}

static int flat_system(struct flat *f)
{
	char path[PATH_MAX];
	int r = 0;

	for (size_t i = 0; r >= 0 && plan_system_name(i); i++) {
		(void)snprintf(path, sizeof(path), "/%s", plan_system_name(i));
		r = grant_named(f, path);
	}
	/* What berm doctor starts. */
	if (r >= 0 && realpath("/proc/self/exe", path))
		r = grant_named(f, path);
	/* Of /proc nothing to Landlock: a process's directory has no place that could be named
	 * beforehand. The supervisor opens what of it is the session's. */
	return r;
}

/* Of /dev/pts nothing: the user's other terminals are there. */
static int flat_devices(struct flat *f)
{
	static const char *const links[] = { "/dev/fd", "/dev/stdin", "/dev/stdout",
					     "/dev/stderr" };
	char path[64];
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(links); i++)
		r = show(f, links[i]);
	if (r < 0)
		return r;

	for (size_t i = 0; plan_device_name(i); i++) {
		struct tree *t;

		(void)snprintf(path, sizeof(path), "/dev/%s", plan_device_name(i));
		t = plan_tree(&f->b, TREE_WRITE, path, false);
		if (!t)
			return nomem(f);
		t->is_file = t->optional = true;
		r = show(f, path);
		if (r < 0)
			return r;
	}
	return 0;
}

static int flat_root(struct flat *f, const struct writable_root *root)
{
	struct tree *t;
	struct stat st;
	int r = show(f, root->path);

	if (r < 0)
		return r;
	if (lstat(root->path, &st) < 0)
		return err_errno(f->b.err, -errno, "cannot open %s", root->path);
	/* What may be read of it is judged as elsewhere. */
	if (root->read_only && !f->b.spec->read_deny)
		return grant(f, root->path, 0);
	t = plan_tree(&f->b, S_ISCHR(st.st_mode) ? TREE_WRITE : TREE_GOVERNED, root->path, true);
	if (!t)
		return nomem(f);
	t->is_file = root->is_file;
	return 0;
}

static int flat_roots(struct flat *f)
{
	const struct spec *s = f->b.spec;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n_reads; i++) {
		r = show(f, s->reads[i].path);
		if (r >= 0)
			r = grant_named(f, s->reads[i].source);
	}
	for (size_t i = 0; r >= 0 && i < s->n_roots; i++)
		r = flat_root(f, &s->roots[i]);
	return r;
}

/* The private home, which must be a place of its own. */
static int flat_home(struct flat *f)
{
	const struct spec *s = f->b.spec;
	_cleanup_close_ int home = -1;

	if (!s->home_source || !realpath(s->home_source, f->home)) {
		err_set(f->b.err, -EOPNOTSUPP,
			"without user namespaces the home cannot be the workspace");
		err_fix(f->b.err, "choose a folder in it as the workspace (-w)");
		return -EOPNOTSUPP;
	}
	for (size_t i = 0; i < s->n_roots; i++) {
		if (!path_within(f->home, s->roots[i].path) &&
		    !path_within(s->roots[i].path, f->home))
			continue;
		err_set(f->b.err, -EOPNOTSUPP,
			"without user namespaces the private home %s cannot be kept apart from %s",
			f->home, s->roots[i].path);
		err_fix(f->b.err, "choose a workspace that does not hold it (-w)");
		return -EOPNOTSUPP;
	}
	home = open(f->home, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (home < 0)
		return err_errno(f->b.err, -errno, "cannot open the private home %s", f->home);
	if (mkdirat(home, TMP_NAME, 0700) < 0 && errno != EEXIST)
		return err_errno(f->b.err, -errno, "cannot make " TMP_NAME " in the private home");
	return plan_tree(&f->b, TREE_FREE, f->home, true) ? show(f, f->home) : nomem(f);
}

/* Variables that name places of the other tiers' view. What somebody gave them stays. */
static int flat_env(struct flat *f)
{
	const struct spec *s = f->b.spec;
	struct plan *p = f->b.plan;
	size_t n = 0;

	while (s->envp[n])
		n++;
	p->envp = calloc(n + 1, sizeof(*p->envp));
	if (!p->envp)
		return nomem(f);
	for (size_t i = 0; i < n; i++) {
		const char *e = s->envp[i];

		if (str_starts(e, "HOME=") && streq(e + strlen("HOME="), s->home_path))
			p->envp[i] = str_printf("HOME=%s", f->home);
		else if (streq(e, "TMPDIR=/tmp"))
			p->envp[i] = str_printf("TMPDIR=%s/" TMP_NAME, f->home);
		else
			p->envp[i] = strdup(e);
		if (!p->envp[i])
			return nomem(f);
	}
	env_drop_proxies(p->envp);
	return 0;
}

int plan_flat(const struct spec *spec, struct plan **ret, struct berm_err *err)
{
	_cleanup_strv_ struct strv programs = { 0 };
	struct flat f = { .b = { .spec = spec, .err = err } };
	int r;

	f.b.plan = calloc(1, sizeof(*f.b.plan));
	if (!f.b.plan)
		return nomem(&f);
	f.b.plan->flat = true;
	r = plan_forbidden_programs(spec, &programs, err);
	if (r >= 0)
		r = hide(&f, &spec->hidden);
	if (r >= 0)
		r = hide(&f, &programs);
	if (r >= 0)
		r = flat_system(&f);
	if (r >= 0)
		r = flat_devices(&f);
	if (r >= 0)
		r = flat_roots(&f);
	if (r >= 0)
		r = flat_home(&f);
	if (r >= 0)
		r = flat_env(&f);
	if (r < 0)
		plan_free(f.b.plan);
	else
		*ret = f.b.plan;
	return r;
}
