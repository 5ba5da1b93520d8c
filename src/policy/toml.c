/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/toml_impl.h"

#include <string.h>

int toml_fail(struct toml *t, const char *what)
{
	return err_set(t->err, -EINVAL, "%s:%u: %s", t->name, t->line, what);
}

int toml_peek(const struct toml *t)
{
	return t->p < t->end ? (unsigned char)*t->p : -1;
}

static bool line_end(const struct toml *t)
{
	return *t->p == '\n' || (*t->p == '\r' && t->p + 1 < t->end && t->p[1] == '\n');
}

int toml_skip(struct toml *t, bool lines)
{
	for (; t->p < t->end; t->p++) {
		if (*t->p == ' ' || *t->p == '\t')
			continue;
		if (*t->p == '#') {
			while (t->p < t->end && !line_end(t)) {
				if (((unsigned char)*t->p < 0x20 && *t->p != '\t') || *t->p == 0x7f)
					return toml_fail(t, "a control character in a comment");
				t->p++;
			}
			t->p--;
			continue;
		}
		if (!line_end(t) || !lines)
			break;
		if (*t->p == '\r')
			t->p++;
		t->line++;
	}
	return 0;
}

/* ---- the tree ------------------------------------------------------------ */

static struct json_node *find(const struct json_node *n, const char *key)
{
	/* The value is found by its hash; the node by going through. */
	if (!json_is_object(n->value) || !json_object_get(n->value, key))
		return NULL;
	for (size_t i = 0; i < n->n_kids; i++)
		if (streq(n->kids[i].key, key))
			return &n->kids[i];
	return NULL;
}

static int no_memory(struct toml *t, json_t *value)
{
	json_decref(value);
	return err_set(t->err, -ENOMEM, "out of memory");
}

int toml_add(struct toml *t, struct json_node *n, const char *key, json_t *value, enum toml_tag tag,
	     struct json_node **ret)
{
	struct json_node *kids;
	const char *kept = NULL;

	if (!value)
		return toml_fail(t, "a string that is not UTF-8");
	if (n->n_kids == TOML_KEYS_MAX) {
		json_decref(value);
		return toml_fail(t, "too many entries in one table or array");
	}
	if (key && json_object_get(n->value, key)) {
		json_decref(value);
		return err_set(t->err, -EINVAL, "%s:%u: duplicate key \"%s\"", t->name, t->line,
			       key);
	}
	kids = reallocarray(n->kids, n->n_kids + 1, sizeof(*kids));
	if (!kids)
		return no_memory(t, value);
	n->kids = kids;
	if (key && json_object_set_new(n->value, key, value) < 0)
		return toml_fail(t, "a key that is not UTF-8");
	if (!key && json_array_append_new(n->value, value) < 0)
		return err_set(t->err, -ENOMEM, "out of memory");
	if (key)
		kept = json_object_iter_key(json_object_iter_at(n->value, key));
	kids[n->n_kids] =
		(struct json_node){ .value = value, .key = kept, .line = t->line, .tag = tag };
	if (ret)
		*ret = &kids[n->n_kids];
	n->n_kids++;
	return 0;
}

/* ---- keys ---------------------------------------------------------------- */

