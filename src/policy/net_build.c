/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the network: groups of data/domains, what every layer says, the fixed deny
 * list, sorted so that the first that matches decides. */
#include "policy/net_build.h"

#include <string.h>

#include "base/str.h"
#include "policy/apply.h"
#include "policy/host_impl.h"
#include "policy/net.h"
#include "policy/rules.h"

#define RULES_MAX 16384

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
	if (looser && set->layer == LAYER_MANAGED && g->layer != LAYER_BUILTIN)
		return;
	if (on && set->layer < g->implied_by && !g->implied)
		return;
	g->on = on;
	g->layer = set->layer;
	g->origin = (struct origin){ file, e->line };
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

		p->groups[i] = (struct net_group){ on, profile->layer, profile->origin, on,
						   profile->layer };
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

/* ---- sources ------------------------------------------------------------ */

/* What a rule says before it is made: these are sorted, so that the rules themselves, which are
 * large, are written once. */
struct source {
	const char *pattern;
	const char *group; /* NULL: none */
	enum decision decision;
	enum layer layer;
	bool fixed, only_asks;
	bool first;  /* RULE_FIRST */
	bool listed; /* a line of data/ */
	struct origin origin;
	uint64_t key;
};

struct builder {
	const struct spec *s;
	struct source *v;
	size_t n, cap, bytes; /* bytes: of the texts */
	bool managed_only;
	struct berm_err *err;
};

static const char *const verbs[] = { [VERDICT_ALLOW] = "allow-domain",
				     [VERDICT_DENY] = "deny-domain",
				     [VERDICT_ASK] = "ask-domain" };

static size_t text_size(const struct source *src)
{
	return strlen(verbs[src->decision]) + strlen(src->pattern) + 2 +
	       (src->group ? strlen(src->group) + 9 : 0);
}

/* As for files (rules.c): what a managed file opens is a default. */
static unsigned rank(const struct source *r)
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
		return p->len;
	case HOST_MIDDLE:
		return p->len - 1u;
	case HOST_CIDR:
		return p->prefix + 1u;
	case HOST_ANY:
		break;
	}
	return 0;
}

/* All that decides the order in one number, smaller first: layer, host, ports, strictness;
 * then the order of the sources. */
static uint64_t key_of(const struct source *r, const struct host_pattern *pat, size_t index)
{
	static const uint64_t mildness[] = {
		[VERDICT_ALLOW] = 2, [VERDICT_DENY] = 0, [VERDICT_ASK] = 1
	};
	uint64_t span = pat->port_from ? (uint64_t)(pat->port_to - pat->port_from) : 0x10000;
	uint64_t far = r->first ? 0 : 1023 - specificity(pat);

	if (r->first)
		span = 0;
	return (uint64_t)rank(r) << 56 | far << 44 | span << 24 | mildness[r->decision] << 20 |
	       (index & 0xfffff);
}

static int compile(const struct source *src, struct host_pattern *ret, struct berm_err *err)
{
	char where[512];

	if (src->listed) {
		host_pattern_of_list(src->pattern, ret);
		return 0;
	}
	if (host_pattern_parse(src->pattern, true, ret, err) >= 0)
		return 0;
	origin_text(&src->origin, where, sizeof(where));
	return err_prefix(err, "%s", where);
}

static int add(struct builder *b, const struct source *src)
{
	struct host_pattern pat;

	if (b->n == RULES_MAX)
		return err_set(b->err, -E2BIG, "more than %d rules on hosts", RULES_MAX);
	if (b->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 512;
		struct source *v = reallocarray(b->v, cap, sizeof(*v));

		if (!v)
			return err_set(b->err, -ENOMEM, "out of memory");
		b->v = v;
		b->cap = cap;
	}
	pat.port_from = 0;
	if (compile(src, &pat, b->err) < 0)
		return -EINVAL;
	b->bytes += text_size(src);
	b->v[b->n] = *src;
	b->v[b->n].key = key_of(src, &pat, b->n);
	b->n++;
	return 0;
}

