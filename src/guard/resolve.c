/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/rules_impl.h"

#include <string.h>

#include "base/str.h"
#include "policy/data.h"

/* ---- effects ------------------------------------------------------------ */

/* What one scope's rules say: the best with limits, the best without, and whether some limit
 * was not answered. */
struct said {
	struct guard_opinion limited, plain;
	bool has_limited, has_plain;
};

static void say(struct guard_opinion *o, bool *has, const struct guard_opinion *new)
{
	if (!*has)
		*o = *new;
	else
		opinion_tighten(o, new);
	*has = true;
}

static bool is_protected(const char *ref)
{
	for (size_t i = 0; i < data_protected_refs.n; i++)
		if (glob_match(data_text(&data_protected_refs, i), ref, false))
			return true;
	return false;
}

/* A push of the templates' own: some branches never, and what is not named might be one. */
static void template_refs(const struct guard_rules *r, const struct guard_facts *f,
			  struct guard_opinion *o)
{
	struct guard_opinion deny = {
		.decision = VERDICT_DENY,
		.source = GUARD_FROM_LIST,
		.row = "gitPush to a protected branch",
		.origin = { data_protected_refs.file, 0 },
		.reason = "the template denies pushes to protected branches",
	};
	struct guard_opinion ask = deny;

	if (r->template == TEMPLATE_DEFAULT)
		return;
	for (size_t i = 0; i < f->refs.n; i++)
		if (is_protected(f->refs.v[i]))
			opinion_tighten(o, &deny);
	ask.decision = VERDICT_ASK;
	ask.reason = "the branch is not named, and the template denies some";
	if (f->refs.more || !f->refs.n)
		opinion_tighten(o, &ask);
}

static void from_default(const struct guard_rules *r, enum effect e, const struct guard_facts *f,
			 struct guard_opinion *ret)
{
	*ret = (struct guard_opinion){
		.decision = r->defaults[e].decision,
		.source = GUARD_FROM_DEFAULT,
		.row = r->defaults[e].row,
		.origin = r->defaults[e].origin,
		.reason = "no rule speaks of it",
	};
	if (e == EFFECT_GIT_PUSH)
		template_refs(r, f, ret);
}

static void hear(struct said *said, struct guard_opinion *doubt, bool *doubts,
		 const struct crule *c, const struct guard_facts *f)
{
	bool restricts = c->rule->decision != VERDICT_ALLOW;
	enum guard_fit fit = limits_fit(c->limits, f, restricts);
	struct guard_opinion o = rule_opinion(c, false, fit);

	if (fit == FIT_UNKNOWN)
		say(doubt, doubts, &o);
	else if (fit == FIT_HIT && c->limits)
		say(&said->limited, &said->has_limited, &o);
	else if (fit == FIT_HIT)
		say(&said->plain, &said->has_plain, &o);
}

static void hear_floor(struct guard_opinion *floor, bool *has, const struct crule *c,
		       const struct guard_facts *f)
{
	struct guard_opinion o;
	enum guard_fit fit;

	if (c->rule->decision == VERDICT_ALLOW)
		return;
	fit = limits_fit(c->limits, f, true);
	if (fit == FIT_MISS)
		return;
	o = rule_opinion(c, true, fit);
	say(floor, has, &o);
}

/* What somebody said goes before a default of the same strictness: those may be waived. */
static void tighten(struct guard_opinion *a, const struct guard_opinion *b)
{
	if (a->source == GUARD_FROM_DEFAULT && b->decision == a->decision &&
	    a->decision != VERDICT_ALLOW)
		*a = *b;
	else
		opinion_tighten(a, b);
}

void guard_resolve_effect(const struct guard_rules *r, enum effect e, const struct guard_facts *f,
			  enum mode mode, int64_t now, struct guard_opinion *ret)
{
	const struct rule_list *l = &r->effects[e];
	struct said said[SCOPE_N] = { 0 };
	struct guard_opinion floor = { 0 }, doubt[SCOPE_N] = { 0 };
	bool floors = false, doubts[SCOPE_N] = { false };
	int last = SCOPE_N - 1;

