/* SPDX-License-Identifier: Apache-2.0 */
/* Inside linux/: the warden's loop and its side of the session's terminal. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <termios.h>

#include "linux/setup.h"
#include "linux/term_filter.h"

/* A terminal gives no more at once. */
#define TERMINAL_CHUNK 4096

/* Bytes on their way in one direction. */
struct relay {
	char data[TERM_FILTER_ROOM(TERMINAL_CHUNK)];
	size_t from, to;
};

/* What passes between the two. Large, and a run without a terminal never touches it. */
struct terminal_flow {
	struct relay input, output;
	struct term_filter filter;
};

/* The user's terminal and the session's own one, copied into each other. */
struct terminal {
	bool active;
	int master; /* the session's terminal, non-blocking; -1 before it arrives or after its end
		     */
	int in;	    /* read from here, -1 none */
	int out;    /* an open file description of our own on the user's terminal, non-blocking */
	int ctl;    /* descriptor for modes and size */
	bool raw;
	bool paused;   /* somebody else has the user's terminal */
	bool filtered; /* what the command writes passes filter first */
	int keeper;    /* closed without a word, it has the modes restored (keeper.c); -1 none */
	pid_t keeper_pid;
	struct termios saved;
	struct terminal_flow *flow; /* NULL while not active; a process has one terminal */
};

/* Chooses the descriptors. tty[n] says which of stdio are terminals; filtered: what the command
 * writes is filtered. */
int terminal_init(struct terminal *t, const bool tty[3], bool filtered);
/* Takes the master, gives it the size and modes of the user's terminal. */
int terminal_attach(struct terminal *t, int master);
void terminal_raw(struct terminal *t);	   /* when in the foreground */
void terminal_restore(struct terminal *t); /* as it was before */
void terminal_resize(struct terminal *t);
/* Lends the user's terminal, with its own modes, to somebody else; the command's output
 * waits. 0, or a negative errno when it cannot be lent just now. */
int terminal_pause(struct terminal *t);
/* Takes it back; what the command has on the screen is drawn again (SIGWINCH). */
void terminal_resume(struct terminal *t);
/* Fills up to 3 entries; returns how many. */
size_t terminal_poll(const struct terminal *t, struct pollfd *p);
void terminal_ready(struct terminal *t, const struct pollfd *p, size_t n);
/* What is still in the session's terminal goes out. */
void terminal_drain(struct terminal *t);
/* After the end and a drain: modes that the command left behind are set back, and answers to its
 * questions do not reach whoever reads the user's terminal next. */
void terminal_settle(struct terminal *t);
void terminal_close(struct terminal *t);

/* Starts a process that restores the modes should this one be killed. keeper.c */
int terminal_keep(struct terminal *t);
/* This process has restored them, or is about to; reaps it. */
void terminal_unkeep(struct terminal *t);

struct warm; /* linux/warm.h */

struct warden {
	struct launch *l;
	const struct launch_ops *ops;
	struct launch_result *result;
	struct terminal term;
	int signals; /* signalfd */
	int child;   /* pidfd of the supervisor */
	pid_t child_pid;
	bool going; /* every step is done, the command's exec came next */
	int (*confine)(const struct warden *w); /* the warden's own filter; called when the
						 * command runs */
	int confined;				/* what it returned */
	bool ready;				/* the command was executed */
	bool unsettled;	   /* since when nothing has been made that it may not need */
	int64_t settle_at; /* CLOCK_MONOTONIC ms */
	bool exited;	   /* and its status is known */
	int status;
	bool failed; /* a set-up step failed: fail is filled */
	struct fail_record fail;
	bool kit_ready, kit_failed; /* the network's sockets, for the steward */
	pid_t steward;		    /* 0 none, or reaped */
	bool steward_ends;	    /* as it should: with the session */
	uint32_t asked[128];	    /* questions that the steward has not answered yet */
	size_t n_asked;
	struct warm *warm;	       /* NULL: a run of one command */
	uint64_t left_out[TERM_KINDS]; /* by the terminal's filter */
	int64_t ends_at;	   /* the same clock: when the command's time is over, 0 never */
	int64_t look_at;	   /* when memory and processes are looked at next */
	int64_t count_at;	   /* the processes */
	bool blind;		   /* that was not possible, and is told */
	unsigned full;		   /* looks in a row that found as many processes as there may be */
	bool killed;		   /* by us */
	enum limit_kind killed_by; /* LIMIT_COUNT: no limit, somebody wanted it */
	int64_t kill_at;	   /* CLOCK_MONOTONIC ms when patience after SIGTERM ends, 0 none */
};

/* warden_confine.c */
int warden_confine(const struct warden *w);

/* Runs until nothing of the session is left. */
int warden_loop(struct warden *w, struct berm_err *err);
