/* SPDX-License-Identifier: Apache-2.0 */
/* A packet of the command's that wants out leaves through lo and comes back in through
 * it, so the rules stand where packets come in. Only the first packet of a TCP
 * connection is looked at: its later ones find their socket by themselves, and no
 * connection is tracked.
 *
 *   gate -160  first packets, but DNS's, are sent through:
 *        out   to elsewhere: gets KIT_MARK_OUT; to the listener itself: reset;
 *              on the best rung: with that mark -> queue, the broker lets it go on as it
 *              is or with another mark
 *   pre  -150  with that mark -> the transparent listener; with another: refused as it says
 *
 * DNS over TCP has a listener of its own on every address. The queue's "bypass" (nobody
 * holds it any more): the packet goes on to a listener that is gone as well, and is reset;
 * without it, it would be dropped, and the client would wait.
 *
 * Every start pays for every expression here, about a microsecond each: what two rules have
 * in common is said once. */
#include "linux/nft.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netfilter/xt_NFQUEUE.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>

#include "base/cleanup.h"
#include "plan/net_kit.h"

#define TABLE "berm"
#define QUEUE_LENGTH 16384
#define QUEUE_BYTES 128 /* of each packet: both headers and the options */

#define TCP_FLAGS_AT 13
#define TCP_SYN_MASK 0x17 /* FIN, SYN, RST, ACK */
#define TCP_SYN 0x02

static uint32_t begin(struct nl_buf *b, uint16_t type, uint16_t flags)
{
	struct nfgenmsg m = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };

	return nl_message(b, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), flags, &m, sizeof(m));
}

static void batch(struct nl_buf *b, uint16_t type)
{
	struct nfgenmsg m = { .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES) };

	nl_message(b, type, 0, &m, sizeof(m));
}

static void chain(struct nl_buf *b, const char *name)
{
	begin(b, NFT_MSG_NEWCHAIN, NLM_F_CREATE | NLM_F_EXCL);
	nl_str(b, NFTA_CHAIN_TABLE, TABLE);
	nl_str(b, NFTA_CHAIN_NAME, name);
}

static void base_chain(struct nl_buf *b, const char *name, const char *type, uint32_t hook,
		       int32_t priority)
{
	uint32_t nest;

	chain(b, name);
	nest = nl_nest(b, NFTA_CHAIN_HOOK);
	nl_be32(b, NFTA_HOOK_HOOKNUM, hook);
	nl_be32(b, NFTA_HOOK_PRIORITY, (uint32_t)priority);
	nl_nest_end(b, nest);
	nl_str(b, NFTA_CHAIN_TYPE, type);
}

