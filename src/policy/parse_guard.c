/* SPDX-License-Identifier: Apache-2.0 */
/* The "guard" object of the settings format. */
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "policy/host.h"
#include "policy/parse_impl.h"
#include "policy/pattern.h"

#define ENTRIES_MAX 256 /* of one facet */

struct rule_key {
	const char *name;
	int (*take)(struct parser *p, const struct json_node *n, struct guard_rule *r);
};

static int no_memory(struct parser *p)
{
	return err_set(p->err, -ENOMEM, "out of memory");
}

static int prefix(struct parser *p, const struct json_node *n)
{
	return err_prefix(p->err, "%s:%u", p->s->file, n->line);
}

/* ---- what a rule is about ----------------------------------------------- */

/* A word that is near to text, of a list that name() knows. */
static int unknown_word(struct parser *p, const struct json_node *n, const char *text,
			const char *(*name)(unsigned i), unsigned count)
{
	const char *near = NULL;
	unsigned best = 4;

	(void)err_set(p->err, -EINVAL, "%s:%u: \"%s\" is \"%s\", which is none that exists",
		      p->s->file, n->line, n->key, text);
	for (unsigned i = 0; i < count; i++) {
		unsigned d = str_distance(text, name(i), 3);

		if (d < best) {
			best = d;
			near = name(i);
		}
	}
	if (near)
		err_fix(p->err, "did you mean \"%s\"?", near);
	else
		err_fix(p->err, "they are listed in docs/policy.schema.json");
	return -EINVAL;
}

static const char *name_of_effect(unsigned i)
{
	return effect_name((enum effect)i);
}

static int take_effect(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	const char *text = json_string_value(n->value);

	if (!text)
		return parse_wrong_type(p, n, "an effect such as \"gitPush\"");
	if (!effect_parse(text, strlen(text), &r->effect))
		return unknown_word(p, n, text, name_of_effect, EFFECT_N);
	r->subject = GUARD_EFFECT;
	return 0;
}

static int take_strings(struct parser *p, const struct json_node *n, struct strv *out)
{
	if (!json_is_array(n->value))
		return parse_wrong_type(p, n, "a list of strings");
	if (!n->n_kids)
		return parse_fail(p, n, "an empty list says nothing");
	if (n->n_kids > ENTRIES_MAX)
		return parse_fail(p, n, "at most 256 entries");
	for (size_t i = 0; i < n->n_kids; i++) {
		const char *text = json_string_value(n->kids[i].value);

		if (!text)
			return parse_wrong_type(p, &n->kids[i], "a string");
		if (strv_add(out, text) < 0)
			return no_memory(p);
	}
	return 0;
}

static int take_command(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	int res;

	r->subject = GUARD_PREFIX;
	if (json_is_array(n->value)) {
		res = take_strings(p, n, &r->words);
		if (res >= 0 && !r->words.v[0][0])
			return parse_fail(p, n, "a command begins with a word");
		return res;
	}
	if (!json_is_string(n->value))
		return parse_wrong_type(p, n, "a string or a list of words");
	res = guard_words_parse(json_string_value(n->value), &r->words, p->err);
	return res < 0 ? prefix(p, n) : 0;
}

static int take_pattern(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	const char *text = json_string_value(n->value);

	if (!text)
		return parse_wrong_type(p, n, "a string such as \"npm run test:*\"");
	if (!*text)
		return parse_fail(p, n, "an empty string says nothing");
	r->subject = GUARD_PATTERN;
	r->pattern = strdup(text);
	return r->pattern ? 0 : no_memory(p);
}

/* ---- its verdict -------------------------------------------------------- */

static const char *name_of_decision(unsigned i)
{
	return guard_decision_name((enum decision)i);
}

static int take_decision(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	const char *text = json_string_value(n->value);
	int v;

	if (!text)
		return parse_wrong_type(p, n, "allow, ask, deny");
	v = guard_decision_parse(text);
	if (v < 0)
		return unknown_word(p, n, text, name_of_decision, 3);
	r->decision = (enum decision)v;
	return 0;
}

