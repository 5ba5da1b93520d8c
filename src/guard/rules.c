/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/rules_impl.h"

#include <string.h>

#include "base/str.h"
#include "policy/data.h"
#include "policy/rules.h"

const char *guard_source_name(enum guard_source s)
{
	static const char *const names[] = {
		[GUARD_FROM_DEFAULT] = "default",    [GUARD_FROM_RULE] = "rule",
		[GUARD_FROM_FLOOR] = "tightening",   [GUARD_FROM_MODE] = "mode",
		[GUARD_FROM_LIST] = "list",	     [GUARD_FROM_DOUBT] = "doubt",
		[GUARD_FROM_AUTO] = "auto-allow",    [GUARD_FROM_UNSANDBOXED] = "unsandboxed",
		[GUARD_FROM_OVERRIDE] = "override",  [GUARD_FROM_AUTONOMY] = "autonomy",
		[GUARD_FROM_NOBODY] = "no-approver",
	};

	return names[s];
}

/* ---- compiling ---------------------------------------------------------- */

static enum guard_scope scope_of(enum layer l)
{
	switch (l) {
	case LAYER_CLI:
		return SCOPE_SESSION;
	case LAYER_LOCAL:
	case LAYER_PROJECT:
		return SCOPE_WORKSPACE;
	default:
		return SCOPE_USER;
	}
}

static int compile_prefix(const struct strv *words, struct shell_pattern **ret,
			  struct berm_err *err)
{
	_cleanup_free_ const char **alts = calloc(2 * words->n, sizeof(*alts));
	_cleanup_free_ const char *const **places = calloc(words->n, sizeof(*places));

	if (!alts || !places)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < words->n; i++) {
		alts[2 * i] = words->v[i];
		places[i] = &alts[2 * i];
	}
	return shell_pattern_prefix(places, words->n, ret, err);
}

static int compile(struct crule *c, const struct guard_rule *rule, const char *base,
		   const char *home, struct berm_err *err)
{
	int r = 0;

	c->rule = rule;
	c->scope = scope_of(rule->layer);
	if (rule->subject == GUARD_PREFIX)
		r = compile_prefix(&rule->words, &c->command, err);
	else if (rule->subject == GUARD_PATTERN)
		r = shell_pattern_new(rule->pattern, SHELL_PATTERN_CLAUDE, &c->command, err);
	if (r >= 0)
		r = limits_new(&rule->limits, base, home, &c->limits, err);
	if (r < 0) {
		char where[512];

		origin_text(&rule->origin, where, sizeof(where));
		return err_prefix(err, "%s", where);
	}
	if (c->command)
		c->weight = shell_pattern_weight(c->command);
	return 0;
}

/* ---- the index ---------------------------------------------------------- */

static int list_add(struct rule_list *l, uint32_t i)
{
	/* Grows at powers of two. */
	if ((l->n & (l->n - 1)) == 0) {
		uint32_t *v = reallocarray(l->v, l->n ? 2 * l->n : 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->v = v;
	}
	l->v[l->n++] = i;
	return 0;
}

/* The first word of the commands that a rule speaks of; NULL when it is not fixed. */
static const char *first_word(const struct guard_rule *rule, size_t *ret_len)
{
	const char *text = rule->subject == GUARD_PREFIX ? rule->words.v[0] : rule->pattern;
	size_t len = rule->subject == GUARD_PREFIX ? strlen(text) : strcspn(text, " \t");
	const char *slash;

	/* "git:*" is the prefix "git". */
	if (rule->subject == GUARD_PATTERN && len > 2 && text[len] == 0 &&
	    memcmp(text + len - 2, ":*", 2) == 0)
		len -= 2;
	for (size_t i = 0; i < len; i++)
		if (strchr("*?[]\\{}:'\"$=", text[i]))
			return NULL;
	slash = memrchr(text, '/', len);
	if (slash) {
		len -= (size_t)(slash + 1 - text);
		text = slash + 1;
	}
	*ret_len = len;
	return len ? text : NULL;
}

/* Of a key: nothing that may be written in several ways, as options, or that a pattern could mean
 * otherwise. */
static bool plain_word(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
		      (s[i] >= '0' && s[i] <= '9') || s[i] == '_' || s[i] == '.' ||
		      (i && (s[i] == '-' || s[i] == '/'))))
			return false;
	return len && len <= RULE_KEY_MAX;
}

struct key {
	const char *s;
	size_t len;
};

/* How many rules fix a word, by its hash. */
struct census {
	uint32_t *n;
	size_t mask;
	bool counting;
	struct key best;
	uint32_t best_n;
};

