/* SPDX-License-Identifier: Apache-2.0 */
/* Violations: one fixed record per denial, sent without waiting. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include "linux/record.h"
#include "linux/supervisor/sup.h"

static int rule_index(const struct spec *s, const struct rule *rule)
{
	if (!rule)
		return -1;
	for (size_t i = 0; i < s->n_rules; i++)
		if (s->rules[i] == rule)
			return (int)i;
	return -1;
}

static uint16_t add_text(struct record *rec, size_t *used, const char *text)
{
	size_t n = strlen(text);

	if (n > sizeof(rec->text) - *used)
		n = sizeof(rec->text) - *used;
	memcpy(rec->text + *used, text, n);
	*used += n;
	return (uint16_t)n;
}

static bool send_record(const struct sup *s, const struct record *rec, size_t text)
{
	return send(s->in->events, rec, sizeof(rec->h) + text, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

/* Losses are told as soon as there is room again. */
void report_flush(struct sup *s)
{
	unsigned n = atomic_exchange(&s->dropped, 0);
	struct record rec = { .h = { .magic = REC_MAGIC, .type = REC_DROPPED, .count = n } };

	if (n && !send_record(s, &rec, 0))
		atomic_fetch_add(&s->dropped, n);
}

/* Bytes of the texts. */
static size_t fill(struct record *rec, struct request *r, enum rec_type type, enum file_op op,
		   const char *path, const struct verdict *v, const char *reason, int err)
{
	char exe[PATH_MAX];
	size_t used = 0;
	int ignored;
	struct task *t = target_task(r, &ignored);
	ssize_t n = t ? readlinkat(t->proc, "exe", exe, sizeof(exe) - 1) : -1;

	exe[n > 0 ? n : 0] = '\0';
	if (!reason)
		reason = v && v->reason ? v->reason : "";
	rec->h = (struct rec_header){
		.magic = REC_MAGIC,
		.type = type,
		.pid = r->tid,
		.op = (int32_t)op,
		.nr = r->nr,
		.err = err,
		.rule = rule_index(r->sup->spec, v ? v->rule : NULL),
		.count = 1,
	};
	rec->h.target_len = add_text(rec, &used, path);
	rec->h.exe_len = add_text(rec, &used, exe);
	rec->h.reason_len = add_text(rec, &used, reason);
	return used;
}

int report_ask(struct request *r, enum file_op op, const char *path, const struct verdict *v,
	       uint32_t question)
{
	struct record rec;
	size_t used = fill(&rec, r, REC_ASK, op, path, v, NULL, 0);

	rec.h.count = question;
	return send_record(r->sup, &rec, used) ? 0 : -EAGAIN;
}

void report_unask(struct sup *s, uint32_t question)
{
	struct record rec = { .h = { .magic = REC_MAGIC, .type = REC_UNASK, .count = question } };

	(void)send_record(s, &rec, 0);
}

int report_denial(struct request *r, enum file_op op, const char *path, const struct verdict *v,
		  const char *reason, int err)
{
	struct sup *s = r->sup;
	struct record rec;
	size_t used;

	if (v && v->decision == VERDICT_ASK) {
		int held = ask_hold(r, op, path, v);

		if (held == SUP_LATER)
			return held;
		reason = ask_possible(s) ? "a rule says ask, and the answer was no"
					 : "a rule says ask, and nobody is there to answer";
	}
	used = fill(&rec, r, REC_VIOLATION, op, path, v, reason, err);
	report_flush(s);
	if (!send_record(s, &rec, used))
		atomic_fetch_add(&s->dropped, 1);
	return -err;
}
