/* SPDX-License-Identifier: Apache-2.0 */
/* "--control fd:N": whoever holds the other end changes the rules about hosts while the command
 * runs, as strong as the command line. JSON lines, one answer for each
 * (docs/approvers.md). */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "policy/resolve.h"

#define CONTROL_RULES_MAX 1024
#define CONTROL_LINE_MAX 8192

struct control {
	int fd; /* -1: none */
	bool dead;
	struct buf rx;
	struct policy_net_arg *args;
	size_t n;
};

#define CONTROL_INIT ((struct control){ .fd = -1, .rx = BUF_INIT(CONTROL_LINE_MAX + 4096) })

/* What one line asks for. */
struct control_line {
	bool reload;		   /* read the settings again, nothing else */
	struct policy_net_arg arg; /* pattern: owned by the caller */
	char *pattern;
	long long id; /* the line's "id", 0 none */
};

/* Pure. Returns 0 or a negative errno with err set. */
int control_parse(const char *line, size_t len, struct control_line *ret, struct berm_err *err);

/* Opens what --control names: a descriptor for reading and writing, duplicated. */
int control_open(const char *target, int *ret, struct berm_err *err);

/* Adds a rule; pattern is taken over. 0 or a negative errno. control_drop() takes the last one
 * away again. */
int control_add(struct control *c, struct control_line *line);
void control_drop(struct control *c);

/* Reads what is there; each() for every whole line. */
void control_read(struct control *c, void (*each)(void *ctx, const char *line, size_t len),
		  void *ctx);
/* Says whether it was done. */
void control_reply(struct control *c, long long id, const struct berm_err *err);
