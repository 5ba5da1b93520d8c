/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink messages as bytes: what is sent is well formed to the last attribute, what does
 * not fit is not sent, and answers are read within their bounds. What the kernel makes of
 * them is shown by test_kit_live.c. */
#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "linux/nft.h"
#include "linux/rtnl.h"

static struct nl_buf b;

/* Attributes fill [at, end) exactly, nested ones as well. */
static unsigned walk(const uint8_t *at, const uint8_t *end)
{
	unsigned n = 0;

	while (at < end) {
		struct nlattr a;

		assert_true(end - at >= NLA_HDRLEN);
		memcpy(&a, at, sizeof(a));
		assert_true(a.nla_len >= NLA_HDRLEN);
		assert_true(NLA_ALIGN(a.nla_len) <= end - at);
		if (a.nla_type & NLA_F_NESTED)
			n += walk(at + NLA_HDRLEN, at + a.nla_len);
		for (int i = a.nla_len; i < NLA_ALIGN(a.nla_len); i++)
			assert_int_equal(at[i], 0);
		at += NLA_ALIGN(a.nla_len);
		n++;
	}
	assert_ptr_equal(at, end);
	return n;
}

struct message {
	struct nlmsghdr h;
	unsigned attrs;
};

/* Sends what b holds through a pair of sockets and takes it apart. */
static size_t sent(size_t (*fixed)(uint16_t type), struct message *ret, size_t max)
{
	static uint8_t data[NL_BUF_SIZE];
	size_t n = 0, at = 0;
	ssize_t len;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds), 0);
	/* An address of another family is not looked at on a connected unix socket's peer:
	 * so what nl_send() would send is sent here. */
	assert_int_equal(nl_send(fds[0], &b), -EINVAL);
	len = send(fds[0], b.data, b.len, 0);
	assert_int_equal(len, b.len);
	assert_int_equal(recv(fds[1], data, sizeof(data), 0), len);
	while (at < (size_t)len) {
		struct nlmsghdr h;

		assert_true((size_t)len - at >= sizeof(h));
		memcpy(&h, data + at, sizeof(h));
		assert_true(h.nlmsg_len >= sizeof(h) + fixed(h.nlmsg_type));
		assert_true(h.nlmsg_len <= (size_t)len - at);
		assert_int_equal(h.nlmsg_len % 4, 0);
		assert_true(h.nlmsg_flags & NLM_F_REQUEST);
		assert_true(n < max);
		assert_int_equal(h.nlmsg_seq, n + 1);
		ret[n].h = h;
		ret[n++].attrs =
			walk(data + at + sizeof(h) + fixed(h.nlmsg_type), data + at + h.nlmsg_len);
		at += h.nlmsg_len;
	}
	(void)close(fds[0]);
	(void)close(fds[1]);
	return n;
}

static size_t fixed_rtnl(uint16_t type)
{
	switch (type) {
	case RTM_NEWLINK:
		return sizeof(struct ifinfomsg);
	case RTM_NEWADDR:
		return sizeof(struct ifaddrmsg);
	case RTM_NEWROUTE:
		return sizeof(struct rtmsg);
	default:
		fail_msg("type %u", type);
		return 0;
	}
}

static size_t fixed_nfnl(uint16_t type)
{
	(void)type;
	return sizeof(struct nfgenmsg);
}

static void test_interface(void **state)
{
	struct message m[8];

	(void)state;
	nl_init(&b);
	assert_int_equal(rtnl_build(&b, true), 4);
	assert_int_equal(sent(fixed_rtnl, m, ARRAY_SIZE(m)), 5);
	/* One answer, to the last. */
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(!!(m[i].h.nlmsg_flags & NLM_F_ACK), i == 4);
	nl_init(&b);
	assert_int_equal(rtnl_build(&b, false), 4);
	assert_int_equal(sent(fixed_rtnl, m, ARRAY_SIZE(m)), 3);
	assert_true(m[2].h.nlmsg_flags & NLM_F_ACK);
}

