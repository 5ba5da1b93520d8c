/* SPDX-License-Identifier: Apache-2.0 */
/* "berm run" inside a sandbox. It can make no sandbox by itself: the outer session's steward starts
 * one beside its own, from the outer run's very spec, narrowed by what is asked for
 * (policy/narrow.h).
 *
 * The two talk as a client and a warm session do (linux/warm_proto.h), over a socket that the
 * supervisor passes on (linux/doorbell.h): WARM_INFO, or one WARM_EXEC, WARM_SIGNALs
 * for it, and WARM_EXITED with the status of the inner berm. What is to be taken away are
 * the first `narrow` words of the request, a letter, ":" and a value each: */
#pragma once

#include "linux/warm_proto.h"
#include "session/session.h"

enum inside_word {
	INSIDE_DENY_READ = 'r',
	INSIDE_DENY_WRITE = 'w',
	INSIDE_DENY_EXEC = 'x',
	INSIDE_DENY_HOST = 'h',
	INSIDE_LIMIT = 'l',   /* KEY=VALUE */
	INSIDE_MODE = 'm',    /* review, plan, orchestrate */
	INSIDE_NET_OFF = 'n', /* no value */
	INSIDE_QUIET = 'q',   /* no value */
};
#define INSIDE_WORDS_MAX 1024u

/* ---- the client's side ---- */

/* Finds the session that this process runs in. -ENOTCONN: in none that answers. */
int inside_ring(int *ret_fd);

/* ---- the session's side ---- */

/* Makes sandboxes inside possible. run starts spec's command as berm run does and returns its exit
 * status; it is called in a process of its own, a fork of the steward as it was when it
 * woke, with the command's standard descriptors. */
typedef int inside_run_fn(void *ctx, struct spec *spec, bool quiet);
void session_set_inside(struct session *s, inside_run_fn *run, void *ctx);

/* Makes s the session of such a sandbox: in place of session_open_network(). Rules are not
 * read again, nobody is asked, and it begins no further ones. */
void session_open_inside(struct session *s, const struct session *outer);

struct steward;
/* Somebody inside has rung; takes fd. */
void inside_asked(struct steward *st, int fd);

/* What the words ask for; it points into them, and to lists that inside_free() frees. cwd is left
 * alone. 0, -ENOMEM, or -EPROTO: they ask for nothing that is known. */
struct narrowing;
int inside_parse(const char *words, uint32_t n, struct narrowing *ret, bool *ret_quiet);
void inside_free(struct narrowing *n);
