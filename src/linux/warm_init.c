/* SPDX-License-Identifier: Apache-2.0 */
/* Init of a warm session: no command of its own. It starts what the warden asks for, reaps,
 * passes signals on and reports each end. It has no heap: a request's texts are mapped
 * from the memory file that they came in, and its pointers are mapped beside them.
 *
 * Init runs under the command's filter and domain. What it gets from the warden was checked
 * there; what it says is checked there as well. */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/str.h"
#include "linux/kit.h"
#include "linux/warm.h"

struct slot {
	pid_t pid;  /* 0: free */
	int report; /* it has not been executed yet, else -1 */
	int master; /* its terminal's, until that is told; -1 none */
};

static struct slot slots[WARM_SLOTS];
static bool ends; /* everybody was asked to end */

static void tell(const struct launch *l, enum ctl_type type, int slot, int value, int detail,
		 int master)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl = { 0 };
	struct ctl_msg m = { .type = type, .value = value, .slot = slot, .detail = detail };
	struct iovec iov = { .iov_base = &m, .iov_len = sizeof(m) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (master >= 0) {
		struct cmsghdr *c;

		msg.msg_control = ctl.buf;
		msg.msg_controllen = sizeof(ctl.buf);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &master, sizeof(int));
	}
	/* A warden that is gone takes everything with it anyway. */
	while (sendmsg(l->ctl[1], &msg, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* ---- starting ------------------------------------------------------------ */

/* Is the variable one of those that follow each other in env? */
static bool overridden(const char *assignment, const char *env, uint32_t n)
{
	size_t len = strcspn(assignment, "=") + 1;

	for (; n; n--, env = warm_next(env))
		if (strncmp(env, assignment, len) == 0)
			return true;
	return false;
}

static void fill_pointers(const struct launch *l, const struct ctl_exec *e,
			  const struct warm_texts *t, char **argv, char **envp)
{
	const char *p = t->args;

	for (uint32_t i = 0; i < e->x.n_args; i++, p = warm_next(p))
		*argv++ = (char *)(uintptr_t)p;
	*argv = NULL;
	for (char **v = l->spec->envp; *v; v++) {
		/* The directory's own name is the kernel's to tell. */
		if (t->dir[0] && str_starts(*v, "PWD="))
			continue;
		if (!overridden(*v, t->env, e->x.n_env))
			*envp++ = *v;
	}
	p = t->env;
	for (uint32_t i = 0; i < e->x.n_env; i++, p = warm_next(p))
		*envp++ = (char *)(uintptr_t)p;
	*envp = NULL;
}

/* Starts it. 0, or a positive errno with *ret_why. */
static int start(struct launch *l, const struct ctl_exec *e, const struct warm_texts *t,
		 char **pointers, const int *fds, struct slot *s, enum warm_why *ret_why)
{
	struct job j = { .argv = pointers,
			 .envp = pointers + e->x.n_args + 1,
			 .workdir = l->spec->workdir,
			 .dir = t->dir[0] ? t->dir : NULL,
			 .stdio = fds,
			 .slave = -1,
			 .modes = e->x.tty ? &e->x.modes : NULL };
	pid_t pid;

	for (int fd = 0; fd < 3; fd++)
		j.tty[fd] = e->x.tty >> fd & 1;
	fill_pointers(l, e, t, pointers, pointers + e->x.n_args + 1);
	pid = spawn_job(l, &j, &s->report);
	if (pid < 0) {
		*ret_why = WARM_WHY_FORK;
		return -pid;
	}
	if (l->job_report.err) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		*ret_why = l->job_report.why;
		return l->job_report.err;
	}
	s->pid = pid;
	s->master = -1;
	return 0;
}

static int prepare(struct launch *l, const struct ctl_exec *e, const int *fds, struct slot *s,
		   enum warm_why *ret_why)
{
	size_t n = (size_t)e->x.n_args + e->x.n_env + 2, size;
	struct warm_texts t;
	char **pointers;
	char *text;
	int err;

	*ret_why = WARM_WHY_REQUEST;
	if (e->x.size > WARM_TEXT_MAX || e->x.n_args > e->x.size || e->x.n_env > e->x.size)
		return EPROTO;
	for (char **v = l->spec->envp; *v; v++)
		n++;
	size = n * sizeof(*pointers);
	text = mmap(NULL, e->x.size, PROT_READ, MAP_PRIVATE, fds[3], 0);
	if (text == MAP_FAILED)
		return errno;
	pointers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	err = pointers == MAP_FAILED ? errno : 0;
	if (!err)
		err = -warm_texts_parse(&e->x, text, e->x.size, &t);
	if (!err)
		err = start(l, e, &t, pointers, fds, s, ret_why);
	if (pointers != MAP_FAILED)
		(void)munmap(pointers, size);
	(void)munmap(text, e->x.size);
	return err;
}

static void handle_exec(struct launch *l, const struct ctl_exec *e, const int *fds)
{
	struct slot *s = &slots[e->m.slot];
	enum warm_why why;
	int err = prepare(l, e, fds, s, &why);

	/* That all went well is told by its end, or with its terminal: a message now would have
	 * warden and client compete with it for the processor. */
	if (err)
		tell(l, CTL_STARTED, e->m.slot, err, (int)why, -1);
}

/* ---- what a child with an image of its own says -------------------------- */

static void end_report(struct slot *s)
{
	close_quietly(s->report);
	close_quietly(s->master);
	s->report = s->master = -1;
}

/* The commands of the session that run already may have made it say anything. ended: it says
 * no more. */
static void handle_report(struct launch *l, int i, bool ended)
{
	struct slot *s = &slots[i];
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct job_report rep = { 0 };
	struct iovec iov = { .iov_base = &rep, .iov_len = sizeof(rep) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	ssize_t n = recvmsg(s->report, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	int master = -1;

	if (n < 0 && !ended && (errno == EAGAIN || errno == EINTR))
		return;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&master, CMSG_DATA(c), sizeof(int));
	if (n == sizeof(rep) && !rep.err && master >= 0 && s->master < 0) {
		s->master = master;
		return;
	}
	close_quietly(master);
	if (n == 0 || (n < 0 && ended)) {
		if (s->master >= 0)
			tell(l, CTL_STARTED, i, 0, 0, s->master);
		end_report(s);
		return;
	}
	/* Its end is reaped without another word to the warden. */
	if (n != sizeof(rep) || rep.err <= 0 || rep.why >= WARM_WHY_COUNT)
		rep = (struct job_report){ WARM_WHY_EXEC, EPROTO };
	(void)kill(s->pid, SIGKILL);
	s->pid = 0;
	end_report(s);
	tell(l, CTL_STARTED, i, rep.err, (int)rep.why, -1);
}

/* ---- living -------------------------------------------------------------- */

static void reap(struct launch *l)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < WARM_SLOTS; i++) {
			if (slots[i].pid != pid)
				continue;
			/* What it said before its end. */
			while (slots[i].report >= 0 && slots[i].pid)
				handle_report(l, i, true);
			if (slots[i].pid)
				tell(l, CTL_EXITED, i, status, 0, -1);
			slots[i].pid = 0;
		}
	if (pid < 0 && errno == ECHILD && ends)
		tell(l, CTL_EMPTY, 0, 0, 0, -1);
}

