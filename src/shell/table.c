/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and options as its rows describe them. */
#include <string.h>

#include "base/str.h"
#include "shell/data.h"
#include "shell/impl.h"

const char *base_name(const struct shell_word *w, size_t *ret_len)
{
	const char *slash = memrchr(w->text, '/', w->len);
	const char *name = slash ? slash + 1 : w->text;

	*ret_len = w->len - (size_t)(name - w->text);
	return name;
}

/* Order of a row's name and name[0..len). */
static int compare(const char *row, const char *name, size_t len)
{
	for (size_t i = 0;; i++) {
		unsigned char a = row[i] == ' ' ? 0 : (unsigned char)row[i];
		unsigned char b = i < len ? (unsigned char)name[i] : 0;

		if (a != b)
			return a < b ? -1 : 1;
		if (!a)
			return 0;
	}
}

const char *known_command(const char *name, size_t len)
{
	const struct data_list *list = &data_commands_known;
	size_t lo = 0, hi = list->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = compare(data_text(list, mid), name, len);

		if (c == 0)
			return data_text(list, mid) + len + 1;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* The next token of a row: its length, 0 at the end. *row moves to it. */
static size_t token(const char **row)
{
	*row += strspn(*row, " ");
	return strcspn(*row, " ");
}

bool row_has(const char *row, const char *want)
{
	size_t n, len = strlen(want);

	for (; (n = token(&row)); row += n)
		if (n == len && memcmp(row, want, n) == 0)
			return true;
	return false;
}

unsigned row_skip(const char *row)
{
	size_t n;

	for (; (n = token(&row)); row += n)
		if (n == 2 && row[0] == '+' && is_digit((unsigned char)row[1]))
			return (unsigned)(row[1] - '0');
	return 0;
}

/* What the row says of an option: its suffix, ' ' for none, 0 for one it does not have. */
static char suffix_of(const char *row, const char *option, size_t len)
{
	size_t n;

	for (; (n = token(&row)); row += n) {
		if (n < len || n > len + 1 || memcmp(row, option, len) != 0)
			continue;
		if (n == len)
			return ' ';
		if (strchr("=?!~%*@", row[len]))
			return row[len];
	}
	return 0;
}

/* The option at o->i has this suffix; its value begins at text, NULL when it is the next word. */
static void take_value(struct options *o, char suffix, const char *text)
{
	const struct shell_word *w = &o->w[o->i];

	if (suffix == '*')
		o->query = true;
	if (suffix == '*' || suffix == ' ' || suffix == '?')
		return;
	if (!text) {
		o->starved = o->i + 1 >= o->n;
		if (o->starved)
			return;
		w = &o->w[++o->i];
		text = w->text;
	}
	if (suffix == '!') {
		o->string = w;
		o->string_at = text;
	} else if (strchr("~%@", suffix)) {
		o->code = w;
		o->code_at = text;
		o->code_kind = suffix;
	}
}

static void long_option(struct options *o)
{
	const struct shell_word *w = &o->w[o->i];
	const char *eq = memchr(w->text, '=', w->len);
	char s = suffix_of(o->row, w->text, eq ? (size_t)(eq - w->text) : w->len);

	if (!s && row_has(o->row, "--*"))
		return;
	if (!s || (s == ' ' && eq))
		o->why |= SHELL_WHY_OPTION;
	else
		take_value(o, s, eq ? eq + 1 : NULL);
}

static void short_options(struct options *o)
{
	const struct shell_word *w = &o->w[o->i];

	/* "-20", and words such as -delay that are one option. */
	if (is_digit((unsigned char)w->text[1]) && row_has(o->row, "-#"))
		return;
	for (const char *p = w->text + 1; *p; p++) {
		const char option[2] = { '-', *p };
		char s = suffix_of(o->row, option, 2);

		if (!s) {
			o->why |= SHELL_WHY_OPTION;
			return;
		}
		if (s == ' ')
			continue;
		take_value(o, s, p[1] ? p + 1 : NULL);
		if (s != '*')
			return;
	}
}

void options_read(struct options *o)
{
	for (o->i++; o->i < o->n && !o->query; o->i++) {
		const struct shell_word *w = &o->w[o->i];

		if (w->text[0] != '-' || (w->why && w->known == 0))
			return;
		if (streq(w->text, "-")) {
			if (!row_has(o->row, "-"))
				return;
			continue;
		}
		if (w->why) {
			o->why |= SHELL_WHY_OPTION;
			continue;
		}
		if (streq(w->text, "--")) {
			o->i++;
			return;
		}
		if (w->text[1] == '-')
			long_option(o);
		else
			short_options(o);
		if (o->code_kind == '@' || o->code_kind == '%') {
			o->i++;
			return;
		}
	}
}
