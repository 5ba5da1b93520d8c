/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rules.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/apply.h"
#include "policy/places.h"

unsigned name_hash(const char *s, size_t len)
{
	unsigned h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)chr_lower(s[i])) * 16777619u;
	return (h ^ h >> 15) & 63u;
}

const char *spec_string(struct spec *s, const char *text)
{
	struct spec_priv *p = s->priv;

	for (size_t i = p->strings.n; i-- > 0;)
		if (streq(p->strings.v[i], text))
			return p->strings.v[i];
	return strv_add(&p->strings, text) < 0 ? NULL : p->strings.v[p->strings.n - 1];
}

void origin_text(const struct origin *o, char *dst, size_t size)
{
	if (o->line)
		snprintf(dst, size, "%s:%u", o->file, o->line);
	else
		snprintf(dst, size, "%s", o->file);
}

static const char *verb_of(const struct rule_def *d)
{
	if (d->exec != EXEC_UNSET)
		return d->exec == EXEC_ALLOW ? "allow-exec" : "deny-exec";
	switch (d->access) {
	case ACCESS_NONE:
		return "none";
	case ACCESS_ASK:
		return "ask";
	case ACCESS_READ:
		return d->flags & RULE_READS_ONLY ? "allow-read" : "deny-write";
	case ACCESS_WRITE:
		return "allow-write";
	}
	return "rule";
}

static void rule_free(struct rule *r)
{
	if (!r)
		return;
	pattern_free(r->pat);
	free(r);
}

static void rule_freep(struct rule **r)
{
	rule_free(*r);
}

static int reserve(struct spec *s)
{
	struct spec_priv *p = s->priv;
	struct rule **v;

	if (s->n_rules < p->cap_rules)
		return 0;
	p->cap_rules = p->cap_rules ? 2 * p->cap_rules : 256;
	v = reallocarray(s->rules, p->cap_rules, sizeof(struct rule *));
	if (!v)
		return -ENOMEM;
	s->rules = v;
	return 0;
}

/* The rule and the text it is shown as, in one block. */
static struct rule *rule_new(const struct rule_def *def)
{
	const char *verb = verb_of(def);
	size_t v = strlen(verb), n = strlen(def->pattern);
	struct rule *r = malloc(sizeof(*r) + v + n + 2);

	if (!r)
		return NULL;
	*r = (struct rule){ .text = (char *)(r + 1),
			    .access = def->access,
			    .exec = def->exec,
			    .layer = def->layer,
			    .flags = def->flags };
	memcpy(r->text, verb, v);
	r->text[v] = ' ';
	memcpy(r->text + v + 1, def->pattern, n + 1);
	return r;
}

