/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/audit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "guard/audit_impl.h"

/* Of the file's end: what killed writers left unfinished, and the whole record before it. */
#define TAIL_MAX (4 * AUDIT_LINE_MAX)

static int open_own(const char *dir, const char *name, int flags, struct berm_err *err)
{
	_cleanup_close_ int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct stat st;

	if (dirfd < 0)
		return err_errno(err, -errno, "cannot open the state folder %s", dir);
	fd = openat(dirfd, name, O_RDWR | O_CREAT | flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY,
		    0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, -errno, "cannot open the audit log %s/%s", dir, name);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022)) {
		err_set(err, -EPERM, "the audit log %s/%s is not a file of yours alone", dir, name);
		err_fix(err, "move it away; a new one is begun");
		return -EPERM;
	}
	return take_fd(&fd);
}

/* Another writer holds the lock for microseconds, unless somebody stopped it. */
static int lock(int fd, int wait_ms)
{
	struct timespec pause = { .tv_nsec = 50000 };

	for (long long waited = 0;; waited += pause.tv_nsec) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EINTR && errno != EWOULDBLOCK)
			return -errno;
		if (waited >= wait_ms * 1000000ll)
			return -ETIMEDOUT;
		if (waited > 5000000)
			pause.tv_nsec = 1000000;
		(void)nanosleep(&pause, NULL);
	}
}

