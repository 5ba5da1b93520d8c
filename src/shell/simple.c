/* SPDX-License-Identifier: Apache-2.0 */
/* Simple commands: assignments, words, redirections. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

/* ---- redirections ------------------------------------------------------- */

bool redir_ahead(struct stream *st, int *ret_fd)
{
	size_t saved = st->pos;
	int c = cur(st), fd = 0;

	*ret_fd = -2;
	if (c == '&')
		return peek_next(st) == '>';
	if (c == '<' || c == '>')
		return peek_next(st) != '(';
	if (is_digit(c)) {
		for (; is_digit(c); c = cur(st)) {
			fd = fd < 100000 ? fd * 10 + (c - '0') : fd;
			st->pos++;
		}
		*ret_fd = fd;
	} else if (c == '{' && is_name_start(peek_next(st))) {
		st->pos++;
		while (is_name(cur(st)))
			st->pos++;
		if (!accept_token(st, "}")) {
			st->pos = saved;
			return false;
		}
		*ret_fd = -1;
		c = cur(st);
	}
	if (c == '<' || c == '>') {
		if (peek_next(st) == '(')
			stream_fail(st, SHELL_WHY_SYNTAX, "a number before <( or >(");
		/* {name}> sets a variable. */
		st->r->vars_off |= *ret_fd == -1;
		return !st->fail_why;
	}
	st->pos = saved;
	return false;
}