int spec_add_rule(struct spec *s, const struct rule_def *def, struct berm_err *err)
{
	_cleanup_(rule_freep) struct rule *r = rule_new(def);
	unsigned pflags = 0;
	char where[512];
	int rc;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	/* A rule that closes something also closes it under another case: on a
	 * case-insensitive file system that is the same file. */
	if (def->access != ACCESS_WRITE && def->exec != EXEC_ALLOW)
		pflags |= PATTERN_FOLD;
	if (def->flags & RULE_EXACT)
		pflags |= PATTERN_EXACT;
	rc = pattern_new(def->pattern, def->base, s->user_home, pflags, &r->pat, err);
	if (rc < 0) {
		origin_text(&def->origin, where, sizeof(where));
		return err_prefix(err, "%s: bad pattern \"%s\"", where, def->pattern);
	}
	r->flags |= pflags & PATTERN_FOLD ? RULE_FOLD : 0u;
	r->origin.line = def->origin.line;
	r->origin.file = spec_string(s, def->origin.file);
	r->protects = def->protects ? spec_string(s, def->protects) : NULL;
	if (!r->origin.file || (def->protects && !r->protects) || reserve(s) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	s->rules[s->n_rules++] = take_ptr(r);
	return 0;
}

/* ---- order -------------------------------------------------------------- */

static bool opens(const struct rule *r)
{
	return r->exec == EXEC_UNSET ? r->access == ACCESS_WRITE || (r->flags & RULE_READS_ONLY)
				     : r->exec == EXEC_ALLOW;
}

/* What nobody lifts, what "unprotect" lifts, mandatory protections, then the
 * layers (DESIGN 6). What a managed file opens is a default: it ranks last but for
 * the built-in rules. */
static int rank(const struct rule *r)
{
	static const int of_layer[LAYER_COUNT] = {
		[LAYER_CLI] = 3,  [LAYER_LOCAL] = 4,   [LAYER_PROJECT] = 5,
		[LAYER_USER] = 6, [LAYER_MANAGED] = 7, [LAYER_BUILTIN] = 8,
	};

	if (r->flags & RULE_LIFTS)
		return 1;
	if (r->flags & RULE_MANDATORY)
		return r->protects ? 2 : 0;
	return r->layer == LAYER_MANAGED && !opens(r) ? 0 : of_layer[r->layer];
}

/* All that decides the order in one number, smaller first. Ties stay in the order
 * of the sources. */
struct sort_key {
	uint64_t key;
	struct rule *r;
};

static uint64_t key_of_rule(const struct rule *r, size_t index)
{
	uint64_t literal = 2 * PATTERN_MAX - pattern_literal_len(r->pat);
	uint64_t wild = pattern_wildcards(r->pat);

	return (uint64_t)rank(r) << 58 | literal << 42 | (wild > 0xff ? 0xff : wild) << 34 |
	       (uint64_t)opens(r) << 33 | (uint64_t)r->access << 30 | (index & 0x3fffffff);
}

static int by_strength(const void *pa, const void *pb)
{
	const struct sort_key *a = pa, *b = pb;

	return a->key < b->key ? -1 : a->key > b->key;
}

static int sort_rules(struct spec *s)
{
	_cleanup_free_ struct sort_key *keys = calloc(s->n_rules + 1, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_rules; i++)
		keys[i] = (struct sort_key){ key_of_rule(s->rules[i], i), s->rules[i] };
	qsort(keys, s->n_rules, sizeof(*keys), by_strength);
	for (size_t i = 0; i < s->n_rules; i++)
		s->rules[i] = keys[i].r;
	return 0;
}

/* ---- index -------------------------------------------------------------- */

static bool plain(char c)
{
	return !strchr("*?[]\\", c);
}

/* The bit that the pattern's first component after a leading "**" asks for. */
static void key_of(struct rule_live *l, const char *s, size_t len, bool literal)
{
	l->kind = SIG_ALWAYS;
	if (literal) {
		l->kind = SIG_NAME;
		l->bit = 1ull << name_hash(s, len);
	} else if (plain(s[0])) {
		l->kind = SIG_FIRST;
		l->bit = 1ull << name_hash(s, 1);
	} else if (len > 1 && plain(s[len - 1]) && s[len - 2] != '\\') {
		l->kind = SIG_LAST;
		l->bit = 1ull << name_hash(s + len - 1, 1);
	}
}

/* An absolute pattern matters when its literal part lies in a root or a root lies
 * in it. In the first case each path it can name has the component that
 * follows the (outermost) root. */
static bool absolute_key(const struct spec *s, const struct rule *r, struct rule_live *l)
{
	_cleanup_free_ char *dir = pattern_literal_dir(r->pat);
	const char *outer = NULL;

	l->kind = SIG_ALWAYS;
	if (!dir)
		return true;
	for (size_t i = 0; i < s->n_roots; i++) {
		const char *root = s->roots[i].path;

		if (path_within(root, dir))
			return true; /* always looked at */
		if (path_within(dir, root) && (!outer || strlen(root) < strlen(outer)))
			outer = root;
	}
	if (!outer)
		return false;
	if (!streq(outer, "/")) {
		const char *next = dir + strlen(outer) + 1;

		key_of(l, next, strcspn(next, "/"), true);
	}
	return true;
}

static bool live_of(const struct spec *s, const struct rule *r, struct rule_live *l)
{
	const char *first;
	bool literal, deep;
	size_t len;

	*l = (struct rule_live){ .r = r, .kind = SIG_ALWAYS };
	if (r->exec != EXEC_UNSET || (r->flags & RULE_LIFTED))
		return false;
	if (!pattern_is_relative(r->pat))
		return absolute_key(s, r, l);
	first = pattern_first(r->pat, &len, &literal, &deep);
	if (first)
		key_of(l, first, len, literal);
	return true;
}

int spec_finish_rules(struct spec *s, struct berm_err *err)
{
	struct spec_priv *p = s->priv;

	free(p->live);
	p->n_live = 0;
	p->live = calloc(s->n_rules + 1, sizeof(*p->live));
	if (!p->live || sort_rules(s) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < s->n_rules; i++)
		p->n_live += live_of(s, s->rules[i], &p->live[p->n_live]);
	for (size_t i = 0; i < data_dependency_dirs.n; i++) {
		const char *name = data_dependency_dirs.rows[i].text;

		p->dep_bits |= 1ull << name_hash(name, strlen(name));
	}
	return 0;
}

bool is_dependency_dir(const struct spec *s, const char *name, size_t len)
{
	const struct spec_priv *p = s->priv;

	if (!(p->dep_bits >> name_hash(name, len) & 1u))
		return false;
	for (size_t i = 0; i < data_dependency_dirs.n; i++) {
		const char *d = data_dependency_dirs.rows[i].text;

		if (strlen(d) == len && memcmp(d, name, len) == 0)
			return true;
	}
	return false;
}

bool is_dangerous_binary(const char *name)
{
	for (size_t i = 0; i < data_dangerous_binaries.n; i++)
		if (glob_match(data_dangerous_binaries.rows[i].text, name, false))
			return true;
	return false;
}

const struct writable_root *spec_root_of(const struct spec *s, const char *path)
{
	const struct writable_root *best = NULL;

	for (size_t i = 0; i < s->n_roots; i++) {
		const struct writable_root *r = &s->roots[i];

		if (r->is_file ? !streq(path, r->path) : !path_within(path, r->path))
			continue;
		if (!best || strlen(r->path) > strlen(best->path))
			best = r;
	}
	return best;
}

/* ---- built-in rules ----------------------------------------------------- */

/* The user's home with room behind it: entries of the lists are looked at as
 * strings first, and most concern no place in this spec. */
#define PLACES_TAILS 64

struct places {
	char path[PATH_MAX];
	size_t home_len;
	bool home_near;			 /* a writable root lies in the home or holds it */
	bool home_seen;			 /* the view shows something of the real home */
	const char *tails[PLACES_TAILS]; /* of s->reads, below the home; NULL: see the tree */
};

static bool near_root(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(path, s->roots[i].path) || path_within(s->roots[i].path, path))
			return true;
	return false;
}

