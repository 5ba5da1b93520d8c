/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/who.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/str.h"

#define KEEP_MS 200u /* what the kernel said of an address */

/* The kernel works on a request while it is sent: the answer is there when send(2) returns. */
static ssize_t ask(int fd, const void *req, size_t len, void *answer, size_t size)
{
	char old[64];

	/* Left over from a question that was given up. */
	while (recv(fd, old, sizeof(old), MSG_DONTWAIT) > 0)
		;
	if (send(fd, req, len, MSG_NOSIGNAL) != (ssize_t)len)
		return -1;
	return recv(fd, answer, size, MSG_DONTWAIT);
}

uint32_t who_inode(struct broker *b, const struct tuple *t, int proto)
{
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 r;
	} req = { .h = { .nlmsg_len = sizeof(req),
			 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			 .nlmsg_flags = NLM_F_REQUEST },
		  .r = { .sdiag_family = t->src.v6 ? AF_INET6 : AF_INET,
			 .sdiag_protocol = (uint8_t)proto,
			 .idiag_states = UINT32_MAX,
			 .id = { .idiag_sport = htons(t->sport),
				 .idiag_dport = htons(t->dport),
				 .idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } } } };
	struct {
		struct nlmsghdr h;
		struct inet_diag_msg m;
		char more[512];
	} answer;
	ssize_t n;

	if (b->diag < 0)
		return 0;
	memcpy(req.r.id.idiag_src, t->src.bytes, t->src.v6 ? 16 : 4);
	memcpy(req.r.id.idiag_dst, t->dst.bytes, t->dst.v6 ? 16 : 4);
	/* Of a datagram's socket the kernel wants the ends the other way round
	 * (net/ipv4/udp_diag.c, "swapped for historical reasons"). */
	if (proto == IPPROTO_UDP) {
		struct inet_diag_sockid id = req.r.id;

		memcpy(id.idiag_src, req.r.id.idiag_dst, sizeof(id.idiag_src));
		memcpy(id.idiag_dst, req.r.id.idiag_src, sizeof(id.idiag_dst));
		id.idiag_sport = req.r.id.idiag_dport;
		id.idiag_dport = req.r.id.idiag_sport;
		req.r.id = id;
	}
	n = ask(b->diag, &req, sizeof(req), &answer, sizeof(answer));
	if (n < (ssize_t)offsetof(__typeof__(answer), more) ||
	    answer.h.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	return answer.m.idiag_inode;
}

int who_route_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	return fd < 0 ? -errno : fd;
}

static bool route_is_own(struct broker *b, const struct ip_addr *ip)
{
	size_t len = ip->v6 ? 16 : 4;
	struct {
		struct nlmsghdr h;
		struct rtmsg r;
		struct rtattr a;
		uint8_t dst[16];
	} req = { .h = { .nlmsg_len = (uint32_t)(offsetof(__typeof__(req), dst) + len),
			 .nlmsg_type = RTM_GETROUTE,
			 .nlmsg_flags = NLM_F_REQUEST },
		  .r = { .rtm_family = ip->v6 ? AF_INET6 : AF_INET,
			 .rtm_dst_len = (uint8_t)(len * 8) },
		  .a = { .rta_len = (uint16_t)RTA_LENGTH(len), .rta_type = RTA_DST } };
	struct {
		struct nlmsghdr h;
		struct rtmsg r;
		char more[1024];
	} answer;
	ssize_t n;

	memcpy(req.dst, ip->bytes, len);
	n = ask(b->route, &req, req.h.nlmsg_len, &answer, sizeof(answer));
	/* No route at all is an error message: connect(2) will say so better. */
	if (n >= (ssize_t)sizeof(answer.h) && answer.h.nlmsg_type == NLMSG_ERROR)
		return false;
	if (n < (ssize_t)offsetof(__typeof__(answer), more) || answer.h.nlmsg_type != RTM_NEWROUTE)
		return true;
	return answer.r.rtm_type != RTN_UNICAST;
}

bool who_is_own(struct broker *b, const struct ip_addr *ip)
{
	/* Connections come in bursts to the same few addresses. */
	static struct {
		struct ip_addr ip;
		uint64_t until;
		bool own;
	} last[8];
	unsigned slot = bytes_hash(ip->bytes, sizeof(ip->bytes)) % ARRAY_SIZE(last);

	if (last[slot].until <= b->loop.now || !ip_equal(&last[slot].ip, ip)) {
		last[slot].own = route_is_own(b, ip);
		last[slot].ip = *ip;
		last[slot].until = b->loop.now + KEEP_MS;
	}
	return last[slot].own;
}
