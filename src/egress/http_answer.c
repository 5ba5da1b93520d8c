/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "egress/http.h"

/* ---- the server's answer ------------------------------------------------ */

#define START "HTTP/1."
#define START_LEN (sizeof(START) - 1)

enum state {
	/* 0 .. START_LEN - 1: so much of START was seen */
	MINOR = START_LEN,
	BLANK,
	CODE1,
	CODE2,
	CODE3,
	AFTER_CODE,
	IN_LINE,
	LINE_START,
	LINE_START_CR,
};

/* The next state, or below 0. */
static int answer_byte(struct http_answer *a, uint8_t b)
{
	if (a->state < START_LEN)
		return b == (uint8_t)START[a->state] ? a->state + 1 : -EBADMSG;
	switch (a->state) {
	case MINOR:
		return b >= '0' && b <= '9' ? BLANK : -EBADMSG;
	case BLANK:
		return b == ' ' ? CODE1 : -EBADMSG;
	case CODE1:
	case CODE2:
	case CODE3:
		if (b < '0' || b > '9' || (a->state == CODE1 && b == '0'))
			return -EBADMSG;
		a->code = (uint16_t)(a->code * 10 + (b - '0'));
		return a->state + 1;
	case AFTER_CODE:
		if (b == '\n')
			return LINE_START;
		return b == ' ' || b == '\r' ? IN_LINE : -EBADMSG;
	case IN_LINE:
		return b == '\n' ? LINE_START : IN_LINE;
	case LINE_START:
		if (b == '\r')
			return LINE_START_CR;
		break;
	default:
		if (b != '\n')
			return -EBADMSG;
	}
	if (b != '\n')
		return IN_LINE;
	/* The head's end. */
	if (a->code >= 200 || a->code == 101)
		a->status = a->code;
	a->head = a->fed;
	a->code = 0;
	return 0;
}

int http_answer_feed(struct http_answer *a, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len && a->status == 0; i++) {
		int next;

		a->fed++;
		next = answer_byte(a, data[i]);
		if (next < 0 || (a->fed >= HTTP_HEAD_MAX && a->status == 0))
			a->status = -EBADMSG;
		else
			a->state = (uint8_t)next;
	}
	return a->status;
}

/* ---- answers of our own ------------------------------------------------- */

static const char *phrase(unsigned status)
{
	switch (status) {
	case 400:
		return "Bad Request";
	case 403:
		return "Blocked by berm";
	case 408:
		return "Request Timeout";
	case 431:
		return "Request Header Fields Too Large";
	case 502:
		return "Bad Gateway";
	case 503:
		return "Service Unavailable";
	default:
		return "Gateway Timeout";
	}
}

size_t http_build_error(unsigned status, const char *reason, char *dst, size_t size)
{
	char text[HTTP_ERROR_MAX / 2];
	size_t n = 0;
	int len;

	/* The reason stands in the status line too, where many clients show it. */
	for (; *reason && n < sizeof(text) - 1; reason++)
		text[n++] = (char)(*reason >= ' ' && *reason < 0x7f ? *reason : '?');
	text[n] = 0;
	len = snprintf(dst, size,
		       "HTTP/1.1 %u %s%s%.150s\r\n"
		       "%s"
		       "Content-Type: text/plain; charset=us-ascii\r\n"
		       "Content-Length: %zu\r\n"
		       "Connection: close\r\n"
		       "\r\n"
		       "berm: %s\n",
		       status, phrase(status), n ? ": " : "", text,
		       status == 403 ? "X-Proxy-Error: blocked-by-berm\r\n" : "",
		       sizeof("berm: ") + n, text);
	if (len < 0)
		return 0;
	return (size_t)len < size ? (size_t)len : size - 1;
}