static void places_init(struct places *p, const struct spec *s)
{
	memset(p->tails, 0, sizeof(p->tails));
	p->home_len = strlen(s->user_home);
	p->home_near = near_root(s, s->user_home);
	p->home_seen = s->home == HOME_HOST || s->n_reads > 0;
	for (size_t i = 0; i < s->n_reads && i < PLACES_TAILS; i++) {
		const struct readable_tree *t = &s->reads[i];

		if (streq(t->path, t->source) && path_within(t->path, s->user_home))
			p->tails[i] = t->path + p->home_len;
	}
	if (p->home_len >= sizeof(p->path))
		p->home_len = 0;
	memcpy(p->path, s->user_home, p->home_len + 1);
}

static bool near_each_other(const char *a, const char *b)
{
	return path_within(a, b) || path_within(b, a);
}

/* May a read-only tree over the private home show something of this secret? */
static bool tree_near(const struct places *p, const struct spec *s, const char *text)
{
	const char *path = text[0] == '~' ? p->path : text;

	for (size_t i = 0; i < s->n_reads; i++) {
		const struct readable_tree *t = &s->reads[i];
		/* Both below the home: its own name need not be compared each time. */
		bool tail = text[0] == '~' && i < PLACES_TAILS && p->tails[i];

		if (near_each_other(tail ? p->tails[i] : t->source, tail ? text + 1 : path))
			return true;
		if (!tail && near_each_other(t->path, path))
			return true;
	}
	return false;
}

