/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/bye.h"

#include <sys/socket.h>

#include "egress/inlet.h"
#include "egress/relay.h"

#define LINGER_MS 2000u

struct leaving {
	struct dead dead;
	struct broker *b;
	struct watch watch;
	struct timer timer;
};

static void done(struct leaving *l)
{
	timer_stop(&l->b->loop, &l->timer);
	loop_close(&l->watch);
	loop_free(&l->b->loop, &l->dead);
	inlet_fds_are_free(l->b);
}

static void on_timer(struct timer *t)
{
	done(container_of(t, struct leaving, timer));
}

static void on_client(struct watch *w, uint32_t events)
{
	struct leaving *l = container_of(w, struct leaving, watch);
	uint8_t rest[4096];
	ssize_t n;

	if (w->fd < 0)
		return;
	/* What a client pours in without end is not read without end. */
	for (int i = 0; i < 64; i++) {
		n = recv(w->fd, rest, sizeof(rest), MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			break;
	}
	done(l);
}

void bye(struct broker *b, int fd, const void *text, size_t len)
{
	struct leaving *l = calloc(1, sizeof(*l));

	if (!l || send(fd, text, len, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)len) {
		free(l);
		close_reset(fd);
		return;
	}
	(void)shutdown(fd, SHUT_WR);
	l->b = b;
	l->watch = (struct watch){ .on = on_client, .fd = fd };
	l->timer.on = on_timer;
	timer_start(&b->loop, &l->timer, LINGER_MS);
	if (loop_add(&b->loop, &l->watch) < 0)
		done(l);
}
