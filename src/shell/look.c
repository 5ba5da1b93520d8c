/* SPDX-License-Identifier: Apache-2.0 */
/* What a command's own words say: harmless wrappers are taken off, what wraps another command
 * gives it a part of its own, shells' texts are read, and where it is not known what will run,
 * the part is blind. The table is data/commands-known. */
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

int32_t look_inner(struct stream *st, const struct inner_command *c)
{
	struct shell_part *outer = at(st, c->parent), *p;
	uint32_t off = outer->off, span = outer->span;
	uint16_t flags = outer->flags;
	uint8_t depth = outer->depth;
	int32_t i;

	if (!c->n)
		return -1;
	if (depth + 1 >= SHELL_MAX_DEPTH) {
		blind(st, c->parent, SHELL_WHY_LIMIT);
		return -1;
	}
	i = part_new(st, 0);
	if (i < 0)
		return -1;
	p = at(st, i);
	p->words = p->full = c->words;
	p->n_words = p->n_full = c->n;
	p->origin = (uint8_t)c->origin;
	p->flags = (flags &
		    (SHELL_BACKGROUND | SHELL_PIPED_IN | SHELL_PIPED_OUT | SHELL_CONDITIONAL)) |
		   c->flags;
	p->depth = (uint8_t)(depth + 1);
	p->parent = c->parent;
	p->off = off;
	p->span = span;
	for (uint32_t k = 0; k < c->n; k++)
		p->why |= c->words[k].why;
	if (p->why & SHELL_WHY_SUBSTITUTION)
		p->flags |= SHELL_HAS_SUBST;
	return look(st, i);
}

void look_string(struct stream *st, int32_t part, const struct shell_word *w, const char *from,
		 enum shell_origin origin, bool same_shell)
{
	if (w->why)
		blind(st, part, SHELL_WHY_EVAL);
	/* What is certain of it is looked at all the same. */
	parse_text(st, &(struct inner_text){ .s = from,
					     .len = w->len - (size_t)(from - w->text),
					     .off = w->off,
					     .span = w->span,
					     .origin = origin,
					     .parent = part,
					     .same_shell = same_shell });
}

void look_joined(struct stream *st, int32_t part, uint32_t from, enum shell_origin origin,
		 bool same_shell)
{
	const struct shell_part *p = at(st, part);
	const struct shell_word *w = p->words;
	uint32_t n = p->n_words, why = 0;
	size_t len = 0, k = 0;
	char *text;

	for (uint32_t i = from; i < n; i++)
		len += w[i].len + 1;
	text = shell_pool_alloc(st->r->pool, len + 1);
	if (!text) {
		st->r->oom = true;
		return;
	}
	for (uint32_t i = from; i < n; i++) {
		memcpy(text + k, w[i].text, w[i].len);
		k += w[i].len;
		text[k++] = ' ';
		why |= w[i].why;
	}
	if (why)
		blind(st, part, SHELL_WHY_EVAL);
	if (from < n)
		parse_text(st,
			   &(struct inner_text){ .s = text,
						 .len = k,
						 .off = w[from].off,
						 .span = w[n - 1].off + w[n - 1].span - w[from].off,
						 .origin = origin,
						 .parent = part,
						 .same_shell = same_shell });
}

/* ---- wrappers ----------------------------------------------------------- */

/* env's NAME=VALUE words join those in front. */
static void take_assigns(struct stream *st, int32_t part, uint32_t from, uint32_t n)
{
	struct shell_part *p = at(st, part);
	struct shell_word *all = shell_pool_alloc(st->r->pool, (p->n_assigns + n) * sizeof(*all));

	if (!all) {
		st->r->oom = true;
		return;
	}
	if (p->n_assigns)
		memcpy(all, p->assigns, p->n_assigns * sizeof(*all));
	memcpy(all + p->n_assigns, p->words + from, n * sizeof(*all));
	p->assigns = all;
	p->n_assigns += n;
}

static void take_name(struct stream *st, int32_t part, const char *name, size_t len)
{
	struct shell_part *p = at(st, part);
	const char **all = shell_pool_alloc(st->r->pool, (p->n_wrappers + 1) * sizeof(*all));

	if (!all) {
		st->r->oom = true;
		return;
	}
	if (p->n_wrappers)
		memcpy(all, p->wrappers, p->n_wrappers * sizeof(*all));
	all[p->n_wrappers] = shell_pool_text(st->r->pool, name, len);
	st->r->oom |= !all[p->n_wrappers];
	p->wrappers = all;
	p->n_wrappers += all[p->n_wrappers] != NULL;
}

