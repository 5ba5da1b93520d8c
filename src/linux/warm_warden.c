/* SPDX-License-Identifier: Apache-2.0 */
/* The warden of a warm session answers its socket (warm_proto.h): it checks what a client
 * asks for, passes it to init, and tells the client what init says. It never waits for
 * either: a client that does not read is left, and its command killed. */
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/str.h"
#include "linux/warm.h"
#include "policy/resolve.h"

#define STOP_MAX_MS 600000

static struct warm the_warm;

void warm_close_fds(const struct launch_warm *warm)
{
	if (!warm)
		return;
	close_quietly(warm->listen);
	close_quietly(warm->owner);
}

void warm_open(struct warden *w, const struct launch_warm *in)
{
	struct warm *m = &the_warm;
	struct timespec ts;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	*m = (struct warm){ .in = in, .owner = in->owner, .suspender = -1, .started = ts.tv_sec };
	for (int i = 0; i < WARM_SLOTS; i++)
		m->conns[i].fd = -1;
	w->warm = m;
}

static bool is_free(const struct warm_conn *c)
{
	return c->fd < 0 && !c->started;
}

static int free_conn(const struct warm *m)
{
	for (int i = 0; i < WARM_SLOTS; i++)
		if (is_free(&m->conns[i]))
			return i;
	return -1;
}

/* ---- telling the client -------------------------------------------------- */

/* Its client is gone, or as good as that. */
static void leave(struct warden *w, int i)
{
	struct warm_conn *c = &w->warm->conns[i];

	close_quietly(c->fd);
	c->fd = -1;
	if (c->started)
		warden_ctl(w, CTL_KILL, i, 0);
}

static void tell_raw(struct warden *w, int i, const void *what, size_t size, int fd)
{
	struct warm_conn *c = &w->warm->conns[i];
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)what, .iov_len = size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (c->fd < 0)
		return;
	if (fd >= 0) {
		struct cmsghdr *h;

		msg.msg_control = ctl.buf;
		msg.msg_controllen = sizeof(ctl.buf);
		h = CMSG_FIRSTHDR(&msg);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(h), &fd, sizeof(int));
	}
	if (sendmsg(c->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)size)
		leave(w, i);
}

void warm_tell(struct warden *w, int i, enum warm_type type, int value, int detail, int fd)
{
	struct warm_msg m = { .magic = WARM_MAGIC, .type = type, .value = value, .detail = detail };

	tell_raw(w, i, &m, sizeof(m), fd);
}

static void fail(struct warden *w, int i, int err, enum warm_why why)
{
	warm_tell(w, i, WARM_FAILED, err, (int)why, -1);
}

static enum warm_session_state state_of(const struct warden *w)
{
	if (!w->ready)
		return WARM_CREATED;
	if (w->warm->suspended)
		return WARM_SUSPENDED;
	return w->warm->commands ? WARM_ACTIVE : WARM_WARM;
}

static void tell_state(struct warden *w, int i)
{
	const struct warm *m = w->warm;
	const struct spec *spec = w->l->spec;
	static struct warm_state s;

	s = (struct warm_state){
		.m = { .magic = WARM_MAGIC, .type = WARM_STATE, .value = (int)state_of(w) },
		.warden = getpid(),
		.init = w->l->shared->init_pid,
		.commands = m->commands,
		.kept = m->in->owner < 0,
		.owner = m->in->owner_pid,
		.started = m->started,
	};
	memcpy(s.session, spec->session, sizeof(s.session));
	(void)snprintf(s.profile, sizeof(s.profile), "%s", spec->profile);
	(void)snprintf(s.tier, sizeof(s.tier), "%s", tier_info(tier_of(w->l->without))->name);
	if (spec->n_roots && strlen(spec->roots[0].path) < sizeof(s.workspace))
		(void)snprintf(s.workspace, sizeof(s.workspace), "%s", spec->roots[0].path);
	tell_raw(w, i, &s, sizeof(s), -1);
}

/* ---- a command ----------------------------------------------------------- */