/* A rule's expressions stand between rule() and rule_end(). */
static uint32_t rule(struct nl_buf *b, const char *in)
{
	begin(b, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
	nl_str(b, NFTA_RULE_TABLE, TABLE);
	nl_str(b, NFTA_RULE_CHAIN, in);
	return nl_nest(b, NFTA_RULE_EXPRESSIONS);
}

struct expr {
	uint32_t elem, data;
};

static struct expr expr(struct nl_buf *b, const char *name)
{
	struct expr e = { .elem = nl_nest(b, NFTA_LIST_ELEM) };

	nl_str(b, NFTA_EXPR_NAME, name);
	e.data = nl_nest(b, NFTA_EXPR_DATA);
	return e;
}

static void expr_end(struct nl_buf *b, struct expr e)
{
	nl_nest_end(b, e.data);
	nl_nest_end(b, e.elem);
}

static void value(struct nl_buf *b, uint16_t type, const void *data, size_t size)
{
	uint32_t nest = nl_nest(b, type);

	nl_attr(b, NFTA_DATA_VALUE, data, size);
	nl_nest_end(b, nest);
}

static void meta(struct nl_buf *b, enum nft_meta_keys key)
{
	struct expr e = expr(b, "meta");

	nl_be32(b, NFTA_META_KEY, key);
	nl_be32(b, NFTA_META_DREG, NFT_REG_1);
	expr_end(b, e);
}

static void payload(struct nl_buf *b, enum nft_payload_bases base, uint32_t offset, uint32_t len)
{
	struct expr e = expr(b, "payload");

	nl_be32(b, NFTA_PAYLOAD_DREG, NFT_REG_1);
	nl_be32(b, NFTA_PAYLOAD_BASE, base);
	nl_be32(b, NFTA_PAYLOAD_OFFSET, offset);
	nl_be32(b, NFTA_PAYLOAD_LEN, len);
	expr_end(b, e);
}

static void compare(struct nl_buf *b, enum nft_cmp_ops op, const void *data, size_t size)
{
	struct expr e = expr(b, "cmp");

	nl_be32(b, NFTA_CMP_SREG, NFT_REG_1);
	nl_be32(b, NFTA_CMP_OP, op);
	value(b, NFTA_CMP_DATA, data, size);
	expr_end(b, e);
}

static void compare_u8(struct nl_buf *b, enum nft_cmp_ops op, uint8_t data)
{
	compare(b, op, &data, sizeof(data));
}

static void mask_u8(struct nl_buf *b, uint8_t mask)
{
	struct expr e = expr(b, "bitwise");
	uint8_t none = 0;

	nl_be32(b, NFTA_BITWISE_SREG, NFT_REG_1);
	nl_be32(b, NFTA_BITWISE_DREG, NFT_REG_1);
	nl_be32(b, NFTA_BITWISE_LEN, sizeof(mask));
	value(b, NFTA_BITWISE_MASK, &mask, sizeof(mask));
	value(b, NFTA_BITWISE_XOR, &none, sizeof(none));
	expr_end(b, e);
}

static void load(struct nl_buf *b, uint32_t reg, const void *data, size_t size)
{
	struct expr e = expr(b, "immediate");

	nl_be32(b, NFTA_IMMEDIATE_DREG, reg);
	value(b, NFTA_IMMEDIATE_DATA, data, size);
	expr_end(b, e);
}

static void jump(struct nl_buf *b, const char *to)
{
	struct expr e = expr(b, "immediate");
	uint32_t data, verdict;

	nl_be32(b, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	data = nl_nest(b, NFTA_IMMEDIATE_DATA);
	verdict = nl_nest(b, NFTA_DATA_VERDICT);
	nl_be32(b, NFTA_VERDICT_CODE, (uint32_t)NFT_JUMP);
	nl_str(b, NFTA_VERDICT_CHAIN, to);
	nl_nest_end(b, verdict);
	nl_nest_end(b, data);
	expr_end(b, e);
}

static void match_port(struct nl_buf *b, enum nft_cmp_ops op, uint16_t port)
{
	uint16_t wire = htons(port);

	payload(b, NFT_PAYLOAD_TRANSPORT_HEADER, 2, sizeof(wire));
	compare(b, op, &wire, sizeof(wire));
}

static void match_tcp(struct nl_buf *b)
{
	meta(b, NFT_META_L4PROTO);
	compare_u8(b, NFT_CMP_EQ, IPPROTO_TCP);
}

static void match_first_packet(struct nl_buf *b)
{
	payload(b, NFT_PAYLOAD_TRANSPORT_HEADER, TCP_FLAGS_AT, 1);
	mask_u8(b, TCP_SYN_MASK);
	compare_u8(b, NFT_CMP_EQ, TCP_SYN);
}

static void match_family(struct nl_buf *b, bool v6)
{
	meta(b, NFT_META_NFPROTO);
	compare_u8(b, NFT_CMP_EQ, v6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
}

static void match_mark(struct nl_buf *b, uint32_t mark)
{
	meta(b, NFT_META_MARK);
	compare(b, NFT_CMP_EQ, &mark, sizeof(mark));
}

static void set_mark(struct nl_buf *b, uint32_t mark)
{
	struct expr e;

	load(b, NFT_REG_1, &mark, sizeof(mark));
	e = expr(b, "meta");
	nl_be32(b, NFTA_META_KEY, NFT_META_MARK);
	nl_be32(b, NFTA_META_SREG, NFT_REG_1);
	expr_end(b, e);
}

/* Of one family, and not to the namespace's own addresses: those the command may serve
 * itself. */
static void match_elsewhere(struct nl_buf *b, bool v6)
{
	struct in6_addr own6;
	struct in_addr own4;

	match_family(b, v6);
	if (v6) {
		(void)inet_pton(AF_INET6, KIT_ADDR6, &own6);
		payload(b, NFT_PAYLOAD_NETWORK_HEADER, 24, sizeof(own6));
		compare(b, NFT_CMP_NEQ, &own6, sizeof(own6));
		compare(b, NFT_CMP_NEQ, &in6addr_loopback, sizeof(in6addr_loopback));
	} else {
		(void)inet_pton(AF_INET, KIT_ADDR4, &own4);
		payload(b, NFT_PAYLOAD_NETWORK_HEADER, 16, sizeof(own4));
		compare(b, NFT_CMP_NEQ, &own4, sizeof(own4));
		payload(b, NFT_PAYLOAD_NETWORK_HEADER, 16, 1);
		compare_u8(b, NFT_CMP_NEQ, IN_LOOPBACKNET);
	}
}

static void queue_native(struct nl_buf *b)
{
	struct expr e = expr(b, "queue");

	nl_be16(b, NFTA_QUEUE_NUM, KIT_QUEUE_NUM);
	nl_be16(b, NFTA_QUEUE_TOTAL, 1);
	nl_be16(b, NFTA_QUEUE_FLAGS, NFT_QUEUE_FLAG_BYPASS);
	expr_end(b, e);
}

/* The same by the older way, through nft_compat: some kernels have only that. */
static void queue_compat(struct nl_buf *b)
{
	struct xt_NFQ_info_v2 info = { .queuenum = KIT_QUEUE_NUM, .queues_total = 1, .bypass = 1 };
	struct expr e = expr(b, "target");
	uint8_t padded[(sizeof(info) + 7) & ~(size_t)7] = { 0 }; /* XT_ALIGN */

	memcpy(padded, &info, sizeof(info));
	nl_str(b, NFTA_TARGET_NAME, "NFQUEUE");
	nl_be32(b, NFTA_TARGET_REV, 2);
	nl_attr(b, NFTA_TARGET_INFO, padded, sizeof(padded));
	expr_end(b, e);
}

static void to_listener(struct nl_buf *b, bool v6)
{
	uint16_t port = htons(KIT_PORT_TRANSPARENT);
	uint32_t loopback = htonl(INADDR_LOOPBACK);
	struct expr e;

	/* The address by name: without it the kernel looks for a listener on the
	 * interface's first address. */
	if (v6)
		load(b, NFT_REG_2, &in6addr_loopback, sizeof(in6addr_loopback));
	else
		load(b, NFT_REG_2, &loopback, sizeof(loopback));
	load(b, NFT_REG_3, &port, sizeof(port));
	e = expr(b, "tproxy");
	nl_be32(b, NFTA_TPROXY_FAMILY, v6 ? NFPROTO_IPV6 : NFPROTO_IPV4);
	nl_be32(b, NFTA_TPROXY_REG_ADDR, NFT_REG_2);
	nl_be32(b, NFTA_TPROXY_REG_PORT, NFT_REG_3);
	expr_end(b, e);
}

static void reject(struct nl_buf *b, enum nft_reject_types type, uint8_t code)
{
	struct expr e = expr(b, "reject");

	nl_be32(b, NFTA_REJECT_TYPE, type);
	if (type != NFT_REJECT_TCP_RST)
		nl_u8(b, NFTA_REJECT_ICMP_CODE, code);
	expr_end(b, e);
}

static void first_packets_rule(struct nl_buf *b)
{
	uint32_t nest = rule(b, "gate");

	match_tcp(b);
	match_first_packet(b);
	match_port(b, NFT_CMP_NEQ, 53);
	jump(b, "out");
	nl_nest_end(b, nest);
}

static void elsewhere_rule(struct nl_buf *b, bool v6)
{
	uint32_t nest = rule(b, "out");

	match_elsewhere(b, v6);
	set_mark(b, KIT_MARK_OUT);
	nl_nest_end(b, nest);
}

/* Nobody calls the listener by its own address. */
static void shield_rule(struct nl_buf *b)
{
	uint32_t nest = rule(b, "out");

	match_mark(b, 0);
	match_port(b, NFT_CMP_EQ, KIT_PORT_TRANSPARENT);
	reject(b, NFT_REJECT_TCP_RST, 0);
	nl_nest_end(b, nest);
}

static void queue_rule(struct nl_buf *b, bool native)
{
	uint32_t nest = rule(b, "out");

	match_mark(b, KIT_MARK_OUT);
	if (native)
		queue_native(b);
	else
		queue_compat(b);
	nl_nest_end(b, nest);
}

static void transparent_rule(struct nl_buf *b, bool v6)
{
	uint32_t nest = rule(b, "pre");

	match_mark(b, KIT_MARK_OUT);
	match_family(b, v6);
	to_listener(b, v6);
	nl_nest_end(b, nest);
}

static void mark_rule(struct nl_buf *b, uint32_t mark, enum nft_reject_types type, uint8_t code)
{
	uint32_t nest = rule(b, "pre");

	match_mark(b, mark);
	reject(b, type, code);
	nl_nest_end(b, nest);
}

/* Kernels without transparent listeners: the destination is rewritten, and connections are
 * tracked for it. */
static void redirect_rule(struct nl_buf *b, bool v6)
{
	uint32_t nest = rule(b, "out");
	uint16_t port = htons(KIT_PORT_TRANSPARENT);
	struct expr e;

	match_tcp(b);
	match_port(b, NFT_CMP_NEQ, 53);
	match_elsewhere(b, v6);
	load(b, NFT_REG_3, &port, sizeof(port));
	e = expr(b, "redir");
	nl_be32(b, NFTA_REDIR_REG_PROTO_MIN, NFT_REG_3);
	expr_end(b, e);
	nl_nest_end(b, nest);
}

static void table(struct nl_buf *b)
{
	begin(b, NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL);
	nl_str(b, NFTA_TABLE_NAME, TABLE);
}

static void transparent_rules(struct nl_buf *b, bool v6)
{
	table(b);
	chain(b, "out");
	base_chain(b, "gate", "filter", NF_INET_PRE_ROUTING, -160);
	base_chain(b, "pre", "filter", NF_INET_PRE_ROUTING, -150);
	first_packets_rule(b);
	for (int six = 0; six <= (v6 ? 1 : 0); six++) {
		elsewhere_rule(b, six);
		transparent_rule(b, six);
	}
	shield_rule(b);
	mark_rule(b, KIT_MARK_RESET, NFT_REJECT_TCP_RST, 0);
	mark_rule(b, KIT_MARK_UNREACHABLE, NFT_REJECT_ICMPX_UNREACH, NFT_REJECT_ICMPX_HOST_UNREACH);
	mark_rule(b, KIT_MARK_PROHIBITED, NFT_REJECT_ICMPX_UNREACH,
		  NFT_REJECT_ICMPX_ADMIN_PROHIBITED);
}

static void redirect_rules(struct nl_buf *b, bool v6)
{
	table(b);
	base_chain(b, "out", "nat", NF_INET_LOCAL_OUT, -100);
	for (int six = 0; six <= (v6 ? 1 : 0); six++)
		redirect_rule(b, six);
}

uint32_t nft_build(struct nl_buf *b, enum nft_part part, bool v6)
{
	batch(b, NFNL_MSG_BATCH_BEGIN);
	switch (part) {
	case NFT_TRANSPARENT:
		transparent_rules(b, v6);
		break;
	case NFT_REDIRECT:
		redirect_rules(b, v6);
		break;
	case NFT_GATE_NATIVE:
	case NFT_GATE_COMPAT:
		queue_rule(b, part == NFT_GATE_NATIVE);
		break;
	}
	/* Asked for once, of something harmless: it comes when all the others have passed. */
	begin(b, NFT_MSG_NEWTABLE, NLM_F_ACK);
	nl_str(b, NFTA_TABLE_NAME, TABLE);
	batch(b, NFNL_MSG_BATCH_END);
	return b->seq - 1;
}

int nft_setup(int fd, enum nft_part part, bool v6)
{
	static struct nl_buf b;
	int err[32] = { 0 }, r;
	uint32_t last;

	nl_init(&b);
	last = nft_build(&b, part, v6);
	r = nl_send(fd, &b);
	if (r >= 0)
		r = nl_answers(fd, last, err, ARRAY_SIZE(err));
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(err); i++)
		if (err[i])
			r = err[i];
	return r < 0 ? r : 0;
}

int nft_bind_queue(int fd)
{
	struct nfgenmsg m = { .version = NFNETLINK_V0, .res_id = htons(KIT_QUEUE_NUM) };
	struct nfqnl_msg_config_cmd cmd = { .command = NFQNL_CFG_CMD_BIND };
	struct nfqnl_msg_config_params params = { .copy_range = htonl(QUEUE_BYTES),
						  .copy_mode = NFQNL_COPY_PACKET };
	static struct nl_buf b;
	int err[2], r;

	nl_init(&b);
	nl_message(&b, NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_CONFIG, NLM_F_ACK, &m, sizeof(m));
	nl_attr(&b, NFQA_CFG_CMD, &cmd, sizeof(cmd));
	nl_attr(&b, NFQA_CFG_PARAMS, &params, sizeof(params));
	nl_be32(&b, NFQA_CFG_QUEUE_MAXLEN, QUEUE_LENGTH);
	r = nl_send(fd, &b);
	if (r >= 0)
		r = nl_answers(fd, 1, err, ARRAY_SIZE(err));
	if (r >= 0)
		r = err[1];
	return r < 0 ? r : 0;
}