/* "-S 'a b'" of env: words between blanks, if there is nothing but such. */
static bool split_string(struct stream *st, int32_t part, const struct options *o)
{
	struct reading *r = st->r;
	uint32_t mark = r->n_words;
	const char *s = o->code_at;
	struct shell_word *to, *w;

	if (o->code->why || strpbrk(s, "\\\"'$#") || !*s) {
		blind(st, part, SHELL_WHY_EVAL);
		return false;
	}
	while (*(s += strspn(s, " \t\n\v\f\r"))) {
		size_t n = strcspn(s, " \t\n\v\f\r");

		w = word_push(st);
		if (!w)
			return false;
		*w = *o->code;
		w->text = shell_pool_text(r->pool, s, n);
		r->oom |= !w->text;
		w->len = w->known = (uint32_t)n;
		s += n;
	}
	for (uint32_t i = o->i; i < o->n; i++)
		if ((w = word_push(st)))
			*w = o->w[i];
	to = shell_pool_alloc(r->pool, (r->n_words - mark + 1) * sizeof(*to));
	if (to && !r->oom) {
		/* As if it had been written so, behind the wrapper's name. */
		to[0] = o->w[0];
		memcpy(to + 1, r->words + mark, (r->n_words - mark) * sizeof(*to));
		at(st, part)->words = to;
		at(st, part)->n_words = r->n_words - mark + 1;
	}
	r->oom |= !to;
	r->n_words = mark;
	return !r->oom;
}

static bool is_assignment(const struct shell_word *w)
{
	return !(w->why && w->known == 0) && w->text[0] != '=' &&
	       memchr(w->text, '=', w->why ? w->known : w->len);
}

/* Where in words the command of a wrapper begins; 0: there is none to look at. */
static uint32_t command_in(struct stream *st, int32_t part, const char *row, struct options *o)
{
	uint32_t i, first;

	*o = (struct options){ .row = row, .w = at(st, part)->words, .n = at(st, part)->n_words };
	options_read(o);
	if (o->code_kind == '%') {
		if (!split_string(st, part, o))
			return 0;
		*o = (struct options){ .row = row,
				       .w = at(st, part)->words,
				       .n = at(st, part)->n_words };
		options_read(o);
		if (o->code_kind == '%') {
			blind(st, part, SHELL_WHY_EVAL);
			return 0;
		}
	}
	if (o->query)
		return 0;
	if (o->why)
		blind(st, part, o->why);
	first = i = o->i;
	if (row_has(row, "assign")) {
		while (i < o->n && is_assignment(&o->w[i]))
			i++;
		if (i > first)
			take_assigns(st, part, first, i - first);
	}
	i += row_skip(row);
	for (uint32_t k = 1; k < i && k < o->n; k++)
		if ((k < first || o->w[k].many || !row_has(row, "assign")) && o->w[k].why)
			blind(st, part, o->w[k].why);
	return i < o->n ? i : 0;
}

/* Returns true when the command is another one now. */
static bool look_strip(struct stream *st, int32_t part, const char *row)
{
	struct options o;
	uint32_t i = command_in(st, part, row, &o);
	size_t len;
	const char *name = base_name(&at(st, part)->words[0], &len);

	if (o.string) {
		look_string(st, part, o.string, o.string_at, SHELL_STRING, false);
		return false;
	}
	if (!i)
		return false;
	take_name(st, part, name, len);
	at(st, part)->words += i;
	at(st, part)->n_words -= i;
	return true;
}

/* "FILE -c TEXT", "USER -c TEXT": options behind the operands. */
static bool late_text(struct stream *st, int32_t part, const char *row, const struct options *o)
{
	uint32_t skip = row_has(row, "late-c") ? row_skip(row) : 0;
	bool anywhere = row_has(row, "any-c");

	for (uint32_t i = o->i; i < o->n && (anywhere || i <= o->i + skip); i++) {
		const struct shell_word *w = &o->w[i], *text = w;
		const char *from = NULL;

		if (w->why || (!anywhere && i < o->i + skip))
			continue;
		if (streq(w->text, "-c") || streq(w->text, "--command")) {
			text = i + 1 < o->n ? &o->w[i + 1] : NULL;
			from = text ? text->text : NULL;
		} else if (anywhere && str_starts(w->text, "--command=")) {
			from = w->text + strlen("--command=");
		} else if (anywhere && str_starts(w->text, "-c")) {
			from = w->text + 2;
		}
		if (!from)
			continue;
		look_string(st, part, text, from, SHELL_STRING, false);
		return true;
	}
	return false;
}