/* A word that the rule fixes: is counted, or held against the best one so far. */
static void meet(struct census *c, const char *s, size_t len)
{
	uint32_t *n;

	if (!plain_word(s, len))
		return;
	n = &c->n[rule_key_hash(s, len) & c->mask];
	if (c->counting) {
		++*n;
	} else if (!c->best.s || *n < c->best_n || (*n == c->best_n && len > c->best.len)) {
		c->best = (struct key){ s, len };
		c->best_n = *n;
	}
}

/* The words that a rule fixes: of the commands it speaks of, one begins so. */
static void meet_words(struct census *c, const struct guard_rule *rule)
{
	const char *s = rule->pattern;
	size_t len;

	c->best.s = NULL;
	if (rule->subject == GUARD_EFFECT)
		return;
	s = first_word(rule, &len);
	if (s)
		meet(c, s, len);
	for (size_t i = 1; rule->subject == GUARD_PREFIX && i < rule->words.n; i++)
		meet(c, rule->words.v[i], strlen(rule->words.v[i]));
	s = rule->pattern;
	while (rule->subject == GUARD_PATTERN && (s = strchr(s, ' '))) {
		len = strcspn(++s, " ");
		/* "a b:*": what begins so. */
		if (len > 2 && streq(s + len - 2, ":*"))
			len -= 2;
		meet(c, s, len);
	}
}

/* Held against a whole line as a glob, which knows brackets: "[a b]*". */
static int index_whole(struct guard_rules *r, uint32_t i, struct key k)
{
	const struct guard_rule *rule = r->v[i].rule;

	if (rule->subject != GUARD_PATTERN || rule->decision == VERDICT_ALLOW || r->v[i].limits)
		return 0;
	if (strpbrk(rule->pattern, "[]{}\\"))
		k = (struct key){ 0 };
	return rule_index_add(&r->whole, i, k.s, k.len);
}

static int index_rule(struct guard_rules *r, uint32_t i, struct key k)
{
	const struct guard_rule *rule = r->v[i].rule;
	bool advises = rule->enforcement == GUARD_ADVISORY;
	size_t len = 0;
	const char *first;

	if (rule->subject == GUARD_EFFECT && !advises)
		return list_add(&r->effects[rule->effect], i);
	if (advises)
		return rule_index_add(&r->advice, i, k.s, k.len);
	first = first_word(rule, &len);
	if (index_whole(r, i, k) < 0 || rule_index_add(&r->first, i, first, len) < 0)
		return -ENOMEM;
	return rule_index_add(&r->commands, i, k.s, k.len);
}