static int read_at(int fd, char *dst, size_t len, off_t at)
{
	while (len) {
		ssize_t n = pread(fd, dst, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		dst += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

struct end {
	struct audit_link last; /* the last whole record */
	const char *torn;	/* all that follows it */
	size_t torn_len;
};

/* tail: the last len bytes of the file; whole: they are all of it. */
static int look_at_end(const char *tail, size_t len, bool whole, struct end *ret)
{
	size_t end = len;

	*ret = (struct end){ .torn = tail, .torn_len = len };
	memcpy(ret->last.hash, audit_genesis, sizeof(audit_genesis));
	for (;;) {
		const char *nl = end ? memrchr(tail, '\n', end) : NULL, *before;
		const char *line;

		if (!nl)
			break;
		before = memrchr(tail, '\n', (size_t)(nl - tail));
		line = before ? before + 1 : tail;
		if (audit_parse(line, (size_t)(nl - line), &ret->last)) {
			ret->torn = nl + 1;
			ret->torn_len = len - (size_t)(nl + 1 - tail);
			return 0;
		}
		end = (size_t)(nl - tail);
	}
	/* No record: only the first writer was ever killed, or this is no log. */
	return whole && len < AUDIT_LINE_MAX && !memchr(tail, '\n', len) ? 0 : -EBADMSG;
}

/* The newest record as the head file has it. Returns false when there is none. */
static bool read_head(int fd, struct audit_link *ret)
{
	char text[128];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	return n > 0 && audit_head_parse(text, (size_t)n, ret);
}

int audit_write_head(int fd, const struct audit_link *l)
{
	_cleanup_buf_ struct buf text = BUF_INIT(128);

	audit_head_format(l, &text);
	if (text.failed)
		return -ENOMEM;
	return pwrite(fd, text.data, text.len, 0) == (ssize_t)text.len ? 0 : -EIO;
}

static int add(int fd, struct end *end, const char *members, size_t len, struct buf *out)
{
	_cleanup_buf_ struct buf torn = BUF_INIT(1024);
	size_t from = 0;
	struct audit_link done;
	int r;

	if (end->torn_len && audit_parse(end->torn, end->torn_len, &done) &&
	    done.n == end->last.n + 1 && streq(done.prev, end->last.hash)) {
		/* Only its newline was not written. */
		(void)buf_adds(out, "\n");
		end->last = done;
	} else if (end->torn_len) {
		audit_torn_members(end->torn, end->torn_len, &torn);
		(void)buf_adds(out, "\n");
		from = out->len;
		r = torn.failed ? -ENOMEM : audit_format(&end->last, torn.data, torn.len, out);
		if (r < 0 || !audit_parse(out->data + from, out->len - from - 1, &end->last))
			return r < 0 ? r : -EINVAL;
	}
	from = out->len;
	r = audit_format(&end->last, members, len, out);
	if (r < 0)
		return r;
	if (!audit_parse(out->data + from, out->len - from - 1, &end->last))
		return -EINVAL;
	return fd_write_all(fd, out->data, out->len);
}

static int read_end(int fd, char **ret_tail, struct end *ret)
{
	_cleanup_free_ char *tail = NULL;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	for (size_t want = 4096;; want *= 4) {
		bool whole = st.st_size <= (off_t)want;
		size_t n = whole ? (size_t)st.st_size : want;
		int r;

		free(tail);
		tail = malloc(n + 1);
		if (!tail)
			return -ENOMEM;
		r = read_at(fd, tail, n, st.st_size - (off_t)n);
		if (r < 0)
			return r;
		r = look_at_end(tail, n, whole, ret);
		if (r >= 0)
			*ret_tail = take_ptr(tail);
		if (r >= 0 || whole || want >= TAIL_MAX)
			return r;
	}
}

int audit_last(int fd, struct audit_link *ret)
{
	_cleanup_free_ char *tail = NULL;
	struct end end;
	int r = read_end(fd, &tail, &end);

	if (r < 0 || end.torn_len)
		return r < 0 ? r : -EBUSY;
	*ret = end.last;
	return 0;
}

/* Under the lock. */
static int append(int fd, int head_fd, const char *members, size_t len)
{
	_cleanup_buf_ struct buf out = BUF_INIT(AUDIT_LINE_MAX + 2048u);
	_cleanup_free_ char *tail = NULL;
	struct audit_link head;
	struct end end;
	int r;

	r = read_end(fd, &tail, &end);
	if (r < 0)
		return r;
	if (read_head(head_fd, &head) && head.n > end.last.n)
		end.last = head;
	r = add(fd, &end, members, len, &out);
	return r < 0 ? r : audit_write_head(head_fd, &end.last);
}

/* A log that cannot be put away is whole as it is, and is written on; the next one tries again. */
static void keep_small(const char *state_dir, const struct audit *a, off_t large, unsigned keep)
{
	struct stat st;

	if (fstat(a->fd, &st) < 0 || st.st_size < large || lock(a->fd, AUDIT_WAIT_MS) < 0)
		return;
	/* Another one may have done it meanwhile. */
	if (fstat(a->fd, &st) == 0 && st.st_size >= large)
		(void)audit_put_away(state_dir, a, keep);
	(void)flock(a->fd, LOCK_UN);
}

int audit_open_limits(const char *state_dir, off_t large, unsigned keep, struct audit *ret,
		      struct berm_err *err)
{
	_cleanup_close_ int fd = open_own(state_dir, AUDIT_FILE, O_APPEND, err);
	int head;

	if (fd < 0)
		return fd;
	head = open_own(state_dir, AUDIT_HEAD, 0, err);
	if (head < 0)
		return head;
	*ret = (struct audit){ take_fd(&fd), head };
	keep_small(state_dir, ret, large, keep);
	return 0;
}

int audit_open(const char *state_dir, struct audit *ret, struct berm_err *err)
{
	return audit_open_limits(state_dir, AUDIT_LARGE, AUDIT_KEEP, ret, err);
}

void audit_close(struct audit *a)
{
	close_quietly(a->fd);
	close_quietly(a->head);
	*a = AUDIT_CLOSED;
}

int audit_add(const struct audit *a, const char *members, size_t len, int wait_ms,
	      struct berm_err *err)
{
	int r;

	if (len > AUDIT_LINE_MAX - 512)
		return err_set(err, -E2BIG, "a record of %zu bytes is too long for the audit log",
			       len);
	r = lock(a->fd, wait_ms);
	if (r == -ETIMEDOUT) {
		err_set(err, r, "the audit log is locked by another process");
		err_fix(err, "a stopped berm may hold it");
		return r;
	}
	if (r >= 0) {
		r = append(a->fd, a->head, members, len);
		(void)flock(a->fd, LOCK_UN);
	}
	if (r == -EBADMSG) {
		err_set(err, r, "the end of the audit log is no record");
		err_fix(err,
			"berm audit verify tells where; move " AUDIT_FILE " away to begin anew");
		return r;
	}
	return r < 0 ? err_errno(err, r, "cannot write the audit log") : 0;
}

int audit_append(const char *state_dir, const char *members, size_t len, int wait_ms,
		 struct berm_err *err)
{
	struct audit a = AUDIT_CLOSED;
	int r = audit_open(state_dir, &a, err);

	if (r >= 0)
		r = audit_add(&a, members, len, wait_ms, err);
	audit_close(&a);
	return r;
}
