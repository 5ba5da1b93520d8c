/* SPDX-License-Identifier: Apache-2.0 */
/* Inside libberm only. */
#pragma once

#include <berm.h>

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LIB_ASKS_MAX 128
#define LIB_ID_MAX 64
/* The longest line that berm writes, and some. */
#define LIB_LINE_MAX (256u * 1024u)

/* One end of a socket pair to berm, and the line that is being received there. */
struct lib_line {
	int fd; /* -1: it is over */
	char *data;
	size_t n, cap;
};

struct berm_run {
	struct berm_options options; /* the callbacks alone count */
	pid_t pid;
	int pidfd;
	int poll;  /* epoll: what berm_fd() gives */
	int owner; /* berm ends when it is closed */

	/* Held by whoever takes in what came; the callbacks run under it. */
	pthread_mutex_t taking;
	struct lib_line events, control;
	bool told; /* its end was an event */
	bool ended;
	struct berm_result result;

	/* What answers need, also from other threads. Held for as long as it takes to send one. */
	pthread_mutex_t lock;
	struct lib_line asks;
	char open[LIB_ASKS_MAX][LIB_ID_MAX];
	size_t n_open;
};

/* Fills error, if there is one, with a sentence; returns r. */
int lib_error(struct berm_error *error, int r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* How berm is started: arguments and descriptors of the child, 0 and up; those from n_fds on are
 * closed there. */
struct lib_spawn {
	const char *program; /* NULL: the installed one */
	char *const *argv;
	const char *const *environment;
	const char *directory;
	int fds[8]; /* -1: /dev/null */
	size_t n_fds;
};

/* The one place that starts a process. Returns its pid, or a negative errno. */
pid_t lib_spawn(const struct lib_spawn *s, struct berm_error *error);

/* A socket pair; the first is ours: not blocking. Both close on exec, out of the child's
 * low numbers. */
int lib_pair(int ret_fds[2]);

/* Takes in what is there, and calls line for each line that is complete (NUL-terminated). A line
 * that is too long is dropped. At the end of file closes l->fd. */
void lib_lines(struct lib_line *l, void (*line)(struct berm_run *, char *, size_t),
	       struct berm_run *run);
void lib_line_free(struct lib_line *l);

/* One line of each descriptor. */
void lib_event(struct berm_run *run, char *line, size_t len);
void lib_ask(struct berm_run *run, char *line, size_t len);

/* Sends a whole line, or ends the connection: half a line is none. With run->lock. */
int lib_send(struct lib_line *l, const json_t *root);
