/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of data/commands-*. What may be meant counts: an option that is not known may have
 * a value or not, so both readings of what follows are tried, and words that are not certain
 * make a SHELL_MAYBE. */
#include "shell/rule.h"

#include <string.h>

#include "base/str.h"
#include "shell/data.h"
#include "shell/impl.h"

/* ---- texts -------------------------------------------------------------- */

/* With more: is there a text beginning with s that matches? */
static bool star(const char *g, size_t n, const char *s, size_t len, bool more)
{
	const char *back = NULL, *back_s = NULL, *ge = g + n, *se = s + len;

	while (s < se) {
		if (g < ge && *g == '*') {
			back = ++g;
			back_s = s;
		} else if (g < ge && g[*g == '\\' && g + 1 < ge] == *s) {
			g += 1 + (*g == '\\' && g + 1 < ge);
			s++;
		} else if (back) {
			g = back;
			s = ++back_s;
		} else {
			return false;
		}
	}
	if (more)
		return true;
	while (g < ge && *g == '*')
		g++;
	return g == ge;
}

bool star_match(const char *glob, size_t n, const char *s, size_t len)
{
	return star(glob, n, s, len, false);
}

bool star_could(const char *glob, size_t n, const char *s, size_t len)
{
	return memchr(glob, '*', n) != NULL || len <= n ? star(glob, n, s, len, true) : false;
}

bool rule_alternative(const struct rule *rule, const struct rule_token *t, const char *s,
		      size_t len)
{
	const char *p = t->text, *end = t->text + t->len;

	for (;;) {
		const char *bar = memchr(p, rule->sep, (size_t)(end - p));
		size_t n = bar ? (size_t)(bar - p) : (size_t)(end - p);

		if (star_match(p, n, s, len))
			return true;
		if (!bar)
			return false;
		p = bar + 1;
	}
}

/* Could what begins with s[0..len) be one of them? */
static bool alternative_could(const struct rule *rule, const struct rule_token *t, const char *s,
			      size_t len)
{
	const char *p = t->text, *end = t->text + t->len;

	for (;;) {
		const char *bar = memchr(p, rule->sep, (size_t)(end - p));
		size_t n = bar ? (size_t)(bar - p) : (size_t)(end - p);

		if (star_could(p, n, s, len))
			return true;
		if (!bar)
			return false;
		p = bar + 1;
	}
}

bool rule_read(const char *row, struct rule *ret)
{
	ret->n = 0;
	ret->sep = '|';
	for (;;) {
		struct rule_token *t;
		size_t n;

		row += strspn(row, " ");
		n = strcspn(row, " ");
		if (!n)
			return ret->n > 0;
		if (ret->n == RULE_TOKENS)
			return false;
		t = &ret->tokens[ret->n];
		*t = (struct rule_token){ .kind = 'w', .text = row, .len = n };
		if (*row == '-' && n > 1) {
			t->kind = '-';
		} else if ((*row == '=' || *row == '>') && n > 1) {
			t->kind = *row;
			t->text++;
			t->len--;
		}
		ret->n++;
		row += n;
	}
}

/* ---- words -------------------------------------------------------------- */

/* It may be an option, or become one. */
static bool may_be_option(const struct shell_word *w)
{
	const uint32_t names = SHELL_WHY_GLOB | SHELL_WHY_TILDE | SHELL_WHY_ARITHMETIC;

	if (!(w->why & ~names))
		return false;
	return w->many || w->known == 0 || w->text[0] == '-';
}

/* Is w one of the options of a token ("-f|--force")? Short ones stand in clusters, long ones
 * may be shortened and have a value. */
