/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/front_read.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/sha256.h"
#include "base/str.h"
#include "policy/front_impl.h"
#include "policy/layers.h"
#include "policy/places.h"
#include "policy/rules.h"
#include "policy/trust.h"

#define SOURCES_MAX 256

struct reader {
	struct spec *s;
	const struct policy_input *in;
	struct front_set *set;
	struct berm_err *err;
	const char *ws[64];
	size_t n_ws;
};

static int no_memory(struct reader *rd)
{
	return err_set(rd->err, -ENOMEM, "out of memory");
}

void front_set_free(struct front_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		front_parts_free(&set->v[i].parts);
	free(set->v);
	*set = (struct front_set){ 0 };
}

/* ---- one file ------------------------------------------------------------ */

static int take_text(struct reader *rd, struct front_place *at, char *text, size_t len)
{
	struct front_source *v;

	if (rd->set->n == SOURCES_MAX)
		return err_set(rd->err, -E2BIG, "more than %d settings files of other tools",
			       SOURCES_MAX);
	v = reallocarray(rd->set->v, rd->set->n + 1, sizeof(*v));
	if (!v)
		return no_memory(rd);
	rd->set->v = v;
	at->home = rd->s->user_home;
	at->workspaces = rd->ws;
	at->n_workspaces = rd->n_ws;
	v[rd->set->n] = (struct front_source){ .kind = at->kind, .layer = at->layer };
	if (front_parse(at, text, len, &v[rd->set->n].parts, rd->err) < 0)
		return rd->err->code;
	rd->set->n++;
	return 0;
}

/* A file that only its owner or root can have written. 0 also when there is none; *ret_found. */
static int take_owned(struct reader *rd, struct front_place *at, unsigned owner, bool *ret_found)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r = settings_read_owned(at->file, owner, &text, &len, rd->err);

	if (ret_found)
		*ret_found = r >= 0;
	if (r == -ENOENT)
		return 0;
	at->trusted = true;
	return r < 0 ? r : take_text(rd, at, text, len);
}

/* ---- managed ------------------------------------------------------------- */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_json(const struct dirent *d)
{
	return d->d_name[0] != '.' && str_ends(d->d_name, ".json");
}

static int is_rules(const struct dirent *d)
{
	return d->d_name[0] != '.' && str_ends(d->d_name, ".rules");
}

/* Each file of a folder that counts, in the order of the names. */
static int take_folder(struct reader *rd, const char *dir, int (*counts)(const struct dirent *d),
		       const struct front_place *like, unsigned owner)
{
	struct dirent **names = NULL;
	int n = scandir(dir, &names, counts, by_name), r = 0;

	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		return err_errno(rd->err, -errno, "cannot read the settings in %s", dir);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = r >= 0 ? path_join(dir, names[i]->d_name) : NULL;
		struct front_place at = *like;

		at.file = path;
		if (path)
			r = take_owned(rd, &at, owner, NULL);
		else if (r >= 0)
			r = no_memory(rd);
		free(names[i]);
	}
	free(names);
	return r;
}

/* The machine's administrator writes there, nobody else. */
static const char *managed_dir(const struct policy_input *in, unsigned *ret_owner)
{
	*ret_owner = in->dirs.etc ? in->uid : 0;
	return in->dirs.etc ? in->dirs.etc : "/etc";
}

static int claude_managed(struct reader *rd)
{
	unsigned owner;
	const char *etc = managed_dir(rd->in, &owner);
	_cleanup_free_ char *dir = path_join(etc, "claude-code");
	_cleanup_free_ char *file = dir ? path_join(dir, "managed-settings.json") : NULL;
	_cleanup_free_ char *drop = dir ? path_join(dir, "managed-settings.d") : NULL;
	struct front_place at = {
		.kind = FRONT_CLAUDE, .file = file, .root = dir, .layer = LAYER_MANAGED
	};
	int r;

	if (!file || !drop)
		return no_memory(rd);
	r = take_owned(rd, &at, owner, NULL);
	return r < 0 ? r : take_folder(rd, drop, is_json, &at, owner);
}

