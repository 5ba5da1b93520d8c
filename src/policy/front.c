/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/front_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define UNKNOWN_TOLD 8 /* so many unknown keys are named */

static const struct {
	const char *name, *title;
} kinds[FRONT_KIND_COUNT] = {
	[FRONT_CLAUDE] = { "claude", "Claude Code" },
	[FRONT_SRT] = { "srt", "sandbox-runtime" },
	[FRONT_CODEX] = { "codex", "Codex" },
};

int front_kind_parse(const char *name)
{
	for (int i = 0; i < FRONT_KIND_COUNT; i++)
		if (streq(kinds[i].name, name))
			return i;
	return -1;
}

const char *front_kind_name(enum front_kind k)
{
	return kinds[k].name;
}

const char *front_title(enum front_kind k)
{
	return kinds[k].title;
}

int front_arg_parse(const char *text, enum front_kind *ret_kind, const char **ret_file,
		    struct berm_err *err)
{
	size_t n = strcspn(text, ":");

	for (int i = 0; i < FRONT_KIND_COUNT; i++) {
		if (strlen(kinds[i].name) != n || memcmp(kinds[i].name, text, n) != 0)
			continue;
		if (text[n] && !text[n + 1])
			break;
		*ret_kind = (enum front_kind)i;
		*ret_file = text[n] ? text + n + 1 : NULL;
		return 0;
	}
	err_set(err, -EINVAL, "settings \"%s\": not KIND or KIND:FILE", text);
	err_fix(err, "kinds: claude, srt, codex; as in claude:team/settings.json");
	return -EINVAL;
}

struct front_table front_keys(enum front_kind k)
{
	switch (k) {
	case FRONT_CLAUDE:
		return (struct front_table){ front_claude_keys, front_claude_keys_n };
	case FRONT_SRT:
		return (struct front_table){ front_srt_keys, front_srt_keys_n };
	case FRONT_CODEX:
		return (struct front_table){ front_codex_keys, front_codex_keys_n };
	case FRONT_KIND_COUNT:
		break;
	}
	return (struct front_table){ NULL, 0 };
}

struct front_table front_requirements_keys(void)
{
	return (struct front_table){ front_codex_requirements_keys,
				     front_codex_requirements_keys_n };
}

void front_parts_free(struct front_parts *p)
{
	settings_free(&p->open);
	settings_free(&p->close);
}

/* ---- errors and remarks ------------------------------------------------- */

int front_no_memory(struct front *f)
{
	return err_set(f->err, -ENOMEM, "out of memory");
}

/* "sandbox.network.allowedDomains", for messages. */
static void key_text(const struct front *f, char *dst, size_t size)
{
	size_t at = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < f->depth && at < size; i++) {
		int n = snprintf(dst + at, size - at, "%s%s", i ? "." : "", f->keys[i]);

		if (n < 0)
			break;
		at += (size_t)n;
	}
}

int front_fail(struct front *f, const struct json_node *n, const char *fmt, ...)
{
	char what[700], key[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	key_text(f, key, sizeof(key));
	return err_set(f->err, -EINVAL, "%s:%u: %s%s%s", f->at->file, n->line, key,
		       key[0] ? ": " : "", what);
}

int front_wrong_type(struct front *f, const struct json_node *n, const char *want)
{
	return front_fail(f, n, "must be %s, not %s", want, json_type_name(n->value));
}

int front_remark(struct front *f, const struct json_node *n, const char *fmt, ...)
{
	_cleanup_free_ char *line = NULL;
	char what[1024], key[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	key_text(f, key, sizeof(key));
	line = str_printf("%u: %s: %s", n->line, key, what);
	return line && strv_add(&f->out->open.remarks, line) == 0 ? 0 : front_no_memory(f);
}

/* ---- the walk ------------------------------------------------------------ */

/* Does the table's path name the first n of keys? With rest: is it a longer one below them?
 * *ret_last is the component of the path that follows. */
static bool path_is(const char *path, const char *const *keys, size_t n, const char **ret_rest)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strcspn(path, ".");

		if (!*path)
			return false;
		if (!(len == 1 && *path == '*') &&
		    !(strlen(keys[i]) == len && memcmp(keys[i], path, len) == 0))
			return false;
		path += len + (path[len] == '.');
	}
	*ret_rest = path;
	return true;
}

static const struct front_key *find(const struct front *f, const struct front_table *t)
{
	const char *rest;

	for (size_t i = 0; i < t->n; i++)
		if (path_is(t->v[i].path, f->keys, f->depth, &rest) && !*rest)
			return &t->v[i];
	return NULL;
}

/* The known key of the same object that is nearest to the one at the end of f->keys. */
static void nearest(const struct front *f, const struct front_table *t, char *dst, size_t size)
{
	const char *key = f->keys[f->depth - 1], *rest;
	unsigned best = 4;

	dst[0] = '\0';
	for (size_t i = 0; i < t->n; i++) {
		char name[64];
		unsigned d;

		if (!path_is(t->v[i].path, f->keys, f->depth - 1, &rest) || !*rest ||
		    *rest == '*' || strchr(rest, '.'))
			continue;
		(void)snprintf(name, sizeof(name), "%s", rest);
		d = str_distance(key, name, 3);
		if (d < best) {
			best = d;
			(void)snprintf(dst, size, "%s", name);
		}
	}
}

