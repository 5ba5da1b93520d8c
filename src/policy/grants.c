/* SPDX-License-Identifier: Apache-2.0 */
/* What one "files" entry becomes: a rule where it speaks about a path in a
 * writable root; else a writable root, a readable tree or a hidden path. */
#include "policy/rules.h"
#include "policy/apply.h"

#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/places.h"

/* One entry on its way. */
struct entry {
	struct spec *s;
	const struct settings *set;
	const struct setting *e;
	struct berm_err *err;
	struct rule_def def;
	struct pattern *pat;
	char where[512];
};

static void entry_done(struct entry *t)
{
	pattern_free(t->pat);
}

const char *setting_base(const struct settings *set, const struct setting *e)
{
	/* On the command line a bare path is relative to where the user stands, as for
	 * every other program; a name with a leading "**" is meant everywhere. */
	return str_starts(e->name, "**/") && set->layer == LAYER_CLI ? NULL : set->base;
}

static int entry_init(struct entry *t, struct spec *s, const struct settings *set,
		      const struct setting *e, struct berm_err *err)
{
	int r;

	*t = (struct entry){ .s = s, .set = set, .e = e, .err = err };
	t->def = (struct rule_def){ .pattern = e->name,
				    .base = setting_base(set, e),
				    .access = (enum access)e->number,
				    .layer = set->layer,
				    .flags = e->flags,
				    .origin = setting_origin(set, e) };
	origin_text(&t->def.origin, t->where, sizeof(t->where));
	r = pattern_new(e->name, t->def.base, s->user_home, 0, &t->pat, err);
	return r < 0 ? err_prefix(err, "%s: bad pattern \"%s\"", t->where, e->name) : 0;
}

/* ---- both spellings ----------------------------------------------------- */

static size_t depth_of(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += *path == '/' && path[1] && path[1] != '/';
	return n;
}

/* pattern with its literal directory replaced by the resolved one: what follows the
 * directory in the text is what follows the same number of components. */
static char *respell(const struct rule_def *def, const struct spec *s, const char *real,
		     size_t skip)
{
	_cleanup_free_ char *head = pattern_escape(real);
	const char *rest = def->pattern;

	if (rest[0] == '~' || rest[0] == '/' || def->base) {
		const char *start = rest[0] == '~' ? s->user_home : rest[0] == '/' ? "" : def->base;
		size_t n = depth_of(start);

		rest += rest[0] == '~';
		skip = skip > n ? skip - n : 0;
	}
	while (skip) {
		size_t len;

		rest += strspn(rest, "/");
		len = strcspn(rest, "/");
		skip -= !(len == 1 && *rest == '.');
		rest += len;
	}
	rest += strspn(rest, "/");
	return head ? str_printf("%s%s%s", head, *rest ? "/" : "", rest) : NULL;
}

int add_both_spellings(struct spec *s, const struct rule_def *def, struct berm_err *err)
{
	_cleanup_free_ char *dir = NULL, *real = NULL, *text = NULL;
	struct rule_def resolved = *def;
	struct rule *last;
	int r = spec_add_rule(s, def, err);

	if (r < 0)
		return r;
	last = s->rules[s->n_rules - 1];
	if (pattern_is_relative(last->pat))
		return 0;
	dir = pattern_literal_dir(last->pat);
	real = dir ? path_resolve(dir) : NULL;
	if (!real)
		return err_set(err, -ENOMEM, "out of memory");
	/* ".." and braces make the text and the components disagree. */
	if (streq(dir, real) || strstr(def->pattern, "..") || strpbrk(def->pattern, "{}"))
		return 0;
	text = respell(def, s, real, depth_of(dir));
	if (!text)
		return err_set(err, -ENOMEM, "out of memory");
	resolved.pattern = text;
	resolved.base = NULL;
	return spec_add_rule(s, &resolved, err);
}

/* An entry with wildcards that exists just so on disk means that file, too. */
static int add_rule_entry(struct entry *t)
{
	_cleanup_free_ char *path = NULL, *escaped = NULL;
	struct rule_def literal = t->def;
	struct stat st;
	int r = add_both_spellings(t->s, &t->def, t->err);

	if (r < 0 || t->def.access == ACCESS_WRITE || !strpbrk(t->e->name, "*?[{\\") ||
	    t->e->name[0] == '~')
		return r;
	path = path_join(t->def.base ? t->def.base : t->s->roots[0].path, t->e->name);
	if (!path)
		return err_set(t->err, -ENOMEM, "out of memory");
	if (lstat(path, &st) < 0)
		return 0;
	escaped = pattern_escape(path);
	if (!escaped)
		return err_set(t->err, -ENOMEM, "out of memory");
	literal.pattern = escaped;
	return spec_add_rule(t->s, &literal, t->err);
}

