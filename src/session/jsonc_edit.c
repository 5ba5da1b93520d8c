/* SPDX-License-Identifier: Apache-2.0 */
/* The text is valid when we come to look at it (json_doc_parse() has read a copy), so the
 * scanner below only has to find ends. What it makes is read back and compared with
 * the same change made on the parsed value. */
#include "session/jsonc_edit.h"

#include <stdbool.h>
#include <string.h>

#include "base/json_out.h"
#include "policy/json.h"

#define RESULT_MAX (2u * JSON_FILE_MAX)

struct text {
	const char *s;
	size_t len;
};

/* Behind spaces and comments. */
static size_t skip_space(const struct text *t, size_t i)
{
	while (i < t->len) {
		if (strchr(" \t\r\n", t->s[i]) && t->s[i]) {
			i++;
		} else if (t->s[i] == '/' && i + 1 < t->len && t->s[i + 1] == '/') {
			while (i < t->len && t->s[i] != '\n')
				i++;
		} else if (t->s[i] == '/' && i + 1 < t->len && t->s[i + 1] == '*') {
			i += 2;
			while (i + 1 < t->len && !(t->s[i] == '*' && t->s[i + 1] == '/'))
				i++;
			i += 2;
		} else {
			break;
		}
	}
	return i < t->len ? i : t->len;
}

static size_t skip_string(const struct text *t, size_t i)
{
	for (i++; i < t->len && t->s[i] != '"'; i++)
		if (t->s[i] == '\\')
			i++;
	return i + 1 < t->len ? i + 1 : t->len;
}

/* Behind the value that begins at i. */
static size_t skip_value(const struct text *t, size_t i)
{
	unsigned depth = 0;
	size_t before;

	do {
		i = skip_space(t, i);
		before = i;
		if (i >= t->len)
			return t->len;
		if (t->s[i] == '"') {
			i = skip_string(t, i);
		} else if (t->s[i] == '{' || t->s[i] == '[') {
			depth++;
			i++;
		} else if (t->s[i] == '}' || t->s[i] == ']') {
			depth--;
			i++;
		} else if (t->s[i] == ',' || t->s[i] == ':') {
			i++;
		} else {
			while (i < t->len && !strchr(" \t\r\n,:]}/", t->s[i]))
				i++;
		}
	} while (depth && i > before && i < t->len);
	return i;
}

/* An object or a list in the text. */
struct container {
	size_t open;	   /* its bracket */
	size_t close;	   /* the other one */
	size_t last_begin; /* of its last element (the key of a member), 0 none */
	size_t last_end;
};

/* Looks at the container that begins at `open`. key: of an object; *ret_value is where its
 * value begins, 0 when it has none such. */
static struct container look(const struct text *t, size_t open, const char *key, size_t *ret_value)
{
	struct container c = { .open = open };
	bool object = t->s[open] == '{';
	size_t i = skip_space(t, open + 1);

	*ret_value = 0;
	while (i < t->len && t->s[i] != '}' && t->s[i] != ']') {
		size_t begin = i, end, value = i;

		if (object) {
			end = skip_string(t, i);
			value = skip_space(t, end);
			value = skip_space(t, value + 1); /* ':' */
			if (key && end - begin == strlen(key) + 2 &&
			    memcmp(t->s + begin + 1, key, strlen(key)) == 0)
				*ret_value = value;
		}
		end = skip_value(t, value);
		c.last_begin = begin;
		c.last_end = end;
		i = skip_space(t, end);
		if (i < t->len && t->s[i] == ',')
			i = skip_space(t, i + 1);
	}
	c.close = i;
	return c;
}

/* ---- writing ------------------------------------------------------------------ */

/* Spaces at the beginning of the line that i is in, up to i. */
static struct text indent_at(const struct text *t, size_t i)
{
	size_t begin = i, end;

	while (begin && t->s[begin - 1] != '\n')
		begin--;
	for (end = begin; end < i && (t->s[end] == ' ' || t->s[end] == '\t'); end++)
		;
	return (struct text){ t->s + begin, end - begin };
}

static bool has_newline(const struct text *t, size_t from, size_t to)
{
	return memchr(t->s + from, '\n', to - from);
}

static const char *line_end(const struct text *t)
{
	const char *nl = memchr(t->s, '\n', t->len);

	return nl && nl > t->s && nl[-1] == '\r' ? "\r\n" : "\n";
}

