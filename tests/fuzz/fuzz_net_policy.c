/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a network's policy as text. What is taken reads back as itself, and judges. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/net.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static void judge(const struct net_policy *p, const struct host *h, uint16_t port)
{
	const struct ip_addr ip = { .bytes = { 10, 0, 0, 1 } };
	struct net_verdict v;
	char grant[512];

	net_judge(p, h, port, &v);
	must(v.reason && *v.reason);
	must(!v.rule || (v.rule >= p->rules && v.rule < p->rules + p->n_rules));
	must(p->mode != NET_OFF || v.decision == VERDICT_DENY);
	must(!p->managed_only || v.decision != VERDICT_ASK);
	must(!v.rule || !v.rule->fixed || v.rule->decision != VERDICT_DENY ||
	     v.decision == VERDICT_DENY);
	if (v.rule && v.decision == VERDICT_ALLOW)
		must(host_pattern_match(&v.rule->pat, h, port));
	net_grant(p, h, port, &v, grant, sizeof(grant));
	must(v.decision != VERDICT_ALLOW || !grant[0]);
	(void)net_judge_address(p, &v, h->is_ip ? &h->ip : &ip, port);
}

static void check(const struct net_policy *p)
{
	static const char *const hosts[] = {
		"a.b", "x.a.b",		 "127.0.0.1",	    "10.1.2.3",
		"::1", "64:ff9b::a00:1", "169.254.169.254", "8.8.8.8"
	};
	struct host h;

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		must(host_parse(hosts[i], strlen(hosts[i]), &h) == 0);
		judge(p, &h, 443);
		judge(p, &h, 1);
	}
	/* what rules name, too */
	for (size_t i = 0; i < p->n_rules && i < 16; i++)
		if (host_parse(p->rules[i].pat.text, p->rules[i].pat.len, &h) == 0)
			judge(p, &h, p->rules[i].pat.port_to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_buf_ struct buf a = BUF_INIT(1u << 22), b = BUF_INIT(1u << 22);
	struct net_policy *p = NULL, *again = NULL;
	struct berm_err err = { 0 };

	if (size > 1u << 16)
		return 0;
	if (net_policy_read((const char *)data, size, &p, &err) < 0) {
		must(!p && err.code < 0 && err.msg[0]);
		return 0;
	}
	check(p);
	must(net_policy_write(p, &a) == 0);
	must(net_policy_read(a.data, a.len, &again, &err) == 0);
	must(again->n_rules == p->n_rules);
	must(net_policy_write(again, &b) == 0);
	must(a.len == b.len && memcmp(a.data, b.data, a.len) == 0);
	net_policy_free(p);
	net_policy_free(again);
	return 0;
}
