/* SPDX-License-Identifier: Apache-2.0 */
/* The network's side of a spec: rules over host and port, and the one function that
 * decides on them (SPEC N1-N4). The broker, the proxies and "berm why connect" call it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "policy/host.h"
#include "policy/spec.h"

/* Ports inside that berm's own listeners take (plan/net_kit.h makes them). */
#define NET_PORT_TRANSPARENT 61701
#define NET_PORT_HTTP 61702
#define NET_PORT_SOCKS 61703

struct net_rule {
	struct host_pattern pat;
	const char *text; /* as shown: "allow-domain *.debian.org (group linux)" */
	enum decision decision;
	enum layer layer;
	bool fixed;	/* the fixed deny list: beats every allow */
	bool only_asks; /* VERDICT_ASK of a layer that may only tighten: turns an allow of weaker
			 * rules into an ask, and never a deny */
	struct origin origin;
};

struct net_policy {
	enum net_mode mode;
	struct net_rule *rules; /* strongest first: the first that matches decides */
	size_t n_rules;
	enum decision fallback; /* for hosts that no rule names: VERDICT_ASK or VERDICT_DENY */
	bool managed_only;	/* asks are answered "deny", unseen */
	char *arena;		/* what texts, and read origins, point to */
};

struct net_verdict {
	enum decision decision;
	const struct net_rule *rule; /* NULL: no rule names the host */
	const char *reason;	     /* static text, never NULL */
};

/* Makes the policy of a spec; it points into the spec. policy_resolve() has put one into
 * s->network.policy unless its input is a run (a command, and not pretend), which leaves it to the
 * steward, which nobody waits for. Fails for want of memory only. Caller frees. */
int net_policy_new(const struct spec *s, struct net_policy **ret, struct berm_err *err);

/* Pure, thread-safe, never allocates. Names are judged by name; an address that no rule
 * names by address is denied or asked for as such. Of an address it is the whole judgement:
 * net_judge_address() is for what a name resolved to. */
void net_judge(const struct net_policy *p, const struct host *h, uint16_t port,
	       struct net_verdict *ret);

/* An address that an allowed name resolved to: may it be dialled? NULL: yes; else the
 * reason, static text. v is the name's verdict (after an answer to an ask: as it was). A
 * private range is open to a name when an address or CIDR rule allows the address, or when
 * the rule that allowed the name is exact and of the command line, the local, user or managed
 * layer. Hard ranges (host.h) never are, except loopback by an address rule. */
const char *net_judge_address(const struct net_policy *p, const struct net_verdict *v,
			      const struct ip_addr *ip, uint16_t port);

/* The policy as text for the broker, and back: the rules keep their order, so that an index
 * means the same on both sides. Strict: unknown lines are errors. */
int net_policy_write(const struct net_policy *p, struct buf *out);
int net_policy_read(const char *text, size_t len, struct net_policy **ret, struct berm_err *err);
void net_policy_free(struct net_policy *p);

/* The smallest grant as a command-line option ("--allow-domain example.com:22"), "" when none
 * would help. The verdict is net_judge()'s. */
void net_grant(const struct net_policy *p, const struct host *h, uint16_t port,
	       const struct net_verdict *v, char *dst, size_t size);
