/* SPDX-License-Identifier: Apache-2.0 */
/* awk and sed: programs that are harmless as a rule and can run commands. Only those that
 * clearly do not are taken as such. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

static void blind(struct stream *st, int32_t part, uint32_t why)
{
	part_why(st->r, part, why, true);
}

/* system(), command | getline, print | command. Alternatives of a pattern have no blanks
 * around their '|' as a rule. */
static bool awk_runs(const char *s)
{
	if (strstr(s, "system") || strstr(s, "getline") || strchr(s, '@'))
		return true;
	for (const char *p = strchr(s, '|'); p; p = strchr(p + 1, '|')) {
		if (p[1] == '|') {
			p++;
			continue;
		}
		if (p[1] == '&' || p[1] == '"' || p[1] == ' ' || p[1] == '\t' || p[1] == '\n' ||
		    (p > s && strchr(" \t\n\")", p[-1])))
			return true;
	}
	return false;
}

void look_awk(struct stream *st, int32_t part, const char *row)
{
	const struct shell_part *p = &st->r->parts[part];
	struct options o = { .row = row, .w = p->words, .n = p->n_words };

	options_read(&o);
	if (o.query)
		return;
	if (o.why)
		blind(st, part, o.why);
	if (o.code_kind == '@')
		st->r->parts[part].flags |= SHELL_SCRIPT;
	else if (o.code_kind || (o.i < o.n && (o.w[o.i].why || awk_runs(o.w[o.i].text))))
		blind(st, part, SHELL_WHY_CODE);
}

/* ---- sed ---------------------------------------------------------------- */

/* Past the delimiter that ends this piece; NULL without one. */
static const char *sed_piece(const char *s, char delim)
{
	for (; *s && *s != delim; s++) {
		/* A delimiter in brackets: versions differ. */
		if (*s == '[' && strchr(s, ']') && memchr(s, delim, (size_t)(strchr(s, ']') - s)))
			return NULL;
		if (*s == '\\' && s[1])
			s++;
	}
	return *s ? s + 1 : NULL;
}

static const char *sed_address(const char *s)
{
	for (;;) {
		if (*s == '/' || (*s == '\\' && s[1])) {
			char delim = *s == '/' ? '/' : s[1];

			s = sed_piece(s + (*s == '/' ? 1 : 2), delim);
			if (!s)
				return NULL;
			s += strspn(s, "IM");
		} else if (*s == '$' || is_digit((unsigned char)*s)) {
			s += *s == '$' ? 1 : strspn(s, "0123456789");
		} else {
			return s;
		}
		s += strspn(s, " ");
		if (*s != ',' && *s != '~')
			return s;
		s++;
		s += strspn(s, " +~");
	}
}

/* s/a/b/flags, y/a/b/ */
static const char *sed_substitute(const char *s)
{
	char command = s[0], delim = s[1];

	if (!delim || delim == '\\' || delim == '\n')
		return NULL;
	s = sed_piece(s + 2, delim);
	s = s ? sed_piece(s, delim) : NULL;
	/* The flags w and e write a file and run a command. */
	if (s && command == 's')
		s += strspn(s, "gpIiMm0123456789");
	return s;
}

static bool sed_runs(const char *s)
{
	while (*(s += strspn(s, " \t\n;{}"))) {
		s = sed_address(s);
		if (!s)
			return true;
		s += strspn(s, " !");
		if (!*s || *s == '{' || *s == '}')
			continue;
		if (*s == 's' || *s == 'y')
			s = sed_substitute(s);
		else if (strchr("aic#", *s) || strchr("btT:r", *s))
			s += strcspn(s, strchr("btT", *s) ? ";\n" : "\n");
		else if (strchr("=dDgGhHnNpPxzFqQlL", *s))
			s += 1 + strspn(s + 1, " 0123456789");
		else
			return true;
		if (!s || (*s && !strchr(" \t\n;}#", *s)))
			return true;
	}
	return false;
}

/* The text that -e TEXT or --expression=TEXT gives, NULL when w is no such option. */
static const char *sed_expression(const struct shell_word *w, const struct shell_word *next)
{
	const char *t = w->text, *e;

	if (str_starts(t, "--expression="))
		return t + strlen("--expression=");
	if (t[0] != '-')
		return NULL;
	if (t[1] == '-')
		return streq(t, "--expression") && next ? next->text : NULL;
	e = strchr(t, 'e');
	if (!e)
		return NULL;
	return e[1] ? e + 1 : next ? next->text : NULL;
}

void look_sed(struct stream *st, int32_t part, const char *row)
{
	const struct shell_part *p = &st->r->parts[part];
	struct options o = { .row = row, .w = p->words, .n = p->n_words };
	bool script = false;

	/* The options may come behind the files: each word is looked at. */
	for (;;) {
		uint32_t from = o.i;
		const struct shell_word *w;

		o.code = NULL;
		o.code_kind = 0;
		options_read(&o);
		for (uint32_t i = from + 1; i < o.i && i < o.n; i++) {
			const struct shell_word *next = i + 1 < o.n ? &o.w[i + 1] : NULL;
			const char *t = o.w[i].text, *e = sed_expression(&o.w[i], next);

			script |= e || str_starts(t, "-f") || str_starts(t, "--file");
			if (e && sed_runs(e))
				blind(st, part, SHELL_WHY_CODE);
			if (o.w[i].why)
				blind(st, part, SHELL_WHY_CODE);
		}
		if (o.query || o.i >= o.n)
			break;
		w = &o.w[o.i];
		if (!script && (w->why || sed_runs(w->text)))
			blind(st, part, SHELL_WHY_CODE);
		script = true;
	}
	if (o.why)
		blind(st, part, o.why);
}