/* Each rule goes by the rarest of its words. */
static int index_rules(struct guard_rules *r)
{
	struct rule_index *const all[] = { &r->commands, &r->first, &r->whole, &r->advice };
	struct census c = { .mask = 15, .counting = true };
	_cleanup_free_ uint32_t *counts = NULL;

	while (c.mask < 2 * r->n)
		c.mask = 2 * c.mask + 1;
	c.n = counts = calloc(c.mask + 1, sizeof(*counts));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!c.n || rule_index_init(all[i], r->n) < 0)
			return -ENOMEM;
	for (size_t i = 0; i < r->n; i++)
		meet_words(&c, r->v[i].rule);
	c.counting = false;
	for (uint32_t i = 0; i < r->n; i++) {
		meet_words(&c, r->v[i].rule);
		if (index_rule(r, i, c.best) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (rule_index_done(all[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* ---- data lists --------------------------------------------------------- */

/* "NAME EFFECT[ VERDICT]" of a row: is it about name? */
static const char *after_name(const char *row, const char *name)
{
	size_t len = strlen(name);

	return strncmp(row, name, len) == 0 && row[len] == ' ' ? row + len + 1 : NULL;
}

static int take_defaults(struct guard_rules *r, const char *name, struct berm_err *err)
{
	const struct data_list *l = &data_guard_defaults;

	for (size_t i = 0; i < l->n; i++) {
		const char *row = after_name(data_text(l, i), name);
		size_t len = row ? strcspn(row, " ") : 0;
		enum effect e;
		int decision;

		if (!row)
			continue;
		decision = row[len] ? guard_decision_parse(row + len + 1) : -1;
		if (!effect_parse(row, len, &e) || decision < 0)
			return err_set(err, -EINVAL, "%s:%u: bad row", l->file, data_at(l, i).line);
		r->defaults[e].decision = (enum decision)decision;
		r->defaults[e].row = data_text(l, i);
		r->defaults[e].origin = (struct origin){ l->file, data_at(l, i).line };
	}
	return 0;
}

static int take_modes(struct guard_rules *r, struct berm_err *err)
{
	const struct data_list *l = &data_guard_modes;

	for (size_t i = 0; i < l->n; i++) {
		const char *row = data_text(l, i);
		size_t len = strcspn(row, " ");
		bool known = false;
		enum effect e;

		for (int m = 0; m <= MODE_ORCHESTRATE; m++) {
			const char *effect = after_name(row, mode_name((enum mode)m));

			if (!effect || !effect_parse(effect, strlen(effect), &e))
				continue;
			known = true;
			r->modes[m][e] = (struct guard_opinion){
				.decision = VERDICT_DENY,
				.source = GUARD_FROM_MODE,
				.row = row,
				.origin = { l->file, data_at(l, i).line },
				.reason = "this mode changes nothing",
			};
		}
		if (!known)
			return err_set(err, -EINVAL, "%s:%u: bad row %.*s", l->file,
				       data_at(l, i).line, (int)len, row);
	}
	return 0;
}

/* ---- making ------------------------------------------------------------- */

void guard_rules_free(struct guard_rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		limits_free(r->v[i].limits);
		shell_pattern_free(r->v[i].command);
	}
	for (size_t i = 0; i < EFFECT_N; i++)
		free(r->effects[i].v);
	rule_index_free(&r->commands);
	rule_index_free(&r->first);
	rule_index_free(&r->whole);
	rule_index_free(&r->advice);
	for (size_t i = 0; i < r->n_excluded; i++)
		shell_pattern_free(r->excluded[i]);
	free(r->excluded);
	free(r->excluded_from);
	free(r->v);
	free(r);
}

static void rules_freep(struct guard_rules **r)
{
	guard_rules_free(*r);
}

static int take_excluded(struct guard_rules *r, const struct guard_policy *g, struct berm_err *err)
{
	if (!g->n_excluded)
		return 0;
	r->excluded = calloc(g->n_excluded, sizeof(struct shell_pattern *));
	r->excluded_from = calloc(g->n_excluded, sizeof(*r->excluded_from));
	if (!r->excluded || !r->excluded_from)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < g->n_excluded; i++) {
		const struct guard_excluded *e = &g->excluded[i];
		int res = shell_pattern_new(e->pattern, SHELL_PATTERN_CLAUDE, &r->excluded[i], err);

		if (res < 0)
			return err_prefix(err, "%s:%u: excluded command \"%s\"", e->origin.file,
					  e->origin.line, e->pattern);
		r->excluded_from[i] = e->origin;
		r->n_excluded++;
	}
	return 0;
}

int guard_rules_new(const struct guard_policy *g, const char *base, const char *home,
		    struct guard_rules **ret, struct berm_err *err)
{
	_cleanup_(rules_freep) struct guard_rules *r = calloc(1, sizeof(*r));

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->template = g->template;
	if (take_defaults(r, "default", err) < 0 ||
	    take_defaults(r, guard_template_name(g->template), err) < 0 || take_modes(r, err) < 0)
		return err->code;
	r->v = calloc(g->n_rules ? g->n_rules : 1, sizeof(*r->v));
	if (!r->v)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < g->n_rules; i++) {
		int res = compile(&r->v[r->n++], g->rules[i], base, home, err);

		if (res < 0)
			return res;
	}
	if (index_rules(r) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (take_excluded(r, g, err) < 0)
		return err->code;
	*ret = take_ptr(r);
	return 0;
}

/* ---- rules -------------------------------------------------------------- */

bool rule_counts(const struct crule *c, int64_t now)
{
	return c->rule->enforcement != GUARD_ADVISORY &&
	       (!c->rule->expires || now < c->rule->expires);
}

struct guard_opinion rule_opinion(const struct crule *c, bool floor, enum guard_fit fit)
{
	const struct guard_rule *r = c->rule;
	const char *reason = "a rule says so";

	if (fit == FIT_UNKNOWN)
		reason = "a rule limits what the command does not say";
	else if (r->tightens && r->layer == LAYER_MANAGED)
		reason = "managed settings say so";
	else if (floor)
		reason = "a rule that no other one lifts";
	return (struct guard_opinion){
		.decision = fit == FIT_UNKNOWN ? VERDICT_ASK : r->decision,
		.source = floor ? GUARD_FROM_FLOOR : GUARD_FROM_RULE,
		.rule = r,
		.origin = r->origin,
		.reason = reason,
	};
}
