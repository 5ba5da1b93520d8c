/* SPDX-License-Identifier: Apache-2.0 */
/* A rule closes names. Where such a name is a symbolic link already (dotfiles kept
 * elsewhere, ".claude" shared by projects), what it leads to is what a host's
 * tool will read: it is closed too, as is each link on the way. Links that appear
 * later are no concern: a link under a closed name cannot be made.
 *
 * Only the places where host tools look are searched, the top of each writable
 * root and the protected folders there; the time does not depend on the tree. */
#include "policy/links.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/places.h"
#include "policy/rules.h"

#define ENTRIES_MAX 1024 /* of one directory */
#define DEPTH_MAX 3
#define HOPS_MAX 16

struct search {
	struct spec *s;
	struct berm_err *err;
	const char *root;
	bool added;
};

static int no_memory(struct search *q)
{
	return err_set(q->err, -ENOMEM, "out of memory");
}

/* ---- closing a target --------------------------------------------------- */

/* The rule again, about target (and rest below it). */
static int close_target(struct search *q, const struct rule *r, const char *target,
			const char *rest)
{
	_cleanup_free_ char *escaped = pattern_escape(target);
	_cleanup_free_ char *text =
		escaped ? str_printf("%s%s%s", escaped, rest ? "/" : "", rest ? rest : "") : NULL;
	struct rule_def def = { .pattern = text,
				.access = r->access,
				.layer = r->layer,
				.flags = r->flags & (RULE_MANDATORY | RULE_WRITES_ONLY),
				.origin = r->origin,
				.protects = r->protects };
	const struct writable_root *root = spec_root_of(q->s, target);

	if (!text)
		return no_memory(q);
	if (!root || path_within(root->path, target))
		return 0; /* not writable, or the whole root: then the link's name alone counts */
	q->added = true;
	return spec_add_rule(q->s, &def, q->err);
}

/* What a rule about more than the link's own name says below it. NULL: all. */
static const char *rest_of(const struct rule *r)
{
	const char *pattern = strchr(r->text, ' ');
	const char *slash = pattern ? strchr(pattern, '/') : NULL;

	return slash && (r->flags & RULE_AT_ROOTS) ? slash + 1 : NULL;
}

/* The next place a link leads to: its directory resolved, its name as it is. */
static char *next_hop(const char *path)
{
	_cleanup_free_ char *dir = strndup(path, (size_t)(path_base(path) - path));
	_cleanup_free_ char *full = NULL, *parent = NULL, *real = NULL;
	char to[PATH_MAX];
	ssize_t n = readlink(path, to, sizeof(to) - 1);
	const char *base;

	if (n <= 0 || !dir)
		return NULL;
	to[n] = '\0';
	/* ".." after a link means the parent of what the link leads to: textual joins
	 * are for what no link precedes, so the kernel resolves the directory. */
	full = to[0] == '/' ? strdup(to) : str_printf("%s%s", dir, to);
	if (!full)
		return NULL;
	for (size_t len = strlen(full); len > 1 && full[len - 1] == '/';)
		full[--len] = '\0';
	base = path_base(full);
	if (streq(base, "..") || streq(base, ".") || !*base)
		return realpath(full, NULL);
	parent = strndup(full, (size_t)(base - full));
	real = parent ? path_resolve(parent) : NULL;
	return real ? path_join(real, base) : NULL;
}

/* Closes every hop of the link at path as rule r says. */
static int follow(struct search *q, const struct rule *r, const char *path, const char *rest)
{
	_cleanup_free_ char *at = strdup(path);

	for (unsigned i = 0; at && i < HOPS_MAX; i++) {
		_cleanup_free_ char *next = next_hop(at);
		struct stat st;
		int rc;

		if (!next)
			return 0;
		/* A link on the way is closed as a whole: it must not lead elsewhere. */
		rc = close_target(q, r, next,
				  lstat(next, &st) == 0 && S_ISLNK(st.st_mode) ? NULL : rest);
		if (rc < 0)
			return rc;
		free(at);
		at = take_ptr(next);
	}
	return at ? 0 : no_memory(q);
}

/* ---- finding links ------------------------------------------------------ */

static const struct rule *closed_by(const struct spec *s, const char *path, enum file_op op,
				    enum file_type type)
{
	struct file_query f = { .op = op, .path = path, .type = type };
	struct verdict v;

	spec_judge(s, &f, &v);
	return v.decision == VERDICT_DENY ? v.rule : NULL;
}