static int unknown_key(struct front *f, const struct json_node *n, const struct front_table *t)
{
	_cleanup_free_ char *text = NULL;
	char near[64], key[256];

	key_text(f, key, sizeof(key));
	nearest(f, t, near, sizeof(near));
	text = str_printf("\"%s\" (line %u%s%s%s)", key, n->line,
			  near[0] ? "; did you mean \"" : "", near, near[0] ? "\"?" : "");
	if (!text || strv_add(&f->unknown, text) < 0)
		return front_no_memory(f);
	return front_remark(f, n, "berm does not know this key%s%s%s",
			    near[0] ? "; did you mean \"" : "", near, near[0] ? "\"?" : "");
}

static bool counts_here(struct front *f, const struct front_key *k)
{
	if (k->flags & FRONT_MANAGED_ONLY)
		return f->at->layer == LAYER_MANAGED;
	return !(k->flags & FRONT_NOT_PROJECT) || !f->at->project;
}

static int walk_one(struct front *f, const struct json_node *n, const struct front_table *t)
{
	const struct front_key *k = find(f, t);

	if (!k)
		return unknown_key(f, n, t);
	if (!counts_here(f, k))
		return front_remark(f, n, "counts in %s only, and is left out here",
				    k->flags & FRONT_MANAGED_ONLY ? "managed settings"
								  : "user and managed settings");
	if (k->how == FRONT_INSIDE && !k->take)
		return front_walk(f, n, t);
	return k->take ? k->take(f, n, k) : 0;
}

int front_walk(struct front *f, const struct json_node *n, const struct front_table *t)
{
	int r = 0;

	if (!json_is_object(n->value))
		return front_wrong_type(f, n, "an object");
	if (f->depth == FRONT_DEPTH_MAX)
		return front_fail(f, n, "nested too deep");
	f->depth++;
	for (size_t i = 0; i < n->n_kids && r >= 0; i++) {
		f->keys[f->depth - 1] = n->kids[i].key;
		r = walk_one(f, &n->kids[i], t);
	}
	f->depth--;
	return r;
}

/* ---- a file -------------------------------------------------------------- */

/* One note for all keys that are not known: a newer version of the tool has many. */
static int tell_unknown(struct front *f)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u * 1024u);

	if (!f->unknown.n)
		return 0;
	(void)buf_addf(&b,
		       SETTINGS_NOTE "%s: %zu key%s of %s that berm does not know: ", f->at->file,
		       f->unknown.n, f->unknown.n == 1 ? "" : "s", front_title(f->at->kind));
	for (size_t i = 0; i < f->unknown.n && i < UNKNOWN_TOLD; i++)
		(void)buf_addf(&b, "%s%s", i ? ", " : "", f->unknown.v[i]);
	if (f->unknown.n > UNKNOWN_TOLD)
		(void)buf_adds(&b, ", ...");
	return b.failed || strv_add(&f->out->open.remarks, b.data) < 0 ? front_no_memory(f) : 0;
}

static void doc_freep(struct json_doc **d)
{
	json_doc_free(*d);
}

static int parse_json(struct front *f, char *text, size_t len)
{
	_cleanup_(doc_freep) struct json_doc *doc = NULL;
	struct front_table t = front_keys(f->at->kind);
	int r = json_doc_parse(f->at->file, text, len, &doc, f->err);

	if (r >= 0)
		r = front_walk(f, &doc->node, &t);
	if (r >= 0 && f->at->kind == FRONT_SRT)
		r = front_srt_finish(f, &doc->node);
	/* In its sandbox no host is allowed that is not listed. */
	if (r >= 0 && f->at->kind == FRONT_CLAUDE && f->lists_hosts && !f->sandbox_off)
		r = front_only_listed(f, &doc->node, false);
	return r;
}

static int init_part(struct settings *s, const struct front_place *at, bool closing)
{
	*s = (struct settings){ .file = strdup(at->file),
				.base = at->base ? strdup(at->base) : NULL,
				.layer = at->layer,
				.trusted = at->trusted,
				.closing = closing,
				.format = front_kind_name(at->kind) };
	return s->file && (s->base || !at->base) ? 0 : -ENOMEM;
}

int front_parse(const struct front_place *place, char *text, size_t len, struct front_parts *ret,
		struct berm_err *err)
{
	struct front_parts parts = { 0 };
	struct front f = { .at = place, .out = &parts, .err = err };
	int r;

	if (init_part(&parts.open, place, false) < 0 || init_part(&parts.close, place, true) < 0)
		r = front_no_memory(&f);
	else if (place->kind != FRONT_CODEX)
		r = parse_json(&f, text, len);
	else if (place->rules)
		r = front_codex_rules(&f, text, len);
	else
		r = front_codex_parse(&f, text, len);
	if (r >= 0)
		r = tell_unknown(&f);
	strv_free(&f.unknown);
	if (r < 0) {
		front_parts_free(&parts);
		return r;
	}
	*ret = parts;
	return 0;
}
