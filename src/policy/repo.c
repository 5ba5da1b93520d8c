/* SPDX-License-Identifier: Apache-2.0 */
/* What the workspace's own repository asks for, read once at the start.
 *
 * Its configuration, and the user's, may make git run or obey files that lie in the
 * workspace: core.hooksPath, include.path, a filter's script. A command that could
 * write these would run outside at the next git. They are protected as they stand.
 *
 * A linked worktree (".git" is a pointer file) keeps its index and HEAD in the main
 * repository, and shares refs and objects with it: git needs to write there. It
 * gets that much and no more, and only where both ends name each other. */
#include "policy/rules.h"
#include "policy/repo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/apply.h"
#include "policy/git_config.h"
#include "policy/git_keys.h"
#include "policy/places.h"

#define CONFIG_MAX (256u << 10)
#define POINTER_MAX 8192
#define DEPTH_MAX 64
#define PROTECTED_MAX 64

struct repo {
	struct spec *s;
	struct berm_err *err;
	char *top;    /* the worktree's top directory; NULL: the file is the user's own */
	char *gitdir; /* where this worktree's HEAD is */
	char *common; /* where config, objects and refs are */
	bool is_worktree;
	unsigned n; /* protected so far */
};

static void repo_done(struct repo *r)
{
	free(r->top);
	free(r->gitdir);
	free(r->common);
}

