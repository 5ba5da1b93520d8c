/* SPDX-License-Identifier: Apache-2.0 */
/* The warden waits: for the command's end, for signals, for records from the
 * supervisor, and for the bytes of the terminal. It parses fixed records only. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/fd.h"
#include "linux/output.h"
#include "linux/steward.h"
#include "linux/warm.h"

/* How long a command has after SIGTERM before it is killed. */
#define TERM_PATIENCE_MS 10000

/* Many a command is over in a moment. For so long nothing is made that it may not need: no steward,
 * no filter of our own. The first byte that is to be read ends it, but for init's word that the
 * command has ended; then the rest has to follow within the second time. */
#define SETTLE_MS 5
#define SETTLE_END_MS 20

int64_t warden_now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void warden_ctl(struct warden *w, enum ctl_type type, int slot, int value)
{
	struct ctl_msg m = { .type = type, .value = value, .slot = slot };

	while (send(w->l->ctl[0], &m, sizeof(m), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

void warden_state(struct warden *w, enum launch_state s)
{
	if (w->ops->on_state)
		w->ops->on_state(w->ops->ctx, s, w->child_pid);
}

void warden_kill(struct warden *w)
{
	(void)syscall(SYS_pidfd_send_signal, w->child, SIGKILL, NULL, 0);
}

/* The command stopped (Ctrl-Z): so does berm, with the terminal as the
 * shell knows it. Execution goes on here when the shell continues us. */
static void stop_self(struct warden *w)
{
	/* What it has written so far, the echo of Ctrl-Z too, belongs before the shell's prompt. */
	terminal_drain(&w->term);
	terminal_restore(&w->term);
	warden_state(w, LAUNCH_SUSPENDED);
	(void)kill(getpid(), SIGSTOP);
	terminal_raw(&w->term);
	terminal_resize(&w->term);
	warden_state(w, LAUNCH_RESUMED);
	warden_ctl(w, CTL_CONT, 0, 0);
}

static int passed_fd(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	int fd;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
	    c->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(int));
	return fd;
}

static int take_pty(struct warden *w, int master)
{
	int r;

	if (master < 0)
		return -EPROTO;
	r = terminal_attach(&w->term, master);
	if (r < 0)
		return r;
	warden_ctl(w, CTL_PTY, 0, 0);
	return 0;
}

static int handle_ctl(struct warden *w)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct ctl_msg m;
	struct iovec iov = { .iov_base = &m, .iov_len = sizeof(m) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	ssize_t n = recvmsg(w->l->ctl[0], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -EPIPE;
	if (n != sizeof(m))
		return -EPROTO;
	if (w->warm)
		return warm_ctl(w, &m, passed_fd(&msg));
	switch (m.type) {
	case CTL_PTY:
		return take_pty(w, passed_fd(&msg));
	case CTL_STOPPED:
		stop_self(w);
		return 0;
	case CTL_EXITED:
		w->exited = true;
		w->status = m.value;
		w->settle_at = warden_now_ms() + SETTLE_END_MS;
		return 0;
	default:
		return -EPROTO;
	}
}

static void handle_events(struct warden *w)
{
	static struct record rec;

	/* Not for ever: other descriptors wait as well. */
	for (int i = 0; i < 256; i++) {
		_cleanup_close_ int fd = -1;
		ssize_t n = fd_recv_msg(w->l->events[0], &rec, sizeof(rec), &fd);
		size_t text;

		if (n == 0) {
			close_quietly(w->l->events[0]);
			w->l->events[0] = -1;
		}
		if (n <= 0)
			return;
		if ((size_t)n < sizeof(rec.h) || rec.h.magic != REC_MAGIC)
			continue;
		text = (size_t)rec.h.target_len + rec.h.exe_len + rec.h.reason_len;
		if (text > sizeof(rec.text) || (size_t)n != sizeof(rec.h) + text)
			continue;
		if (rec.h.type == REC_NETWORK)
			warden_want_network(w);
		else if (rec.h.type == REC_DOORBELL)
			warden_doorbell(w, &rec.h, fd);
		else if (rec.h.type == REC_ASK || rec.h.type == REC_UNASK)
			warden_ask(w, &rec, (size_t)n);
		else if (w->ops->on_record)
			w->ops->on_record(w->ops->ctx, &rec);
	}
}

static void running(struct warden *w)
{
	w->unsettled = false;
	if (w->ops->on_running)
		w->ops->on_running(w->ops->ctx);
}

static void handle_kit(struct warden *w);

static void settle(struct warden *w)
{
	/* Nobody has waited for us to take it. */
	if (!w->kit_ready && !w->kit_failed && w->l->kit[0] >= 0)
		handle_kit(w);
	/* Before anything is opened that is not the steward's. */
	if (w->kit_ready && steward_start(w) < 0)
		warden_net_lost(w, "its steward could not be started: nothing goes out");
	running(w);
	/* Bytes of the command's come from here on. Not sooner: the filter's load would
	 * compete with the set-up for the processor. */
	w->confined = w->confine(w);
	warden_limits_begin(w);
	warden_state(w, LAUNCH_READY);
}

/* It was over before anything was settled; what it left to read is read confined all the same. */
static int settle_late(struct warden *w)
{
	char c;

	running(w);
	if (w->l->events[0] >= 0 && recv(w->l->events[0], &c, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		w->confined = w->confine(w);
	warden_state(w, LAUNCH_READY);
	return w->confined;
}

static void handle_fail(struct warden *w)
{
	ssize_t n = read(w->l->fail[0], &w->fail, sizeof(w->fail));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n == sizeof(w->fail) && w->fail.magic == FAIL_MAGIC && w->fail.stage == STAGE_GO) {
		if (!w->going && w->ops->on_tier)
			w->ops->on_tier(w->ops->ctx, w->l->without, w->l->landlock_abi);
		w->going = true;
		return;
	}
	if (n < 0) {
		/* Not knowing what happens in there, nothing may go on in there. */
		w->fail = (struct fail_record){ FAIL_MAGIC, STAGE_SYNC, errno, -1 };
		warden_kill(w);
	}
	if (n == 0)
		w->ready = w->going;
	else
		w->failed = true;
	close_quietly(w->l->fail[0]);
	w->l->fail[0] = -1;
	if (!w->ready)
		return;
	w->unsettled = true;
	w->settle_at = warden_now_ms() + SETTLE_MS;
	/* A session lives. */
	if (w->warm)
		settle(w);
}

static void handle_kit(struct warden *w)
{
	struct fail_record fail;
	int r = steward_prepare(w, &fail);

	w->kit_ready = r >= 0;
	w->kit_failed = r < 0;
	/* Init is gone, which says why; for anything else it would wait for ever. */
	if (r >= 0 || r == -EPIPE || w->failed)
		return;
	w->fail = fail;
	w->failed = true;
	warden_kill(w);
}

static void handle_signal(struct warden *w)
{
	struct signalfd_siginfo si;

	if (read(w->signals, &si, sizeof(si)) != sizeof(si))
		return;
	switch (si.ssi_signo) {
	case SIGWINCH:
		terminal_resize(&w->term);
		break;
	case SIGCONT:
		terminal_raw(&w->term);
		break;
	case SIGTERM:
		if (w->warm) {
			warm_stop(w, WARM_PATIENCE_MS);
			break;
		}
		if (!w->kill_at)
			w->kill_at = warden_now_ms() + TERM_PATIENCE_MS;
		warden_ctl(w, CTL_SIGNAL, 0, SIGTERM);
		break;
	default:
		if (!w->warm)
			warden_ctl(w, CTL_SIGNAL, 0, (int)si.ssi_signo);
	}
}

static int timeout(const struct warden *w)
{
	int64_t left = 1000;

	if (w->warm && w->warm->suspender >= 0)
		return 1;
	if (w->unsettled) {
		left = w->settle_at - warden_now_ms();
		return left < 0 ? 0 : (int)left;
	}
	if (w->kill_at) {
		left = w->kill_at - warden_now_ms();
		return left < 0 ? 0 : left < 1000 ? (int)left : 1000;
	}
	return warden_limits_wait(w, w->ops->on_tick ? 1000 : -1);
}

enum {
	P_CHILD,
	P_OWNER,
	P_CTL,
	P_EVENTS,
	P_NET,
	P_SIGNALS,
	P_FAIL,
	P_KIT,
	P_OUTPUT,
	P_TERMINAL = P_OUTPUT + OUTPUT_STREAMS,
	P_MAX = P_TERMINAL + 3 + WARM_POLLS
};

/* Whoever began the run is no more. */
static bool owner_gone(struct warden *w)
{
	char c;
	ssize_t n = read(w->ops->owner, &c, 1);

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

/* What can be read is nothing of the command's, and it may be over soon. */
static bool still_brief(const struct warden *w, const struct pollfd *p, size_t n)
{
	struct ctl_msg m;
	ssize_t got;

	for (size_t i = 0; i < n; i++)
		if (p[i].revents && i != P_CHILD && i != P_CTL && i != P_FAIL && i != P_KIT)
			return false;
	if (p[P_CTL].revents && !w->exited) {
		got = recv(w->l->ctl[0], &m, sizeof(m), MSG_PEEK | MSG_DONTWAIT);
		if (got != sizeof(m) || m.type != CTL_EXITED)
			return false;
	}
	return p[P_CHILD].revents || warden_now_ms() < w->settle_at;
}

/* One round. 0: go on, 1: the supervisor is gone, negative: the protocol is broken. */
static int round_once(struct warden *w)
{
	/* At the end the supervisor's side closes, which is no news while nothing is settled. */
	bool ending = w->unsettled && w->exited, open = !ending && (w->ready || w->failed);
	struct pollfd p[P_MAX] = {
		[P_CHILD] = { .fd = w->child, .events = POLLIN },
		[P_OWNER] = { .fd = w->ops->owner > 2 ? w->ops->owner : -1, .events = POLLIN },
		[P_CTL] = { .fd = w->l->ctl[0], .events = POLLIN },
		/* "ready" comes first: init may be slow to close its end of the fail pipe. */
		[P_EVENTS] = { .fd = open ? w->l->events[0] : -1, .events = POLLIN },
		[P_NET] = { .fd = open ? w->l->net[0] : -1, .events = POLLIN },
		[P_SIGNALS] = { .fd = w->signals, .events = POLLIN },
		[P_FAIL] = { .fd = w->l->fail[0], .events = POLLIN },
		[P_KIT] = { .fd = w->kit_ready || w->kit_failed ? -1 : w->l->kit[0],
			    .events = POLLIN },
	};
	size_t n = terminal_poll(&w->term, &p[P_TERMINAL]);
	struct pollfd *warm = &p[P_TERMINAL + n];
	size_t n_warm = w->warm ? warm_poll(w, warm) : 0;
	int r = 0;

	output_poll(&p[P_OUTPUT]);
	if (poll(p, P_TERMINAL + n + n_warm, timeout(w)) < 0 && errno != EINTR)
		return -errno;
	if (w->unsettled && !still_brief(w, p, P_TERMINAL + n + n_warm))
		settle(w);
	if ((p[P_OWNER].revents && owner_gone(w)) ||
	    (w->kill_at && warden_now_ms() >= w->kill_at)) {
		warden_killed(w, LIMIT_COUNT);
		warden_kill(w);
	}
	if (p[P_FAIL].revents)
		handle_fail(w);
	if (p[P_KIT].revents)
		handle_kit(w);
	if (w->confined < 0)
		return w->confined;
	if (p[P_EVENTS].revents)
		handle_events(w);
	if (p[P_NET].revents)
		warden_net_ready(w);
	if (p[P_CTL].revents)
		r = handle_ctl(w);
	if (r == -EPIPE) {
		/* Init is gone; a closed peer would be reported ready for ever. */
		close_quietly(w->l->ctl[0]);
		w->l->ctl[0] = -1;
		r = 0;
	}
	if (p[P_SIGNALS].revents)
		handle_signal(w);
	terminal_ready(&w->term, &p[P_TERMINAL], n);
	output_ready(&p[P_OUTPUT]);
	if (w->warm && r >= 0)
		warm_ready(w, warm, n_warm);
	warden_limits(w);
	if (w->ops->on_tick)
		w->ops->on_tick(w->ops->ctx);
	if (r < 0)
		return r;
	return p[P_CHILD].revents ? 1 : 0;
}

static void reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int warden_loop(struct warden *w, struct berm_err *err)
{
	int r;

	do
		r = round_once(w);
	while (r == 0);
	if (r > 0 && w->unsettled)
		r = settle_late(w);
	if (r < 0) {
		warden_kill(w);
		err_errno(err, r, "lost the sandbox");
	}
	reap(w->child_pid);
	/* A killed supervisor leaves init to us (subreaper); it dies with it. Other
	 * children may be the caller's from before an exec: not waited for. */
	if (w->l->shared->init_pid)
		reap(w->l->shared->init_pid);
	/* What was sent before the end is still in the sockets. */
	for (int i = 0; i < 2 && w->l->fail[0] >= 0; i++)
		handle_fail(w);
	if (w->l->events[0] >= 0)
		handle_events(w);
	while (w->l->ctl[0] >= 0 && !w->exited)
		if (handle_ctl(w) < 0)
			break;
	output_drain(w->signals);
	warden_limits_end(w);
	warden_net_end(w);
	if (w->warm)
		warm_close(w);
	terminal_drain(&w->term);
	terminal_settle(&w->term);
	if (w->term.active)
		memcpy(w->left_out, w->term.flow->filter.left_out, sizeof(w->left_out));
	terminal_close(&w->term);
	return r < 0 ? r : 0;
}
