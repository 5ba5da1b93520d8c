/* SPDX-License-Identifier: Apache-2.0 */
/* Codex's config.toml and requirements.toml. Two generations of settings exclude each other:
 * where sandbox_mode stands, permission profiles say nothing. */
#include <string.h>

#include "base/str.h"
#include "policy/front_codex.h"
#include "policy/front_impl.h"
#include "policy/toml.h"

/* ---- rules on words ------------------------------------------------------ */

int front_codex_decision(const char *word)
{
	static const struct {
		const char *word;
		enum decision d;
	} t[] = {
		{ "allow", VERDICT_ALLOW },    { "prompt", VERDICT_ASK }, { "ask", VERDICT_ASK },
		{ "forbidden", VERDICT_DENY }, { "deny", VERDICT_DENY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		if (streq(t[i].word, word))
			return t[i].d;
	return -1;
}

#define RULES_MAX 256 /* that the alternatives of one rule become */

static int add_prefix(struct front *f, const struct json_node *n, const struct strv *words,
		      size_t n_words, size_t choice, enum decision d, const char *why)
{
	struct guard_rule *r = guard_rule_new(GUARD_PREFIX, d);
	bool ok = r != NULL;

	for (size_t i = 0; i < n_words && ok; i++) {
		ok = strv_add(&r->words, words[i].v[choice % words[i].n]) == 0;
		choice /= words[i].n;
	}
	if (ok && why) {
		r->why = strdup(why);
		ok = r->why != NULL;
	}
	if (!ok) {
		guard_rule_free(r);
		return front_no_memory(f);
	}
	r->anywhere = d != VERDICT_ALLOW;
	return settings_add_guard(&f->out->open, r, n->line) < 0 ? front_no_memory(f) : 0;
}

int front_codex_prefix(struct front *f, const struct json_node *n, const struct strv *words,
		       size_t n_words, enum decision d, const char *why)
{
	size_t all = 1;
	int r = 0;

	for (size_t i = 0; i < n_words; i++) {
		if (!words[i].n || !words[i].v[0][0])
			return front_fail(f, n, "an empty word");
		all *= words[i].n;
		if (all > RULES_MAX)
			return front_fail(f, n, "a rule with more than %d forms", RULES_MAX);
	}
	if (!n_words)
		return front_fail(f, n, "a rule without words");
	for (size_t i = 0; i < all && r >= 0; i++)
		r = add_prefix(f, n, words, n_words, i, d, why);
	return r;
}

/* "x", {token = "x"}, ["x", "y"], {any_of = ["x", "y"]} */
static int take_word(struct front *f, const struct json_node *n, struct strv *ret)
{
	const struct json_node *in = n;

	if (json_is_object(n->value) && n->n_kids == 1 &&
	    (streq(n->kids[0].key, "token") || streq(n->kids[0].key, "any_of")))
		in = &n->kids[0];
	if (json_is_string(in->value))
		return strv_add(ret, json_string_value(in->value)) < 0 ? front_no_memory(f) : 0;
	for (size_t i = 0; json_is_array(in->value) && i < in->n_kids; i++) {
		if (!json_is_string(in->kids[i].value))
			return front_wrong_type(f, n, "a word or a list of words");
		if (strv_add(ret, json_string_value(in->kids[i].value)) < 0)
			return front_no_memory(f);
	}
	return ret->n ? 0 : front_wrong_type(f, n, "a word or a list of words");
}

#define WORDS_MAX 32

static int one_prefix(struct front *f, const struct json_node *n)
{
	const struct json_node *pattern = front_member(n, "pattern"),
			       *decision = front_member(n, "decision"),
			       *why = front_member(n, "justification");
	struct strv words[WORDS_MAX] = { 0 };
	int d = decision && json_is_string(decision->value)
			? front_codex_decision(json_string_value(decision->value))
			: -1;
	int r = 0;

	if (!pattern || !json_is_array(pattern->value) || pattern->n_kids > WORDS_MAX || d < 0)
		return front_fail(f, n,
				  "a prefix rule has a pattern (up to %d words) and a decision",
				  WORDS_MAX);
	for (size_t i = 0; i < pattern->n_kids && r >= 0; i++)
		r = take_word(f, &pattern->kids[i], &words[i]);
	if (r >= 0)
		r = front_codex_prefix(f, n, words, pattern->n_kids, (enum decision)d,
				       why ? json_string_value(why->value) : NULL);
	for (size_t i = 0; i < pattern->n_kids; i++)
		strv_free(&words[i]);
	return r;
}

int codex_take_prefix_rules(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_array(n->value))
		return front_wrong_type(f, n, "a list of rules");
	for (size_t i = 0; i < n->n_kids; i++) {
		int r = json_is_object(n->kids[i].value)
				? one_prefix(f, &n->kids[i])
				: front_wrong_type(f, &n->kids[i], "a rule");

		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- environment --------------------------------------------------------- */

static int one_exclude(struct front *f, const struct json_node *n, const char *text,
		       const struct front_key *k)
{
	_cleanup_free_ char *fold = NULL;
	size_t at = 0;

	(void)k;
	/* Codex compares without case, berm's lists do not: letters become sets. */
	fold = malloc(4 * strlen(text) + 1);
	if (!fold)
		return front_no_memory(f);
	for (const char *p = text; *p; p++) {
		char low = chr_lower(*p);

		if (low < 'a' || low > 'z') {
			fold[at++] = *p;
			continue;
		}
		fold[at++] = '[';
		fold[at++] = low;
		fold[at++] = (char)(low - ('a' - 'A'));
		fold[at++] = ']';
	}
	fold[at] = '\0';
	return front_open(f, n, SET_ENV_UNSET, fold, NULL, 0, 0);
}

int codex_take_exclude(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_strings(f, n, one_exclude, k);
}

static int one_include(struct front *f, const struct json_node *n, const char *text,
		       const struct front_key *k)
{
	(void)k;
	return front_open(f, n, SET_ENV_PASS, text, NULL, 0, 0);
}

/* Only these: all go, then these come. Of a project that nobody trusts the second half would not
 * count, and a command without PATH is no protection. */
int codex_take_include(struct front *f, const struct json_node *n, const struct front_key *k)
{
	int r;

	if (!json_is_array(n->value))
		return front_wrong_type(f, n, "a list of strings");
	if (!n->n_kids || !f->at->trusted)
		return 0;
	r = front_open(f, n, SET_ENV_UNSET, "*", NULL, 0, 0);
	return r < 0 ? r : front_strings(f, n, one_include, k);
}

int codex_take_inherit(struct front *f, const struct json_node *n, const struct front_key *k)
{
	const char *text = json_string_value(n->value);

	(void)k;
	if (!text)
		return front_wrong_type(f, n, "a string");
	if (streq(text, "none"))
		return f->at->trusted ? front_open(f, n, SET_ENV_UNSET, "*", NULL, 0, 0) : 0;
	if (streq(text, "core") || streq(text, "all"))
		return 0;
	return front_fail(f, n, "\"%s\" is not all, core or none", text);
}

int codex_take_env_set(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_object(n->value))
		return front_wrong_type(f, n, "a table of strings");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		int r;

		if (!json_is_string(kid->value))
			return front_wrong_type(f, kid, "a table of strings");
		if (!kid->key[0] || strchr(kid->key, '='))
			return front_fail(f, kid, "this is not the name of a variable");
		r = front_open(f, kid, SET_ENV_SET, kid->key, json_string_value(kid->value), 0, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

int codex_take_approval(struct front *f, const struct json_node *n, const struct front_key *k)
{
	const char *text = json_string_value(n->value);

	(void)k;
	if (json_is_object(n->value))
		return front_remark(f, n, "not enforceable: berm's own rules say what is asked");
	if (!text)
		return front_wrong_type(f, n, "a string or a table");
	/* Nobody is there to answer. */
	if (streq(text, "never"))
		return front_open(f, n, SET_AUTONOMY, NULL, NULL, AUTONOMY_PROPOSE, 0);
	return 0;
}

/* ---- the older generation ------------------------------------------------- */

static int one_root(struct front *f, const struct json_node *n, const char *text,
		    const struct front_key *k)
{
	(void)k;
	if (!*text)
		return front_fail(f, n, "an empty path");
	return front_file(f, n, front_sandbox_pattern(f, text, true), ACCESS_WRITE, 0, NULL);
}

static int workspace_write(struct front *f, const struct json_node *root,
			   const struct json_node *at)
{
	const struct json_node *more = front_member(root, "sandbox_workspace_write");
	const struct json_node *roots = more ? front_member(more, "writable_roots") : NULL;
	const struct json_node *net = more ? front_member(more, "network_access") : NULL;
	int r = roots ? front_strings(f, roots, one_root, NULL) : 0;

	if (r < 0)
		return r;
	if (net && !json_is_boolean(net->value))
		return front_wrong_type(f, net, "true or false");
	if (net && json_is_true(net->value))
		return front_open(f, net, SET_NET, NULL, "open", NET_OPEN, 0);
	return front_only_listed(f, at, true);
}

static int sandbox_mode(struct front *f, const struct json_node *root, const struct json_node *at,
			const char *mode)
{
	int r;

	if (streq(mode, "read-only")) {
		r = front_open(f, at, SET_MODE, NULL, "review", MODE_REVIEW, 0);
		return r < 0 ? r : front_only_listed(f, at, true);
	}
	if (streq(mode, "workspace-write"))
		return workspace_write(f, root, at);
	if (streq(mode, "danger-full-access"))
		return front_remark(f, at,
				    "not enforceable: a settings file does not take the wall "
				    "away; --sandbox off does, and says so");
	return front_fail(f, at, "\"%s\" is not read-only, workspace-write or danger-full-access",
			  mode);
}

static const char *text_of(struct front *f, const struct json_node *n, int *ret)
{
	*ret = 0;
	if (!n)
		return NULL;
	if (!json_is_string(n->value))
		*ret = front_wrong_type(f, n, "a string");
	return json_string_value(n->value);
}

static int finish_config(struct front *f, const struct json_node *root)
{
	const struct json_node *mode = front_member(root, "sandbox_mode"),
			       *name = front_member(root, "default_permissions");
	const char *text;
	int r;

	f->keys[0] = mode ? "sandbox_mode" : "default_permissions";
	f->depth = mode || name;
	text = text_of(f, mode ? mode : name, &r);
	if (r >= 0 && text)
		r = mode ? sandbox_mode(f, root, mode, text)
			 : front_codex_profile(f, root, name, text);
	if (r >= 0 && mode && name)
		r = front_remark(f, name, "default_permissions says nothing beside sandbox_mode");
	f->depth = 0;
	return r;
}

/* ---- requirements ---------------------------------------------------------- */

int codex_take_allowed_modes(struct front *f, const struct json_node *n, const struct front_key *k)
{
	bool writes = false, free = false;
	int r = 0;

	(void)k;
	if (!json_is_array(n->value))
		return front_wrong_type(f, n, "a list of strings");
	for (size_t i = 0; i < n->n_kids; i++) {
		const char *text = json_string_value(n->kids[i].value);

		if (!text)
			return front_wrong_type(f, &n->kids[i], "a list of strings");
		free = free || streq(text, "danger-full-access");
		writes = writes || streq(text, "workspace-write");
	}
	if (!free) {
		r = front_open(f, n, SET_FAIL_IF_UNAVAILABLE, NULL, NULL, 1, 0);
		if (r >= 0)
			r = front_open(f, n, SET_ALLOW_UNSANDBOXED, NULL, NULL, 0, 0);
	}
	return r < 0 || writes || free ? r
				       : front_open(f, n, SET_MODE, NULL, "review", MODE_REVIEW, 0);
}

static int one_deny_read(struct front *f, const struct json_node *n, const char *text,
			 const struct front_key *k)
{
	(void)k;
	return front_file(f, n, strdup(text), ACCESS_NONE, 0, NULL);
}

int codex_take_deny_read(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_strings(f, n, one_deny_read, k);
}

int codex_domain(struct front *f, const struct json_node *n, const char *pattern, enum decision d)
{
	_cleanup_free_ char *sub = NULL;
	int r;

	/* "**.x": x itself and all below it. */
	if (!str_starts(pattern, "**."))
		return front_host(f, n, pattern, d, NULL);
	sub = str_printf("*.%s", pattern + 3);
	if (!sub)
		return front_no_memory(f);
	r = front_host(f, n, pattern + 3, d, NULL);
	return r < 0 ? r : front_host(f, n, sub, d, NULL);
}

int codex_take_domains(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_object(n->value))
		return front_wrong_type(f, n, "a table of \"host\" = \"allow\" or \"deny\"");
	for (size_t i = 0; i < n->n_kids; i++) {
		const char *word = json_string_value(n->kids[i].value);
		int d = word ? front_codex_decision(word) : -1, r;

		if (d < 0)
			return front_fail(f, &n->kids[i], "\"%s\" is neither allow nor deny",
					  word ? word : json_type_name(n->kids[i].value));
		r = codex_domain(f, &n->kids[i], n->kids[i].key, (enum decision)d);
		if (r < 0)
			return r;
	}
	return 0;
}

int codex_take_no_network(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_boolean(n->value))
		return front_wrong_type(f, n, "true or false");
	return json_is_true(n->value) ? 0 : front_only_listed(f, n, true);
}

int codex_take_managed_domains(struct front *f, const struct json_node *n,
			       const struct front_key *k)
{
	(void)k;
	if (!json_is_boolean(n->value))
		return front_wrong_type(f, n, "true or false");
	if (f->at->layer != LAYER_MANAGED)
		return front_remark(f, n, "counts in managed settings only, and is left out here");
	return front_open(f, n, SET_NET_MANAGED_ONLY, NULL, NULL, json_is_true(n->value), 0);
}

/* ---- a file ---------------------------------------------------------------- */

static void doc_freep(struct json_doc **d)
{
	json_doc_free(*d);
}

int front_codex_parse(struct front *f, char *text, size_t len)
{
	_cleanup_(doc_freep) struct json_doc *doc = NULL;
	struct front_table t =
		f->at->requirements ? front_requirements_keys() : front_keys(FRONT_CODEX);
	int r = toml_doc_parse(f->at->file, text, len, &doc, f->err);

	if (r >= 0)
		r = front_walk(f, &doc->node, &t);
	return r < 0 || f->at->requirements ? r : finish_config(f, &doc->node);
}
