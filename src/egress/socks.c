/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/socks.h"

#include <errno.h>
#include <string.h>

enum state { BEGIN, METHOD_SENT_AUTH, REQUEST, ASKED, OVER };
enum { CMD_CONNECT = 1, ATYP_V4 = 1, ATYP_NAME = 3, ATYP_V6 = 4 };
enum {
	REP_OK,
	REP_GENERAL,
	REP_DENIED,
	REP_NET,
	REP_HOST,
	REP_REFUSED,
	REP_TIME,
	REP_CMD,
	REP_ATYP
};
enum { V4_GRANTED = 90, V4_FAILED };

static void set_reply(struct socks *s, const uint8_t *bytes, uint8_t n)
{
	memcpy(s->reply, bytes, n);
	s->reply_len = n;
}

static size_t reply5(uint8_t code, uint8_t *dst)
{
	/* Bound address 0.0.0.0:0: the real one is the host's, and nobody's business. */
	const uint8_t r[10] = { 5, code, 0, ATYP_V4 };

	memcpy(dst, r, sizeof(r));
	return sizeof(r);
}

static size_t reply4(uint8_t code, uint8_t *dst)
{
	const uint8_t r[8] = { 0, code };

	memcpy(dst, r, sizeof(r));
	return sizeof(r);
}

static enum socks_step refuse(struct socks *s, uint8_t code, const char *why)
{
	s->state = OVER;
	s->why = why;
	if (s->version == 5)
		s->reply_len = (uint8_t)reply5(code, s->reply);
	else
		s->reply_len = (uint8_t)reply4(V4_FAILED, s->reply);
	return SOCKS_BAD;
}

static void set_ip(struct socks *s, const uint8_t *bytes, bool v6)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	struct ip_addr ip = { .v6 = v6 };

	if (v6 && memcmp(bytes, mapped, sizeof(mapped)) == 0) {
		ip.v6 = 0;
		bytes += sizeof(mapped);
	}
	memcpy(ip.bytes, bytes, ip.v6 ? 16 : 4);
	host_from_ip(&ip, &s->host);
}

static enum socks_step asked(struct socks *s, const uint8_t *port)
{
	s->port = (uint16_t)(port[0] << 8 | port[1]);
	s->state = ASKED;
	return SOCKS_CONNECT;
}

/* 05 n methods. No authentication before user and password. */
static enum socks_step greeting5(struct socks *s, const uint8_t *p, size_t len, size_t *n)
{
	size_t want;

	if (len < 2)
		return SOCKS_MORE;
	want = 2u + p[1];
	if (len < want)
		return SOCKS_MORE;
	*n = want;
	s->version = 5;
	if (memchr(p + 2, 0, p[1])) {
		set_reply(s, (const uint8_t[]){ 5, 0 }, 2);
		s->state = REQUEST;
	} else if (memchr(p + 2, 2, p[1])) {
		set_reply(s, (const uint8_t[]){ 5, 2 }, 2);
		s->state = METHOD_SENT_AUTH;
	} else {
		set_reply(s, (const uint8_t[]){ 5, 0xff }, 2);
		s->state = OVER;
		s->why = "the SOCKS client offers no way to authenticate that is known here";
		return SOCKS_BAD;
	}
	return SOCKS_SEND;
}

/* 01 n user n password (RFC 1929). Any will do, and neither is kept. */
static enum socks_step auth5(struct socks *s, const uint8_t *p, size_t len, size_t *n)
{
	size_t want = 2;

	if (len >= 1 && p[0] != 1) {
		set_reply(s, (const uint8_t[]){ 1, 1 }, 2);
		s->state = OVER;
		s->why = "the SOCKS client's user and password are not as RFC 1929 says";
		return SOCKS_BAD;
	}
	if (len < want)
		return SOCKS_MORE;
	want += p[1] + 1u;
	if (len < want)
		return SOCKS_MORE;
	want += p[want - 1];
	if (len < want)
		return SOCKS_MORE;
	*n = want;
	set_reply(s, (const uint8_t[]){ 1, 0 }, 2);
	s->state = REQUEST;
	return SOCKS_SEND;
}

/* 05 command 00 type address port. */
static enum socks_step request5(struct socks *s, const uint8_t *p, size_t len, size_t *n)
{
	size_t addr;

