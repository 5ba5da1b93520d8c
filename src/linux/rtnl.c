/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/rtnl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "base/cleanup.h"
#include "plan/net_kit.h"

/* LOOPBACK_IFINDEX of include/net/flow.h: of every namespace. */
#define LO 1

static void add_address(struct nl_buf *b, int family, const void *addr, size_t size)
{
	struct ifaddrmsg m = { .ifa_family = (uint8_t)family,
			       .ifa_prefixlen = (uint8_t)(size * 8),
			       .ifa_index = LO };

	nl_message(b, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &m, sizeof(m));
	nl_attr(b, IFA_LOCAL, addr, size);
	nl_attr(b, IFA_ADDRESS, addr, size);
	/* Without duplicate address detection it is usable at once. */
	if (family == AF_INET6)
		nl_u32(b, IFA_FLAGS, IFA_F_NODAD);
}

static void add_route(struct nl_buf *b, int family, const void *source, size_t size, uint16_t flags)
{
	struct rtmsg m = { .rtm_family = (uint8_t)family,
			   .rtm_table = RT_TABLE_LOCAL,
			   .rtm_protocol = RTPROT_STATIC,
			   .rtm_scope = RT_SCOPE_HOST,
			   .rtm_type = RTN_LOCAL };

	nl_message(b, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL | flags, &m, sizeof(m));
	nl_u32(b, RTA_OIF, LO);
	nl_attr(b, RTA_PREFSRC, source, size);
}

uint32_t rtnl_build(struct nl_buf *b, bool v6)
{
	struct ifinfomsg up = { .ifi_index = LO, .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	struct in_addr own4;
	struct in6_addr own6;

	if (inet_pton(AF_INET, KIT_ADDR4, &own4) != 1 || inet_pton(AF_INET6, KIT_ADDR6, &own6) != 1)
		b->failed = true;
	nl_message(b, RTM_NEWLINK, 0, &up, sizeof(up));
	/* Beside 127.0.0.1: with that alone getaddrinfo() with AI_ADDRCONFIG asks no one. */
	add_address(b, AF_INET, &own4, sizeof(own4));
	add_route(b, AF_INET, &own4, sizeof(own4), v6 ? 0 : NLM_F_ACK);
	if (v6) {
		add_address(b, AF_INET6, &own6, sizeof(own6));
		add_route(b, AF_INET6, &own6, sizeof(own6), NLM_F_ACK);
	}
	return 4;
}

int rtnl_setup(int fd, bool *v6)
{
	static struct nl_buf b;
	uint32_t first6;
	int err[8], r;

	nl_init(&b);
	first6 = rtnl_build(&b, *v6);
	r = nl_send(fd, &b);
	if (r >= 0)
		r = nl_answers(fd, b.seq, err, ARRAY_SIZE(err));
	for (uint32_t seq = 1; r >= 0 && seq <= b.seq; seq++) {
		if (!err[seq])
			continue;
		if (seq < first6)
			r = err[seq];
		else
			*v6 = false;
	}
	return r < 0 ? r : 0;
}
