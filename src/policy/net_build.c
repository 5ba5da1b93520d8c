/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the network: groups of data/domains, what every layer says, the fixed deny
 * list, sorted so that the first that matches decides. */
#include "policy/net_build.h"

#include <string.h>

#include "base/str.h"
#include "policy/apply.h"
#include "policy/net.h"
#include "policy/rules.h"

/* ---- groups ------------------------------------------------------------- */

/* Not about packages. */
static const char *const not_registries[] = { "azure-openai",  "containers", "git",   "huggingface",
					      "linux-distros", "llm",	     "models" };
/* Hosts that anybody can put something on. */
static const char *const off_by_default[] = { "azure-openai", "containers", "huggingface" };

static bool listed(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(list[i], name))
			return true;
	return false;
}

bool net_group_is_registry(const char *name)
{
	return !listed(not_registries, ARRAY_SIZE(not_registries), name);
}

static bool names_group(const struct setting *e, const char *group)
{
	return streq(e->name, group) ||
	       (streq(e->name, NET_GROUP_REGISTRIES) && net_group_is_registry(group));
}

/* As a scalar (take_scalar() in apply.c), but what a managed file opens is a default. */
static void take_group(struct net_group *g, const struct settings *set, struct setting *e,
		       const char *file)
{
	bool on = e->number, looser = on && !g->on;

	if (looser && !set->trusted) {
		e->ignored = true;
		return;
	}
	if (looser &&
	    ((set->layer == LAYER_MANAGED && g->layer != LAYER_BUILTIN) || set->layer < g->layer))
		return;
	*g = (struct net_group){ on, set->layer, { file, e->line } };
}

int net_groups_resolve(struct spec *s, struct settings_list *l)
{
	struct spec_priv *p = s->priv;
	const struct scalar *profile = &p->scalars[SET_PROFILE];
	bool strict = streq(s->profile, "strict");

	p->groups = calloc(data_domain_groups_n, sizeof(*p->groups));
	if (!p->groups)
		return -ENOMEM;
	for (size_t i = 0; i < data_domain_groups_n; i++) {
		const char *name = data_domain_groups[i].name;
		bool on = strict ? streq(name, "llm")
				 : !listed(off_by_default, ARRAY_SIZE(off_by_default), name);

		p->groups[i] = (struct net_group){ on, profile->layer, profile->origin };
	}
	for (size_t i = 0; i < l->n; i++) {
		struct settings *set = &l->v[i];
		const char *file = NULL;

		for (size_t j = 0; j < set->n; j++) {
			if (set->v[j].key != SET_NET_GROUP)
				continue;
			if (!file)
				file = spec_string(s, set->file);
			if (!file)
				return -ENOMEM;
			for (size_t g = 0; g < data_domain_groups_n; g++)
				if (names_group(&set->v[j], data_domain_groups[g].name))
					take_group(&p->groups[g], set, &set->v[j], file);
		}
	}
	return 0;
}

/* ---- rules -------------------------------------------------------------- */

/* What a rule says before its pattern is compiled. */
struct source {
	const char *pattern;
	const char *group; /* NULL: none */
	enum decision decision;
	enum layer layer;
	bool fixed, only_asks;
	struct origin origin;
};

struct builder {
	struct net_policy *p;
	size_t n, bytes; /* first pass: what is needed; second: what is used */
	bool counting;
	struct berm_err *err;
};

static const char *const verbs[] = { [VERDICT_ALLOW] = "allow-domain",
				     [VERDICT_DENY] = "deny-domain",
				     [VERDICT_ASK] = "ask-domain" };

static int add(struct builder *b, const struct source *src)
{
	size_t need = strlen(verbs[src->decision]) + strlen(src->pattern) + 2 +
		      (src->group ? strlen(src->group) + 9 : 0);
	struct net_rule *r;
	char where[512], *text;

	if (b->counting) {
		b->n++;
		b->bytes += need;
		return 0;
	}
	r = &b->p->rules[b->p->n_rules];
	text = b->p->arena + b->bytes;
	*r = (struct net_rule){ .text = text,
				.decision = src->decision,
				.layer = src->layer,
				.fixed = src->fixed,
				.only_asks = src->only_asks,
				.origin = src->origin };
	if (host_pattern_parse(src->pattern, true, &r->pat, b->err) < 0) {
		origin_text(&src->origin, where, sizeof(where));
		return err_prefix(b->err, "%s", where);
	}
	if (src->group)
		(void)snprintf(text, need, "%s %s (group %s)", verbs[src->decision], src->pattern,
			       src->group);
	else
		(void)snprintf(text, need, "%s %s", verbs[src->decision], src->pattern);
	b->bytes += need;
	b->p->n_rules++;
	return 0;
}

static int add_list(struct builder *b, const struct data_list *list, struct source src,
		    const char *fixed_group)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct data_entry *e = &list->rows[i];
		int r;

		src.pattern = e->text;
		src.origin = (struct origin){ list->file, e->line };
		if (src.decision == VERDICT_DENY) {
			src.group = e->group;
			src.fixed = !streq(e->group, fixed_group);
		}
		r = add(b, &src);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_builtin(struct builder *b, const struct spec *s)
{
	const struct spec_priv *p = s->priv;
	struct source deny = { .decision = VERDICT_DENY, .layer = LAYER_BUILTIN };
	int r = add_list(b, &data_domains_deny, deny, "exfiltration");

	/* In mode open a group would allow what is allowed. */
	for (size_t i = 0; i < data_domain_groups_n && r >= 0 && s->net == NET_ALLOW; i++) {
		struct source allow = { .group = data_domain_groups[i].name,
					.decision = VERDICT_ALLOW,
					.layer = LAYER_BUILTIN };

		if (!p->groups[i].on)
			continue;
		if (b->p->managed_only && p->groups[i].layer != LAYER_MANAGED)
			continue;
		r = add_list(b, data_domain_groups[i].list, allow, NULL);
	}
	return r;
}