	if (len >= 1 && p[0] != 5)
		return refuse(s, REP_GENERAL, "the SOCKS request is not of version 5");
	if (len < 5)
		return SOCKS_MORE;
	if (p[1] != CMD_CONNECT)
		return refuse(s, REP_CMD,
			      p[1] == 3 ? "SOCKS UDP is not offered: only CONNECT"
					: "SOCKS BIND is not offered: only CONNECT");
	if (p[2] != 0)
		return refuse(s, REP_GENERAL, "the SOCKS request's reserved byte is not 0");
	if (p[3] == ATYP_V4)
		addr = 4;
	else if (p[3] == ATYP_V6)
		addr = 16;
	else if (p[3] == ATYP_NAME)
		addr = 1u + p[4];
	else
		return refuse(s, REP_ATYP, "the SOCKS request's kind of address is not known");
	if (len < 4 + addr + 2)
		return SOCKS_MORE;
	*n = 4 + addr + 2;
	if (p[3] != ATYP_NAME)
		set_ip(s, p + 4, p[3] == ATYP_V6);
	else if (host_parse((const char *)p + 5, p[4], &s->host) < 0)
		return refuse(s, REP_GENERAL, "the SOCKS request's host is no host name");
	return asked(s, p + 4 + addr);
}

/* 04 command port ip user 00 [name 00] */
static enum socks_step request4(struct socks *s, const uint8_t *p, size_t len, size_t *n)
{
	const uint8_t *user_end, *name_end;
	size_t at;

	if (len < 9)
		return SOCKS_MORE;
	s->version = 4;
	if (p[1] != CMD_CONNECT)
		return refuse(s, 0, "SOCKS BIND is not offered: only CONNECT");
	user_end = memchr(p + 8, 0, len - 8);
	if ((user_end ? (size_t)(user_end - p) : len) > 8 + 255)
		return refuse(s, 0, "the SOCKS user is too long");
	if (!user_end)
		return SOCKS_MORE;
	at = (size_t)(user_end - p) + 1;
	/* 0.0.0.x, x not 0, says that a name follows (4a). */
	if (p[4] || p[5] || p[6] || !p[7]) {
		*n = at;
		set_ip(s, p + 4, false);
		return asked(s, p + 2);
	}
	name_end = memchr(p + at, 0, len - at);
	if ((name_end ? (size_t)(name_end - p) : len) > at + 255)
		return refuse(s, 0, "the SOCKS request's host is too long");
	if (!name_end)
		return SOCKS_MORE;
	*n = (size_t)(name_end - p) + 1;
	if (host_parse((const char *)p + at, (size_t)(name_end - p) - at, &s->host) < 0)
		return refuse(s, 0, "the SOCKS request's host is no host name");
	return asked(s, p + 2);
}

enum socks_step socks_next(struct socks *s, const uint8_t *data, size_t len, size_t *n)
{
	*n = 0;
	s->reply_len = 0;
	if (len == 0 && s->state != OVER)
		return SOCKS_MORE;
	switch (s->state) {
	case BEGIN:
		if (data[0] == 5)
			return greeting5(s, data, len, n);
		if (data[0] == 4)
			return request4(s, data, len, n);
		s->state = OVER;
		s->why = "this is no SOCKS client";
		return SOCKS_BAD;
	case METHOD_SENT_AUTH:
		return auth5(s, data, len, n);
	case REQUEST:
		return request5(s, data, len, n);
	case ASKED:
		return SOCKS_CONNECT;
	default:
		return SOCKS_BAD;
	}
}

static uint8_t code_of(int err)
{
	switch (-err) {
	case 0:
		return REP_OK;
	case EACCES:
	case EPERM:
		return REP_DENIED;
	case ENETUNREACH:
		return REP_NET;
	case EHOSTUNREACH:
		return REP_HOST;
	case ECONNREFUSED:
		return REP_REFUSED;
	case ETIMEDOUT:
		return REP_TIME;
	default:
		return REP_GENERAL;
	}
}

size_t socks_reply(const struct socks *s, int err, uint8_t dst[SOCKS_REPLY_MAX])
{
	if (s->version == 4)
		return reply4(err ? V4_FAILED : V4_GRANTED, dst);
	return reply5(code_of(err), dst);
}
