/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/steward.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "linux/kit.h"
#include "linux/net_wait.h"
#include "linux/output.h"
#include "linux/warm.h"

/* The kit, while this process has it. */
static struct net_kit kit;
static bool held;

/* The warden's last words to us, the same as ours to it. */
static void send_end(int fd)
{
	struct rec_header h = { .magic = REC_MAGIC, .type = REC_END };

	(void)send(fd, &h, sizeof(h), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void degraded(int fd, const char *reason)
{
	static const char what[] = "network";
	static struct record rec;

	rec.h = (struct rec_header){ .magic = REC_MAGIC,
				     .type = REC_DEGRADED,
				     .op = -1,
				     .rule = -1,
				     .target_len = sizeof(what) - 1,
				     .reason_len = (uint16_t)strlen(reason) };
	memcpy(rec.text, what, sizeof(what) - 1);
	memcpy(rec.text + sizeof(what) - 1, reason, rec.h.reason_len);
	(void)send(fd, &rec, sizeof(rec.h) + sizeof(what) - 1 + rec.h.reason_len, MSG_NOSIGNAL);
}

/* false: nothing is less than was wanted. */
static bool rung_reason(const struct net_kit *k, const struct kit_report *rep, char *dst,
			size_t size)
{
	static const char *const lost[] = {
		[NET_RUNG_TPROXY] = "a refused connection is reset after it was accepted",
		[NET_RUNG_REDIRECT] = "connections are redirected, and reset when refused",
		[NET_RUNG_PORTS] = "only a few ports can be reached, by IPv4 only",
	};
	const char *part = "no packet filter";
	int err = rep->redirect_err;

	if (k->rung == NET_RUNG_GATE)
		return false;
	if (k->rung == NET_RUNG_TPROXY) {
		part = "no packet queue";
		err = rep->gate_err;
	} else if (k->rung == NET_RUNG_REDIRECT) {
		part = "no transparent listeners";
		err = rep->tproxy_err;
	}
	(void)snprintf(dst, size, "%s (%s): %s", part, err ? strerror(-err) : "switched off",
		       lost[k->rung]);
	return true;
}

/* What is the warden's alone, and what would hide another process's end. */
static void keep_own(struct warden *w)
{
	struct launch *l = w->l;
	int *const pairs[] = { l->ctl, l->events, l->sync };
	int null;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		close_quietly(pairs[i][0]);
		close_quietly(pairs[i][1]);
	}
	close_quietly(l->fail[0]);
	close_quietly(l->net[0]);
	close_quietly(l->kit[1]);
	close_quietly(w->signals);
	close_quietly(w->child);
	close_quietly(w->term.in);
	close_quietly(w->term.out);
	close_quietly(w->term.master);
	warm_close_fds(l->warm);
	output_close();
	if (w->ops->steward_stdio)
		return;
	/* A reader of the command's output waits for its end. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		setup_fail(l, STAGE_NETWORK, errno, -1);
	for (int fd = 0; fd < 2; fd++)
		if (dup2(null, fd) < 0)
			setup_fail(l, STAGE_NETWORK, errno, -1);
	close_quietly(null);
}

static void begin(struct warden *w)
{
	struct launch *l = w->l;
	struct rlimit files;
	char c;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		setup_fail(l, STAGE_NETWORK, errno, -1);
	keep_own(w);
	/* It may have died before the request was in place. */
	if (recv(l->net[1], &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		_exit(125);
	/* For the broker, which inherits it: each connection takes two descriptors. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		l->files = files;
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
}

static const enum stage stages[] = { [KIT_PART_INTERFACE] = STAGE_NETWORK,
				     [KIT_PART_LISTEN] = STAGE_NETWORK,
				     [KIT_PART_HOST_PORT] = STAGE_HOST_PORT,
				     [KIT_PART_PUBLISH] = STAGE_PUBLISH };

static void close_kit(struct net_kit *k)
{
	for (size_t i = 0; i < KIT_MAX; i++) {
		if (i == KIT_INIT)
			continue;
		close_quietly(k->fd[i]);
		k->fd[i] = -1;
	}
}

/* The network is needed, or the steward is for something else: then too, because whoever serves
 * it takes it as it is. */
static void make_ready(struct warden *w)
{
	uint32_t *state = &w->l->shared->network;
	int warden = w->l->net[1], r;
	struct kit_report report;
	char reason[512];

	if (!net_waits(w->l) || *state == NET_READY || *state == NET_FAILED)
		return;
	r = kit_setup(&w->l->spec->network, &kit, &report);
	if (r >= 0 && rung_reason(&kit, &report, reason, sizeof(reason))) {
		degraded(warden, reason);
	} else if (r < 0) {
		close_kit(&kit);
		(void)snprintf(reason, sizeof(reason), "it cannot be set up: %s; nothing goes out",
			       strerror(-r));
		degraded(warden, reason);
	}
	net_state_set(state, r < 0 ? NET_FAILED : NET_READY);
}

/* There is nobody to ask. */
static void refuse(int warden)
{
	static struct record rec;
	struct rec_header h = { .magic = REC_MAGIC, .type = REC_ANSWER, .err = EACCES };
	ssize_t n = recv(warden, &rec, sizeof(rec), MSG_DONTWAIT);

	if (n < (ssize_t)sizeof(rec.h) || rec.h.type != REC_ASK)
		return;
	h.count = rec.h.count;
	(void)send(warden, &h, sizeof(h), MSG_NOSIGNAL);
}

/* What woke us is for us. true: the session is over. */
static bool over(int warden, short revents)
{
	struct rec_header h;

	if (!revents)
		return false;
	return recv(warden, &h, sizeof(h), MSG_PEEK | MSG_DONTWAIT) <= 0 || h.type == REC_END;
}

static bool is_ready(const struct warden *w)
{
	return !net_waits(w->l) || w->l->shared->network == NET_READY;
}

static bool wants_network(int warden, short revents)
{
	struct rec_header h;

	if (!revents || recv(warden, &h, sizeof(h), MSG_PEEK | MSG_DONTWAIT) != sizeof(h) ||
	    h.type != REC_NETWORK)
		return false;
	return recv(warden, &h, sizeof(h), MSG_DONTWAIT) == sizeof(h);
}

static void sleep_until_needed(struct warden *w, struct net_kit *k)
{
	int warden = w->l->net[1];
	struct pollfd p[1 + KIT_MAX];
	nfds_t n;

	for (;;) {
		bool packet = false;

		p[0] = (struct pollfd){ .fd = warden, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = k->fd[KIT_INIT], .events = POLLIN };
		n = 2;
		/* One that does not listen yet would be reported as hung up. */
		for (size_t i = KIT_INIT + 1; i < KIT_MAX && is_ready(w); i++)
			if (k->fd[i] >= 0)
				p[n++] = (struct pollfd){ .fd = k->fd[i], .events = POLLIN };
		if (poll(p, n, -1) < 0) {
			if (errno == EINTR)
				continue;
			_exit(125);
		}
		if (wants_network(warden, p[0].revents)) {
			make_ready(w);
			continue;
		}
		if (p[1].revents || over(warden, p[0].revents)) {
			send_end(warden);
			_exit(0);
		}
		for (nfds_t i = 2; i < n; i++)
			packet |= p[i].revents != 0;
		if (w->ops->steward) {
			make_ready(w);
			return;
		}
		if (packet) {
			close_kit(k);
			degraded(warden, "there is no broker: nothing goes out");
		} else {
			refuse(warden);
		}
	}
}

static void _noreturn_ steward_main(struct warden *w)
{
	if (arena_copy() < 0)
		_exit(125);
	begin(w);
	if (fcntl(w->l->kit[0], F_SETFL, O_RDWR | O_NONBLOCK) < 0)
		_exit(125);
	sleep_until_needed(w, &kit);
	kit.init_pid = w->l->shared->init_pid;
	w->ops->steward(w->ops->ctx, &kit, w->l->net[1]);
	_exit(125);
}

int steward_prepare(struct warden *w, struct fail_record *ret)
{
	const struct net_spec *n = &w->l->spec->network;
	struct kit_report report;
	char reason[512];
	int r = kit_receive(w->l->kit[0], n, &kit);

	held = true;
	*ret = (struct fail_record){ FAIL_MAGIC, STAGE_NETWORK, -r, -1 };
	if (r < 0 || net_waits(w->l))
		return r;
	r = kit_setup(n, &kit, &report);
	*ret = (struct fail_record){ FAIL_MAGIC, stages[report.part], -r, report.index };
	if (r < 0)
		return r;
	/* Before the command runs: what it writes comes after that. */
	if (w->ops->on_degraded && rung_reason(&kit, &report, reason, sizeof(reason)))
		w->ops->on_degraded(w->ops->ctx, "network", reason);
	r = kit_ready(w->l->kit[0]);
	*ret = (struct fail_record){ FAIL_MAGIC, STAGE_NETWORK, -r, -1 };
	return r;
}

int steward_start(struct warden *w)
{
	struct launch *l = w->l;

	w->steward = fork();
	if (w->steward == 0)
		steward_main(w);
	steward_drop();
	close_quietly(l->kit[0]);
	close_quietly(l->net[1]);
	l->kit[0] = l->net[1] = -1;
	return w->steward < 0 ? -errno : 0;
}

void steward_forget(void)
{
	held = false;
}

void steward_drop(void)
{
	if (held)
		close_kit(&kit);
	held = false;
}