static bool bare(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

static int one_key(struct toml *t, struct buf *out)
{
	int c = toml_peek(t);

	if (c == '"' || c == '\'')
		return toml_string(t, false, out);
	for (; bare(toml_peek(t)); t->p++)
		(void)buf_add(out, t->p, 1);
	if (!out->len)
		return toml_fail(t, "a key is missing");
	return out->failed ? toml_fail(t, "a key is too long") : 0;
}

/* "a.b.c": its parts. */
static int keys(struct toml *t, struct strv *ret)
{
	for (;;) {
		_cleanup_buf_ struct buf one = BUF_INIT(4096);
		int r;

		(void)toml_skip(t, false);
		r = one_key(t, &one);
		if (r < 0)
			return r;
		if (strv_add(ret, one.data ? one.data : "") < 0)
			return err_set(t->err, -ENOMEM, "out of memory");
		if (ret->n > JSON_DEPTH_MAX)
			return toml_fail(t, "a key with too many parts");
		while (toml_peek(t) == ' ' || toml_peek(t) == '\t')
			t->p++;
		if (toml_peek(t) != '.')
			return 0;
		t->p++;
	}
}

/* The table below n that key leads into; made when it is not there. */
static int enter(struct toml *t, struct json_node *n, const char *key, enum toml_tag made,
		 struct json_node **ret)
{
	struct json_node *kid = find(n, key);

	if (!kid)
		return toml_add(t, n, key, json_object(), made, ret);
	/* The last of [[key]]. */
	if (kid->tag == TOML_OF_TABLES && made == TOML_IMPLIED) {
		*ret = &kid->kids[kid->n_kids - 1];
		return 0;
	}
	if (!json_is_object(kid->value) || kid->tag == TOML_CLOSED ||
	    (made == TOML_DOTTED && kid->tag != TOML_DOTTED))
		return err_set(t->err, -EINVAL, "%s:%u: \"%s\" is defined twice", t->name, t->line,
			       key);
	*ret = kid;
	return 0;
}

int toml_assign(struct toml *t, struct json_node *table)
{
	_cleanup_strv_ struct strv parts = { 0 };
	int r = keys(t, &parts);

	for (size_t i = 0; i + 1 < parts.n && r >= 0; i++)
		r = enter(t, table, parts.v[i], TOML_DOTTED, &table);
	if (r < 0)
		return r;
	if (toml_peek(t) != '=')
		return toml_fail(t, "\"=\" is missing after the key");
	t->p++;
	(void)toml_skip(t, false);
	return toml_value(t, table, parts.v[parts.n - 1]);
}

/* ---- tables -------------------------------------------------------------- */

/* [a.b] or [[a.b]]; *ret: what the lines that follow fill. */
static int header(struct toml *t, struct json_node *root, struct json_node **ret)
{
	_cleanup_strv_ struct strv parts = { 0 };
	struct json_node *n = root, *kid;
	bool list;
	int r;

	t->p++;
	list = toml_peek(t) == '[';
	t->p += list;
	r = keys(t, &parts);
	for (size_t i = 0; i + 1 < parts.n && r >= 0; i++)
		r = enter(t, n, parts.v[i], TOML_IMPLIED, &n);
	if (r < 0)
		return r;
	for (int i = 0, n_ends = list ? 2 : 1; i < n_ends; i++) {
		if (toml_peek(t) != ']')
			return toml_fail(t, "a table's name does not end with \"]\"");
		t->p++;
	}
	kid = find(n, parts.v[parts.n - 1]);
	if (list) {
		if (!kid)
			r = toml_add(t, n, parts.v[parts.n - 1], json_array(), TOML_OF_TABLES,
				     &kid);
		else if (kid->tag != TOML_OF_TABLES)
			r = toml_fail(t, "an array of tables has the name of something else");
		return r < 0 ? r : toml_add(t, kid, NULL, json_object(), TOML_DEFINED, ret);
	}
	if (!kid)
		return toml_add(t, n, parts.v[parts.n - 1], json_object(), TOML_DEFINED, ret);
	if (kid->tag != TOML_IMPLIED)
		return err_set(t->err, -EINVAL, "%s:%u: table \"%s\" is defined twice", t->name,
			       t->line, parts.v[parts.n - 1]);
	kid->tag = TOML_DEFINED;
	kid->line = t->line;
	*ret = kid;
	return 0;
}

static int parse(struct toml *t, struct json_node *root)
{
	struct json_node *table = root;

	for (;;) {
		int r = toml_skip(t, true);

		if (r < 0 || t->p == t->end)
			return r;
		r = *t->p == '[' ? header(t, root, &table) : toml_assign(t, table);
		if (r >= 0)
			r = toml_skip(t, false);
		if (r < 0)
			return r;
		if (t->p < t->end && !line_end(t))
			return toml_fail(t, "something stands after the end of the value");
	}
}

int toml_doc_parse(const char *name, const char *text, size_t len, struct json_doc **ret,
		   struct berm_err *err)
{
	struct toml t = { .name = name, .p = text, .end = text + len, .line = 1, .err = err };
	struct json_doc *d = calloc(1, sizeof(*d));
	int r;

	if (d)
		d->root = json_object();
	if (!d || !d->root) {
		free(d);
		return err_set(err, -ENOMEM, "out of memory");
	}
	d->node = (struct json_node){ .value = d->root, .line = 1, .tag = TOML_DEFINED };
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		t.p += 3;
	r = parse(&t, &d->node);
	if (r < 0) {
		json_doc_free(d);
		return r;
	}
	*ret = d;
	return 0;
}
