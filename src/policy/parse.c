/* SPDX-License-Identifier: Apache-2.0 */
/* berm's own settings format: a JSON object with strict keys. */
#include <string.h>

#include "base/str.h"
#include "policy/limits.h"
#include "policy/parse_impl.h"
#include "policy/pattern.h"

int parse_fail(struct parser *p, const struct json_node *n, const char *what)
{
	return err_set(p->err, -EINVAL, "%s:%u: %s", p->s->file, n->line, what);
}

int parse_wrong_type(struct parser *p, const struct json_node *n, const char *want)
{
	return err_set(p->err, -EINVAL, "%s:%u: %s%s%smust be %s, not %s", p->s->file, n->line,
		       n->key ? "\"" : "an entry ", n->key ? n->key : "", n->key ? "\" " : "", want,
		       json_type_name(n->value));
}

int parse_add(struct parser *p, const struct json_node *n, enum setting_key key, const char *name,
	      const char *value, int64_t number)
{
	int r = settings_add(p->s, key, name, value, number, n->line);

	return r < 0 ? err_set(p->err, r, "out of memory") : 0;
}

/* ---- kinds of values ---------------------------------------------------- */

static int take_ignored(struct parser *p, const struct json_node *n, const struct key *k)
{
	return json_is_string(n->value) ? 0 : parse_wrong_type(p, n, "a string");
}

static int take_version(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_integer(n->value))
		return parse_wrong_type(p, n, "the number 1");
	if (json_integer_value(n->value) != 1)
		return parse_fail(p, n, "\"version\": this build knows version 1 only");
	return 0;
}

int parse_bool(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_boolean(n->value))
		return parse_wrong_type(p, n, "true or false");
	return parse_add(p, n, k->key, NULL, NULL, json_is_true(n->value));
}

static int no_such_value(struct parser *p, const struct json_node *n, const char *values)
{
	const char *v = json_string_value(n->value);
	_cleanup_free_ char *list = strdup(values);
	const char *best = NULL;
	char *save = NULL;

	err_set(p->err, -EINVAL, "%s:%u: \"%s\" is \"%s\"; it can be %s", p->s->file, n->line,
		n->key ? n->key : "value", v, values);
	if (!list)
		return -EINVAL;
	for (char *w = strtok_r(list, ", ", &save); w && !best; w = strtok_r(NULL, ", ", &save))
		if (str_distance(v, w, 2) <= 2)
			best = w;
	if (best)
		err_fix(p->err, "did you mean \"%s\"?", best);
	return -EINVAL;
}

int parse_choice(struct parser *p, const struct json_node *n, const struct key *k)
{
	int v;

	if (!json_is_string(n->value))
		return parse_wrong_type(p, n, k->values);
	v = k->by_name(json_string_value(n->value));
	if (v < 0)
		return no_such_value(p, n, k->values);
	return parse_add(p, n, k->key, NULL, json_string_value(n->value), v);
}

static int profile_parse(const char *name)
{
	return profile_known(name) ? 0 : -1;
}

static int exec_parse(const char *name)
{
	return streq(name, "allow") ? EXEC_ALLOW : streq(name, "deny") ? EXEC_DENY : -1;
}

/* A pattern is compiled here once only to tell its mistakes with their line. */
static int check_pattern(struct parser *p, const struct json_node *n, const char *text)
{
	struct pattern *pat = NULL;
	int r = pattern_new(text, "/", "/", 0, &pat, p->err);

	pattern_free(pat);
	if (r < 0)
		return err_prefix(p->err, "%s:%u: bad pattern \"%s\"", p->s->file, n->line, text);
	return 0;
}

/* {"pattern": "value", ...} */
static int take_rules(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object of \"path\": \"access\"");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		int v, r;

		if (!json_is_string(kid->value))
			return parse_wrong_type(p, kid, k->values);
		v = k->by_name(json_string_value(kid->value));
		if (v < 0)
			return no_such_value(p, kid, k->values);
		r = check_pattern(p, kid, kid->key);
		if (r >= 0)
			r = parse_add(p, kid, k->key, kid->key, NULL, v);
		if (r < 0)
			return r;
	}
	return 0;
}

static int file_word_parse(const char *name)
{
	for (size_t i = 0; i < file_words_n; i++)
		if (streq(file_words[i].name, name))
			return (int)i;
	return -1;
}

/* "files": the word is an access with flags; "files_first" counts before it. */
static int take_files(struct parser *p, const struct json_node *n, const struct key *k)
{
	size_t from = p->s->n;
	bool first = streq(k->name, "files_first");
	int r = take_rules(p, n, k);

	for (size_t i = from; i < p->s->n; i++) {
		struct setting *e = &p->s->v[i];
		const struct file_word *w = &file_words[e->number];

		e->number = w->access;
		e->flags = w->flags | (first ? RULE_FIRST : 0u);
	}
	return r;
}

static bool is_pattern_key(enum setting_key k)
{
	return k == SET_PROTECTED_PATH || k == SET_STATE_DIR || k == SET_EXEC_RULE;
}