static int no_memory(struct berm_err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

/* ---- files that git runs or reads code from ----------------------------- */

struct found {
	const char *file; /* the configuration */
	unsigned line;
	const char *base; /* what a relative path starts from, NULL: each repository's top */
	bool exempt_deps; /* a package manager may put it where packages are */
};

static int protect(struct repo *r, const struct found *f, const char *path)
{
	_cleanup_free_ char *escaped = pattern_escape(path);
	struct rule_def def = { .pattern = escaped,
				.base = f->base,
				.access = ACCESS_READ,
				.layer = LAYER_BUILTIN,
				.flags = RULE_MANDATORY | RULE_WRITES_ONLY |
					 (f->base || path[0] == '/' ? 0u : RULE_AT_ROOTS) |
					 (f->exempt_deps ? RULE_EXEMPT_DEPS : 0u),
				.origin = { f->file, f->line },
				.protects = "git-config" };

	if (!escaped)
		return no_memory(r->err);
	if (r->n++ >= PROTECTED_MAX)
		return 0;
	return add_both_spellings(r->s, &def, r->err);
}

/* path as absolute, when it lies in a writable root and is not the whole of one. */
static char *in_roots(const struct repo *r, const struct found *f, const char *path)
{
	_cleanup_free_ char *full = NULL;
	const struct writable_root *root;

	if (path[0] == '~' && path[1] == '/')
		full = path_join(r->s->user_home, path + 2);
	else if (path[0] == '/' || f->base)
		full = path_join(f->base ? f->base : "/", path);
	if (!full)
		return NULL;
	root = spec_root_of(r->s, full);
	if (!root || streq(full, root->path) || (r->top && path_within(r->top, full)))
		return NULL;
	return take_ptr(full);
}

/* A folder or file that is obeyed whether it exists yet or not. */
static int obeyed(struct repo *r, const struct found *f, const char *path)
{
	_cleanup_free_ char *full = in_roots(r, f, path);

	if (full)
		return protect(r, f, full);
	if (f->base || path[0] == '/' || path[0] == '~' || !*path || str_starts(path, ".."))
		return 0;
	return protect(r, f, path);
}

static bool is_interpreter(const char *word)
{
	static const char *const names[] = { "sh",	"bash", "dash", "zsh",	"env", "python",
					     "python3", "node", "perl", "ruby", "exec" };
	const char *base = path_base(word);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (streq(base, names[i]))
			return true;
	return false;
}

static int program(struct repo *r, const struct found *f, const char *path, bool maybe)
{
	struct found absent = *f;
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISREG(st.st_mode) ? protect(r, f, path) : 0;
	absent.exempt_deps = true;
	return maybe && errno == ENOENT ? protect(r, &absent, path) : 0;
}

/* A command: the program, or the script behind an interpreter, when it is a file
 * of the workspace. maybe: or is not there yet. */
static int commanded(struct repo *r, const struct found *f, const char *value, bool maybe)
{
	char word[PATH_MAX];

	for (unsigned i = 0; i < 3; i++) {
		_cleanup_free_ char *full = NULL;
		size_t n;

		value += strspn(value, " \t!\"'");
		n = strcspn(value, " \t\"';|&");
		if (!n || n >= sizeof(word))
			return 0;
		memcpy(word, value, n);
		word[n] = '\0';
		value += n;
		if (strchr(word, '/') && !is_interpreter(word)) {
			full = in_roots(r, f, word);
			return full ? program(r, f, full, maybe) : 0;
		}
		if (!is_interpreter(word) && word[0] != '-')
			return 0;
	}
	return 0;
}

static int take_entry(struct repo *r, const struct git_config_reader *c, const char *file,
		      const char *dir)
{
	struct found f = { file, c->entry_line, r->top, false };
	enum git_key_kind kind;
	const char *sub;
	size_t sub_len;

	if (!c->has_value || !c->value_len || strlen(c->value) != c->value_len)
		return 0;
	if (streq(c->key, "core.hookspath"))
		return obeyed(r, &f, c->value);
	if (streq(c->key, "include.path") ||
	    (str_starts(c->key, "includeif.") && str_ends(c->key, ".path"))) {
		f.base = dir;
		return obeyed(r, &f, c->value);
	}
	/* Attributes choose among the drivers that are there, a template brings hooks along. */
	if (streq(c->key, "core.attributesfile") || streq(c->key, "init.templatedir"))
		return obeyed(r, &f, c->value);
	kind = git_key_kind(c->key, &sub, &sub_len);
	if (kind != KEY_UNKNOWN && git_value_ok(kind, c->value))
		return 0;
	/* What an alias leads to may well be built first, and git runs it when told to only. */
	return commanded(r, &f, c->value, git_key_runs(c->key) && !str_starts(c->key, "alias."));
}

/* Reads one configuration. What cannot be read asks for nothing: git judges it by
 * its own rules, and so does the supervisor when it is to change. */
static int read_config(struct repo *r, const char *file)
{
	_cleanup_free_ struct git_config_reader *c = NULL;
	_cleanup_free_ char *text = NULL, *dir = NULL;
	size_t len;
	int rc;

	if (fd_read_file(AT_FDCWD, file, CONFIG_MAX, &text, &len) < 0)
		return 0;
	c = malloc(sizeof(*c));
	dir = strndup(file, (size_t)(path_base(file) - file));
	if (!c || !dir)
		return no_memory(r->err);
	git_config_init(c, text, len);
	while (git_config_next(c) == GIT_CONFIG_ENTRY) {
		rc = take_entry(r, c, file, dir);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_config_in(struct repo *r, const char *dir, const char *name)
{
	_cleanup_free_ char *file = path_join(dir, name);

	return file ? read_config(r, file) : no_memory(r->err);
}

/* A part of the repository that is kept elsewhere, in the workspace. */
static int linked(struct repo *r, const char *name)
{
	_cleanup_free_ char *path = path_join(r->common, name), *real = NULL;
	struct found f = { path, 0, r->top, false };
	struct stat st;

	if (!path)
		return no_memory(r->err);
	if (lstat(path, &st) < 0 || !S_ISLNK(st.st_mode))
		return 0;
	real = path_resolve(path);
	return real ? obeyed(r, &f, real) : no_memory(r->err);
}

/* ---- finding the repository --------------------------------------------- */

/* The first line of a small file, without its line end. NULL when it cannot be read. */
static char *read_line(const char *dir, const char *name)
{
	_cleanup_free_ char *file = path_join(dir, name), *text = NULL;

	if (!file || fd_read_file(AT_FDCWD, file, POINTER_MAX, &text, NULL) < 0)
		return NULL;
	text[strcspn(text, "\r\n")] = '\0';
	return take_ptr(text);
}

static char *real_below(const char *dir, const char *path)
{
	_cleanup_free_ char *full = path[0] == '/' ? strdup(path) : str_printf("%s/%s", dir, path);

	return full ? realpath(full, NULL) : NULL;
}

/* Follows the pointer file of the worktree at top. */
static void follow_pointer(struct repo *r)
{
	_cleanup_free_ char *line = read_line(r->top, ".git"), *common = NULL;

	if (!line || !str_starts(line, "gitdir: "))
		return;
	r->gitdir = real_below(r->top, line + 8);
	if (!r->gitdir)
		return;
	common = read_line(r->gitdir, "commondir");
	r->is_worktree = common != NULL;
	r->common = common ? real_below(r->gitdir, common) : strdup(r->gitdir);
}

/* The repository whose worktree holds dir. */
static void find_repo(struct repo *r, const char *dir)
{
	_cleanup_free_ char *top = strdup(dir);

	for (unsigned i = 0; top && i < DEPTH_MAX; i++) {
		_cleanup_free_ char *dotgit = path_join(top, ".git");
		struct stat st;

		if (dotgit && stat(dotgit, &st) == 0) {
			r->top = take_ptr(top);
			if (S_ISREG(st.st_mode)) {
				follow_pointer(r);
			} else {
				r->gitdir = realpath(dotgit, NULL);
				r->common = r->gitdir ? strdup(r->gitdir) : NULL;
			}
			return;
		}
		if (streq(top, "/"))
			return;
		top[path_base(top) - top - 1] = '\0';
		if (!*top)
			memcpy(top, "/", 2);
	}
}

/* ---- a worktree's main repository --------------------------------------- */

static bool owned(const char *path, unsigned uid, bool dir)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_uid == uid && !(st.st_mode & 02) &&
	       (dir ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode));
}

/* A linked worktree: <common>/worktrees/<name>, whose "gitdir" names our .git. */
static bool worktree_points_back(const struct repo *r)
{
	_cleanup_free_ char *back = read_line(r->gitdir, "gitdir");
	_cleanup_free_ char *parent = path_join(r->common, "worktrees");
	_cleanup_free_ char *real = back ? real_below(r->gitdir, back) : NULL;
	_cleanup_free_ char *ours = path_join(r->top, ".git");
	const char *name = path_base(r->gitdir);

	return real && parent && ours && streq(real, ours) && path_within(r->gitdir, parent) &&
	       (size_t)(name - r->gitdir) == strlen(parent) + 1;
}

/* A submodule: <super>/.git/modules/..., whose core.worktree is our top. */
static bool submodule_points_back(const struct repo *r)
{
	_cleanup_free_ struct git_config_reader *c = malloc(sizeof(*c));
	_cleanup_free_ char *file = path_join(r->gitdir, "config"), *text = NULL;
	size_t len;

	if (!c || !file || !strstr(r->gitdir, "/.git/modules/") ||
	    fd_read_file(AT_FDCWD, file, CONFIG_MAX, &text, &len) < 0)
		return false;
	git_config_init(c, text, len);
	while (git_config_next(c) == GIT_CONFIG_ENTRY) {
		_cleanup_free_ char *real = NULL;

		if (!streq(c->key, "core.worktree") || !c->has_value)
			continue;
		real = real_below(r->gitdir, c->value);
		return real && streq(real, r->top);
	}
	return false;
}

static int add_repo_rule(struct repo *r, const char *origin, const char *tail, enum access access)
{
	_cleanup_free_ char *escaped = pattern_escape(r->common);
	_cleanup_free_ char *text = escaped ? str_printf("%s%s", escaped, tail) : NULL;
	struct rule_def def = { .pattern = text,
				.access = access,
				.layer = LAYER_BUILTIN,
				.flags = access == ACCESS_READ ? RULE_WRITES_ONLY : 0u,
				.origin = { origin, 1 } };

	return text ? spec_add_rule(r->s, &def, r->err) : no_memory(r->err);
}

/* All that git writes there from a worktree; configuration is judged by content. */
static int worktree_rules(struct repo *r, const char *origin)
{
	static const char *const parts[] = {
		"/objects",
		"/HEAD.lock",
		"/worktrees/*/HEAD.lock",
		"/refs",
		"/logs",
		"/packed-refs",
		"/packed-refs.{lock,new}",
		"/config",
		"/config.lock",
		"/shallow*",
		"/gc.*",
		"/rr-cache",
		"/info/refs*",
		"/lfs",
	};
	_cleanup_free_ char *name = pattern_escape(path_base(r->gitdir));
	_cleanup_free_ char *own = name ? str_printf("/worktrees/%s", name) : NULL;
	int rc = add_repo_rule(r, origin, "", ACCESS_READ);

	for (size_t i = 0; rc >= 0 && i < ARRAY_SIZE(parts); i++)
		rc = add_repo_rule(r, origin, parts[i], ACCESS_WRITE);
	if (rc < 0)
		return rc;
	return own ? add_repo_rule(r, origin, own, ACCESS_WRITE) : no_memory(r->err);
}

static int note_pointer(struct repo *r, const char *origin)
{
	_cleanup_free_ char *note =
		str_printf("%s leads to %s, which does not lead back (or is not yours): git will "
			   "not work here",
			   origin, r->gitdir);

	return note && strv_add(&r->s->notes, note) == 0 ? 0 : no_memory(r->err);
}

static int grant_main(struct repo *r, unsigned uid)
{
	_cleanup_free_ char *origin_file = path_join(r->top, ".git");
	struct origin origin = { origin_file, 1 };
	bool back;

	if (!origin_file)
		return no_memory(r->err);
	if (spec_root_of(r->s, r->common))
		return 0;
	back = r->is_worktree ? worktree_points_back(r) : submodule_points_back(r);
	if (!back || !owned(r->common, uid, true) || !owned(r->gitdir, uid, true) ||
	    !owned(origin_file, uid, false) || path_within(r->s->state_dir, r->common))
		return note_pointer(r, origin_file);
	if (spec_add_root(r->s, r->common, ROOT_GRANT, r->s->mode != MODE_CHAT, false, &origin) < 0)
		return no_memory(r->err);
	return r->is_worktree ? worktree_rules(r, origin_file) : 0;
}

/* ---- the whole ---------------------------------------------------------- */

static int one_workspace(struct spec *s, const struct policy_input *in, const char *root,
			 struct berm_err *err)
{
	_cleanup_(repo_done) struct repo r = { .s = s, .err = err };
	_cleanup_free_ char *dotgit = NULL;
	int rc;

	find_repo(&r, root);
	if (!r.top || !r.gitdir || !r.common)
		return 0;
	dotgit = path_join(r.top, ".git");
	if (!dotgit)
		return no_memory(err);
	/* Only a worktree that is the workspace: one above it is not writable anyway. */
	if (streq(r.top, root) && !streq(r.gitdir, dotgit)) {
		rc = grant_main(&r, in->uid);
		if (rc < 0)
			return rc;
	}
	rc = linked(&r, "hooks");
	if (rc >= 0)
		rc = linked(&r, "config");
	if (rc >= 0)
		rc = read_config_in(&r, r.common, "config");
	if (rc >= 0)
		rc = read_config_in(&r, r.gitdir, "config.worktree");
	return rc;
}

/* The user's own configuration counts for every repository. */
static int users_config(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	_cleanup_(repo_done) struct repo r = { .s = s, .err = err };
	const char *xdg = env_get(in->environ, "XDG_CONFIG_HOME");
	int rc = read_config_in(&r, s->user_home, ".gitconfig");

	if (rc >= 0)
		rc = xdg && xdg[0] == '/' ? read_config_in(&r, xdg, "git/config")
					  : read_config_in(&r, s->user_home, ".config/git/config");
	return rc < 0 ? rc : read_config(&r, "/etc/gitconfig");
}

int repo_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	size_t n = s->n_roots; /* grants made here are not looked at again */
	int rc = users_config(s, in, err);

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		_cleanup_free_ char *root = NULL;

		if (s->roots[i].kind != ROOT_WORKSPACE)
			continue;
		/* The list of roots may move while it grows. */
		root = strdup(s->roots[i].path);
		rc = root ? one_workspace(s, in, root, err) : no_memory(err);
	}
	return rc;
}
