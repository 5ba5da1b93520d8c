/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/pattern_impl.h"

#include <string.h>

#include "base/str.h"

/* ---- one component ------------------------------------------------------ */

static bool chr_eq(char a, char b, bool fold)
{
	return a == b || (fold && chr_lower(a) == chr_lower(b));
}

/* Bytes of the UTF-8 character at s: "?" and sets take a whole one. */
static size_t chr_len(const char *s, const char *end)
{
	size_t n = 1;

	if ((unsigned char)*s >= 0xc0)
		while (s + n < end && ((unsigned char)s[n] & 0xc0u) == 0x80)
			n++;
	return n;
}

const char *pattern_set_end(const char *p, const char *end)
{
	p++;
	if (p < end && (*p == '!' || *p == '^'))
		p++;
	for (bool first = true; p < end; first = false, p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		else if (*p == ']' && !first)
			return p;
	}
	return NULL;
}

static bool in_range(char lo, char c, char hi)
{
	return (unsigned char)lo <= (unsigned char)c && (unsigned char)c <= (unsigned char)hi;
}

/* Is c in the ranges [p..close)? They are of bytes. */
static bool ranges_have(const char *p, const char *close, char c)
{
	while (p < close) {
		char lo, hi;

		if (*p == '\\' && p + 1 < close)
			p++;
		lo = hi = *p++;
		if (p + 1 < close && *p == '-') {
			p++;
			if (*p == '\\' && p + 1 < close)
				p++;
			hi = *p++;
		}
		if (in_range(lo, c, hi))
			return true;
	}
	return false;
}

/* Does the set [p..close] hold c? With fold: in either case, for "[!a-z]" too, so
 * that folding never makes a pattern match less. */
static bool set_has(const char *p, const char *close, char c, bool fold)
{
	char upper = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	bool negate = p[1] == '!' || p[1] == '^';

	p += negate ? 2 : 1;
	if (ranges_have(p, close, c) != negate)
		return true;
	return fold && (ranges_have(p, close, chr_lower(c)) != negate ||
			ranges_have(p, close, upper) != negate);
}

/* Matches one element of a glob other than '*' at p against s. Returns the bytes
 * of s taken (0: no match) and moves *p behind the element. */
static size_t element(const char **p, const char *pend, const char *s, const char *send, bool fold)
{
	const char *close;
	char c = **p;

	if (s >= send)
		return 0;
	if (c == '?') {
		(*p)++;
		return chr_len(s, send);
	}
	if (c == '[' && (close = pattern_set_end(*p, pend))) {
		bool ok = set_has(*p, close, *s, fold);

		*p = close + 1;
		return ok ? chr_len(s, send) : 0;
	}
	if (c == '\\' && *p + 1 < pend)
		c = *++*p;
	(*p)++;
	return chr_eq(c, *s, fold) ? 1 : 0;
}

static bool glob_span(const char *p, const char *pend, const char *s, const char *send, bool fold)
{
	const char *star = NULL, *mark = NULL;

	while (s < send || p < pend) {
		const char *next = p;
		size_t n;

		if (p < pend && *p == '*') {
			star = ++p;
			mark = s;
			continue;
		}
		n = p < pend ? element(&next, pend, s, send, fold) : 0;
		if (n) {
			p = next;
			s += n;
		} else if (star && mark < send) {
			p = star;
			s = ++mark;
		} else {
			return false;
		}
	}
	return true;
}

bool glob_match(const char *glob, const char *s, bool fold)
{
	return glob_span(glob, glob + strlen(glob), s, s + strlen(s), fold);
}

static bool comp_match(const struct comp *c, const char *s, size_t len, bool fold)
{
	if (c->kind == COMP_GLOB)
		return glob_span(c->s, c->s + c->len, s, s + len, fold);
	if (c->len != len)
		return false;
	if (!fold)
		return memcmp(c->s, s, len) == 0;
	for (size_t i = 0; i < len; i++)
		if (chr_lower(c->s[i]) != chr_lower(s[i]))
			return false;
	return true;
}

/* ---- components --------------------------------------------------------- */

bool path_split(const char *path, struct path_parts *ret)
{
	const char *p = path;
	size_t total = strnlen(path, PATTERN_MAX);

	ret->path = path;
	ret->n = 0;
	if (total == PATTERN_MAX)
		return false;
	while (*p) {
		size_t len = 0;

		while (*p == '/')
			p++;
		while (p[len] && p[len] != '/')
			len++;
		if (!len)
			break;
		ret->at[ret->n] = (uint16_t)(p - path);
		ret->len[ret->n++] = (uint16_t)len;
		p += len;
	}
	return true;
}

/* Do the first n components of the pattern match the beginning of from..to, or,
 * with whole, all of it? */
static bool comps_match(const struct alt *a, unsigned n, bool fold, const struct path_parts *pp,
			unsigned from, unsigned to, bool whole)
{
	unsigned p = 0, i = from, star = 0, mark = 0;
	bool have_star = false;

	for (;;) {
		if (p < n && a->c[p].kind == COMP_DEEP) {
			have_star = true;
			star = ++p;
			mark = i;
			continue;
		}
		if (p == n && (!whole || i == to || (have_star && star == n)))
			return true;
		if (p < n && i < to &&
		    comp_match(&a->c[p], pp->path + pp->at[i], pp->len[i], fold)) {
			p++;
			i++;
			continue;
		}
		if (!have_star || mark >= to)
			return false;
		p = star;
		i = ++mark;
	}
}

