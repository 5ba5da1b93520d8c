/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rules_cli.h"

#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/json_out.h"
#include "base/path.h"
#include "base/sha256.h"
#include "cli/cli.h"

int rules_id(const struct guard_rule *r, char dst[RULE_ID_SIZE])
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
	char hex[SHA256_HEX_SIZE];

	(void)buf_addf(&b, "%s\n", r->origin.file);
	if (guard_rule_json(r, &b) < 0)
		return -ENOMEM;
	sha256_hex(b.data, b.len, hex);
	(void)snprintf(dst, RULE_ID_SIZE, "%.8s", hex);
	return 0;
}

/* ---- list --------------------------------------------------------------- */

static void escaped(const char *text)
{
	char shown[4 * PATH_MAX];

	str_escape(shown, sizeof(shown), text, strlen(text));
	(void)fputs(shown, stdout);
}

static const char *state_of(const struct guard_rule *r, int64_t now)
{
	if (r->expires && now >= r->expires)
		return "over";
	if (r->tightens && r->decision == VERDICT_ALLOW)
		return "without effect: this file only tightens";
	return NULL;
}

static int print_rule(const struct guard_rule *r, int64_t now)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1u << 20);
	char id[RULE_ID_SIZE], origin[PATH_MAX + 16], expires[64];
	const char *state = state_of(r, now);

	if (rules_id(r, id) < 0 || guard_rule_text(r, &text) < 0)
		return -ENOMEM;
	guard_origin(&r->origin, origin, sizeof(origin));
	(void)printf("  %s  ", id);
	escaped(text.data);
	if (r->anywhere)
		(void)printf(" (anywhere)");
	if (r->expires && guard_time_text(r->expires, expires, sizeof(expires)) >= 0)
		(void)printf(" until %s", expires);
	if (state)
		(void)printf(" (%s)", state);
	(void)printf("  [%s: ", layer_name(r->layer));
	escaped(origin);
	(void)puts("]");
	return 0;
}

static int list_text(const struct guard_setup *s, int64_t now)
{
	const struct guard_policy *g = &s->policy;

	(void)printf("template %s, autonomy %s, sandbox %s, auto-allow %s, calls may leave: %s\n",
		     guard_template_name(g->template), guard_autonomy_name(g->autonomy),
		     g->sandbox ? "on" : "off", g->auto_allow ? "on" : "off",
		     g->allow_unsandboxed ? "when asked" : "never");
	(void)puts(g->n_rules ? "rules, the strongest layer first" : "no rules");
	/* The spec has the weakest layer first. */
	for (size_t i = g->n_rules; i-- > 0;)
		if (print_rule(g->rules[i], now) < 0)
			return -ENOMEM;
	if (g->n_excluded)
		(void)puts("may leave the sandbox (a convenience, not a boundary)");
	for (size_t i = 0; i < g->n_excluded; i++) {
		char origin[PATH_MAX + 16];

		guard_origin(&g->excluded[i].origin, origin, sizeof(origin));
		(void)printf("  ");
		escaped(g->excluded[i].pattern);
		(void)printf("  [");
		escaped(origin);
		(void)puts("]");
	}
	return 0;
}

static int json_rule(struct buf *b, const struct guard_rule *r, int64_t now)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1u << 20);
	const char *state = state_of(r, now);
	char id[RULE_ID_SIZE];

	if (rules_id(r, id) < 0 || guard_rule_text(r, &text) < 0)
		return -ENOMEM;
	json_begin(b);
	json_member_str(b, "id", id);
	json_member_str(b, "text", text.data);
	json_member_str(b, "layer", layer_name(r->layer));
	json_member_str(b, "file", r->origin.file);
	json_member_int(b, "line", r->origin.line);
	json_member_bool(b, "only_tightens", r->tightens);
	json_member_bool(b, "in_force", !state);
	(void)buf_adds(b, ",\"rule\":");
	if (guard_rule_json(r, b) < 0)
		return -ENOMEM;
	json_end(b);
	return 0;
}

static int list_json(const struct guard_setup *s, int64_t now)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u << 20);
	const struct guard_policy *g = &s->policy;

	json_begin(&b);
	json_member_str(&b, "template", guard_template_name(g->template));
	json_member_str(&b, "autonomy", guard_autonomy_name(g->autonomy));
	json_member_bool(&b, "sandbox", g->sandbox);
	json_member_bool(&b, "auto_allow", g->auto_allow);
	json_member_bool(&b, "allow_unsandboxed", g->allow_unsandboxed);
	(void)buf_adds(&b, ",\"rules\":[");
	for (size_t i = g->n_rules; i-- > 0;) {
		if (json_rule(&b, g->rules[i], now) < 0)
			return -ENOMEM;
		(void)buf_adds(&b, i ? "," : "");
	}
	(void)buf_adds(&b, "],\"excluded_commands\":[");
	for (size_t i = 0; i < g->n_excluded; i++) {
		(void)buf_adds(&b, i ? "," : "");
		json_begin(&b);
		json_member_str(&b, "pattern", g->excluded[i].pattern);
		json_member_str(&b, "file", g->excluded[i].origin.file);
		json_member_int(&b, "line", g->excluded[i].origin.line);
		json_end(&b);
	}
	(void)buf_adds(&b, "]");
	json_end(&b);
	if (b.failed)
		return -ENOMEM;
	(void)puts(b.data);
	return 0;
}

