/* SPDX-License-Identifier: Apache-2.0 */
/* What the broker says. It reads what the sandbox sends, so every byte from it counts as
 * hostile: lengths are checked first, then numbers, and a text is used only as far as
 * it is what it should be. */
#include <string.h>
#include <sys/socket.h>

#include "session/steward_impl.h"

struct said {
	const struct eg_msg *m;
	char host[HOST_MAX + 1]; /* normalised; "" none */
	struct host parsed;
	bool has_host;
	char addr[64];
	char exe[WHO_EXE_MAX];
	char reason[512];
};

static void take_text(char *dst, size_t size, const char *text, size_t len)
{
	str_escape(dst, size, text, len);
}

/* The texts, copied and checked. false: the message is not what it says. */
static bool read_texts(const struct eg_msg *m, struct said *ret)
{
	const char *p = m->text;

	memset(ret, 0, sizeof(*ret));
	ret->m = m;
	if (m->host_len) {
		if (host_parse(p, m->host_len, &ret->parsed) < 0)
			return false;
		memcpy(ret->host, ret->parsed.name, sizeof(ret->host));
		ret->has_host = true;
	}
	p += m->host_len;
	take_text(ret->addr, sizeof(ret->addr), p, m->addr_len);
	p += m->addr_len;
	take_text(ret->exe, sizeof(ret->exe), p, m->exe_len);
	p += m->exe_len;
	take_text(ret->reason, sizeof(ret->reason), p, m->reason_len);
	return true;
}

static pid_t whose(struct steward *st, const struct eg_msg *m)
{
	return m->pid > 0 ? m->pid : who_has_socket(&st->who, m->inode);
}

static void on_who(struct steward *st, const struct eg_msg *m)
{
	pid_t pid = who_has_socket(&st->who, m->inode);
	struct eg_msg a = { .magic = EG_MAGIC, .type = EG_WHO_IS, .id = m->id, .pid = pid };
	char exe[WHO_EXE_MAX];

	who_exe(&st->who, pid, exe, sizeof(exe));
	a.exe_len = (uint16_t)strlen(exe);
	memcpy(a.text, exe, a.exe_len);
	(void)outbox_send(&st->to_broker, &a, EG_MSG_SIZE(a.exe_len), -1, 0);
}

static void on_ask(struct steward *st, const struct said *said)
{
	const struct eg_msg *m = said->m;
	char exe[WHO_EXE_MAX], command[WHO_COMMAND_MAX], origin[512] = "";
	pid_t pid = whose(st, m);
	struct net_verdict v;
	struct ask_new what = { .kind = ASK_NET,
				.op = -1,
				.target = said->host,
				.port = m->port,
				.pid = pid,
				.exe = exe,
				.command = command,
				.origin = origin,
				.waiter = m->id };

	net_judge(st->policy, &said->parsed, m->port, &v);
	who_exe(&st->who, pid, exe, sizeof(exe));
	who_command(&st->who, pid, command, sizeof(command));
	if (v.rule)
		origin_of(&v.rule->origin, origin, sizeof(origin));
	what.rule = v.rule ? v.rule->text : "";
	what.reason = v.reason;
	/* Only what is to be asked is asked: the broker does not decide that. */
	if (v.decision != VERDICT_ASK) {
		struct ask_answer a = { .decision = v.decision, .by = "policy", .answered = true };

		broker_answer(st, m->id, &a);
		return;
	}
	steward_ask(st, &what);
}

/* The rule that the broker names, as far as it fits the host. */
static const struct net_rule *rule_of(const struct steward *st, const struct said *said)
{
	const struct net_policy *const both[] = { st->policy, st->before };
	int32_t i = said->m->rule;

	for (size_t k = 0; i >= 0 && said->has_host && k < ARRAY_SIZE(both); k++)
		if (both[k] && (size_t)i < both[k]->n_rules &&
		    host_pattern_match(&both[k]->rules[i].pat, &said->parsed, said->m->port))
			return &both[k]->rules[i];
	return NULL;
}

