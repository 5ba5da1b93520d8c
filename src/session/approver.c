/* SPDX-License-Identifier: Apache-2.0 */
#include "session/approver.h"

static struct approver *approver_new(const struct approver_setup *s)
{
	switch (s->kind) {
	case APPROVER_TTY:
		return approver_tty_new(s);
	case APPROVER_CLIENT:
		return approver_client_new(s);
	case APPROVER_SOCKET:
		return approver_socket_new(s);
	case APPROVER_MAILBOX:
		return approver_mailbox_new(s);
	}
	return NULL;
}

void approvers_start(struct approvers *set, const struct approver_setups *from,
		     void (*answered)(void *ctx, uint32_t id, const struct ask_answer *a),
		     void (*terminal)(void *ctx, unsigned what), void *ctx)
{
	*set = (struct approvers){ .answered = answered, .terminal = terminal, .ctx = ctx };
	for (size_t i = 0; i < from->n; i++) {
		struct approver *a = approver_new(&from->v[i]);

		if (!a)
			continue; /* one less to ask: at worst a deny */
		a->set = set;
		a->name = from->v[i].name;
		set->v[set->n++] = a;
	}
}

bool approvers_show(struct approvers *set, const struct ask *q)
{
	bool any = false;

	for (size_t i = 0; i < set->n; i++)
		any |= set->v[i]->ops->show(set->v[i], q);
	return any;
}

void approvers_forget(struct approvers *set, const struct ask *q)
{
	for (size_t i = 0; i < set->n; i++)
		set->v[i]->ops->forget(set->v[i], q);
}

bool approvers_present(const struct approvers *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i]->ops->present(set->v[i]))
			return true;
	return false;
}

size_t approvers_poll(struct approvers *set, struct pollfd *p, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct approver *a = set->v[i];

		a->n_polled = a->ops->poll(a, p + n, max - n);
		n += a->n_polled;
	}
	return n;
}

void approvers_ready(struct approvers *set, const struct pollfd *p, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i < set->n && from < n; i++) {
		struct approver *a = set->v[i];

		a->ops->ready(a, p + from, a->n_polled);
		from += a->n_polled;
	}
}

int approvers_timeout(const struct approvers *set, long long now_ms)
{
	int soonest = -1;

	for (size_t i = 0; i < set->n; i++) {
		const struct approver *a = set->v[i];
		int t = a->ops->timeout ? a->ops->timeout(a, now_ms) : -1;

		if (t >= 0 && (soonest < 0 || t < soonest))
			soonest = t;
	}
	return soonest;
}

void approvers_tick(struct approvers *set, long long now_ms)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i]->ops->tick)
			set->v[i]->ops->tick(set->v[i], now_ms);
}

void approvers_terminal(struct approvers *set, bool given)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->v[i]->ops->terminal)
			set->v[i]->ops->terminal(set->v[i], given);
}

void approvers_close(struct approvers *set)
{
	for (size_t i = 0; i < set->n; i++)
		set->v[i]->ops->close(set->v[i]);
	set->n = 0;
}

void approver_answers(struct approver *a, uint32_t id, enum decision decision, enum ask_hold hold)
{
	const struct ask_answer answer = {
		.decision = decision, .hold = hold, .by = a->name, .answered = true
	};

	a->set->answered(a->set->ctx, id, &answer);
}