	for (size_t i = 0; i < l->n; i++) {
		const struct crule *c = &r->v[l->v[i]];

		if (!rule_counts(c, now))
			continue;
		if (rule_is_floor(c->rule))
			hear_floor(&floor, &floors, c, f);
		else
			hear(&said[c->scope], &doubt[c->scope], &doubts[c->scope], c, f);
	}
	from_default(r, e, f, ret);
	for (int s = 0; s < SCOPE_N; s++) {
		if (!said[s].has_limited && !said[s].has_plain)
			continue;
		*ret = said[s].has_limited ? said[s].limited : said[s].plain;
		last = s;
		break;
	}
	/* Doubts of the scopes that were asked before one decided, and of that one. */
	for (int s = 0; s <= last; s++)
		if (doubts[s])
			tighten(ret, &doubt[s]);
	if (r->modes[mode][e].reason)
		tighten(ret, &r->modes[mode][e]);
	if (floors)
		tighten(ret, &floor);
}

/* ---- commands ----------------------------------------------------------- */

struct hearing {
	struct guard_opinion best[SCOPE_N], floor;
	size_t weight[SCOPE_N];
	bool has[SCOPE_N], floors;
	struct guard_opinion doubt[SCOPE_N];
	bool doubts[SCOPE_N];
};

static enum guard_fit fit_part(const struct crule *c, const struct shell_part *part,
			       struct shell_texts *t)
{
	bool restricts = c->rule->decision != VERDICT_ALLOW;
	struct guard_facts f = GUARD_FACTS_NONE;
	enum shell_match m;
	enum guard_fit fit;

	m = shell_pattern_match_texts(c->command, part, restricts ? SHELL_RESTRICT : SHELL_PERMIT,
				      t);
	if (m == SHELL_MISS || (m == SHELL_MAYBE && !restricts))
		return FIT_MISS;
	f.command = part;
	fit = limits_fit(c->limits, &f, restricts);
	return fit == FIT_HIT && m == SHELL_MAYBE ? FIT_UNKNOWN : fit;
}

static void hear_command(struct hearing *h, const struct crule *c, enum guard_fit fit)
{
	bool floor = rule_is_floor(c->rule);
	struct guard_opinion o = rule_opinion(c, floor, fit);
	enum guard_scope s = c->scope;

	if (floor) {
		if (c->rule->decision != VERDICT_ALLOW)
			say(&h->floor, &h->floors, &o);
	} else if (fit == FIT_UNKNOWN) {
		say(&h->doubt[s], &h->doubts[s], &o);
	} else if (!h->has[s] || c->weight > h->weight[s]) {
		h->best[s] = o;
		h->weight[s] = c->weight;
		h->has[s] = true;
	} else if (c->weight == h->weight[s]) {
		opinion_tighten(&h->best[s], &o);
	}
}

static bool conclude(const struct hearing *h, struct guard_opinion *ret)
{
	bool any = false;

	for (int s = 0; s < SCOPE_N; s++) {
		if (h->doubts[s])
			say(ret, &any, &h->doubt[s]);
		if (h->has[s]) {
			say(ret, &any, &h->best[s]);
			break;
		}
	}
	if (h->floors)
		say(ret, &any, &h->floor);
	return any;
}

static void find_words(const struct rule_index *x, const struct shell_word *w, uint32_t n,
		       struct rule_set *s)
{
	for (uint32_t i = 0; i < n; i++)
		rule_set_find(x, w[i].text, w[i].len, s);
}

static void find_certain(const struct rule_index *x, const struct shell_part *part,
			 struct rule_set *s)
{
	find_words(x, part->assigns, part->n_assigns, s);
	find_words(x, part->full, part->n_full, s);
	if (part->words != part->full)
		find_words(x, part->words, part->n_words, s);
}

static bool is_certain(const struct shell_part *part)
{
	return !part->why && !part->blind && !(part->flags & SHELL_APPENDED);
}

/* By every name that a part may go by: its program, its wrappers. Returns false when the name is
 * not certain. */