/* ["a", "b"]; exec_grant_roots are exec rules that allow. */
static int take_list(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_array(n->value))
		return parse_wrong_type(p, n, "a list of strings");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		const char *text = json_string_value(kid->value);
		int r = 0;

		if (!text)
			return parse_wrong_type(p, kid, "a string");
		if (!*text)
			return parse_fail(p, kid, "an empty string says nothing");
		if (is_pattern_key(k->key))
			r = check_pattern(p, kid, text);
		if (r >= 0)
			r = parse_add(p, kid, k->key, text, NULL,
				      k->key == SET_EXEC_RULE ? EXEC_ALLOW : 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* {"NAME": "value"} */
static int take_env_set(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object of \"NAME\": \"value\"");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		int r;

		if (!json_is_string(kid->value))
			return parse_wrong_type(p, kid, "a string");
		if (!kid->key[0] || strchr(kid->key, '='))
			return parse_fail(p, kid, "this is not the name of a variable");
		r = parse_add(p, kid, SET_ENV_SET, kid->key, json_string_value(kid->value), 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* {"files": 1024, "time": "10m"} */
static int take_limits(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object of \"limit\": value");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		char number[32];
		const char *text = json_string_value(kid->value);
		enum limit_kind kind;
		uint64_t value;
		int r;

		if (json_is_integer(kid->value) && json_integer_value(kid->value) >= 0) {
			snprintf(number, sizeof(number), "%lld",
				 (long long)json_integer_value(kid->value));
			text = number;
		}
		if (!text)
			return parse_wrong_type(p, kid, "a number or a string such as \"512m\"");
		r = limit_parse(kid->key, text, &kind, &value, p->err);
		if (r < 0)
			return err_prefix(p->err, "%s:%u", p->s->file, kid->line);
		r = parse_add(p, kid, SET_LIMIT, kid->key, text, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- tables ------------------------------------------------------------- */

int parse_keys(struct parser *p, const struct json_node *n, const struct key *keys, size_t n_keys)
{
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		const struct key *found = NULL, *near = NULL;
		unsigned best = 3;
		int r;

		for (size_t j = 0; j < n_keys; j++) {
			unsigned d = str_distance(kid->key, keys[j].name, 2);

			if (streq(kid->key, keys[j].name))
				found = &keys[j];
			if (d < best) {
				best = d;
				near = &keys[j];
			}
		}
		if (!found) {
			err_set(p->err, -EINVAL, "%s:%u: unknown key \"%s\"%s%s%s", p->s->file,
				kid->line, kid->key, n->key ? " in \"" : "", n->key ? n->key : "",
				n->key ? "\"" : "");
			if (near)
				err_fix(p->err, "did you mean \"%s\"?", near->name);
			else
				err_fix(p->err, "the keys are listed in docs/policy.schema.json");
			return -EINVAL;
		}
		r = found->take(p, kid, found);
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_exec(struct parser *p, const struct json_node *n, const struct key *k)
{
	static const struct key keys[] = {
		{ "deny_writable", parse_bool, SET_EXEC_DENY_WRITABLE },
		{ "rules", take_rules, SET_EXEC_RULE, exec_parse, "allow, deny" },
	};

	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object");
	return parse_keys(p, n, keys, ARRAY_SIZE(keys));
}

static int take_env(struct parser *p, const struct json_node *n, const struct key *k)
{
	static const struct key keys[] = {
		{ "pass", take_list, SET_ENV_PASS },
		{ "set", take_env_set, SET_ENV_SET },
		{ "unset", take_list, SET_ENV_UNSET },
	};

	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object");
	return parse_keys(p, n, keys, ARRAY_SIZE(keys));
}

static const struct key top_keys[] = {
	{ "$schema", take_ignored },
	{ "version", take_version },
	{ "profile", parse_choice, SET_PROFILE, profile_parse, "agent, strict, terminal" },
	{ "mode", parse_choice, SET_MODE, mode_parse, "chat, review, plan, orchestrate" },
	{ "root", parse_choice, SET_ROOT, root_parse, "system, host" },
	{ "home", parse_choice, SET_HOME, home_parse, "private, host, empty" },
	{ "net", parse_choice, SET_NET, net_mode_parse, "off, allow, open" },
	{ "network", parse_network },
	{ "approver", parse_approver },
	{ "guard", parse_guard },
	{ "files", take_files, SET_FILE, file_word_parse, FILE_WORDS },
	{ "files_first", take_files, SET_FILE, file_word_parse, FILE_WORDS },
	{ "exec", take_exec },
	{ "unprotect", take_list, SET_UNPROTECT },
	{ "protected_paths", take_list, SET_PROTECTED_PATH },
	{ "runner_state_dirs", take_list, SET_STATE_DIR },
	{ "exec_grant_roots", take_list, SET_EXEC_RULE },
	{ "env", take_env },
	{ "limits", take_limits },
	{ "terminal_filter", parse_bool, SET_TERMINAL_FILTER },
	{ "fail_if_unavailable", parse_bool, SET_FAIL_IF_UNAVAILABLE },
	{ "ignore_violations", take_list, SET_IGNORE_VIOLATION },
};

static void doc_freep(struct json_doc **d)
{
	json_doc_free(*d);
}

int settings_parse(struct settings *s, char *text, size_t len, struct berm_err *err)
{
	_cleanup_(doc_freep) struct json_doc *doc = NULL;
	struct parser p = { s, err };
	int r = json_doc_parse(s->file, text, len, &doc, err);

	if (r < 0)
		return r;
	if (!json_is_object(doc->root))
		return parse_wrong_type(&p, &doc->node, "an object");
	return parse_keys(&p, &doc->node, top_keys, ARRAY_SIZE(top_keys));
}
