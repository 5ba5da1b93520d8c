/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/settings.h"

#include <string.h>

#include "base/str.h"
#include "policy/limits.h"

/* ---- names -------------------------------------------------------------- */

static const char *const mode_names[] = { "chat", "review", "plan", "orchestrate" };
static const char *const root_names[] = { "system", "host" };
static const char *const home_names[] = { "private", "host", "empty" };
static const char *const net_names[] = { "off", "allow", "open" };
static const char *const access_names[] = { "none", "ask", "read", "write" };
static const char *const profile_names[] = { "agent", "strict", "terminal", NULL };

static int index_of(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(names[i], name))
			return (int)i;
	return -1;
}

int mode_parse(const char *name)
{
	return index_of(mode_names, ARRAY_SIZE(mode_names), name);
}

int root_parse(const char *name)
{
	return index_of(root_names, ARRAY_SIZE(root_names), name);
}

int home_parse(const char *name)
{
	return index_of(home_names, ARRAY_SIZE(home_names), name);
}

int access_parse(const char *name)
{
	return index_of(access_names, ARRAY_SIZE(access_names), name);
}

int net_mode_parse(const char *name)
{
	return index_of(net_names, ARRAY_SIZE(net_names), name);
}

const char *root_name(enum root_view v)
{
	return root_names[v];
}

const char *home_name(enum home_view v)
{
	return home_names[v];
}

const char *access_name(enum access a)
{
	return access_names[a];
}

const struct file_word file_words[] = {
	{ "none", ACCESS_NONE, 0 },
	{ "ask", ACCESS_ASK, 0 },
	{ "read", ACCESS_READ, 0 },
	{ "write", ACCESS_WRITE, 0 },
	{ "show", ACCESS_READ, RULE_READS_ONLY },
	{ "keep", ACCESS_READ, RULE_WRITES_ONLY },
	{ "ask-write", ACCESS_ASK, RULE_WRITES_ONLY },
	{ "write-ordinary", ACCESS_WRITE, RULE_KEEPS_NAMES },
};
const size_t file_words_n = ARRAY_SIZE(file_words);

const char *const *policy_profile_names(void)
{
	return profile_names;
}

bool profile_known(const char *name)
{
	return index_of(profile_names, ARRAY_SIZE(profile_names) - 1, name) >= 0;
}

/* ---- lists -------------------------------------------------------------- */

void settings_free(struct settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].name);
		free(s->v[i].value);
		guard_rule_free(s->v[i].rule);
	}
	strv_free(&s->remarks);
	free(s->v);
	free(s->file);
	free(s->base);
	*s = (struct settings){ 0 };
}

void settings_list_free(struct settings_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		settings_free(&l->v[i]);
	free(l->v);
	*l = (struct settings_list){ 0 };
}

int settings_list_add(struct settings_list *l, const char *file, const char *base, enum layer layer,
		      bool trusted, struct settings **ret)
{
	struct settings *s;

	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 8;
		struct settings *v = reallocarray(l->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->v = v;
		l->cap = cap;
	}
	s = &l->v[l->n];
	*s = (struct settings){ .file = strdup(file),
				.base = base ? strdup(base) : NULL,
				.layer = layer,
				.trusted = trusted };
	if (!s->file || (base && !s->base)) {
		settings_free(s);
		return -ENOMEM;
	}
	l->n++;
	*ret = s;
	return 0;
}

int settings_add(struct settings *s, enum setting_key key, const char *name, const char *value,
		 int64_t number, unsigned line)
{
	struct setting *e;

	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct setting *v = reallocarray(s->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->cap = cap;
	}
	e = &s->v[s->n];
	*e = (struct setting){ .key = key, .number = number, .line = line };
	e->name = name ? strdup(name) : NULL;
	e->value = value ? strdup(value) : NULL;
	if ((name && !e->name) || (value && !e->value)) {
		free(e->name);
		free(e->value);
		return -ENOMEM;
	}
	s->n++;
	return 0;
}

int settings_add_guard(struct settings *s, struct guard_rule *rule, unsigned line)
{
	int r = settings_add(s, SET_GUARD_RULE, NULL, NULL, rule->decision, line);

	if (r < 0)
		guard_rule_free(rule);
	else
		s->v[s->n - 1].rule = rule;
	return r;
}

/* ---- the command line --------------------------------------------------- */