static bool above(const struct spec *s, const struct rule *r, const char *path)
{
	const struct writable_root *root = spec_root_of(s, path);
	struct path_parts pp, top;

	return r->access != ACCESS_WRITE && !(r->flags & (RULE_LIFTED | RULE_READS_ONLY)) &&
	       r->exec == EXEC_UNSET && pattern_is_relative(r->pat) && root &&
	       path_split(root->path, &top) && path_split(path, &pp) &&
	       pattern_prefix_parts(r->pat, &pp, top.n, pp.n) != PREFIX_NO;
}

static int one_link(struct search *q, const char *path)
{
	const struct rule *r = closed_by(q->s, path, OP_WRITE, FT_REG);
	size_t n = q->s->n_rules;

	if (!r)
		r = closed_by(q->s, path, OP_READ, FT_REG);
	if (r)
		return follow(q, r, path, NULL);
	if (!closed_by(q->s, path, OP_RENAME_FROM, FT_SYMLINK))
		return 0;
	/* It stands where a closed path would be below it. */
	for (size_t i = 0; i < n; i++) {
		int rc = above(q->s, q->s->rules[i], path)
				 ? follow(q, q->s->rules[i], path, rest_of(q->s->rules[i]))
				 : 0;

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int search_dir(struct search *q, int at, const char *name, const char *path, unsigned depth);

static int one_entry(struct search *q, int fd, const char *dir, const struct dirent *e,
		     unsigned depth)
{
	_cleanup_free_ char *path = NULL;
	unsigned char type = e->d_type;
	struct stat st;

	if (type == DT_UNKNOWN && fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		type = S_ISLNK(st.st_mode) ? DT_LNK : S_ISDIR(st.st_mode) ? DT_DIR : DT_REG;
	if ((type != DT_LNK && type != DT_DIR) || streq(e->d_name, ".") || streq(e->d_name, ".."))
		return 0;
	path = path_join(dir, e->d_name);
	if (!path)
		return no_memory(q);
	if (type == DT_LNK)
		return one_link(q, path);
	/* What may not be moved is closed, or holds what is. */
	if (depth < DEPTH_MAX && closed_by(q->s, path, OP_RENAME_FROM, FT_DIR))
		return search_dir(q, fd, e->d_name, path, depth + 1);
	return 0;
}

static int search_dir(struct search *q, int at, const char *name, const char *path, unsigned depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	int r = 0;

	if (!d) {
		close_quietly(fd);
		return 0; /* what cannot be listed is not read by the user's tools either */
	}
	for (unsigned n = 0; r >= 0 && n < ENTRIES_MAX && (e = readdir(d)); n++)
		r = one_entry(q, fd, path, e, depth);
	return r;
}

/* In a directory with more entries than are looked at, the names of the rules are
 * tried one by one. */
static int search_names(struct search *q, int fd)
{
	size_t n = q->s->n_rules;

	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *name = NULL, *path = NULL;
		bool literal, deep;
		struct stat st;
		size_t len;
		const char *first =
			pattern_is_relative(q->s->rules[i]->pat)
				? pattern_first(q->s->rules[i]->pat, &len, &literal, &deep)
				: NULL;
		int r;

		if (!first || !literal)
			continue;
		name = strndup(first, len);
		path = name ? path_join(q->root, name) : NULL;
		if (!path)
			return no_memory(q);
		if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode))
			continue;
		r = one_link(q, path);
		if (r < 0)
			return r;
	}
	return 0;
}

static int search_root(struct search *q)
{
	int fd = open(q->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	unsigned n = 0;
	int r = 0;

	if (!d) {
		close_quietly(fd);
		return 0;
	}
	while (r >= 0 && n++ < ENTRIES_MAX && (e = readdir(d)))
		r = one_entry(q, fd, q->root, e, 0);
	if (r >= 0 && n > ENTRIES_MAX)
		r = search_names(q, fd);
	return r;
}

int links_resolve(struct spec *s, struct berm_err *err)
{
	struct search q = { .s = s, .err = err };

	for (size_t i = 0; i < s->n_roots; i++) {
		int r;

		if (s->roots[i].is_file || (s->roots[i].read_only && !s->read_deny))
			continue;
		q.root = s->roots[i].path;
		r = search_root(&q);
		if (r < 0)
			return r;
	}
	return q.added ? spec_finish_rules(s, err) : 0;
}
