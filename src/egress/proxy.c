/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/proxy.h"

#include <sys/socket.h>

#include "base/str.h"
#include "egress/bye.h"
#include "egress/forward.h"
#include "egress/http.h"
#include "egress/inlet.h"
#include "egress/relay.h"
#include "egress/socks.h"
#include "egress/ssh_note.h"
#include "egress/want.h"

#define LATE_MS 30000u
#define CLIENTS_MAX 4096u /* that have not said yet where to */

struct visitor {
	struct dead dead;
	struct broker *b;
	struct watch watch;
	struct timer timer;
	struct tuple tuple;
	struct want want;
	struct http *http;
	struct socks socks;
	bool is_socks, known, wanting, hup;
	uint8_t *data; /* said and not used */
	size_t len, cap, head;
};

static unsigned n_visitors;

static void release(struct visitor *v)
{
	timer_stop(&v->b->loop, &v->timer);
	if (v->wanting)
		want_stop(&v->want);
	http_free(v->http);
	free(v->data);
	loop_close(&v->watch);
	loop_free(&v->b->loop, &v->dead);
	n_visitors--;
	inlet_fds_are_free(v->b);
}

/* Says it and is gone. */
static void leave_with(struct visitor *v, const void *text, size_t len)
{
	if (len)
		bye(v->b, loop_take(&v->b->loop, &v->watch), text, len);
	release(v);
}

static void leave_http(struct visitor *v, unsigned status, const char *reason)
{
	char text[HTTP_ERROR_MAX], why[512];
	size_t n;

	if (v->wanting)
		(void)snprintf(why, sizeof(why), "%s:%u: %s", v->want.host.name, v->want.port,
			       reason);
	else
		(void)snprintf(why, sizeof(why), "%s", reason);
	n = http_build_error(status, why, text, sizeof(text));
	leave_with(v, text, n);
}

/* ssh shows what a server says when it hangs up, not what a proxy says. */
static bool leave_ssh(struct visitor *v, const char *reason)
{
	uint8_t text[sizeof(HTTP_CONNECTED) + SSH_NOTE_MAX];
	char why[512];
	size_t n;

	if (v->want.port != 22 || (!v->is_socks && !http_request(v->http)->connect))
		return false;
	if (v->is_socks) {
		n = socks_reply(&v->socks, 0, text);
	} else {
		n = sizeof(HTTP_CONNECTED) - 1;
		memcpy(text, HTTP_CONNECTED, n);
	}
	(void)snprintf(why, sizeof(why), "berm: %s:%u: %s", v->want.host.name, v->want.port,
		       reason);
	n += ssh_note(why, text + n);
	leave_with(v, text, n);
	return true;
}

static void refused(struct visitor *v, int err)
{
	const char *reason = v->want.reason ? v->want.reason : strerror(-err);

	if (err == -EACCES && leave_ssh(v, reason))
		return;
	if (v->is_socks) {
		uint8_t reply[SOCKS_REPLY_MAX];
		size_t n = socks_reply(&v->socks, err, reply);

		leave_with(v, reply, n);
		return;
	}
	leave_http(v, err == -EACCES ? 403 : err == -ETIMEDOUT ? 504 : 502, reason);
}

static void connected(struct visitor *v)
{
	struct buf head = BUF_INIT(2 * HTTP_HEAD_MAX);
	uint8_t reply[SOCKS_REPLY_MAX];
	struct relay_args a = { .up = &v->want.up,
				.aim = v->want.aim,
				.check = !v->want.aim->by_address };

	a.held = v->data + v->head;
	a.held_len = v->len - v->head;
	if (v->is_socks) {
		a.reply = reply;
		a.reply_len = socks_reply(&v->socks, 0, reply);
	} else if (http_request(v->http)->connect) {
		a.reply = HTTP_CONNECTED;
		a.reply_len = sizeof(HTTP_CONNECTED) - 1;
	} else {
		if (http_rewrite(v->http, v->data, v->head, &head) < 0 || head.failed) {
			buf_free(&head);
			leave_http(v, 502, "out of memory");
			return;
		}
		http_accept(v->http);
		a.ready = head.data;
		a.ready_len = head.len;
		a.http = take_ptr(v->http);
		a.check = true;
	}
	a.client = loop_take(&v->b->loop, &v->watch);
	(void)relay_start(v->b, &a);
	buf_free(&head);
	release(v);
}

static void on_wanted(struct want *w, int err)
{
	struct visitor *v = container_of(w, struct visitor, want);

	if (err < 0)
		refused(v, err);
	else
		connected(v);
}

