/* SPDX-License-Identifier: Apache-2.0 */
#include "session/steward.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "session/inside.h"
#include "session/steward_impl.h"

/* What the broker has to say at the end, before the warden's patience is over. */
#define END_MS 1000

/* Changes of the settings before that are seen then. */
#define WATCH_AFTER_MS 500

/* Descriptors of the kit on which the first packet shows. */
static bool wakes(const struct net_kit *kit, size_t i)
{
	return kit->fd[i] >= 0 && i != KIT_INIT && i != KIT_RTNL && i != KIT_DIAG;
}

static void end_session(struct steward *st)
{
	if (st->ending)
		return;
	st->ending = true;
	st->end_ms = session_now_ms() + END_MS;
	approvers_close(&st->approvers);
	if (st->broker >= 0)
		broker_stop(st);
}

static void warden_ready(struct steward *st)
{
	static struct record rec;
	ssize_t n = 0;

	for (;;) {
		_cleanup_close_ int fd = -1;
		size_t text;

		n = fd_recv_msg(st->warden, &rec, sizeof(rec), &fd);
		if (n <= 0)
			break;

		if ((size_t)n < sizeof(rec.h) || rec.h.magic != REC_MAGIC)
			continue;
		text = (size_t)rec.h.target_len + rec.h.exe_len + rec.h.reason_len;
		if (text > sizeof(rec.text) || (size_t)n != sizeof(rec.h) + text)
			continue;
		switch (rec.h.type) {
		case REC_ASK:
			steward_file_ask(st, &rec);
			break;
		case REC_UNASK:
			steward_unask(st, ASK_FILE, rec.h.count);
			break;
		case REC_TERMINAL:
			approvers_terminal(&st->approvers, rec.h.count == 2 && rec.h.err == 0);
			break;
		case REC_DOORBELL:
			inside_asked(st, take_fd(&fd));
			break;
		case REC_END:
			end_session(st);
			break;
		default:
			break;
		}
	}
	/* The warden is gone: the kernel kills us for it, if it has not yet. */
	if (n != -EAGAIN)
		_exit(125);
}

#define WATCHED_MAX (KIT_MAX + APPROVER_FDS_MAX + 5)

enum { W_WARDEN, W_BROKER, W_SETTINGS, W_CONTROL, W_FIRST };

struct watched {
	struct pollfd p[WATCHED_MAX];
	size_t kit, n_kit, n; /* where the kit's begin, how many; all */
	size_t approvers, n_approvers;
};

static void watch_all(struct steward *st, struct watched *w)
{
	struct pollfd *p = w->p;

	p[W_WARDEN] = (struct pollfd){ .fd = st->warden,
				       .events = POLLIN | outbox_events(&st->to_warden) };
	p[W_BROKER] = (struct pollfd){ .fd = st->broker,
				       .events = POLLIN | outbox_events(&st->to_broker) };
	p[W_SETTINGS] = (struct pollfd){ .fd = st->watch.fd, .events = POLLIN };
	p[W_CONTROL] = (struct pollfd){ .fd = st->control.fd, .events = POLLIN };
	w->n = w->kit = W_FIRST;
	if (st->broker < 0 && !st->broker_gone && !st->ending)
		for (size_t i = 0; i < KIT_MAX; i++)
			if (wakes(st->kit, i))
				p[w->n++] =
					(struct pollfd){ .fd = st->kit->fd[i], .events = POLLIN };
	w->n_kit = w->n - w->kit;
	w->approvers = w->n;
	w->n_approvers = approvers_poll(&st->approvers, &p[w->n], APPROVER_FDS_MAX);
	w->n += w->n_approvers;
}

static int sooner(int a, int b)
{
	return a < 0 ? b : b < 0 ? a : a < b ? a : b;
}

static int patience(const struct steward *st, long long now)
{
	int t = ask_timeout(&st->asks, now);

	t = sooner(t, approvers_timeout(&st->approvers, now));
	t = sooner(t, settings_watch_timeout(&st->watch, now));
	if (st->watch_at)
		t = sooner(t, st->watch_at > now ? (int)(st->watch_at - now) : 0);
	if (st->ending)
		t = sooner(t, st->end_ms > now ? (int)(st->end_ms - now) : 0);
	return t;
}

static void broker_round(struct steward *st, const struct pollfd *p)
{
	if (st->broker < 0 || !p->revents)
		return;
	outbox_flush(&st->to_broker);
	broker_ready(st);
}

static void kit_round(struct steward *st, const struct watched *w)
{
	for (size_t i = 0; i < w->n_kit; i++) {
		int r;

		if (!w->p[w->kit + i].revents)
			continue;
		r = broker_start(st);
		if (r < 0)
			broker_lost(st, strerror(-r));
		return;
	}
}

static bool watch_begins(struct steward *st, long long now)
{
	if (!st->watch_at || now < st->watch_at || st->ending)
		return false;
	st->watch_at = 0;
	policy_watch_start(st);
	return true; /* nobody watched until now */
}

static void one_round(struct steward *st)
{
	static struct watched w;
	long long now;

	watch_all(st, &w);
	if (poll(w.p, w.n, patience(st, session_now_ms())) < 0)
		return;
	now = session_now_ms();
	if (w.p[W_WARDEN].revents) {
		outbox_flush(&st->to_warden);
		warden_ready(st);
	}
	/* What came before a packet holds for it. */
	if (w.p[W_CONTROL].revents)
		policy_control_ready(st);
	broker_round(st, &w.p[W_BROKER]);
	kit_round(st, &w);
	approvers_ready(&st->approvers, &w.p[w.approvers], w.n_approvers);
	steward_ask_tick(st, now);
	approvers_tick(&st->approvers, now);
	if (settings_watch_ready(&st->watch, w.p[W_SETTINGS].revents != 0, now) ||
	    watch_begins(st, now))
		policy_reload(st);
}

static bool done(const struct steward *st)
{
	if (!st->ending)
		return false;
	return session_now_ms() >= st->end_ms || (st->broker < 0 && !st->to_warden.first);
}

static void ask_terminal(void *ctx, unsigned what)
{
	struct steward *st = ctx;
	struct rec_header h = {
		.magic = REC_MAGIC, .type = REC_TERMINAL, .op = -1, .rule = -1, .count = what
	};

	(void)outbox_send(&st->to_warden, &h, sizeof(h), -1, 1);
}

void session_steward(void *ctx, struct net_kit *kit, int warden_fd)
{
	static struct steward st;

	st = (struct steward){ .s = ctx,
			       .spec = ((struct session *)ctx)->spec,
			       .kit = kit,
			       .warden = warden_fd,
			       .broker = -1,
			       .watch = SETTINGS_WATCH_INIT,
			       .control = CONTROL_INIT };
	st.policy = st.spec->network.policy;
	if (!st.policy) {
		struct net_policy *made;

		/* Without a steward nothing is let out. */
		if (net_policy_new(st.spec, &made, NULL) < 0)
			_exit(1);
		st.policy = made;
	}
	outbox_init(&st.to_warden, warden_fd);
	outbox_init(&st.to_broker, -1);
	who_init(&st.who, kit->init_pid);
	(void)signal(SIGPIPE, SIG_IGN);
	approvers_start(&st.approvers, &st.s->approvers, steward_answered, ask_terminal, &st);
	st.control.fd = st.s->control;
	st.watch_at = session_now_ms() + WATCH_AFTER_MS;
	policy_reload(&st);
	policy_control_ready(&st);
	while (!done(&st))
		one_round(&st);
	/* PDEATHSIG ends a broker that is still there. */
	_exit(0);
}
