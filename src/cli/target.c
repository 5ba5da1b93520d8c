/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/target.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"

#define LINKS_MAX 40 /* as the kernel (MAXSYMLINKS) */

static enum file_type type_of(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return FT_NONE;
	if (S_ISREG(st.st_mode))
		return FT_REG;
	if (S_ISDIR(st.st_mode))
		return FT_DIR;
	return S_ISLNK(st.st_mode) ? FT_SYMLINK : FT_OTHER;
}

static enum file_type type_in(const char *dir, const char *name)
{
	_cleanup_free_ char *path = path_join(dir, name);

	return path ? type_of(path) : FT_NONE;
}

static enum file_type fact_entry(void *ctx, const char *name)
{
	const struct target *t = ctx;

	return type_in(t->parent, name);
}

static enum file_type fact_above(void *ctx, unsigned up, const char *name)
{
	const struct target *t = ctx;
	_cleanup_free_ char *dir = strdup(t->parent);

	for (; dir && up; up--) {
		char *slash = strrchr(dir, '/');

		if (!slash)
			return FT_NONE;
		/* "/" is its own parent */
		slash[slash == dir ? 1 : 0] = '\0';
	}
	return dir ? type_in(dir, name) : FT_NONE;
}

static enum file_type fact_below(void *ctx, const char *dir, const char *name)
{
	const struct target *t = ctx;
	_cleanup_free_ char *sub = path_join(t->parent, dir);

	return sub ? type_in(sub, name) : FT_NONE;
}

/* Cuts the last component off an absolute path without slashes at its end.
 * Returns it; path keeps the rest. */
static const char *cut_last(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	return slash + 1;
}

/* The real path of the part of path that exists, with the rest appended. */
static char *canonical(const char *path)
{
	_cleanup_free_ char *head = strdup(path), *tail = strdup("");

	while (head && tail) {
		_cleanup_free_ char *real = realpath(head[0] ? head : "/", NULL);
		char *longer;

		if (real)
			return tail[0] ? str_printf("%s%s", streq(real, "/") ? "" : real, tail)
				       : take_ptr(real);
		if (!head[0] || (errno != ENOENT && errno != ENOTDIR))
			return NULL;
		longer = str_printf("/%s%s", cut_last(head), tail);
		free(tail);
		tail = longer;
	}
	return NULL;
}

static bool follows(enum file_op op)
{
	return op == OP_READ || op == OP_WRITE || op == OP_EXEC;
}

/* Where the symlink at path leads, absolute; parent is its directory. */
static char *link_target(const char *parent, const char *path)
{
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n <= 0)
		return NULL;
	to[n] = '\0';
	/* Not path_join(): ".." after a symlink means the link's target's parent. */
	return to[0] == '/' ? strdup(to) : str_printf("%s/%s", parent, to);
}

/* Fills parent, path and type from an absolute path, following a final link
 * where the action does. */
static int locate(struct target *t, char *path)
{
	_cleanup_free_ char *at = path;

	for (unsigned links = 0; at && links <= LINKS_MAX; links++) {
		_cleanup_free_ char *dir = NULL;
		const char *name;
		char *next;

		free(t->parent);
		free(t->path);
		t->parent = t->path = NULL;
		for (size_t n = strlen(at); n && at[n - 1] == '/'; n--)
			at[n - 1] = '\0';
		name = path_base(at);
		if (!at[0] || streq(name, ".") || streq(name, "..")) {
			/* the last component of what it leads to is what counts */
			next = canonical(at);
			if (!next)
				return -errno;
			free(at);
			at = next;
			if (streq(at, "/")) {
				t->parent = strdup("/");
				t->path = strdup("/");
				t->type = FT_DIR;
				return t->parent && t->path ? 0 : -ENOMEM;
			}
			continue;
		}
		dir = strdup(at);
		if (!dir)
			return -ENOMEM;
		name = cut_last(dir);
		t->parent = canonical(dir);
		if (!t->parent)
			return errno ? -errno : -ENOMEM;
		t->path = path_join(t->parent, name);
		if (!t->path)
			return -ENOMEM;
		t->type = type_of(t->path);
		if (t->type != FT_SYMLINK || !follows(t->op))
			return 0;
		next = link_target(t->parent, t->path);
		free(at);
		at = next;
	}
	return at ? -ELOOP : -ENOMEM;
}

static int parse_action(struct target *t, const char *action, struct berm_err *err)
{
	static const struct {
		const char *word;
		enum file_op op;
	} words[] = {
		{ "read", OP_READ },	 { "write", OP_WRITE }, { "create", OP_CREATE },
		{ "delete", OP_DELETE }, { "exec", OP_EXEC },
	};
	int r;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!streq(action, words[i].word))
			continue;
		t->op = words[i].op;
		return 0;
	}
	r = err_set(err, -EINVAL, "%s is not an action that can be asked about", action);
	err_fix(err, "one of: read, write, create, delete, exec, connect");
	return r;
}

int target_parse(struct target *t, const char *action, const char *path, struct berm_err *err)
{
	_cleanup_free_ char *cwd = NULL;
	char *absolute;
	int r;

	if (parse_action(t, action, err) < 0)
		return -EINVAL;
	if (!path[0])
		return err_set(err, -EINVAL, "the path is empty");
	cwd = getcwd(NULL, 0);
	if (!cwd && path[0] != '/')
		return err_errno(err, -errno, "the current directory");
	absolute = path[0] == '/' ? strdup(path) : str_printf("%s/%s", cwd, path);
	if (!absolute)
		return err_set(err, -ENOMEM, "out of memory");
	r = locate(t, absolute);
	if (r < 0)
		return err_errno(err, r, "cannot resolve %s", path);
	if (t->op == OP_WRITE && t->type == FT_NONE)
		t->op = OP_CREATE;
	if (t->op == OP_CREATE && t->type == FT_NONE)
		t->type = str_ends(path, "/") ? FT_DIR : FT_REG;
	t->facts = (struct dir_facts){
		.entry = fact_entry, .entry_above = fact_above, .entry_below = fact_below, .ctx = t
	};
	return 0;
}

void target_free(struct target *t)
{
	free(t->parent);
	free(t->path);
}

struct file_query target_query(const struct target *t)
{
	return (struct file_query){
		.op = t->op, .path = t->path, .type = t->type, .facts = &t->facts
	};
}