static int add_layers(struct builder *b, struct spec *s)
{
	const struct spec_priv *p = s->priv;

	for (size_t i = 0; i < p->layers.n; i++) {
		const struct settings *set = &p->layers.v[i];
		const char *file = NULL;

		for (size_t j = 0; j < set->n; j++) {
			const struct setting *e = &set->v[j];
			struct source src = { .pattern = e->name,
					      .decision = (enum decision)e->number,
					      .layer = set->layer };
			int r;

			if (e->key != SET_NET_RULE || e->ignored)
				continue;
			if (b->p->managed_only && src.decision == VERDICT_ALLOW &&
			    set->layer != LAYER_MANAGED)
				continue;
			if (!file && !b->counting) {
				file = spec_string(s, set->file);
				if (!file)
					return err_set(b->err, -ENOMEM, "out of memory");
			}
			src.only_asks = src.decision == VERDICT_ASK &&
					(!set->trusted || set->layer == LAYER_MANAGED);
			src.origin = (struct origin){ file, e->line };
			r = add(b, &src);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* ---- order -------------------------------------------------------------- */

/* As for files (rules.c): what a managed file opens is a default. */
static unsigned rank(const struct net_rule *r)
{
	static const unsigned of_layer[LAYER_COUNT] = {
		[LAYER_CLI] = 2,  [LAYER_LOCAL] = 3,   [LAYER_PROJECT] = 4,
		[LAYER_USER] = 5, [LAYER_MANAGED] = 6, [LAYER_BUILTIN] = 7,
	};

	if (r->fixed)
		return 0;
	return r->layer == LAYER_MANAGED && r->decision != VERDICT_ALLOW ? 1 : of_layer[r->layer];
}

static unsigned specificity(const struct host_pattern *p)
{
	switch (p->kind) {
	case HOST_EXACT:
		return 1023;
	case HOST_SUBDOMAINS:
		return (unsigned)strlen(p->text);
	case HOST_MIDDLE:
		return (unsigned)strlen(p->text) - 1;
	case HOST_CIDR:
		return p->prefix + 1u;
	case HOST_ANY:
		break;
	}
	return 0;
}

struct sort_key {
	uint64_t key;
	uint32_t index;
};

/* All that decides the order in one number, smaller first: layer, host, ports, strictness. */
static uint64_t key_of(const struct net_rule *r)
{
	static const uint64_t mildness[] = {
		[VERDICT_ALLOW] = 2, [VERDICT_DENY] = 0, [VERDICT_ASK] = 1
	};
	uint64_t span = r->pat.port_from ? (uint64_t)(r->pat.port_to - r->pat.port_from) : 0x10000;

	return (uint64_t)rank(r) << 56 | (uint64_t)(1023 - specificity(&r->pat)) << 40 | span << 8 |
	       mildness[r->decision];
}

static int by_strength(const void *pa, const void *pb)
{
	const struct sort_key *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int sort_rules(struct net_policy *p)
{
	_cleanup_free_ struct sort_key *keys = calloc(p->n_rules + 1, sizeof(*keys));
	struct net_rule *sorted = calloc(p->n_rules + 1, sizeof(*sorted));

	if (!keys || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->n_rules; i++)
		keys[i] = (struct sort_key){ key_of(&p->rules[i]), (uint32_t)i };
	qsort(keys, p->n_rules, sizeof(*keys), by_strength);
	for (size_t i = 0; i < p->n_rules; i++)
		sorted[i] = p->rules[keys[i].index];
	free(p->rules);
	p->rules = sorted;
	return 0;
}

/* ---- all of it ---------------------------------------------------------- */

static int add_all(struct builder *b, struct spec *s)
{
	int r = add_builtin(b, s);

	return r < 0 ? r : add_layers(b, s);
}

int net_rules_resolve(struct spec *s, struct berm_err *err)
{
	const struct spec_priv *p = s->priv;
	struct builder b = { .counting = true, .err = err };
	int r;

	b.p = s->network.policy = calloc(1, sizeof(*b.p));
	if (!b.p)
		return err_set(err, -ENOMEM, "out of memory");
	b.p->mode = s->net;
	b.p->fallback = (enum decision)p->scalars[SET_NET_DEFAULT].value;
	b.p->managed_only = p->scalars[SET_NET_MANAGED_ONLY].value;
	r = add_all(&b, s);
	if (r < 0)
		return r;
	b.p->rules = calloc(b.n + 1, sizeof(*b.p->rules));
	b.p->arena = malloc(b.bytes + 1);
	if (!b.p->rules || !b.p->arena)
		return err_set(err, -ENOMEM, "out of memory");
	b.counting = false;
	b.bytes = 0;
	r = add_all(&b, s);
	if (r < 0)
		return r;
	return sort_rules(b.p) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}
