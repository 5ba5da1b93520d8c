/* SPDX-License-Identifier: Apache-2.0 */
/* The session's side of a berm run inside it. For each socket that comes a process is forked
 * which talks to the client, and when a command was asked for another one, which is the warden of
 * a sandbox beside the session's own: the same spec, narrowed.
 *
 * Who asks is as hostile as any command: the request has a fixed form, its texts are sealed and
 * parsed once, its descriptors are looked at, and what may be asked for only takes away. All of it
 * ends with the steward, and so with the session. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/str.h"
#include "linux/setup.h"
#include "policy/narrow.h"
#include "session/inside.h"
#include "session/steward_impl.h"

/* At a time. The limits of a session hold in each sandbox of it. */
#define INSIDE_MAX 16
/* How long who rang may take to say what for. */
#define INSIDE_WAIT_MS 10000

struct talk {
	struct steward *st;
	int fd;
	struct warm_exec x;
	int fds[WARM_FDS];
	size_t n_fds;
	struct warm_texts texts;
	int slave; /* of the command's terminal, -1 none */
};

static int tell(const struct talk *t, enum warm_type type, int value, int detail, int fd)
{
	struct warm_msg m = { .magic = WARM_MAGIC, .type = type, .value = value, .detail = detail };

	return fd_send_msg(t->fd, &m, sizeof(m), fd);
}

static void refuse(const struct talk *t, int err, enum warm_why why) _noreturn_;

static void refuse(const struct talk *t, int err, enum warm_why why)
{
	(void)tell(t, WARM_FAILED, err, (int)why, -1);
	_exit(0);
}

static void tell_state(const struct talk *t)
{
	const struct spec *spec = t->st->spec;
	struct warm_state s = {
		.m = { .magic = WARM_MAGIC, .type = WARM_STATE, .value = WARM_ACTIVE }
	};

	/* Pids of the host's are not for the command. */
	memcpy(s.session, spec->session, sizeof(s.session));
	(void)snprintf(s.profile, sizeof(s.profile), "%s", spec->profile);
	if (spec->n_roots && strlen(spec->roots[0].path) < sizeof(s.workspace))
		(void)snprintf(s.workspace, sizeof(s.workspace), "%s", spec->roots[0].path);
	if (fd_send_msg(t->fd, &s, sizeof(s), -1) < 0)
		_exit(1);
}

/* ---- the sandbox --------------------------------------------------------- */

static char **pointers(const char *text, uint32_t n)
{
	char **v = calloc((size_t)n + 1, sizeof(*v));

	for (uint32_t i = 0; v && i < n; i++, text = warm_next(text))
		v[i] = (char *)(uintptr_t)text;
	return v;
}

/* The descriptors and signals that berm run finds. */
static int settle(const struct talk *t)
{
	sigset_t none;
	int r = 0;

	if (setsid() < 0 || (t->slave >= 0 && ioctl(t->slave, TIOCSCTTY, 0) < 0))
		return -errno;
	for (int fd = 0; fd < 3 && r >= 0; fd++)
		r = dup2(t->x.tty >> fd & 1 ? t->slave : t->fds[fd], fd);
	if (r < 0)
		return -errno;
	for (size_t i = 0; i < t->n_fds; i++)
		close_quietly(t->fds[i]);
	close_quietly(t->slave);
	close_quietly(t->fd);
	for (int sig = 1; sig < 32; sig++)
		(void)signal(sig, SIG_DFL);
	(void)sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) < 0 ? -errno : 0;
}

static void become_warden(struct talk *t) _noreturn_;

static void become_warden(struct talk *t)
{
	const struct session *s = t->st->s;
	/* A fork's: nobody else sees what is changed. */
	struct spec *spec = (struct spec *)(uintptr_t)s->spec;
	struct narrowing n;
	struct berm_err err = { 0 };
	const char *word = t->texts.args;
	char **argv, **envp;
	bool quiet;
	int r = settle(t);

	if (r < 0)
		_exit(125);
	r = inside_parse(t->texts.args, t->x.narrow, &n, &quiet);
	for (uint32_t i = 0; i < t->x.narrow; i++)
		word = warm_next(word);
	argv = pointers(word, t->x.n_args - t->x.narrow);
	envp = pointers(t->texts.env, t->x.n_env);
	if (r >= 0 && (!argv || !envp))
		r = -ENOMEM;
	n.cwd = t->texts.dir;
	launch_forget();
	if (r >= 0)
		r = spec_narrow(spec, &n, t->st->policy, argv, envp, &err);
	else
		(void)err_errno(&err, r, "cannot narrow session %s", s->spec->session);
	if (r < 0) {
		err_print(&err);
		_exit(125);
	}
	_exit(s->inside(s->inside_ctx, spec, quiet));
}

/* ---- the client ---------------------------------------------------------- */

static void close_fds(struct talk *t)
{
	while (t->n_fds)
		close_quietly(t->fds[--t->n_fds]);
	close_quietly(t->slave);
	t->slave = -1;
}

static void pass_signal(int sig, pid_t pid)
{
	static const int passed[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT };

	for (size_t i = 0; i < ARRAY_SIZE(passed); i++)
		if (sig == passed[i])
			(void)kill(pid, sig);
}

/* true: the client is gone. */
static bool heard(struct talk *t, pid_t pid)
{
	ssize_t n = warm_take_request(t->fd, &t->x, t->fds, &t->n_fds);

	close_fds(t);
	if (n == sizeof(t->x.m) && t->x.m.magic == WARM_MAGIC && t->x.m.type == WARM_SIGNAL)
		pass_signal(t->x.m.value, pid);
	return n <= 0 && n != -EAGAIN && n != -EMSGSIZE;
}

static void wait_for(struct talk *t, pid_t pid) _noreturn_;

