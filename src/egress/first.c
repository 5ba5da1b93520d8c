/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "egress/first_impl.h"
#include "egress/policy_of.h"

#define LATE_MS 30000u /* to finish a hello or a head that was begun */
#define EARLY_MS 25u   /* then the beginning of a first line goes on */
#define HOLD_MAX (HTTP_HEAD_MAX + HELLO_MAX + PUMP_BUF)
#define TURN_MAX (1u << 20)	 /* bytes before others have their turn */
#define HOLD_ALL_MAX (32u << 20) /* for all connections together */

static size_t held_by_all;

static int hold(struct first *f, const void *data, size_t len)
{
	if (len == 0)
		return 0;
	if (f->cap - f->len < len) {
		size_t need = f->len + len < 4096 ? 4096 : f->len + len;
		size_t cap = need < 2 * f->cap ? 2 * f->cap : need;
		uint8_t *more;

		if (f->len + len > HOLD_MAX || held_by_all + cap - f->cap > HOLD_ALL_MAX)
			return -ENOBUFS;
		more = realloc(f->data, cap);
		if (!more)
			return -ENOMEM;
		held_by_all += cap - f->cap;
		f->data = more;
		f->cap = cap;
	}
	memcpy(f->data + f->len, data, len);
	f->len += len;
	return 0;
}

static void drop(struct first *f)
{
	held_by_all -= f->cap;
	free(take_ptr(f->data));
	f->len = f->cap = 0;
}

int first_new(struct conn *k, struct http *http, const void *held, size_t len)
{
	struct first *f = calloc(1, sizeof(*f));
	int r = f ? hold(f, held ? held : "", len) : -ENOMEM;

	if (r < 0) {
		http_free(http);
		free(f);
		return r;
	}
	f->http = http;
	f->state = http ? HTTP : TLS;
	hello_init(&f->hello, false);
	k->first = f;
	return 0;
}

void first_free(struct conn *k)
{
	struct first *f = take_ptr(k->first);

	if (!f)
		return;
	timer_stop(&k->b->loop, &k->timer);
	http_free(f->http);
	drop(f);
	free(f);
}

/* ---- refusals ---- */

static void refuse_tls(struct conn *k, const char *reason)
{
	uint8_t alert[HELLO_ALERT_LEN];

	hello_alert(&k->first->hello, alert);
	conn_refuse(k, reason, alert, sizeof(alert));
}

static void refuse_http(struct conn *k, unsigned status, const char *reason)
{
	char text[HTTP_ERROR_MAX];
	char why[512];
	size_t n;

	(void)snprintf(why, sizeof(why), "%s:%u: %s", k->aim->name, k->aim->port, reason);
	n = http_build_error(status, why, text, sizeof(text));
	conn_refuse(k, reason, text, n);
}

void first_late(struct conn *k)
{
	struct first *f = k->first;

	if (f->state == SNIFF) {
		if (pump_send(&k->to_up, &k->up, f->data + f->sent, f->len - f->sent) < 0)
			conn_abort(k);
		else
			f->sent = f->len;
		return;
	}
	if (f->state == TLS_ANSWER || (f->state == TLS && f->hello.fed > 1))
		refuse_tls(k, "the TLS hello did not come to its end");
	else if (f->state == HTTP)
		refuse_http(k, 408, "the HTTP request did not come to its end");
	else
		conn_abort(k);
}

/* ---- judging: each takes the bytes at data, says how many are done with, and whether it goes
 * on at once ---- */

enum step first_send(struct conn *k, const uint8_t *data, size_t n)
{
	size_t skip = n < k->first->sent ? n : k->first->sent;

	k->first->sent -= skip;
	if (pump_send(&k->to_up, &k->up, data + skip, n - skip) == 0)
		return STEP_AGAIN;
	conn_abort(k);
	return STEP_OVER;
}

static enum step tls(struct conn *k, const uint8_t *data, size_t len, size_t *n)
{
	struct first *f = k->first;
	enum hello_result r = hello_feed(&f->hello, data + f->hello.fed, len - f->hello.fed);

	switch (r) {
	case HELLO_MORE:
		return STEP_MORE;
	case HELLO_NAME:
		if (!policy_name_fits(k->b, k->aim, &f->hello.host)) {
			refuse_tls(k, "the TLS name (SNI) is not the host that was allowed");
			return STEP_OVER;
		}
		break;
	case HELLO_NO_NAME:
		if (!policy_is_open(k->b)) {
			refuse_tls(k, "TLS without a name (SNI)");
			return STEP_OVER;
		}
		break;
	case HELLO_NOT_TLS:
		if (!f->hello.again) {
			f->state = SNIFF;
			return STEP_AGAIN;
		}
		refuse_tls(k, "a second TLS hello that is none");
		return STEP_OVER;
	case HELLO_BAD:
	default:
		refuse_tls(k, f->hello.why ? f->hello.why : "malformed TLS");
		return STEP_OVER;
	}
	*n = f->hello.fed;
	if (f->hello.again)
		return STEP_OPAQUE;
	f->state = TLS_ANSWER;
	return first_send(k, data, *n);
}

