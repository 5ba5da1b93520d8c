/* SPDX-License-Identifier: Apache-2.0 */
/* The "network" object of the settings format. */
#include <string.h>

#include "base/str.h"
#include "policy/net.h"
#include "policy/parse_impl.h"

#define PORTS_MAX 64

static int prefix(struct parser *p, const struct json_node *n)
{
	return err_prefix(p->err, "%s:%u", p->s->file, n->line);
}

/* ---- hosts -------------------------------------------------------------- */

static int add_host(struct parser *p, const struct json_node *n, const char *text,
		    enum decision decision)
{
	int r = settings_add_host(p->s, text, decision, n->line, p->err);

	return r < 0 ? prefix(p, n) : 0;
}

/* {"host": "x", "ports": [22, "8000-8010"]}: one rule for each port */
static int take_host_object(struct parser *p, const struct json_node *n, enum decision decision)
{
	const char *host = NULL;
	const struct json_node *ports = NULL;

	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];

		if (streq(kid->key, "host") && json_is_string(kid->value))
			host = json_string_value(kid->value);
		else if (streq(kid->key, "ports") && json_is_array(kid->value) && kid->n_kids)
			ports = kid;
		else
			return parse_fail(p, kid,
					  "a host is \"example.com\", or {\"host\": "
					  "\"example.com\", \"ports\": [22, \"8000-8010\"]}");
	}
	if (!host || !ports || ports->n_kids > PORTS_MAX)
		return parse_fail(p, n, "a host object needs \"host\" and \"ports\" (up to 64)");
	for (size_t i = 0; i < ports->n_kids; i++) {
		const struct json_node *kid = &ports->kids[i];
		bool v6 = strchr(host, ':') && host[0] != '[';
		_cleanup_free_ char *text = NULL;
		char number[32];
		const char *port = json_string_value(kid->value);

		if (json_is_integer(kid->value)) {
			(void)snprintf(number, sizeof(number), "%lld",
				       (long long)json_integer_value(kid->value));
			port = number;
		}
		if (!port)
			return parse_wrong_type(p, kid, "a port or a range such as \"8000-8010\"");
		text = str_printf("%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port);
		if (!text)
			return err_set(p->err, -ENOMEM, "out of memory");
		if (add_host(p, kid, text, decision) < 0)
			return -EINVAL;
	}
	return 0;
}

static int take_hosts(struct parser *p, const struct json_node *n, enum decision decision)
{
	if (!json_is_array(n->value))
		return parse_wrong_type(p, n, "a list of hosts");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		int r;

		if (json_is_object(kid->value))
			r = take_host_object(p, kid, decision);
		else if (json_is_string(kid->value))
			r = add_host(p, kid, json_string_value(kid->value), decision);
		else
			r = parse_wrong_type(p, kid, "a host");
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_allow(struct parser *p, const struct json_node *n, const struct key *k)
{
	return take_hosts(p, n, VERDICT_ALLOW);
}

static int take_deny(struct parser *p, const struct json_node *n, const struct key *k)
{
	return take_hosts(p, n, VERDICT_DENY);
}

static int take_ask(struct parser *p, const struct json_node *n, const struct key *k)
{
	return take_hosts(p, n, VERDICT_ASK);
}

/* Before every other rule on hosts of the layer. */
static int take_first(struct parser *p, const struct json_node *n, const struct key *k)
{
	size_t from = p->s->n;
	int r = take_hosts(p, n, streq(k->name, "ask_first") ? VERDICT_ASK : VERDICT_DENY);

	for (size_t i = from; i < p->s->n; i++)
		p->s->v[i].flags = RULE_FIRST;
	return r;
}

/* {"llm": true, "git": false} */
static int take_groups(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object of \"group\": true or false");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		int r = net_group_check(kid->key, p->err);

		if (r < 0)
			return prefix(p, kid);
		if (!json_is_boolean(kid->value))
			return parse_wrong_type(p, kid, "true or false");
		r = parse_add(p, kid, k->key, kid->key, NULL, json_is_true(kid->value));
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- numbers ------------------------------------------------------------ */

static int take_number(struct parser *p, const struct json_node *n, const struct key *k,
		       int64_t min, int64_t max, const char *want)
{
	if (!json_is_integer(n->value) || json_integer_value(n->value) < min ||
	    json_integer_value(n->value) > max)
		return json_is_integer(n->value) ? parse_fail(p, n, want)
						 : parse_wrong_type(p, n, "a number");
	return parse_add(p, n, k->key, NULL, NULL, json_integer_value(n->value));
}

static int take_port(struct parser *p, const struct json_node *n, const struct key *k)
{
	return take_number(p, n, k, 0, 65535, "a port is a number from 1 to 65535 (0: none)");
}

static int take_seconds(struct parser *p, const struct json_node *n, const struct key *k)
{
	return take_number(p, n, k, 1, 3600, "\"ask_seconds\" can be 1 to 3600");
}

/* [3000, "8080:3000"] */
static int take_forwards(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_array(n->value))
		return parse_wrong_type(p, n, "a list of ports");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		const char *text = json_string_value(kid->value);
		char number[32];
		int64_t ports;
		int r;

		if (json_is_integer(kid->value)) {
			(void)snprintf(number, sizeof(number), "%lld",
				       (long long)json_integer_value(kid->value));
			text = number;
		}
		if (!text)
			return parse_wrong_type(p, kid, "a port");
		r = net_forward_parse(text, &ports, p->err);
		if (r < 0)
			return prefix(p, kid);
		r = parse_add(p, kid, k->key, text, NULL, ports);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- the rest ----------------------------------------------------------- */

static int default_by_name(const char *name)
{
	return streq(name, "ask") ? VERDICT_ASK : streq(name, "deny") ? VERDICT_DENY : -1;
}

static int take_managed_only(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (p->s->layer != LAYER_MANAGED)
		return parse_fail(p, n,
				  "\"allow_managed_domains_only\" counts in managed settings only");
	return parse_bool(p, n, k);
}

/* The sandbox has a loopback of its own: to bind there is always possible and reaches
 * nobody. "false" would promise what nothing enforces. */
static int take_local_binding(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_boolean(n->value))
		return parse_wrong_type(p, n, "true or false");
	if (json_is_true(n->value))
		return 0;
	parse_fail(p, n, "\"allow_local_binding\": false cannot be enforced on this system");
	err_fix(p->err,
		"leave it away: the command's servers are seen by the command alone, unless "
		"\"publish\" names their port");
	return -EINVAL;
}