static bool is_option(const struct rule *rule, const struct rule_token *t,
		      const struct shell_word *w)
{
	const char *p = t->text, *end = t->text + t->len;
	size_t len = w->why ? w->known : w->len;

	if (len < 2 || w->text[0] != '-')
		return false;
	for (;;) {
		const char *bar = memchr(p, rule->sep, (size_t)(end - p));
		size_t n = bar ? (size_t)(bar - p) : (size_t)(end - p);
		const char *eq = memchr(w->text, '=', len);
		size_t name = eq ? (size_t)(eq - w->text) : len;

		if (n == 2 && p[1] != '-') {
			if (w->text[1] != '-' && memchr(w->text + 1, p[1], len - 1))
				return true;
		} else if (len == n && memcmp(w->text, p, n) == 0) {
			return true;
		} else if (w->text[1] == '-' && p[1] == '-' && name >= 4 && name <= n &&
			   memcmp(w->text, p, name) == 0) {
			return true;
		} else if (eq && memchr(p, '=', n) && star_match(p, n, w->text, len)) {
			return true;
		}
		if (!bar)
			return false;
		p = bar + 1;
	}
}

static enum shell_match has_option(const struct rule *rule, const struct rule_token *t,
				   const struct shell_part *p)
{
	enum shell_match best = p->flags & SHELL_APPENDED ? SHELL_MAYBE : SHELL_MISS;

	for (uint32_t i = 1; i < p->n_words; i++) {
		const struct shell_word *w = &p->words[i];

		if (is_option(rule, t, w))
			return SHELL_HIT;
		if (may_be_option(w))
			best = SHELL_MAYBE;
		else if (!w->why && streq(w->text, "--"))
			break;
	}
	return best;
}

/* "/usr/../", "//": as the kernel reads it, links aside. */
static size_t plain_path(const char *s, size_t len, char *to, size_t size)
{
	size_t n = 0;

	if (!len || s[0] != '/' || len >= size)
		return 0;
	for (size_t i = 0; i < len;) {
		size_t from, k;

		while (i < len && s[i] == '/')
			i++;
		from = i;
		while (i < len && s[i] != '/')
			i++;
		k = i - from;
		if (!k || (k == 1 && s[from] == '.'))
			continue;
		if (k == 2 && s[from] == '.' && s[from + 1] == '.') {
			while (n && to[--n] != '/')
				;
			continue;
		}
		to[n++] = '/';
		memcpy(to + n, s + from, k);
		n += k;
	}
	if (!n)
		to[n++] = '/';
	return n;
}

static enum shell_match text_match(const struct rule *rule, const struct rule_token *t,
				   const struct shell_word *w)
{
	char path[512];
	size_t n;

	if (rule_alternative(rule, t, w->text, w->len))
		return SHELL_HIT;
	n = plain_path(w->text, w->len, path, sizeof(path));
	if (n && rule_alternative(rule, t, path, n))
		return SHELL_HIT;
	if (!w->why || !(w->why & ~(uint32_t)(SHELL_WHY_GLOB | SHELL_WHY_TILDE)))
		return SHELL_MISS;
	return alternative_could(rule, t, w->text, w->known) ? SHELL_MAYBE : SHELL_MISS;
}

static enum shell_match has_operand(const struct rule *rule, const struct rule_token *t,
				    const struct shell_part *p, uint32_t from)
{
	enum shell_match best = p->flags & SHELL_APPENDED ? SHELL_MAYBE : SHELL_MISS;

	for (uint32_t i = from; i < p->n_words && best != SHELL_HIT; i++) {
		enum shell_match m = text_match(rule, t, &p->words[i]);

		if (m > best)
			best = m;
	}
	return best;
}

/* Writing there changes nothing. */
static bool is_sink(const struct shell_word *w)
{
	return !w->why && (streq(w->text, "/dev/null") || streq(w->text, "/dev/stdout") ||
			   streq(w->text, "/dev/stderr") || streq(w->text, "/dev/tty") ||
			   str_starts(w->text, "/dev/fd/"));
}

