/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's part of the explanation: what commands are judged by before they run. */
#include "policy/explain_impl.h"

#include "base/json_out.h"
#include "base/str.h"
#include "policy/guard.h"

#define RULE_MAX (1u << 20)

struct value {
	const char *name, *value;
	bool quoted; /* in JSON */
	const struct origin *from;
};

#define VALUES 5

static const char *bool_text(bool b)
{
	return b ? "true" : "false";
}

static void values(const struct guard_policy *g, struct value v[VALUES])
{
	const struct value all[VALUES] = {
		{ "template", guard_template_name(g->template), true, &g->template_from },
		{ "autonomy", guard_autonomy_name(g->autonomy), true, &g->autonomy_from },
		{ "sandbox", bool_text(g->sandbox), false, &g->sandbox_from },
		{ "auto_allow", bool_text(g->auto_allow), false, &g->auto_allow_from },
		{ "allow_unsandboxed", bool_text(g->allow_unsandboxed), false,
		  &g->allow_unsandboxed_from },
	};

	memcpy(v, all, sizeof(all));
}

static void rule_text(struct buf *out, const struct guard_rule *r)
{
	_cleanup_buf_ struct buf text = BUF_INIT(RULE_MAX);

	if (guard_rule_text(r, &text) < 0)
		out->failed = true;
	else
		out_text(out, text.data);
}

void explain_guard_text(const struct spec *s, struct buf *out)
{
	const struct guard_policy *g = &s->guard;
	struct value v[VALUES];

	values(g, v);
	(void)buf_adds(out, "guard: commands before they run\n");
	for (size_t i = 0; i < VALUES; i++) {
		(void)buf_addf(out, "  %-20s %s", v[i].name, v[i].value);
		out_from(out, v[i].from);
	}
	for (size_t i = 0; i < g->n_excluded; i++) {
		(void)buf_adds(out, "  may leave the sandbox: ");
		out_text(out, g->excluded[i].pattern);
		out_from(out, &g->excluded[i].origin);
	}
	/* The spec has the weakest layer first. */
	for (size_t i = g->n_rules; i-- > 0;) {
		(void)buf_adds(out, "  ");
		rule_text(out, g->rules[i]);
		if (g->rules[i]->tightens)
			(void)buf_adds(out, " (only tightens)");
		out_from(out, &g->rules[i]->origin);
	}
}

void explain_guard_json(const struct spec *s, struct buf *out)
{
	const struct guard_policy *g = &s->guard;
	struct value v[VALUES];

	values(g, v);
	(void)buf_adds(out, ",\"guard\":{");
	for (size_t i = 0; i < VALUES; i++) {
		(void)buf_addf(out, "%s\"%s\":{", i ? "," : "", v[i].name);
		(void)buf_addf(out, v[i].quoted ? "\"value\":\"%s\"" : "\"value\":%s", v[i].value);
		out_origin(out, v[i].from);
	}
	(void)buf_adds(out, ",\"excluded_commands\":[");
	for (size_t i = 0; i < g->n_excluded; i++) {
		(void)buf_adds(out, i ? ",{" : "{");
		out_member(out, "pattern", g->excluded[i].pattern);
		out_origin(out, &g->excluded[i].origin);
	}
	(void)buf_adds(out, "],\"rules\":[");
	for (size_t i = g->n_rules; i-- > 0;) {
		const struct guard_rule *r = g->rules[i];
		_cleanup_buf_ struct buf text = BUF_INIT(RULE_MAX);

		if (guard_rule_text(r, &text) < 0)
			out->failed = true;
		(void)buf_adds(out, "{");
		out_member(out, "rule", text.data ? text.data : "");
		(void)buf_adds(out, ",");
		out_member(out, "layer", layer_name(r->layer));
		(void)buf_addf(out, ",\"only_tightens\":%s", bool_text(r->tightens));
		out_origin(out, &r->origin);
		(void)buf_adds(out, i ? "," : "");
	}
	(void)buf_adds(out, "]}");
}
