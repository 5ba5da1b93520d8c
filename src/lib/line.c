/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of JSON to and from berm. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/impl.h"

static void close_line(struct lib_line *l)
{
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
}

void lib_line_free(struct lib_line *l)
{
	close_line(l);
	free(l->data);
	l->data = NULL;
}

static bool grow(struct lib_line *l)
{
	size_t cap = l->cap ? 2 * l->cap : 4096;
	char *data;

	if (l->cap > LIB_LINE_MAX)
		return false;
	data = realloc(l->data, cap);
	if (!data)
		return false;
	l->data = data;
	l->cap = cap;
	return true;
}

static void complete(struct lib_line *l, void (*line)(struct berm_run *, char *, size_t),
		     struct berm_run *run)
{
	size_t from = 0;
	char *end;

	while ((end = memchr(l->data + from, '\n', l->n - from))) {
		*end = '\0';
		line(run, l->data + from, (size_t)(end - (l->data + from)));
		from = (size_t)(end - l->data) + 1;
	}
	memmove(l->data, l->data + from, l->n - from);
	l->n -= from;
}

void lib_lines(struct lib_line *l, void (*line)(struct berm_run *, char *, size_t),
	       struct berm_run *run)
{
	while (l->fd >= 0) {
		ssize_t n;

		if (l->n == l->cap && !grow(l))
			l->n = 0;
		n = recv(l->fd, l->data + l->n, l->cap - l->n, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (n <= 0) {
			/* Another thread may be about to send. */
			(void)pthread_mutex_lock(&run->lock);
			close_line(l);
			(void)pthread_mutex_unlock(&run->lock);
			return;
		}
		l->n += (size_t)n;
		complete(l, line, run);
	}
}

int lib_send(struct lib_line *l, const json_t *root)
{
	char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
	size_t len = text ? strlen(text) : 0, sent = 0;

	if (!text)
		return -ENOMEM;
	if (l->fd < 0) {
		free(text);
		return -EPIPE;
	}
	text[len++] = '\n'; /* in the place of the NUL */
	while (sent < len) {
		struct pollfd p = { .fd = l->fd, .events = POLLOUT };
		ssize_t n = send(l->fd, text + sent, len - sent, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno != EINTR &&
			 ((errno != EAGAIN && errno != EWOULDBLOCK) || poll(&p, 1, 2000) <= 0))
			break;
	}
	free(text);
	if (sent == len)
		return 0;
	/* Whoever receives closes it. */
	(void)shutdown(l->fd, SHUT_RDWR);
	return -EPIPE;
}
