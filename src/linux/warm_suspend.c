/* SPDX-License-Identifier: Apache-2.0 */
/* Suspending a warm session. Init sends SIGSTOP to every process of its pid namespace in one call,
 * which the kernel does under one lock; nobody can block it. A process that was running on
 * another CPU may still continue a sibling before it stops itself, so the warden looks
 * at every thread, from the host's /proc, and has it done again until all of them are stopped.
 *
 * A thread in uninterruptible sleep counts as stopped: it waits for the supervisor's answer
 * or a device, and stops before it executes another instruction of its own. Init itself
 * goes on; it runs nothing of the command's. The supervisor and the broker go on as well: they do
 * nothing unless somebody inside asks.
 *
 * Descendants are found by /proc/PID/task/TID/children (proc(5)), so the cost depends on this
 * session alone. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "linux/walk.h"
#include "linux/warm.h"

#define PATIENCE_MS 5000 /* a thread may have to wait for a processor to stop on */
#define AGAIN_MS 2

/* The state letter of a thread, 0 when it is gone. */
static char state_at(int dir, const char *name)
{
	char text[512], path[300];
	const char *paren;
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/stat", name);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* A name may hold anything, a closing parenthesis as well. */
	paren = strrchr(text, ')');
	return paren && paren[1] == ' ' ? paren[2] : 0;
}

/* One process: its children are added. *ret_runs: one of its threads could go on by itself.
 * *ret_stopped: its first one is stopped by a signal. */
static int look(struct walk *k, int32_t pid, bool *ret_runs, bool *ret_stopped)
{
	_cleanup_closedir_ DIR *tasks = NULL;
	const struct dirent *e;
	char path[64];
	int fd, r = 0;

	*ret_runs = *ret_stopped = false;
	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	tasks = fdopendir(fd);
	if (!tasks) {
		close_quietly(fd);
		return -ENOMEM;
	}
	while (r >= 0 && (e = readdir(tasks))) {
		char state;

		if (e->d_name[0] == '.')
			continue;
		state = state_at(dirfd(tasks), e->d_name);
		*ret_runs |= state && !strchr("TtZXD", state);
		*ret_stopped |= state == 'T';
		r = walk_add_children(k, dirfd(tasks), e->d_name);
	}
	return r;
}

/* Calls f for each process of the session but init. f: 0, or a negative errno to end with. */
static int each(struct warden *w, int (*f)(struct warden *w, int32_t pid, bool runs, bool stopped))
{
	struct walk k = { 0 };
	int32_t init = w->l->shared->init_pid;
	bool runs, stopped;
	int r = look(&k, init, &runs, &stopped);

	for (size_t i = 0; r >= 0 && i < k.n; i++) {
		r = look(&k, k.pids[i], &runs, &stopped);
		if (r >= 0)
			r = f(w, k.pids[i], runs, stopped);
	}
	free(k.pids);
	return r;
}

static int note_stopped(struct warden *w, int32_t pid, bool runs, bool stopped)
{
	struct warm *m = w->warm;
	int32_t *p;

	(void)runs;
	if (!stopped)
		return 0;
	p = reallocarray(m->stopped, m->n_stopped + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	m->stopped = p;
	p[m->n_stopped++] = pid;
	return 0;
}

static int still_runs(struct warden *w, int32_t pid, bool runs, bool stopped)
{
	(void)w;
	(void)pid;
	(void)stopped;
	return runs ? -EAGAIN : 0;
}

static int go_on(struct warden *w, int32_t pid, bool runs, bool stopped)
{
	const struct warm *m = w->warm;

	(void)runs;
	if (!stopped)
		return 0;
	for (size_t i = 0; i < m->n_stopped; i++)
		if (m->stopped[i] == pid)
			return 0;
	return kill(pid, SIGCONT) < 0 && errno != ESRCH ? -errno : 0;
}

static void ask(struct warden *w)
{
	w->warm->asked = true;
	w->warm->look_at = warden_now_ms() + AGAIN_MS;
	warden_ctl(w, CTL_STOP, 0, 0);
}

int warm_suspend(struct warden *w, int conn)
{
	char path[64];
	int fd, r;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", w->l->shared->init_pid,
		       w->l->shared->init_pid);
	fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -EOPNOTSUPP; /* a kernel without CONFIG_PROC_CHILDREN: it could not be seen
				     */
	(void)close(fd);
	w->warm->n_stopped = 0;
	r = each(w, note_stopped);
	if (r < 0)
		return r;
	w->warm->suspender = conn;
	w->warm->give_up_at = warden_now_ms() + PATIENCE_MS;
	ask(w);
	return 0;
}

int warm_suspend_check(struct warden *w)
{
	int r;

	if (w->warm->asked || warden_now_ms() < w->warm->look_at)
		return 0;
	r = each(w, still_runs);
	if (r != -EAGAIN)
		return r < 0 ? r : 1;
	if (warden_now_ms() >= w->warm->give_up_at)
		return -EBUSY;
	ask(w);
	return 0;
}

int warm_resume(struct warden *w)
{
	int r = each(w, go_on);

	if (r >= 0)
		w->warm->suspended = false;
	return r;
}