/* ---- where it lies ------------------------------------------------------ */

enum place { PLACE_INSIDE, PLACE_ROOT, PLACE_ABOVE, PLACE_OUTSIDE };

static enum place place_of(const struct spec *s, const char *path)
{
	enum place best = PLACE_OUTSIDE;

	for (size_t i = 0; i < s->n_roots; i++) {
		const char *root = s->roots[i].path;

		if (streq(path, root))
			return PLACE_ROOT;
		if (!s->roots[i].is_file && path_within(path, root))
			best = PLACE_INSIDE;
		else if (path_within(root, path) && best == PLACE_OUTSIDE)
			best = PLACE_ABOVE;
	}
	return best;
}

/* A thing that cannot be done: an error where a person just typed it, a note
 * where it stands in a file that may serve many machines. */
static int cannot(struct entry *t, int code, const char *what, const char *fix)
{
	_cleanup_free_ char *note = NULL;

	if (t->set->layer == LAYER_CLI && !t->e->line) {
		err_set(t->err, code, "cannot grant \"%s\": %s", t->e->name, what);
		err_fix(t->err, "%s", fix);
		return code;
	}
	note = str_printf("%s: \"%s\" is skipped: %s", t->where, t->e->name, what);
	if (!note || strv_add(&t->s->notes, note) < 0)
		return err_set(t->err, -ENOMEM, "out of memory");
	return 0;
}

/* ---- grants outside ----------------------------------------------------- */

static int grant_root(struct entry *t, const char *path, bool every_mode)
{
	struct spec *s = t->s;
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(t->err, -errno, "%s: cannot use %s", t->where, path);
	if (streq(path, "/"))
		return cannot(t, -EINVAL, "the whole machine cannot be writable",
			      "name a directory");
	if (is_machine_place(path) || path_within(path, "/run"))
		return cannot(t, -EINVAL, "it is the machine's own interface",
			      "such places are private to the sandbox");
	if (path_within(path, s->state_dir) ||
	    (path_within(s->state_dir, path) && !streq(path, s->user_home)))
		return cannot(t, -EINVAL, "it holds berm's own state",
			      "grant a directory elsewhere");
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return cannot(t, -EINVAL, "it is neither a directory nor a regular file",
			      "grant the directory that holds it");
	if (spec_add_root(s, path, ROOT_GRANT, s->mode != MODE_CHAT && !every_mode,
			  S_ISREG(st.st_mode), &t->def.origin) < 0)
		return err_set(t->err, -ENOMEM, "out of memory");
	return 0;
}

static int file_write(struct entry *t, const char *dir)
{
	_cleanup_free_ char *real = path_resolve(dir);
	enum place place;
	struct stat st;

	if (!real)
		return err_set(t->err, -ENOMEM, "out of memory");
	place = place_of(t->s, real);
	if (place == PLACE_INSIDE)
		return add_rule_entry(t);
	if (!pattern_is_literal(t->pat))
		return place == PLACE_ROOT ? add_rule_entry(t)
					   : cannot(t, -EINVAL,
						    "a wildcard cannot open what lies outside the "
						    "writable roots",
						    "name the directory itself");
	if (place == PLACE_ROOT)
		return 0; /* it is writable already; this opens no protected name in it */
	if (lstat(dir, &st) < 0)
		return cannot(t, -ENOENT, "it does not exist", "make it first");
	return grant_root(t, real, false);
}

static int file_read(struct entry *t, const char *dir)
{
	_cleanup_free_ char *real = path_resolve(dir);
	enum place place;
	struct stat st;

	if (!real)
		return err_set(t->err, -ENOMEM, "out of memory");
	place = place_of(t->s, real);
	if (place == PLACE_INSIDE || place == PLACE_ROOT)
		return add_rule_entry(t);
	if (!t->set->trusted || view_shows(t->s, dir))
		return 0;
	if (!pattern_is_literal(t->pat))
		return cannot(t, -EINVAL, "a wildcard cannot show what the view does not",
			      "name the directory itself");
	if (lstat(dir, &st) < 0)
		return cannot(t, -ENOENT, "it does not exist", "check the spelling");
	if (path_within(real, t->s->state_dir) || streq(real, "/"))
		return cannot(t, -EINVAL, "this can never be shown as a whole",
			      "name what the command needs");
	if (spec_add_read(t->s, dir, real, &t->def.origin) < 0)
		return err_set(t->err, -ENOMEM, "out of memory");
	return 0;
}

static bool shows_around(const struct spec *s, const char *dir)
{
	return view_shows(s, dir) || (s->home == HOME_HOST && path_within(s->user_home, dir));
}

