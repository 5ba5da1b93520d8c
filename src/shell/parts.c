/* SPDX-License-Identifier: Apache-2.0 */
/* The list of parts, and the stacks that it is made from. */
#include <string.h>

#include "shell/impl.h"

/* Doubles a vector. Returns NULL on exhaustion. */
static void *bigger(void *v, uint32_t *cap, size_t size)
{
	uint32_t n = *cap ? *cap * 2 : 16;
	void *grown = reallocarray(v, n, size);

	if (grown)
		*cap = n;
	return grown;
}

static void out_of_memory(struct stream *st)
{
	st->r->oom = true;
	stream_fail(st, SHELL_WHY_LIMIT, "out of memory");
}

/* The list is in the pool, where it stays. */
static int more_parts(struct reading *r)
{
	uint32_t n = r->cap_parts * 2;
	struct shell_part *p = shell_pool_alloc(r->pool, n * sizeof(*p));

	if (!p)
		return -1;
	memcpy(p, r->parts, r->n_parts * sizeof(*p));
	r->parts = p;
	r->cap_parts = n;
	return 0;
}

static int32_t part_add(struct stream *st, size_t off)
{
	struct reading *r = st->r;
	struct shell_part *p;

	if (r->n_parts == r->cap_parts && more_parts(r) < 0) {
		out_of_memory(st);
		return -1;
	}
	p = &r->parts[r->n_parts];
	*p = (struct shell_part){
		.flags = st->flags,
		.origin = st->origin,
		.depth = st->depth,
		.parent = st->parent,
		.off = line_off(st, off),
	};
	return (int32_t)r->n_parts++;
}

int32_t part_new(struct stream *st, size_t off)
{
	if (st->fail_why)
		return -1;
	if (st->r->n_parts >= SHELL_MAX_PARTS) {
		stream_fail(st, SHELL_WHY_LIMIT, "too many commands");
		return -1;
	}
	return part_add(st, off);
}

void part_opaque(struct stream *st, size_t from, size_t to, uint32_t why)
{
	int32_t i = part_add(st, from);

	if (i < 0)
		return;
	st->r->parts[i].span = line_span(st, from, to);
	part_why(st->r, i, why, true);
}

struct shell_word *word_push(struct stream *st)
{
	struct reading *r = st->r;

	if (st->fail_why)
		return NULL;
	if (r->n_words >= SHELL_MAX_WORDS) {
		stream_fail(st, SHELL_WHY_LIMIT, "too many words");
		return NULL;
	}
	if (r->n_words == r->cap_words) {
		struct shell_word *w = bigger(r->words, &r->cap_words, sizeof(*w));

		if (!w) {
			out_of_memory(st);
			return NULL;
		}
		r->words = w;
	}
	return &r->words[r->n_words++];
}

static struct shell_redir *redir_push(struct stream *st)
{
	struct reading *r = st->r;

	if (st->fail_why)
		return NULL;
	if (r->n_redirs == r->cap_redirs) {
		struct shell_redir *d = bigger(r->redirs, &r->cap_redirs, sizeof(*d));

		if (!d) {
			out_of_memory(st);
			return NULL;
		}
		r->redirs = d;
	}
	return &r->redirs[r->n_redirs++];
}

void redir_add(struct stream *st, const struct shell_redir *d)
{
	struct shell_redir *to = redir_push(st);

	if (to)
		*to = *d;
}

/* A copy of n elements, not 0, in the pool. */
static const void *keep(struct stream *st, const void *from, size_t n, size_t size)
{
	void *to = shell_pool_alloc(st->r->pool, n * size);

	if (!to) {
		out_of_memory(st);
		return NULL;
	}
	memcpy(to, from, n * size);
	return to;
}

int part_fill(struct stream *st, int32_t part, uint32_t words, uint32_t n_assigns, uint32_t redirs)
{
	struct reading *r = st->r;
	struct shell_part *p = &r->parts[part];
	uint32_t n = r->n_words - words, n_redirs = r->n_redirs - redirs;
	const struct shell_word *kept = n ? keep(st, r->words + words, n, sizeof(*kept)) : NULL;

	p->redirs = n_redirs ? keep(st, r->redirs + redirs, n_redirs, sizeof(*p->redirs)) : NULL;
	r->n_words = words;
	r->n_redirs = redirs;
	if (r->oom)
		return -1;
	p->assigns = n_assigns ? kept : NULL;
	p->n_assigns = n_assigns;
	p->words = p->full = n > n_assigns ? kept + n_assigns : NULL;
	p->n_words = p->n_full = n - n_assigns;
	p->n_redirs = n_redirs;
	for (uint32_t i = 0; i < n; i++)
		p->why |= kept[i].why;
	for (uint32_t i = 0; i < n_redirs; i++) {
		p->why |= p->redirs[i].target.why;
		if (p->redirs[i].op >= SHELL_HERE)
			p->flags |= SHELL_HAS_HEREDOC;
		else if (p->redirs[i].op != SHELL_DUP_IN && p->redirs[i].op != SHELL_DUP_OUT)
			p->flags |= SHELL_HAS_FILE;
	}
	if (p->why & SHELL_WHY_SUBSTITUTION)
		p->flags |= SHELL_HAS_SUBST;
	if (st->fail_why)
		part_why(r, part, st->fail_why, true);
	return 0;
}

void part_why(struct reading *r, int32_t part, uint32_t why, bool blind)
{
	r->parts[part].why |= why;
	if (blind)
		r->parts[part].blind |= why;
}

void parts_flag(struct reading *r, uint32_t from, uint16_t flags)
{
	for (uint32_t i = from; i < r->n_parts; i++)
		r->parts[i].flags |= flags;
}