static const char *name_of_enforcement(unsigned i)
{
	return guard_enforcement_name((enum guard_enforcement)i);
}

static int take_enforcement(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	const char *text = json_string_value(n->value);
	int v;

	if (!text)
		return parse_wrong_type(p, n, "hard, soft, advisory");
	v = guard_enforcement_parse(text);
	if (v < 0)
		return unknown_word(p, n, text, name_of_enforcement, 3);
	r->enforcement = (enum guard_enforcement)v;
	return 0;
}

static int take_why(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	if (!json_is_string(n->value))
		return parse_wrong_type(p, n, "a string");
	r->why = strdup(json_string_value(n->value));
	return r->why ? 0 : no_memory(p);
}

static int take_flag(struct parser *p, const struct json_node *n, bool *ret)
{
	if (!json_is_boolean(n->value))
		return parse_wrong_type(p, n, "true or false");
	*ret = json_is_true(n->value);
	return 0;
}

static int take_remembered(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	bool set = false;
	int res = take_flag(p, n, &set);

	r->provenance = set ? GUARD_REMEMBERED : GUARD_BY_USER;
	return res;
}

static int take_anywhere(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	return take_flag(p, n, &r->anywhere);
}

static int take_expires(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	const char *text = json_string_value(n->value);
	struct tm tm = { 0 };
	const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;

	if (!end || *end)
		return parse_fail(p, n, "\"expires\" must be as \"2030-12-31T23:59:59Z\"");
	r->expires = timegm(&tm);
	if (r->expires <= 0)
		return parse_fail(p, n, "\"expires\" lies before 1970");
	return 0;
}

/* ---- what it is limited to ---------------------------------------------- */

/* What an entry covers, without the "!" in front. */
static const char *plain(const char *entry)
{
	return *entry == '!' ? entry + 1 : entry;
}

static int check_entry(struct parser *p, const struct json_node *n, const char *text,
		       int (*check)(const char *text, struct berm_err *err))
{
	if (!*plain(text))
		return parse_fail(p, n, "an empty entry covers nothing");
	if (check && check(plain(text), p->err) < 0)
		return prefix(p, n);
	return 0;
}

static int take_facet(struct parser *p, const struct json_node *n, struct strv *out,
		      int (*check)(const char *text, struct berm_err *err))
{
	int res = take_strings(p, n, out);

	for (size_t i = 0; i < n->n_kids && res >= 0; i++)
		res = check_entry(p, &n->kids[i], json_string_value(n->kids[i].value), check);
	return res;
}

static int check_path(const char *text, struct berm_err *err)
{
	struct pattern *pat = NULL;
	int r = pattern_new(text, "/", "/", 0, &pat, err);

	pattern_free(pat);
	return r;
}

static int check_host(const char *text, struct berm_err *err)
{
	struct host_pattern pat;

	return host_pattern_parse(text, true, &pat, err);
}

static int check_words(const char *text, struct berm_err *err)
{
	_cleanup_strv_ struct strv words = { 0 };

	return guard_words_parse(text, &words, err);
}

static int take_paths(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	return take_facet(p, n, &r->limits.paths, check_path);
}

static int take_refs(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	return take_facet(p, n, &r->limits.refs, NULL);
}

static int take_hosts(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	return take_facet(p, n, &r->limits.hosts, check_host);
}

static int take_commands(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	return take_facet(p, n, &r->limits.commands, check_words);
}

static int take_amount(struct parser *p, const struct json_node *n, int64_t *ret)
{
	if (!json_is_integer(n->value) || json_integer_value(n->value) < 0)
		return parse_wrong_type(p, n, "a number that is not negative");
	*ret = json_integer_value(n->value);
	return 0;
}

static int take_count(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	return take_amount(p, n, &r->limits.max_count);
}

static int take_cents(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	return take_amount(p, n, &r->limits.max_cents);
}