static void wait_for(struct talk *t, pid_t pid)
{
	struct pollfd p[2] = { { .fd = t->fd, .events = POLLIN },
			       { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN } };
	int status = 0;

	if (p[1].fd < 0)
		_exit(1); /* it dies with us */
	for (;;) {
		if (poll(p, 2, -1) < 0)
			continue;
		/* Everything of the sandbox dies with its warden. */
		if (p[0].revents && heard(t, pid)) {
			(void)kill(pid, SIGKILL);
			p[0].fd = -1;
		}
		if (p[1].revents)
			break;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	(void)tell(t, WARM_EXITED, status, 0, -1);
	_exit(0);
}

static int open_terminal(struct talk *t, int *ret_master)
{
	int r;

	*ret_master = -1;
	if (!t->x.tty)
		return 0;
	r = pty_open("/dev/ptmx", ret_master, &t->slave);
	if (r >= 0)
		pty_set_modes(*ret_master, &t->x.modes);
	return r;
}

static void start(struct talk *t) _noreturn_;

static void start(struct talk *t)
{
	pid_t self = getpid(), pid;
	int master, r;

	r = open_terminal(t, &master);
	if (r < 0)
		refuse(t, -r, WARM_WHY_TERMINAL);
	pid = fork();
	if (pid == 0) {
		close_quietly(master);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != self)
			_exit(125);
		become_warden(t);
	}
	if (pid < 0)
		refuse(t, errno, WARM_WHY_FORK);
	close_fds(t);
	if (master >= 0 && tell(t, WARM_STARTED, 0, 0, master) < 0)
		_exit(1);
	close_quietly(master);
	wait_for(t, pid);
}

static enum warm_why check(struct talk *t)
{
	enum warm_why why;
	char *text;

	if (t->x.narrow >= t->x.n_args || t->x.narrow > INSIDE_WORDS_MAX)
		return WARM_WHY_REQUEST;
	if (t->st->s->nested || !t->st->s->inside)
		return WARM_WHY_NESTED;
	why = warm_check_stdio(&t->x, t->fds);
	if (why != WARM_WHY_COUNT)
		return why;
	if (warm_check_texts(&t->x, t->fds[3], NULL) < 0)
		return WARM_WHY_REQUEST;
	text = mmap(NULL, t->x.size, PROT_READ, MAP_PRIVATE, t->fds[3], 0);
	if (text == MAP_FAILED || warm_texts_parse(&t->x, text, t->x.size, &t->texts) < 0)
		return WARM_WHY_REQUEST;
	return t->texts.dir[0] == '/' ? WARM_WHY_COUNT : WARM_WHY_REQUEST;
}

static void handle_request(struct talk *t, ssize_t n)
{
	enum warm_why why;

	if (n < (ssize_t)sizeof(t->x.m) || t->x.m.magic != WARM_MAGIC)
		refuse(t, EPROTO, WARM_WHY_REQUEST);
	if (t->x.m.type == WARM_INFO && n == sizeof(t->x.m)) {
		close_fds(t);
		tell_state(t);
		return;
	}
	if (t->x.m.type != WARM_EXEC || n != sizeof(t->x) || t->n_fds != WARM_FDS)
		refuse(t, EPROTO, WARM_WHY_REQUEST);
	why = check(t);
	if (why != WARM_WHY_COUNT)
		refuse(t, why == WARM_WHY_DIRECTORY ? EISDIR : EPERM, why);
	start(t);
}

/* What is the steward's alone. The broker's program is wanted again. */
static void keep_own(const struct talk *t)
{
	int broker = t->st->s->broker;
	unsigned low = (unsigned)(broker >= 0 && broker < t->fd ? broker : t->fd);
	unsigned high = (unsigned)(broker > t->fd ? broker : t->fd);

	if (low > 3)
		(void)syscall(SYS_close_range, 3u, low - 1, 0);
	if (high > low + 1)
		(void)syscall(SYS_close_range, low + 1, high - 1, 0);
	(void)fd_close_from(high + 1);
}

static void serve(struct steward *st, int fd, pid_t parent) _noreturn_;

static void serve(struct steward *st, int fd, pid_t parent)
{
	static struct talk t;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	t = (struct talk){ .st = st, .fd = fd, .slave = -1 };
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || getppid() != parent)
		_exit(1);
	keep_own(&t);
	while (poll(&p, 1, INSIDE_WAIT_MS) > 0) {
		ssize_t n = warm_take_request(fd, &t.x, t.fds, &t.n_fds);

		if (n == -EAGAIN)
			continue;
		if (n <= 0)
			break;
		handle_request(&t, n);
	}
	_exit(0);
}

/* ---- the steward --------------------------------------------------------- */

static void ask(struct steward *st, int fd)
{
	static pid_t serving[INSIDE_MAX];
	struct talk t = { .st = st, .fd = fd, .slave = -1 };
	pid_t self = getpid(), *slot = NULL;

	for (size_t i = 0; i < INSIDE_MAX; i++) {
		if (serving[i] && waitpid(serving[i], NULL, WNOHANG) == serving[i])
			serving[i] = 0;
		if (!serving[i])
			slot = &serving[i];
	}
	if (!slot) {
		(void)tell(&t, WARM_FAILED, EAGAIN, WARM_WHY_FULL, -1);
		return;
	}
	*slot = fork();
	if (*slot == 0)
		serve(st, fd, self);
	if (*slot < 0) {
		(void)tell(&t, WARM_FAILED, errno, WARM_WHY_FORK, -1);
		*slot = 0;
	}
}

void inside_asked(struct steward *st, int fd)
{
	if (fd >= 0 && !st->ending)
		ask(st, fd);
	close_quietly(fd);
}
