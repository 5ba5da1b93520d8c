/* SPDX-License-Identifier: Apache-2.0 */
/* Builtins that say what is to be run, set variables, or change what names mean. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

static struct shell_part *at(struct stream *st, int32_t part)
{
	return &st->r->parts[part];
}

static void blind(struct stream *st, int32_t part, uint32_t why)
{
	part_why(st->r, part, why, true);
}

static void look_trap(struct stream *st, int32_t part)
{
	const struct shell_part *p = at(st, part);
	const struct shell_word *w;
	uint32_t i = 1;

	if (i < p->n_words && !p->words[i].why && streq(p->words[i].text, "--"))
		i++;
	if (i >= p->n_words)
		return;
	w = &p->words[i];
	if (!w->why && (w->text[0] == '-' || !w->text[0] || is_digit((unsigned char)w->text[0])))
		return;
	look_string(st, part, w, w->text, SHELL_STRING, true);
	st->r->vars_off = true;
}

/* export NAME=VALUE: an assignment, if that is all. */
static void look_declare(struct stream *st, int32_t part)
{
	const struct shell_part *p = at(st, part);

	for (uint32_t i = 1; i < p->n_words; i++) {
		const struct shell_word *w = &p->words[i];

		if (w->why && w->known == 0)
			st->r->vars_off = true;
		else if (w->text[0] == '-' || w->text[0] == '+')
			st->r->vars_off = true;
		else if (memchr(w->text, '=', w->len)) {
			var_assign(st, w);
			if (dangerous_assign(w))
				blind(st, part, SHELL_WHY_ENVIRONMENT);
		}
	}
	if (streq(p->words[0].text, "readonly"))
		st->r->vars_off = true;
}

/* set -k, shopt -s extglob: words mean something else; most options are harmless. */
static void look_set(struct stream *st, int32_t part)
{
	const struct shell_part *p = at(st, part);
	bool shopt = streq(p->words[0].text, "shopt");

	for (uint32_t i = 1; i < p->n_words; i++) {
		const struct shell_word *w = &p->words[i];

		if (!shopt && !w->why && streq(w->text, "--"))
			return;
		if (w->why || (shopt && (strstr(w->text, "alias") || strstr(w->text, "extglob"))) ||
		    (!shopt && (w->text[0] == '-' || w->text[0] == '+') && strchr(w->text, 'k')) ||
		    streq(w->text, "keyword") || streq(w->text, "posix")) {
			blind(st, part, SHELL_WHY_REDEFINED);
			st->r->redefined = true;
		}
	}
	st->r->vars_off |= shopt;
}

static void look_redefine(struct stream *st, int32_t part)
{
	const struct shell_part *p = at(st, part);
	bool any = false;

	st->r->vars_off = true;
	for (uint32_t i = 1; i < p->n_words; i++) {
		const struct shell_word *w = &p->words[i];
		const char *eq = memchr(w->text, '=', w->len);

		any |= w->why || eq || (w->text[0] == '-' && w->len > 1 && w->text[1] != 'p');
		if (eq && !w->why && streq(p->words[0].text, "alias"))
			func_define(st->r, w->text, (size_t)(eq - w->text));
		else if (w->why || !streq(p->words[0].text, "alias"))
			st->r->redefined |= w->why || w->text[0] == '-';
	}
	if (any)
		blind(st, part, SHELL_WHY_REDEFINED);
}

bool look_builtin(struct stream *st, int32_t part, const char *row)
{
	const char *rest;

	if (kind_is(row, "eval", &rest)) {
		look_joined(st, part, 1, SHELL_STRING, true);
		st->r->vars_off = true;
	} else if (kind_is(row, "source", &rest)) {
		blind(st, part, SHELL_WHY_SOURCE);
		st->r->vars_off = true;
	} else if (kind_is(row, "trap", &rest)) {
		look_trap(st, part);
	} else if (kind_is(row, "taint", &rest)) {
		st->r->vars_off = true;
	} else if (kind_is(row, "declare", &rest)) {
		look_declare(st, part);
	} else if (kind_is(row, "set", &rest)) {
		look_set(st, part);
	} else if (kind_is(row, "redefine", &rest)) {
		look_redefine(st, part);
	} else {
		return false;
	}
	return true;
}