static void test_rules(void **state)
{
	static const struct {
		enum nft_part part;
		bool v6;
		size_t messages;
	} cases[] = {
		{ NFT_TRANSPARENT, true, 1 + 1 + 3 + 1 + 4 + 1 + 3 + 2 },
		{ NFT_TRANSPARENT, false, 1 + 1 + 3 + 1 + 2 + 1 + 3 + 2 },
		{ NFT_GATE_NATIVE, true, 1 + 1 + 2 },
		{ NFT_GATE_COMPAT, false, 1 + 1 + 2 },
		{ NFT_REDIRECT, true, 1 + 1 + 1 + 2 + 2 },
		{ NFT_REDIRECT, false, 1 + 1 + 1 + 1 + 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct message m[32];
		uint32_t last;
		size_t n;

		nl_init(&b);
		last = nft_build(&b, cases[i].part, cases[i].v6);
		assert_false(b.failed);
		n = sent(fixed_nfnl, m, ARRAY_SIZE(m));
		assert_int_equal(n, cases[i].messages);
		assert_int_equal(m[0].h.nlmsg_type, NFNL_MSG_BATCH_BEGIN);
		assert_int_equal(m[n - 1].h.nlmsg_type, NFNL_MSG_BATCH_END);
		assert_int_equal(last, n - 1);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(!!(m[k].h.nlmsg_flags & NLM_F_ACK), k + 1 == last);
		for (size_t k = 1; k + 1 < n; k++)
			assert_true(m[k].attrs > 0);
	}
}

static void test_what_does_not_fit(void **state)
{
	struct nfgenmsg m = { 0 };
	static uint8_t much[NL_BUF_SIZE];
	int fds[2];
	char byte;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds), 0);
	for (size_t size = NL_BUF_SIZE - 40; size <= NL_BUF_SIZE; size++) {
		nl_init(&b);
		nl_message(&b, 1, 0, &m, sizeof(m));
		nl_attr(&b, 1, much, size);
		assert_int_equal(b.failed, 20 + NLA_HDRLEN + ((size + 3) & ~3u) > NL_BUF_SIZE);
		if (!b.failed)
			continue;
		/* Nothing that comes later makes it whole again. */
		nl_u8(&b, 2, 1);
		nl_nest_end(&b, nl_nest(&b, 3));
		nl_message(&b, 1, 0, &m, sizeof(m));
		assert_true(b.failed);
		assert_int_equal(nl_send(fds[0], &b), -ENOBUFS);
		assert_int_equal(recv(fds[1], &byte, 1, MSG_DONTWAIT), -1);
	}
	(void)close(fds[0]);
	(void)close(fds[1]);
}

struct answer {
	struct nlmsghdr h;
	struct nlmsgerr e;
};

static struct answer answer(uint32_t seq, int err)
{
	return (struct answer){ .h = { .nlmsg_len = sizeof(struct answer),
				       .nlmsg_type = NLMSG_ERROR,
				       .nlmsg_seq = seq },
				.e = { .error = err } };
}

/* Reads n answers that are waiting. */
static int read_answers(const struct answer *a, size_t n, uint32_t last, int *ret_err, size_t size)
{
	int fds[2], r;

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(send(fds[0], &a[i], sizeof(a[i]), 0), sizeof(a[i]));
	r = nl_answers(fds[1], last, ret_err, size);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return r;
}

static void test_answers(void **state)
{
	struct answer a[3];
	int err[5];

	(void)state;
	a[0] = answer(4, 0);
	assert_int_equal(read_answers(a, 1, 4, err, 5), 0);
	assert_int_equal(err[4], 0);
	/* Refusals before the last one are kept apart. */
	a[0] = answer(2, -EEXIST);
	a[1] = answer(4, 0);
	assert_int_equal(read_answers(a, 2, 4, err, 5), 0);
	assert_int_equal(err[2], -EEXIST);
	assert_int_equal(err[3], 0);
	/* The whole batch. */
	a[0] = answer(1, -ENOMEM);
	assert_int_equal(read_answers(a, 1, 4, err, 5), 0);
	assert_int_equal(err[1], -ENOMEM);
	/* No answer to the last one: not a success. */
	a[0] = answer(2, 0);
	assert_int_equal(read_answers(a, 1, 4, err, 5), -EAGAIN);
	assert_int_equal(read_answers(a, 0, 4, err, 5), -EAGAIN);
	/* What the kernel never sends. */
	a[0] = answer(5, -EPERM);
	assert_int_equal(read_answers(a, 1, 4, err, 5), -EPROTO);
	a[0] = answer(4, 1);
	assert_int_equal(read_answers(a, 1, 4, err, 5), -EPROTO);
	for (uint32_t len = 0; len < sizeof(struct nlmsghdr) + sizeof(struct nlmsgerr); len++) {
		a[0] = answer(4, 0);
		a[0].h.nlmsg_len = len;
		assert_int_equal(read_answers(a, 1, 4, err, 5), -EPROTO);
	}
	a[0] = answer(4, 0);
	a[0].h.nlmsg_len = sizeof(struct answer) + 1;
	assert_int_equal(read_answers(a, 1, 4, err, 5), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interface),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_what_does_not_fit),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
