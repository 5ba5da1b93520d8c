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

static enum guard_fit fit_part(const struct crule *c, const struct shell_part *part)
{
	bool restricts = c->rule->decision != VERDICT_ALLOW;
	struct guard_facts f = GUARD_FACTS_NONE;
	enum shell_match m;
	enum guard_fit fit;

	m = shell_pattern_match(c->command, part, restricts ? SHELL_RESTRICT : SHELL_PERMIT);
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

/* Bits of all that stands between blanks. */
static uint64_t text_bits(const char *s, size_t len)
{
	uint64_t bits = 0;

	for (const char *end = s + len; s <= end;) {
		const char *blank = memchr(s, ' ', (size_t)(end - s));
		size_t n = (size_t)((blank ? blank : end) - s);

		bits |= word_bit(s, n);
		s += n + 1;
	}
	return bits;
}

/* The same of a part; all of them when something is not certain. */
static uint64_t part_bits(const struct shell_part *part)
{
	uint64_t bits = 0;

	if (part->why || part->blind || part->flags & SHELL_APPENDED)
		return UINT64_MAX;
	for (uint32_t i = 0; i < part->n_full + part->n_words; i++) {
		const struct shell_word *w =
			i < part->n_full ? &part->full[i] : &part->words[i - part->n_full];

		bits |= text_bits(w->text, w->len);
	}
	return bits;
}

static void hear_list(struct hearing *h, const struct guard_rules *r, const struct rule_list *l,
		      const struct shell_part *part, uint64_t bits, int64_t now)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct crule *c = &r->v[l->v[i]];
		enum guard_fit fit;

		if ((c->needs & ~bits) || !rule_counts(c, now))
			continue;
		fit = fit_part(c, part);
		if (fit != FIT_MISS)
			hear_command(h, c, fit);
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

/* The buckets of every name that a part may go by: its program, its wrappers. Returns
 * false when a name is not certain, so that each rule is to be asked. */
static bool part_buckets(const struct shell_part *part, unsigned *v, size_t max, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = 0; i < part->n_full + 1; i++) {
		const struct shell_word *w = i < part->n_full ? &part->full[i] : part->words;
		const char *base;
		unsigned b;
		bool seen = false;

		/* Behind wrappers the program comes last; of a plain command only the first word
		 * is a name. */
		if (i == part->n_full ? !part->n_words : i && !part->n_wrappers)
			continue;
		if (w->why) {
			if (i == 0 || i == part->n_full)
				return false;
			continue;
		}
		base = memrchr(w->text, '/', w->len);
		base = base ? base + 1 : w->text;
		b = rule_bucket(base, (size_t)(w->text + w->len - base));
		for (size_t k = 0; k < n; k++)
			seen |= v[k] == b;
		if (seen)
			continue;
		if (n == max)
			return false;
		v[n++] = b;
	}
	*ret_n = n;
	return true;
}

bool guard_resolve_command(const struct guard_rules *r, const struct shell_part *part, int64_t now,
			   struct guard_opinion *ret)
{
	struct hearing h = { 0 };
	unsigned buckets[32];
	uint64_t bits;
	size_t n;

	if (!r->commands)
		return false;
	bits = part_bits(part);
	hear_list(&h, r, &r->any_word, part, bits, now);
	if (part_buckets(part, buckets, ARRAY_SIZE(buckets), &n)) {
		for (size_t i = 0; i < n; i++)
			hear_list(&h, r, &r->words[buckets[i]], part, bits, now);
	} else {
		for (size_t i = 0; i < RULE_BUCKETS; i++)
			hear_list(&h, r, &r->words[i], part, bits, now);
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
	uint64_t bits = r->whole.n ? text_bits(line, strlen(line)) : 0;
	bool any = false;

	for (size_t i = 0; i < r->whole.n; i++) {
		const struct crule *c = &r->v[r->whole.v[i]];
		struct guard_opinion o;

		if ((c->needs & ~bits) || (c->first && c->first != line[0]) ||
		    !rule_counts(c, now) || !whole_matches(c->rule->pattern, line))
			continue;
		o = rule_opinion(c, rule_is_floor(c->rule), FIT_HIT);
		say(ret, &any, &o);
	}
	return any;
}

/* ---- advice ------------------------------------------------------------- */

static bool advises(const struct crule *c, effects_t effects, const struct guard_facts *f)
{
	if (c->rule->subject == GUARD_EFFECT)
		return (effects & EFFECT_BIT(c->rule->effect)) &&
		       limits_fit(c->limits, f, true) != FIT_MISS;
	return f->command && fit_part(c, f->command) != FIT_MISS;
}

/* May a rule be about what goes by these names? */
static bool in_buckets(const struct crule *c, const unsigned *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c->bucket == v[i] + 1)
			return true;
	return !c->bucket;
}

const struct guard_rule *guard_advice(const struct guard_rules *r, effects_t effects,
				      const struct guard_facts *f, int64_t now)
{
	unsigned buckets[32];
	size_t n = 0;
	bool certain = r->advice.n && f->command &&
		       part_buckets(f->command, buckets, ARRAY_SIZE(buckets), &n);

	for (size_t i = 0; i < r->advice.n; i++) {
		const struct crule *c = &r->v[r->advice.v[i]];
		const struct guard_rule *rule = c->rule;

		if (certain && !in_buckets(c, buckets, n))
			continue;

		if ((!rule->expires || now < rule->expires) && advises(c, effects, f))
			return rule;
	}
	return NULL;
}
