/* SPDX-License-Identifier: Apache-2.0 */
/* One run: its descriptors, its end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/impl.h"

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* Where the child finds them. */
enum { FD_EVENTS = 3, FD_ASKS, FD_CONTROL, FD_OWNER, FD_COUNT };

/* Makes jansson's hash seed once, before threads race for it. */
static pthread_once_t seeded = PTHREAD_ONCE_INIT;

static void seed(void)
{
	json_object_seed(0);
}

const char *berm_version(void)
{
	return BERM_VERSION;
}

static size_t count(const char *const *v)
{
	size_t n = 0;

	while (v && v[n])
		n++;
	return n;
}

/* An array for posix_spawn, which does not change what it points to. */
static char **arguments(const struct berm_options *o)
{
	static const char *const fixed[] = { "berm", "run",	   "-q",   "--events",
					     "fd:3", "--control",  "fd:5", "--owner",
					     "fd:6", "--approver", "fd:4" };
	size_t n_fixed = sizeof(fixed) / sizeof(fixed[0]) - (o->on_ask ? 0 : 2), n = 0;
	char **argv = calloc(n_fixed + count(o->options) + count(o->command) + 2, sizeof(*argv));

	if (!argv)
		return NULL;
	for (size_t i = 0; i < n_fixed; i++)
		argv[n++] = (char *)(uintptr_t)fixed[i];
	for (size_t i = 0; i < count(o->options); i++)
		argv[n++] = (char *)(uintptr_t)o->options[i];
	argv[n++] = (char *)(uintptr_t) "--";
	for (size_t i = 0; i < count(o->command); i++)
		argv[n++] = (char *)(uintptr_t)o->command[i];
	return argv;
}

