/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/settings_json.h"

#include <string.h>

#include "base/json_out.h"
#include "base/str.h"
#include "policy/net.h"

/* The lists, one after the other. */
struct writer {
	const struct front_parts *parts;
	struct buf *out;
	bool first; /* of the members of the object that is written */
};

static const struct setting *entry(const struct writer *w, size_t i)
{
	const struct settings *open = &w->parts->open, *close = &w->parts->close;

	return i < open->n ? &open->v[i] : i - open->n < close->n ? &close->v[i - open->n] : NULL;
}

static void quoted(struct writer *w, const char *text)
{
	(void)json_quote(w->out, text ? text : "", text ? strlen(text) : 0);
}

static void member(struct writer *w, const char *indent, const char *name)
{
	(void)buf_addf(w->out, "%s\n%s", w->first ? "" : ",", indent);
	quoted(w, name);
	(void)buf_adds(w->out, ": ");
	w->first = false;
}

static const char *bool_name(bool b)
{
	return b ? "true" : "false";
}

/* ---- files ---------------------------------------------------------------- */

static const char *word_of(const struct setting *e)
{
	unsigned flags = e->flags & (RULE_READS_ONLY | RULE_WRITES_ONLY | RULE_KEEPS_NAMES);

	for (size_t i = 0; i < file_words_n; i++)
		if (file_words[i].access == (enum access)e->number && file_words[i].flags == flags)
			return file_words[i].name;
	return NULL;
}

/* How often the pattern came before, among the entries that are written to the same object. */
static unsigned times_before(const struct writer *w, size_t i, bool first)
{
	const struct setting *e = entry(w, i), *o;
	unsigned n = 0;

	for (size_t j = 0; j < i; j++) {
		o = entry(w, j);
		n += o->key == SET_FILE && !!(o->flags & RULE_FIRST) == first &&
		     streq(o->name, e->name);
	}
	return n;
}

/* JSON's keys are unique: more slashes mean the same path. */
static void pattern(struct writer *w, const char *text, unsigned again)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : 0;

	if (again && !slash)
		(void)buf_adds(&b, ".");
	(void)buf_add(&b, text, n);
	for (unsigned i = 0; i < again; i++)
		(void)buf_adds(&b, "/");
	(void)buf_adds(&b, text + n);
	member(w, "\t\t", b.data ? b.data : "");
}

static void files(struct writer *w, const char *name, bool first)
{
	bool any = false, outer = w->first;

	for (size_t i = 0; entry(w, i); i++) {
		const struct setting *e = entry(w, i);

		if (e->key != SET_FILE || !!(e->flags & RULE_FIRST) != first || !word_of(e))
			continue;
		if (!any) {
			w->first = outer;
			member(w, "\t", name);
			(void)buf_adds(w->out, "{");
			w->first = true;
		}
		any = true;
		pattern(w, e->name, times_before(w, i, first));
		quoted(w, word_of(e));
	}
	if (any)
		(void)buf_adds(w->out, "\n\t}");
	w->first = any ? false : outer;
}

/* ---- lists ---------------------------------------------------------------- */

/* "name": [texts of the entries that hit() takes] */
static void list(struct writer *w, const char *indent, const char *name, enum setting_key key,
		 bool (*hit)(const struct setting *e, int64_t arg), int64_t arg)
{
	bool any = false;

	for (size_t i = 0; entry(w, i); i++) {
		const struct setting *e = entry(w, i);

		if (e->key != key || (hit && !hit(e, arg)))
			continue;
		if (!any)
			member(w, indent, name);
		(void)buf_adds(w->out, any ? ", " : "[");
		any = true;
		quoted(w, e->name);
	}
	if (any)
		(void)buf_adds(w->out, "]");
}

static const struct setting *last(const struct writer *w, enum setting_key key)
{
	const struct setting *found = NULL, *e;

	for (size_t i = 0; (e = entry(w, i)); i++)
		if (e->key == key)
			found = e;
	return found;
}

static void flag(struct writer *w, const char *indent, const char *name, enum setting_key key)
{
	const struct setting *e = last(w, key);

	if (!e)
		return;
	member(w, indent, name);
	(void)buf_adds(w->out, bool_name(e->number > 0));
}

static void word(struct writer *w, const char *indent, const char *name, const char *value)
{
	member(w, indent, name);
	quoted(w, value);
}

