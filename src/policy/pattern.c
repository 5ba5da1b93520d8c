/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/pattern.h"

#include <string.h>

#include "base/str.h"

enum comp_kind { COMP_LITERAL, COMP_GLOB, COMP_DEEP };

struct comp {
	const char *s; /* literal: escapes removed */
	uint16_t len;
	uint8_t kind;
};

struct alt {
	struct comp *c; /* one block: the components, then the texts they point into */
	unsigned n;
};

struct pattern {
	unsigned flags;
	bool relative;
	size_t literal;
	unsigned wild;
	unsigned n;
	struct alt *alts; /* &one, when there is only one */
	struct alt one;
};

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

/* End of the set that begins at p ('['), NULL when it is not closed. */
static const char *set_end(const char *p, const char *end)
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
	if (c == '[' && (close = set_end(*p, pend))) {
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

/* ---- compiling ---------------------------------------------------------- */

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++)
		free(p->alts[i].c);
	if (p->alts != &p->one)
		free(p->alts);
	free(p);
}

static void pattern_freep(struct pattern **p)
{
	pattern_free(*p);
}

static size_t count_slashes(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '/';
	return n;
}

static void alt_head(struct alt *a, char *head)
{
	for (char *p = head; *p;) {
		size_t len = strcspn(p, "/");

		if (len)
			a->c[a->n++] = (struct comp){ p, (uint16_t)len, COMP_LITERAL };
		p += len;
		p += strspn(p, "/");
	}
}

/* Tells the kind of one component and, for a literal, removes its escapes. */
static int comp_parse(char *s, size_t *len, enum comp_kind *ret, struct berm_err *err)
{
	bool wild = false, escaped = false;

	if (*len == 2 && s[0] == '*' && s[1] == '*') {
		*ret = COMP_DEEP;
		return 0;
	}
	for (size_t i = 0; i < *len; i++) {
		const char *close;

		if (s[i] == '\\') {
			if (++i == *len)
				return err_set(err, -EINVAL, "a backslash with nothing after it");
			escaped = true;
		} else if (s[i] == '*' && i + 1 < *len && s[i + 1] == '*') {
			return err_set(err, -EINVAL, "\"**\" must stand alone between two slashes");
		} else if (s[i] == '[') {
			close = set_end(s + i, s + *len);
			if (!close)
				return err_set(err, -EINVAL, "\"[\" without its \"]\"");
			i = (size_t)(close - s);
			wild = true;
		} else if (s[i] == '*' || s[i] == '?') {
			wild = true;
		}
	}
	if (!wild && escaped) {
		size_t o = 0;

		for (size_t i = 0; i < *len; i++) {
			if (s[i] == '\\')
				i++;
			s[o++] = s[i];
		}
		*len = o;
	}
	*ret = wild ? COMP_GLOB : COMP_LITERAL;
	return 0;
}

static int alt_body(struct alt *a, char *p, struct berm_err *err)
{
	while (*p) {
		size_t len = strcspn(p, "/"), used = len;
		enum comp_kind kind = COMP_LITERAL;
		int r;

		if (len == 2 && p[0] == '.' && p[1] == '.') {
			if (a->n && a->c[a->n - 1].kind != COMP_LITERAL)
				return err_set(err, -EINVAL, "\"..\" after a wildcard");
			if (!a->n)
				return err_set(err, -EINVAL, "\"..\" leads above the root");
			a->n--;
		} else if (len && !(len == 1 && p[0] == '.')) {
			r = comp_parse(p, &used, &kind, err);
			if (r < 0)
				return r;
			if (used > 255)
				return err_set(err, -ENAMETOOLONG,
					       "a component is longer than 255 bytes");
			if (kind != COMP_DEEP || !a->n || a->c[a->n - 1].kind != COMP_DEEP)
				a->c[a->n++] = (struct comp){ p, (uint16_t)used, (uint8_t)kind };
		}
		p += len;
		p += strspn(p, "/");
	}
	while (a->n && a->c[a->n - 1].kind == COMP_DEEP)
		a->n--;
	return 0;
}

static int alt_new(struct alt *a, const char *text, const char *base, const char *home,
		   bool *ret_relative, struct berm_err *err)
{
	const char *head = "";
	size_t n_head, n_text, max;
	char *at;

	if (text[0] == '~' && (text[1] == '/' || text[1] == '\0')) {
		if (!home)
			return err_set(err, -EINVAL, "\"~\" has no meaning here");
		head = home;
		text++;
	} else if (text[0] == '~') {
		return err_set(err, -EINVAL, "\"~name\" is not supported");
	} else if (text[0] != '/') {
		*ret_relative = !base;
		head = base ? base : "";
	}
	n_head = strlen(head) + 1;
	n_text = strlen(text) + 1;
	max = count_slashes(head) + count_slashes(text) + 2;
	a->c = malloc(max * sizeof(*a->c) + n_head + n_text);
	if (!a->c)
		return err_set(err, -ENOMEM, "out of memory");
	at = (char *)(a->c + max);
	memcpy(at, head, n_head);
	memcpy(at + n_head, text, n_text);
	alt_head(a, at);
	return alt_body(a, at + n_head, err);
}

/* The first brace group of s: *open and *close. Returns 1 when there is one, 0
 * when there is none, negative when it is not well formed. */