static enum shell_redir_op redir_op(struct stream *st)
{
	static const struct {
		const char *text;
		enum shell_redir_op op;
	} ops[] = {
		{ "<<<", SHELL_HERE_STRING }, { "<<", SHELL_HERE },    { "<&", SHELL_DUP_IN },
		{ "<>", SHELL_INOUT },	      { "<", SHELL_IN },       { ">>", SHELL_APPEND },
		{ ">&", SHELL_DUP_OUT },      { ">|", SHELL_CLOBBER }, { ">", SHELL_OUT },
		{ "&>>", SHELL_BOTH_APPEND }, { "&>", SHELL_BOTH },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (accept_token(st, ops[i].text))
			return ops[i].op;
	stream_fail(st, SHELL_WHY_SYNTAX, "a redirection is not understood");
	return SHELL_IN;
}

/* A descriptor, a descriptor to move, or none: "2", "2-", "-". */
static bool is_descriptor(const struct shell_word *w)
{
	size_t n = w->len;

	if (w->why || !n)
		return false;
	if (w->text[n - 1] == '-')
		n--;
	for (size_t i = 0; i < n; i++)
		if (!is_digit((unsigned char)w->text[i]))
			return false;
	return true;
}

void redir_read(struct stream *st, int fd, size_t from)
{
	struct shell_redir d = { .op = (uint8_t)redir_op(st) };
	struct reading *r = st->r;
	uint32_t words = r->n_words;
	int n;

	d.fd = fd != -2 ? fd
	       : d.op == SHELL_IN || d.op == SHELL_DUP_IN || d.op == SHELL_INOUT ||
			       d.op >= SHELL_HERE
		       ? 0
		       : 1;
	if (d.op == SHELL_HERE) {
		heredoc_begin(st, accept_token(st, "-"));
		d.target = (struct shell_word){ .text = "", .off = line_off(st, from) };
		redir_add(st, &d);
		return;
	}
	skip_blanks(st);
	n = cur(st) < 0 ? 0 : word_read(st, WORD_TARGET);
	if (n < 1) {
		stream_fail(st, SHELL_WHY_SYNTAX, "a redirection without its target");
		return;
	}
	d.target = r->words[words];
	r->n_words = words;
	if (n > 1) {
		d.target.why |= SHELL_WHY_VARIABLE;
		d.target.many = true;
	}
	if ((d.op == SHELL_DUP_OUT || d.op == SHELL_DUP_IN) && !is_descriptor(&d.target))
		d.op = d.op == SHELL_DUP_OUT ? SHELL_BOTH : SHELL_IN;
	redir_add(st, &d);
}

void parse_redirs(struct stream *st)
{
	struct reading *r = st->r;
	uint32_t redirs = r->n_redirs;
	size_t start;
	int32_t part, outer = st->parent;
	int fd;

	skip_blanks(st);
	start = st->pos;
	if (st->fail_why || !redir_ahead(st, &fd))
		return;
	part = part_new(st, start);
	if (part < 0)
		return;
	st->parent = part;
	do {
		redir_read(st, fd, st->pos);
		skip_blanks(st);
	} while (!st->fail_why && redir_ahead(st, &fd));
	st->parent = outer;
	r->parts[part].span = line_span(st, start, st->pos);
	if (part_fill(st, part, r->n_words, 0, redirs) == 0)
		heredocs_bind(st, part, redirs, -1);
}

/* ---- commands ----------------------------------------------------------- */

/* NAME=, NAME+=: where the value begins; 0: no assignment. *ret_sub: NAME[ */
static size_t assignment(struct stream *st, bool *ret_sub)
{
	size_t saved = st->pos, at;
	bool is = false;

	*ret_sub = false;
	if (is_name_start(cur(st))) {
		while (is_name(cur(st)))
			st->pos++;
		*ret_sub = cur(st) == '[';
		is = accept_token(st, "=") || accept_token(st, "+=");
	}
	at = st->pos;
	st->pos = saved;
	return is ? at : 0;
}

/* Behind NAME=(: to its end. What becomes of the array is not followed. */
static void array_read(struct stream *st)
{
	struct reading *r = st->r;
	uint32_t words = r->n_words;

	for (;;) {
		int c;

		if (st->n_docs || st->docs_wait)
			skip_blanks(st);
		else
			skip_lines(st);
		c = cur(st);
		if (c == ')')
			break;
		if (c < 0 || strchr(";&|(\n", c) ||
		    ((c == '<' || c == '>') && peek_next(st) != '(')) {
			stream_fail(st, SHELL_WHY_SYNTAX, "an array is not understood");
			return;
		}
		if (word_read(st, WORD_ARG) < 0)
			return;
		/* Kept in the one word that is pushed below: why. */
		for (uint32_t i = words; i < r->n_words; i++)
			r->words[words].why |= r->words[i].why;
		if (r->n_words > words + 1)
			r->n_words = words + 1;
	}
	st->pos++;
	r->n_words = words;
	r->vars_off = true;
}

/* An assignment is at hand; its word is pushed. */
static void assign_read(struct stream *st, size_t value)
{
	struct reading *r = st->r;
	size_t from = st->pos;
	struct shell_word *w;
	struct shell_name *v;
	size_t len = 0;

	st->pos = value;
	if (cur(st) == '(') {
		st->pos++;
		array_read(st);
		w = word_push(st);
		if (w)
			*w = (struct shell_word){ .text = shell_pool_text(r->pool, st->s + from,
									  value - from),
						  .len = (uint32_t)(value - from),
						  .why = SHELL_WHY_VARIABLE,
						  .off = line_off(st, from),
						  .span = line_span(st, from, st->pos) };
		if (w && !w->text)
			r->oom = true;
		return;
	}
	st->pos = from;
	if (word_read(st, WORD_ASSIGN) != 1)
		return;
	w = &r->words[r->n_words - 1];
	while (len < w->len && is_name(w->text[len]))
		len++;
	/* Until it is clear that no command follows, which would not see it. */
	v = name_find(r->vars, r->n_vars, w->text, len);
	if (v)
		v->known = false;
}

/* Words and redirections until the command ends. Returns the number of assignments, or -1
 * when it was a function that has been read. */
static int command_words(struct stream *st, uint32_t words)
{
	struct reading *r = st->r;
	uint32_t n_assigns = 0;
	bool declares = false;

	for (;;) {
		size_t value;
		bool sub, front = r->n_words - words == n_assigns;
		int c, fd, n;

		skip_blanks(st);
		c = cur(st);
		if (c < 0 || c == '\n' || c == ';' || c == '|' || c == ')' || c == '#' ||
		    (c == '&' && peek_next(st) != '>'))
			return (int)n_assigns;
		if ((is_digit(c) || c == '<' || c == '>' || c == '&' || c == '{') &&
		    redir_ahead(st, &fd)) {
			redir_read(st, fd, st->pos);
			continue;
		}
		if (c == '(') {
			const struct shell_word *w = &r->words[words];

			st->pos++;
			skip_blanks(st);
			if (r->n_words - words == 1 && !n_assigns && !w->why && !w->quoted &&
			    accept_token(st, ")"))
				return -1;
			stream_fail(st, SHELL_WHY_SYNTAX, "a ( inside a command");
			return (int)n_assigns;
		}
		value = front || declares ? assignment(st, &sub) : 0;
		if (value) {
			uint32_t before = r->n_words;

			assign_read(st, value);
			n_assigns += front && r->n_words > before;
			continue;
		}
		if (front && sub) {
			/* a[i]=x, or the pattern of a command's name. */
			stream_fail(st, SHELL_WHY_SYNTAX, "an element of an array is assigned");
			return (int)n_assigns;
		}
		n = word_read(st, WORD_ARG);
		if (n < 0)
			return (int)n_assigns;
		if (front && n && !r->words[words + n_assigns].why) {
			const char *name = r->words[words + n_assigns].text;

			declares = streq(name, "export") || streq(name, "readonly") ||
				   streq(name, "declare") || streq(name, "typeset") ||
				   streq(name, "local");
		}
	}
}

void parse_simple(struct stream *st)
{
	struct reading *r = st->r;
	uint32_t words = r->n_words, redirs = r->n_redirs;
	size_t start = st->pos;
	int32_t outer = st->parent, part = part_new(st, start);
	int n_assigns;

	if (part < 0)
		return;
	st->parent = part;
	n_assigns = command_words(st, words);
	st->parent = outer;
	if (n_assigns < 0) {
		const struct shell_word name = r->words[words];

		if (r->n_redirs != redirs)
			stream_fail(st, SHELL_WHY_SYNTAX, "a function is not understood");
		/* The part of its name goes, nothing was nested in it. */
		r->n_words = words;
		r->n_redirs = redirs;
		r->n_parts = (uint32_t)part;
		parse_function(st, name.text, name.len);
		return;
	}
	r->parts[part].span = line_span(st, start, st->pos);
	if (st->pos == start && !st->fail_why)
		stream_fail(st, SHELL_WHY_SYNTAX, "a command is missing");
	if (part_fill(st, part, words, (uint32_t)n_assigns, redirs) < 0)
		return;
	heredocs_bind(st, part, redirs, look(st, part));
	if (!r->parts[part].n_full)
		for (int i = 0; i < n_assigns; i++)
			var_assign(st, &r->parts[part].assigns[i]);
}