static int codex_managed(struct reader *rd)
{
	static const char *const names[] = { "config.toml", "managed_config.toml",
					     "requirements.toml" };
	unsigned owner;
	const char *etc = managed_dir(rd->in, &owner);
	_cleanup_free_ char *dir = path_join(etc, "codex");
	int r = 0;

	if (!dir)
		return no_memory(rd);
	for (size_t i = 0; i < ARRAY_SIZE(names) && r >= 0; i++) {
		_cleanup_free_ char *file = path_join(dir, names[i]);
		struct front_place at = { .kind = FRONT_CODEX,
					  .file = file,
					  .root = dir,
					  .layer = LAYER_MANAGED,
					  .requirements = streq(names[i], "requirements.toml") };

		r = file ? take_owned(rd, &at, owner, NULL) : no_memory(rd);
	}
	return r;
}

/* ---- the user's ----------------------------------------------------------- */

static int user_rules(struct reader *rd, const char *dir)
{
	_cleanup_free_ char *rules = path_join(dir, "rules");
	struct front_place at = {
		.kind = FRONT_CODEX, .root = dir, .layer = LAYER_USER, .rules = true
	};

	return rules ? take_folder(rd, rules, is_rules, &at, rd->in->uid) : no_memory(rd);
}

static int take_user(struct reader *rd, enum front_kind k)
{
	_cleanup_free_ char *file = front_user_file(k, rd->in->environ, rd->s->user_home),
			    *dir = NULL;
	const struct spec_priv *p = rd->s->priv;
	struct front_place at = { .kind = k, .file = file, .layer = LAYER_USER };
	bool found = false;
	int r;

	if (!file)
		return no_memory(rd);
	/* srt's relative paths begin where it was started. */
	dir = k == FRONT_SRT ? strdup(p->cwd)
			     : front_user_dir(k, rd->in->environ, rd->s->user_home);
	if (!dir)
		return no_memory(rd);
	at.root = dir;
	r = take_owned(rd, &at, rd->in->uid, &found);
	if (r >= 0 && k == FRONT_SRT && !found) {
		err_set(rd->err, -ENOENT, "there are no settings of srt's: %s", file);
		err_fix(rd->err, "name the file: --settings srt:FILE");
		return -ENOENT;
	}
	return r >= 0 && k == FRONT_CODEX ? user_rules(rd, dir) : r;
}

/* ---- a project's ---------------------------------------------------------- */

static bool users_own(const char *path, unsigned uid)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid &&
	       !(st.st_mode & 022);
}

static int take_project(struct reader *rd, enum front_kind k, const char *dir, const char *rel,
			bool local, bool rules)
{
	_cleanup_free_ char *path = path_join(dir, rel), *text = NULL;
	struct front_place at = { .kind = k,
				  .file = path,
				  .base = dir,
				  .root = dir,
				  .layer = LAYER_PROJECT,
				  .project = true,
				  .rules = rules };
	char hex[SHA256_HEX_SIZE];
	size_t len;
	int r;

	if (!path)
		return no_memory(rd);
	r = project_read(dir, rel, &text, &len, rd->err);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	sha256_hex(text, len, hex);
	at.trusted = trust_holds(rd->s->state_dir, rd->in->uid, path, hex);
	if (local && at.trusted && users_own(path, rd->in->uid))
		at.layer = LAYER_LOCAL;
	return take_text(rd, &at, text, len);
}

static int take_projects(struct reader *rd, enum front_kind k)
{
	int r = 0;

	for (size_t i = 0; i < rd->n_ws && r >= 0; i++) {
		_cleanup_strv_ struct strv files = { 0 };

		r = front_project_files(k, rd->ws[i], &files, rd->err);
		for (size_t j = 0; j < files.n && r >= 0; j++)
			r = take_project(rd, k, rd->ws[i], files.v[j],
					 front_file_is_local(files.v[j]),
					 str_ends(files.v[j], ".rules"));
	}
	return r;
}

