/* SPDX-License-Identifier: Apache-2.0 */
/* Entries and kinds of values that the readers of other tools' settings share. */
#include <string.h>

#include "base/str.h"
#include "policy/data.h"
#include "policy/front_impl.h"
#include "policy/host.h"
#include "policy/pattern.h"

/* ---- entries ------------------------------------------------------------ */

static int add(struct front *f, struct settings *s, const struct json_node *n, enum setting_key key,
	       const char *name, const char *value, int64_t number, unsigned flags)
{
	if (settings_add(s, key, name, value, number, n->line) < 0)
		return front_no_memory(f);
	s->v[s->n - 1].flags = flags;
	return 0;
}

int front_open(struct front *f, const struct json_node *n, enum setting_key key, const char *name,
	       const char *value, int64_t number, unsigned flags)
{
	return add(f, &f->out->open, n, key, name, value, number, flags);
}

int front_close(struct front *f, const struct json_node *n, enum setting_key key, const char *name,
		const char *value, int64_t number, unsigned flags)
{
	return add(f, &f->out->close, n, key, name, value, number, flags);
}

int front_host(struct front *f, const struct json_node *n, const char *text, enum decision d,
	       const char *tag)
{
	struct berm_err why = { 0 };
	struct host_pattern pat;

	if (host_pattern_parse(text, d != VERDICT_ALLOW, &pat, &why) < 0) {
		if (d == VERDICT_ALLOW)
			return front_remark(f, n, "\"%s\" is left out: %s", text, why.msg);
		return front_fail(f, n, "%s", why.msg);
	}
	if (d == VERDICT_ALLOW)
		return front_open(f, n, SET_NET_RULE, text, tag, d, 0);
	return front_close(f, n, SET_NET_RULE, text, tag, d, RULE_FIRST);
}

int front_only_listed(struct front *f, const struct json_node *n, bool deny)
{
	int r = 0;

	if (deny)
		r = front_open(f, n, SET_NET_DEFAULT, NULL, NULL, VERDICT_DENY, 0);
	/* A project that nobody trusts takes nothing away from the user's own list either: it
	 * would only be a way to break his work. */
	for (size_t i = 0; i < data_domain_groups_n && r >= 0 && f->at->trusted; i++)
		r = front_open(f, n, SET_NET_GROUP, data_domain_groups[i].name, NULL, 0, 0);
	return r;
}

int front_file(struct front *f, const struct json_node *n, char *pattern, enum access access,
	       unsigned flags, const char *tag)
{
	_cleanup_free_ char *owned = pattern;
	struct berm_err why = { 0 };
	struct pattern *pat = NULL;
	bool opens = access == ACCESS_WRITE || (flags & RULE_READS_ONLY);

	if (!owned)
		return front_no_memory(f);
	if (pattern_new(owned, "/", "/", 0, &pat, &why) < 0) {
		if (opens)
			return front_remark(f, n, "\"%s\" is left out: %s", owned, why.msg);
		return front_fail(f, n, "\"%s\": %s", owned, why.msg);
	}
	pattern_free(pat);
	if (opens)
		return front_open(f, n, SET_FILE, owned, tag, access,
				  flags | (access == ACCESS_WRITE ? RULE_KEEPS_NAMES : 0u));
	return front_close(f, n, SET_FILE, owned, tag, access, flags);
}

int front_pattern_rule(struct front *f, const struct json_node *n, const char *pattern,
		       enum decision d, const char *why)
{
	struct guard_rule *r = guard_rule_new(GUARD_PATTERN, d);

	if (!r)
		return front_no_memory(f);
	r->pattern = strdup(pattern);
	r->why = why ? strdup(why) : NULL;
	r->anywhere = d != VERDICT_ALLOW;
	if (!r->pattern || (why && !r->why)) {
		guard_rule_free(r);
		return front_no_memory(f);
	}
	return settings_add_guard(&f->out->open, r, n->line) < 0 ? front_no_memory(f) : 0;
}

/* ---- values ------------------------------------------------------------- */

const struct json_node *front_member(const struct json_node *n, const char *key)
{
	for (size_t i = 0; i < n->n_kids; i++)
		if (n->kids[i].key && streq(n->kids[i].key, key))
			return &n->kids[i];
	return NULL;
}

bool front_is_set(const json_t *v)
{
	if (json_is_object(v))
		return json_object_size(v) > 0;
	if (json_is_array(v))
		return json_array_size(v) > 0;
	if (json_is_string(v))
		return json_string_value(v)[0] != '\0';
	if (json_is_integer(v))
		return json_integer_value(v) != 0;
	return !json_is_false(v) && !json_is_null(v);
}

int front_take_scalar_bool(struct front *f, const struct json_node *n, const struct front_key *k)
{
	if (!json_is_boolean(n->value))
		return front_wrong_type(f, n, "true or false");
	return front_open(f, n, (enum setting_key)k->arg, NULL, NULL, json_is_true(n->value), 0);
}

int front_take_port(struct front *f, const struct json_node *n, const struct front_key *k)
{
	if (!json_is_integer(n->value))
		return front_wrong_type(f, n, "a port");
	if (json_integer_value(n->value) < 1 || json_integer_value(n->value) > 65535)
		return front_fail(f, n, "a port is a number from 1 to 65535");
	return front_open(f, n, (enum setting_key)k->arg, NULL, NULL, json_integer_value(n->value),
			  0);
}

int front_strings(struct front *f, const struct json_node *n,
		  int (*each)(struct front *f, const struct json_node *n, const char *text,
			      const struct front_key *k),
		  const struct front_key *k)
{
	if (!json_is_array(n->value))
		return front_wrong_type(f, n, "a list of strings");
	for (size_t i = 0; i < n->n_kids; i++) {
		const char *text = json_string_value(n->kids[i].value);
		int r;

		if (!text)
			return front_wrong_type(f, &n->kids[i], "a list of strings");
		r = each(f, &n->kids[i], text, k);
		if (r < 0)
			return r;
	}
	return 0;
}

static int one_host(struct front *f, const struct json_node *n, const char *text,
		    const struct front_key *k)
{
	return front_host(f, n, text, (enum decision)k->arg, NULL);
}

int front_take_hosts(struct front *f, const struct json_node *n, const struct front_key *k)
{
	if (k->arg == VERDICT_ALLOW)
		f->lists_hosts = true;
	return front_strings(f, n, one_host, k);
}

static int one_socket(struct front *f, const struct json_node *n, const char *text,
		      const struct front_key *k)
{
	(void)k;
	if (text[0] != '/' && !str_starts(text, "~/"))
		return front_remark(f, n,
				    "\"%s\" is left out: it begins with neither \"/\" nor "
				    "\"~/\"",
				    text);
	return front_open(f, n, SET_NET_SOCKET, text, NULL, 0, 0);
}

int front_take_sockets(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_strings(f, n, one_socket, k);
}

int front_take_told(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_is_set(n->value) ? front_remark(f, n, "not enforceable: %s", k->what) : 0;
}

int front_take_refused(struct front *f, const struct json_node *n, const struct front_key *k)
{
	if (!front_is_set(n->value))
		return 0;
	(void)front_fail(f, n, "cannot be enforced: %s", k->what);
	err_fix(f->err, "take the key out, or import the rest: berm import %s %s",
		front_kind_name(f->at->kind), f->at->file);
	return -EINVAL;
}
