/* SPDX-License-Identifier: Apache-2.0 */
/* Records from the steward to the warden. */
#include <string.h>

#include "session/steward_impl.h"

void origin_of(const struct origin *o, char *dst, size_t size)
{
	if (o->line)
		(void)snprintf(dst, size, "%s:%u", o->file, o->line);
	else
		(void)snprintf(dst, size, "%s", o->file ? o->file : "");
}

void tell_warden(struct steward *st, const struct tell *t)
{
	static struct net_record rec;
	const char *const texts[] = { t->host,	 t->addr,   t->exe,  t->rule,
				      t->origin, t->reason, t->grant };
	size_t used = 0;

	rec = (struct net_record){ .magic = REC_MAGIC,
				   .type = t->type,
				   .pid = t->pid,
				   .decision = t->decision,
				   .answered = t->answered,
				   .how = t->how,
				   .err = t->err,
				   .count = t->count,
				   .ms = t->ms,
				   .op = t->op,
				   .up = t->up,
				   .down = t->down,
				   .port = t->port };
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		size_t n = texts[i] ? strlen(texts[i]) : 0;

		if (n > sizeof(rec.text) - used)
			n = sizeof(rec.text) - used;
		if (n)
			memcpy(rec.text + used, texts[i], n);
		rec.len[i] = (uint16_t)n;
		used += n;
	}
	(void)outbox_send(&st->to_warden, &rec, offsetof(struct net_record, text) + used, -1, 0);
}

static void send_record(struct steward *st, const struct rec_header *h, const char *target,
			const char *reason)
{
	static struct record rec;
	size_t n = strlen(target), m = strlen(reason);

	if (n > 256)
		n = 256;
	if (m > 1024)
		m = 1024;
	rec.h = *h;
	rec.h.magic = REC_MAGIC;
	rec.h.target_len = (uint16_t)n;
	rec.h.exe_len = 0;
	rec.h.reason_len = (uint16_t)m;
	memcpy(rec.text, target, n);
	memcpy(rec.text + n, reason, m);
	(void)outbox_send(&st->to_warden, &rec, sizeof(rec.h) + n + m, -1, 1);
}

void tell_degraded(struct steward *st, const char *what, const char *reason)
{
	struct rec_header h = { .type = REC_DEGRADED, .op = -1, .nr = -1, .rule = -1, .count = 1 };

	send_record(st, &h, what, reason);
}

void tell_answer(struct steward *st, uint32_t id, const struct ask_answer *a)
{
	struct rec_header h = { .type = REC_ANSWER,
				.op = -1,
				.nr = a->hold != HOLD_ONCE,
				.err = a->decision == VERDICT_ALLOW ? 0 : EACCES,
				.rule = -1,
				.count = id };

	send_record(st, &h, "", "");
}
