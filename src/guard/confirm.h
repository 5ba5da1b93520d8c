/* SPDX-License-Identifier: Apache-2.0 */
/* One question for all that a line is asked about, and what may be remembered of a yes. */
#pragma once

#include "guard/decide.h"

#define GUARD_REMEMBER_SECONDS (7 * 24 * 3600)

/* The part's command as it may be shown and logged: without secrets, escaped. text: the line, NULL
 * when it was words. */
void guard_show_part(const struct shell_part *part, const char *text, char *dst, size_t size);

/* All parts, with " ; " between. */
void guard_show_line(const struct shell_line *line, const char *text, char *dst, size_t size);

/* Rules that would have allowed what the part is asked about: as narrow as the line is certain,
 * over in a week. None where only the line as a whole, or doubt, asks. */
struct guard_memory {
	struct guard_rule **v;
	size_t n;
};

/* Fails for want of memory only. */
int guard_remember(const struct guard_answer *a, const struct guard_call *c,
		   struct guard_memory *ret);
void guard_memory_free(struct guard_memory *m);
#define _cleanup_memory_ _cleanup_(guard_memory_free)

/* "main" stays; "feature/login" becomes "feature/" "**", unless that covers a protected branch.
 * Caller frees. */
char *guard_narrow_ref(const char *ref);

/* The question as JSON: what is asked about, how much of it cannot be undone, what would be
 * remembered. */
int guard_confirm_json(const struct guard_answer *a, const struct guard_call *c, struct buf *out);
