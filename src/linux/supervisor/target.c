/* SPDX-License-Identifier: Apache-2.0 */
/* What the supervisor reads from the command's side: strings and structures in its
 * memory, the thread's directory in /proc, its umask.
 *
 * Everything is copied once. A thread id may be given to another thread as soon as
 * the caller is dead, so nothing that was read counts until target_alive() has said that
 * the notification is still waiting: while it waits, its thread lives. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "base/str.h"
#include "linux/kern.h"
#include "linux/supervisor/sup.h"

#define PAGE 4096u /* the smallest there is: never crosses into an unmapped page */
#define FIRST_READ 256u

static struct task *task_slot(struct request *r)
{
	return &r->w->tasks[(unsigned)r->tid % TASK_CACHE];
}

static void task_clear(struct task *t)
{
	if (t->tid)
		close_quietly(t->proc);
	t->tid = 0;
	t->proc = -1;
	t->umask_gen = 0;
	t->inner_tgid = 0;
}

struct task *target_task(struct request *r, int *ret_err)
{
	struct task *t = task_slot(r);
	char name[16];
	int fd;

	if (t->tid == r->tid)
		return t;
	task_clear(t);
	(void)snprintf(name, sizeof(name), "%d", (int)r->tid);
	fd = openat(r->sup->host_proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		*ret_err = -errno;
		return NULL;
	}
	t->tid = r->tid;
	t->proc = fd;
	t->fresh = true;
	return t;
}

void target_forget(struct request *r)
{
	task_clear(task_slot(r));
}

void worker_rest(struct worker *w)
{
	for (size_t i = 0; i < TASK_CACHE; i++)
		task_clear(&w->tasks[i]);
	known_dirs_forget(w);
	give_unpin(w);
}

int target_alive(const struct request *r)
{
	return ioctl(r->sup->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &r->id) < 0 ? -ENOENT : 0;
}

/* One copy that lies within a page. /proc/TID/mem serves where process_vm_readv
 * is refused (a yama setting). Returns the bytes copied or -EFAULT. */
static ssize_t read_some(struct request *r, uint64_t addr, void *dst, size_t len)
{
	struct iovec local = { .iov_base = dst, .iov_len = len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = len };
	_cleanup_close_ int fd = -1;
	struct task *t;
	ssize_t n;
	int err;

	n = process_vm_readv(r->tid, &local, 1, &remote, 1, 0);
	if (n > 0)
		return n;
	if (n == 0 || errno == EFAULT || errno == ESRCH)
		return -EFAULT;
	t = target_task(r, &err);
	if (!t)
		return -EFAULT;
	fd = openat(t->proc, "mem", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || addr > INT64_MAX)
		return -EFAULT;
	n = pread(fd, dst, len, (off_t)addr);
	return n > 0 ? n : -EFAULT;
}

ssize_t target_string(struct request *r, uint64_t addr, char dst[PATH_MAX])
{
	size_t len = 0, want = FIRST_READ;

	while (len < PATH_MAX) {
		size_t in_page = PAGE - (size_t)((addr + len) % PAGE);
		const char *end;
		ssize_t n;

		if (want > in_page)
			want = in_page;
		if (want > PATH_MAX - len)
			want = PATH_MAX - len;
		n = read_some(r, addr + len, dst + len, want);
		if (n < 0)
			return n;
		end = memchr(dst + len, '\0', (size_t)n);
		if (end)
			return end - dst;
		len += (size_t)n;
		want = PAGE;
	}
	return -ENAMETOOLONG;
}