static int no_memory(void)
{
	struct berm_err err = { 0 };

	(void)err_set(&err, -ENOMEM, "out of memory");
	return cli_fail(&err);
}

int rules_list(struct rules_opts *o)
{
	_cleanup_setup_ struct guard_setup s = { 0 };
	struct berm_err err = { 0 };
	int64_t now = time(NULL);

	if (guard_setup_make(&o->run, &s, &err) < 0)
		return cli_fail(&err);
	if ((o->run.json ? list_json(&s, now) : list_text(&s, now)) < 0)
		return no_memory();
	return cli_finish(0);
}

/* ---- test --------------------------------------------------------------- */

static int take_hosts(const struct strv *l, struct guard_host *v, struct berm_err *err)
{
	for (size_t i = 0; i < l->n; i++)
		if (host_port_parse(l->v[i], 443, &v[i].host, &v[i].port, err) < 0)
			return err->code;
	return 0;
}

static int take_paths(const struct strv *l, const char *cwd, struct strv *out, struct berm_err *err)
{
	for (size_t i = 0; i < l->n; i++) {
		_cleanup_free_ char *path = path_join(cwd, l->v[i]);

		if (!path || strv_add(out, path) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

static int print_test(const struct rules_opts *o, enum effect e, const struct guard_opinion *v)
{
	_cleanup_buf_ struct buf rule = BUF_INIT(1u << 20), b = BUF_INIT(1u << 21);
	char origin[PATH_MAX + 16];

	guard_opinion_rule(v, &rule);
	guard_origin(&v->origin, origin, sizeof(origin));
	if (o->run.json) {
		json_begin(&b);
		json_member_str(&b, "verdict", guard_decision_name(v->decision));
		json_member_str(&b, "effect", effect_name(e));
		json_member_str(&b, "source", guard_source_name(v->source));
		json_member_str(&b, "rule", rule.data ? rule.data : "");
		json_member_str(&b, "origin", origin);
		json_member_str(&b, "reason", v->reason);
		json_end(&b);
		if (b.failed)
			return -ENOMEM;
		(void)puts(b.data);
		return 0;
	}
	(void)printf("%s: %s (%s)\n  rule:     ", guard_decision_name(v->decision), effect_name(e),
		     effect_text(e));
	escaped(rule.data ? rule.data : "none");
	(void)printf("\n  from:     ");
	escaped(origin);
	(void)printf("\n  reason:   %s\n", v->reason);
	return 0;
}

static int unknown_effect(const char *subject)
{
	struct berm_err err = { 0 };
	unsigned best = 5;
	const char *near = NULL;

	(void)err_set(&err, -EINVAL, "there is no effect \"%s\"", subject);
	for (int e = 0; e < EFFECT_N; e++) {
		unsigned d = str_distance(subject, effect_name((enum effect)e), 4);

		if (d < best) {
			best = d;
			near = effect_name((enum effect)e);
		}
	}
	if (near)
		err_fix(&err, "did you mean \"%s\"?", near);
	else
		err_fix(&err, "for a command: berm check -- %s", subject);
	return cli_fail(&err);
}

int rules_test(struct rules_opts *o, const char *subject)
{
	_cleanup_setup_ struct guard_setup s = { 0 };
	_cleanup_free_ struct guard_host *hosts =
		calloc(o->limits.hosts.n + 1, sizeof(struct guard_host));
	_cleanup_strv_ struct strv paths = { 0 };
	struct guard_facts f = GUARD_FACTS_NONE;
	struct guard_opinion v;
	struct berm_err err = { 0 };
	struct guard_call c;
	enum effect e;

	if (!effect_parse(subject, strlen(subject), &e))
		return unknown_effect(subject);
	if (!hosts)
		return no_memory();
	if (guard_setup_make(&o->run, &s, &err) < 0 ||
	    take_hosts(&o->limits.hosts, hosts, &err) < 0 ||
	    take_paths(&o->limits.paths, s.cwd, &paths, &err) < 0)
		return cli_fail(&err);
	guard_setup_call(&s, &c);
	f.paths = (struct guard_names){ (const char *const *)paths.v, paths.n, !paths.n };
	f.refs = (struct guard_names){ (const char *const *)o->limits.refs.v, o->limits.refs.n,
				       !o->limits.refs.n };
	f.hosts = hosts;
	f.n_hosts = o->limits.hosts.n;
	f.more_hosts = !f.n_hosts;
	f.count = o->limits.max_count;
	f.cents = o->limits.max_cents;
	guard_resolve_effect(s.rules, e, &f, c.mode, c.now, &v);
	if (print_test(o, e, &v) < 0)
		return no_memory();
	return cli_finish(guard_exit_status(v.decision));
}
