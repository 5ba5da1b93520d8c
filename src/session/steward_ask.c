/* SPDX-License-Identifier: Apache-2.0 */
/* Between those that ask (the broker, the supervisor), the queue and those that answer. */
#include <string.h>

#include "session/steward_impl.h"

static void answer_waiter(struct steward *st, enum ask_kind kind, uint32_t waiter,
			  const struct ask_answer *a)
{
	if (kind == ASK_FILE)
		tell_answer(st, waiter, a);
	else if (st->broker >= 0)
		broker_answer(st, waiter, a);
}

static void tell_asked(struct steward *st, const struct ask *a)
{
	struct tell t = { .type = REC_ASKED,
			  .pid = a->pid,
			  .op = a->op,
			  .decision = VERDICT_ASK,
			  .how = a->kind == ASK_FILE ? REC_FILE : 0,
			  .count = a->id,
			  .port = a->port,
			  .host = a->target,
			  .addr = a->command,
			  .exe = a->exe,
			  .rule = a->rule,
			  .origin = a->origin,
			  .reason = a->reason };

	tell_warden(st, &t);
}

/* hold: enum ask_hold goes as `err`: the record has no other place for it. */
static void tell_answered(struct steward *st, const struct ask *a, const struct ask_answer *answer,
			  long long now)
{
	struct tell t = { .type = REC_ANSWERED,
			  .pid = a->pid,
			  .op = a->op,
			  .decision = answer->decision,
			  .answered = answer->answered,
			  .how = a->kind == ASK_FILE ? REC_FILE : 0,
			  .err = (int)answer->hold,
			  .count = a->id,
			  .ms = (unsigned)(now - a->began_ms),
			  .port = a->port,
			  .host = a->target,
			  .addr = answer->by,
			  .exe = a->exe };

	tell_warden(st, &t);
}

/* "by" of what nobody answered; steward_egress.c has words for them. */
static const char by_nobody[] = "nobody", by_time[] = "time";

/* Ends a question for all who wait for it. */
static void conclude(struct steward *st, struct ask *a, const struct ask_answer *given)
{
	struct ask_answer answer = *given;
	long long now = session_now_ms();

	approvers_forget(&st->approvers, a);
	if (a->once)
		answer.hold = HOLD_ONCE;
	if (answer.hold >= HOLD_LOCAL && !policy_write_answer(st, a, &answer))
		answer.hold = HOLD_SESSION;
	tell_answered(st, a, &answer, now);
	for (size_t i = 0; i < a->n_waiters; i++)
		answer_waiter(st, a->kind, a->waiters[i], &answer);
	ask_close(&st->asks, a, &answer, now);
}

void steward_answered(void *ctx, uint32_t id, const struct ask_answer *answer)
{
	struct steward *st = ctx;
	struct ask *a = ask_find(&st->asks, id);

	if (a)
		conclude(st, a, answer);
}

void steward_ask(struct steward *st, const struct ask_new *what)
{
	struct ask_answer no = { .decision = VERDICT_DENY, .hold = HOLD_ONCE, .by = by_nobody };
	long long now = session_now_ms();
	const struct ask_answer *known = ask_known(&st->asks, what, now);
	struct ask *a;
	bool fresh;

	if (known) {
		answer_waiter(st, what->kind, what->waiter, known);
		return;
	}
	if (what->kind == ASK_NET && st->policy->managed_only) {
		/* Unseen, and told as a refusal by policy only. */
		no.by = "managed policy";
		no.answered = true;
		answer_waiter(st, what->kind, what->waiter, &no);
		return;
	}
	a = ask_add(&st->asks, what, now, (long long)st->spec->network.ask_seconds * 1000, &fresh);
	if (!a) {
		no.by = "too many questions";
		answer_waiter(st, what->kind, what->waiter, &no);
		return;
	}
	if (!fresh)
		return;
	if (approvers_show(&st->approvers, a)) {
		tell_asked(st, a);
		return;
	}
	/* The denial itself says so. */
	answer_waiter(st, what->kind, what->waiter, &no);
	ask_close(&st->asks, a, &no, now);
}

static void withdraw(struct steward *st, struct ask *a)
{
	struct ask_answer gone = { .decision = VERDICT_DENY, .by = "nobody waits" };

	approvers_forget(&st->approvers, a);
	tell_answered(st, a, &gone, session_now_ms());
	ask_close(&st->asks, a, NULL, 0);
}

void steward_unask(struct steward *st, enum ask_kind kind, uint32_t waiter)
{
	struct ask *a = ask_leave(&st->asks, kind, waiter);

	if (a)
		withdraw(st, a);
}

void steward_unask_hosts(struct steward *st)
{
	for (size_t i = 0; i < st->asks.n_open;) {
		if (st->asks.open[i]->kind == ASK_NET)
			withdraw(st, st->asks.open[i]);
		else
			i++;
	}
}

void steward_ask_tick(struct steward *st, long long now_ms)
{
	struct ask_answer late = { .decision = VERDICT_DENY, .by = by_time };
	struct ask *a;

	while ((a = ask_overdue(&st->asks, now_ms)))
		conclude(st, a, &late);
	/* Who could have answered may be gone. */
	late.by = by_nobody;
	while (st->asks.n_open && !approvers_present(&st->approvers))
		conclude(st, st->asks.open[0], &late);
}

void steward_file_ask(struct steward *st, const struct record *rec)
{
	_cleanup_free_ char *target = strndup(rec->text, rec->h.target_len);
	char command[WHO_COMMAND_MAX], exe[WHO_EXE_MAX], reason[512], origin[512] = "";
	const struct rule *rule = NULL;
	struct ask_new what = { .kind = ASK_FILE,
				.op = rec->h.op,
				.target = target,
				.pid = rec->h.pid,
				.exe = exe,
				.command = command,
				.rule = reason,
				.origin = origin,
				.reason = reason,
				.waiter = rec->h.count };
	struct ask_answer no = { .decision = VERDICT_DENY, .by = by_nobody };

	if (!target || rec->h.op < 0 || rec->h.op >= OP_COUNT) {
		tell_answer(st, rec->h.count, &no);
		return;
	}
	str_escape(exe, sizeof(exe), rec->text + rec->h.target_len, rec->h.exe_len);
	str_escape(reason, sizeof(reason), rec->text + rec->h.target_len + rec->h.exe_len,
		   rec->h.reason_len);
	who_command(&st->who, rec->h.pid, command, sizeof(command));
	if (rec->h.rule >= 0 && (size_t)rec->h.rule < st->spec->n_rules)
		rule = st->spec->rules[rec->h.rule];
	/* Of a git process (linux/supervisor/checkout.c), or of a command (exec_guard.c). */
	what.once = rule ? rule->access != ACCESS_ASK && rule->exec == EXEC_UNSET
			 : rec->h.op == OP_EXEC;
	if (rule) {
		what.rule = rule->text;
		origin_of(&rule->origin, origin, sizeof(origin));
	}
	steward_ask(st, &what);
}