/* A rule about a fixed place matters where a writable root is near it or, for one
 * that hides, where the view shows it. */
static bool place_matters(struct places *p, const struct spec *s, const char *text,
			  enum access access)
{
	const char *path = text;
	size_t n = strlen(text);

	if (text[0] != '~' && text[0] != '/')
		return true;
	if (text[0] == '~') {
		if (!p->home_near && (access > ACCESS_ASK || !p->home_seen))
			return false;
		if (p->home_len + n >= sizeof(p->path))
			return true;
		memcpy(p->path + p->home_len, text + 1, n);
		path = p->path;
	}
	if (p->home_near || text[0] == '/') {
		if (near_root(s, path))
			return true;
	}
	if (access > ACCESS_ASK)
		return false;
	if (tree_near(p, s, text))
		return true;
	return (text[0] == '/' || s->home == HOME_HOST) && view_shows(s, path) &&
	       faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
}

static int add_list(struct spec *s, const struct data_list *list, struct rule_def def,
		    struct berm_err *err)
{
	struct places places;

	places_init(&places, s);
	for (size_t i = 0; i < list->n; i++) {
		const struct data_entry *e = &list->rows[i];
		struct rule_def one = def;
		int r;

		if (!place_matters(&places, s, e->text, def.access))
			continue;
		one.pattern = e->text;
		one.origin = (struct origin){ list->file, e->line };
		/* Nothing lifts the protection of berm's own policy. */
		if ((def.flags & RULE_MANDATORY) && !streq(e->group, "berm-policy"))
			one.protects = e->group;
		if (e->text[0] == '!') {
			one.pattern = e->text + 1;
			one.access = ACCESS_WRITE;
			one.flags = RULE_EXACT;
			one.protects = NULL;
		}
		r = e->text[0] == '~' || e->text[0] == '/' ? add_both_spellings(s, &one, err)
							   : spec_add_rule(s, &one, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int spec_add_builtin(struct spec *s, struct berm_err *err)
{
	bool strict = streq(s->profile, "strict");
	struct rule_def secret = { .access = ACCESS_NONE,
				   .layer = LAYER_BUILTIN,
				   .flags = RULE_MANDATORY };
	struct rule_def rc = { .access = ACCESS_READ,
			       .layer = LAYER_BUILTIN,
			       .flags = RULE_MANDATORY | RULE_WRITES_ONLY | RULE_EXEMPT_DEPS };
	struct rule_def agent = { .access = ACCESS_READ,
				  .layer = LAYER_BUILTIN,
				  .flags = RULE_MANDATORY | RULE_WRITES_ONLY | RULE_AT_ROOTS |
					   RULE_EXEMPT_DEPS };
	struct rule_def name = { .access = strict ? ACCESS_NONE : ACCESS_READ,
				 .layer = LAYER_BUILTIN,
				 .flags = RULE_EXEMPT_DEPS | (strict ? 0u : RULE_WRITES_ONLY) };
	int r;

	r = add_list(s, &data_secret_paths, secret, err);
	if (r >= 0)
		r = add_list(s, &data_protected_names, rc, err);
	if (r >= 0)
		r = add_list(s, &data_agent_dirs, agent, err);
	if (r >= 0)
		r = add_list(s, &data_secret_names, name, err);
	return r;
}