static int pass_on(struct warden *w, int i, const struct warm_exec *x, const int *fds)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(WARM_FDS * sizeof(int))];
	} ctl = { 0 };
	struct ctl_exec e = { .m = { .type = CTL_EXEC, .slot = i }, .x = *x };
	struct iovec iov = { .iov_base = &e, .iov_len = sizeof(e) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&msg);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(WARM_FDS * sizeof(int));
	memcpy(CMSG_DATA(h), fds, WARM_FDS * sizeof(int));
	return sendmsg(w->l->ctl[0], &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

static void handle_exec(struct warden *w, int i, const struct warm_exec *x, size_t size,
			const int *fds, size_t n_fds)
{
	struct warm_conn *c = &w->warm->conns[i];
	enum warm_why why;
	int r;

	if (size != sizeof(*x) || n_fds != WARM_FDS || c->started) {
		fail(w, i, EPROTO, WARM_WHY_REQUEST);
		return;
	}
	if (w->warm->stopping || w->warm->suspended || w->warm->suspender >= 0) {
		fail(w, i, EAGAIN, w->warm->stopping ? WARM_WHY_ENDS : WARM_WHY_SUSPENDED);
		return;
	}
	if (x->narrow) {
		fail(w, i, EPROTO, WARM_WHY_REQUEST);
		return;
	}
	why = warm_check_stdio(x, fds);
	if (why != WARM_WHY_COUNT) {
		fail(w, i, why == WARM_WHY_DIRECTORY ? EISDIR : EPROTO, why);
		return;
	}
	r = warm_check_texts(x, fds[3], env_may_set);
	if (r < 0) {
		fail(w, i, -r, r == -EPERM ? WARM_WHY_ENV : WARM_WHY_REQUEST);
		return;
	}
	r = pass_on(w, i, x, fds);
	if (r) {
		fail(w, i, r, WARM_WHY_FULL);
		return;
	}
	c->started = true;
	c->shown = c->over = false;
	warden_limits_command(w, c);
	w->warm->commands++;
}

static void ended(struct warden *w, int i)
{
	struct warm_conn *c = &w->warm->conns[i];

	c->started = c->shown = false;
	w->warm->commands--;
}

int warm_ctl(struct warden *w, const struct ctl_msg *m, int fd)
{
	struct warm_conn *c =
		m->slot >= 0 && m->slot < WARM_SLOTS ? &w->warm->conns[m->slot] : NULL;
	int r = 0;

	if (m->type == CTL_EMPTY) {
		warden_kill(w);
	} else if (m->type == CTL_DONE && w->warm->suspender >= 0) {
		w->warm->asked = false;
	} else if (m->type == CTL_STARTED && c && c->started && !c->shown) {
		if (m->value) {
			ended(w, m->slot);
			fail(w, m->slot, m->value,
			     m->detail >= 0 && m->detail < WARM_WHY_COUNT ? (enum warm_why)m->detail
									  : WARM_WHY_EXEC);
		} else {
			c->shown = true;
			warm_tell(w, m->slot, WARM_STARTED, w->l->spec->terminal_filter, 0, fd);
		}
	} else if (m->type == CTL_EXITED && c && c->started) {
		/* The kernel may have ended it before we looked: all are told why. */
		if (!m->value || !warden_memory_filled(w))
			warm_tell(w, m->slot, WARM_EXITED, m->value, c->over ? 1 + LIMIT_TIME : 0,
				  -1);
		ended(w, m->slot);
	} else {
		r = -EPROTO;
	}
	close_quietly(fd);
	return r;
}

/* ---- the other requests -------------------------------------------------- */

void warm_stop(struct warden *w, int patience)
{
	int64_t at = warden_now_ms() + patience;

	if (patience <= 0) {
		warden_kill(w);
		return;
	}
	if (!w->warm->stopping || at < w->kill_at)
		w->kill_at = at;
	w->warm->stopping = true;
	w->warm->suspended = false;
	warden_ctl(w, CTL_TERM, 0, 0);
}

static void handle_suspend(struct warden *w, int i)
{
	int r;

	if (w->warm->suspended) {
		warm_tell(w, i, WARM_DONE, 0, 0, -1);
		return;
	}
	if (w->warm->suspender >= 0 || w->warm->stopping) {
		fail(w, i, EBUSY, WARM_WHY_STOP);
		return;
	}
	r = warm_suspend(w, i);
	if (r < 0)
		fail(w, i, -r, WARM_WHY_STOP);
}

static void handle_resume(struct warden *w, int i)
{
	int r = 0;

	if (w->warm->suspender >= 0) {
		fail(w, i, EBUSY, WARM_WHY_STOP);
		return;
	}
	if (w->warm->suspended) {
		r = warm_resume(w);
		if (r >= 0)
			warden_state(w, LAUNCH_RESUMED);
	}
	if (r < 0)
		fail(w, i, -r, WARM_WHY_STOP);
	else
		warm_tell(w, i, WARM_DONE, 0, 0, -1);
}

static void dispatch(struct warden *w, int i, const struct warm_exec *x, size_t size,
		     const int *fds, size_t n_fds)
{
	if (size < sizeof(x->m) || x->m.magic != WARM_MAGIC ||
	    (x->m.type != WARM_EXEC && (size != sizeof(x->m) || n_fds))) {
		fail(w, i, EPROTO, WARM_WHY_REQUEST);
		leave(w, i);
		return;
	}
	switch (x->m.type) {
	case WARM_INFO:
		tell_state(w, i);
		break;
	case WARM_EXEC:
		handle_exec(w, i, x, size, fds, n_fds);
		break;
	case WARM_SIGNAL:
		if (w->warm->conns[i].started && x->m.value > 0 && x->m.value < NSIG)
			warden_ctl(w, CTL_SIGNAL, i, x->m.value);
		break;
	case WARM_SUSPEND:
		handle_suspend(w, i);
		break;
	case WARM_RESUME:
		handle_resume(w, i);
		break;
	case WARM_STOP:
		warm_stop(w, x->m.value > STOP_MAX_MS ? STOP_MAX_MS : x->m.value);
		break;
	default:
		fail(w, i, EPROTO, WARM_WHY_REQUEST);
	}
}

static void handle_client(struct warden *w, int i)
{
	struct warm_exec x;
	int fds[WARM_FDS];
	size_t n_fds;
	ssize_t n = warm_take_request(w->warm->conns[i].fd, &x, fds, &n_fds);

	if (n == -EAGAIN)
		return;
	if (n <= 0 && n != -EMSGSIZE) {
		leave(w, i);
		return;
	}
	if (n < 0) {
		fail(w, i, EPROTO, WARM_WHY_REQUEST);
		leave(w, i);
	} else {
		dispatch(w, i, &x, (size_t)n, fds, n_fds);
	}
	while (n_fds)
		close_quietly(fds[--n_fds]);
}

/* ---- the loop ------------------------------------------------------------ */

static void accept_client(struct warden *w)
{
	int i = free_conn(w->warm);
	struct ucred who;
	socklen_t len = sizeof(who);
	int fd;

	if (i < 0)
		return;
	fd = accept4(w->warm->in->listen, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	/* The folder is closed to others anyway. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) < 0 || who.uid != w->l->uid) {
		close_quietly(fd);
		return;
	}
	w->warm->conns[i] = (struct warm_conn){ .fd = fd };
}

size_t warm_poll(struct warden *w, struct pollfd *p)
{
	struct warm *m = w->warm;
	size_t n = 0;

	p[n++] = (struct pollfd){ .fd = w->ready && free_conn(m) >= 0 ? m->in->listen : -1,
				  .events = POLLIN };
	p[n++] = (struct pollfd){ .fd = w->ready ? m->owner : -1, .events = POLLIN };
	for (int i = 0; i < WARM_SLOTS; i++) {
		if (m->conns[i].fd < 0)
			continue;
		m->polled[n - 2] = (uint8_t)i;
		p[n++] = (struct pollfd){ .fd = m->conns[i].fd, .events = POLLIN };
	}
	return n;
}

static void suspending(struct warden *w)
{
	struct warm *m = w->warm;
	int r = warm_suspend_check(w), who = m->suspender;

	if (r == 0)
		return;
	m->suspender = -1;
	if (r < 0) {
		(void)warm_resume(w);
		fail(w, who, -r, WARM_WHY_STOP);
		return;
	}
	m->suspended = true;
	warden_state(w, LAUNCH_SUSPENDED);
	warm_tell(w, who, WARM_DONE, 0, 0, -1);
}

void warm_ready(struct warden *w, const struct pollfd *p, size_t n)
{
	struct warm *m = w->warm;

	for (size_t i = 2; i < n; i++)
		/* It may have been left since. */
		if (p[i].revents && m->conns[m->polled[i - 2]].fd == p[i].fd)
			handle_client(w, m->polled[i - 2]);
	if (p[0].revents)
		accept_client(w);
	if (p[1].revents) {
		m->owner = -1;
		warm_stop(w, WARM_PATIENCE_MS);
	}
	if (m->suspender >= 0)
		suspending(w);
}

void warm_close(struct warden *w)
{
	struct warm *m = w->warm;

	free(m->stopped);
	m->stopped = NULL;
	m->n_stopped = 0;
	/* Who waits for the end learns of it by our exit at the latest. */
	w->warm = NULL;
}