/* The Host of a request. false: refused. */
static bool judge_request(struct conn *k, const struct http_request *q)
{
	if (q->connect) {
		refuse_http(k, 403, "CONNECT to a host that is no proxy of ours");
		return false;
	}
	if (q->has_host && !policy_name_fits(k->b, k->aim, &q->host)) {
		refuse_http(k, 403, "the HTTP Host is not the host that was allowed");
		return false;
	}
	/* Whose answer is the 101? Earlier ones may still be on their way. */
	if (q->upgrade && q->number > 0) {
		refuse_http(k, 403, "an upgrade on a connection that was used before");
		return false;
	}
	return true;
}

static enum step head(struct conn *k, const uint8_t *data, size_t n)
{
	struct first *f = k->first;
	const struct http_request *q = http_request(f->http);
	struct buf out = BUF_INIT(2 * HTTP_HEAD_MAX);
	enum step s;

	if (!judge_request(k, q))
		return STEP_OVER;
	http_accept(f->http);
	timer_stop(&k->b->loop, &k->timer);
	if (!q->rewrite)
		return first_send(k, data, n);
	if (http_rewrite(f->http, data, n, &out) < 0 || out.failed || out.len < f->sent ||
	    memcmp(out.data, data, f->sent) != 0) {
		buf_free(&out);
		conn_abort(k);
		return STEP_OVER;
	}
	s = first_send(k, (const uint8_t *)out.data, out.len);
	buf_free(&out);
	return s;
}

static enum step http(struct conn *k, const uint8_t *data, size_t len, size_t *n)
{
	struct first *f = k->first;

	switch (http_next(f->http, data, len, n)) {
	case HTTP_MORE:
		*n = 0;
		return STEP_MORE;
	case HTTP_JUDGE:
		return head(k, data, *n);
	case HTTP_SEND:
		return first_send(k, data, *n);
	case HTTP_WAIT:
		f->state = HTTP_SWITCH;
		*n = 0;
		return STEP_MORE;
	case HTTP_OPAQUE:
		*n = 0;
		return STEP_OPAQUE;
	case HTTP_H2:
		if (policy_is_open(k->b)) {
			*n = 0;
			return STEP_OPAQUE;
		}
		refuse_http(k, 403, "HTTP/2 without TLS names hosts that cannot be judged");
		return STEP_OVER;
	case HTTP_DONE:
		f->state = HTTP_OVER;
		*n = len;
		return STEP_MORE;
	case HTTP_BAD:
	default:
		refuse_http(k, 400, http_why(f->http));
		return STEP_OVER;
	}
}

static enum step one_step(struct conn *k, const uint8_t *data, size_t len, size_t *n)
{
	*n = 0;
	switch (k->first->state) {
	case SNIFF:
		return first_sniff(k, data, len, n);
	case LONG_WORD:
	case LONG_LINE:
		return first_long_line(k, data, len, n);
	case TLS:
		return tls(k, data, len, n);
	case HTTP:
		return http(k, data, len, n);
	case HTTP_OVER:
		*n = len;
		return STEP_MORE;
	case TLS_ANSWER:
	case HTTP_SWITCH:
	default:
		return STEP_MORE;
	}
}

/* Judges data; what is left is kept. held: data is f->data. */
static enum step judge(struct conn *k, const uint8_t *data, size_t len, bool held)
{
	struct first *f = k->first;
	size_t at = 0;
	enum step s = STEP_AGAIN;

	while (s == STEP_AGAIN && at < len) {
		size_t n;

		s = one_step(k, data + at, len - at, &n);
		if (s == STEP_OVER)
			return s;
		at += n;
	}
	if (s == STEP_OPAQUE) {
		s = first_send(k, data + at, len - at);
		if (s == STEP_OVER)
			return s;
		first_free(k);
		return STEP_OPAQUE;
	}
	if (held) {
		memmove(f->data, f->data + at, f->len - at);
		f->len -= at;
	} else if (hold(f, data + at, len - at) < 0) {
		conn_abort(k);
		return STEP_OVER;
	}
	if (f->len == 0)
		drop(f);
	/* A clock for what was begun and is not whole. */
	if (f->len == 0)
		timer_stop(&k->b->loop, &k->timer);
	else if (!timer_runs(&k->timer) && f->state != TLS_ANSWER && f->state != HTTP_SWITCH)
		timer_start(&k->b->loop, &k->timer, f->state == SNIFF ? EARLY_MS : LATE_MS);
	return STEP_MORE;
}