/* Why it was denied, where a rule says ask. */
static void unanswered(const struct steward *st, const struct said *said,
		       const struct ask_answer *last, char *dst, size_t size)
{
	bool late = last && streq(last->by, "time");
	struct net_verdict v = { .reason = "a rule says ask" };

	if (said->has_host)
		net_judge(st->policy, &said->parsed, said->m->port, &v);
	(void)snprintf(dst, size, "%s, and nobody %s", v.reason,
		       late ? "answered in time" : "could be asked");
}

static void on_conn(struct steward *st, const struct said *said)
{
	const struct eg_msg *m = said->m;
	const struct net_rule *rule = rule_of(st, said);
	const struct ask_answer *last = ask_last(&st->asks, ASK_NET, -1, said->host, m->port);
	char exe[WHO_EXE_MAX], origin[512] = "", grant[512] = "", reason[256];
	struct net_verdict v = { .decision = (enum decision)m->decision,
				 .rule = rule,
				 .reason = said->reason };
	struct tell t = { .type = REC_NET,
			  .pid = whose(st, m),
			  .decision = v.decision,
			  .how = m->how <= EG_HOST_PORT ? m->how : EG_GATE,
			  .err = m->err,
			  .count = m->count ? m->count : 1,
			  .ms = m->ms,
			  .op = -1,
			  .up = m->up,
			  .down = m->down,
			  .port = m->port,
			  .host = said->has_host ? said->host : said->addr,
			  .addr = said->addr,
			  .exe = said->exe,
			  .origin = origin,
			  .reason = said->reason,
			  .grant = grant };

	if (m->decision > VERDICT_ASK)
		return;
	if (!said->exe[0]) {
		who_exe(&st->who, t.pid, exe, sizeof(exe));
		t.exe = exe;
	}
	if (rule) {
		t.rule = rule->text;
		origin_of(&rule->origin, origin, sizeof(origin));
	} else {
		t.rule = "";
	}
	if (said->has_host && (!rule || rule->decision == VERDICT_ASK) && last) {
		t.answered = last->answered;
		if (!last->answered && v.decision != VERDICT_ALLOW)
			t.decision = VERDICT_ASK;
	}
	if (t.decision == VERDICT_ASK) {
		unanswered(st, said, last, reason, sizeof(reason));
		t.reason = reason;
	}
	if (v.decision != VERDICT_ALLOW && said->has_host)
		net_grant(st->policy, &said->parsed, m->port, &v, grant, sizeof(grant));
	tell_warden(st, &t);
}

static void on_message(struct steward *st, const struct eg_msg *m)
{
	static struct said said;

	if (!read_texts(m, &said))
		return;
	switch (m->type) {
	case EG_ASK:
		if (said.has_host && m->port)
			on_ask(st, &said);
		break;
	case EG_UNASK:
		steward_unask(st, ASK_NET, m->id);
		break;
	case EG_WHO:
		on_who(st, m);
		break;
	case EG_CONN:
		on_conn(st, &said);
		break;
	case EG_DEGRADED:
		tell_degraded(st, "network", said.reason);
		break;
	default:
		break;
	}
}

/* 1: a message, 0: nothing (any more), negative: it is gone. */
static int receive(struct steward *st, struct eg_msg *m)
{
	ssize_t n;
	size_t text;

	do
		n = recv(st->broker, m, sizeof(*m), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return -EPIPE;
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	if ((size_t)n < EG_MSG_SIZE(0) || m->magic != EG_MAGIC)
		return -EPROTO;
	text = (size_t)m->host_len + m->addr_len + m->exe_len + m->reason_len;
	if (text > sizeof(m->text) || (size_t)n != EG_MSG_SIZE(text))
		return -EPROTO;
	return 1;
}

void broker_ready(struct steward *st)
{
	static struct eg_msg m;
	int r = 0;

	/* Not for ever: answers and the warden wait as well. */
	for (int i = 0; i < 256; i++) {
		r = receive(st, &m);
		if (r <= 0)
			break;
		on_message(st, &m);
	}
	if (r >= 0)
		return;
	broker_lost(st, r == -EPROTO ? "the broker said something that it never says"
				     : "the broker died");
}
