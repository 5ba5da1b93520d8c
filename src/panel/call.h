/* SPDX-License-Identifier: Apache-2.0 */
/* Calling berm: the panel knows nothing of settings and writes no file itself. */
#pragma once

#include <stddef.h>

#define CALL_OUTPUT_MAX (16u << 20)

struct call_result {
	char *out, *err; /* what it printed; never NULL after success */
	size_t out_len;
	int status; /* exit status; 125 too when it did not end by itself */
};

/* Runs berm (the path of its program) with words (NULL-terminated, without argv[0]) until it ends.
 * signals: a signalfd; when that has something the call is ended and -EINTR returned. 0, or a
 * negative errno: -EFBIG when it printed more than any answer has. */
int call_berm(const char *berm, const char *const *words, int signals, struct call_result *ret);
void call_result_free(struct call_result *r);
