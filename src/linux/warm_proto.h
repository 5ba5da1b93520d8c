/* SPDX-License-Identifier: Apache-2.0 */
/* What is said on the socket of a warm session: SOCK_SEQPACKET, one message each, fixed
 * layouts. The client is a program of the session's own user on the host (SO_PEERCRED); the
 * other side is the session's warden.
 *
 * A connection runs one command or asks one thing at a time:
 *
 *   client                                  warden
 *   WARM_INFO                               WARM_STATE (struct warm_state)
 *   WARM_EXEC (struct warm_exec)            WARM_STARTED with the terminal's master, when one was
 *     descriptors: standard input, output,  wanted (value 1: what it says is to be filtered); at
 * the end WARM_EXITED, value is a wait error, and the request's texts        status; or WARM_FAILED
 * in place of both WARM_SIGNAL, value is the signal        nothing: it is for this connection's
 * command WARM_SUSPEND, WARM_RESUME               WARM_DONE or WARM_FAILED WARM_STOP, value: ms
 * before it is       end of file when nothing of the session is left killed
 *
 * detail of WARM_EXITED is 0, or 1 + the enum limit_kind that ended the command.
 *
 * The texts are a sealed memory file: words of the command, then variables NAME=VALUE, then
 * the directory, each with its NUL. Who closes the connection while the command runs has it
 * killed: so a terminal that is to outlive its viewers is kept by a process that stays
 * connected and holds the master. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WARM_MAGIC 0x324d5257u /* another layout gets another number */
#define WARM_NAME_MAX 64
#define WARM_TEXT_MAX (6u << 20) /* as much as the kernel takes for an exec */
#define WARM_FDS 4

enum warm_type {
	WARM_INFO = 1,
	WARM_EXEC,
	WARM_SIGNAL,
	WARM_SUSPEND,
	WARM_RESUME,
	WARM_STOP,

	WARM_STATE = 64,
	WARM_STARTED,
	WARM_EXITED,
	WARM_FAILED,
	WARM_DONE,
};

struct warm_msg {
	uint32_t magic;
	uint32_t type;
	int32_t value;
	int32_t detail; /* WARM_FAILED: value is a positive errno, detail an enum warm_why */
};

/* Why a request came to nothing. */
enum warm_why {
	WARM_WHY_REQUEST,   /* it is malformed */
	WARM_WHY_DIRECTORY, /* a standard descriptor is one: it would open the host's files */
	WARM_WHY_ENV,	    /* a variable that the session does not let anybody set */
	WARM_WHY_SUSPENDED,
	WARM_WHY_ENDS,	   /* it is about to end */
	WARM_WHY_FULL,	   /* too many commands at once */
	WARM_WHY_WORKDIR,  /* the rest: errno says why */
	WARM_WHY_EXEC,	   /* it was not executed */
	WARM_WHY_TERMINAL, /* it could be given none */
	WARM_WHY_FORK,
	WARM_WHY_STOP,	 /* suspend: some process went on */
	WARM_WHY_NESTED, /* this sandbox was itself asked for inside another */
	WARM_WHY_COUNT,
};

/* A terminal's modes, independent of the C library. */
struct warm_modes {
	uint32_t iflag, oflag, cflag, lflag;
	uint8_t line, cc[19];
	uint16_t rows, cols;
};

struct warm_exec {
	struct warm_msg m;
	uint32_t tty;	 /* bit N: standard descriptor N is the session's terminal */
	uint32_t n_args; /* at least one */
	uint32_t n_env;
	uint32_t dir_len; /* without its NUL; 0: the session's work directory */
	uint32_t size;	  /* of the texts */
	uint32_t narrow;  /* the first words are not the command's, but what is asked to be taken
			   * away from it (session/inside.h); 0 at a session's own socket */
	struct warm_modes modes;
};

enum warm_session_state { /* SPEC S4 */
			  WARM_CREATED,
			  WARM_WARM,
			  WARM_ACTIVE,
			  WARM_SUSPENDED,
			  WARM_DESTROYED,
			  WARM_ERROR,
};

struct warm_state {
	struct warm_msg m;    /* value: enum warm_session_state */
	int32_t warden, init; /* pids of the host's */
	uint32_t commands;    /* that run now */
	uint32_t kept;	      /* 1: it does not end with its owner */
	int32_t owner;	      /* 0: none */
	int64_t started;      /* seconds since 1970 */
	char session[32];     /* id */
	char profile[16];
	char tier[16];
	char workspace[1024]; /* "" when it is longer */
};

/* The texts of a request, in the memory they were parsed from. */
struct warm_texts {
	const char *args; /* n_args words, one after the other */
	const char *env;  /* n_env assignments */
	const char *dir;  /* "" none */
};

/* Do the numbers of h fit the size bytes at text, NUL by NUL? Every variable has a name and
 * a "=". 0 or -EPROTO. */
int warm_texts_parse(const struct warm_exec *h, const char *text, size_t size,
		     struct warm_texts *ret);

/* A request's descriptors. The texts are sealed, so that nobody can change them before they are
 * used or after, and parse; each variable is one that may_set takes (NULL: any). 0, -EPROTO, or
 * -EPERM for a variable. */
int warm_check_texts(const struct warm_exec *x, int fd, bool (*may_set)(const char *assignment));
/* A directory is a door into the host's tree, and a terminal is never the command's.
 * WARM_WHY_COUNT: all is well. */
enum warm_why warm_check_stdio(const struct warm_exec *x, const int *fds);
/* Reads one request and its descriptors, which the caller closes (*ret_n of them, on failure as
 * well). Its size; 0 at the end, -EAGAIN, -EMSGSIZE when something was cut off, or another errno.
 */
ssize_t warm_take_request(int sock, struct warm_exec *x, int ret_fds[WARM_FDS], size_t *ret_n);

/* The word after this one. */
const char *warm_next(const char *word);

/* May a session be called so? Letters, digits, ".", "_", "-", the first one no ".". */
bool warm_name_ok(const char *name);

/* "created", "warm", "active", "suspended", "destroyed", "error". */
const char *warm_state_name(uint32_t state);