/* What a terminal would send goes to the whole group. */
static void forward(int slot, int sig)
{
	pid_t pid = slots[slot].pid;

	if (pid <= 0)
		return;
	if (sig == SIGINT || sig == SIGQUIT || sig == SIGHUP || sig == SIGTSTP || sig == SIGCONT)
		(void)kill(-pid, sig);
	else
		(void)kill(pid, sig);
}

static void kill_slot(int slot)
{
	pid_t pid = slots[slot].pid;

	/* Its group may not be there yet. */
	if (pid > 0 && kill(-pid, SIGKILL) < 0)
		(void)kill(pid, SIGKILL);
}

static void handle_ctl(struct launch *l)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(WARM_FDS * sizeof(int))];
	} ctl;
	struct ctl_exec e;
	struct iovec iov = { .iov_base = &e, .iov_len = sizeof(e) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	ssize_t n = recvmsg(l->ctl[1], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	int fds[WARM_FDS];

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		_exit(125); /* no warden, no session */
	if (n < (ssize_t)sizeof(e.m) || e.m.slot < 0 || e.m.slot >= WARM_SLOTS)
		return;
	if (e.m.type == CTL_EXEC) {
		if (n != sizeof(e) || !c || c->cmsg_len != CMSG_LEN(sizeof(fds)))
			_exit(125);
		memcpy(fds, CMSG_DATA(c), sizeof(fds));
		handle_exec(l, &e, fds);
		for (int i = 0; i < WARM_FDS; i++)
			close_quietly(fds[i]);
		return;
	}
	switch (e.m.type) {
	case CTL_SIGNAL:
		forward(e.m.slot, e.m.value);
		break;
	case CTL_KILL:
		kill_slot(e.m.slot);
		break;
	case CTL_TERM:
		ends = true;
		(void)kill(-1, SIGTERM);
		(void)kill(-1, SIGCONT);
		break;
	case CTL_STOP:
		(void)kill(-1, SIGSTOP);
		tell(l, CTL_DONE, 0, 0, 0, -1);
		break;
	default:
		break;
	}
}

/* Everything else that it was started with goes. */
static void keep_only(int *fds, size_t n)
{
	unsigned from = 3;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (fds[j] < fds[i]) {
				int swap = fds[i];

				fds[i] = fds[j];
				fds[j] = swap;
			}
	for (size_t i = 0; i < n; i++) {
		if (fds[i] < (int)from)
			continue;
		if (fds[i] > (int)from)
			(void)syscall(SYS_close_range, from, (unsigned)fds[i] - 1, 0);
		from = (unsigned)fds[i] + 1;
	}
	(void)fd_close_from(from);
}

static int watch_children(struct launch *l)
{
	sigset_t chld;
	int fd;

	(void)sigemptyset(&chld);
	(void)sigaddset(&chld, SIGCHLD);
	fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	return fd;
}

void warm_init(struct launch *l)
{
	static struct pollfd p[3 + WARM_SLOTS];
	static int slot_of[3 + WARM_SLOTS];
	nfds_t n;
	int chld = watch_children(l);
	int keep[] = { chld, l->ctl[1], l->kit[1] };

	for (int i = 0; i < WARM_SLOTS; i++)
		slots[i] = (struct slot){ .report = -1, .master = -1 };
	wait_for_supervisor(l);
	setup_go(l);
	/* The end of the pipe says that the session is there. */
	keep_only(keep, ARRAY_SIZE(keep));
	(void)dup2(0, 2);
	p[0] = (struct pollfd){ .fd = chld, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = l->ctl[1], .events = POLLIN };
	p[2] = (struct pollfd){ .fd = l->kit[1], .events = POLLIN };
	for (;;) {
		struct signalfd_siginfo si;

		/* Before each sleep: a child that ended before the descriptor was there. */
		reap(l);
		n = 3;
		for (int i = 0; i < WARM_SLOTS; i++) {
			if (slots[i].report < 0)
				continue;
			slot_of[n] = i;
			p[n++] = (struct pollfd){ .fd = slots[i].report, .events = POLLIN };
		}
		if (poll(p, n, -1) < 0 && errno != EINTR)
			_exit(125);
		while (read(chld, &si, sizeof(si)) > 0)
			;
		for (nfds_t i = 3; i < n; i++)
			if (p[i].revents && slots[slot_of[i]].report == p[i].fd)
				handle_report(l, slot_of[i], false);
		if (p[1].revents)
			handle_ctl(l);
		if (p[2].revents && !kit_refill(p[2].fd)) {
			/* Nothing goes out any more; the session goes on. */
			close_quietly(p[2].fd);
			p[2].fd = -1;
		}
	}
}