static enum shell_match has_write(const struct rule *rule, const struct rule_token *t,
				  const struct shell_part *p)
{
	enum shell_match best = SHELL_MISS;

	for (uint32_t i = 0; i < p->n_redirs; i++) {
		enum shell_match m;

		if (p->redirs[i].op == SHELL_IN || p->redirs[i].op == SHELL_DUP_IN ||
		    p->redirs[i].op == SHELL_DUP_OUT || p->redirs[i].op >= SHELL_HERE ||
		    is_sink(&p->redirs[i].target))
			continue;
		m = text_match(rule, t, &p->redirs[i].target);
		if (m > best)
			best = m;
	}
	return best;
}

/* ---- operands in order -------------------------------------------------- */

struct walk {
	const struct rule *rule;
	const struct shell_part *p;
	const char *row; /* of the program in data/commands-known, "" none */
	unsigned budget;
	uint32_t end; /* behind the last operand that matched */
};

static enum shell_match walk(struct walk *k, uint32_t i, unsigned t);

static enum shell_match better(enum shell_match a, enum shell_match b)
{
	return a > b ? a : b;
}

/* Past the option at i. */
static enum shell_match walk_option(struct walk *k, uint32_t i, unsigned t)
{
	const struct shell_word *w = &k->p->words[i];
	struct options o = { .row = k->row, .w = k->p->words, .n = i + 1, .i = i - 1 };
	enum shell_match m;

	if (streq(w->text, "--"))
		return walk(k, i + 1, t);
	if (*k->row) {
		options_read(&o);
		if (!o.why)
			return walk(k, o.starved ? i + 2 : i + 1, t);
	}
	m = walk(k, i + 1, t);
	return m == SHELL_HIT || strchr(w->text, '=') ? m : better(m, walk(k, i + 2, t));
}

static enum shell_match walk(struct walk *k, uint32_t i, unsigned t)
{
	const struct shell_word *w;

	while (t < k->rule->n && k->rule->tokens[t].kind != 'w')
		t++;
	if (t == k->rule->n) {
		if (i > k->end)
			k->end = i;
		return SHELL_HIT;
	}
	if (!k->budget)
		return SHELL_MAYBE;
	k->budget--;
	if (i >= k->p->n_words)
		return k->p->flags & SHELL_APPENDED ? SHELL_MAYBE : SHELL_MISS;
	w = &k->p->words[i];
	if (w->why) {
		bool could = alternative_could(k->rule, &k->rule->tokens[t], w->text, w->known);

		return w->many || may_be_option(w) || could ? SHELL_MAYBE : SHELL_MISS;
	}
	if (w->text[0] == '-' && w->len > 1)
		return walk_option(k, i, t);
	if (!rule_alternative(k->rule, &k->rule->tokens[t], w->text, w->len))
		return SHELL_MISS;
	return walk(k, i + 1, t + 1);
}

static enum shell_match name_match(const struct rule *rule, const struct shell_word *w)
{
	const struct rule_token *t = &rule->tokens[0];
	size_t len;
	const char *name = base_name(w, &len);

	if (!w->why)
		return rule_alternative(rule, t, name, len) ||
				       rule_alternative(rule, t, w->text, w->len)
			       ? SHELL_HIT
			       : SHELL_MISS;
	/* Of what is certain, the last component counts, if it is not complete. */
	name = w->known ? memrchr(w->text, '/', w->known) : NULL;
	name = name ? name + 1 : w->text;
	if (w->many || (size_t)(name - w->text) == w->known)
		return SHELL_MAYBE;
	return alternative_could(rule, t, name, w->known - (size_t)(name - w->text)) ? SHELL_MAYBE
										     : SHELL_MISS;
}

enum shell_match rule_match(const struct rule *rule, const struct shell_part *p)
{
	struct walk k = { .rule = rule, .p = p, .budget = 200, .end = 1 };
	enum shell_match m = SHELL_HIT, all;
	bool writes = rule->tokens[0].kind == '>';
	size_t len;

