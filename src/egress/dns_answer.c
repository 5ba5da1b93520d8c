/* SPDX-License-Identifier: Apache-2.0 */
/* Builds answers. Every write is bounded by the room; a record that does not fit whole is
 * not there, and the client is told to come over TCP. */
#include <string.h>

#include "egress/dns.h"

struct writer {
	uint8_t *p;
	size_t len, size;
	bool full;
};

static void put(struct writer *w, const void *data, size_t n)
{
	if (w->full || n > w->size - w->len) {
		w->full = true;
		return;
	}
	memcpy(w->p + w->len, data, n);
	w->len += n;
}

static void put16(struct writer *w, unsigned v)
{
	put(w, (const uint8_t[]){ (uint8_t)(v >> 8), (uint8_t)v }, 2);
}

/* Name of text form as labels. */
static void put_name(struct writer *w, const char *name)
{
	while (*name) {
		size_t n = strcspn(name, ".");

		if (n == 0 || n > 63) {
			w->full = true;
			return;
		}
		put(w, &(uint8_t){ (uint8_t)n }, 1);
		put(w, name, n);
		name += n + (name[n] == '.');
	}
	put(w, "", 1);
}

static void put_record(struct writer *w, const struct dns_reply *r)
{
	size_t at;

	put(w, "\xc0\x0c", 2); /* the question's name */
	put16(w, r->type);
	put16(w, 1);
	put16(w, 0);
	put16(w, DNS_TTL);
	at = w->len;
	put16(w, 0);
	if (r->type == DNS_PTR)
		put_name(w, r->name);
	else
		put(w, r->addr.bytes, r->type == DNS_A ? 4 : 16);
	if (!w->full) {
		w->p[at] = (uint8_t)((w->len - at - 2) >> 8);
		w->p[at + 1] = (uint8_t)(w->len - at - 2);
	}
}

/* RFC 6891 6.1.2, with RFC 8914 in it. The text gives way to the room. */
static void put_opt(struct writer *w, const struct dns_query *q, const struct dns_reply *r)
{
	size_t text = r->text ? strlen(r->text) : 0, room;

	put(w, "", 1);
	put16(w, DNS_OPT);
	put16(w, DNS_ANSWER_MAX);
	put(w, (const uint8_t[]){ (uint8_t)(r->rcode >> 4), 0 }, 2);
	put16(w, q->dnssec_ok ? 0x8000 : 0);
	if (r->ede == DNS_EDE_NONE || w->full || w->size - w->len < 8) {
		put16(w, 0);
		return;
	}
	room = w->size - w->len - 8;
	if (text > DNS_TEXT_MAX)
		text = DNS_TEXT_MAX;
	if (text > room)
		text = room;
	put16(w, (unsigned)(text + 6));
	put16(w, 15); /* the option's code; the error's own number follows */
	put16(w, (unsigned)(text + 2));
	put16(w, r->ede);
	if (text)
		put(w, r->text, text);
}

static size_t build(const struct dns_query *q, const struct dns_reply *r, uint8_t *dst, size_t size,
		    bool data, bool truncated)
{
	struct writer w = { .p = dst, .size = size };
	unsigned rcode = r->rcode & 15;

	put16(&w, q->id);
	/* QR, the query's opcode and RD, RA (there is nobody further to ask), CD. */
	put16(&w, 0x8000u | (unsigned)(q->opcode & 15) << 11 | (truncated ? 0x200u : 0) |
			  (q->rd ? 0x100u : 0) | 0x80u | (q->cd ? 0x10u : 0) | rcode);
	put16(&w, q->question_len ? 1 : 0);
	put16(&w, data ? 1 : 0);
	put16(&w, 0);
	put16(&w, q->edns ? 1 : 0);
	put(&w, q->question, q->question_len);
	if (data)
		put_record(&w, r);
	if (q->edns)
		put_opt(&w, q, r);
	return w.full ? 0 : w.len;
}

size_t dns_answer(const struct dns_query *q, const struct dns_reply *r, uint8_t *dst, size_t size)
{
	/* Without a question there is nothing that a record could be of. */
	bool data = r->type != 0 && q->question_len;
	size_t n;

	if (size > DNS_ANSWER_MAX)
		size = DNS_ANSWER_MAX;
	n = build(q, r, dst, size, data, false);
	return n ? n : build(q, r, dst, size, false, true);
}
