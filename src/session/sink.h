/* SPDX-License-Identifier: Apache-2.0 */
/* Where event lines go: a descriptor that may be slow or break. A reader that
 * does not read must not stop the warden (it forwards signals and the terminal),
 * so lines wait in a bounded backlog and what does not fit is counted. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

#define SINK_BACKLOG_MAX (512u * 1024u)

struct sink {
	int fd; /* -1: none */
	struct buf backlog;
	size_t sent;	    /* bytes of the backlog that are written */
	unsigned long lost; /* lines that did not fit or came after it broke */
	int broken;	    /* negative errno of the failed write, 0 = fine */
};

#define SINK_INIT ((struct sink){ .fd = -1, .backlog = BUF_INIT(SINK_BACKLOG_MAX) })

/* Opens what --events names: "-" (standard output), "fd:N" (an inherited
 * descriptor, duplicated) or a file, appended to, made with mode 0600, no symlink
 * in its path followed. Returns 0 or a negative errno with err set. */
int sink_open(struct sink *s, const char *target, struct berm_err *err);

/* Queues a whole line (with its newline) and writes what can be written without
 * waiting. */
void sink_line(struct sink *s, const struct buf *line);

/* Writes the backlog, waiting at most wait_ms for the reader. */
void sink_flush(struct sink *s, int wait_ms);

/* Closes and frees; what is unsent is lost (call sink_flush() before). */
void sink_close(struct sink *s);
