/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/explain_impl.h"

#include "base/json_out.h"
#include "policy/net.h"

/* ---- text --------------------------------------------------------------- */

static void line(struct buf *out, const char *name, const char *value, const struct origin *o)
{
	buf_addf(out, "  %-20s ", name);
	out_text(out, value);
	if (o)
		out_from(out, o);
	else
		buf_adds(out, "\n");
}

static void groups_text(const struct spec *s, struct buf *out)
{
	const struct spec_priv *p = s->priv;
	bool first = true;

	for (size_t i = 0; i < data_domain_groups_n; i++) {
		const struct data_group *g = &data_domain_groups[i];

		if (!p->groups[i].on)
			continue;
		buf_addf(out, "  group %-16s %zu host%s", g->name, g->list->n,
			 g->list->n == 1 ? "" : "s");
		out_from(out, &p->groups[i].origin);
	}
	for (size_t i = 0; i < data_domain_groups_n; i++) {
		if (p->groups[i].on)
			continue;
		buf_addf(out, "%s%s", first ? "  groups that are off  " : ", ",
			 data_domain_groups[i].name);
		first = false;
	}
	buf_adds(out, first ? "" : "\n");
}

static void forwards_text(struct buf *out, const char *name, const struct net_forward *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "  %-20s host %u, inside %u", name, v[i].host_port, v[i].inside_port);
		out_from(out, &v[i].origin);
	}
}

static size_t count(const struct net_policy *p, bool fixed)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_rules; i++)
		n += p->rules[i].layer == LAYER_BUILTIN && p->rules[i].decision == VERDICT_DENY &&
		     p->rules[i].fixed == fixed;
	return n;
}

static void rules_text(const struct spec *s, struct buf *out)
{
	const struct net_policy *p = s->network.policy;
	bool first = true;

	buf_addf(out,
		 "  never reached        %zu hosts  [%s]\n"
		 "  denied unless named  %zu hosts  [%s]\n",
		 count(p, true), data_domains_deny.file, count(p, false), data_domains_deny.file);
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct net_rule *r = &p->rules[i];

		if (r->layer == LAYER_BUILTIN)
			continue;
		if (first)
			buf_adds(out,
				 "network rules, the strongest first (with berm's own: --json)\n");
		first = false;
		buf_adds(out, "  ");
		out_text(out, r->text);
		out_from(out, &r->origin);
	}
}

void explain_net_text(const struct spec *s, struct buf *out)
{
	const struct spec_priv *p = s->priv;
	const struct net_spec *n = &s->network;
	char seconds[64];

	buf_adds(out, "network\n");
	if (s->net == NET_OFF)
		buf_adds(out, "  off: every connection is refused and told\n");
	else if (s->net == NET_OPEN)
		buf_adds(out, "  open: every host but those of rules that deny, and no private or "
			      "local address\n");
	else
		line(out, "hosts without a rule",
		     n->policy->fallback == VERDICT_ASK ? "ask" : "deny",
		     &p->scalars[SET_NET_DEFAULT].origin);
	if (n->policy->managed_only)
		line(out, "only managed hosts", "true", &p->scalars[SET_NET_MANAGED_ONLY].origin);
	(void)snprintf(seconds, sizeof(seconds), "%u s", n->ask_seconds);
	line(out, "who answers", s->approver, NULL);
	line(out, "answers within", seconds, &p->scalars[SET_NET_ASK_SECONDS].origin);
	if (s->net == NET_ALLOW)
		groups_text(s, out);
	forwards_text(out, "publish", n->publish, n->n_publish);
	forwards_text(out, "host port", n->host_ports, n->n_host_ports);
	for (size_t i = 0; i < n->unix_sockets.n; i++)
		line(out, "unix socket", n->unix_sockets.v[i], NULL);
	if (n->all_unix_sockets)
		line(out, "all unix sockets", "true", &p->scalars[SET_NET_ALL_SOCKETS].origin);
	if (n->upstream)
		line(out, "goes out through", "a proxy (its URL is not shown)", NULL);
	line(out, "proxy variables", n->proxy_env ? "true" : "false",
	     &p->scalars[SET_NET_PROXY_ENV].origin);
	line(out, "a change cuts", n->cut ? "true" : "false", &p->scalars[SET_NET_CUT].origin);
	rules_text(s, out);
}

/* ---- JSON --------------------------------------------------------------- */

static const char *const verdicts[] = {
	[VERDICT_ALLOW] = "allow", [VERDICT_DENY] = "deny", [VERDICT_ASK] = "ask"
};

static const char *yes_no(bool b)
{
	return b ? "true" : "false";
}

static void rules_json(const struct net_policy *p, struct buf *out)
{
	char pattern[HOST_PATTERN_TEXT];

	buf_adds(out, ",\"rules\":[");
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct net_rule *r = &p->rules[i];

		buf_addf(out, "%s{", i ? "," : "");
		out_member(out, "rule", r->text);
		host_pattern_text(&r->pat, pattern, sizeof(pattern));
		buf_adds(out, ",");
		out_member(out, "host", pattern);
		buf_addf(out, ",\"verdict\":\"%s\",\"layer\":\"%s\",\"fixed\":%s",
			 verdicts[r->decision], layer_name(r->layer), yes_no(r->fixed));
		out_origin(out, &r->origin);
	}
	buf_adds(out, "]");
}

static void groups_json(const struct spec_priv *p, struct buf *out)
{
	buf_adds(out, ",\"groups\":[");
	for (size_t i = 0; i < data_domain_groups_n; i++) {
		buf_addf(out, "%s{\"group\":\"%s\",\"on\":%s", i ? "," : "",
			 data_domain_groups[i].name, yes_no(p->groups[i].on));
		out_origin(out, &p->groups[i].origin);
	}
	buf_adds(out, "]");
}

static void forwards_json(struct buf *out, const char *name, const struct net_forward *v, size_t n)
{
	buf_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		buf_addf(out, "%s{\"host\":%u,\"inside\":%u", i ? "," : "", v[i].host_port,
			 v[i].inside_port);
		out_origin(out, &v[i].origin);
	}
	buf_adds(out, "]");
}

void explain_net_json(const struct spec *s, struct buf *out)
{
	const struct net_spec *n = &s->network;

	buf_addf(out, ",\"network\":{\"mode\":\"%s\",\"default\":\"%s\",\"managed_only\":%s,",
		 net_mode_name(s->net), verdicts[n->policy->fallback],
		 yes_no(n->policy->managed_only));
	out_member(out, "approver", s->approver);
	buf_addf(out, ",\"ask_seconds\":%u,\"cut\":%s,\"proxy_env\":%s,\"upstream_proxy\":%s",
		 n->ask_seconds, yes_no(n->cut), yes_no(n->proxy_env), yes_no(n->upstream));
	buf_addf(out, ",\"http_proxy_port\":%u,\"socks_proxy_port\":%u,\"all_unix_sockets\":%s",
		 n->http_proxy_port, n->socks_proxy_port, yes_no(n->all_unix_sockets));
	buf_adds(out, ",\"unix_sockets\":[");
	for (size_t i = 0; i < n->unix_sockets.n; i++) {
		buf_adds(out, i ? "," : "");
		(void)json_quote(out, n->unix_sockets.v[i], strlen(n->unix_sockets.v[i]));
	}
	buf_adds(out, "]");
	forwards_json(out, "publish", n->publish, n->n_publish);
	forwards_json(out, "host_ports", n->host_ports, n->n_host_ports);
	groups_json(s->priv, out);
	rules_json(n->policy, out);
	buf_adds(out, "}");
}
