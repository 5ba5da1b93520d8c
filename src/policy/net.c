/* SPDX-License-Identifier: Apache-2.0 */
/* The one function that decides on the network. The broker, both proxies, DNS and "berm why"
 * call it; it knows nothing of them. */
#include "policy/net.h"

#include <stdio.h>
#include <string.h>

#include "policy/host_impl.h"

static bool is_address_rule(const struct net_rule *r)
{
	return r->pat.is_ip || r->pat.kind == HOST_CIDR;
}

/* What closes an IPv4 address also closes the IPv6 ones that lead to it. */
static bool hits(const struct net_rule *r, const struct host *h, size_t len, uint16_t port)
{
	struct host inner;

	if (host_pattern_match_len(&r->pat, h, len, port))
		return true;
	if (r->decision == VERDICT_ALLOW || !h->is_ip || !is_address_rule(r) ||
	    !ip_embedded(&h->ip, &inner.ip))
		return false;
	inner.is_ip = true;
	return host_pattern_match_len(&r->pat, &inner, 0, port);
}

/* The rule that decides, NULL when none does. */
static const struct net_rule *find(const struct net_policy *p, const struct host *h, uint16_t port,
				   bool *ret_asks)
{
	const struct net_rule *asks = NULL;
	size_t len = strlen(h->name);

	*ret_asks = false;
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct net_rule *r = &p->rules[i];

		if (!hits(r, h, len, port))
			continue;
		if (!r->only_asks)
			return asks && r->decision != VERDICT_DENY ? asks : r;
		if (!asks)
			asks = r;
	}
	/* Nothing but the ask: it must not open what nobody else would. */
	*ret_asks = asks != NULL;
	return asks;
}

static const char *reason_of(const struct net_rule *r)
{
	if (r->fixed)
		return "on the fixed deny list";
	switch (r->decision) {
	case VERDICT_ALLOW:
		return "allowed by a rule";
	case VERDICT_ASK:
		return "a rule asks";
	case VERDICT_DENY:
		break;
	}
	return "denied by a rule";
}

static bool is_loopback(const char *guard)
{
	return strcmp(guard, "loopback") == 0;
}

/* An address as such, where no name stands for it. */
static void guard_literal(const struct host *h, struct net_verdict *ret)
{
	const char *guard = ip_guard(&h->ip);
	bool named = ret->rule && ret->decision == VERDICT_ALLOW && is_address_rule(ret->rule);

	if (!guard || ret->decision == VERDICT_DENY)
		return;
	if (ip_guard_is_hard(guard) ? named && is_loopback(guard) : named)
		return;
	/* A private one may be asked for; no list of names and no mode opens it. */
	if (!ip_guard_is_hard(guard) && ret->decision == VERDICT_ASK)
		return;
	*ret = (struct net_verdict){ VERDICT_DENY, NULL, guard };
}

void net_judge(const struct net_policy *p, const struct host *h, uint16_t port,
	       struct net_verdict *ret)
{
	enum decision fallback = p->mode == NET_OPEN ? VERDICT_ALLOW : p->fallback;
	bool only_asks;

	if (p->mode == NET_OFF) {
		*ret = (struct net_verdict){ VERDICT_DENY, NULL, "the network is off" };
		return;
	}
	ret->rule = find(p, h, port, &only_asks);
	if (only_asks && fallback == VERDICT_DENY)
		ret->rule = NULL;
	if (ret->rule) {
		ret->decision = ret->rule->decision;
		ret->reason = reason_of(ret->rule);
	} else {
		ret->decision = fallback;
		ret->reason = p->mode == NET_OPEN ? "the network is open" : "no rule names it";
	}
	if (h->is_ip)
		guard_literal(h, ret);
	if (ret->decision == VERDICT_ASK && p->managed_only) {
		ret->decision = VERDICT_DENY;
		ret->reason = "only the administrator's hosts are allowed";
	}
}

const char *net_judge_address(const struct net_policy *p, const struct net_verdict *v,
			      const struct ip_addr *ip, uint16_t port)
{
	const struct net_rule *r = NULL;
	const char *guard;
	struct host h;
	bool named;

	host_from_ip(ip, &h);
	for (size_t i = 0; i < p->n_rules && !r; i++)
		if (is_address_rule(&p->rules[i]) && hits(&p->rules[i], &h, 0, port))
			r = &p->rules[i];
	if (r && r->decision != VERDICT_ALLOW)
		return "its address is denied by a rule";
	guard = ip_guard(&h.ip);
	if (!guard)
		return NULL;
	if (r)
		return ip_guard_is_hard(guard) && !is_loopback(guard) ? guard : NULL;
	named = v->rule && v->rule->decision == VERDICT_ALLOW && v->rule->pat.kind == HOST_EXACT &&
		v->rule->layer != LAYER_BUILTIN && v->rule->layer != LAYER_PROJECT;
	return named && !ip_guard_is_hard(guard) ? NULL : guard;
}

void net_grant(const struct net_policy *p, const struct host *h, uint16_t port,
	       const struct net_verdict *v, char *dst, size_t size)
{
	const char *guard = h->is_ip ? ip_guard(&h->ip) : NULL;
	bool v6 = h->is_ip && h->ip.v6;

	dst[0] = '\0';
	if (v->decision == VERDICT_ALLOW || p->managed_only)
		return;
	if (v->rule && (v->rule->fixed || v->rule->layer == LAYER_MANAGED))
		return;
	if (guard && ip_guard_is_hard(guard) && !is_loopback(guard))
		return;
	if (p->mode == NET_OFF)
		(void)snprintf(dst, size, "--net allow");
	else if ((size_t)snprintf(dst, size, "--allow-domain %s%s%s:%u", v6 ? "[" : "", h->name,
				  v6 ? "]" : "", port) >= size)
		dst[0] = '\0';
}
