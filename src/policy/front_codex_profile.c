/* SPDX-License-Identifier: Apache-2.0 */
/* Codex's permission profiles. A profile and its parents are merged key by key, the child's word
 * counting, and what comes out is said in berm's rules: the most specific path wins in both, and
 * a path that nothing names is closed. */
#include <string.h>

#include "base/str.h"
#include "policy/front_codex.h"
#include "policy/pattern.h"

#define CHAIN_MAX 16
#define ENTRIES_MAX 4096

struct entry {
	const char *key; /* as written: a path, a pattern or ":special" */
	const char *sub; /* below a special, NULL none */
	enum access access;
	const struct json_node *n;
	bool implied; /* of a built-in profile */
};

struct profile {
	struct front *f;
	const struct json_node *chain[CHAIN_MAX]; /* the child first */
	size_t n_chain;
	const char *builtin; /* ":workspace" or ":read-only" at the end of it, NULL none */
	const struct json_node *at;
	struct entry *v;
	size_t n;
	bool open_network;
};

/* ---- the chain ------------------------------------------------------------ */

static bool is_builtin(const char *name)
{
	return streq(name, ":read-only") || streq(name, ":workspace") ||
	       streq(name, ":danger-full-access");
}

static int follow(struct profile *p, const struct json_node *all, const char *name)
{
	const struct json_node *from = p->at;

	while (name) {
		const struct json_node *n = all ? front_member(all, name) : NULL, *up;

		if (name[0] == ':') {
			if (!is_builtin(name))
				return front_fail(p->f, from, "there is no built-in profile \"%s\"",
						  name);
			p->builtin = name;
			return 0;
		}
		if (!n || !json_is_object(n->value))
			return front_fail(p->f, from, "there is no profile \"%s\" in this file",
					  name);
		for (size_t i = 0; i < p->n_chain; i++)
			if (p->chain[i] == n)
				return front_fail(p->f, from, "profile \"%s\" extends itself",
						  name);
		if (p->n_chain == CHAIN_MAX)
			return front_fail(p->f, from, "more than %d profiles extend each other",
					  CHAIN_MAX);
		p->chain[p->n_chain++] = n;
		up = front_member(n, "extends");
		if (up && !json_is_string(up->value))
			return front_wrong_type(p->f, up, "a string");
		name = up ? json_string_value(up->value) : NULL;
		from = up ? up : from;
	}
	return 0;
}

/* ---- entries ---------------------------------------------------------------- */

static int put(struct profile *p, struct entry e)
{
	struct entry *v;

	for (size_t i = 0; i < p->n; i++) {
		bool same_sub =
			e.sub && p->v[i].sub ? streq(e.sub, p->v[i].sub) : e.sub == p->v[i].sub;

		if (streq(p->v[i].key, e.key) && same_sub) {
			p->v[i] = e;
			return 0;
		}
	}
	if (p->n == ENTRIES_MAX)
		return front_fail(p->f, e.n, "more than %d paths", ENTRIES_MAX);
	v = reallocarray(p->v, p->n + 1, sizeof(*v));
	if (!v)
		return front_no_memory(p->f);
	p->v = v;
	v[p->n++] = e;
	return 0;
}

static int access_of(struct profile *p, const struct json_node *n, enum access *ret)
{
	const char *word = json_string_value(n->value);

	if (!word)
		return front_wrong_type(p->f, n, "read, write or deny");
	if (streq(word, "read"))
		*ret = ACCESS_READ;
	else if (streq(word, "write"))
		*ret = ACCESS_WRITE;
	else if (streq(word, "deny") || streq(word, "none"))
		*ret = ACCESS_NONE;
	else
		return front_fail(p->f, n, "\"%s\" is not read, write or deny", word);
	return 0;
}

/* ":project_roots" is the older name. */
static const char *canonical(const char *key)
{
	return streq(key, ":project_roots") ? ":workspace_roots" : key;
}

