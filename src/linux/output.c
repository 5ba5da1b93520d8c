/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

/* What a pipe takes without waiting once poll() has said that it takes something (pipe(7)). */
#define CHUNK PIPE_BUF

static struct stream {
	int own;  /* the caller's descriptor, ours alone; -1: this stream does not pass here */
	int from; /* what the command writes; -1 at its end */
	size_t begin, end;
} streams[OUTPUT_STREAMS] = { { .own = -1, .from = -1 }, { .own = -1, .from = -1 } };
static char chunks[OUTPUT_STREAMS][CHUNK];
static uint64_t limit, left;
static bool full;

void output_ask(uint64_t bytes)
{
	limit = bytes;
	full = false;
}

/* 2>&1: they stay one stream, in the order in which it was written. */
static bool same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino && x.st_rdev == y.st_rdev;
}

static int keep_own(struct stream *s, int fd)
{
	s->own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return s->own < 0 ? -errno : 0;
}

static int open_stream(struct stream *s, int fd)
{
	int ends[2], r = keep_own(s, fd);

	if (r < 0)
		return r;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	s->from = ends[0];
	if (fcntl(s->from, F_SETFL, O_RDONLY | O_NONBLOCK) < 0 || dup2(ends[1], fd) < 0)
		r = -errno;
	close_quietly(ends[1]);
	return r;
}

static int open_both(void)
{
	int r = open_stream(&streams[0], 1);

	if (r >= 0)
		r = keep_own(&streams[1], 2);
	return r >= 0 && dup2(1, 2) < 0 ? -errno : r;
}

int output_open(void)
{
	int r = 0;

	if (!limit)
		return 0;
	output_close();
	left = limit;
	full = false;
	if (!isatty(1) && same_file(1, 2)) {
		r = open_both();
	} else {
		if (!isatty(1))
			r = open_stream(&streams[0], 1);
		if (r >= 0 && !isatty(2))
			r = open_stream(&streams[1], 2);
	}
	if (r < 0) {
		(void)output_restore();
		output_close();
	}
	return r;
}

int output_restore(void)
{
	for (int i = 0; i < OUTPUT_STREAMS; i++)
		if (streams[i].own >= 0 && dup2(streams[i].own, i + 1) < 0)
			return -errno;
	return 0;
}

static void end_stream(struct stream *s)
{
	close_quietly(s->own);
	close_quietly(s->from);
	*s = (struct stream){ .own = -1, .from = -1 };
}

void output_close(void)
{
	for (int i = 0; i < OUTPUT_STREAMS; i++)
		end_stream(&streams[i]);
}

void output_poll(struct pollfd *p)
{
	for (int i = 0; i < OUTPUT_STREAMS; i++) {
		const struct stream *s = &streams[i];
		bool waits = s->begin != s->end;

		p[i] = (struct pollfd){ .fd = waits ? s->own : s->from,
					.events = waits ? POLLOUT : POLLIN };
	}
}

static void fill(struct stream *s, char *chunk)
{
	/* One byte more than may be passed on tells that there is more. */
	ssize_t n = read(s->from, chunk, left < CHUNK ? (size_t)left + 1 : CHUNK);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end_stream(s);
		return;
	}
	s->begin = 0;
	s->end = (uint64_t)n > left ? (size_t)left : (size_t)n;
	full |= s->end != (size_t)n;
	left -= s->end;
}

/* When nobody reads any more, whoever writes hears of it as it would without us: by SIGPIPE. */
static void flush(struct stream *s, const char *chunk)
{
	ssize_t n = write(s->own, chunk + s->begin, s->end - s->begin);

	if (n > 0)
		s->begin += (size_t)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		end_stream(s);
}

void output_ready(const struct pollfd *p)
{
	for (int i = 0; i < OUTPUT_STREAMS; i++) {
		struct stream *s = &streams[i];

		if (!p[i].revents)
			continue;
		if (s->begin != s->end)
			flush(s, chunks[i]);
		else if (s->from >= 0)
			fill(s, chunks[i]);
	}
}

void output_drain(int signals)
{
	struct pollfd p[OUTPUT_STREAMS + 1];

	for (;;) {
		int wait = 0;

		for (int i = 0; full && i < OUTPUT_STREAMS; i++)
			if (streams[i].begin == streams[i].end)
				end_stream(&streams[i]);
		output_poll(p);
		p[OUTPUT_STREAMS] = (struct pollfd){ .fd = signals, .events = POLLIN };
		/* A reader may take its time; what the command has left is there already. */
		for (int i = 0; i < OUTPUT_STREAMS; i++)
			if (p[i].fd >= 0 && p[i].events == POLLOUT)
				wait = -1;
		if (poll(p, OUTPUT_STREAMS + 1, wait) < 0 && errno == EINTR)
			continue;
		if (p[OUTPUT_STREAMS].revents || (!p[0].revents && !p[1].revents))
			return;
		output_ready(p);
	}
}

void output_count(uint64_t bytes)
{
	if (!limit)
		return;
	full |= bytes > left;
	left -= bytes > left ? left : bytes;
}

bool output_full(void)
{
	return full;
}
