/* SPDX-License-Identifier: Apache-2.0 */
/* From a pattern's text to its alternatives and their components. */
#include "policy/pattern_impl.h"

#include <string.h>

#include "base/str.h"

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
			close = pattern_set_end(s + i, s + *len);
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
		} else if (s[i] == '[' &&
			   (end = pattern_set_end(s + i, s + i + strcspn(s + i, "/")))) {
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
		if (s[i] == '[' && (end = pattern_set_end(s + i, s + i + strcspn(s + i, "/")))) {
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
