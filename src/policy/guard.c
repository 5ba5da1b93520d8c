/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's part of the settings, put together. */
#include "policy/apply.h"
#include "policy/rules.h"

static size_t count(const struct settings_list *l, enum setting_key key)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < l->v[i].n; j++)
			n += l->v[i].v[j].key == key && !l->v[i].v[j].ignored;
	return n;
}

static void take(struct guard_policy *g, const struct settings *set, struct setting *e)
{
	struct origin from = setting_origin(set, e);

	if (e->key == SET_EXCLUDED) {
		g->excluded[g->n_excluded++] = (struct guard_excluded){ e->name, set->layer, from };
	} else if (e->key == SET_GUARD_RULE) {
		e->rule->layer = set->layer;
		e->rule->tightens = !set->trusted || set->layer == LAYER_MANAGED;
		e->rule->origin = from;
		g->rules[g->n_rules++] = e->rule;
	}
}

static void take_scalars(struct guard_policy *g, const struct scalar *sc)
{
	g->autonomy = (enum guard_autonomy)sc[SET_AUTONOMY].value;
	g->autonomy_from = sc[SET_AUTONOMY].origin;
	g->template = (enum guard_template)sc[SET_TEMPLATE].value;
	g->template_from = sc[SET_TEMPLATE].origin;
	g->sandbox = sc[SET_SANDBOX].value > 0;
	g->platform_excluded = sc[SET_SANDBOX].value == SANDBOX_EXCLUDED;
	g->sandbox_from = sc[SET_SANDBOX].origin;
	g->auto_allow = sc[SET_AUTO_ALLOW].value;
	g->auto_allow_from = sc[SET_AUTO_ALLOW].origin;
	g->allow_unsandboxed = sc[SET_ALLOW_UNSANDBOXED].value;
	g->allow_unsandboxed_from = sc[SET_ALLOW_UNSANDBOXED].origin;
}

int apply_guard(struct spec *s, struct settings_list *l, struct berm_err *err)
{
	struct spec_priv *p = s->priv;
	size_t n_rules = count(l, SET_GUARD_RULE), n_excluded = count(l, SET_EXCLUDED);
	struct guard_policy *g = &s->guard;

	take_scalars(g, p->scalars);
	if (n_rules) {
		g->rules = calloc(n_rules, sizeof(struct guard_rule *));
		if (!g->rules)
			return err_set(err, -ENOMEM, "out of memory");
	}
	if (n_excluded) {
		g->excluded = calloc(n_excluded, sizeof(*g->excluded));
		if (!g->excluded)
			return err_set(err, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < l->v[i].n; j++)
			if (!l->v[i].v[j].ignored)
				take(g, &l->v[i], &l->v[i].v[j]);
	return 0;
}
