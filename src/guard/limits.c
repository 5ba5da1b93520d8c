/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/limits.h"

#include <string.h>

#include "base/str.h"

/* One entry of a facet. Exactly one of the pointers is set, by the facet's kind. */
struct entry {
	bool out; /* "!": takes out what it covers */
	struct pattern *path;
	const char *ref; /* of the rule */
	struct host_pattern *host;
	struct shell_pattern *command;
};

struct facet {
	struct entry *v;
	size_t n;
	bool only_out; /* all but */
};

enum { PATHS, REFS, HOSTS, COMMANDS, FACETS };

struct limits {
	struct facet facets[FACETS];
	int64_t max_count, max_cents;
};

/* ---- compiling ---------------------------------------------------------- */

static void entry_free(struct entry *e)
{
	pattern_free(e->path);
	free(e->host);
	shell_pattern_free(e->command);
}

void limits_free(struct limits *l)
{
	if (!l)
		return;
	for (int k = 0; k < FACETS; k++) {
		for (size_t i = 0; i < l->facets[k].n; i++)
			entry_free(&l->facets[k].v[i]);
		free(l->facets[k].v);
	}
	free(l);
}

static int compile(struct entry *e, int kind, const char *text, const char *base, const char *home,
		   struct berm_err *err)
{
	switch (kind) {
	case PATHS:
		return pattern_new(text, base, home, 0, &e->path, err);
	case REFS:
		e->ref = text;
		return 0;
	case HOSTS:
		e->host = calloc(1, sizeof(*e->host));
		if (!e->host)
			return err_set(err, -ENOMEM, "out of memory");
		return host_pattern_parse(text, true, e->host, err);
	default:
		return shell_pattern_new(text, SHELL_PATTERN_BERM, &e->command, err);
	}
}

static int facet_new(struct facet *f, int kind, const struct strv *list, const char *base,
		     const char *home, struct berm_err *err)
{
	if (!list->n)
		return 0;
	f->v = calloc(list->n, sizeof(*f->v));
	if (!f->v)
		return err_set(err, -ENOMEM, "out of memory");
	f->only_out = true;
	for (size_t i = 0; i < list->n; i++) {
		struct entry *e = &f->v[f->n++];
		const char *text = list->v[i];

		e->out = *text == '!';
		f->only_out &= e->out;
		if (compile(e, kind, text + e->out, base, home, err) < 0)
			return err_prefix(err, "\"%s\"", text);
	}
	return 0;
}

static bool limits_nothing(const struct guard_constraint *c)
{
	return !c->paths.n && !c->refs.n && !c->hosts.n && !c->commands.n && c->max_count < 0 &&
	       c->max_cents < 0;
}

int limits_new(const struct guard_constraint *c, const char *base, const char *home,
	       struct limits **ret, struct berm_err *err)
{
	const struct strv *lists[FACETS] = { &c->paths, &c->refs, &c->hosts, &c->commands };
	struct limits *l;

	*ret = NULL;
	if (limits_nothing(c))
		return 0;
	l = calloc(1, sizeof(*l));
	if (!l)
		return err_set(err, -ENOMEM, "out of memory");
	l->max_count = c->max_count;
	l->max_cents = c->max_cents;
	for (int k = 0; k < FACETS; k++) {
		int r = facet_new(&l->facets[k], k, lists[k], base, home, err);

		if (r < 0) {
			limits_free(l);
			return r;
		}
	}
	*ret = l;
	return 0;
}

/* ---- fitting ------------------------------------------------------------ */

/* Is the i-th value of the kind covered by the entry? */
static bool entry_covers(const struct entry *e, int kind, const struct guard_facts *f, size_t i)
{
	switch (kind) {
	case PATHS:
		return pattern_match(e->path, f->paths.v[i]);
	case REFS:
		return glob_match(e->ref, f->refs.v[i], false);
	default:
		return host_pattern_match(e->host, &f->hosts[i].host, f->hosts[i].port);
	}
}

static bool covered(const struct facet *facet, int kind, const struct guard_facts *f, size_t i)
{
	bool in = facet->only_out;

	for (size_t k = 0; k < facet->n; k++) {
		const struct entry *e = &facet->v[k];

		if (e->out && entry_covers(e, kind, f, i))
			return false;
		if (!in && !e->out)
			in = entry_covers(e, kind, f, i);
	}
	return in;
}

static enum guard_fit fit_values(const struct facet *facet, int kind, const struct guard_facts *f,
				 size_t n, bool more, bool restricts)
{
	size_t hits = 0;

	for (size_t i = 0; i < n; i++)
		hits += covered(facet, kind, f, i);
	if (restricts)
		return hits ? FIT_HIT : !n || more ? FIT_UNKNOWN : FIT_MISS;
	return n && !more && hits == n ? FIT_HIT : FIT_MISS;
}

/* A command is one value, and whether an entry covers it can be in doubt. */
static enum guard_fit fit_command(const struct facet *facet, const struct shell_part *part,
				  bool restricts)
{
	enum shell_aim in_aim = restricts ? SHELL_RESTRICT : SHELL_PERMIT;
	enum shell_aim out_aim = restricts ? SHELL_PERMIT : SHELL_RESTRICT;
	enum shell_match in = facet->only_out ? SHELL_HIT : SHELL_MISS;

	if (!part)
		return restricts ? FIT_UNKNOWN : FIT_MISS;
	for (size_t k = 0; k < facet->n; k++) {
		const struct entry *e = &facet->v[k];
		enum shell_match m =
			shell_pattern_match(e->command, part, e->out ? out_aim : in_aim);

		if (e->out && (m == SHELL_HIT || (m == SHELL_MAYBE && !restricts)))
			return FIT_MISS;
		if (!e->out && m > in)
			in = m;
	}
	if (in == SHELL_MAYBE)
		return restricts ? FIT_UNKNOWN : FIT_MISS;
	return in == SHELL_HIT ? FIT_HIT : FIT_MISS;
}

static enum guard_fit fit_amount(int64_t max, int64_t value, bool restricts)
{
	if (value < 0)
		return restricts ? FIT_UNKNOWN : FIT_MISS;
	return (value > max) == restricts ? FIT_HIT : FIT_MISS;
}

static void worst(enum guard_fit *a, enum guard_fit b)
{
	if (b < *a)
		*a = b;
}

enum guard_fit limits_fit(const struct limits *l, const struct guard_facts *f, bool restricts)
{
	const size_t n[] = { f->paths.n, f->refs.n, f->n_hosts };
	const bool more[] = { f->paths.more, f->refs.more, f->more_hosts };
	enum guard_fit fit = FIT_HIT;

	if (!l)
		return FIT_HIT;
	for (int k = 0; k < COMMANDS && fit != FIT_MISS; k++)
		if (l->facets[k].n)
			worst(&fit, fit_values(&l->facets[k], k, f, n[k], more[k], restricts));
	if (fit != FIT_MISS && l->facets[COMMANDS].n)
		worst(&fit, fit_command(&l->facets[COMMANDS], f->command, restricts));
	if (l->max_count >= 0)
		worst(&fit, fit_amount(l->max_count, f->count, restricts));
	if (l->max_cents >= 0)
		worst(&fit, fit_amount(l->max_cents, f->cents, restricts));
	return fit;
}
