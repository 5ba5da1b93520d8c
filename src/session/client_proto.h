/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of clients and mailboxes as JSON (docs/approvers.md). Pure. What comes in is
 * read strictly: whatever is not exactly an allow is a deny. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "session/ask.h"

#define CLIENT_LINE_MAX (64u * 1024u)

/* control_request can_use_tool, one line with its newline. */
void client_request(struct buf *b, const struct ask *q);
/* control_cancel_request */
void client_cancel(struct buf *b, uint32_t id);
/* The answer to a control_request of the client's own. */
void client_response(struct buf *b, const char *request_id, bool success);

enum client_kind {
	CLIENT_BAD,    /* not a message at all */
	CLIENT_OTHER,  /* one that is none of ours: ignored */
	CLIENT_ANSWER, /* to question id */
	CLIENT_ASKS,   /* a control_request to us; request_id, known */
};

struct client_msg {
	enum client_kind kind;
	uint32_t id;
	enum decision decision;
	enum ask_hold hold;
	bool other_input; /* an allow for another input than was asked for: a deny */
	char request_id[128];
	bool known; /* a request that we answer with success */
};

/* One line without its newline. */
void client_parse(const char *line, size_t len, struct client_msg *ret);
/* Does an allow of this message hold for q? updatedInput may only repeat it. */
bool client_fits(const char *line, size_t len, const struct ask *q);

/* The mailbox. */
void mailbox_request(struct buf *b, const struct ask *q, const char *session, int worker);
/* sandbox_permission_response for q: *ret_allow. false: not a response to it. */
bool mailbox_parse(const char *text, size_t len, const struct ask *q, const char *session,
		   bool *ret_allow);