static int watch(struct berm_run *run, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(run->poll, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		(void)close(fd);
}

static int start(struct berm_run *run, const struct berm_options *o, struct berm_error *error)
{
	int events[2] = { -1, -1 }, asks[2] = { -1, -1 }, control[2] = { -1, -1 },
	    owner[2] = { -1, -1 }, r;
	struct lib_spawn s = { .program = o->program,
			       .environment = o->environment,
			       .directory = o->directory,
			       .n_fds = FD_COUNT };
	char **argv = arguments(o);

	r = argv ? lib_pair(events) : -ENOMEM;
	if (r >= 0)
		r = lib_pair(asks);
	if (r >= 0)
		r = lib_pair(control);
	if (r >= 0)
		r = lib_pair(owner);
	run->events.fd = events[0];
	run->asks.fd = asks[0];
	run->control.fd = control[0];
	run->owner = owner[0];
	if (r < 0) {
		(void)lib_error(error, r, "cannot start a run: %s", strerror(-r));
	} else {
		const int fds[] = { o->input, o->output,  o->error, events[1],
				    asks[1],  control[1], owner[1] };

		memcpy(s.fds, fds, sizeof(fds));
		s.argv = argv;
		run->pid = lib_spawn(&s, error);
		r = run->pid < 0 ? run->pid : 0;
	}
	free(argv);
	close_fd(events[1]);
	close_fd(asks[1]);
	close_fd(control[1]);
	close_fd(owner[1]);
	return r;
}

/* It is our child and not reaped, so that the number is still its own. */
static int watch_all(struct berm_run *run)
{
	int r;

	run->pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
	if (run->pidfd < 0)
		return -errno;
	run->poll = epoll_create1(EPOLL_CLOEXEC);
	if (run->poll < 0)
		return -errno;
	r = watch(run, run->pidfd);
	if (r >= 0)
		r = watch(run, run->events.fd);
	if (r >= 0)
		r = watch(run, run->asks.fd);
	return r >= 0 ? watch(run, run->control.fd) : r;
}

int berm_start(const struct berm_options *options, struct berm_run **ret_run,
	       struct berm_error *error)
{
	pthread_mutexattr_t checked;
	struct berm_run *run;
	int r;

	if (options->size != sizeof(*options))
		return lib_error(error, -EINVAL, "the options are of another version of berm.h");
	if (!options->command || !options->command[0])
		return lib_error(error, -EINVAL, "there is no command");
	(void)pthread_once(&seeded, seed);
	run = calloc(1, sizeof(*run));
	if (!run)
		return lib_error(error, -ENOMEM, "out of memory");
	run->options = *options;
	run->pid = run->pidfd = run->poll = run->owner = -1;
	run->result.status = 125;
	(void)pthread_mutex_init(&run->lock, NULL);
	(void)pthread_mutexattr_init(&checked);
	(void)pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
	(void)pthread_mutex_init(&run->taking, &checked);
	(void)pthread_mutexattr_destroy(&checked);
	r = start(run, options, error);
	if (r >= 0) {
		r = watch_all(run);
		if (r < 0)
			(void)lib_error(error, r, "cannot watch berm: %s", strerror(-r));
	}
	if (r < 0) {
		berm_free(run);
		return r;
	}
	*ret_run = run;
	return 0;
}

int berm_fd(const struct berm_run *run)
{
	return run->poll;
}

static void answered(struct berm_run *run, char *line, size_t len)
{
	(void)run;
	(void)line;
	(void)len;
}

/* Whether berm has ended. Somebody else of the process may have reaped it. */
static bool reap(struct berm_run *run, bool wait)
{
	siginfo_t si = { 0 };
	struct pollfd p = { .fd = run->pidfd, .events = POLLIN };
	int r;

	while ((r = waitid((idtype_t)P_PIDFD, (id_t)run->pidfd, &si,
			   WEXITED | (wait ? 0 : WNOHANG))) < 0 &&
	       errno == EINTR)
		;
	if (r < 0)
		return poll(&p, 1, wait ? -1 : 0) > 0;
	if (si.si_pid == 0)
		return false;
	if (si.si_code == CLD_EXITED) {
		run->result.status = si.si_status;
	} else {
		run->result.status = 128 + si.si_status;
		run->result.signal = si.si_status;
		(void)snprintf(run->result.error, sizeof(run->result.error),
			       "berm was killed by signal %d", si.si_status);
	}
	return true;
}

static void take(struct berm_run *run)
{
	bool gone = reap(run, false);

	/* After that: what it said before its end is there. */
	lib_lines(&run->asks, lib_ask, run);
	lib_lines(&run->events, lib_event, run);
	lib_lines(&run->control, answered, run);
	if (!gone)
		return;
	run->ended = true;
	if (!run->told && !run->result.error[0])
		(void)snprintf(run->result.error, sizeof(run->result.error),
			       "berm could not start it; its standard error says why");
}

int berm_process(struct berm_run *run, struct berm_result *ret_result)
{
	int r;

	/* Fails in a callback of this very call. */
	r = pthread_mutex_lock(&run->taking);
	if (r)
		return -r;
	if (!run->ended)
		take(run);
	r = run->ended;
	if (r)
		*ret_result = run->result;
	(void)pthread_mutex_unlock(&run->taking);
	return r;
}

int berm_wait(struct berm_run *run, struct berm_result *ret_result)
{
	for (;;) {
		struct pollfd p = { .fd = run->poll, .events = POLLIN };
		int r = berm_process(run, ret_result);

		if (r != 0)
			return r < 0 ? r : 0;
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			return -errno;
	}
}

int berm_kill(struct berm_run *run, int signal)
{
	return syscall(SYS_pidfd_send_signal, run->pidfd, signal, NULL, 0) < 0 ? -errno : 0;
}

int berm_rule(struct berm_run *run, const char *what, const char *host)
{
	json_t *root;
	int r;

	if (strcmp(what, "allow_domain") != 0 && strcmp(what, "deny_domain") != 0 &&
	    strcmp(what, "ask_domain") != 0)
		return -EINVAL;
	root = json_pack("{s:s}", what, host);
	(void)pthread_mutex_lock(&run->lock);
	r = lib_send(&run->control, root);
	(void)pthread_mutex_unlock(&run->lock);
	json_decref(root);
	return r;
}

void berm_free(struct berm_run *run)
{
	if (!run)
		return;
	if (run->pid > 0 && !run->ended) {
		/* Without a descriptor it cannot have been reaped by us. */
		if (run->pidfd < 0)
			(void)kill(run->pid, SIGKILL);
		else
			(void)berm_kill(run, SIGKILL);
		if (run->pidfd >= 0)
			(void)reap(run, true);
		else
			(void)waitpid(run->pid, NULL, 0);
	}
	lib_line_free(&run->events);
	lib_line_free(&run->asks);
	lib_line_free(&run->control);
	close_fd(run->owner);
	close_fd(run->poll);
	close_fd(run->pidfd);
	(void)pthread_mutex_destroy(&run->lock);
	(void)pthread_mutex_destroy(&run->taking);
	free(run);
}
