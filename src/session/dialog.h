/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal dialog's text and keys. Pure. */
#pragma once

#include <stdbool.h>

#include "session/ask.h"

/* What is shown; lines end in "\r\n". Everything that a program chose is escaped. more: so
 * many other questions wait behind it. */
void dialog_text(struct buf *b, const struct ask *q, size_t more, long long now_ms);

/* The answer that a key stands for. false: none. */
bool dialog_key(unsigned char key, const struct ask *q, enum decision *ret_decision,
		enum ask_hold *ret_hold);

/* "allowed for this session" */
const char *dialog_said(enum decision decision, enum ask_hold hold);
