/* SPDX-License-Identifier: Apache-2.0 */
/* Inside berm learn. What nobody decided is proposed: a path that is not shown, a folder that is
 * not writable, a host that no rule names. What somebody decided (a rule of any layer, a
 * protection, the lists of berm's own) is never: it is told, with the option that a person would
 * have to choose. */
#pragma once

#include <jansson.h>

#include "cli/run_opts.h"

enum want_kind { WANT_READ, WANT_WRITE, WANT_EXEC, WANT_HOST };

enum want_state {
	WANT_NEW,     /* not tried yet */
	WANT_GRANTED, /* was open in the last round */
	WANT_DROPPED, /* the command works without */
};

struct want {
	enum want_kind kind;
	enum want_state state;
	char *value;  /* a path (canonical, no pattern), or a host with its port */
	char *option; /* the value as an option takes it: special characters escaped */
	char *why;    /* "git: openat, 3 times" */
};

/* What is not proposed. */
struct unwanted {
	char *action, *target, *reason, *option; /* option: "" none */
	unsigned long count;
};

/* The same, borrowed. */
struct unwanted_text {
	const char *action, *target, *reason, *option;
	unsigned long count;
};

struct learned {
	struct want *wants;
	size_t n_wants;
	struct unwanted *others;
	size_t n_others;
};

void learned_free(struct learned *l);

/* Adds one of each kind unless it is there. 0 or -ENOMEM. */
int learned_want(struct learned *l, enum want_kind kind, const char *value, const char *why);
int learned_other(struct learned *l, const struct unwanted_text *what);

/* Forgets want i. */
void learned_take_out(struct learned *l, size_t i);

/* How many are in that state. */
size_t learned_count(const struct learned *l, enum want_state state);

/* The option that grants it, and what a settings file or JSON calls it. */
const char *want_option(enum want_kind kind);
/* "read", "write", "exec", "host" */
const char *want_word(enum want_kind kind);

/* learn_run.c: one run of the command with what is granted. */
struct round {
	json_t *events; /* list of the event lines */
	int status;	/* the command's, as a shell has it; EXIT_BERM: it did not run */
};

/* quiet: the command's output is thrown away. Rules that are granted are added to o and taken
 * away again. 0 or a negative errno. */
int learn_round(struct run_opts *o, char **command, const struct learned *l, bool quiet,
		struct round *ret, struct berm_err *err);
void round_free(struct round *r);

/* Makes the granted wants options of o (new_too: those that were not tried as well);
 * learn_restore() takes them away. */
struct learn_saved {
	size_t n_args, n_net_args;
};
int learn_apply(struct run_opts *o, const struct learned *l, bool new_too, struct learn_saved *ret,
		struct berm_err *err);
void learn_restore(struct run_opts *o, const struct learn_saved *saved);

/* Is there a policy with the wants that are not dropped? 0, or what is wrong with it. */
int learn_fits(struct run_opts *o, const struct learned *l, struct berm_err *err);

/* learn_find.c: what the events of a round under spec come to. */
int learn_find(struct learned *l, struct run_opts *o, const struct spec *spec, const json_t *events,
	       struct berm_err *err);

/* learn_write.c: the local settings as they are and as they would be with the wants that are not
 * dropped. Both are to be freed. */
int learn_texts(const struct spec *spec, const struct learned *l, char **ret_old, char **ret_new,
		struct berm_err *err);
/* learn_diff.c: appends the difference, in the form of diff -u, every line of it escaped. */
int learn_diff(const char *name, const char *old, const char *new, struct buf *out);
/* Writes them. How many changes there were, or a negative errno. */
int learn_write(const struct run_opts *o, const struct spec *spec, const struct learned *l,
		struct berm_err *err);
