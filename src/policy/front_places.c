/* SPDX-License-Identifier: Apache-2.0 */
/* Where the settings files of other tools lie. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/front.h"
#include "policy/front_read.h"
#include "policy/places.h"

/* A project's files; local: not to be committed. */
struct project_file {
	enum front_kind kind;
	const char *rel;
	bool local;
};

static const struct project_file project_files[] = {
	{ FRONT_CLAUDE, ".claude/settings.json", false },
	{ FRONT_CLAUDE, ".claude/settings.local.json", true },
	{ FRONT_CODEX, ".codex/config.toml", false },
};

/* The folder of the user's settings: from the variable, else below the home. */
char *front_user_dir(enum front_kind k, char *const *vars, const char *user_home)
{
	const char *dir = k == FRONT_SRT ? user_home
					 : env_get(vars, k == FRONT_CLAUDE ? "CLAUDE_CONFIG_DIR"
									   : "CODEX_HOME");

	if (dir && dir[0] == '/')
		return strdup(dir);
	return path_join(user_home, k == FRONT_CLAUDE ? ".claude" : ".codex");
}

char *front_user_file(enum front_kind k, char *const *vars, const char *user_home)
{
	static const char *const names[] = { [FRONT_CLAUDE] = "settings.json",
					     [FRONT_SRT] = ".srt-settings.json",
					     [FRONT_CODEX] = "config.toml" };
	_cleanup_free_ char *dir = front_user_dir(k, vars, user_home);

	return dir ? path_join(dir, names[k]) : NULL;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_rules(const struct dirent *d)
{
	return d->d_name[0] != '.' && str_ends(d->d_name, ".rules");
}

/* DIR/.codex/rules: each file is trusted for itself. */
static int list_rules(const char *dir, struct strv *ret, struct berm_err *err)
{
	_cleanup_free_ char *rules = path_join(dir, ".codex/rules");
	struct dirent **names = NULL;
	int n, r = 0;

	if (!rules)
		return err_set(err, -ENOMEM, "out of memory");
	n = scandir(rules, &names, is_rules, by_name);
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		return err_errno(err, -errno, "cannot read the rules in %s", rules);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *rel = str_printf(".codex/rules/%s", names[i]->d_name);

		if (r >= 0 && (!rel || strv_add(ret, rel) < 0))
			r = err_set(err, -ENOMEM, "out of memory");
		free(names[i]);
	}
	free(names);
	return r;
}

int front_project_files(enum front_kind k, const char *dir, struct strv *ret, struct berm_err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(project_files); i++) {
		_cleanup_free_ char *path = path_join(dir, project_files[i].rel);
		struct stat st;

		if (!path)
			return err_set(err, -ENOMEM, "out of memory");
		if (project_files[i].kind == k && lstat(path, &st) == 0 &&
		    strv_add(ret, project_files[i].rel) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	return k == FRONT_CODEX ? list_rules(dir, ret, err) : 0;
}

bool front_file_is_local(const char *rel)
{
	for (size_t i = 0; i < ARRAY_SIZE(project_files); i++)
		if (streq(project_files[i].rel, rel))
			return project_files[i].local;
	return false;
}

/* ---- folders ---- */

static int add(struct strv *ret, const char *base, const char *below)
{
	_cleanup_free_ char *path = path_join(base, below);

	return path ? strv_add(ret, path) : -ENOMEM;
}

/* The folder of a file by name. */
static int add_named(struct strv *ret, const char *cwd, const char *file)
{
	_cleanup_free_ char *path = path_join(cwd, file);
	char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash)
		return -ENOMEM;
	*(slash == path ? slash + 1 : slash) = '\0';
	return strv_add(ret, path);
}

static int add_kind(struct strv *ret, enum front_kind k, const struct policy_input *in,
		    const struct spec *s)
{
	_cleanup_free_ char *user = front_user_dir(k, in->environ, s->user_home);
	const char *etc = in->dirs.etc ? in->dirs.etc : "/etc";
	bool claude = k == FRONT_CLAUDE;
	int r = user ? strv_add(ret, user) : -ENOMEM;

	if (r < 0 || k == FRONT_SRT)
		return r;
	r = add(ret, etc, claude ? "claude-code" : "codex");
	if (r >= 0)
		r = claude ? add(ret, etc, "claude-code/managed-settings.d")
			   : add(ret, user, "rules");
	for (size_t i = 0; i < s->n_roots && r >= 0; i++) {
		if (s->roots[i].kind != ROOT_WORKSPACE)
			continue;
		r = add(ret, s->roots[i].path, claude ? ".claude" : ".codex");
		if (r >= 0 && !claude)
			r = add(ret, s->roots[i].path, ".codex/rules");
	}
	return r;
}

int front_folders(const struct policy_input *in, const struct spec *s, const char *cwd,
		  struct strv *ret)
{
	int r = 0;

	for (size_t i = 0; i < in->n_settings && r >= 0; i++) {
		struct berm_err err = { 0 };
		enum front_kind k;
		const char *file;

		if (front_arg_parse(in->settings[i], &k, &file, &err) < 0)
			continue;
		r = file ? add_named(ret, cwd, file) : add_kind(ret, k, in, s);
	}
	return r;
}
