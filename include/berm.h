/* SPDX-License-Identifier: Apache-2.0 */
/* libberm: runs commands inside berm's sandbox from another program. See berm(3).
 *
 * The library starts the program berm for each run and talks to it over descriptors. It never
 * forks its caller's image: no handler, lock or secret of the caller's comes along. When the
 * caller's process ends, however it ends, its runs end as well.
 *
 * Threads: all functions may be called from any thread. The callbacks of one run are called by
 * whoever is in berm_process() or berm_wait() for it, one at a time; berm_answer(), berm_kill()
 * and berm_rule() may be called meanwhile, from callbacks and from other threads. Only berm_free()
 * must be the last call for its run.
 *
 * Functions that can fail return 0 or a negative errno. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BERM_API __attribute__((visibility("default")))

/* One run of one command. */
struct berm_run;

/* Why something failed, in words; message ends without a line's end. */
struct berm_error {
	char message[1024];
};

/* One event line (see berm's docs/events.md). Valid during the callback. */
struct berm_event {
	const char *name; /* "ready", "violation", "network", "exit", ... */
	const char *json; /* the whole line, NUL-terminated */
	size_t length;
	const void *object; /* for berm_event_text() and berm_event_number() */
};

/* Somebody has to decide. Valid during the callback; copy id to answer later. What is not known is
 * "" or 0. */
struct berm_ask {
	const char *id;
	const char *host; /* of a connection; NULL: it is about a file */
	unsigned port;
	const char *path;      /* of a file; NULL: it is about a connection */
	const char *operation; /* with path: "file-read", "file-write", ... */
	long pid;
	const char *exe, *command; /* who asks */
	const char *description, *reason;
};

enum berm_decision { BERM_DENY, BERM_ALLOW };

/* How long an answer holds: this once, for the run, or written to the settings of the workspace or
 * of the user. */
enum berm_hold { BERM_ONCE, BERM_SESSION, BERM_WORKSPACE, BERM_USER };

/* How a run ended. */
struct berm_result {
	int status; /* as a shell has it: 0-255, 128+N for signal N; 125: it was not started */
	int signal; /* that killed the command, 0 none */
	char error[1024]; /* why the command did not run, "" when it did */
};

struct berm_options {
	size_t size;			/* sizeof(struct berm_options) */
	const char *program;		/* the program berm; NULL: the installed one */
	const char *const *options;	/* of "berm run", NULL-terminated; NULL none */
	const char *const *command;	/* NULL-terminated */
	const char *const *environment; /* berm's own, from which the command's is made; NULL: the
					 * caller's */
	const char *directory;	  /* where berm starts: the default workspace; NULL: the caller's */
	int input, output, error; /* descriptors of the command, -1: /dev/null */

	void *context; /* for the callbacks */
	/* Each event, in order. NULL: they are not wanted. */
	void (*on_event)(void *context, struct berm_run *run, const struct berm_event *event);
	/* A question: berm_answer() it here or later. NULL: every ask is a deny, unless options say
	 * --approver. */
	void (*on_ask)(void *context, struct berm_run *run, const struct berm_ask *ask);
	/* A question is over without an answer of ours (time, the caller is gone). May be NULL. */
	void (*on_ask_over)(void *context, struct berm_run *run, const char *id);
};

/* As sizeof says; no descriptors, no callbacks. */
#define BERM_OPTIONS_INIT                                                                          \
	{                                                                                          \
		sizeof(struct berm_options), NULL, NULL, NULL, NULL, NULL, -1, -1, -1, NULL, NULL, \
			NULL, NULL                                                                 \
	}

/* "0.1.0": of the library. */
BERM_API const char *berm_version(void);

/* Starts a run. On success *ret_run is to be given to berm_free(). What options point to is not
 * needed afterwards, but for context. error may be NULL. */
BERM_API int berm_start(const struct berm_options *options, struct berm_run **ret_run,
			struct berm_error *error);

/* A descriptor that polls readable when berm_process() has something to do. The run's; do not
 * read it. */
BERM_API int berm_fd(const struct berm_run *run);

/* Takes in what is there, without waiting, and calls the callbacks. Returns 1 when the run has
 * ended (and *ret_result is filled), else 0. */
BERM_API int berm_process(struct berm_run *run, struct berm_result *ret_result);

/* The same until the end. */
BERM_API int berm_wait(struct berm_run *run, struct berm_result *ret_result);

/* Answers a question. -ENOENT: it is not open (any more). */
BERM_API int berm_answer(struct berm_run *run, const char *id, enum berm_decision decision,
			 enum berm_hold hold);

/* Sends a signal as a terminal would: SIGINT, SIGTERM, SIGTSTP, ... go to the command; SIGKILL ends
 * the whole run. */
BERM_API int berm_kill(struct berm_run *run, int signal);

/* Changes the rules about hosts of a run that goes on: what is one of "allow_domain",
 * "deny_domain", "ask_domain". It holds from the next connection on; a pattern that is not valid
 * changes nothing. */
BERM_API int berm_rule(struct berm_run *run, const char *what, const char *host);

/* Ends the run if it has not ended, and frees it. NULL does nothing. */
BERM_API void berm_free(struct berm_run *run);

/* A member of an event: its text, or NULL; its number (or fallback). */
BERM_API const char *berm_event_text(const struct berm_event *event, const char *member);
BERM_API long long berm_event_number(const struct berm_event *event, const char *member,
				     long long fallback);

/* Runs another verb of berm ("why", "explain", ... with --json) and returns what it printed, NUL-
 * terminated, for free(); *ret_status is its exit status. program: as in the options. Not more than
 * 16 MiB. */
BERM_API int berm_query(const char *program, const char *const *arguments, char **ret_output,
			int *ret_status, struct berm_error *error);

#ifdef __cplusplus
}
#endif