/* Begins an object; end_object() takes it back when nothing was written. */
static size_t begin_object(struct writer *w, const char *indent, const char *name, bool *ret_outer)
{
	size_t at = w->out->len;

	*ret_outer = w->first;
	member(w, indent, name);
	(void)buf_adds(w->out, "{");
	w->first = true;
	return at;
}

static void end_object(struct writer *w, const char *indent, size_t at, bool outer)
{
	if (w->first) {
		w->out->len = at;
		if (w->out->data)
			w->out->data[at] = '\0';
		w->first = outer;
		return;
	}
	(void)buf_addf(w->out, "\n%s}", indent);
	w->first = false;
}

/* ---- network --------------------------------------------------------------- */

static bool plain_rule(const struct setting *e, int64_t decision)
{
	return e->number == decision && !(e->flags & RULE_FIRST);
}

static bool first_rule(const struct setting *e, int64_t decision)
{
	return e->number == decision && (e->flags & RULE_FIRST);
}

static void groups(struct writer *w)
{
	bool outer;
	size_t at = begin_object(w, "\t\t", "groups", &outer);

	for (size_t i = 0; entry(w, i); i++) {
		const struct setting *e = entry(w, i);
		bool again = false;

		for (size_t j = 0; j < i; j++)
			again = again || (entry(w, j)->key == SET_NET_GROUP &&
					  streq(entry(w, j)->name, e->name ? e->name : ""));
		if (e->key != SET_NET_GROUP || again)
			continue;
		member(w, "\t\t\t", e->name);
		(void)buf_adds(w->out, bool_name(e->number > 0));
	}
	end_object(w, "\t\t", at, outer);
}

static void proxies(struct writer *w)
{
	const struct setting *url = last(w, SET_NET_UPSTREAM), *skip = last(w, SET_NET_NO_PROXY);
	const struct setting *http = last(w, SET_NET_HTTP_PORT),
			     *socks = last(w, SET_NET_SOCKS_PORT);
	bool outer;
	size_t at;

	if (http) {
		member(w, "\t\t", "http_proxy_port");
		(void)buf_addf(w->out, "%lld", (long long)http->number);
	}
	if (socks) {
		member(w, "\t\t", "socks_proxy_port");
		(void)buf_addf(w->out, "%lld", (long long)socks->number);
	}
	at = begin_object(w, "\t\t", "upstream_proxy", &outer);
	if (url)
		word(w, "\t\t\t", "url", url->value);
	if (skip)
		word(w, "\t\t\t", "no_proxy", skip->value);
	end_object(w, "\t\t", at, outer);
}

static void network(struct writer *w)
{
	const struct setting *mode = last(w, SET_NET), *fallback = last(w, SET_NET_DEFAULT);
	bool outer;
	size_t at = begin_object(w, "\t", "network", &outer);

	if (mode)
		word(w, "\t\t", "mode", net_mode_name((enum net_mode)mode->number));
	if (fallback)
		word(w, "\t\t", "default", fallback->number == VERDICT_DENY ? "deny" : "ask");
	list(w, "\t\t", "allow", SET_NET_RULE, plain_rule, VERDICT_ALLOW);
	list(w, "\t\t", "deny_first", SET_NET_RULE, first_rule, VERDICT_DENY);
	list(w, "\t\t", "ask_first", SET_NET_RULE, first_rule, VERDICT_ASK);
	groups(w);
	list(w, "\t\t", "allow_unix_sockets", SET_NET_SOCKET, NULL, 0);
	flag(w, "\t\t", "allow_all_unix_sockets", SET_NET_ALL_SOCKETS);
	flag(w, "\t\t", "allow_managed_domains_only", SET_NET_MANAGED_ONLY);
	proxies(w);
	end_object(w, "\t", at, outer);
}

/* ---- environment and guard --------------------------------------------------- */

static void environment(struct writer *w)
{
	bool outer, inner;
	size_t at = begin_object(w, "\t", "env", &outer), set;

	list(w, "\t\t", "unset", SET_ENV_UNSET, NULL, 0);
	list(w, "\t\t", "pass", SET_ENV_PASS, NULL, 0);
	set = begin_object(w, "\t\t", "set", &inner);
	for (size_t i = 0; entry(w, i); i++) {
		if (entry(w, i)->key == SET_ENV_SET)
			word(w, "\t\t\t", entry(w, i)->name, entry(w, i)->value);
	}
	end_object(w, "\t\t", set, inner);
	end_object(w, "\t", at, outer);
}

