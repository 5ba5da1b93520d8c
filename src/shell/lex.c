/* SPDX-License-Identifier: Apache-2.0 */
/* Characters, blanks, reserved words. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

#define P CH_PLAIN
#define D CH_DELIM
/* Plain bytes mean themselves wherever they stand in a word, but for a '#' at its beginning. */
const uint8_t shell_class[256] = {
	[1 ... 8] = P,	   ['\t'] = D,	      ['\n'] = D,	 [11 ... 31] = P,   [' '] = D,
	['!'] = P,	   ['#'] = P,	      ['%'] = P,	 ['&'] = D,	    ['('] = D,
	[')'] = D,	   ['+' ... '9'] = P, [':'] = P,	 [';'] = D,	    ['<'] = D,
	['='] = P,	   ['>'] = D,	      ['@'] = P,	 ['A' ... 'Z'] = P, [']'] = P,
	['^'] = P,	   ['_'] = P,	      ['a' ... 'z'] = P, ['|'] = D,	    ['}'] = P,
	[127 ... 255] = P,
};
#undef P
#undef D

int peek_next(struct stream *st)
{
	size_t saved = st->pos;
	int c = cur(st);

	if (c >= 0) {
		st->pos++;
		c = cur(st);
	}
	st->pos = saved;
	return c;
}

bool accept_token(struct stream *st, const char *text)
{
	size_t saved = st->pos;

	for (; *text; text++) {
		if (cur(st) != (unsigned char)*text) {
			st->pos = saved;
			return false;
		}
		st->pos++;
	}
	return true;
}

void skip_blanks(struct stream *st)
{
	for (int c = cur(st); c == ' ' || c == '\t'; c = cur(st))
		st->pos++;
}

/* A comment has no line continuations. */
static void skip_comment(struct stream *st)
{
	const char *nl = memchr(st->s + st->pos, '\n', st->end - st->pos);

	st->pos = nl ? (size_t)(nl - st->s) : st->end;
}

void eat_newline(struct stream *st)
{
	st->pos++;
	if (st->docs_wait)
		stream_fail(st, SHELL_WHY_SYNTAX, "a new line inside a substitution behind <<");
	else if (st->n_docs)
		heredocs_read(st);
}

void skip_lines(struct stream *st)
{
	for (;;) {
		int c;

		skip_blanks(st);
		c = cur(st);
		if (c == '\n')
			eat_newline(st);
		else if (c == '#')
			skip_comment(st);
		else
			return;
	}
}

size_t keyword(struct stream *st, char buf[10], size_t *ret_end)
{
	size_t saved = st->pos, n = 0;
	int c;

	for (c = cur(st); c >= 0 && shell_class[c] != CH_DELIM; c = cur(st)) {
		/* All of them are of these characters. */
		if (n == 8 || !((c >= 'a' && c <= 'z') || strchr("{}[]!", c))) {
			st->pos = saved;
			return 0;
		}
		buf[n++] = (char)c;
		st->pos++;
	}
	buf[n] = '\0';
	*ret_end = st->pos;
	st->pos = saved;
	return n;
}

bool accept_keyword(struct stream *st, const char *word)
{
	char buf[10];
	size_t end;

	if (!keyword(st, buf, &end) || !streq(buf, word))
		return false;
	st->pos = end;
	return true;
}

void stream_fail(struct stream *st, uint32_t why, const char *note)
{
	if (st->fail_why)
		return;
	st->fail_why = why;
	st->end = st->pos;
	if (!st->r->note[0])
		(void)snprintf(st->r->note, sizeof(st->r->note), "%s", note);
}