/* ---- tables ------------------------------------------------------------- */

static const struct rule_key rule_keys[] = {
	{ "effect", take_effect },
	{ "command", take_command },
	{ "pattern", take_pattern },
	{ "decision", take_decision },
	{ "paths", take_paths },
	{ "refs", take_refs },
	{ "hosts", take_hosts },
	{ "commands", take_commands },
	{ "max_count", take_count },
	{ "max_cents", take_cents },
	{ "enforcement", take_enforcement },
	{ "remembered", take_remembered },
	{ "anywhere", take_anywhere },
	{ "expires", take_expires },
	{ "why", take_why },
};

static int take_member(struct parser *p, const struct json_node *n, struct guard_rule *r)
{
	const char *near = NULL;
	unsigned best = 3;

	for (size_t i = 0; i < ARRAY_SIZE(rule_keys); i++) {
		unsigned d = str_distance(n->key, rule_keys[i].name, 2);

		if (!d)
			return rule_keys[i].take(p, n, r);
		if (d < best) {
			best = d;
			near = rule_keys[i].name;
		}
	}
	(void)err_set(p->err, -EINVAL, "%s:%u: unknown key \"%s\" in a rule", p->s->file, n->line,
		      n->key);
	if (near)
		err_fix(p->err, "did you mean \"%s\"?", near);
	else
		err_fix(p->err, "the keys are listed in docs/policy.schema.json");
	return -EINVAL;
}

static void rule_freep(struct guard_rule **r)
{
	guard_rule_free(*r);
}

static int take_rule(struct parser *p, const struct json_node *n)
{
	_cleanup_(rule_freep) struct guard_rule *r = guard_rule_new(GUARD_EFFECT, VERDICT_ASK);
	unsigned subjects = 0;
	bool decided = false;

	if (!r)
		return no_memory(p);
	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object");
	for (size_t i = 0; i < n->n_kids; i++) {
		const char *key = n->kids[i].key;
		int res = take_member(p, &n->kids[i], r);

		if (res < 0)
			return res;
		subjects += streq(key, "effect") || streq(key, "command") || streq(key, "pattern");
		decided |= streq(key, "decision");
	}
	if (subjects != 1)
		return parse_fail(p, n,
				  "a rule is about one of \"effect\", \"command\", \"pattern\"");
	if (!decided)
		return parse_fail(p, n, "a rule needs a \"decision\": allow, ask, deny");
	if (settings_add_guard(p->s, take_ptr(r), n->line) < 0)
		return no_memory(p);
	return 0;
}

static int take_rules(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_array(n->value))
		return parse_wrong_type(p, n, "a list of rules");
	for (size_t i = 0; i < n->n_kids; i++) {
		int r = take_rule(p, &n->kids[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int take_excluded(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_array(n->value))
		return parse_wrong_type(p, n, "a list of strings");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		const char *text = json_string_value(kid->value);

		if (!text || !*text)
			return parse_wrong_type(p, kid, "a command such as \"docker *\"");
		if (parse_add(p, kid, SET_EXCLUDED, text, NULL, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

int parse_guard(struct parser *p, const struct json_node *n, const struct key *k)
{
	static const struct key keys[] = {
		{ "template", parse_choice, SET_TEMPLATE, guard_template_parse,
		  "permissive, default, balanced, strict" },
		{ "autonomy", parse_choice, SET_AUTONOMY, guard_autonomy_parse,
		  "free, ask, propose" },
		{ "sandbox", parse_bool, SET_SANDBOX },
		{ "auto_allow", parse_bool, SET_AUTO_ALLOW },
		{ "allow_unsandboxed", parse_bool, SET_ALLOW_UNSANDBOXED },
		{ "excluded_commands", take_excluded, SET_EXCLUDED },
		{ "rules", take_rules, SET_GUARD_RULE },
	};

	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object");
	return parse_keys(p, n, keys, ARRAY_SIZE(keys));
}