/* ---- all ------------------------------------------------------------------- */

/* A file by name is as strong as the command line. */
static int take_named(struct reader *rd, enum front_kind k, const char *name)
{
	const struct spec_priv *p = rd->s->priv;
	_cleanup_free_ char *path = path_join(p->cwd, name), *dir = NULL;
	struct front_place at = { .kind = k, .file = path, .base = p->cwd, .layer = LAYER_CLI };
	bool found;
	char *slash;
	int r;

	dir = path ? strdup(path) : NULL;
	if (!dir)
		return no_memory(rd);
	slash = strrchr(dir, '/');
	*(slash == dir ? slash + 1 : slash) = '\0';
	/* DIR/.claude/settings.json belongs to DIR. */
	if (k == FRONT_CLAUDE && str_ends(dir, "/.claude") && strlen(dir) > 8)
		dir[strlen(dir) - 8] = '\0';
	at.root = k == FRONT_SRT ? p->cwd : dir;
	at.rules = k == FRONT_CODEX && str_ends(name, ".rules");
	at.requirements = k == FRONT_CODEX && streq(path_base(name), "requirements.toml");
	r = take_owned(rd, &at, rd->in->uid, &found);
	if (r < 0 || found)
		return r;
	err_set(rd->err, -ENOENT, "there are no settings %s", name);
	err_fix(rd->err, "--settings %s:FILE names a file; without one the usual ones are read",
		front_kind_name(k));
	return -ENOENT;
}

static int take_all(struct reader *rd, enum front_kind k)
{
	int r = take_user(rd, k);

	if (r >= 0)
		r = take_projects(rd, k);
	if (r >= 0 && k == FRONT_CLAUDE)
		r = claude_managed(rd);
	if (r >= 0 && k == FRONT_CODEX)
		r = codex_managed(rd);
	return r;
}

/* Drops entries with the tag, of files that are not the administrator's. */
static int drop(struct front_source *src, const char *tag, bool rules)
{
	struct settings *s = &src->parts.open;
	size_t keep = 0, gone;

	for (size_t i = 0; i < s->n; i++) {
		struct setting *e = &s->v[i];
		bool hit =
			(e->value && streq(e->value, tag) && e->key != SET_ENV_SET) ||
			(rules && e->key == SET_GUARD_RULE && e->rule->decision == VERDICT_ALLOW);

		if (!hit) {
			s->v[keep++] = *e;
			continue;
		}
		free(e->name);
		free(e->value);
		guard_rule_free(e->rule);
	}
	gone = s->n - keep;
	s->n = keep;
	if (gone) {
		_cleanup_free_ char *text = str_printf(
			SETTINGS_NOTE "%s: %zu entr%s left out: managed settings allow only "
				      "their own",
			s->file, gone, gone == 1 ? "y" : "ies");

		return text ? strv_add(&s->remarks, text) : -ENOMEM;
	}
	return 0;
}

static int managed_only(struct reader *rd, enum front_kind k)
{
	bool rules = false, reads = false;
	int r = 0;

	for (size_t i = 0; i < rd->set->n; i++) {
		const struct front_source *src = &rd->set->v[i];

		rules = rules || (src->kind == k && src->parts.managed_rules_only);
		reads = reads || (src->kind == k && src->parts.managed_reads_only);
	}
	for (size_t i = 0; i < rd->set->n && r >= 0; i++) {
		struct front_source *src = &rd->set->v[i];

		if (src->kind != k || src->layer == LAYER_MANAGED)
			continue;
		if (rules)
			r = drop(src, FRONT_TAG_RULE, true);
		if (reads && r >= 0)
			r = drop(src, FRONT_TAG_READ, false);
	}
	return r < 0 ? no_memory(rd) : 0;
}