static int32_t look_wrap(struct stream *st, int32_t part, const char *row)
{
	enum shell_origin origin = row_has(row, "remote") ? SHELL_REMOTE : SHELL_STRING;
	struct options o;
	uint32_t i = command_in(st, part, row, &o);

	if (o.string) {
		look_string(st, part, o.string, o.string_at, SHELL_STRING, false);
		return -1;
	}
	if (late_text(st, part, row, &o))
		return -1;
	if (!i) {
		/* A shell of its own, which reads what comes. */
		if (!o.query && row_has(row, "shell"))
			return reads_stdin(st, part);
		return -1;
	}
	if (row_has(row, "joined")) {
		look_joined(st, part, i, origin, false);
		return -1;
	}
	return look_inner(st, &(struct inner_command){ .words = o.w + i,
						       .n = o.n - i,
						       .parent = part,
						       .origin = SHELL_WRAPPED });
}

/* "uv run CMD": the command is behind one of these words. */
static int32_t look_sub(struct stream *st, int32_t part, const char *row)
{
	struct options o = { .row = row, .w = at(st, part)->words, .n = at(st, part)->n_words };
	char token[32];

	options_read(&o);
	at(st, part)->flags |= SHELL_SCRIPT;
	if (o.i >= o.n || o.w[o.i].why || o.w[o.i].len > 24)
		return -1;
	(void)snprintf(token, sizeof(token), "sub=%s", o.w[o.i].text);
	if (!row_has(row, token))
		return -1;
	o.w += o.i;
	o.n -= o.i;
	o.i = 0;
	options_read(&o);
	o.i += row_skip(row);
	if (o.why)
		blind(st, part, o.why);
	if (o.i >= o.n)
		return -1;
	return look_inner(st, &(struct inner_command){ .words = o.w + o.i,
						       .n = o.n - o.i,
						       .parent = part,
						       .origin = SHELL_WRAPPED });
}

/* ---- all of it ---------------------------------------------------------- */

bool kind_is(const char *row, const char *kind, const char **ret_rest)
{
	size_t n = strlen(kind);

	if (strncmp(row, kind, n) != 0 || (row[n] && row[n] != ' '))
		return false;
	*ret_rest = row + n;
	return true;
}

static int32_t look_kind(struct stream *st, int32_t part, const char *row, bool *ret_again)
{
	const char *rest;

	if (look_builtin(st, part, row))
		return -1;
	if (kind_is(row, "strip", &rest))
		*ret_again = look_strip(st, part, rest);
	else if (kind_is(row, "wrap", &rest))
		return look_wrap(st, part, rest);
	else if (kind_is(row, "shell", &rest))
		return look_shell(st, part);
	else if (kind_is(row, "code", &rest))
		look_code(st, part, rest);
	else if (kind_is(row, "sub", &rest))
		return look_sub(st, part, rest);
	else if (kind_is(row, "find", &rest))
		look_find(st, part);
	else if (kind_is(row, "xargs", &rest))
		return look_xargs(st, part, rest);
	else if (kind_is(row, "parallel", &rest))
		look_parallel(st, part, rest);
	else if (kind_is(row, "git", &rest))
		look_git(st, part, rest);
	else if (kind_is(row, "awk", &rest))
		look_awk(st, part, rest);
	else if (kind_is(row, "sed", &rest))
		look_sed(st, part, rest);
	else if (kind_is(row, "script", &rest))
		at(st, part)->flags |= SHELL_SCRIPT;
	else if (kind_is(row, "encoded", &rest))
		blind(st, part, SHELL_WHY_ENCODED);
	else /* opaque */
		blind(st, part, SHELL_WHY_CODE);
	return -1;
}

int32_t look(struct stream *st, int32_t part)
{
	int32_t reader = -1;

	for (unsigned round = 0; at(st, part)->n_words && !st->r->oom; round++) {
		const struct shell_word *w = at(st, part)->words;
		bool again = false;
		const char *name, *row;
		size_t len;

		if (w->why) {
			blind(st, part, w->why);
			st->r->vars_off = true;
			break;
		}
		name = base_name(w, &len);
		if (st->func && st->func_len == w->len && memcmp(st->func, w->text, w->len) == 0)
			at(st, part)->flags |= SHELL_RECURSES;
		/* A function can set what it likes. */
		if (st->r->n_funcs && name_find(st->r->funcs, st->r->n_funcs, w->text, w->len))
			st->r->vars_off = true;
		row = known_command(name, len);
		if (!row)
			break;
		if (round == 16) {
			blind(st, part, SHELL_WHY_LIMIT);
			break;
		}
		reader = look_kind(st, part, row, &again);
		if (!again)
			break;
	}
	return reader;
}
