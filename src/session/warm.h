/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side of warm sessions: where their sockets lie, and what is asked there
 * (linux/warm_proto.h).
 *
 * The sockets lie in the folder "sessions" of berm's own state, which no sandbox shows
 * whatever its policy says. A socket's name is the session's. One that nobody
 * listens at is what a killed session left; whoever meets it takes it away. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "linux/warm_proto.h"

/* Opens the folder. make: it is made when it is not there; else *ret is -1 then. */
int warm_folder(bool make, int *ret, struct berm_err *err);

/* A socket for a new session, listening. -EEXIST: a session of this name lives. */
int warm_listen(int folder, const char *name, int *ret, struct berm_err *err);

/* Connects to a session. -ENOENT: there is none of this name. */
int warm_connect(int folder, const char *name, int *ret, struct berm_err *err);

/* The names of the sockets there, sorted; some may be stale. */
int warm_names(int folder, struct strv *ret, struct berm_err *err);

/* Asks for one thing and waits for the answer, timeout ms (-1: for ever). Returns 0 or a negative
 * errno (-ETIME: no answer). */
int warm_ask(int fd, enum warm_type type, int value, int timeout, struct warm_msg *ret);
int warm_ask_state(int fd, int timeout, struct warm_state *ret);

/* After WARM_STOP: waits until nothing of the session is left. 0, -ETIME, or another error. */
int warm_wait_end(int fd, int timeout);

/* The sentence for a WARM_FAILED. what: the command's name or the directory, may be "". */
void warm_failed(const char *session, const struct warm_msg *m, const char *what,
		 struct berm_err *err);

struct warm_command {
	const char *session; /* for messages */
	char *const *argv;
	const struct strv *env;	   /* NAME=VALUE */
	const char *dir;	   /* NULL: the session's */
	const struct strv *narrow; /* words of session/inside.h; NULL: none */
};

struct warm_result {
	int status; /* for the shell: 0-255, 128+n for a signal; 126 and 127 as berm run */
	int limit;  /* enum limit_kind that ended it, -1 none; status is 124 for LIMIT_TIME */
	bool lost;  /* the session ended, and the command with it */
};

/* Runs a command in the session, with the caller's standard descriptors: those that are a terminal
 * become one inside. Returns when it has ended. 0, or a negative errno: it did not
 * run; err may then be empty (the command was not found: status and errno say it). */
int warm_run(int fd, const struct warm_command *c, struct warm_result *ret, struct berm_err *err);

/* ---- for commands whose terminal others keep (session/pty_keep.h) ---- */

/* Asks for c. std: its descriptors; tty: bit N, that descriptor N is the session's terminal, with
 * these modes, instead. -E2BIG: its words are too long together. */
int warm_request(int fd, const struct warm_command *c, const int std[3], unsigned tty,
		 const struct warm_modes *modes);

/* One message, and the descriptor with it or -1. 1; 0: nothing to read after all; negative: the
 * session is gone (-EPIPE), or talks nonsense. */
int warm_receive(int fd, struct warm_msg *m, int *ret_fd);

/* The sentence for a WARM_FAILED that is the answer to c. Returns a negative errno. */
int warm_not_run(const struct warm_command *c, const struct warm_msg *m, int *ret_status,
		 struct berm_err *err);