static bool opens_a_path_or_host(const struct settings *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].key == SET_FILE || s->v[i].key == SET_NET_RULE)
			return true;
	return false;
}

/* Denials count against what any file of the same tool opens (front.h). */
static void raise_denials(struct front_set *set, enum front_kind k)
{
	enum layer top = LAYER_BUILTIN;

	for (size_t i = 0; i < set->n; i++)
		if (set->v[i].kind == k && set->v[i].layer != LAYER_MANAGED &&
		    set->v[i].layer > top && opens_a_path_or_host(&set->v[i].parts.open))
			top = set->v[i].layer;
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i].kind == k && set->v[i].parts.close.layer < top)
			set->v[i].parts.close.layer = top;
}

int front_read(struct spec *s, const struct policy_input *in, struct front_set *ret,
	       struct berm_err *err)
{
	struct front_set set = { 0 };
	struct reader rd = { .s = s, .in = in, .set = &set, .err = err };
	bool all[FRONT_KIND_COUNT] = { false };
	int r = 0;

	for (size_t i = 0; i < s->n_roots && rd.n_ws < ARRAY_SIZE(rd.ws); i++)
		if (s->roots[i].kind == ROOT_WORKSPACE)
			rd.ws[rd.n_ws++] = s->roots[i].path;
	for (size_t i = 0; i < in->n_settings && r >= 0; i++) {
		enum front_kind k;
		const char *file;

		r = front_arg_parse(in->settings[i], &k, &file, err);
		if (r >= 0 && file)
			r = take_named(&rd, k, file);
		else if (r >= 0 && !all[k])
			r = take_all(&rd, k);
		if (r >= 0 && !file)
			all[k] = true;
	}
	for (int k = 0; k < FRONT_KIND_COUNT && r >= 0; k++) {
		r = managed_only(&rd, (enum front_kind)k);
		raise_denials(&set, (enum front_kind)k);
	}
	if (r < 0) {
		front_set_free(&set);
		return r;
	}
	*ret = set;
	return 0;
}

static int push(struct settings_list *l, struct settings *s)
{
	struct settings *to;

	if (settings_list_add(l, s->file, s->base, s->layer, s->trusted, &to) < 0)
		return -ENOMEM;
	settings_free(to);
	*to = *s;
	*s = (struct settings){ 0 };
	return 0;
}

int front_push(struct front_set *set, enum layer layer, struct settings_list *l)
{
	for (size_t i = 0; i < set->n; i++) {
		struct front_source *src = &set->v[i];

		if (src->layer != layer)
			continue;
		if (push(l, &src->parts.open) < 0)
			return -ENOMEM;
		if (src->parts.close.n && push(l, &src->parts.close) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- one file, for "berm import" -------------------------------------------- */

static void spec_freep(struct spec **s)
{
	spec_free(*s);
}

int front_read_one(const struct policy_input *in, enum front_kind k, const char *file,
		   struct front_parts *ret, struct berm_err *err)
{
	_cleanup_(spec_freep) struct spec *s = spec_new(err);
	struct front_set set = { 0 };
	struct reader rd = { .s = s, .in = in, .set = &set, .err = err };
	int r = s ? places_resolve(s, in, err) : -ENOMEM;

	if (r >= 0)
		rd.ws[rd.n_ws++] = s->roots[0].path;
	if (r >= 0)
		r = file ? take_named(&rd, k, file) : take_user(&rd, k);
	if (r >= 0 && !set.n) {
		err_set(err, -ENOENT, "there are no settings of %s's of your own", front_title(k));
		err_fix(err, "name the file: berm import %s FILE", front_kind_name(k));
		r = -ENOENT;
	}
	if (r >= 0) {
		*ret = set.v[0].parts;
		set.v[0].parts = (struct front_parts){ 0 };
	}
	front_set_free(&set);
	return r;
}