/* What the view shows around a workspace cannot be closed without the workspace. */
static int around_root(struct entry *t)
{
	err_set(t->err, -ENOTSUP,
		"%s: \"%s\" cannot be held: a workspace lies in it, and the rest is shown",
		t->where, t->e->name);
	err_fix(t->err,
		"show less (--home private, --root system), or name the directories to close");
	return -ENOTSUP;
}

/* A path closed for reading: inside the roots the supervisor holds it, outside
 * it must be one place that a mount can cover. */
static int file_close(struct entry *t, const char *dir)
{
	_cleanup_free_ char *real = path_resolve(dir);
	enum place place;

	if (!real)
		return err_set(t->err, -ENOMEM, "out of memory");
	place = place_of(t->s, real);
	/* The workspace is the more specific grant; only a managed rule goes over it. */
	if (place == PLACE_ABOVE && pattern_is_literal(t->pat) && t->set->layer != LAYER_MANAGED)
		return t->def.access <= ACCESS_ASK && shows_around(t->s, dir) ? around_root(t) : 0;
	if (t->def.access <= ACCESS_ASK && !pattern_is_literal(t->pat) &&
	    (place == PLACE_OUTSIDE || place == PLACE_ABOVE) && view_shows(t->s, dir)) {
		err_set(t->err, -ENOTSUP,
			"%s: \"%s\" cannot be held: a wildcard hides files only in writable roots",
			t->where, t->e->name);
		err_fix(t->err, "name the directory or the file itself");
		return -ENOTSUP;
	}
	return add_rule_entry(t);
}

int apply_file(struct spec *s, const struct settings *set, const struct setting *e,
	       struct berm_err *err)
{
	_cleanup_(entry_done) struct entry t;
	_cleanup_free_ char *dir = NULL;
	int r = entry_init(&t, s, set, e, err);

	if (r < 0)
		return r;
	/* "read" from a file that may only tighten says nothing about reading. */
	if (e->number == ACCESS_ASK && (!set->trusted || set->layer == LAYER_MANAGED))
		t.def.flags |= RULE_ONLY_ASKS;
	if (!set->trusted && e->number == ACCESS_READ)
		t.def.flags |= RULE_WRITES_ONLY;
	if (pattern_is_relative(t.pat))
		return add_rule_entry(&t);
	dir = pattern_literal_dir(t.pat);
	if (!dir)
		return err_set(err, -ENOMEM, "out of memory");
	if (e->number == ACCESS_WRITE)
		return file_write(&t, dir);
	if (e->number == ACCESS_READ && !(e->flags & RULE_WRITES_ONLY))
		return file_read(&t, dir);
	if (streq(dir, "/") && pattern_is_literal(t.pat)) {
		err_set(err, -EINVAL, "rule \"%s\" closes everything there is", e->name);
		err_fix(err, "name what shall be closed; modes that only look: --mode review");
		return -EINVAL;
	}
	return file_close(&t, dir);
}

/* ---- other lists of paths ----------------------------------------------- */

int apply_protected_path(struct spec *s, const struct settings *set, const struct setting *e,
			 struct berm_err *err)
{
	_cleanup_(entry_done) struct entry t;
	_cleanup_free_ char *dir = NULL, *real = NULL;
	int r = entry_init(&t, s, set, e, err);

	if (r < 0)
		return r;
	/* Never writable, in any mode, whatever another layer says (SPEC S2). */
	t.def.access = ACCESS_READ;
	t.def.flags = RULE_MANDATORY | RULE_WRITES_ONLY;
	t.def.layer = LAYER_MANAGED;
	r = add_rule_entry(&t);
	if (r < 0 || pattern_is_relative(t.pat) || !pattern_is_literal(t.pat))
		return r;
	dir = pattern_literal_dir(t.pat);
	real = dir ? path_resolve(dir) : NULL;
	if (!real)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(s->roots[i].path, real))
			s->roots[i].read_only = true;
	return 0;
}

int apply_state_dir(struct spec *s, const struct settings *set, const struct setting *e,
		    struct berm_err *err)
{
	_cleanup_(entry_done) struct entry t;
	_cleanup_free_ char *dir = NULL, *real = NULL;
	struct stat st;
	int r = entry_init(&t, s, set, e, err);

	if (r < 0)
		return r;
	if (pattern_is_relative(t.pat) || !pattern_is_literal(t.pat))
		return cannot(&t, -EINVAL, "a state directory is one absolute path",
			      "name the directory itself");
	dir = pattern_literal_dir(t.pat);
	real = dir ? path_resolve(dir) : NULL;
	if (!real)
		return err_set(err, -ENOMEM, "out of memory");
	if (stat(real, &st) < 0)
		return cannot(&t, -ENOENT, "it does not exist", "make it first");
	return grant_root(&t, real, true);
}