int target_read(struct request *r, uint64_t addr, void *dst, size_t len)
{
	char *p = dst;

	while (len) {
		size_t want = PAGE - (size_t)(addr % PAGE);
		ssize_t n;

		if (want > len)
			want = len;
		n = read_some(r, addr, p, want);
		if (n < 0)
			return (int)n;
		p += n;
		addr += (size_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* The last number of a line of /proc/TID/status: ids in the innermost namespace come last. */
static pid_t last_number(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	long n = 0;

	if (!p)
		return 0;
	for (p += strlen(key); *p && *p != '\n';) {
		char *end;
		long value = strtol(p, &end, 10);

		if (end == p)
			break;
		n = value;
		p = end;
	}
	return (pid_t)n;
}

int target_inner_pids(struct request *r, pid_t *ret_tgid, pid_t *ret_tid)
{
	_cleanup_close_ int fd = -1;
	int err = -ESRCH;
	struct task *t = target_task(r, &err);
	char text[4096];
	ssize_t n;

	if (!t)
		return err;
	if (!t->inner_tgid) {
		fd = openat(t->proc, "status", O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		/* As the view's /proc numbers them. */
		t->inner_tgid =
			last_number(text, r->sup->in->outer_proc ? "\nTgid:\t" : "\nNStgid:\t");
		t->inner_tid =
			last_number(text, r->sup->in->outer_proc ? "\nPid:\t" : "\nNSpid:\t");
		if (t->inner_tgid <= 0 || t->inner_tid <= 0) {
			t->inner_tgid = 0;
			return -ESRCH;
		}
	}
	*ret_tgid = t->inner_tgid;
	*ret_tid = t->inner_tid;
	return 0;
}

/* ---- answers ---------------------------------------------------------------- */

int target_write(struct request *r, uint64_t addr, const void *src, size_t len)
{
	_cleanup_close_ int fd = -1;
	int err = -ESRCH;
	struct task *t = target_task(r, &err);

	if (!t)
		return err;
	/* The descriptor stays with this very memory: once the notification is known to wait
	 * still, it is the caller's, and no other process's with its number. */
	fd = openat(t->proc, "mem", O_RDWR | O_CLOEXEC);
	if (fd < 0 || addr > INT64_MAX)
		return -EFAULT;
	err = target_alive(r);
	if (err)
		return err;
	return pwrite(fd, src, len, (off_t)addr) == (ssize_t)len ? 0 : -EFAULT;
}

/* ---- umask ------------------------------------------------------------------ */

/* The umask in /proc/TID/status, or -1 when the thread is gone. */
static int read_umask(int proc)
{
	_cleanup_close_ int fd = openat(proc, "status", O_RDONLY | O_CLOEXEC);
	char text[512];
	const char *p;
	unsigned value = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	/* A newline in the thread's name is shown escaped: this is the field. */
	p = strstr(text, "\nUmask:\t");
	if (!p)
		return -1;
	for (p += 8; *p >= '0' && *p <= '7'; p++)
		value = value * 8 + (unsigned)(*p - '0');
	return (int)(value & 0777);
}

static void flight_remove(struct sup *s, unsigned i)
{
	s->flights[i] = s->flights[--s->n_flights];
	s->umask_gen++;
}

/* Forgets the umask calls that have been carried out: the caller has been seen again,
 * is gone, or has the value it asked for (then doing it, or doing it again, changes
 * nothing). Called with umask_lock held. */
static void settle_flights(struct request *r, struct sup *s)
{
	for (unsigned i = 0; i < s->n_flights;) {
		const struct umask_flight *f = &s->flights[i];
		_cleanup_close_ int proc = -1;
		char name[16];
		int now;

		if (f->tid != r->tid) {
			(void)snprintf(name, sizeof(name), "%d", (int)f->tid);
			proc = openat(s->host_proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
			now = proc < 0 ? -1 : read_umask(proc);
			if (now >= 0 && now != (int)f->value) {
				i++;
				continue;
			}
		}
		flight_remove(s, i);
	}
	if (s->n_flights == 0)
		s->flights_lost = false;
}

static int umask_of(struct request *r)
{
	struct sup *s = r->sup;
	int err = -ESRCH, value;
	struct task *t = target_task(r, &err);

	if (!t)
		return err;
	settle_flights(r, s);
	if (t->umask_gen == s->umask_gen)
		return (int)t->umask;
	value = read_umask(t->proc);
	if (value < 0) {
		target_forget(r);
		return -ESRCH;
	}
	/* Between "continue" and the call itself a thread that shares the umask
	 * could be read too early: such a value is used once and not kept. */
	if (s->n_flights == 0 && !s->flights_lost) {
		t->umask = (mode_t)value;
		t->umask_gen = s->umask_gen;
	}
	return value;
}

int target_umask(struct request *r)
{
	struct sup *s = r->sup;
	int value;

	pthread_mutex_lock(&s->umask_lock);
	value = s->umask_diverged ? umask_of(r) : s->in->init_umask;
	pthread_mutex_unlock(&s->umask_lock);
	if (value < 0)
		return value;
	if ((mode_t)value != r->w->umask) {
		(void)umask((mode_t)value);
		r->w->umask = (mode_t)value;
	}
	return 0;
}

void target_umask_changes(struct request *r, mode_t value)
{
	struct sup *s = r->sup;

	pthread_mutex_lock(&s->umask_lock);
	if (value != (mode_t)s->in->init_umask)
		s->umask_diverged = true;
	if (s->umask_diverged) {
		settle_flights(r, s);
		s->umask_gen++;
		if (s->n_flights < UMASK_FLIGHT_MAX)
			s->flights[s->n_flights++] =
				(struct umask_flight){ .tid = r->tid, .value = value };
		else
			s->flights_lost = true;
	}
	pthread_mutex_unlock(&s->umask_lock);
}

int sys_umask(struct request *r)
{
	target_umask_changes(r, (mode_t)(r->arg[0] & 0777));
	return SUP_CONTINUE;
}
