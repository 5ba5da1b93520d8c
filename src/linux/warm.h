/* SPDX-License-Identifier: Apache-2.0 */
/* Inside linux/: the warden's side of a warm session (warm_warden.c, warm_suspend.c). */
#pragma once

#include <poll.h>

#include "linux/warden.h"

/* Connections, and so commands at a time. */
#define WARM_SLOTS 128
#define WARM_POLLS (WARM_SLOTS + 2)

/* How long everything inside has after SIGTERM. */
#define WARM_PATIENCE_MS 2000

struct warm_conn {
	int fd;		 /* -1: the client is gone */
	bool started;	 /* a command was asked for and its end is not known */
	bool shown;	 /* and its terminal was given to the client */
	bool over;	 /* its time was over */
	int64_t ends_at; /* when that is, or when patience after it ends; 0 never */
};

struct warm {
	const struct launch_warm *in;
	int owner; /* pidfd, -1 */
	struct warm_conn conns[WARM_SLOTS];
	unsigned commands;	    /* that run or are being started */
	uint8_t polled[WARM_SLOTS]; /* the connections in the order of the poll entries */
	bool suspended, stopping;
	int suspender; /* the connection that waits for the suspension, -1 none */
	int64_t look_at, give_up_at;
	bool asked;	  /* init was told to stop everybody, and has not said that it did */
	int32_t *stopped; /* host pids that were stopped before */
	size_t n_stopped;
	int64_t started;
};

/* In the session's other processes: nobody may take the warden's place. warm may be NULL. */
void warm_close_fds(const struct launch_warm *warm);
/* Makes w a warm session's. */
void warm_open(struct warden *w, const struct launch_warm *in);
/* Up to WARM_POLLS entries; returns how many. */
size_t warm_poll(struct warden *w, struct pollfd *p);
void warm_ready(struct warden *w, const struct pollfd *p, size_t n);
/* A message from init, with a descriptor or -1, which is closed here. 0 or -EPROTO. */
int warm_ctl(struct warden *w, const struct ctl_msg *m, int fd);
/* Everything inside is asked to end, and killed after patience milliseconds (0: at once). */
void warm_stop(struct warden *w, int patience);
/* Tells a client; fd goes with it, -1 none. */
void warm_tell(struct warden *w, int i, enum warm_type type, int value, int detail, int fd);
/* The session is over. */
void warm_close(struct warden *w);

/* ---- warm_suspend.c ---- */

/* Begins; warm_suspend_step() goes on. What was stopped before stays so on resume. Returns 0
 * or a negative errno. */
int warm_suspend(struct warden *w, int conn);
/* Init has stopped everybody (CTL_DONE): looks whether that holds, or asks again. 1: it does; 0:
 * not yet; negative: somebody goes on whatever is done, or it cannot be seen. */
int warm_suspend_check(struct warden *w);
/* Everybody goes on who was not stopped before. */
int warm_resume(struct warden *w);

/* ---- warden_limits.c ---- */

/* The command runs: its time begins. */
void warden_limits_begin(struct warden *w);
/* The same for one of a warm session. */
void warden_limits_command(const struct warden *w, struct warm_conn *c);
/* How long the warden may sleep at most, when it would otherwise for so long (-1: for ever). */
int warden_limits_wait(const struct warden *w, int most);
/* Each round: is a limit reached? */
void warden_limits(struct warden *w);
/* Has the kernel ended somebody for the group's memory? Then everything ends of it, and the clients
 * of a session are told. */
bool warden_memory_filled(struct warden *w);
/* Everything is over: was it a limit? */
void warden_limits_end(struct warden *w);
/* The end was brought about, and by what (LIMIT_COUNT: no limit). Told once. */
void warden_killed(struct warden *w, enum limit_kind why);

/* ---- the warden's, for the above (warden.c) ---- */
void warden_ctl(struct warden *w, enum ctl_type type, int slot, int value);
void warden_kill(struct warden *w);
int64_t warden_now_ms(void);
void warden_state(struct warden *w, enum launch_state s);