/* All that is held and all that comes in. */
static enum pump_result judge_all(struct conn *k)
{
	struct first *f = k->first;
	size_t moved = 0;

	while (moved < TURN_MAX) {
		enum step s;
		ssize_t n;

		/* The server must have taken what was judged, or we would hold without end. */
		if (pump_flush(&k->to_up, &k->up) == PUMP_WAIT)
			return PUMP_WAIT;
		if (f->state == TLS_ANSWER || f->state == HTTP_SWITCH)
			return PUMP_WAIT;
		n = pump_recv(&k->client, pump_buf, sizeof(pump_buf));
		if (n == -EAGAIN)
			return PUMP_WAIT;
		if (n < 0)
			return PUMP_RESET;
		if (n == 0) {
			k->to_up.eof = true;
			/* What might have become a first line is none: who says two bytes and
			 * closes its side waits for an answer to them. */
			if (f->state == SNIFF)
				first_late(k);
			return PUMP_ENDED;
		}
		moved += (size_t)n;
		if (f->len == 0) {
			s = judge(k, pump_buf, (size_t)n, false);
		} else if (hold(f, pump_buf, (size_t)n) < 0) {
			conn_abort(k);
			return PUMP_ENDED;
		} else {
			s = judge(k, f->data, f->len, true);
		}
		if (s == STEP_OVER)
			return PUMP_ENDED;
		if (s == STEP_OPAQUE)
			break;
	}
	return PUMP_MORE;
}

enum pump_result first_to_up(struct conn *k)
{
	struct first *f = k->first;
	enum pump_result r;

	if (k->to_up.ended)
		return PUMP_ENDED;
	/* Held from before this turn: bytes that came with the accept, or that waited for the
	 * server's answer. */
	if (f->len && pump_flush(&k->to_up, &k->up) != PUMP_WAIT) {
		enum step s = judge(k, f->data, f->len, true);

		if (s == STEP_OVER)
			return PUMP_ENDED;
		if (s == STEP_OPAQUE)
			return pump(k, &k->to_up, &k->client, &k->up);
	}
	r = judge_all(k);
	if (k->gone)
		return PUMP_ENDED;
	if (r == PUMP_ENDED) {
		/* It ended in the midst of a word. What was no request's beginning so far cannot
		 * become one; the rest is not said to anybody. */
		bool one = f->state == HTTP_OVER;

		if (f->state == SNIFF && first_send(k, f->data, f->len) == STEP_OVER)
			return PUMP_ENDED;
		first_free(k);
		if (one)
			k->to_up.ended = true;
	}
	if (!k->first)
		return pump(k, &k->to_up, &k->client, &k->up);
	return r;
}

/* ---- the server's first bytes ---- */

static void server_said(struct conn *k, const uint8_t *data, size_t len)
{
	struct first *f = k->first;
	int r;

	if (f->state == TLS_ANSWER) {
		size_t n = sizeof(f->server) - f->n_server;

		n = n < len ? n : len;
		memcpy(f->server + f->n_server, data, n);
		f->n_server = (uint8_t)(f->n_server + n);
		r = hello_retry_asked(f->server, f->n_server);
		if (r == -EAGAIN)
			return;
		if (r == 1) {
			hello_init(&f->hello, true);
			f->state = TLS;
			return;
		}
		r = pump_send(&k->to_up, &k->up, f->data, f->len);
		first_free(k);
		if (r < 0)
			conn_abort(k);
	} else {
		r = http_answer_feed(&f->answer, data, len);
		if (r == 0)
			return;
		http_switched(f->http, r == 101);
		if (f->state == HTTP_SWITCH)
			f->state = HTTP;
	}
}

/* Does something hang on what the server says next? */
static bool listens(const struct first *f)
{
	return f && (f->state == TLS_ANSWER || f->state == HTTP_SWITCH ||
		     (f->state == HTTP && !f->answer.status && http_request(f->http)->upgrade));
}

enum pump_result first_to_client(struct conn *k)
{
	struct way *w = &k->to_client;
	ssize_t n;

	if (w->ended)
		return PUMP_ENDED;
	while (listens(k->first)) {
		if (pump_flush(w, &k->client) == PUMP_WAIT)
			return PUMP_WAIT;
		if (w->eof)
			break;
		n = pump_recv(&k->up, pump_buf, sizeof(pump_buf));
		if (n == -EAGAIN)
			return PUMP_WAIT;
		if (n < 0)
			return PUMP_RESET;
		if (n == 0)
			w->eof = true;
		else if (pump_send(w, &k->client, pump_buf, (size_t)n) < 0)
			return PUMP_RESET;
		else
			server_said(k, pump_buf, (size_t)n);
		if (k->gone)
			return PUMP_ENDED;
	}
	return pump(k, w, &k->up, &k->client);
}