static int find_group(const char *s, size_t *open, size_t *close, struct berm_err *err)
{
	unsigned depth = 0;
	bool comma = false;

	for (size_t i = 0; s[i]; i++) {
		const char *end;

		if (s[i] == '\\' && s[i + 1]) {
			i++;
		} else if (s[i] == '[' && (end = set_end(s + i, s + i + strcspn(s + i, "/")))) {
			i = (size_t)(end - s);
		} else if (s[i] == '{') {
			if (depth++ == 0)
				*open = i;
		} else if (s[i] == ',' && depth == 1) {
			comma = true;
		} else if (s[i] == '}') {
			if (!depth)
				return err_set(err, -EINVAL, "\"}\" without its \"{\"");
			if (--depth == 0) {
				*close = i;
				return comma ? 1
					     : err_set(err, -EINVAL,
						       "\"{...}\" needs a comma (\\{ is a plain brace)");
			}
		}
	}
	return depth ? err_set(err, -EINVAL, "\"{\" without its \"}\"") : 0;
}

/* Adds s with each alternative of the group open..close to the list. */
static int split_group(const char *s, size_t open, size_t close, struct strv *out,
		       struct berm_err *err)
{
	unsigned depth = 0;
	size_t start = open + 1;

	for (size_t i = open + 1; i <= close; i++) {
		_cleanup_free_ char *one = NULL;
		const char *end;

		if (s[i] == '\\' && i + 1 < close) {
			i++;
			continue;
		}
		if (s[i] == '[' && (end = set_end(s + i, s + i + strcspn(s + i, "/")))) {
			i = (size_t)(end - s);
			continue;
		}
		if (s[i] == '{')
			depth++;
		else if (i < close && s[i] == '}')
			depth--;
		if (i < close && (s[i] != ',' || depth))
			continue;
		if (out->n >= 4 * PATTERN_ALTS_MAX)
			return err_set(err, -E2BIG, "more than %d alternatives", PATTERN_ALTS_MAX);
		one = str_printf("%.*s%.*s%s", (int)open, s, (int)(i - start), s + start,
				 s + close + 1);
		if (!one || strv_add(out, one) < 0)
			return err_set(err, -ENOMEM, "out of memory");
		start = i + 1;
	}
	return 0;
}

/* Replaces {a,b} by its alternatives until none is left. The work list is
 * bounded, so is the time: each step makes one group less. */
static int expand(const char *text, struct strv *done, struct berm_err *err)
{
	_cleanup_strv_ struct strv work = { 0 };

	if (strv_add(&work, text) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < work.n; i++) {
		size_t open = 0, close = 0;
		int r = find_group(work.v[i], &open, &close, err);

		if (r < 0)
			return r;
		if (r > 0) {
			r = split_group(work.v[i], open, close, &work, err);
			if (r < 0)
				return r;
			continue;
		}
		if (done->n >= PATTERN_ALTS_MAX)
			return err_set(err, -E2BIG, "more than %d alternatives", PATTERN_ALTS_MAX);
		if (strv_add(done, work.v[i]) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

static unsigned comp_wildcards(const struct comp *c)
{
	unsigned n = 0;

	if (c->kind == COMP_DEEP)
		return 1;
	if (c->kind == COMP_LITERAL)
		return 0;
	for (unsigned i = 0; i < c->len; i++) {
		if (c->s[i] == '\\')
			i++;
		else if (c->s[i] == '*' || c->s[i] == '?' || c->s[i] == '[')
			n++;
	}
	return n;
}

/* Bytes before the first wildcard of a component. */
static size_t comp_head(const struct comp *c)
{
	size_t n = 0;

	if (c->kind == COMP_DEEP)
		return 0;
	for (size_t i = 0; i < c->len && !strchr("*?[", c->s[i]); i++, n++)
		if (c->s[i] == '\\')
			i++;
	return n;
}

/* Several alternatives are as specific as the least specific of them. */
static void measure(struct pattern *p)
{
	p->literal = SIZE_MAX;
	for (unsigned i = 0; i < p->n; i++) {
		const struct alt *a = &p->alts[i];
		bool literal = true;
		size_t len = 0;
		unsigned wild = 0;

		for (unsigned k = 0; k < a->n; k++) {
			if (literal && a->c[k].kind == COMP_LITERAL)
				len += (size_t)a->c[k].len + 1;
			else if (literal)
				len += comp_head(&a->c[k]);
			literal = literal && a->c[k].kind == COMP_LITERAL;
			wild += comp_wildcards(&a->c[k]);
		}
		if (len < p->literal)
			p->literal = len;
		if (wild > p->wild)
			p->wild = wild;
	}
}

static int compile(struct pattern *p, char *const *texts, size_t n, const char *base,
		   const char *home, struct berm_err *err)
{
	p->alts = n == 1 ? &p->one : calloc(n, sizeof(*p->alts));
	if (!p->alts)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		bool relative = false;
		int r = alt_new(&p->alts[p->n++], texts[i], base, home, &relative, err);

		if (r < 0)
			return r;
		if (i && relative != p->relative)
			return err_set(err, -EINVAL,
				       "some alternatives are absolute paths and some are not");
		p->relative = relative;
	}
	measure(p);
	return 0;
}

int pattern_new(const char *text, const char *base, const char *home, unsigned flags,
		struct pattern **ret, struct berm_err *err)
{
	_cleanup_(pattern_freep) struct pattern *p = calloc(1, sizeof(*p));
	_cleanup_strv_ struct strv texts = { 0 };
	int r;

	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	p->flags = flags;
	if (!*text)
		return err_set(err, -EINVAL, "the pattern is empty");
	if (strlen(text) >= PATTERN_MAX)
		return err_set(err, -ENAMETOOLONG, "the pattern is longer than %d bytes",
			       PATTERN_MAX - 1);
	if (strpbrk(text, "{}")) {
		r = expand(text, &texts, err);
		if (r >= 0)
			r = compile(p, texts.v, texts.n, base, home, err);
	} else {
		char *only[] = { (char *)(uintptr_t)text };

		r = compile(p, only, 1, base, home, err);
	}
	if (r < 0)
		return r;
	*ret = take_ptr(p);
	return 0;
}
