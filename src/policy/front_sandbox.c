/* SPDX-License-Identifier: Apache-2.0 */
/* What Claude Code's sandbox block and srt's settings file share. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "policy/data.h"
#include "policy/front_impl.h"
#include "policy/pattern.h"

/* ---- filesystem ---------------------------------------------------------- */

/* "path" or {"path": "path", "literal": true} */
static const char *path_of(struct front *f, const struct json_node *n, bool *ret_literal)
{
	const char *path = json_string_value(n->value);

	*ret_literal = false;
	for (size_t i = 0; !path && i < n->n_kids; i++)
		if (!n->kids[i].key ||
		    (!streq(n->kids[i].key, "path") && !streq(n->kids[i].key, "literal")))
			break;
		else if (streq(n->kids[i].key, "literal"))
			*ret_literal = json_is_true(n->kids[i].value);
	if (!path && json_is_object(n->value) && json_object_size(n->value) <= 2)
		path = json_string_value(json_object_get(n->value, "path"));
	if (!path)
		front_wrong_type(f, n, "a path, or {\"path\": \"p\", \"literal\": true}");
	else if (!*path)
		front_fail(f, n, "an empty path");
	return path && *path ? path : NULL;
}

int front_take_paths(struct front *f, const struct json_node *n, const struct front_key *k)
{
	static const struct {
		enum access access;
		unsigned flags;
		const char *tag;
	} as[] = {
		[FRONT_ALLOW_WRITE] = { ACCESS_WRITE, 0, NULL },
		/* Beats every allowWrite, however specific that is. */
		[FRONT_DENY_WRITE] = { ACCESS_READ, RULE_WRITES_ONLY | RULE_FIRST, NULL },
		[FRONT_ALLOW_READ] = { ACCESS_READ, RULE_READS_ONLY, FRONT_TAG_READ },
		[FRONT_DENY_READ] = { ACCESS_NONE, 0, NULL },
	};

	if (!json_is_array(n->value))
		return front_wrong_type(f, n, "a list of paths");
	for (size_t i = 0; i < n->n_kids; i++) {
		bool literal;
		const char *path = path_of(f, &n->kids[i], &literal);
		unsigned flags = as[k->arg].flags;
		int r;

		if (!path)
			return -EINVAL;
		/* Files that a pattern denies are not opened again by way of their folder. */
		if (k->arg == FRONT_DENY_READ && !literal && strpbrk(path, "*?["))
			flags |= RULE_FIRST;
		r = front_file(f, &n->kids[i], front_sandbox_pattern(f, path, literal),
			       as[k->arg].access, flags, as[k->arg].tag);
		if (r < 0)
			return r;
	}
	return 0;
}

int front_take_git_config(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_boolean(n->value))
		return front_wrong_type(f, n, "true or false");
	if (!json_is_true(n->value))
		return 0;
	return front_open(f, n, SET_UNPROTECT, "git-config", NULL, 0, 0);
}

/* ---- violations ---------------------------------------------------------- */

/* {"*": ["/usr/bin"], "npm": [...]} */
int front_take_ignore(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_object(n->value))
		return front_wrong_type(f, n, "an object of lists");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		int r = 0;

		if (!json_is_array(kid->value))
			return front_wrong_type(f, kid, "a list of strings");
		if (!streq(kid->key, "*"))
			r = front_remark(f, kid,
					 "not enforceable: what one command \"%s\" does "
					 "is reported like the rest",
					 kid->key);
		for (size_t j = 0; j < kid->n_kids && r >= 0 && streq(kid->key, "*"); j++) {
			const char *text = json_string_value(kid->kids[j].value);
			_cleanup_free_ char *glob = NULL;

			if (!text)
				return front_wrong_type(f, kid, "a list of strings");
			glob = str_printf("*%s*", text);
			r = !glob ? front_no_memory(f)
				  : front_open(f, &kid->kids[j], SET_IGNORE_VIOLATION, glob, NULL,
					       0, 0);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- credentials --------------------------------------------------------- */

/* Each object of a list: its "path" or "name". Masking needs a reader of TLS; what would be
 * masked is not there at all. */
static int each_credential(struct front *f, const struct json_node *n, const char *member,
			   int (*take)(struct front *f, const struct json_node *n, const char *))
{
	if (!json_is_array(n->value))
		return front_wrong_type(f, n, "a list of objects");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		const char *text = json_is_object(kid->value)
					   ? json_string_value(json_object_get(kid->value, member))
					   : NULL;
		int r;

		if (!text || !*text)
			return front_fail(f, kid, "each entry is an object with \"%s\"", member);
		r = take(f, kid, text);
		if (r >= 0 && json_object_get(kid->value, "mode") &&
		    streq(json_string_value(json_object_get(kid->value, "mode"))
				  ? json_string_value(json_object_get(kid->value, "mode"))
				  : "",
			  "mask"))
			r = front_remark(f, kid, "\"%s\" is not masked: it is not there at all",
					 text);
		if (r < 0)
			return r;
	}
	return 0;
}

