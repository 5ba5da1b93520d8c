/* SPDX-License-Identifier: Apache-2.0 */
/* Codex's *.rules: calls with literal arguments, of the Starlark language:
 *   prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt")
 *   network_rule(host = "x", protocol = "https", decision = "allow")
 * Everything else (loads, functions, loops, computed values) is not understood. It may have
 * denied something: then every command is an ask, and it is told. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "policy/front_codex.h"

#define ARGS_MAX 8
#define LIST_MAX 32
#define STRING_MAX (64u * 1024u)

enum token { T_END, T_NAME, T_STRING, T_PUNCT, T_BAD };

/* A list of words, each with its alternatives. */
struct value {
	struct strv words[LIST_MAX];
	size_t n;
	bool list; /* else words[0].v[0] is the string */
};

struct rules {
	struct front *f;
	const char *p, *end;
	unsigned line;
	enum token token;
	char punct;
	struct buf text; /* of a name or a string */
	struct json_node at;
	bool no_memory;
};

/* ---- words ---------------------------------------------------------------- */

static void skip(struct rules *s)
{
	for (; s->p < s->end; s->p++) {
		if (*s->p == '#') {
			while (s->p < s->end && *s->p != '\n')
				s->p++;
			if (s->p == s->end)
				return;
		}
		if (*s->p == '\n')
			s->line++;
		else if (!strchr(" \t\r", *s->p) || !*s->p)
			return;
	}
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static enum token string(struct rules *s, char quote)
{
	s->p++;
	while (s->p < s->end && *s->p != quote) {
		static const char from[] = "nrt\\'\"", to[] = "\n\r\t\\'\"";
		const char *at;

		if (*s->p == '\n' || *s->p == '\0')
			return T_BAD;
		if (*s->p != '\\') {
			(void)buf_add(&s->text, s->p++, 1);
			continue;
		}
		at = s->p + 1 < s->end && s->p[1] ? strchr(from, s->p[1]) : NULL;
		if (!at)
			return T_BAD;
		(void)buf_add(&s->text, &to[at - from], 1);
		s->p += 2;
	}
	if (s->p == s->end)
		return T_BAD;
	s->p++;
	/* Three quotes, and strings side by side. */
	if (s->p < s->end && (*s->p == '"' || *s->p == '\''))
		return T_BAD;
	return s->text.failed ? T_BAD : T_STRING;
}

static void next(struct rules *s)
{
	buf_free(&s->text);
	s->text = BUF_INIT(STRING_MAX);
	skip(s);
	s->at.line = s->line;
	if (s->p == s->end) {
		s->token = T_END;
		return;
	}
	if (*s->p == '"' || *s->p == '\'') {
		s->token = string(s, *s->p);
	} else if (is_name(*s->p)) {
		while (s->p < s->end && is_name(*s->p))
			(void)buf_add(&s->text, s->p++, 1);
		s->token = s->text.failed ? T_BAD : T_NAME;
	} else {
		s->punct = *s->p++;
		s->token = T_PUNCT;
	}
}

static bool take(struct rules *s, char c)
{
	if (s->token != T_PUNCT || s->punct != c)
		return false;
	next(s);
	return true;
}

static const char *text(const struct rules *s)
{
	return s->text.data ? s->text.data : "";
}

/* ---- values ---------------------------------------------------------------- */

static void value_free(struct value *v)
{
	for (size_t i = 0; i < LIST_MAX; i++)
		strv_free(&v->words[i]);
}

static bool add(struct rules *s, struct strv *to)
{
	if (s->token != T_STRING)
		return false;
	if (strv_add(to, text(s)) < 0)
		s->no_memory = true;
	next(s);
	return !s->no_memory;
}

/* ["a", "b"] from behind the bracket on. */
static bool alternatives(struct rules *s, struct strv *to)
{
	while (!take(s, ']')) {
		if (!add(s, to))
			return false;
		if (!take(s, ',') && !(s->token == T_PUNCT && s->punct == ']'))
			return false;
	}
	return true;
}

static bool value(struct rules *s, struct value *v)
{
	if (s->token == T_STRING) {
		v->n = 1;
		return add(s, &v->words[0]);
	}
	if (!take(s, '['))
		return false;
	v->list = true;
	while (!take(s, ']')) {
		if (v->n == LIST_MAX)
			return false;
		if (take(s, '[') ? !alternatives(s, &v->words[v->n]) : !add(s, &v->words[v->n]))
			return false;
		v->n++;
		if (!take(s, ',') && !(s->token == T_PUNCT && s->punct == ']'))
			return false;
	}
	return true;
}

/* ---- calls ------------------------------------------------------------------ */

struct call {
	const char *const *names; /* of the arguments it may have */
	struct value args[ARGS_MAX];
	bool given[ARGS_MAX];
	unsigned line;
};

/* name = value, ... ) */
static bool arguments(struct rules *s, struct call *c)
{
	while (!take(s, ')')) {
		size_t i = 0;

		if (s->token != T_NAME)
			return false;
		while (c->names[i] && !streq(c->names[i], text(s)))
			i++;
		if (!c->names[i] || c->given[i])
			return false;
		c->given[i] = true;
		next(s);
		if (!take(s, '=') || !value(s, &c->args[i]))
			return false;
		if (!take(s, ',') && !(s->token == T_PUNCT && s->punct == ')'))
			return false;
	}
	return true;
}

static const char *string_of(const struct call *c, size_t i)
{
	return c->given[i] && !c->args[i].list ? c->args[i].words[0].v[0] : NULL;
}

static const char *const prefix_names[] = { "pattern", "decision",  "justification",
					    "match",   "not_match", NULL };
static const char *const host_names[] = { "host", "protocol", "decision", "justification", NULL };
static const char *const executable_names[] = { "name", "paths", NULL };

enum { MISREAD, DONE, MEANINGLESS /* read to its end, and not understood */ };

/* 1: done, 0: not understood, or an error. */
static int prefix_rule(struct front *f, const struct json_node *at, const struct call *c)
{
	const char *word = c->given[1] ? string_of(c, 1) : "allow";
	int d = word ? front_codex_decision(word) : -1, r;

	if (!c->given[0] || !c->args[0].list || d < 0)
		return 0;
	r = front_codex_prefix(f, at, c->args[0].words, c->args[0].n, (enum decision)d,
			       string_of(c, 2));
	return r < 0 ? r : 1;
}

static int network_rule(struct front *f, const struct json_node *at, const struct call *c)
{
	const char *host = string_of(c, 0), *protocol = string_of(c, 1), *word = string_of(c, 2);
	int d = word ? front_codex_decision(word) : -1, r;
	_cleanup_free_ char *pattern = NULL;

	if (!host || !protocol || d < 0)
		return 0;
	/* What is allowed is allowed for that protocol; what is denied, at all. */
	pattern = d == VERDICT_ALLOW && streq(protocol, "https")  ? str_printf("%s:443", host)
		  : d == VERDICT_ALLOW && streq(protocol, "http") ? str_printf("%s:80", host)
								  : strdup(host);
	if (!pattern)
		return front_no_memory(f);
	r = front_host(f, at, pattern, (enum decision)d, NULL);
	return r < 0 ? r : 1;
}

static int host_executable(struct front *f, const struct json_node *at, const struct call *c)
{
	int r = front_remark(f, at, "not needed: a command is judged by its name wherever it lies");

	(void)c;
	return r < 0 ? r : 1;
}

static const struct {
	const char *name;
	const char *const *args;
	int (*take)(struct front *f, const struct json_node *at, const struct call *c);
} calls[] = {
	{ "prefix_rule", prefix_names, prefix_rule },
	{ "network_rule", host_names, network_rule },
	{ "host_executable", executable_names, host_executable },
};

/* MISREAD, DONE, MEANINGLESS, or an error. */
static int statement(struct rules *s)
{
	struct call c = { 0 };
	struct json_node at = { .line = s->at.line };
	size_t i = 0;
	int r = 0;

	if (s->token != T_NAME)
		return 0;
	while (i < ARRAY_SIZE(calls) && !streq(calls[i].name, text(s)))
		i++;
	if (i == ARRAY_SIZE(calls))
		return 0;
	c.names = calls[i].args;
	next(s);
	if (take(s, '(') && arguments(s, &c)) {
		r = calls[i].take(s->f, &at, &c);
		r = r == 0 ? MEANINGLESS : r;
	}
	for (size_t j = 0; j < ARGS_MAX; j++)
		value_free(&c.args[j]);
	return s->no_memory ? front_no_memory(s->f) : r;
}

/* To the next line that begins with a name: where a statement may begin. */
static void resync(struct rules *s)
{
	while (s->p < s->end) {
		if (*s->p++ != '\n')
			continue;
		s->line++;
		if (s->p < s->end && is_name(*s->p))
			break;
	}
	next(s);
}

static int not_understood(struct rules *s, unsigned line)
{
	struct json_node at = { .line = line };
	_cleanup_free_ char *why = NULL, *note = NULL;
	int r = front_remark(s->f, &at,
			     "not enforceable: berm reads only calls with literal values");

	why = str_printf("a rule at line %u was not understood and may have denied it", line);
	note = str_printf(SETTINGS_NOTE "%s:%u: not understood: every command is asked about",
			  s->f->at->file, line);
	if (!why || !note || strv_add(&s->f->out->open.remarks, note) < 0)
		return front_no_memory(s->f);
	return r < 0 ? r : front_pattern_rule(s->f, &at, "*", VERDICT_ASK, why);
}

int front_codex_rules(struct front *f, const char *text_, size_t len)
{
	struct rules s = { .f = f, .p = text_, .end = text_ + len, .line = 1 };
	bool told = false;
	int r = 0;

	next(&s);
	while (r >= 0 && s.token != T_END) {
		unsigned line = s.at.line;
		int how = statement(&s);

		r = how < 0 ? how : 0;
		if (r < 0 || how == DONE)
			continue;
		if (!told)
			r = not_understood(&s, line);
		told = true;
		if (how == MISREAD)
			resync(&s);
	}
	buf_free(&s.text);
	return r;
}
