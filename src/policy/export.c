/* SPDX-License-Identifier: Apache-2.0 */
/* The way out begins where the way in ends: at the entries of the layers that count, each with
 * its base. What a tool has no words for is told, never left out in silence. */
#include "policy/export.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_out.h"
#include "base/path.h"
#include "policy/apply.h"
#include "policy/data.h"
#include "policy/export_impl.h"
#include "policy/net.h"

static const char *const kind_names[] = { "claude", "srt", "codex", "bwrap" };

int export_kind_parse(const char *name)
{
	for (int i = 0; i < EXPORT_KIND_COUNT; i++)
		if (streq(kind_names[i], name))
			return i;
	return -1;
}

int export_lost(struct exporter *x, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return strv_has(x->lost, line) || strv_add(x->lost, line) == 0 ? 0 : -ENOMEM;
}

/* ---- collecting ----------------------------------------------------------- */

static char *absolute(const struct exporter *x, const struct settings *set, const struct setting *e)
{
	const char *base = setting_base(set, e);

	if (e->name[0] == '/' || e->name[0] == '~')
		return strdup(e->name);
	return path_join(base ? base : x->s->roots[0].path, e->name);
}

static int add_file(struct exporter *x, const struct settings *set, const struct setting *e)
{
	_cleanup_free_ char *path = absolute(x, set, e);
	bool reads = !(e->flags & RULE_WRITES_ONLY), writes = !(e->flags & RULE_READS_ONLY);
	int r = 0;

	if (!path)
		return -ENOMEM;
	switch ((enum access)e->number) {
	case ACCESS_NONE:
		return strv_add(&x->deny_read, path);
	case ACCESS_ASK:
		return strv_add(&x->ask, path);
	case ACCESS_READ:
		if (reads)
			r = strv_add(&x->allow_read, path);
		return r < 0 || !writes ? r : strv_add(&x->deny_write, path);
	case ACCESS_WRITE:
		return strv_add(&x->allow_write, path);
	}
	return 0;
}

static int add_group(struct exporter *x, const struct data_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (strv_add(&x->allow_host, data_text(l, i)) < 0)
			return -ENOMEM;
	return 0;
}

static int add_entry(struct exporter *x, const struct settings *set, const struct setting *e)
{
	switch (e->key) {
	case SET_FILE:
		return add_file(x, set, e);
	case SET_NET_RULE:
		return strv_add(e->number == VERDICT_ALLOW  ? &x->allow_host
				: e->number == VERDICT_DENY ? &x->deny_host
							    : &x->ask_host,
				e->name);
	case SET_NET_SOCKET:
		return strv_add(&x->sockets, e->name);
	case SET_EXCLUDED:
		return strv_add(&x->excluded, e->name);
	case SET_EXEC_RULE:
	case SET_EXEC_DENY_WRITABLE:
		return export_lost(x, "rules about executing");
	case SET_LIMIT:
		return export_lost(x, "limits");
	case SET_NET_PUBLISH:
	case SET_NET_HOST_PORT:
		return export_lost(x, "ports that are led through (%s)", e->name);
	case SET_NET_UPSTREAM:
	case SET_NET_UPSTREAM_FILE:
		return export_lost(x, "the upstream proxy");
	case SET_ENV_PASS:
	case SET_ENV_SET:
	case SET_ENV_UNSET:
		return export_lost(x, "the environment (%s)", e->name);
	case SET_UNPROTECT:
		return export_lost(x, "lifted protections (%s)", e->name);
	default:
		return 0;
	}
}