static const struct {
	int access;
	unsigned flags;
} arg_access[] = {
	[ARG_ALLOW_READ] = { ACCESS_READ, RULE_READS_ONLY },
	[ARG_DENY_READ] = { ACCESS_NONE, 0 },
	[ARG_ALLOW_WRITE] = { ACCESS_WRITE, 0 },
	[ARG_DENY_WRITE] = { ACCESS_READ, RULE_WRITES_ONLY },
	[ARG_KEEP] = { ACCESS_READ, RULE_WRITES_ONLY },
	[ARG_ASK] = { ACCESS_ASK, 0 },
};

static int add_args(struct settings *s, const struct policy_input *in)
{
	for (size_t i = 0; i < in->n_args; i++) {
		const struct policy_arg *a = &in->args[i];
		int r;

		if (a->kind == ARG_ALLOW_EXEC || a->kind == ARG_DENY_EXEC) {
			r = settings_add(s, SET_EXEC_RULE, a->pattern, NULL,
					 a->kind == ARG_ALLOW_EXEC ? EXEC_ALLOW : EXEC_DENY, 0);
		} else {
			r = settings_add(s, SET_FILE, a->pattern, NULL, arg_access[a->kind].access,
					 0);
			if (r >= 0)
				s->v[s->n - 1].flags = arg_access[a->kind].flags;
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* "NAME=VALUE" as two strings; value NULL without "=". */
static int add_pair(struct settings *s, enum setting_key with, enum setting_key without,
		    const char *text, int64_t number)
{
	const char *eq = strchr(text, '=');
	_cleanup_free_ char *name = strndup(text, strcspn(text, "="));

	if (!name)
		return -ENOMEM;
	return settings_add(s, eq ? with : without, name, eq ? eq + 1 : NULL, number, 0);
}

static int add_names(struct settings *s, const struct policy_input *in, struct berm_err *err)
{
	enum limit_kind kind;
	uint64_t value;
	int r = 0;

	for (size_t i = 0; i < in->n_env && r >= 0; i++) {
		if (!in->env[i][0] || in->env[i][0] == '=')
			return err_set(err, -EINVAL, "--env \"%s\" names no variable", in->env[i]);
		r = add_pair(s, SET_ENV_SET, SET_ENV_PASS, in->env[i], 0);
	}
	for (size_t i = 0; i < in->n_unset_env && r >= 0; i++)
		r = settings_add(s, SET_ENV_UNSET, in->unset_env[i], NULL, 0, 0);
	for (size_t i = 0; i < in->n_unprotect && r >= 0; i++)
		r = settings_add(s, SET_UNPROTECT, in->unprotect[i], NULL, 0, 0);
	for (size_t i = 0; i < in->n_limits && r >= 0; i++) {
		r = add_pair(s, SET_LIMIT, SET_LIMIT, in->limits[i], 0);
		if (r < 0)
			break;
		if (!s->v[s->n - 1].value) {
			err_set(err, -EINVAL, "--limit \"%s\" has no value", in->limits[i]);
			err_fix(err, "write --limit KEY=VALUE");
			return -EINVAL;
		}
		r = limit_parse(s->v[s->n - 1].name, s->v[s->n - 1].value, &kind, &value, err);
		if (r < 0)
			return r;
	}
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

int settings_from_input(struct settings *s, const struct policy_input *in, struct berm_err *err)
{
	int r = 0;

	if (in->profile) {
		if (!profile_known(in->profile)) {
			err_set(err, -EINVAL, "there is no profile \"%s\"", in->profile);
			err_fix(err, "profiles: agent, strict, terminal");
			return -EINVAL;
		}
		r = settings_add(s, SET_PROFILE, NULL, in->profile, 0, 0);
	}
	if (r >= 0 && in->mode != POLICY_UNSET)
		r = settings_add(s, SET_MODE, NULL, NULL, in->mode, 0);
	if (r >= 0 && in->root != POLICY_UNSET)
		r = settings_add(s, SET_ROOT, NULL, NULL, in->root, 0);
	if (r >= 0 && in->home != POLICY_UNSET)
		r = settings_add(s, SET_HOME, NULL, NULL, in->home, 0);
	if (r >= 0 && in->net != POLICY_UNSET)
		r = settings_add(s, SET_NET, NULL, NULL, in->net, 0);
	if (r >= 0 && in->raw_terminal)
		r = settings_add(s, SET_TERMINAL_FILTER, NULL, NULL, 0, 0);
	if (r >= 0)
		r = add_args(s, in);
	if (r >= 0) {
		r = settings_add_net(s, in, err);
		if (r < 0)
			return r;
	}
	return r < 0 ? err_set(err, r, "out of memory") : add_names(s, in, err);
}