static bool find_names(const struct rule_index *x, const struct shell_part *part,
		       struct rule_set *s)
{
	/* Behind wrappers the program comes last; of a plain command only the first word is a name.
	 */
	uint32_t n = part->n_wrappers || !part->n_full ? part->n_full : 1;

	if ((part->n_full && part->full->why) || (part->n_words && part->words->why))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!part->full[i].why)
			find_words(x, &part->full[i], 1, s);
	if (part->n_words)
		find_words(x, part->words, 1, s);
	return true;
}

/* The rules that may speak of a part; NULL: each of them may. */
static const struct rule_set *concerned(const struct rule_index *keys,
					const struct rule_index *first,
					const struct shell_part *part, struct rule_set *s)
{
	const struct rule_index *x = is_certain(part) ? keys : first;

	if (!x || !rule_set_start(x, s))
		return NULL;
	if (x == keys)
		find_certain(x, part, s);
	else if (!find_names(x, part, s))
		return NULL;
	return s;
}

bool guard_resolve_command(const struct guard_rules *r, const struct shell_part *part, int64_t now,
			   struct guard_opinion *ret)
{
	_cleanup_shell_texts_ struct shell_texts t = { 0 };
	struct hearing h = { 0 };
	const struct rule_set *s;
	struct rule_set room;

	if (r->commands.empty)
		return false;
	s = concerned(&r->commands, &r->first, part, &room);
	for (size_t i = 0; (i = rule_set_next(&r->commands, s, i)) < r->n; i++) {
		const struct crule *c = &r->v[i];
		enum guard_fit fit = rule_counts(c, now) ? fit_part(c, part, &t) : FIT_MISS;

		if (fit != FIT_MISS)
			hear_command(&h, c, fit);
	}
	return conclude(&h, ret);
}

/* "a b:*" as the glob "a b*"; the rest is written as one already. */
static bool whole_matches(const char *pattern, const char *line)
{
	size_t len = strlen(pattern);

	if (len < 2 || !streq(pattern + len - 2, ":*"))
		return glob_match(pattern, line, false);
	return strncmp(pattern, line, len - 2) == 0;
}

bool guard_resolve_whole(const struct guard_rules *r, const char *line, int64_t now,
			 struct guard_opinion *ret)
{
	struct rule_set room, *s = &room;
	bool any = false;

	if (r->whole.empty)
		return false;
	if (rule_set_start(&r->whole, s))
		rule_set_find(&r->whole, line, strlen(line), s);
	else
		s = NULL;
	for (size_t i = 0; (i = rule_set_next(&r->whole, s, i)) < r->n; i++) {
		const struct crule *c = &r->v[i];
		struct guard_opinion o;

		if (!rule_counts(c, now) || !whole_matches(c->rule->pattern, line))
			continue;
		o = rule_opinion(c, rule_is_floor(c->rule), FIT_HIT);
		say(ret, &any, &o);
	}
	return any;
}

/* ---- advice ------------------------------------------------------------- */

static bool advises(const struct crule *c, effects_t effects, const struct guard_facts *f,
		    struct shell_texts *t)
{
	if (c->rule->subject == GUARD_EFFECT)
		return (effects & EFFECT_BIT(c->rule->effect)) &&
		       limits_fit(c->limits, f, true) != FIT_MISS;
	return f->command && fit_part(c, f->command, t) != FIT_MISS;
}

const struct guard_rule *guard_advice(const struct guard_rules *r, effects_t effects,
				      const struct guard_facts *f, int64_t now)
{
	_cleanup_shell_texts_ struct shell_texts t = { 0 };
	const struct rule_set *s = NULL;
	struct rule_set room;

	if (r->advice.empty)
		return NULL;
	if (f->command)
		s = concerned(&r->advice, NULL, f->command, &room);
	for (size_t i = 0; (i = rule_set_next(&r->advice, s, i)) < r->n; i++) {
		const struct crule *c = &r->v[i];

		if ((!c->rule->expires || now < c->rule->expires) && advises(c, effects, f, &t))
			return c->rule;
	}
	return NULL;
}
