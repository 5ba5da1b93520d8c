/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/ask.h"

#include <netinet/in.h>

#include "base/str.h"
#include "egress/control.h"
#include "egress/who.h"

#define ASKS_MAX 512u	  /* questions open at once; who comes then is denied */
#define ANSWERS_MAX 4096u /* kept for the session */
/* An answer "once" is for this long: a program opens several connections for one thing that
 * it does (or the next of a name's addresses), and tries again when it gave up waiting. */
#define ONCE_MS 5000u
#define GRACE_SECONDS 10u /* beyond the steward's own limit, should it say nothing */

struct ask {
	struct dead dead;
	struct broker *b;
	struct ask *next;
	struct asker waiting; /* head of a ring */
	struct timer limit;
	uint32_t id;
	uint16_t port;
	char name[];
};

struct answer {
	struct answer *next;
	uint64_t until; /* 0: the end of the session */
	uint16_t port;
	bool yes;
	char name[];
};

struct asks {
	struct ask *open;
	struct answer *answers;
	unsigned n_open, n_answers;
	uint32_t last_id;
};

int asks_init(struct broker *b)
{
	b->asks = calloc(1, sizeof(*b->asks));
	return b->asks ? 0 : -ENOMEM;
}

int asks_known(struct broker *b, const struct host *h, uint16_t port)
{
	struct answer **p = &b->asks->answers;
	int known = 0;

	while (*p) {
		struct answer *a = *p;

		if (a->until && a->until <= b->loop.now) {
			*p = a->next;
			b->asks->n_answers--;
			free(a);
			continue;
		}
		if (!known && a->port == port && streq(a->name, h->name))
			known = a->yes ? 1 : -1;
		p = &a->next;
	}
	return known;
}

static void keep(struct broker *b, const struct ask *q, bool yes, uint64_t until)
{
	struct asks *all = b->asks;
	size_t len = strlen(q->name);
	struct answer *a;

	if (all->n_answers == ANSWERS_MAX)
		return;
	a = malloc(sizeof(*a) + len + 1);
	if (!a)
		return;
	a->port = q->port;
	a->yes = yes;
	a->until = until;
	memcpy(a->name, q->name, len + 1);
	a->next = all->answers;
	all->answers = a;
	all->n_answers++;
}

static void take_off(struct ask *q)
{
	struct ask **p = &q->b->asks->open;

	while (*p != q)
		p = &(*p)->next;
	*p = q->next;
	q->b->asks->n_open--;
	timer_stop(&q->b->loop, &q->limit);
}

static void close_ask(struct ask *q, enum decision d, const char *reason)
{
	take_off(q);
	while (q->waiting.next != &q->waiting) {
		struct asker *w = q->waiting.next;

		w->prev->next = w->next;
		w->next->prev = w->prev;
		w->ask = NULL;
		w->answered(w, d, reason);
	}
	loop_free(&q->b->loop, &q->dead);
}

static void unask(const struct ask *q)
{
	struct eg_msg m = { .type = EG_UNASK, .id = q->id };

	control_send(q->b, &m, &(struct control_texts){ 0 });
}

static void on_limit(struct timer *t)
{
	struct ask *q = container_of(t, struct ask, limit);

	unask(q);
	close_ask(q, VERDICT_ASK, "nobody answered in time");
}

static struct ask *open_ask(struct broker *b, const struct host *h, uint16_t port)
{
	size_t len = strlen(h->name);
	struct ask *q = calloc(1, sizeof(*q) + len + 1);

	if (!q)
		return NULL;
	q->b = b;
	q->waiting.prev = q->waiting.next = &q->waiting;
	q->limit.on = on_limit;
	q->id = ++b->asks->last_id;
	q->port = port;
	memcpy(q->name, h->name, len + 1);
	q->next = b->asks->open;
	b->asks->open = q;
	b->asks->n_open++;
	if (b->config->ask_seconds)
		timer_start(&b->loop, &q->limit, (b->config->ask_seconds + GRACE_SECONDS) * 1000);
	return q;
}

int asks_wait(struct broker *b, struct asker *w, const struct host *h, uint16_t port,
	      enum eg_how how, const struct tuple *t)
{
	struct ask *q;

	for (q = b->asks->open; q; q = q->next)
		if (q->port == port && streq(q->name, h->name))
			break;
	if (!q) {
		struct eg_msg m = { .type = EG_ASK, .how = how, .rule = -1, .port = port };

		if (b->asks->n_open >= ASKS_MAX)
			return -ENOBUFS;
		q = open_ask(b, h, port);
		if (!q)
			return -ENOMEM;
		m.id = q->id;
		m.inode = t ? who_inode(b, t, IPPROTO_TCP) : 0;
		control_send(b, &m, &(struct control_texts){ .host = q->name });
	}
	w->ask = q;
	w->next = &q->waiting;
	w->prev = q->waiting.prev;
	w->prev->next = w;
	q->waiting.prev = w;
	return 0;
}

void asks_leave(struct broker *b, struct asker *w)
{
	struct ask *q = w->ask;

	if (!q)
		return;
	w->prev->next = w->next;
	w->next->prev = w->prev;
	w->ask = NULL;
	if (q->waiting.next != &q->waiting)
		return;
	unask(q);
	take_off(q);
	loop_free(&b->loop, &q->dead);
}

void asks_answer(struct broker *b, uint32_t id, enum decision d, bool session)
{
	struct ask *q;
	const char *reason = d == VERDICT_ALLOW ? NULL
			     : d == VERDICT_ASK ? "nobody could be asked"
						: "the answer was no";

	if (d != VERDICT_ALLOW && d != VERDICT_ASK)
		d = VERDICT_DENY;
	for (q = b->asks->open; q; q = q->next)
		if (q->id == id)
			break;
	if (!q)
		return;
	if (d != VERDICT_ASK)
		keep(b, q, d == VERDICT_ALLOW, session ? 0 : b->loop.now + ONCE_MS);
	close_ask(q, d, reason);
}

void asks_rejudge(struct broker *b)
{
	struct ask *next;

	for (struct ask *q = b->asks->open; q; q = next) {
		struct net_verdict v;
		struct host h = { 0 };

		next = q->next;
		if (host_parse(q->name, strlen(q->name), &h) < 0)
			continue;
		net_judge(b->config->policy, &h, q->port, &v);
		if (v.decision == VERDICT_ASK)
			continue;
		unask(q);
		close_ask(q, v.decision, v.reason);
	}
}
