/* SPDX-License-Identifier: Apache-2.0 */
/* A line from beginning to end: reading it, and what can be said only when all of it is read. */
#include "shell/shell.h"

#include <fnmatch.h>
#include <string.h>

#include "base/str.h"
#include "shell/data.h"
#include "shell/impl.h"

static void reading_free(struct reading *r)
{
	free(r->words);
	free(r->redirs);
	free(r->text);
	free(r->act);
	shell_pool_free(r->pool);
}

void shell_line_free(struct shell_line *line)
{
	if (line)
		shell_pool_free(line->pool);
}

/* Values that switch a program off are harmless whatever it is for. */
static bool harmless_value(const char *s)
{
	return !*s || streq(s, "true") || streq(s, ":") || streq(s, "cat") || streq(s, "0") ||
	       streq(s, "1") || streq(s, "false") || str_starts(s, "--max-old-space-size=");
}

bool dangerous_assign(const struct shell_word *w)
{
	const struct data_list *list = &data_commands_env;
	const char *eq = memchr(w->text, '=', w->len);
	size_t len = eq ? (size_t)(eq - w->text) : w->len;

	if (len && w->text[len - 1] == '+')
		len--;
	if (eq && !w->why && harmless_value(eq + 1))
		return false;
	for (size_t i = 0; i < list->n; i++) {
		const char *row = data_text(list, i);
		size_t n = strlen(row);
		bool prefix = row[n - 1] == '*';

		if (prefix ? len >= n - 1 && memcmp(row, w->text, n - 1) == 0
			   : len == n && memcmp(row, w->text, n) == 0)
			return true;
	}
	return false;
}

/* "a[$(b)]": a value or an operand that bash evaluates, and so runs b. */
static bool has_subscript(const struct shell_word *w)
{
	const char *open = w->why ? NULL : memchr(w->text, '[', w->len);

	return open && (strstr(open, "$(") || strchr(open, '`'));
}

/* Where bash evaluates what words say. */
static bool evaluates(const struct shell_part *p)
{
	static const char *const builtins[] = { "test",	   "[",		"let",	    "printf",
						"read",	   "unset",	"export",   "declare",
						"typeset", "local",	"readonly", "wait",
						"mapfile", "readarray", "getopts" };
	const char *name = shell_program(p);

	if (p->flags & SHELL_TEST)
		return true;
	for (size_t i = 0; name && i < ARRAY_SIZE(builtins); i++)
		if (streq(name, builtins[i]))
			return true;
	return false;
}

/* What holds for the whole line: functions may be defined behind their calls. */
static void part_finish(struct reading *r, int32_t i)
{
	struct shell_part *p = &r->parts[i];
	const struct shell_word *w = p->words;

	if (r->redefined && p->n_words)
		part_why(r, i, SHELL_WHY_REDEFINED, true);
	if (r->n_funcs && p->n_words && !w->why && name_find(r->funcs, r->n_funcs, w->text, w->len))
		part_why(r, i, SHELL_WHY_FUNCTION, true);
	if (r->n_funcs && p->n_full && !p->full->why &&
	    name_find(r->funcs, r->n_funcs, p->full->text, p->full->len))
		part_why(r, i, SHELL_WHY_FUNCTION, true);
	for (uint32_t k = 0; k < p->n_assigns; k++) {
		if (dangerous_assign(&p->assigns[k]))
			part_why(r, i, SHELL_WHY_ENVIRONMENT, true);
		if (has_subscript(&p->assigns[k]))
			part_why(r, i, SHELL_WHY_EVAL, true);
	}
	for (uint32_t k = p->flags & SHELL_TEST ? 0 : 1; k < p->n_words; k++)
		if (has_subscript(&p->words[k]) && evaluates(p))
			part_why(r, i, SHELL_WHY_EVAL, true);
}

static int line_new(struct reading *r, struct shell_line **ret, struct berm_err *err)
{
	struct shell_line *line = r->oom ? NULL : shell_pool_alloc(r->pool, sizeof(*line));

	if (!line) {
		reading_free(r);
		return err_set(err, -ENOMEM, "reading a command line: out of memory");
	}
	*line = (struct shell_line){ .parts = r->parts, .n_parts = r->n_parts, .pool = r->pool };
	for (uint32_t i = 0; i < r->n_parts; i++) {
		part_finish(r, (int32_t)i);
		line->why |= r->parts[i].why;
		line->blind |= r->parts[i].blind;
		line->flags |= r->parts[i].flags;
	}
	memcpy(line->note, r->note, sizeof(line->note));
	r->pool = NULL;
	reading_free(r);
	*ret = line;
	return 0;
}

/* len: of the text. Scripts have a command in some 64 bytes. */
static int reading_new(struct reading *r, size_t len, struct berm_err *err)
{
	const size_t room = 256, parts = len > SHELL_MAX_BYTES ? 0 : len / 64;

	/* The text is there from the beginning: an empty one is a place in it as well. */
	*r = (struct reading){ .pool = shell_pool_new(len * 10),
			       .text = malloc(room),
			       .act = malloc(room),
			       .cap_text = room,
			       .cap_parts = (uint32_t)parts + 8 };
	if (r->pool)
		r->parts = shell_pool_alloc(r->pool, r->cap_parts * sizeof(*r->parts));
	if (r->parts && r->text && r->act)
		return 0;
	reading_free(r);
	return err_set(err, -ENOMEM, "reading a command line: out of memory");
}

int shell_parse(const char *line, size_t len, struct shell_line **ret, struct berm_err *err)
{
	struct reading r;
	struct stream st = { .r = &r, .s = line, .end = len, .real_end = len, .parent = -1 };
	int e = reading_new(&r, len, err);

	if (e < 0)
		return e;
	if (len > SHELL_MAX_BYTES)
		stream_fail(&st, SHELL_WHY_LIMIT, "the line is too long");
	else if (len && memchr(line, 0, len))
		stream_fail(&st, SHELL_WHY_SYNTAX, "a NUL byte");
	parse_stream(&st);
	return line_new(&r, ret, err);
}

int shell_parse_argv(const char *const *argv, size_t n, struct shell_line **ret,
		     struct berm_err *err)
{
	struct reading r;
	struct stream st = { .r = &r, .s = "", .parent = -1 };
	int e = reading_new(&r, n * 8, err);
	uint32_t off = 0;
	int32_t part;

	if (e < 0)
		return e;
	part = part_new(&st, 0);
	for (size_t i = 0; i < n && part >= 0; i++) {
		size_t len = strlen(argv[i]);
		struct shell_word *w = len + off > SHELL_MAX_BYTES ? NULL : word_push(&st);

		if (!w) {
			stream_fail(&st, SHELL_WHY_LIMIT, "the command is too long");
			break;
		}
		*w = (struct shell_word){ .text = shell_pool_text(r.pool, argv[i], len),
					  .len = (uint32_t)len,
					  .known = (uint32_t)len,
					  .off = off,
					  .span = (uint32_t)len,
					  .quoted = true };
		r.oom |= !w->text;
		off += (uint32_t)len + 1;
	}
	if (part >= 0 && !r.oom && part_fill(&st, part, 0, 0, 0) == 0) {
		r.parts[part].span = off;
		(void)look(&st, part);
	}
	return line_new(&r, ret, err);
}