/* Where a new line goes that follows the element ending at i: behind a comment in its line. */
static size_t behind_comment(const struct text *t, size_t i, size_t close)
{
	size_t p = i;

	while (p < close && (t->s[p] == ' ' || t->s[p] == '\t'))
		p++;
	if (p + 1 < close && t->s[p] == '/' && t->s[p + 1] == '/') {
		while (p < close && t->s[p] != '\n' && t->s[p] != '\r')
			p++;
		return p;
	}
	if (p + 1 < close && t->s[p] == '/' && t->s[p + 1] == '*') {
		const char *end = memmem(t->s + p, close - p, "*/", 2);

		if (end && !memchr(t->s + p, '\n', (size_t)(end - t->s) - p))
			return (size_t)(end - t->s) + 2;
	}
	return i;
}

static void add_value(struct buf *out, const struct jsonc_change *c)
{
	if (c->json)
		(void)buf_adds(out, c->json);
	else
		(void)json_quote(out, c->value, strlen(c->value));
}

/* What is inserted: the keys that are missing, then the value. */
static void add_element(struct buf *out, const struct jsonc_change *c, size_t depth)
{
	size_t opened = 0;

	for (; c->path[depth]; depth++, opened++) {
		(void)json_quote(out, c->path[depth], strlen(c->path[depth]));
		(void)buf_adds(out, c->path[depth + 1] || c->name ? ": { " : ": [");
	}
	if (c->name) {
		(void)json_quote(out, c->name, strlen(c->name));
		(void)buf_adds(out, ": ");
	}
	add_value(out, c);
	for (size_t i = 0; i < opened; i++)
		(void)buf_adds(out, i || c->name ? " }" : "]");
}

static void insert(const struct text *t, const struct container *k, const struct jsonc_change *c,
		   size_t depth, struct buf *out)
{
	bool lines = has_newline(t, k->open, k->close);
	struct text indent = indent_at(t, k->last_begin ? k->last_begin : k->open);
	size_t at = k->open + 1;

	if (k->last_begin) {
		(void)buf_add(out, t->s, k->last_end);
		(void)buf_adds(out, ",");
		at = lines ? behind_comment(t, k->last_end, k->close) : k->last_end;
		(void)buf_add(out, t->s + k->last_end, at - k->last_end);
	} else {
		/* Comments in an empty container stay before what is added. */
		size_t before = k->close;

		while (before > at && strchr(" \t\r\n", t->s[before - 1]) && t->s[before - 1])
			before--;
		(void)buf_add(out, t->s, before);
		at = before;
	}
	/* A list of several elements in one line stays one. */
	if (lines || (!k->last_begin && at > k->open + 1)) {
		(void)buf_adds(out, line_end(t));
		(void)buf_add(out, indent.s, indent.len);
		if (!k->last_begin)
			(void)buf_adds(out, memchr(indent.s, '\t', indent.len) ? "\t" : "  ");
	} else {
		(void)buf_adds(out, k->last_begin || t->s[k->open] == '{' ? " " : "");
	}
	add_element(out, c, depth);
	if (lines && c->note)
		(void)buf_addf(out, " // %s", c->note);
	if (!k->last_begin && !lines && t->s[k->open] == '{' && at == k->open + 1)
		(void)buf_adds(out, " ");
	if (!k->last_begin && at > k->open + 1 && !lines) {
		(void)buf_adds(out, line_end(t));
		(void)buf_add(out, indent.s, indent.len);
		at = k->close;
	} else if (!k->last_begin && !lines) {
		at = k->close;
	}
	(void)buf_add(out, t->s + at, t->len - at);
}

/* ---- the same on the parsed value ------------------------------------------------ */

/* Sets or takes out, at the container. 0 changed, 1 it is so already. */
static int change_at(json_t *at, const struct jsonc_change *c, json_t *want, size_t *ret_index)
{
	if (c->name) {
		const json_t *there = json_object_get(at, c->name);

		if (there && (c->unless_there || json_equal(there, want)))
			return 1;
		return json_object_set(at, c->name, want) < 0 ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < json_array_size(at); i++) {
		if (!json_equal(json_array_get(at, i), want))
			continue;
		*ret_index = i;
		return c->remove ? json_array_remove(at, i) : 1;
	}
	return c->remove ? 1 : json_array_append(at, want) < 0 ? -ENOMEM : 0;
}

