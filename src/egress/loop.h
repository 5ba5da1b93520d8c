/* SPDX-License-Identifier: Apache-2.0 */
/* The broker's event loop: edge-triggered epoll, timers, and work put off to the end of a
 * turn.
 *
 * Each descriptor is registered once for both directions and never changed again; who
 * watches it keeps what it has not used up of its readiness. Objects that die in a turn
 * are freed when it ends: an event of the same turn may still name them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "base/cleanup.h"

struct loop;
struct watch;

typedef void watch_fn(struct watch *w, uint32_t events);

/* Embedded in who watches. */
struct watch {
	watch_fn *on;
	int fd; /* -1: none */
};

struct timer {
	struct timer *prev, *next; /* NULL: not running */
	void (*on)(struct timer *t);
	uint64_t when; /* ms */
};

/* Work for the end of this turn, once however often it is asked for. */
struct later {
	struct later *next;
	void (*on)(struct later *l);
	bool queued;
};

/* Embedded at the start of what is freed at the end of a turn. */
struct dead {
	struct dead *next;
};

#define LOOP_SLOTS 512u
#define LOOP_TICK_MS 32u

struct loop {
	int epfd;
	bool stop;
	uint64_t now;  /* ms, as of the turn's beginning */
	uint64_t tick; /* the wheel's position */
	unsigned n_timers;
	struct timer wheel[LOOP_SLOTS]; /* heads of rings */
	struct later *first, **last;
	struct dead *dead;
};

/* Returns 0 or a negative errno. */
int loop_init(struct loop *l);
/* Until l->stop, or epoll fails (returns a negative errno). */
int loop_run(struct loop *l);

/* Both directions, edge-triggered; w->fd and w->on are set. Returns 0 or a negative errno. */
int loop_add(struct loop *l, struct watch *w);
/* Level-triggered input only: listeners and the like. */
int loop_add_in(struct loop *l, struct watch *w);
/* Stops (0) or starts (EPOLLIN) the reports of one that loop_add_in() added. */
int loop_mod(struct loop *l, struct watch *w, uint32_t events);
/* Closes the descriptor; events of this turn that still name w are ignored. */
void loop_close(struct watch *w);
/* Gives the descriptor back, out of the loop. */
int loop_take(struct loop *l, struct watch *w);

/* t->on is set. Starts it anew when it runs already. */
void timer_start(struct loop *l, struct timer *t, unsigned ms);
void timer_stop(struct loop *l, struct timer *t);
static inline bool timer_runs(const struct timer *t)
{
	return t->next;
}

/* At the end of this turn; l->on is set. */
void loop_later(struct loop *l, struct later *w);
/* free(d) at the end of this turn. */
void loop_free(struct loop *l, struct dead *d);