static int take_sockets(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_array(n->value))
		return parse_wrong_type(p, n, "a list of paths");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		const char *path = json_string_value(kid->value);
		int r;

		if (!path)
			return parse_wrong_type(p, kid, "a path");
		if (path[0] != '/' && !str_starts(path, "~/"))
			return parse_fail(p, kid,
					  "the path of a socket begins with \"/\" or \"~/\"");
		r = parse_add(p, kid, k->key, path, NULL, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_text(struct parser *p, const struct json_node *n, const struct key *k)
{
	const char *text = json_string_value(n->value);

	if (!text)
		return parse_wrong_type(p, n, "a string");
	if (k->key == SET_NET_UPSTREAM_FILE)
		return parse_add(p, n, k->key, text, NULL, 0);
	return parse_add(p, n, k->key, NULL, text, 0);
}

static int take_upstream(struct parser *p, const struct json_node *n, const struct key *k)
{
	static const struct key keys[] = {
		{ "url", take_text, SET_NET_UPSTREAM },
		{ "url_file", take_text, SET_NET_UPSTREAM_FILE },
		{ "no_proxy", take_text, SET_NET_NO_PROXY },
	};

	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object");
	return parse_keys(p, n, keys, ARRAY_SIZE(keys));
}

int parse_approver(struct parser *p, const struct json_node *n, const struct key *k)
{
	if (!json_is_string(n->value))
		return parse_wrong_type(p, n, "a string");
	if (approver_check(json_string_value(n->value), true, p->err) < 0)
		return prefix(p, n);
	return parse_add(p, n, SET_APPROVER, NULL, json_string_value(n->value), 0);
}

int parse_network(struct parser *p, const struct json_node *n, const struct key *k)
{
	static const struct key keys[] = {
		{ "mode", parse_choice, SET_NET, net_mode_parse, "off, allow, open" },
		{ "allow", take_allow },
		{ "deny", take_deny },
		{ "ask", take_ask },
		{ "deny_first", take_first },
		{ "ask_first", take_first },
		{ "groups", take_groups, SET_NET_GROUP },
		{ "default", parse_choice, SET_NET_DEFAULT, default_by_name, "ask, deny" },
		{ "allow_managed_domains_only", take_managed_only, SET_NET_MANAGED_ONLY },
		{ "allow_unix_sockets", take_sockets, SET_NET_SOCKET },
		{ "allow_all_unix_sockets", parse_bool, SET_NET_ALL_SOCKETS },
		{ "allow_local_binding", take_local_binding },
		{ "publish", take_forwards, SET_NET_PUBLISH },
		{ "host_ports", take_forwards, SET_NET_HOST_PORT },
		{ "http_proxy_port", take_port, SET_NET_HTTP_PORT },
		{ "socks_proxy_port", take_port, SET_NET_SOCKS_PORT },
		{ "upstream_proxy", take_upstream },
		{ "proxy_env", parse_bool, SET_NET_PROXY_ENV },
		{ "cut", parse_bool, SET_NET_CUT },
		{ "ask_seconds", take_seconds, SET_NET_ASK_SECONDS },
	};

	if (!json_is_object(n->value))
		return parse_wrong_type(p, n, "an object");
	return parse_keys(p, n, keys, ARRAY_SIZE(keys));
}