	if (!p->n_words && !writes)
		return SHELL_MISS;
	if (!writes) {
		const char *name = base_name(&p->words[0], &len);
		const char *row = p->words[0].why ? NULL : known_command(name, len);

		m = name_match(rule, &p->words[0]);
		if (m == SHELL_MISS)
			return m;
		/* Only where the row's options are the program's own. */
		k.row = row && str_starts(row, "git ") ? row + 4 : "";
		if (rule->n > 1) {
			all = walk(&k, 1, 1);
			m = all < m ? all : m;
		}
	}
	for (unsigned i = writes ? 0 : 1; i < rule->n && m != SHELL_MISS; i++) {
		const struct rule_token *t = &rule->tokens[i];

		if (t->kind == 'w')
			continue;
		all = t->kind == '-'   ? has_option(rule, t, p)
		      : t->kind == '=' ? has_operand(rule, t, p, k.end)
				       : has_write(rule, t, p);
		m = all < m ? all : m;
	}
	return m;
}

/* ---- lists -------------------------------------------------------------- */

/* Quickly: may a row that begins so be about a program of that name? */
static bool may_concern(const char *row, const char *name, size_t len)
{
	const char *p = row;

	if (*row == '>' || *row == ':')
		return true;
	for (;;) {
		size_t n = 0;

		while (p[n] && p[n] != '|' && p[n] != ' ')
			n++;
		if (n && (p[n - 1] == '*' || *p == '*' || (n == len && memcmp(p, name, n) == 0)))
			return true;
		if (p[n] != '|')
			return false;
		p += n + 1;
	}
}

static const struct data_list *list_of(enum shell_list list)
{
	switch (list) {
	case SHELL_LIST_DENY:
		return &data_commands_deny;
	case SHELL_LIST_ASK:
		return &data_commands_ask;
	case SHELL_LIST_READONLY:
		return &data_commands_readonly;
	}
	return &data_commands_deny;
}

enum shell_match shell_list_match(enum shell_list list, const struct shell_part *p,
				  struct shell_rule *ret)
{
	const struct data_list *l = list_of(list);
	enum shell_match best = SHELL_MISS;
	const char *name = NULL;
	size_t len = 0;

	if (p->n_words && !p->words[0].why)
		name = base_name(&p->words[0], &len);
	for (size_t i = 0; i < l->n && best != SHELL_HIT; i++) {
		struct rule rule;
		enum shell_match m;

		if (!p->n_words && data_text(l, i)[0] != '>')
			continue;
		if (name && !may_concern(data_text(l, i), name, len))
			continue;
		if (!rule_read(data_text(l, i), &rule))
			continue;
		m = streq(rule.tokens[0].text, ":recursion")
			    ? (p->flags & SHELL_RECURSES ? SHELL_HIT : SHELL_MISS)
			    : rule_match(&rule, p);
		if (m <= best)
			continue;
		best = m;
		*ret = (struct shell_rule){ .text = data_text(l, i),
					    .file = l->file,
					    .line = data_at(l, i).line };
	}
	return best;
}

effects_t shell_classify(const struct shell_part *p)
{
	const struct data_list *l = &data_commands_effects;
	effects_t set = 0;
	const char *name;
	size_t len;

	if (!p->n_words || p->flags & SHELL_TEST)
		return p->blind ? EFFECT_BIT(EFFECT_PROCESS_SPAWN) : 0;
	set = EFFECT_BIT(EFFECT_PROCESS_SPAWN);
	if (p->words[0].why)
		return set;
	name = base_name(&p->words[0], &len);
	for (size_t i = 0; i < l->n; i++) {
		struct rule rule;
		enum effect e;

		if (!may_concern(data_text(l, i), name, len) || !rule_read(data_text(l, i), &rule))
			continue;
		/* What may be of a class is of it: it is the stricter reading. */
		if (rule_match(&rule, p) == SHELL_MISS)
			continue;
		for (unsigned k = 0; k < EFFECT_N; k++) {
			e = (enum effect)k;
			if (streq_fold(data_at(l, i).group, effect_name(e)))
				set |= EFFECT_BIT(e);
		}
	}
	return set;
}
