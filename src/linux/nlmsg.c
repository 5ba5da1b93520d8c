/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/nlmsg.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

void nl_init(struct nl_buf *b)
{
	b->len = b->seq = b->message = 0;
	b->failed = false;
}

/* Zeroed room of size bytes, its end aligned; NULL when there is none. */
static void *room(struct nl_buf *b, size_t size)
{
	size_t aligned = NLMSG_ALIGN(size);
	void *at = b->data + b->len;

	if (b->failed || size > NL_BUF_SIZE || aligned > NL_BUF_SIZE - b->len) {
		b->failed = true;
		return NULL;
	}
	memset(at, 0, aligned);
	b->len += (uint32_t)aligned;
	return at;
}

static void close_message(struct nl_buf *b)
{
	struct nlmsghdr *h = (void *)(b->data + b->message);

	if (b->seq && !b->failed)
		h->nlmsg_len = b->len - b->message;
}

uint32_t nl_message(struct nl_buf *b, uint16_t type, uint16_t flags, const void *header,
		    size_t size)
{
	struct nlmsghdr *h;
	void *fixed;

	close_message(b);
	b->message = b->len;
	b->seq++;
	h = room(b, sizeof(*h));
	fixed = room(b, size);
	if (!h || !fixed)
		return b->seq;
	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	h->nlmsg_seq = b->seq;
	memcpy(fixed, header, size);
	return b->seq;
}

void nl_attr(struct nl_buf *b, uint16_t type, const void *data, size_t size)
{
	struct nlattr *a = room(b, NLA_HDRLEN + size);

	if (!a)
		return;
	a->nla_type = type;
	a->nla_len = (uint16_t)(NLA_HDRLEN + size);
	if (size)
		memcpy((uint8_t *)a + NLA_HDRLEN, data, size);
}

void nl_str(struct nl_buf *b, uint16_t type, const char *s)
{
	nl_attr(b, type, s, strlen(s) + 1);
}

void nl_u8(struct nl_buf *b, uint16_t type, uint8_t value)
{
	nl_attr(b, type, &value, sizeof(value));
}

void nl_u16(struct nl_buf *b, uint16_t type, uint16_t value)
{
	nl_attr(b, type, &value, sizeof(value));
}

void nl_be16(struct nl_buf *b, uint16_t type, uint16_t value)
{
	nl_u16(b, type, htons(value));
}

void nl_u32(struct nl_buf *b, uint16_t type, uint32_t value)
{
	nl_attr(b, type, &value, sizeof(value));
}

void nl_be32(struct nl_buf *b, uint16_t type, uint32_t value)
{
	nl_u32(b, type, htonl(value));
}

uint32_t nl_nest(struct nl_buf *b, uint16_t type)
{
	uint32_t at = b->len;

	nl_attr(b, type | NLA_F_NESTED, NULL, 0);
	return at;
}

void nl_nest_end(struct nl_buf *b, uint32_t nest)
{
	struct nlattr *a = (void *)(b->data + nest);

	if (!b->failed)
		a->nla_len = (uint16_t)(b->len - nest);
}

int nl_send(int fd, struct nl_buf *b)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	uint8_t old;
	ssize_t n;

	close_message(b);
	if (b->failed)
		return -ENOBUFS;
	/* Answers to an earlier try that nobody read. */
	while (recv(fd, &old, sizeof(old), MSG_DONTWAIT) >= 0)
		;
	do
		n = sendto(fd, b->data, b->len, 0, (void *)&kernel, sizeof(kernel));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == b->len ? 0 : -EPROTO;
}

/* One datagram's answers. 1: the last has come, 0: not yet. */
static int scan(const uint8_t *data, size_t len, uint32_t last, int *ret_err, size_t size)
{
	int done = 0;

	while (len >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr h;
		int32_t err;

		memcpy(&h, data, sizeof(h));
		if (h.nlmsg_len < sizeof(h) || h.nlmsg_len > len)
			return -EPROTO;
		if (h.nlmsg_type == NLMSG_ERROR) {
			if (h.nlmsg_len < NLMSG_HDRLEN + sizeof(struct nlmsgerr))
				return -EPROTO;
			memcpy(&err, data + NLMSG_HDRLEN, sizeof(err));
			if (err > 0 || h.nlmsg_seq >= size)
				return -EPROTO;
			ret_err[h.nlmsg_seq] = err;
			/* A batch that fails as a whole is answered at its first message. */
			if (h.nlmsg_seq == last || (h.nlmsg_seq == 1 && err))
				done = 1;
		}
		if (NLMSG_ALIGN(h.nlmsg_len) >= len)
			break;
		data += NLMSG_ALIGN(h.nlmsg_len);
		len -= NLMSG_ALIGN(h.nlmsg_len);
	}
	return done;
}

int nl_answers(int fd, uint32_t last, int *ret_err, size_t size)
{
	_Alignas(4) uint8_t data[4096];
	int r;

	memset(ret_err, 0, size * sizeof(*ret_err));
	do {
		ssize_t n = recv(fd, data, sizeof(data), MSG_DONTWAIT);

		if (n < 0 && errno == EINTR) {
			r = 0;
			continue;
		}
		if (n < 0)
			return -errno;
		r = scan(data, (size_t)n, last, ret_err, size);
	} while (r == 0);
	return r < 0 ? r : 0;
}
