/* SPDX-License-Identifier: Apache-2.0 */
#include "guard_fixture.h"

#include <string.h>

#include "base/str.h"

void gp_up(struct gp *g)
{
	*g = (struct gp){ .policy = { .autonomy = AUTONOMY_ASK,
				      .template = TEMPLATE_DEFAULT,
				      .sandbox = true,
				      .auto_allow = true,
				      .allow_unsandboxed = true } };
}

void gp_down(struct gp *g)
{
	for (size_t i = 0; i < g->n_files; i++)
		settings_free(&g->files[i]);
	guard_rules_free(g->rules);
	free(g->policy.rules);
	free(g->policy.excluded);
	*g = (struct gp){ 0 };
}

static void take_scalar(struct guard_policy *p, const struct setting *e)
{
	switch (e->key) {
	case SET_AUTONOMY:
		p->autonomy = (enum guard_autonomy)e->number;
		break;
	case SET_TEMPLATE:
		p->template = (enum guard_template)e->number;
		break;
	case SET_SANDBOX:
		p->sandbox = e->number;
		break;
	case SET_AUTO_ALLOW:
		p->auto_allow = e->number;
		break;
	case SET_ALLOW_UNSANDBOXED:
		p->allow_unsandboxed = e->number;
		break;
	default:
		break;
	}
}

void gp_add(struct gp *g, enum layer layer, bool trusted, const char *text)
{
	_cleanup_free_ char *json =
		text[0] == '{' && text[1] == '"' && !strstr(text, "\"decision\"")
			? str_printf("{\"guard\":%s}", text)
			: str_printf("{\"guard\":{\"rules\":[%s]}}", text);
	struct guard_policy *p = &g->policy;
	struct settings *s = &g->files[g->n_files++];
	struct berm_err err = { 0 };

	assert_true(g->n_files < GP_FILES_MAX);
	*s = (struct settings){ .file = str_printf("f%zu.json", g->n_files),
				.layer = layer,
				.trusted = trusted };
	if (settings_parse(s, json, strlen(json), &err) < 0)
		fail_msg("%s\n%s", text, err.msg);
	for (size_t i = 0; i < s->n; i++) {
		struct setting *e = &s->v[i];

		if (e->key == SET_GUARD_RULE) {
			p->rules =
				reallocarray(p->rules, p->n_rules + 1, sizeof(struct guard_rule *));
			p->rules[p->n_rules++] = e->rule;
			e->rule->layer = layer;
			e->rule->tightens = !trusted || layer == LAYER_MANAGED;
			e->rule->origin = (struct origin){ s->file, e->line };
		} else if (e->key == SET_EXCLUDED) {
			p->excluded =
				reallocarray(p->excluded, p->n_excluded + 1, sizeof(*p->excluded));
			p->excluded[p->n_excluded++] =
				(struct guard_excluded){ e->name, layer, { s->file, e->line } };
		} else {
			take_scalar(p, e);
		}
	}
}

void gp_add_text(struct gp *g, const char *text)
{
	static const struct {
		const char *name;
		enum layer layer;
		bool trusted;
	} layers[] = {
		{ "user: ", LAYER_USER, true },	      { "project: ", LAYER_PROJECT, true },
		{ "local: ", LAYER_LOCAL, true },     { "cli: ", LAYER_CLI, true },
		{ "managed: ", LAYER_MANAGED, true }, { "untrusted: ", LAYER_PROJECT, false }
	};

	for (size_t i = 0; i < ARRAY_SIZE(layers); i++) {
		size_t n = strlen(layers[i].name);

		if (strncmp(text, layers[i].name, n) == 0) {
			gp_add(g, layers[i].layer, layers[i].trusted, text + n);
			return;
		}
	}
	fail_msg("no layer: %s", text);
}

void gp_compile(struct gp *g)
{
	struct berm_err err = { 0 };

	guard_rules_free(g->rules);
	g->rules = NULL;
	if (guard_rules_new(&g->policy, "/w/p", "/home/u", &g->rules, &err) < 0)
		fail_msg("%s", err.msg);
}

struct guard_facts gp_refs(const char *const *refs, size_t n, bool more)
{
	struct guard_facts f = GUARD_FACTS_NONE;

	f.refs = (struct guard_names){ refs, n, more };
	return f;
}

void gp_decide(struct gp *g, const char *line, enum mode mode, bool override,
	       struct shell_line **ret_line, struct guard_answer *ret)
{
	static const char *const roots[] = { "/w/p" };
	struct berm_err err = { 0 };
	struct guard_call c = {
		.text = line,
		.place = { .cwd = "/w/p", .home = "/home/u", .roots = roots, .n_roots = 1 },
		.host = { .supported = true },
		.mode = mode,
		.override = override,
		.now = NOW
	};

	assert_int_equal(shell_parse(line, strlen(line), ret_line, &err), 0);
	c.line = *ret_line;
	assert_int_equal(guard_decide(g->rules, &g->policy, &c, ret, &err), 0);
}
