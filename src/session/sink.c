/* SPDX-License-Identifier: Apache-2.0 */
#include "session/sink.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/err.h"

/* A pipe that polls writable takes PIPE_BUF bytes without blocking (pipe(7)). */
#define CHUNK 4096

static int dup_high(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

static int open_inherited(const char *number, struct berm_err *err)
{
	char *end;
	long n;
	int fd, r;

	errno = 0;
	n = strtol(number, &end, 10);
	if (errno || end == number || *end || n < 0 || n > INT32_MAX) {
		r = err_set(err, -EINVAL, "--events fd:%s: not a descriptor number", number);
		err_fix(err, "write fd:3 and open it, as in 3>events.jsonl");
		return r;
	}
	r = fcntl((int)n, F_GETFL);
	if (r < 0 || (r & O_ACCMODE) == O_RDONLY) {
		r = err_set(err, -EBADF, "--events fd:%ld: descriptor %ld is not open for writing",
			    n, n);
		err_fix(err, "open it in the shell, as in: berm run --events fd:%ld ... %ld>FILE",
			n, n);
		return r;
	}
	fd = dup_high((int)n);
	return fd < 0 ? err_errno(err, fd, "--events fd:%ld", n) : fd;
}

/* No link anywhere on the way: the caller resolved the directory, and what an
 * earlier command left in a workspace must not lead the events elsewhere.
 * O_NONBLOCK: a FIFO without a reader fails (ENXIO) instead of hanging the start. */
static int open_unfollowed(const char *path)
{
	struct open_how how = {
		.flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		.mode = 0600,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 && errno == ENOSYS)
		return open(path, (int)how.flags | O_NOFOLLOW, 0600);
	return (int)fd;
}

static int open_path(const char *path, struct berm_err *err)
{
	int fd = open_unfollowed(path);
	_cleanup_close_ int owned = fd;
	struct stat st;

	if (fd < 0) {
		int r = -errno;

		(void)err_errno(err, r, "cannot open the events file %s", path);
		if (r == -ELOOP)
			err_fix(err, "it is a symbolic link; name the file itself");
		else if (r == -ENXIO)
			err_fix(err, "start what reads this FIFO first");
		return r;
	}
	if (fstat(fd, &st) < 0)
		return err_errno(err, -errno, "cannot look at the events file %s", path);
	if (S_ISREG(st.st_mode) && st.st_nlink > 1) {
		int r = err_set(err, -EMLINK, "the events file %s has another name (hard link)",
				path);

		err_fix(err, "use a new file");
		return r;
	}
	if (fd < 3) {
		fd = dup_high(fd);
		return fd < 0 ? err_errno(err, fd, "the events file %s", path) : fd;
	}
	return take_fd(&owned);
}

int sink_open(struct sink *s, const char *target, struct berm_err *err)
{
	int fd;

	if (streq(target, "-")) {
		fd = dup_high(STDOUT_FILENO);
		if (fd < 0)
			return err_errno(err, fd, "--events -: standard output");
	} else if (str_starts(target, "fd:")) {
		fd = open_inherited(target + 3, err);
	} else if (!target[0]) {
		return err_set(err, -EINVAL, "--events needs a file, fd:N or -");
	} else {
		fd = open_path(target, err);
	}
	if (fd < 0)
		return fd;
	*s = SINK_INIT;
	s->fd = fd;
	return 0;
}

/* Waits until fd takes CHUNK bytes. Returns false after wait_ms. */
static bool writable(int fd, int wait_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int n;

	do
		n = poll(&p, 1, wait_ms);
	while (n < 0 && errno == EINTR && wait_ms == 0);
	return n > 0;
}

static ssize_t write_chunk(int fd, const char *data, size_t len)
{
	ssize_t n = send(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	return write(fd, data, len);
}

/* Writes one chunk without being killed by SIGPIPE. The signal's disposition is
 * left alone: the command inherits it. */
static ssize_t write_unsignalled(int fd, const char *data, size_t len)
{
	static const struct timespec now = { 0 };
	sigset_t pipe_set, pending, old;
	bool was_pending;
	ssize_t n;
	int e;

	(void)sigemptyset(&pipe_set);
	(void)sigaddset(&pipe_set, SIGPIPE);
	(void)sigpending(&pending);
	was_pending = sigismember(&pending, SIGPIPE) == 1;
	(void)sigprocmask(SIG_BLOCK, &pipe_set, &old);
	n = write_chunk(fd, data, len);
	e = errno;
	if (n < 0 && e == EPIPE && !was_pending)
		while (sigtimedwait(&pipe_set, NULL, &now) < 0 && errno == EINTR)
			;
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	errno = e;
	return n;
}

static void shift(struct sink *s)
{
	if (!s->sent)
		return;
	memmove(s->backlog.data, s->backlog.data + s->sent, s->backlog.len - s->sent);
	s->backlog.len -= s->sent;
	s->sent = 0;
}

static long long now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void sink_flush(struct sink *s, int wait_ms)
{
	long long end = wait_ms > 0 ? now_ms() + wait_ms : 0;

	while (s->fd >= 0 && !s->broken && s->sent < s->backlog.len) {
		size_t left = s->backlog.len - s->sent;
		long long wait = end ? end - now_ms() : 0;
		ssize_t n;

		if (!writable(s->fd, wait > 0 ? (int)wait : 0)) {
			if (end && now_ms() < end)
				continue;
			break;
		}
		n = write_unsignalled(s->fd, s->backlog.data + s->sent,
				      left < CHUNK ? left : CHUNK);
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!end)
				break;
			continue;
		}
		if (n < 0)
			s->broken = -errno;
		else
			s->sent += (size_t)n;
	}
	if (s->sent == s->backlog.len)
		s->sent = s->backlog.len = 0;
	else if (s->sent > SINK_BACKLOG_MAX / 2)
		shift(s);
}

void sink_line(struct sink *s, const struct buf *line)
{
	if (s->fd < 0)
		return;
	if (s->broken || line->failed) {
		s->lost++;
		return;
	}
	if (line->len > SINK_BACKLOG_MAX - s->backlog.len)
		shift(s);
	/* Checked before: a half-added line would corrupt the next one. */
	if (line->len > SINK_BACKLOG_MAX - s->backlog.len ||
	    buf_add(&s->backlog, line->data, line->len) < 0) {
		s->backlog.failed = false;
		s->lost++;
		return;
	}
	sink_flush(s, 0);
}

void sink_close(struct sink *s)
{
	close_quietly(take_fd(&s->fd));
	buf_free(&s->backlog);
}
