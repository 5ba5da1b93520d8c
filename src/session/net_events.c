/* SPDX-License-Identifier: Apache-2.0 */
/* What the steward tells, as event lines (docs/events.md). */
#include <string.h>

#include "base/json_out.h"
#include "egress/proto.h"
#include "session/internal.h"

#define LINE_MAX_BYTES (128u * 1024u)

enum text { T_HOST, T_ADDR, T_EXE, T_RULE, T_ORIGIN, T_REASON, T_GRANT, T_COUNT };

/* The texts of a record, in place. */
struct texts {
	const char *s[T_COUNT];
	size_t len[T_COUNT];
};

static void split(const struct net_record *rec, struct texts *t)
{
	const char *p = rec->text;

	for (size_t i = 0; i < T_COUNT; i++) {
		t->s[i] = p;
		t->len[i] = rec->len[i];
		p += rec->len[i];
	}
}

static void add(struct buf *b, const char *name, const struct texts *t, enum text i)
{
	json_member_bytes(b, name, t->s[i], t->len[i]);
}

static void add_some(struct buf *b, const char *name, const struct texts *t, enum text i)
{
	if (t->len[i])
		add(b, name, t, i);
}

static void copy(char *dst, size_t size, const struct texts *t, enum text i)
{
	(void)snprintf(dst, size, "%.*s", (int)t->len[i], t->s[i]);
}

static const char *how_name(uint32_t how)
{
	static const char *const names[] = {
		[EG_GATE] = "direct",
		[EG_HTTP_PROXY] = "http-proxy",
		[EG_SOCKS_PROXY] = "socks-proxy",
		[EG_DNS] = "dns",
		[EG_PUBLISH] = "publish",
		[EG_HOST_PORT] = "host-port",
	};

	return how < ARRAY_SIZE(names) ? names[how] : "direct";
}

static const char *decision_word(uint32_t d)
{
	return d == VERDICT_ALLOW ? "allow" : "deny";
}

/* ---- connections ---------------------------------------------------------------- */

void refused_free(struct refused *r)
{
	free(r->v);
	*r = (struct refused){ 0 };
}

void refused_add(struct refused *r, const struct refused_host *h)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].port != h->port || !streq(r->v[i].host, h->host))
			continue;
		r->v[i].count += h->count;
		return;
	}
	if (!r->v)
		r->v = calloc(REFUSED_MAX, sizeof(*r->v));
	if (!r->v || r->n == REFUSED_MAX)
		r->unlisted += h->count;
	else
		r->v[r->n++] = *h;
}

static void remember_refusal(struct session *s, const struct net_record *rec, const struct texts *t)
{
	struct refused_host h = { .port = rec->port, .count = rec->count };

	copy(h.host, sizeof(h.host), t, T_HOST);
	copy(h.reason, sizeof(h.reason), t, t->len[T_REASON] ? T_REASON : T_RULE);
	copy(h.origin, sizeof(h.origin), t, T_ORIGIN);
	copy(h.grant, sizeof(h.grant), t, T_GRANT);
	refused_add(&s->refused, &h);
}

static const char *reason_of(const struct net_record *rec, const struct texts *t)
{
	if (t->len[T_REASON])
		return NULL;
	return rec->answered ? "the answer to a question" : "";
}

static void connection(struct session *s, const struct net_record *rec, const struct texts *t)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);
	const char *reason = reason_of(rec, t);

	if (rec->decision != VERDICT_ALLOW)
		remember_refusal(s, rec, t);
	if (s->sink.fd < 0 && !session_audits(s))
		return;
	session_line_begin(s, &b, "network");
	json_member_str(&b, "decision", decision_word(rec->decision));
	json_member_bool(&b, "asked", rec->answered || rec->decision == VERDICT_ASK);
	add(&b, "host", t, T_HOST);
	json_member_int(&b, "port", rec->port);
	add_some(&b, "address", t, T_ADDR);
	json_member_str(&b, "how", how_name(rec->how));
	json_member_int(&b, "pid", rec->pid);
	add(&b, "exe", t, T_EXE);
	add(&b, "rule", t, T_RULE);
	add(&b, "origin", t, T_ORIGIN);
	if (reason)
		json_member_str(&b, "reason", reason);
	else
		add(&b, "reason", t, T_REASON);
	if (rec->err)
		json_member_int(&b, "errno", rec->err);
	if (rec->decision == VERDICT_ALLOW) {
		json_member_int(&b, "bytes_up", (long long)rec->up);
		json_member_int(&b, "bytes_down", (long long)rec->down);
		json_member_int(&b, "ms", rec->ms);
	} else {
		add(&b, "grant", t, T_GRANT);
	}
	json_member_int(&b, "count", rec->count);
	session_decision_end(s, &b);
}

/* ---- questions -------------------------------------------------------------------- */

static void add_target(struct buf *b, const struct net_record *rec, const struct texts *t)
{
	json_member_int(b, "id", rec->count);
	if (rec->how == REC_FILE) {
		json_member_str(b, "action",
				rec->op >= 0 && rec->op < OP_COUNT
					? file_op_action((enum file_op)rec->op)
					: "file");
		add(b, "target", t, T_HOST);
	} else {
		json_member_str(b, "action", "network-outbound");
		add(b, "host", t, T_HOST);
		json_member_int(b, "port", rec->port);
	}
}

static void asked(struct session *s, const struct net_record *rec, const struct texts *t)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);

	session_line_begin(s, &b, "ask");
	add_target(&b, rec, t);
	json_member_int(&b, "pid", rec->pid);
	add(&b, "exe", t, T_EXE);
	add(&b, "command", t, T_ADDR);
	add(&b, "rule", t, T_RULE);
	add(&b, "origin", t, T_ORIGIN);
	add(&b, "reason", t, T_REASON);
	session_line_end(s, &b);
}

static void answered(struct session *s, const struct net_record *rec, const struct texts *t)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);

	session_line_begin(s, &b, "answer");
	add_target(&b, rec, t);
	json_member_str(&b, "decision", decision_word(rec->decision));
	json_member_bool(&b, "answered", rec->answered);
	add(&b, "by", t, T_ADDR);
	json_member_str(&b, "holds", ask_hold_name((enum ask_hold)rec->err));
	json_member_int(&b, "ms", rec->ms);
	session_decision_end(s, &b);
}

static void policy(struct session *s, const struct net_record *rec, const struct texts *t)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);
	char why[1024], shown[2048];

	copy(why, sizeof(why), t, T_REASON);
	if (rec->err) {
		str_escape(shown, sizeof(shown), why, strlen(why));
		(void)fprintf(stderr, "berm: the rules stay as they were: %s%s\n", shown,
			      isatty(STDERR_FILENO) ? "\r" : "");
	}
	if (s->sink.fd < 0)
		return;
	session_line_begin(s, &b, "policy");
	json_member_bool(&b, "in_force", !rec->err);
	json_member_str(&b, "reason", why);
	session_line_end(s, &b);
}

void session_net_record(struct session *s, const struct net_record *rec)
{
	struct texts t;

	split(rec, &t);
	switch (rec->type) {
	case REC_NET:
		connection(s, rec, &t);
		break;
	case REC_ASKED:
		if (s->sink.fd >= 0)
			asked(s, rec, &t);
		break;
	case REC_ANSWERED:
		if (s->sink.fd >= 0 || session_audits(s))
			answered(s, rec, &t);
		break;
	case REC_POLICY:
		policy(s, rec, &t);
		break;
	default:
		break;
	}
}