static void rule(struct writer *w, const struct guard_rule *r)
{
	(void)buf_adds(w->out, "{ ");
	if (r->subject == GUARD_PATTERN) {
		(void)buf_adds(w->out, "\"pattern\": ");
		quoted(w, r->pattern);
	} else {
		(void)buf_adds(w->out, "\"command\": [");
		for (size_t i = 0; i < r->words.n; i++) {
			(void)buf_adds(w->out, i ? ", " : "");
			quoted(w, r->words.v[i]);
		}
		(void)buf_adds(w->out, "]");
	}
	(void)buf_adds(w->out, ", \"decision\": ");
	quoted(w, guard_decision_name(r->decision));
	if (r->anywhere)
		(void)buf_adds(w->out, ", \"anywhere\": true");
	if (r->why) {
		(void)buf_adds(w->out, ", \"why\": ");
		quoted(w, r->why);
	}
	(void)buf_adds(w->out, " }");
}

static void guard(struct writer *w)
{
	const struct setting *autonomy = last(w, SET_AUTONOMY);
	bool outer, any = false;
	size_t at = begin_object(w, "\t", "guard", &outer);

	if (autonomy)
		word(w, "\t\t", "autonomy",
		     guard_autonomy_name((enum guard_autonomy)autonomy->number));
	flag(w, "\t\t", "sandbox", SET_SANDBOX);
	flag(w, "\t\t", "auto_allow", SET_AUTO_ALLOW);
	flag(w, "\t\t", "allow_unsandboxed", SET_ALLOW_UNSANDBOXED);
	list(w, "\t\t", "excluded_commands", SET_EXCLUDED, NULL, 0);
	for (size_t i = 0; entry(w, i); i++) {
		if (entry(w, i)->key != SET_GUARD_RULE)
			continue;
		if (!any)
			member(w, "\t\t", "rules");
		(void)buf_adds(w->out, any ? ",\n\t\t\t" : "[\n\t\t\t");
		any = true;
		rule(w, entry(w, i)->rule);
	}
	if (any)
		(void)buf_adds(w->out, "\n\t\t]");
	end_object(w, "\t", at, outer);
}

/* ---- all ----------------------------------------------------------------------- */

static void comment(struct buf *out, const char *text)
{
	char line[4096];

	str_escape(line, sizeof(line), text, strlen(text));
	(void)buf_addf(out, "//   line %s\n", line);
}

static size_t head(struct writer *w)
{
	const struct settings *s = &w->parts->open;
	char file[4096];
	size_t lost = 0;

	str_escape(file, sizeof(file), s->file, strlen(s->file));
	(void)buf_addf(w->out, "// From %s (%s).\n", file, s->format ? s->format : "berm");
	for (size_t i = 0; i < s->remarks.n; i++) {
		if (str_starts(s->remarks.v[i], SETTINGS_NOTE))
			continue;
		if (!lost++)
			(void)buf_adds(w->out, "// Not as it stands there:\n");
		comment(w->out, s->remarks.v[i]);
	}
	return lost;
}

int settings_to_json(const struct front_parts *parts, struct buf *out, size_t *ret_lost)
{
	struct writer w = { .parts = parts, .out = out, .first = true };
	const struct setting *mode, *root, *home;

	*ret_lost = head(&w);
	(void)buf_adds(out, "{");
	member(&w, "\t", "version");
	(void)buf_adds(out, "1");
	mode = last(&w, SET_MODE);
	root = last(&w, SET_ROOT);
	home = last(&w, SET_HOME);
	if (mode)
		word(&w, "\t", "mode", mode_name((enum mode)mode->number));
	if (root)
		word(&w, "\t", "root", root_name((enum root_view)root->number));
	if (home)
		word(&w, "\t", "home", home_name((enum home_view)home->number));
	flag(&w, "\t", "fail_if_unavailable", SET_FAIL_IF_UNAVAILABLE);
	files(&w, "files_first", true);
	files(&w, "files", false);
	list(&w, "\t", "unprotect", SET_UNPROTECT, NULL, 0);
	network(&w);
	environment(&w);
	guard(&w);
	list(&w, "\t", "ignore_violations", SET_IGNORE_VIOLATION, NULL, 0);
	(void)buf_adds(out, "\n}\n");
	return out->failed ? -ENOMEM : 0;
}
