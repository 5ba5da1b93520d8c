/* SPDX-License-Identifier: Apache-2.0 */
#include "session/ask.h"

#include <string.h>

#include "base/cleanup.h"

static void ask_free(struct ask *a)
{
	free(a->target);
	free(a->exe);
	free(a->command);
	free(a->rule);
	free(a->origin);
	free(a->reason);
	free(a->waiters);
	free(a);
}

void ask_queue_free(struct ask_queue *q)
{
	for (size_t i = 0; i < q->n_open; i++)
		ask_free(q->open[i]);
	for (size_t i = 0; i < q->n_kept; i++)
		free(q->kept[i].target);
	free(q->kept);
	*q = (struct ask_queue){ 0 };
}

static bool kept_matches(const struct ask_kept *k, enum ask_kind kind, int op, const char *target,
			 uint16_t port)
{
	return k->kind == kind && k->op == op && k->port == port && streq(k->target, target);
}

static struct ask_kept *find_kept(const struct ask_queue *q, enum ask_kind kind, int op,
				  const char *target, uint16_t port)
{
	for (size_t i = 0; i < q->n_kept; i++)
		if (kept_matches(&q->kept[i], kind, op, target, port))
			return &q->kept[i];
	return NULL;
}

const struct ask_answer *ask_known(const struct ask_queue *q, const struct ask_new *what,
				   long long now_ms)
{
	const struct ask_kept *k = find_kept(q, what->kind, what->op, what->target, what->port);

	if (!k || (k->until_ms && now_ms >= k->until_ms))
		return NULL;
	return &k->answer;
}

const struct ask_answer *ask_last(const struct ask_queue *q, enum ask_kind kind, int op,
				  const char *target, uint16_t port)
{
	const struct ask_kept *k = find_kept(q, kind, op, target, port);

	return k ? &k->answer : NULL;
}

static int add_waiter(struct ask *a, uint32_t waiter)
{
	uint32_t *v;

	for (size_t i = 0; i < a->n_waiters; i++)
		if (a->waiters[i] == waiter)
			return 0;
	if (a->n_waiters == ASK_WAITERS_MAX)
		return -ENOSPC;
	v = reallocarray(a->waiters, a->n_waiters + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	a->waiters = v;
	v[a->n_waiters++] = waiter;
	return 0;
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

static struct ask *ask_make(const struct ask_new *what)
{
	struct ask *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->kind = what->kind;
	a->op = what->op;
	a->port = what->port;
	a->pid = what->pid;
	a->once = what->once;
	a->target = copy(what->target);
	a->exe = copy(what->exe);
	a->command = copy(what->command);
	a->rule = copy(what->rule);
	a->origin = copy(what->origin);
	a->reason = copy(what->reason);
	if (!a->target || !a->exe || !a->command || !a->rule || !a->origin || !a->reason ||
	    add_waiter(a, what->waiter) < 0) {
		ask_free(a);
		return NULL;
	}
	return a;
}

struct ask *ask_add(struct ask_queue *q, const struct ask_new *what, long long now_ms,
		    long long wait_ms, bool *ret_new)
{
	struct ask *a;

	for (size_t i = 0; i < q->n_open; i++) {
		a = q->open[i];
		if (a->kind != what->kind || a->op != what->op || a->port != what->port ||
		    !streq(a->target, what->target))
			continue;
		if (add_waiter(a, what->waiter) < 0)
			return NULL;
		*ret_new = false;
		return a;
	}
	if (q->n_open == ASK_MAX)
		return NULL;
	a = ask_make(what);
	if (!a)
		return NULL;
	a->id = ++q->last_id;
	a->began_ms = now_ms;
	a->end_ms = now_ms + wait_ms;
	q->open[q->n_open++] = a;
	*ret_new = true;
	return a;
}

struct ask *ask_find(const struct ask_queue *q, uint32_t id)
{
	for (size_t i = 0; i < q->n_open; i++)
		if (q->open[i]->id == id)
			return q->open[i];
	return NULL;
}

struct ask *ask_leave(struct ask_queue *q, enum ask_kind kind, uint32_t waiter)
{
	for (size_t i = 0; i < q->n_open; i++) {
		struct ask *a = q->open[i];

		for (size_t w = 0; a->kind == kind && w < a->n_waiters; w++) {
			if (a->waiters[w] != waiter)
				continue;
			a->waiters[w] = a->waiters[--a->n_waiters];
			return a->n_waiters ? NULL : a;
		}
	}
	return NULL;
}

struct ask *ask_overdue(const struct ask_queue *q, long long now_ms)
{
	for (size_t i = 0; i < q->n_open; i++)
		if (now_ms >= q->open[i]->end_ms)
			return q->open[i];
	return NULL;
}

int ask_timeout(const struct ask_queue *q, long long now_ms)
{
	long long left = -1;

	for (size_t i = 0; i < q->n_open; i++) {
		long long l = q->open[i]->end_ms - now_ms;

		if (l < 0)
			l = 0;
		if (left < 0 || l < left)
			left = l;
	}
	return left > 1000 * 1000 ? 1000 * 1000 : (int)left;
}

/* A full table forgets its oldest answer: asking once more is safe. */
static struct ask_kept *kept_slot(struct ask_queue *q)
{
	struct ask_kept *k;

	if (!q->kept)
		q->kept = calloc(ASK_KEPT_MAX, sizeof(*q->kept));
	if (!q->kept)
		return NULL;
	if (q->n_kept < ASK_KEPT_MAX)
		return &q->kept[q->n_kept++];
	k = &q->kept[q->next_kept++ % ASK_KEPT_MAX];
	free(k->target);
	return k;
}

static void keep(struct ask_queue *q, struct ask *a, const struct ask_answer *answer,
		 long long now_ms)
{
	struct ask_kept *k = find_kept(q, a->kind, a->op, a->target, a->port);

	if (!k) {
		k = kept_slot(q);
		if (!k)
			return;
		*k = (struct ask_kept){ .kind = a->kind, .op = a->op, .port = a->port };
		k->target = take_ptr(a->target);
	}
	k->answer = *answer;
	if (answer->hold != HOLD_ONCE)
		k->until_ms = 0;
	else if (answer->decision == VERDICT_DENY)
		k->until_ms = now_ms + ASK_QUIET_MS;
	else
		k->until_ms = now_ms; /* known as the last answer, holds no more */
}

void ask_close(struct ask_queue *q, struct ask *a, const struct ask_answer *answer,
	       long long now_ms)
{
	for (size_t i = 0; i < q->n_open; i++) {
		if (q->open[i] != a)
			continue;
		memmove(&q->open[i], &q->open[i + 1], (q->n_open - i - 1) * sizeof(*q->open));
		q->n_open--;
		break;
	}
	if (answer)
		keep(q, a, answer, now_ms);
	ask_free(a);
}

const char *ask_hold_name(enum ask_hold h)
{
	static const char *const names[] = { "once", "session", "local settings", "user settings" };

	return (unsigned)h < ARRAY_SIZE(names) ? names[h] : "once";
}