static int collect(struct exporter *x)
{
	const struct spec_priv *p = x->s->priv;
	int r = 0;

	for (size_t i = 0; i < p->layers.n && r >= 0; i++)
		for (size_t j = 0; j < p->layers.v[i].n && r >= 0; j++)
			if (!p->layers.v[i].v[j].ignored)
				r = add_entry(x, &p->layers.v[i], &p->layers.v[i].v[j]);
	for (size_t i = 0; i < data_domain_groups_n && r >= 0; i++)
		if (p->groups[i].on && x->s->net == NET_ALLOW)
			r = add_group(x, data_domain_groups[i].list);
	if (r >= 0)
		r = export_lost(x, "the order of layers and of specific rules: denials beat allows "
				   "there");
	if (r >= 0 && x->s->root == ROOT_SYSTEM && x->s->home == HOME_PRIVATE)
		r = export_lost(x, "the private view: what is not named is visible there");
	if (r >= 0)
		r = export_lost(x,
				"protected names that appear later (hooks, keys, agent settings)");
	if (r >= 0 && x->s->net == NET_ALLOW && p->scalars[SET_NET_DEFAULT].value == VERDICT_ASK)
		r = export_lost(x, "the question about hosts that no rule names");
	return r;
}

static void exporter_free(struct exporter *x)
{
	struct strv *const lists[] = { &x->allow_read, &x->deny_read, &x->allow_write,
				       &x->deny_write, &x->ask,	      &x->allow_host,
				       &x->deny_host,  &x->ask_host,  &x->sockets,
				       &x->excluded };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		strv_free(lists[i]);
}

/* ---- JSON --------------------------------------------------------------- */

static void list(struct buf *out, const char *indent, const char *name, const struct strv *l,
		 bool last)
{
	(void)buf_addf(out, "%s\"%s\": [", indent, name);
	for (size_t i = 0; i < l->n; i++) {
		(void)buf_adds(out, i ? ", " : "");
		(void)json_quote(out, l->v[i], strlen(l->v[i]));
	}
	(void)buf_addf(out, "]%s\n", last ? "" : ",");
}

