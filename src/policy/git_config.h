/* SPDX-License-Identifier: Apache-2.0 */
/* Reads git's configuration syntax as git's config.c does, character by character:
 * what this reader and git see differently is a hole. Internal to policy/git_*.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define GIT_KEY_MAX 1024u
#define GIT_VALUE_MAX 16384u

enum git_config_next { GIT_CONFIG_ENTRY, GIT_CONFIG_END, GIT_CONFIG_BAD };

struct git_config_reader {
	const char *bytes;
	size_t len, pos;
	unsigned line; /* of the next character, from 1 */
	size_t stem;   /* length of "section." or "section.sub." in key */
	bool eof;      /* the end was read; it counts as a newline */

	/* The entry read last. The name is lower case, and the section unless it is quoted. */
	char key[GIT_KEY_MAX]; /* "section.name" or "section.sub.section.name" */
	size_t key_len;
	char value[GIT_VALUE_MAX];
	size_t value_len;
	bool has_value; /* false: a key without "=" */
	unsigned entry_line;
};

/* Starts reading at the first byte; bytes must outlive the reader. */
void git_config_init(struct git_config_reader *r, const char *bytes, size_t len);

/* GIT_CONFIG_BAD: git would stop here, or the key or value is longer than what is
 * judged; entry_line says where. Then there is nothing more to read. */
enum git_config_next git_config_next(struct git_config_reader *r);
