/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/events_file.h"

#include <string.h>
#include <unistd.h>

#include "base/path.h"

/* The path with everything escaped that a pattern gives a meaning to. */
static char *literal_pattern(const char *path)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u * 1024u);

	for (const char *p = path; *p; p++) {
		if (strchr("*?[]{},\\", *p))
			(void)buf_add(&b, "\\", 1);
		(void)buf_add(&b, p, 1);
	}
	return b.failed ? NULL : take_ptr(b.data);
}

/* The real directory of path with its last component. */
static int canonical_file(const char *path, char **ret, struct berm_err *err)
{
	_cleanup_free_ char *dir = strdup(path), *real = NULL;
	const char *name;
	char *slash, *joined;

	if (!dir)
		return err_set(err, -ENOMEM, "out of memory");
	slash = strrchr(dir, '/');
	name = slash ? path + (slash - dir) + 1 : path;
	if (!name[0] || streq(name, ".") || streq(name, ".."))
		return err_set(err, -EISDIR, "--events %s: that is a directory", path);
	if (slash)
		slash[slash == dir ? 1 : 0] = '\0';
	real = realpath(slash ? dir : ".", NULL);
	if (!real)
		return err_errno(err, -errno, "the directory of the events file %s", path);
	joined = path_join(real, name);
	if (!joined)
		return err_set(err, -ENOMEM, "out of memory");
	*ret = joined;
	return 0;
}

int events_file_prepare(struct events_file *ef, struct run_opts *o, struct berm_err *err)
{
	int r;

	if (!o->events)
		return 0;
	if (streq(o->events, "-") || str_starts(o->events, "fd:")) {
		ef->target = strdup(o->events);
		return ef->target ? 0 : err_set(err, -ENOMEM, "out of memory");
	}
	r = canonical_file(o->events, &ef->target, err);
	if (r < 0)
		return r;
	ef->is_path = true;
	ef->pattern = literal_pattern(ef->target);
	if (!ef->pattern)
		return err_set(err, -ENOMEM, "out of memory");
	return run_opts_add_arg(o, ARG_KEEP, ef->pattern, err);
}

void events_file_free(struct events_file *ef)
{
	free(ef->target);
	free(ef->pattern);
}

static bool in_root(const struct spec *spec, const char *path)
{
	for (size_t i = 0; i < spec->n_roots; i++)
		if (path_within(path, spec->roots[i].path))
			return true;
	return false;
}

int events_file_check(const struct events_file *ef, const struct run_opts *o,
		      const struct spec *spec, struct berm_err *err)
{
	_cleanup_free_ char *cwd = NULL, *spelled = NULL;
	int r;

	if (!ef->is_path || in_root(spec, ef->target))
		return 0;
	/* The kernel's name of the current directory: no links in it. */
	cwd = getcwd(NULL, 0);
	spelled = path_join(cwd ? cwd : "/", o->events);
	if (!spelled)
		return err_set(err, -ENOMEM, "out of memory");
	if (!in_root(spec, spelled))
		return 0;
	r = err_set(err, -ELOOP, "the events file %s leads out of the workspace, to %s", o->events,
		    ef->target);
	err_fix(err, "if that is meant, name it so: --events %s", ef->target);
	return r;
}
