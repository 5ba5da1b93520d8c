/* SPDX-License-Identifier: Apache-2.0 */
/* The error object: a negative errno for the program and a sentence for the
 * person. The sentence says what was tried, on what, and why it failed; the fix
 * says what to do. Made where the path or the option is known. */
#pragma once

#include "base/cleanup.h"

struct berm_err {
	int code;	/* negative errno, 0 = no error */
	char msg[1024]; /* one line, no newline at its end */
	char fix[512];	/* one line, may be empty */
};

/* Sets code and message; the fix is cleared. Returns code (always negative, so
 * that a caller can write "return err_set(err, -EINVAL, ...)"). err may be NULL. */
int err_set(struct berm_err *err, int code, const char *fmt, ...) _printf_(3, 4);

/* As err_set(), with ": strerror" appended. */
int err_errno(struct berm_err *err, int code, const char *fmt, ...) _printf_(3, 4);

/* Adds what to do about it; keeps code and message. */
void err_fix(struct berm_err *err, const char *fmt, ...) _printf_(2, 3);

/* Puts "prefix: " before the message. Returns the code unchanged. */
int err_prefix(struct berm_err *err, const char *fmt, ...) _printf_(2, 3);

/* Prints "berm: msg\n" and, when there is one, "berm: fix\n" to stderr. Bytes
 * outside printable ASCII and UTF-8 text are escaped: a path in a message can
 * hold terminal control sequences. */
void err_print(const struct berm_err *err);