static int credential_file(struct front *f, const struct json_node *n, const char *path)
{
	return front_file(f, n, front_sandbox_pattern(f, path, true), ACCESS_NONE, RULE_FIRST,
			  NULL);
}

static int credential_var(struct front *f, const struct json_node *n, const char *name)
{
	return front_open(f, n, SET_ENV_UNSET, name, NULL, 0, 0);
}

int front_take_credential_files(struct front *f, const struct json_node *n,
				const struct front_key *k)
{
	(void)k;
	return each_credential(f, n, "path", credential_file);
}

int front_take_credential_vars(struct front *f, const struct json_node *n,
			       const struct front_key *k)
{
	(void)k;
	return each_credential(f, n, "name", credential_var);
}

/* ---- network ------------------------------------------------------------- */

static int one_address(struct front *f, const struct json_node *n, const char *text,
		       const struct front_key *k)
{
	(void)k;
	return front_host(f, n, text, VERDICT_DENY, NULL);
}

int front_take_addresses(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_strings(f, n, one_address, k);
}

/* Connections to these hosts were to be looked at by a proxy: they are not made without it. */
int front_take_mitm(struct front *f, const struct json_node *n, const struct front_key *k)
{
	const json_t *domains = json_object_get(n->value, "domains");
	const struct json_node *list = NULL;

	(void)k;
	if (!json_is_object(n->value) || !json_is_array(domains))
		return front_wrong_type(f, n, "an object with \"socketPath\" and \"domains\"");
	for (size_t i = 0; i < n->n_kids; i++)
		if (streq(n->kids[i].key, "domains"))
			list = &n->kids[i];
	for (size_t i = 0; list && i < list->n_kids; i++) {
		const char *host = json_string_value(list->kids[i].value);
		int r;

		if (!host)
			return front_wrong_type(f, list, "a list of hosts");
		r = front_host(f, &list->kids[i], host, VERDICT_DENY, NULL);
		if (r < 0)
			return r;
	}
	return front_remark(f, n,
			    "not enforceable: no proxy of yours is put between; its hosts "
			    "are denied");
}

int front_take_strict(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_boolean(n->value))
		return front_wrong_type(f, n, "true or false");
	return json_is_true(n->value) ? front_only_listed(f, n, true) : 0;
}

int front_take_parent_proxy(struct front *f, const struct json_node *n, const struct front_key *k)
{
	static const char *const known[] = { "http", "https", "noProxy" };
	const char *url = NULL, *other = NULL, *skip = NULL;
	int r = 0;

	(void)k;
	if (!json_is_object(n->value))
		return front_wrong_type(f, n, "an object");
	for (size_t i = 0; i < n->n_kids; i++) {
		const char *text = json_string_value(n->kids[i].value);

		if (!text)
			return front_wrong_type(f, &n->kids[i], "strings");
		if (streq(n->kids[i].key, known[0]))
			other = text;
		else if (streq(n->kids[i].key, known[1]))
			url = text;
		else if (streq(n->kids[i].key, known[2]))
			skip = text;
		else
			return front_fail(f, &n->kids[i], "\"%s\" is not http, https or noProxy",
					  n->kids[i].key);
	}
	if (url && other && !streq(url, other))
		r = front_remark(f, n, "berm goes through one proxy: the one for https");
	if (r >= 0 && (url || other))
		r = front_open(f, n, SET_NET_UPSTREAM, NULL, url ? url : other, 0, 0);
	return r < 0 || !skip ? r : front_open(f, n, SET_NET_NO_PROXY, NULL, skip, 0, 0);
}