static void want(struct visitor *v, const struct host *h, uint16_t port)
{
	timer_stop(&v->b->loop, &v->timer);
	v->want = (struct want){ .b = v->b,
				 .tuple = v->tuple,
				 .port = port,
				 .how = v->is_socks ? EG_SOCKS_PROXY : EG_HTTP_PROXY,
				 .done = on_wanted };
	v->want.up.fd = -1;
	v->wanting = true;
	/* Who looked the name up by himself comes with its synthetic address. */
	if (h->is_ip) {
		if (!want_host(v->b, &h->ip, &v->want.host)) {
			v->want.reason = "no name has this address";
			refused(v, -EHOSTUNREACH);
			return;
		}
	} else {
		v->want.host = *h;
	}
	want_start(&v->want);
}

static void parse_http(struct visitor *v)
{
	size_t n;

	if (!v->http && http_new(HTTP_PROXY, HTTP_ONE_REQUEST, &v->http) < 0) {
		release(v);
		return;
	}
	switch (http_next(v->http, v->data, v->len, &n)) {
	case HTTP_MORE:
		break;
	case HTTP_JUDGE: {
		const struct http_request *q = http_request(v->http);

		v->head = n;
		want(v, &q->host, q->port);
		break;
	}
	case HTTP_H2:
		leave_http(v, 400, "a proxy speaks HTTP/1");
		break;
	case HTTP_SEND:
	case HTTP_WAIT:
	case HTTP_OPAQUE:
	case HTTP_DONE:
	case HTTP_BAD:
	default:
		leave_http(v, 400, http_why(v->http));
	}
}

static void parse_socks(struct visitor *v)
{
	for (;;) {
		size_t n = 0;
		enum socks_step s = socks_next(&v->socks, v->data + v->head, v->len - v->head, &n);

		v->head += n;
		switch (s) {
		case SOCKS_MORE:
			return;
		case SOCKS_SEND:
			if (send(v->watch.fd, v->socks.reply, v->socks.reply_len,
				 MSG_DONTWAIT | MSG_NOSIGNAL) != v->socks.reply_len) {
				release(v);
				return;
			}
			break;
		case SOCKS_CONNECT:
			want(v, &v->socks.host, v->socks.port);
			return;
		case SOCKS_BAD:
		default:
			leave_with(v, v->socks.reply, v->socks.reply_len);
			return;
		}
	}
}

static bool room(struct visitor *v)
{
	size_t cap = v->cap ? v->cap * 2 : 2048;
	uint8_t *more;

	if (v->len < v->cap)
		return true;
	if (v->cap > HTTP_HEAD_MAX)
		return false;
	more = realloc(v->data, cap);
	if (!more)
		return false;
	v->data = more;
	v->cap = cap;
	return true;
}

static void on_visitor(struct watch *w, uint32_t events)
{
	struct visitor *v = container_of(w, struct visitor, watch);

	/* While it waits for the verdict: only whether it is still there. */
	while (w->fd >= 0 && !v->wanting) {
		ssize_t n;

		if (!room(v)) {
			leave_http(v, 431, "the request's head is too long");
			return;
		}
		n = recv(w->fd, v->data + v->len, v->cap - v->len, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			release(v);
			return;
		}
		if (v->len == 0 && !v->known) {
			v->known = true;
			v->is_socks = socks_sniff(v->data[0]);
		}
		v->len += (size_t)n;
		if (v->is_socks)
			parse_socks(v);
		else
			parse_http(v);
	}
	/* Who wants a tunnel and has ended already cannot use it. */
	if (w->fd >= 0 &&
	    (events & (EPOLLHUP | EPOLLERR) ||
	     (events & EPOLLRDHUP && (v->is_socks || http_request(v->http)->connect))))
		release(v);
}

static void on_late(struct timer *t)
{
	struct visitor *v = container_of(t, struct visitor, timer);

	if (v->known && !v->is_socks)
		leave_http(v, 408, "the request did not come to its end");
	else
		release(v);
}

static void accepted(struct broker *b, int fd, const struct tuple *t)
{
	struct visitor *v = n_visitors < CLIENTS_MAX ? calloc(1, sizeof(*v)) : NULL;

	if (!v) {
		close_reset(fd);
		return;
	}
	n_visitors++;
	v->b = b;
	v->tuple = *t;
	v->watch = (struct watch){ .on = on_visitor, .fd = fd };
	v->timer.on = on_late;
	timer_start(&b->loop, &v->timer, LATE_MS);
	if (loop_add(&b->loop, &v->watch) < 0)
		release(v);
}

void proxy_http_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index)
{
	if (b->config->http_proxy_port)
		forward_to_proxy(b, fd, t, b->config->http_proxy_port, EG_HTTP_PROXY);
	else
		accepted(b, fd, t);
}

void proxy_socks_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index)
{
	if (b->config->socks_proxy_port)
		forward_to_proxy(b, fd, t, b->config->socks_proxy_port, EG_SOCKS_PROXY);
	else
		accepted(b, fd, t);
}
