/* SPDX-License-Identifier: Apache-2.0 */
/* Here-documents. Their text begins on the line behind the one with "<<"; when it is a shell's
 * standard input it is read as commands. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

/* The word behind <<: only its quotes count. */
void heredoc_begin(struct stream *st, bool strip)
{
	struct heredoc *h;
	struct reading *r = st->r;
	size_t start = r->n_text;
	bool quoted = false;

	if (st->n_docs == SHELL_MAX_HEREDOCS) {
		stream_fail(st, SHELL_WHY_LIMIT, "too many here-documents");
		return;
	}
	skip_blanks(st);
	for (int c = cur(st); c >= 0 && shell_class[c] != CH_DELIM; c = cur(st)) {
		st->pos++;
		if (c == '\'' || c == '"') {
			const char *at = st->s + st->pos, *q = memchr(at, c, st->end - st->pos);

			if (!q || (c == '"' && memchr(at, '\\', (size_t)(q - at))) ||
			    memchr(at, '\n', (size_t)(q - at))) {
				stream_fail(st, SHELL_WHY_SYNTAX,
					    "the word behind << is not understood");
				break;
			}
			wb_add(st, at, (size_t)(q - at), ACT_QUOTED);
			st->pos += (size_t)(q - at) + 1;
			quoted = true;
		} else if (c == '\\') {
			quoted = true;
			if (st->pos < st->end)
				wb_byte(st, st->s[st->pos++], ACT_QUOTED);
		} else if (c == '$' || c == '`') {
			stream_fail(st, SHELL_WHY_SYNTAX, "the word behind << is not understood");
			break;
		} else {
			wb_byte(st, (char)c, ACT_QUOTED);
		}
	}
	if (r->n_text == start && !quoted)
		stream_fail(st, SHELL_WHY_SYNTAX, "a << without its word");
	h = &st->docs[st->n_docs];
	*h = (struct heredoc){ .redir_index = r->n_redirs,
			       .part = -1,
			       .script = -1,
			       .delim =
				       shell_pool_text(r->pool, r->text + start, r->n_text - start),
			       .delim_len = (uint32_t)(r->n_text - start),
			       .literal = quoted,
			       .strip = strip };
	r->n_text = start;
	if (h->delim)
		st->n_docs++;
	else
		r->oom = true;
}

void heredocs_bind(struct stream *st, int32_t part, uint32_t redirs, int32_t reader)
{
	for (unsigned i = 0; i < st->n_docs; i++) {
		struct heredoc *h = &st->docs[i];

		if (h->part >= 0 || h->redir_index < redirs ||
		    h->redir_index - redirs >= st->r->parts[part].n_redirs)
			continue;
		h->part = part;
		/* The parts' lists are written here and by part_fill() only. */
		h->redir = (struct shell_redir *)(uintptr_t)(st->r->parts[part].redirs +
							     (h->redir_index - redirs));
		h->script = reader;
	}
}

/* Does the line at i, to ret_end, close the document? */
static bool closes(const struct stream *st, const struct heredoc *h, size_t i, size_t *ret_end)
{
	const char *nl;

	while (h->strip && i < st->end && st->s[i] == '\t')
		i++;
	nl = memchr(st->s + i, '\n', st->end - i);
	*ret_end = nl ? (size_t)(nl - st->s) : st->end;
	return *ret_end - i == h->delim_len && memcmp(st->s + i, h->delim, h->delim_len) == 0;
}

/* The end of the body that begins at pos; behind its delimiter is *ret_next. */
static size_t body_end(struct stream *st, const struct heredoc *h, size_t *ret_next)
{
	size_t i = st->pos, end;
	bool joined = false;

	while (i < st->end) {
		if (closes(st, h, i, &end)) {
			/* Shells differ on a line that continues one before it. */
			if (joined)
				stream_fail(st, SHELL_WHY_SYNTAX,
					    "a \\ before a here-document's end");
			*ret_next = end < st->end ? end + 1 : end;
			return i;
		}
		joined = false;
		for (size_t k = end; !h->literal && k > i && st->s[k - 1] == '\\'; k--)
			joined = !joined;
		/* A delimiter in two pieces closes it in some. */
		if (joined && end - i - 1 < h->delim_len)
			stream_fail(st, SHELL_WHY_SYNTAX, "a \\ in a here-document's end");
		i = end + 1;
	}
	*ret_next = st->end;
	return st->end;
}

/* The body as a word: literally, or with what is expanded in it. */
static void body_word(struct stream *st, const struct heredoc *h, size_t end)
{
	struct wordbuf b = { .start = st->r->n_text, .quoted = true };
	struct reading *r = st->r;
	uint32_t words = r->n_words;
	size_t from = st->pos, saved_end = st->end;
	int32_t outer = st->parent;

	st->end = end;
	st->parent = h->part;
	if (!h->literal) {
		expand_document(st, &b);
	} else {
		while (st->pos < end) {
			const char *nl = memchr(st->s + st->pos, '\n', end - st->pos);
			size_t to = nl ? (size_t)(nl - st->s) + 1 : end;

			while (h->strip && st->pos < to && st->s[st->pos] == '\t')
				st->pos++;
			wb_add(st, st->s + st->pos, to - st->pos, ACT_QUOTED);
			st->pos = to;
		}
	}
	if (word_finish(st, WORD_ASSIGN, &b, from) == 1)
		h->redir->target = r->words[words];
	r->n_words = words;
	st->parent = outer;
	if (!st->fail_why)
		st->end = saved_end;
}

static void heredoc_read(struct stream *st, const struct heredoc *h)
{
	struct reading *r = st->r;
	size_t next, from = st->pos, end = body_end(st, h, &next);
	const struct shell_word *w;

	if (st->fail_why || !h->redir)
		return;
	body_word(st, h, end);
	if (st->fail_why)
		return;
	st->pos = next;
	w = &h->redir->target;
	r->parts[h->part].why |= w->why;
	if (w->why & SHELL_WHY_SUBSTITUTION)
		r->parts[h->part].flags |= SHELL_HAS_SUBST;
	if (h->script < 0)
		return;
	/* What is not certain in it is so in the text as well. */
	if (w->why)
		part_why(r, h->script, SHELL_WHY_EVAL, true);
	parse_text(st, &(struct inner_text){
			       .s = w->why ? st->s + from : w->text,
			       .len = w->why ? end - from : w->len,
			       .off = w->off,
			       .span = w->span,
			       .origin = SHELL_HEREDOC,
			       .parent = h->script,
		       });
}

void heredocs_read(struct stream *st)
{
	struct heredoc docs[SHELL_MAX_HEREDOCS];
	unsigned n = st->n_docs;

	/* New lines inside the documents' substitutions are others. */
	memcpy(docs, st->docs, n * sizeof(docs[0]));
	st->n_docs = 0;
	for (unsigned i = 0; i < n && !st->fail_why; i++) {
		if (!docs[i].redir) {
			stream_fail(st, SHELL_WHY_SYNTAX,
				    "a here-document begins inside its command");
			return;
		}
		heredoc_read(st, &docs[i]);
	}
}
