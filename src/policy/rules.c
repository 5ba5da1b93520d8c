/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rules.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
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

/* Each judgement looks at every rule: a hostile project's file shall not slow it down
 * without bound. */
#define RULES_MAX 10000

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
	if (s->n_rules >= RULES_MAX)
		return err_set(err, -E2BIG, "more than %d rules", RULES_MAX);
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
	uint64_t wild = pattern_wildcards(r->pat), access = r->access;

	if (r->flags & RULE_FIRST) {
		/* How specific it is does not count; a denial comes before an ask. */
		literal = wild = 0;
		access = r->access == ACCESS_ASK ? ACCESS_WRITE + 1 : r->access;
	}
	return (uint64_t)rank(r) << 58 | literal << 42 | (wild > 0xff ? 0xff : wild) << 34 |
	       (uint64_t)opens(r) << 33 | access << 30 | (index & 0x3fffffff);
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
		const char *name = data_text(&data_dependency_dirs, i);

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
		const char *d = data_text(&data_dependency_dirs, i);

		if (strlen(d) == len && memcmp(d, name, len) == 0)
			return true;
	}
	return false;
}

bool is_dangerous_binary(const char *name)
{
	for (size_t i = 0; i < data_dangerous_binaries.n; i++)
		if (glob_match(data_text(&data_dangerous_binaries, i), name, false))
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
