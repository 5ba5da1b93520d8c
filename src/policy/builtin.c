/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of data/. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/apply.h"
#include "policy/places.h"
#include "policy/rules.h"

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
	/* In the real home it may appear while the command runs. */
	if (text[0] == '~' && s->home == HOME_HOST)
		return true;
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
		const struct data_entry e_at = data_at(list, i), *e = &e_at;
		struct rule_def one = def;
		int r;

		if (!place_matters(&places, s, e->text, def.access))
			continue;
		one.pattern = e->text;
		one.origin = (struct origin){ list->file, e->line };
		/* A place of its own is meant, whatever folder it lies in (~/.cargo/bin). */
		if (e->text[0] == '~' || e->text[0] == '/')
			one.flags &= ~(unsigned)RULE_EXEMPT_DEPS;
		/* Nothing lifts the protection of berm's own policy. */
		if ((def.flags & RULE_MANDATORY) && e->group && !streq(e->group, "berm-policy"))
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
