/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines as they are shown and logged: without what looks like a secret. */
#pragma once

#include <stddef.h>

#define REDACT_WORDS_MAX 4096 /* bytes of a command line that are looked at */

/* NUL-separated words, at most len bytes: escaped for a terminal, with "***" for the values of
 * secret-named assignments and options, passwords in URLs and well-known kinds of tokens. dst
 * gets at most size bytes. */
void redact_words(const char *words, size_t len, char *dst, size_t size);
