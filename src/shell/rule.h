/* SPDX-License-Identifier: Apache-2.0 */
/* Rules on the words of a command, as the rows of data/commands-deny are written. */
#pragma once

#include "shell/shell.h"

#define RULE_TOKENS 16

struct rule_token {
	/* 'w' the next operand, '-' an option somewhere, '=' an operand that a glob matches,
	 * '>' a file that is written */
	char kind;
	const char *text; /* alternatives between separators */
	size_t len;
};

struct rule {
	struct rule_token tokens[RULE_TOKENS]; /* the first is the program's name */
	unsigned n;
	char sep;
};

/* Reads a row. false: it has too many tokens, or none. */
bool rule_read(const char *row, struct rule *ret);

/* Of a part, in the way of SHELL_RESTRICT. */
enum shell_match rule_match(const struct rule *rule, const struct shell_part *p);

/* Does one of the alternatives, globs, match s? */
bool rule_alternative(const struct rule *rule, const struct rule_token *t, const char *s,
		      size_t len);

/* '*' matches any characters; nothing else is special. */
bool star_match(const char *glob, size_t n, const char *s, size_t len);

/* Could a longer text that begins with s match? */
bool star_could(const char *glob, size_t n, const char *s, size_t len);
