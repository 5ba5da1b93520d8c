/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/nfq.h"

#include <netinet/in.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>

#include "base/str.h"

static uint16_t be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* From the TCP header on. */
static void tcp(const uint8_t *p, size_t n, struct nfq_packet *ret)
{
	if (n < sizeof(struct tcphdr))
		return;
	/* SYN without ACK, RST and FIN; ECN's and the reserved bits may be set. */
	if ((p[13] & (TH_SYN | TH_ACK | TH_RST | TH_FIN)) != TH_SYN)
		return;
	ret->tuple.sport = be16(p);
	ret->tuple.dport = be16(p + 2);
	ret->seq = be32(p + 4);
	ret->is_syn = true;
}

static void ipv4(const uint8_t *p, size_t n, struct nfq_packet *ret)
{
	size_t head;

	if (n < sizeof(struct iphdr) || p[0] >> 4 != 4)
		return;
	head = (size_t)(p[0] & 15) * 4;
	/* A fragment has no port numbers that could be believed. */
	if (head < sizeof(struct iphdr) || n < head || p[9] != IPPROTO_TCP || be16(p + 6) & 0x3fff)
		return;
	memcpy(ret->tuple.src.bytes, p + 12, 4);
	memcpy(ret->tuple.dst.bytes, p + 16, 4);
	tcp(p + head, n - head, ret);
}

/* Extension headers are passed over as the kernel does; what it would not is no SYN. */
static void ipv6(const uint8_t *p, size_t n, struct nfq_packet *ret)
{
	size_t at = sizeof(struct ip6_hdr);
	uint8_t next;

	if (n < at || p[0] >> 4 != 6)
		return;
	next = p[6];
	memcpy(ret->tuple.src.bytes, p + 8, 16);
	memcpy(ret->tuple.dst.bytes, p + 24, 16);
	ret->tuple.src.v6 = ret->tuple.dst.v6 = 1;
	for (int i = 0; i < 8 && next != IPPROTO_TCP; i++) {
		if (next != IPPROTO_HOPOPTS && next != IPPROTO_ROUTING && next != IPPROTO_DSTOPTS)
			return;
		if (n - at < 8)
			return;
		next = p[at];
		at += ((size_t)p[at + 1] + 1) * 8;
		if (at > n)
			return;
	}
	if (next == IPPROTO_TCP)
		tcp(p + at, n - at, ret);
}

int nfq_parse(const void *msg, size_t n, struct nfq_packet *ret)
{
	const uint8_t *p = msg;
	struct nlmsghdr h;
	size_t at = NLMSG_HDRLEN + sizeof(struct nfgenmsg);
	const uint8_t *payload = NULL;
	size_t payload_len = 0;
	bool has_id = false;
	uint16_t proto = 0;

	*ret = (struct nfq_packet){ 0 };
	if (n < at)
		return -EBADMSG;
	memcpy(&h, p, sizeof(h));
	if (h.nlmsg_type != (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET) || h.nlmsg_len < at ||
	    h.nlmsg_len > n)
		return -EBADMSG;
	while (h.nlmsg_len - at >= sizeof(struct nlattr)) {
		struct nlattr a;
		size_t len;

		memcpy(&a, p + at, sizeof(a));
		if (a.nla_len < sizeof(a) || a.nla_len > h.nlmsg_len - at)
			return -EBADMSG;
		len = a.nla_len - sizeof(a);
		if ((a.nla_type & NLA_TYPE_MASK) == NFQA_PACKET_HDR && len >= 7) {
			ret->id = be32(p + at + sizeof(a));
			proto = be16(p + at + sizeof(a) + 4);
			has_id = true;
		} else if ((a.nla_type & NLA_TYPE_MASK) == NFQA_PAYLOAD) {
			payload = p + at + sizeof(a);
			payload_len = len;
		}
		len = NLA_ALIGN(a.nla_len);
		if (len > h.nlmsg_len - at)
			break;
		at += len;
	}
	if (!has_id)
		return -EBADMSG;
	if (payload && proto == 0x0800)
		ipv4(payload, payload_len, ret);
	else if (payload && proto == 0x86dd)
		ipv6(payload, payload_len, ret);
	return 0;
}

size_t nfq_verdict(void *dst, uint16_t queue, uint32_t id, enum nfq_verdict v, uint32_t mark)
{
	struct {
		struct nlmsghdr h;
		struct nfgenmsg g;
		struct nlattr a;
		struct nfqnl_msg_verdict_hdr v;
		struct nlattr m;
		uint32_t mark;
	} msg = { .h = { .nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_VERDICT,
			 .nlmsg_flags = NLM_F_REQUEST },
		  .g = { .version = NFNETLINK_V0, .res_id = htons(queue) },
		  .a = { sizeof(struct nlattr) + sizeof(struct nfqnl_msg_verdict_hdr),
			 NFQA_VERDICT_HDR },
		  .v = { htonl(v == NFQ_ACCEPT ? NF_ACCEPT : NF_DROP), htonl(id) },
		  .m = { sizeof(struct nlattr) + sizeof(uint32_t), NFQA_MARK },
		  .mark = htonl(mark) };
	size_t len = mark ? sizeof(msg) : offsetof(__typeof__(msg), m);

	_Static_assert(sizeof(msg) <= NFQ_VERDICT_MAX, "fits");
	msg.h.nlmsg_len = (uint32_t)len;
	memcpy(dst, &msg, len);
	return len;
}
