/* SPDX-License-Identifier: Apache-2.0 */
/* Putting the log away when it is large. Writers hold it open for hours and may open nothing
 * else, so that the file itself stays: its records are copied into a file of their own, and it is
 * emptied. The number and hash of its newest record are in the head file by then, from which the
 * next writer goes on, so that the chain runs through all files.
 *
 * Killed after the copy has its name and before the log is emptied, the records stand in both:
 * readers pass over what they have seen (audit_read.c). */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "guard/audit_impl.h"

#define COPY_CHUNK (256u * 1024u)

bool audit_is_old(const char *name)
{
	static const char before[] = "audit.", after[] = ".jsonl";
	size_t i = sizeof(before) - 1;

	if (!str_starts(name, before))
		return false;
	for (unsigned k = 0; k < AUDIT_OLD_DIGITS; k++, i++)
		if (name[i] < '0' || name[i] > '9')
			return false;
	return streq(name + i, after);
}

void audit_old_name(uint64_t n, char dst[64])
{
	(void)snprintf(dst, 64, "audit.%0*" PRIu64 ".jsonl", AUDIT_OLD_DIGITS, n);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int audit_list_old(int dirfd, struct strv *ret)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		r = -errno;
		close_quietly(fd);
		return r;
	}
	for (struct dirent *e; r >= 0 && (e = readdir(dir));)
		if (audit_is_old(e->d_name))
			r = strv_add(ret, e->d_name);
	/* Numbers of one length: the oldest first. */
	if (r >= 0 && ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	return r;
}

static int copy(int from, off_t size, int to)
{
	_cleanup_free_ char *text = malloc(COPY_CHUNK);

	if (!text)
		return -ENOMEM;
	for (off_t at = 0; at < size;) {
		off_t left = size - at;
		size_t want = left < (off_t)COPY_CHUNK ? (size_t)left : COPY_CHUNK;
		ssize_t n = pread(from, text, want, at);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		r = fd_write_all(to, text, (size_t)n);
		if (r < 0)
			return r;
		at += n;
	}
	return fsync(to) < 0 ? -errno : 0;
}

/* The newest record of an old file, which its end holds. */
static int last_of(int dirfd, const char *name, struct audit_link *ret)
{
	_cleanup_close_ int fd =
		openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	return fd < 0 ? -errno : audit_last(fd, ret);
}

/* Only so many old files stay. What went before them is told by AUDIT_BASE, written first: a
 * file that is left over for want of time is older than the base and is dropped by the next. */
static int drop_oldest(int dirfd, unsigned keep)
{
	_cleanup_strv_ struct strv old = { 0 };
	_cleanup_buf_ struct buf text = BUF_INIT(128);
	_cleanup_close_ int fd = -1;
	struct audit_link base;
	int r = audit_list_old(dirfd, &old);

	if (r < 0 || old.n <= keep)
		return r;
	r = last_of(dirfd, old.v[old.n - keep - 1], &base);
	if (r < 0)
		return r;
	audit_head_format(&base, &text);
	fd = openat(dirfd, AUDIT_BASE ".new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0 || text.failed)
		return fd < 0 ? -errno : -ENOMEM;
	r = fd_write_all(fd, text.data, text.len);
	if (r >= 0 && (fsync(fd) < 0 || renameat(dirfd, AUDIT_BASE ".new", dirfd, AUDIT_BASE) < 0))
		r = -errno;
	for (size_t i = 0; r >= 0 && i < old.n - keep; i++)
		if (unlinkat(dirfd, old.v[i], 0) < 0)
			r = -errno;
	return r;
}

/* Under the lock. */
int audit_put_away(const char *state_dir, const struct audit *a, unsigned keep)
{
	_cleanup_close_ int dirfd = open(state_dir, O_PATH | O_DIRECTORY | O_CLOEXEC), to = -1;
	char name[64];
	struct audit_link last;
	struct stat st;
	int r;

	if (dirfd < 0 || fstat(a->fd, &st) < 0)
		return -errno;
	/* A torn end stays where it is: its writer's successor tells of it first. */
	r = audit_last(a->fd, &last);
	if (r < 0)
		return r;
	audit_old_name(last.n, name);
	to = openat(dirfd, AUDIT_FILE ".new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (to < 0)
		return -errno;
	r = copy(a->fd, st.st_size, to);
	if (r >= 0)
		r = audit_write_head(a->head, &last);
	if (r >= 0 && fsync(a->head) < 0)
		r = -errno;
	if (r >= 0 && renameat(dirfd, AUDIT_FILE ".new", dirfd, name) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(dirfd, AUDIT_FILE ".new", 0);
		return r;
	}
	if (ftruncate(a->fd, 0) < 0)
		return -errno;
	return drop_oldest(dirfd, keep);
}