bool pattern_match_parts(const struct pattern *p, const struct path_parts *pp, unsigned from,
			 unsigned to)
{
	for (unsigned i = 0; i < p->n; i++)
		if (comps_match(&p->alts[i], p->alts[i].n, p->flags & PATTERN_FOLD, pp, from, to,
				p->flags & PATTERN_EXACT))
			return true;
	return false;
}

/* Does from..to end with the first k components of the segment at seg, and what
 * comes before both agree? */
static bool ends_with(const struct alt *a, unsigned seg, unsigned k, bool fold,
		      const struct path_parts *pp, unsigned from, unsigned to)
{
	unsigned have = to - from;

	if (k > have || (seg == 0 && k != have))
		return false;
	for (unsigned i = 0; i < k; i++) {
		unsigned at = to - k + i;

		if (!comp_match(&a->c[seg + i], pp->path + pp->at[at], pp->len[at], fold))
			return false;
	}
	return seg == 0 || comps_match(a, seg, fold, pp, from, to - k, true);
}

static enum pattern_prefix alt_prefix(const struct alt *a, bool fold, const struct path_parts *pp,
				      unsigned from, unsigned to)
{
	enum pattern_prefix best = PREFIX_NO;

	/* The place a pattern starts from is above everything it names. */
	if (from == to && a->n && a->c[0].kind != COMP_DEEP)
		return PREFIX_LITERAL;
	for (unsigned seg = 0; seg < a->n && best != PREFIX_LITERAL;) {
		unsigned len = 0, max;

		while (seg + len < a->n && a->c[seg + len].kind != COMP_DEEP)
			len++;
		/* The last component of all is the thing itself, not above it. */
		max = seg + len == a->n ? len - 1 : len;
		if (!len)
			max = 0;
		for (unsigned k = 1; k <= max; k++) {
			if (!ends_with(a, seg, k, fold, pp, from, to))
				continue;
			if (a->c[seg + k - 1].kind == COMP_LITERAL)
				best = PREFIX_LITERAL;
			else if (best == PREFIX_NO)
				best = PREFIX_WILD;
		}
		seg += len + 1;
	}
	return best;
}

enum pattern_prefix pattern_prefix_parts(const struct pattern *p, const struct path_parts *pp,
					 unsigned from, unsigned to)
{
	enum pattern_prefix best = PREFIX_NO;

	for (unsigned i = 0; i < p->n && best != PREFIX_LITERAL; i++) {
		enum pattern_prefix r =
			alt_prefix(&p->alts[i], p->flags & PATTERN_FOLD, pp, from, to);

		if (r > best)
			best = r;
	}
	return best;
}

bool pattern_match(const struct pattern *p, const char *path)
{
	struct path_parts pp;

	return path_split(path, &pp) && pattern_match_parts(p, &pp, 0, pp.n);
}

enum pattern_prefix pattern_prefix(const struct pattern *p, const char *path)
{
	struct path_parts pp;

	return path_split(path, &pp) ? pattern_prefix_parts(p, &pp, 0, pp.n) : PREFIX_NO;
}

/* ---- what a pattern is -------------------------------------------------- */

bool pattern_is_relative(const struct pattern *p)
{
	return p->relative;
}

bool pattern_is_literal(const struct pattern *p)
{
	return p->n == 1 && p->wild == 0;
}

size_t pattern_literal_len(const struct pattern *p)
{
	return p->literal;
}

unsigned pattern_wildcards(const struct pattern *p)
{
	return p->wild;
}

char *pattern_literal_dir(const struct pattern *p)
{
	_cleanup_buf_ struct buf b = BUF_INIT(2 * PATTERN_MAX);
	const struct alt *a = p->alts;
	unsigned n = 0;

	if (p->relative)
		return NULL;
	/* With alternatives only the part that all of them share counts. */
	for (; n < a->n && a->c[n].kind == COMP_LITERAL; n++) {
		bool same = true;

		for (unsigned i = 1; i < p->n && same; i++) {
			const struct alt *o = &p->alts[i];

			same = n < o->n && o->c[n].kind == COMP_LITERAL &&
			       comp_match(&o->c[n], a->c[n].s, a->c[n].len, false);
		}
		if (!same)
			break;
		buf_add(&b, "/", 1);
		buf_add(&b, a->c[n].s, a->c[n].len);
	}
	if (!n)
		buf_add(&b, "/", 1);
	return b.failed ? NULL : take_ptr(b.data);
}

char *pattern_escape(const char *path)
{
	char *out = malloc(2 * strlen(path) + 1), *o = out;

	for (; out && *path; path++) {
		if (strchr("*?[]{}\\", *path))
			*o++ = '\\';
		*o++ = *path;
	}
	if (out)
		*o = '\0';
	return out;
}

const char *pattern_first(const struct pattern *p, size_t *ret_len, bool *ret_literal,
			  bool *ret_deep)
{
	const struct alt *a = p->alts;
	unsigned i;

	if (p->n != 1 || !a->n)
		return NULL;
	i = a->c[0].kind == COMP_DEEP;
	if (i >= a->n)
		return NULL;
	*ret_len = a->c[i].len;
	*ret_literal = a->c[i].kind == COMP_LITERAL;
	*ret_deep = i == 1;
	return a->c[i].s;
}
