/* SPDX-License-Identifier: Apache-2.0 */
/* A command in a warm session, as its client sees it. This is on the path of each berm exec:
 * no policy is read, and what can wait is done while the session starts the command. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "linux/warden.h"
#include "session/warm.h"

static const int passed_signals[] = { SIGHUP,  SIGINT,	SIGQUIT, SIGTERM,
				      SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH };

struct client {
	int fd;
	int signals;
	bool tty[3];
	struct terminal term;
	bool started;
};

/* ---- the request --------------------------------------------------------- */

static void add_word(struct buf *b, const char *s)
{
	(void)buf_add(b, s, strlen(s) + 1);
}

/* A sealed memory file of the texts. */
static int texts_file(const struct warm_command *c, struct warm_exec *x, int *ret)
{
	_cleanup_buf_ struct buf b = BUF_INIT(WARM_TEXT_MAX);
	_cleanup_close_ int fd = -1;
	const char *dir = c->dir ? c->dir : "";

	for (size_t i = 0; c->narrow && i < c->narrow->n; i++, x->n_args++, x->narrow++)
		add_word(&b, c->narrow->v[i]);
	for (char *const *a = c->argv; *a; a++, x->n_args++)
		add_word(&b, *a);
	for (size_t i = 0; c->env && i < c->env->n; i++, x->n_env++)
		add_word(&b, c->env->v[i]);
	add_word(&b, dir);
	if (b.failed)
		return -E2BIG;
	x->dir_len = (uint32_t)strlen(dir);
	x->size = (uint32_t)b.len;
	fd = memfd_create("berm-exec", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (write(fd, b.data, b.len) != (ssize_t)b.len)
		return errno ? -errno : -EIO;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		return -errno;
	*ret = take_fd(&fd);
	return 0;
}

static void fill_modes(const struct terminal *t, struct warm_modes *m)
{
	struct winsize size = { 0 };

	*m = (struct warm_modes){ .iflag = t->saved.c_iflag,
				  .oflag = t->saved.c_oflag,
				  .cflag = t->saved.c_cflag,
				  .lflag = t->saved.c_lflag };
	for (size_t i = 0; i < sizeof(m->cc); i++)
		m->cc[i] = t->saved.c_cc[i];
	(void)ioctl(t->ctl, TIOCGWINSZ, &size);
	m->rows = size.ws_row;
	m->cols = size.ws_col;
}

static int send_exec(int fd, const struct warm_exec *x, const int std[3], int texts)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(WARM_FDS * sizeof(int))];
	} ctl = { 0 };
	int fds[WARM_FDS] = { std[0], std[1], std[2], texts };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)x, .iov_len = sizeof(*x) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	struct cmsghdr *h = CMSG_FIRSTHDR(&msg);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(h), fds, sizeof(fds));
	return sendmsg(fd, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int warm_request(int fd, const struct warm_command *c, const int std[3], unsigned tty,
		 const struct warm_modes *modes)
{
	struct warm_exec x = { .m = { .magic = WARM_MAGIC, .type = WARM_EXEC },
			       .tty = tty,
			       .modes = *modes };
	_cleanup_close_ int texts = -1;
	int r = texts_file(c, &x, &texts);

	return r < 0 ? r : send_exec(fd, &x, std, texts);
}

/* The user's own terminal stays out of the session. */
static int send_request(const struct client *k, const struct warm_command *c,
			const struct warm_modes *modes)
{
	_cleanup_close_ int null = -1;
	int std[3] = { 0, 1, 2 };
	unsigned tty = 0;

	for (int i = 0; i < 3; i++) {
		if (!k->tty[i])
			continue;
		if (null < 0)
			null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (null < 0)
			return -errno;
		std[i] = null;
		tty |= 1u << i;
	}
	return warm_request(k->fd, c, std, tty, modes);
}

/* ---- while it runs ------------------------------------------------------- */

static int open_signals(struct client *k)
{
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(passed_signals); i++)
		(void)sigaddset(&set, passed_signals[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	k->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return k->signals < 0 ? -errno : 0;
}

static void handle_signal(struct client *k)
{
	struct signalfd_siginfo si;
	struct warm_msg m = { .magic = WARM_MAGIC, .type = WARM_SIGNAL };

	if (read(k->signals, &si, sizeof(si)) != sizeof(si))
		return;
	if (si.ssi_signo == SIGWINCH && k->term.active) {
		terminal_resize(&k->term);
		return;
	}
	if (si.ssi_signo == SIGCONT && k->term.active) {
		terminal_raw(&k->term);
		return;
	}
	m.value = (int)si.ssi_signo;
	/* The session's end is told elsewhere. */
	(void)send(k->fd, &m, sizeof(m), MSG_NOSIGNAL);
}

int warm_receive(int fd, struct warm_msg *m, int *ret_fd)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	ssize_t n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	*ret_fd = -1;
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0
		       : errno == ECONNRESET		 ? -EPIPE
							 : -errno;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
	if (n == 0)
		return -EPIPE;
	return n == sizeof(*m) && m->magic == WARM_MAGIC ? 1 : -EPROTO;
}

/* 1: the answer is complete, in *m. */
static int handle_message(struct client *k, struct warm_msg *m)
{
	int fd, r = warm_receive(k->fd, m, &fd);

	if (r <= 0) {
		close_quietly(fd);
		return r;
	}
	if (m->type == WARM_STARTED && !k->started && k->term.active) {
		k->started = true;
		k->term.filtered = m->value != 0;
		return fd >= 0 ? terminal_attach(&k->term, fd) : -EPROTO;
	}
	close_quietly(fd);
	if (m->type == WARM_EXITED)
		return 1;
	return m->type == WARM_FAILED && !k->started ? 1 : -EPROTO;
}

static int live(struct client *k, struct warm_msg *m)
{
	struct pollfd p[5];
	int r = 0;

	while (r == 0) {
		size_t n = terminal_poll(&k->term, &p[2]);

		p[0] = (struct pollfd){ .fd = k->fd, .events = POLLIN };
		p[1] = (struct pollfd){ .fd = k->signals, .events = POLLIN };
		if (poll(p, 2 + n, -1) < 0 && errno != EINTR)
			return -errno;
		if (p[1].revents)
			handle_signal(k);
		terminal_ready(&k->term, &p[2], n);
		if (p[0].revents)
			r = handle_message(k, m);
	}
	return r;
}

int warm_not_run(const struct warm_command *c, const struct warm_msg *m, int *ret_status,
		 struct berm_err *err)
{
	const char *what = m->detail == WARM_WHY_WORKDIR && c->dir ? c->dir : c->argv[0];

	*ret_status = 125;
	if (m->detail == WARM_WHY_EXEC)
		*ret_status = m->value == ENOENT || m->value == ENOTDIR ? 127 : 126;
	if (m->detail == WARM_WHY_EXEC && m->value == ENOENT && what && !strchr(what, '/'))
		(void)err_set(err, -ENOENT, "%s: command not found", what);
	else
		warm_failed(c->session, m, what ? what : "", err);
	return -(m->value > 0 ? m->value : EPROTO);
}

static int conclude(const struct warm_command *c, int r, const struct warm_msg *m,
		    struct warm_result *ret, struct berm_err *err)
{
	if (r == -EPIPE) {
		*ret = (struct warm_result){ .status = 128 + SIGKILL, .lost = true, .limit = -1 };
		return 0;
	}
	if (r < 0) {
		ret->status = 125;
		return err_errno(err, r, "lost session %s", c->session);
	}
	if (m->type == WARM_FAILED)
		return warm_not_run(c, m, &ret->status, err);
	*ret = (struct warm_result){
		.status = WIFEXITED(m->value) ? WEXITSTATUS(m->value) : 128 + WTERMSIG(m->value),
		.limit = m->detail > 0 && m->detail <= LIMIT_COUNT ? m->detail - 1 : -1
	};
	if (ret->limit == LIMIT_TIME)
		ret->status = LAUNCH_TIMEOUT;
	return 0;
}

int warm_run(int fd, const struct warm_command *c, struct warm_result *ret, struct berm_err *err)
{
	struct client k = { .fd = fd, .signals = -1 };
	struct warm_modes modes = { 0 };
	struct warm_msg m = { 0 };
	int r;

	*ret = (struct warm_result){ .status = 125, .limit = -1 };
	for (int i = 0; i < 3; i++)
		k.tty[i] = isatty(i);
	r = terminal_init(&k.term, k.tty, true);
	if (r >= 0)
		r = terminal_keep(&k.term);
	if (r < 0)
		return err_errno(err, r, "cannot use the terminal");
	if (k.term.active)
		fill_modes(&k.term, &modes);
	r = send_request(&k, c, &modes);
	if (r == -E2BIG)
		return err_set(err, r, "the command's words are too long together");
	if (r >= 0)
		r = open_signals(&k);
	if (r < 0)
		return err_errno(err, r, "cannot ask session %s", c->session);
	r = live(&k, &m);
	terminal_drain(&k.term);
	terminal_settle(&k.term);
	terminal_close(&k.term);
	close_quietly(k.signals);
	return conclude(c, r, &m, ret, err);
}