static int add_list(struct builder *b, const struct data_list *list, struct source src)
{
	src.listed = true;
	src.layer = LAYER_BUILTIN;
	for (size_t i = 0; i < list->n; i++) {
		const struct data_entry e_at = data_at(list, i), *e = &e_at;
		int r;

		src.pattern = e->text;
		src.origin = (struct origin){ list->file, e->line };
		if (src.decision == VERDICT_DENY) {
			src.group = e->group;
			/* The rest can be opened by a rule that names it. */
			src.fixed = !e->group || !streq(e->group, "exfiltration");
		}
		r = add(b, &src);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_builtin(struct builder *b)
{
	const struct spec_priv *p = b->s->priv;
	int r = add_list(b, &data_domains_deny, (struct source){ .decision = VERDICT_DENY });

	/* In mode open a group would allow what is allowed. */
	for (size_t i = 0; i < data_domain_groups_n && r >= 0 && b->s->net == NET_ALLOW; i++) {
		struct source allow = { .group = data_domain_groups[i].name,
					.decision = VERDICT_ALLOW };

		if (!p->groups[i].on)
			continue;
		if (b->managed_only && p->groups[i].layer != LAYER_MANAGED)
			continue;
		r = add_list(b, data_domain_groups[i].list, allow);
	}
	return r;
}

static int add_entry(struct builder *b, const struct settings *set, const struct setting *e)
{
	struct source src = { .pattern = e->name,
			      .decision = (enum decision)e->number,
			      .layer = set->layer,
			      .origin = { set->file, e->line } };

	if (b->managed_only && src.decision == VERDICT_ALLOW && set->layer != LAYER_MANAGED)
		return 0;
	src.only_asks =
		src.decision == VERDICT_ASK && (!set->trusted || set->layer == LAYER_MANAGED);
	src.first = e->flags & RULE_FIRST;
	return add(b, &src);
}

static int add_layers(struct builder *b)
{
	const struct spec_priv *p = b->s->priv;

	for (size_t i = 0; i < p->layers.n; i++) {
		const struct settings *set = &p->layers.v[i];

		for (size_t j = 0; j < set->n; j++) {
			int r = 0;

			if (set->v[j].key == SET_NET_RULE && !set->v[j].ignored)
				r = add_entry(b, set, &set->v[j]);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

/* ---- rules -------------------------------------------------------------- */

static int by_strength(const void *pa, const void *pb)
{
	const struct source *a = pa, *b = pb;

	return a->key < b->key ? -1 : a->key > b->key;
}

static void write_text(char *dst, const struct source *src)
{
	const char *const parts[] = { verbs[src->decision],
				      " ",
				      src->pattern,
				      src->group ? " (group " : "",
				      src->group ? src->group : "",
				      src->group ? ")" : "" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		dst = mempcpy(dst, parts[i], strlen(parts[i]));
	*dst = '\0';
}

static int write_rules(struct builder *b, struct net_policy *p)
{
	char *text;

	p->rules = calloc(b->n + 1, sizeof(*p->rules));
	p->arena = text = malloc(b->bytes + 1);
	if (!p->rules || !p->arena)
		return err_set(b->err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < b->n; i++) {
		const struct source *src = &b->v[i];
		struct net_rule *r = &p->rules[i];

		if (compile(src, &r->pat, b->err) < 0)
			return -EINVAL;
		r->decision = src->decision;
		r->layer = src->layer;
		r->fixed = src->fixed;
		r->only_asks = src->only_asks;
		r->origin = src->origin;
		r->text = text;
		write_text(text, src);
		text += text_size(src);
	}
	p->n_rules = b->n;
	return 0;
}

static void policy_freep(struct net_policy **p)
{
	net_policy_free(*p);
}

int net_policy_new(const struct spec *s, struct net_policy **ret, struct berm_err *err)
{
	_cleanup_(policy_freep) struct net_policy *p = NULL;
	const struct spec_priv *priv = s->priv;
	struct builder b = { .s = s, .err = err };
	int r;

	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	p->mode = s->net;
	p->fallback = (enum decision)priv->scalars[SET_NET_DEFAULT].value;
	p->managed_only = priv->scalars[SET_NET_MANAGED_ONLY].value;
	b.managed_only = p->managed_only;
	r = add_builtin(&b);
	if (r >= 0)
		r = add_layers(&b);
	if (r >= 0) {
		if (b.n)
			qsort(b.v, b.n, sizeof(*b.v), by_strength);
		r = write_rules(&b, p);
	}
	free(b.v);
	if (r < 0)
		return r;
	*ret = take_ptr(p);
	return 0;
}
