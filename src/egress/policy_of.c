/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/policy_of.h"

#include "base/str.h"
#include "egress/ask.h"

bool policy_is_open(const struct broker *b)
{
	return b->config->policy->mode == NET_OPEN;
}

bool policy_still_allows(struct broker *b, const struct aim *a)
{
	struct net_verdict v;
	struct host h;

	if (a->how == EG_PUBLISH || a->how == EG_HOST_PORT)
		return true;
	aim_host(a, &h);
	net_judge(b->config->policy, &h, a->port, &v);
	if (v.decision == VERDICT_ASK)
		return a->answered || asks_known(b, &h, a->port) > 0;
	return v.decision == VERDICT_ALLOW;
}

bool policy_name_fits(struct broker *b, const struct aim *a, const struct host *said)
{
	struct net_verdict v;

	if (streq(a->name, said->name))
		return true;
	if (!policy_is_open(b))
		return false;
	net_judge(b->config->policy, said, a->port, &v);
	return v.decision == VERDICT_ALLOW;
}