static int put_all(struct profile *p, const struct json_node *fs)
{
	for (size_t i = 0; i < fs->n_kids; i++) {
		const struct json_node *n = &fs->kids[i];
		struct entry e = { .key = canonical(n->key), .n = n };
		int r = 0;

		if (streq(n->key, "glob_scan_max_depth"))
			continue;
		if (!json_is_object(n->value)) {
			r = access_of(p, n, &e.access);
			if (r >= 0)
				r = put(p, e);
		}
		for (size_t j = 0; json_is_object(n->value) && j < n->n_kids && r >= 0; j++) {
			e.sub = streq(n->kids[j].key, ".") ? NULL : n->kids[j].key;
			e.n = &n->kids[j];
			r = access_of(p, &n->kids[j], &e.access);
			if (r >= 0)
				r = put(p, e);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static int collect(struct profile *p)
{
	struct entry e = { .n = p->at, .implied = true };
	int r = 0;

	if (p->builtin) {
		e.key = ":root";
		e.access = ACCESS_READ;
		r = put(p, e);
		e.key = ":workspace_roots";
		e.access = ACCESS_WRITE;
		if (r >= 0 && !streq(p->builtin, ":read-only"))
			r = put(p, e);
	}
	for (size_t i = p->n_chain; i-- > 0 && r >= 0;) {
		const struct json_node *fs = front_member(p->chain[i], "filesystem");

		if (fs && !json_is_object(fs->value))
			return front_wrong_type(p->f, fs, "a table");
		r = fs ? put_all(p, fs) : 0;
	}
	return r;
}

/* ---- files ------------------------------------------------------------------- */

/* Wildcards other than "below here" at the end? */
static bool is_glob(const char *pattern)
{
	size_t len = strlen(pattern);

	if (str_ends(pattern, "/**"))
		len -= 3;
	for (size_t i = 0; i < len; i++) {
		if (pattern[i] == '\\' && i + 1 < len)
			i++;
		else if (strchr("*?[{", pattern[i]))
			return true;
	}
	return false;
}

/* One path of a profile as berm's rules: reading and writing apart, what opens and what closes. */
static int emit(struct profile *p, const struct json_node *n, const char *pattern, enum access a)
{
	struct front *f = p->f;
	int r;

	switch (a) {
	case ACCESS_WRITE:
		return front_file(f, n, strdup(pattern), ACCESS_WRITE, 0, NULL);
	case ACCESS_READ:
		r = front_file(f, n, strdup(pattern), ACCESS_READ, RULE_READS_ONLY, NULL);
		return r < 0 ? r
			     : front_file(f, n, strdup(pattern), ACCESS_READ, RULE_WRITES_ONLY,
					  NULL);
	case ACCESS_NONE:
	case ACCESS_ASK:
		break;
	}
	/* What a pattern denies stays denied below a folder that is opened. */
	return front_file(f, n, strdup(pattern), ACCESS_NONE, is_glob(pattern) ? RULE_FIRST : 0u,
			  NULL);
}

static int below_workspaces(struct profile *p, const struct entry *e)
{
	int r = 0;

	for (size_t i = 0; i < p->f->at->n_workspaces && r >= 0; i++) {
		_cleanup_free_ char *head = pattern_escape(p->f->at->workspaces[i]);
		_cleanup_free_ char *path = head ? str_printf("%s/%s", head, e->sub) : NULL;

		r = path ? emit(p, e->n, path, e->access) : front_no_memory(p->f);
	}
	return r;
}

static int special(struct profile *p, const struct entry *e)
{
	static const char *const own[] = { ":minimal", ":tmpdir", ":slash_tmp" };
	struct front *f = p->f;
	int r = 0;

	if (streq(e->key, ":workspace_roots"))
		return e->sub ? below_workspaces(p, e) : 0; /* the root: close_workspace() */
	if (streq(e->key, ":root") && !e->sub) {
		if (e->implied || e->access == ACCESS_NONE)
			return 0;
		if (e->access == ACCESS_WRITE)
			r = front_remark(f, e->n,
					 "not enforceable: the whole machine is not "
					 "writable; it is shown");
		if (r >= 0)
			r = front_open(f, e->n, SET_ROOT, NULL, "host", ROOT_HOST, 0);
		return r < 0 ? r : front_open(f, e->n, SET_HOME, NULL, "host", HOME_HOST, 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (streq(e->key, own[i]))
			return e->access != ACCESS_NONE
				       ? 0
				       : front_remark(f, e->n,
						      "\"%s\" stays: it is the session's "
						      "own, or the system's",
						      e->key);
	if (e->access == ACCESS_NONE)
		return front_fail(f, e->n, "berm does not know \"%s\"", e->key);
	return front_remark(f, e->n, "\"%s\" is left out: berm does not know it", e->key);
}

static int one_entry(struct profile *p, const struct entry *e)
{
	if (e->key[0] == ':')
		return special(p, e);
	if (e->sub)
		return front_fail(p->f, e->n, "only \":workspace_roots\" has paths below it");
	/* Patterns that begin nowhere hold in the workspace. */
	return emit(p, e->n, e->key, e->access);
}

/* What the profile says of a workspace as a whole. */
static const struct entry *of_workspace(struct profile *p, const char *ws)
{
	const struct entry *best = NULL, *root = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct entry *e = &p->v[i];

		if (streq(e->key, ":workspace_roots") && !e->sub)
			return e;
		if (streq(e->key, ":root") && !e->sub)
			root = e;
		if (e->key[0] == ':' || !front_covers(p->f, e->key, ws))
			continue;
		if (!best || strlen(e->key) > strlen(best->key) ||
		    (strlen(e->key) == strlen(best->key) && e->access < best->access))
			best = e;
	}
	return best ? best : root;
}

/* In berm the workspace is writable; here what the profile leaves of it. */
static int close_workspace(struct profile *p, const char *ws)
{
	const struct entry *e = of_workspace(p, ws);
	_cleanup_free_ char *head = pattern_escape(ws), *all = NULL;
	struct front *f = p->f;

	if (e && e->access == ACCESS_WRITE)
		return 0;
	all = head ? str_printf("%s/*", streq(head, "/") ? "" : head) : NULL;
	if (e && e->access == ACCESS_READ)
		return front_file(f, e->n, take_ptr(all), ACCESS_READ, RULE_WRITES_ONLY, NULL);
	return front_file(f, e ? e->n : p->at, take_ptr(all), ACCESS_NONE, 0, NULL);
}

/* More directories that count as the workspace does. */
static int more_roots(struct profile *p)
{
	for (size_t i = p->n_chain; i-- > 0;) {
		const struct json_node *n = front_member(p->chain[i], "workspace_roots");
		const struct entry *e = NULL;

		if (n && !json_is_object(n->value))
			return front_wrong_type(p->f, n, "a table of \"path\" = true");
		for (size_t j = 0; j < p->n; j++)
			if (streq(p->v[j].key, ":workspace_roots") && !p->v[j].sub)
				e = &p->v[j];
		for (size_t j = 0; n && j < n->n_kids; j++) {
			int r;

			if (!json_is_boolean(n->kids[j].value))
				return front_wrong_type(p->f, &n->kids[j], "true or false");
			if (!json_is_true(n->kids[j].value) || !e)
				continue;
			r = emit(p, &n->kids[j], n->kids[j].key, e->access);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int files(struct profile *p)
{
	int r = collect(p);

	for (size_t i = 0; i < p->n && r >= 0; i++)
		r = one_entry(p, &p->v[i]);
	for (size_t i = 0; i < p->f->at->n_workspaces && r >= 0; i++)
		r = close_workspace(p, p->f->at->workspaces[i]);
	return r < 0 ? r : more_roots(p);
}

/* ---- network ------------------------------------------------------------------ */

/* The nearest profile that says it. */
static const struct json_node *net_member(const struct profile *p, const char *key)
{
	for (size_t i = 0; i < p->n_chain; i++) {
		const struct json_node *net = front_member(p->chain[i], "network");
		const struct json_node *n = net ? front_member(net, key) : NULL;

		if (n)
			return n;
	}
	return NULL;
}

static int net_flag(struct profile *p, const char *key, bool *ret)
{
	const struct json_node *n = net_member(p, key);

	*ret = n && json_is_true(n->value);
	return n && !json_is_boolean(n->value) ? front_wrong_type(p->f, n, "true or false") : 0;
}

/* Is the key of a table of a parent said again by a child? */
static bool overridden(const struct profile *p, size_t parent, const char *table, const char *key)
{
	for (size_t i = 0; i < parent; i++) {
		const struct json_node *net = front_member(p->chain[i], "network");
		const struct json_node *n = net ? front_member(net, table) : NULL;

		if (n && front_member(n, key))
			return true;
	}
	return false;
}

static int each_of(struct profile *p, const char *table,
		   int (*take)(struct profile *p, const struct json_node *n, enum decision d),
		   size_t *ret_n)
{
	for (size_t i = 0; i < p->n_chain; i++) {
		const struct json_node *net = front_member(p->chain[i], "network");
		const struct json_node *n = net ? front_member(net, table) : NULL;

		if (n && !json_is_object(n->value))
			return front_wrong_type(p->f, n, "a table of \"allow\" or \"deny\"");
		for (size_t j = 0; n && j < n->n_kids; j++) {
			const char *word = json_string_value(n->kids[j].value);
			int d = word ? front_codex_decision(word) : -1, r;

			if (d != VERDICT_ALLOW && d != VERDICT_DENY)
				return front_wrong_type(p->f, &n->kids[j], "\"allow\" or \"deny\"");
			if (overridden(p, i, table, n->kids[j].key))
				continue;
			r = take(p, &n->kids[j], (enum decision)d);
			if (r < 0)
				return r;
			(*ret_n)++;
		}
	}
	return 0;
}

static int one_domain(struct profile *p, const struct json_node *n, enum decision d)
{
	if (streq(n->key, "*") && d == VERDICT_ALLOW) {
		p->open_network = true;
		return 0;
	}
	return codex_domain(p->f, n, n->key, d);
}

static int one_socket(struct profile *p, const struct json_node *n, enum decision d)
{
	if (d != VERDICT_ALLOW)
		return 0; /* none is there that is not named */
	if (n->key[0] != '/')
		return front_fail(p->f, n, "the path of a socket begins with \"/\"");
	return front_open(p->f, n, SET_NET_SOCKET, n->key, NULL, 0, 0);
}

/* Hosts whose requests were to be looked at: they are not reached without that. */
static int intercepted(struct profile *p)
{
	const struct json_node *mitm = net_member(p, "mitm");
	const struct json_node *hooks = mitm ? front_member(mitm, "hooks") : NULL;
	int r = 0;

	for (size_t i = 0; hooks && i < hooks->n_kids && r >= 0; i++) {
		const struct json_node *host = front_member(&hooks->kids[i], "host");

		if (!host || !json_is_string(host->value))
			return front_fail(p->f, &hooks->kids[i], "a hook names a host");
		r = codex_domain(p->f, host, json_string_value(host->value), VERDICT_DENY);
		if (r >= 0)
			r = front_remark(p->f, host,
					 "not enforceable: this release reads no TLS; "
					 "\"%s\" is denied",
					 json_string_value(host->value));
	}
	return r;
}

static int limited(struct profile *p)
{
	const struct json_node *mode = net_member(p, "mode");
	const char *word = mode ? json_string_value(mode->value) : NULL;

	if (!mode || (word && streq(word, "full")))
		return 0;
	front_fail(p->f, mode, "network mode \"%s\" cannot be enforced: this release reads no TLS",
		   word ? word : "?");
	err_fix(p->f->err, "take the key out, or deny the hosts it is about");
	return -EINVAL;
}

static bool proxy_feature(const struct json_node *root)
{
	const struct json_node *features = front_member(root, "features");
	const struct json_node *n = features ? front_member(features, "network_proxy") : NULL;

	return n && (json_is_true(n->value) || json_is_object(n->value));
}

static int network(struct profile *p, const struct json_node *root)
{
	size_t domains = 0, sockets = 0;
	bool on = false, all_sockets = false;
	int r = net_flag(p, "enabled", &on);

	if (r >= 0)
		r = net_flag(p, "dangerously_allow_all_unix_sockets", &all_sockets);
	if (r >= 0)
		r = limited(p);
	if (r >= 0)
		r = each_of(p, "domains", one_domain, &domains);
	if (r >= 0)
		r = each_of(p, "unix_sockets", one_socket, &sockets);
	if (r >= 0)
		r = intercepted(p);
	if (r >= 0 && all_sockets)
		r = front_open(p->f, p->at, SET_NET_ALL_SOCKETS, NULL, NULL, 1, 0);
	if (r < 0)
		return r;
	/* Without its proxy Codex gives the host's network, whatever domains are listed. */
	if (on && ((!domains && !proxy_feature(root)) || p->open_network))
		return front_open(p->f, p->at, SET_NET, NULL, "open", NET_OPEN, 0);
	return front_only_listed(p->f, p->at, true);
}

int front_codex_profile(struct front *f, const struct json_node *root, const struct json_node *at,
			const char *name)
{
	struct profile p = { .f = f, .at = at };
	int r = follow(&p, front_member(root, "permissions"), name);

	if (r >= 0 && p.builtin && streq(p.builtin, ":danger-full-access"))
		return front_remark(f, at,
				    "not enforceable: a settings file does not take the wall "
				    "away; --sandbox off does, and says so");
	if (r >= 0)
		r = files(&p);
	if (r >= 0)
		r = network(&p, root);
	free(p.v);
	return r;
}