/* Hosts that these tools cannot name are left out; of denials that is told as well. */
static int hosts(struct exporter *x, const struct strv *in, struct strv *out)
{
	for (size_t i = 0; i < in->n; i++) {
		const char *star = strchr(in->v[i], '*');
		bool odd = strchr(in->v[i], '/') || (star && star != in->v[i]) ||
			   (strchr(in->v[i], '-') && strchr(in->v[i], ':') &&
			    strrchr(in->v[i], '-') > strchr(in->v[i], ':'));

		if (odd ? export_lost(x, "the host pattern %s", in->v[i]) < 0
			: strv_add(out, in->v[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int sandbox_lists(struct exporter *x, const char *t, bool srt)
{
	_cleanup_strv_ struct strv allow = { 0 }, deny = { 0 };
	struct buf *out = x->out;

	if (hosts(x, &x->allow_host, &allow) < 0 || hosts(x, &x->deny_host, &deny) < 0)
		return -ENOMEM;
	if (x->s->net == NET_OPEN && export_lost(x, "the open network") < 0)
		return -ENOMEM;
	for (size_t i = 0; i < x->ask_host.n; i++)
		if (export_lost(x, "the question about %s", x->ask_host.v[i]) < 0)
			return -ENOMEM;
	(void)buf_addf(out, "%s\"network\": {\n", t);
	list(out, srt ? "    " : "      ", "allowedDomains", &allow, false);
	if (!srt && x->s->network.policy && x->s->network.policy->fallback == VERDICT_DENY)
		(void)buf_adds(out, "      \"strictAllowlist\": true,\n");
	list(out, srt ? "    " : "      ", "deniedDomains", &deny, !x->sockets.n);
	if (x->sockets.n)
		list(out, srt ? "    " : "      ", "allowUnixSockets", &x->sockets, true);
	(void)buf_addf(out, "%s},\n%s\"filesystem\": {\n", t, t);
	list(out, srt ? "    " : "      ", "denyRead", &x->deny_read, false);
	list(out, srt ? "    " : "      ", "allowRead", &x->allow_read, false);
	list(out, srt ? "    " : "      ", "allowWrite", &x->allow_write, false);
	list(out, srt ? "    " : "      ", "denyWrite", &x->deny_write, true);
	(void)buf_addf(out, "%s}\n", t);
	return 0;
}

static int to_srt(struct exporter *x)
{
	int r = 0;

	for (size_t i = 0; i < x->s->n_roots && r >= 0; i++)
		if (x->s->roots[i].kind == ROOT_WORKSPACE && !x->s->roots[i].read_only)
			r = strv_add(&x->allow_write, x->s->roots[i].path);
	for (size_t i = 0; i < x->ask.n && r >= 0; i++) {
		r = export_lost(x, "the question about %s: denied there", x->ask.v[i]);
		if (r >= 0)
			r = strv_add(&x->deny_read, x->ask.v[i]);
	}
	if (r >= 0 && x->s->guard.n_rules)
		r = export_lost(x, "rules about commands");
	(void)buf_adds(x->out, "{\n");
	if (r >= 0)
		r = sandbox_lists(x, "  ", true);
	(void)buf_adds(x->out, "}\n");
	return r;
}

/* "Bash(...)" of a rule about commands; NULL text: it has no such form. */
static char *bash_rule(const struct guard_rule *r)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 16);

	if (r->subject == GUARD_PATTERN)
		return str_printf("Bash(%s)", r->pattern);
	if (r->subject != GUARD_PREFIX)
		return NULL;
	(void)buf_adds(&b, "Bash(");
	for (size_t i = 0; i < r->words.n; i++)
		(void)buf_addf(&b, "%s%s", i ? " " : "", r->words.v[i]);
	(void)buf_adds(&b, ":*)");
	return b.failed ? NULL : take_ptr(b.data);
}

static int permission_rules(struct exporter *x, struct strv lists[3])
{
	for (size_t i = 0; i < x->s->guard.n_rules; i++) {
		const struct guard_rule *r = x->s->guard.rules[i];
		_cleanup_free_ char *text = bash_rule(r);

		if (!text ? export_lost(x, "a rule about %s", effect_name(r->effect)) < 0
			  : strv_add(&lists[r->decision], text) < 0)
			return -ENOMEM;
	}
	for (size_t i = 0; i < x->ask.n; i++) {
		_cleanup_free_ char *text =
			str_printf("Edit(%s%s)", x->ask.v[i][0] == '/' ? "/" : "", x->ask.v[i]);

		if (!text || strv_add(&lists[VERDICT_ASK], text) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int to_claude(struct exporter *x)
{
	struct strv lists[3] = { { 0 }, { 0 }, { 0 } };
	int r = permission_rules(x, lists);
	struct buf *out = x->out;

	(void)buf_adds(out, "{\n  \"permissions\": {\n");
	list(out, "    ", "allow", &lists[VERDICT_ALLOW], false);
	list(out, "    ", "ask", &lists[VERDICT_ASK], false);
	list(out, "    ", "deny", &lists[VERDICT_DENY], x->s->mode == MODE_CHAT);
	if (x->s->mode != MODE_CHAT)
		(void)buf_adds(out, "    \"defaultMode\": \"plan\"\n");
	(void)buf_addf(out,
		       "  },\n  \"sandbox\": {\n    \"enabled\": true,\n    "
		       "\"failIfUnavailable\": %s,\n    \"allowUnsandboxedCommands\": %s,\n"
		       "    \"autoAllowBashIfSandboxed\": %s,\n",
		       x->s->fail_if_unavailable ? "true" : "false",
		       x->s->guard.allow_unsandboxed ? "true" : "false",
		       x->s->guard.auto_allow ? "true" : "false");
	list(out, "    ", "excludedCommands", &x->excluded, false);
	if (r >= 0)
		r = sandbox_lists(x, "    ", false);
	(void)buf_adds(out, "  }\n}\n");
	for (size_t i = 0; i < 3; i++)
		strv_free(&lists[i]);
	return r;
}

int policy_export(const struct spec *s, enum export_kind kind, struct buf *out, struct strv *lost,
		  struct berm_err *err)
{
	static int (*const writers[])(struct exporter * x) = {
		[EXPORT_CLAUDE] = to_claude,
		[EXPORT_SRT] = to_srt,
		[EXPORT_CODEX] = export_codex,
		[EXPORT_BWRAP] = export_bwrap,
	};
	struct exporter x = { .s = s, .out = out, .lost = lost };
	int r = collect(&x);

	if (r >= 0)
		r = writers[kind](&x);
	exporter_free(&x);
	return r < 0 || out->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}