/* Likewise from the root; -EINVAL: a type is in the way (*ret_key). */
static int change_value(json_t *root, const struct jsonc_change *c, const char **ret_key,
			size_t *ret_index)
{
	json_t *at = root, *want;
	size_t i;
	int r;

	for (i = 0; c->path[i]; i++) {
		json_t *next = json_object_get(at, c->path[i]);
		bool list = !c->path[i + 1] && !c->name;

		if (!next && c->remove)
			return 1;
		if (!next) {
			next = list ? json_array() : json_object();
			if (json_object_set_new(at, c->path[i], next) < 0)
				return -ENOMEM;
		}
		*ret_key = c->path[i];
		if (list ? !json_is_array(next) : !json_is_object(next))
			return -EINVAL;
		at = next;
	}
	want = c->json ? json_loads(c->json, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL)
		       : json_string(c->value);
	if (!want)
		return -ENOMEM;
	r = change_at(at, c, want, ret_index);
	json_decref(want);
	return r;
}

static int parse(const char *name, const char *text, size_t len, struct json_doc **ret,
		 struct berm_err *err)
{
	char *copy = malloc(len + 1);
	int r;

	if (!copy)
		return err_set(err, -ENOMEM, "out of memory");
	memcpy(copy, text, len);
	copy[len] = '\0';
	r = json_doc_parse(name, copy, len, ret, err);
	free(copy);
	return r;
}

static void doc_freep(struct json_doc **d)
{
	json_doc_free(*d);
}

/* The list that begins at `open` without its element of that index. */
static void cut(const struct text *t, size_t open, size_t index, struct buf *out)
{
	size_t i = skip_space(t, open + 1), from = i, to = i, before = 0;

	for (size_t k = 0; i < t->len && t->s[i] != ']'; k++) {
		size_t end = skip_value(t, i), next = skip_space(t, end);
		bool comma = next < t->len && t->s[next] == ',';

		if (comma)
			next = skip_space(t, next + 1);
		if (k == index) {
			/* With the comma before it, or as the first with the one behind. */
			from = before ? before : i;
			to = before || !comma ? end : next;
			break;
		}
		before = end;
		i = next;
	}
	(void)buf_add(out, t->s, from);
	(void)buf_add(out, t->s + to, t->len - to);
}

static void edit_text(const struct text *t, const struct jsonc_change *c, size_t index,
		      struct buf *out)
{
	size_t at = t->len >= 3 && memcmp(t->s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, value, depth = 0;
	struct container k;

	at = skip_space(t, at);
	for (;;) {
		const char *key = c->path[depth] ? c->path[depth] : c->name;

		k = look(t, at, key, &value);
		if (!value || !c->path[depth])
			break;
		at = value;
		depth++;
	}
	if (value && !c->path[depth]) {
		/* The member is there: only its value is another one now. */
		size_t end = skip_value(t, value);

		(void)buf_add(out, t->s, value);
		add_value(out, c);
		(void)buf_add(out, t->s + end, t->len - end);
		return;
	}
	if (c->remove)
		cut(t, at, index, out);
	else
		insert(t, &k, c, depth, out);
}

int jsonc_edit(const char *name, const char *text, size_t len, const struct jsonc_change *c,
	       struct buf *out, struct berm_err *err)
{
	_cleanup_(doc_freep) struct json_doc *old = NULL, *made = NULL;
	_cleanup_buf_ struct buf with = BUF_INIT(RESULT_MAX);
	struct text t = { text, len };
	const char *key = "";
	size_t index = 0;
	int r;

	if (len > JSON_FILE_MAX)
		return err_set(err, -EFBIG, "%s is too large", name);
	if (skip_space(&t, 0) >= len) {
		/* Nothing but comments: they stay, an object follows. */
		(void)buf_add(&with, text, len);
		if (len && text[len - 1] != '\n')
			(void)buf_adds(&with, "\n");
		(void)buf_adds(&with, "{\n}\n");
		if (with.failed)
			return err_set(err, -ENOMEM, "out of memory");
		t = (struct text){ with.data, with.len };
	}
	r = parse(name, t.s, t.len, &old, err);
	if (r < 0 || !old)
		return r;
	if (!json_is_object(old->root))
		return err_set(err, -EINVAL, "%s: the settings are not an object", name);
	r = change_value(old->root, c, &key, &index);
	if (r == -EINVAL)
		return err_set(err, r, "%s: \"%s\" is not of the type it should have", name, key);
	if (r < 0)
		return err_set(err, r, "out of memory");
	if (r == 1) {
		(void)buf_add(out, text, len);
		return out->failed ? err_set(err, -ENOMEM, "out of memory") : 1;
	}
	edit_text(&t, c, index, out);
	if (out->failed)
		return err_set(err, -ENOMEM, "out of memory");
	if (parse(name, out->data, out->len, &made, err) < 0 || !made ||
	    !json_equal(old->root, made->root))
		return err_set(err, -ENOTRECOVERABLE,
			       "%s: cannot be changed without losing something; add it by hand",
			       name);
	return 0;
}
