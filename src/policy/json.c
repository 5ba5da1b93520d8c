/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/json.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"

/* Replaces comments by spaces, so that lines and columns stay, and holds nesting
 * within bounds before a recursive parser sees the text. */
static int blank_comments(const char *name, char *p, size_t len, struct berm_err *err)
{
	unsigned line = 1, depth = 0;
	bool string = false;

	for (size_t i = 0; i < len; i++) {
		char next = i + 1 < len ? p[i + 1] : '\0';

		/* jansson passes over it, and whoever looks at the text would not. */
		if (p[i] == '\0')
			return err_set(err, -EINVAL, "%s:%u: a zero byte", name, line);
		if (p[i] == '\n')
			line++;
		if (string) {
			if (p[i] == '\\')
				i++;
			else if (p[i] == '"' || p[i] == '\n')
				string = false;
		} else if (p[i] == '"') {
			string = true;
		} else if (p[i] == '{' || p[i] == '[') {
			if (++depth > JSON_DEPTH_MAX)
				return err_set(err, -EINVAL, "%s:%u: nested more than %d deep",
					       name, line, JSON_DEPTH_MAX);
		} else if (p[i] == '}' || p[i] == ']') {
			depth -= depth > 0;
		} else if (p[i] == '/' && next == '/') {
			while (i < len && p[i] != '\n')
				p[i++] = ' ';
			i--;
		} else if (p[i] == '/' && next == '*') {
			unsigned start = line;

			p[i++] = ' ';
			p[i++] = ' ';
			while (i + 1 < len && !(p[i] == '*' && p[i + 1] == '/')) {
				if (p[i] == '\n')
					line++;
				else
					p[i] = ' ';
				i++;
			}
			if (i + 1 >= len)
				return err_set(err, -EINVAL, "%s:%u: a comment that does not end",
					       name, start);
			p[i++] = ' ';
			p[i] = ' ';
		}
	}
	return 0;
}

struct scan {
	const char *p, *end;
	unsigned line;
};

static void skip(struct scan *s, const char *also)
{
	while (s->p < s->end && (strchr(" \t\r\n", *s->p) || strchr(also, *s->p)) && *s->p) {
		s->line += *s->p == '\n';
		s->p++;
	}
}

static void skip_string(struct scan *s)
{
	for (s->p++; s->p < s->end && *s->p != '"'; s->p++)
		if (*s->p == '\\')
			s->p++;
	if (s->p < s->end)
		s->p++;
}

static int walk(struct scan *s, struct json_node *n);

static int walk_object(struct scan *s, struct json_node *n)
{
	const char *key;
	json_t *value;
	int r;

	/* jansson keeps the members in the order of the text. */
	json_object_foreach(n->value, key, value)
	{
		struct json_node *kid = &n->kids[n->n_kids++];

		skip(s, ",");
		kid->key = key;
		kid->value = value;
		kid->line = s->line;
		skip_string(s);
		skip(s, ":");
		r = walk(s, kid);
		if (r < 0)
			return r;
	}
	return 0;
}

static int walk(struct scan *s, struct json_node *n)
{
	size_t count =
		json_is_object(n->value) ? json_object_size(n->value) : json_array_size(n->value);
	json_t *value;
	size_t i;
	int r = 0;

	skip(s, ",");
	if (json_is_string(n->value)) {
		skip_string(s);
		return 0;
	}
	if (!json_is_object(n->value) && !json_is_array(n->value)) {
		while (s->p < s->end && *s->p && !strchr(" \t\r\n,]}", *s->p))
			s->p++;
		return 0;
	}
	n->kids = calloc(count + 1, sizeof(*n->kids));
	if (!n->kids)
		return -ENOMEM;
	s->p++;
	if (json_is_object(n->value)) {
		r = walk_object(s, n);
	} else {
		json_array_foreach(n->value, i, value)
		{
			struct json_node *kid = &n->kids[n->n_kids++];

			skip(s, ",");
			kid->value = value;
			kid->line = s->line;
			r = walk(s, kid);
			if (r < 0)
				break;
		}
	}
	if (r < 0)
		return r;
	skip(s, ",");
	s->p += s->p < s->end;
	return 0;
}

int json_doc_parse(const char *name, char *text, size_t len, struct json_doc **ret,
		   struct berm_err *err)
{
	struct json_doc *d;
	json_error_t je;
	struct scan s;
	int r;

	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		memset(text, ' ', 3);
	r = blank_comments(name, text, len, err);
	if (r < 0)
		return r;
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(err, -ENOMEM, "out of memory");
	d->root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &je);
	if (!d->root) {
		free(d);
		return err_set(err, -EINVAL, "%s:%d: %s", name, je.line > 0 ? je.line : 1, je.text);
	}
	s = (struct scan){ text, text + len, 1 };
	skip(&s, "");
	d->node = (struct json_node){ .value = d->root, .line = s.line };
	r = walk(&s, &d->node);
	if (r < 0) {
		json_doc_free(d);
		return err_set(err, r, "out of memory");
	}
	*ret = d;
	return 0;
}

static void free_kids(struct json_node *n)
{
	for (size_t i = 0; i < n->n_kids; i++)
		free_kids(&n->kids[i]);
	free(n->kids);
}

void json_doc_free(struct json_doc *d)
{
	if (!d)
		return;
	free_kids(&d->node);
	json_decref(d->root);
	free(d);
}

const char *json_type_name(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "a whole number";
	case JSON_REAL:
		return "a fraction";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		return "null";
	}
	return "something else";
}
