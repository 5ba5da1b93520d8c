/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of rules that people write: berm's, Claude Code's and Codex's, over one part. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"
#include "shell/rule.h"

#define PATTERN_MAX 4096
#define JOINED_MAX (64u << 10)

enum kind {
	KIND_WORDS,  /* a rule: see rule.h */
	KIND_EXACT,  /* the whole command */
	KIND_PREFIX, /* begins with text: "npm run:*" */
	KIND_GLOB,   /* "git * main" */
};

struct shell_pattern {
	enum kind kind;
	struct rule rule; /* n 0: the text cannot be one */
	size_t len, weight;
	char *text; /* what rule points into, or the glob */
	char *words;
};

void shell_pattern_free(struct shell_pattern *p)
{
	if (!p)
		return;
	free(p->text);
	free(p->words);
	free(p);
}

size_t shell_pattern_weight(const struct shell_pattern *p)
{
	return p->weight;
}

/* The words of a prefix as a rule of their own, where nothing in them is special there. */
static void words_of(struct shell_pattern *p, size_t len)
{
	p->words = strndup(p->text, len);
	if (!p->words)
		return;
	if (strpbrk(p->words, "|*\\\"'$`<>&;(){}") || !rule_read(p->words, &p->rule))
		p->rule.n = 0;
	/* An option that is written must be there, in its place or another. */
	for (unsigned i = 0; i < p->rule.n; i++)
		if (p->rule.tokens[i].kind != 'w' && p->rule.tokens[i].kind != '-')
			p->rule.n = 0;
	/* Berm's mark for "anything may follow" has no place inside. */
	p->rule.sep = '\n';
}

static int claude_new(struct shell_pattern *p, struct berm_err *err)
{
	p->kind = KIND_EXACT;
	if (str_ends(p->text, ":*")) {
		p->kind = KIND_PREFIX;
		p->len -= 2;
		p->text[p->len] = '\0';
		if (strchr(p->text, '*'))
			return err_set(err, -EINVAL,
				       "the command pattern \"%s:*\" has a * before its end",
				       p->text);
	} else if (strchr(p->text, '*')) {
		p->kind = KIND_GLOB;
	}
	for (size_t i = 0; i < p->len; i++)
		p->weight += p->text[i] != '*' && p->text[i] != '\\';
	/* "git push *" is "git push:*" */
	if (p->kind == KIND_GLOB && str_ends(p->text, " *") && !memchr(p->text, '*', p->len - 1) &&
	    !strchr(p->text, '\\')) {
		p->kind = KIND_PREFIX;
		p->len -= 2;
		p->text[p->len] = '\0';
	}
	if (p->kind != KIND_GLOB)
		words_of(p, p->len);
	return 0;
}

int shell_pattern_new(const char *text, enum shell_syntax syntax, struct shell_pattern **ret,
		      struct berm_err *err)
{
	struct shell_pattern *p;
	size_t from = strspn(text, " \t"), len = strlen(text);
	int e = 0;

	while (len > from && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	if (len == from)
		return err_set(err, -EINVAL, "the command pattern is empty");
	if (len > PATTERN_MAX)
		return err_set(err, -EINVAL, "the command pattern is longer than %d bytes",
			       PATTERN_MAX);
	p = calloc(1, sizeof(*p));
	if (p)
		p->text = strndup(text + from, len - from);
	if (!p || !p->text) {
		shell_pattern_free(p);
		return err_set(err, -ENOMEM, "reading a command pattern: out of memory");
	}
	p->len = len - from;
	if (syntax == SHELL_PATTERN_CLAUDE) {
		e = claude_new(p, err);
	} else {
		for (char *s = p->text; *s; s++)
			*s = *s == '\t' ? ' ' : *s;
		p->kind = KIND_WORDS;
		if (!rule_read(p->text, &p->rule))
			e = err_set(err, -EINVAL,
				    "the command pattern \"%s\" has more than %d words", p->text,
				    RULE_TOKENS);
		else if (p->rule.tokens[0].kind == '-' || p->rule.tokens[0].kind == '=')
			e = err_set(err, -EINVAL, "the command pattern \"%s\" names no program",
				    p->text);
		p->weight = p->rule.n;
	}
	if (e < 0) {
		shell_pattern_free(p);
		return e;
	}
	*ret = p;
	return 0;
}

int shell_pattern_prefix(const char *const *const *places, size_t n, struct shell_pattern **ret,
			 struct berm_err *err)
{
	_cleanup_buf_ struct buf b = BUF_INIT(PATTERN_MAX);
	size_t starts[RULE_TOKENS + 1];
	struct shell_pattern *p;

	if (!n || n > RULE_TOKENS)
		return err_set(err, -EINVAL, "a prefix rule has %zu words, 1 to %d can be read", n,
			       RULE_TOKENS);
	for (size_t i = 0; i < n; i++) {
		starts[i] = b.len;
		for (size_t k = 0; places[i][k]; k++) {
			if (strchr(places[i][k], '\n'))
				return err_set(err, -EINVAL,
					       "a word of a prefix rule has a line break");
			(void)buf_adds(&b, k ? "\n" : "");
			/* No globs in these. */
			for (const char *s = places[i][k]; *s; s++) {
				(void)buf_adds(&b, *s == '*' || *s == '\\' ? "\\" : "");
				(void)buf_add(&b, s, 1);
			}
		}
	}
	starts[n] = b.len;
	if (b.failed)
		return err_set(err, -EINVAL, "a prefix rule is too long");
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(err, -ENOMEM, "reading a prefix rule: out of memory");
	p->text = b.data ? take_ptr(b.data) : strdup("");
	if (!p->text) {
		shell_pattern_free(p);
		return err_set(err, -ENOMEM, "reading a prefix rule: out of memory");
	}
	p->kind = KIND_WORDS;
	p->rule.sep = '\n';
	p->rule.n = (unsigned)n;
	for (size_t i = 0; i < n; i++)
		p->rule.tokens[i] = (struct rule_token){
			.kind = i && p->text[starts[i]] == '-' ? '-' : 'w',
			.text = p->text + starts[i],
			.len = starts[i + 1] - starts[i],
		};
	p->weight = n;
	*ret = p;
	return 0;
}

/* ---- to permit ---------------------------------------------------------- */

/* Where a name on PATH is found on every system. */
static bool usual_folder(const struct shell_word *w)
{
	static const char *const folders[] = { "/bin/",		  "/usr/bin/",
					       "/sbin/",	  "/usr/sbin/",
					       "/usr/local/bin/", "/opt/homebrew/bin/",
					       "/usr/local/sbin/" };
	size_t len;
	const char *name = base_name(w, &len);

	if (name == w->text)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (strlen(folders[i]) == (size_t)(name - w->text) &&
		    str_starts(w->text, folders[i]))
			return true;
	return false;
}

/* Words that are certain and are those of the rule, in order, from the first on. */
static bool permits_words(const struct rule *rule, const struct shell_part *p)
{
	if (p->n_words < rule->n)
		return false;
	for (unsigned i = 0; i < rule->n; i++) {
		const struct shell_word *w = &p->words[i];
		const char *s = w->text;
		size_t len = w->len;

		/* The marks of kinds are no part of the text. */
		if (w->why || rule->tokens[i].kind == '>' || rule->tokens[i].kind == '=')
			return false;
		if (rule_alternative(rule, &rule->tokens[i], s, len))
			continue;
		if (i || !usual_folder(w))
			return false;
		s = base_name(w, &len);
		if (!rule_alternative(rule, &rule->tokens[i], s, len))
			return false;
	}
	return true;
}

/* ---- texts -------------------------------------------------------------- */

/* The words with one blank between them, the first with or without its folder. Returns how
 * much of it is certain. */
static size_t join(struct buf *b, const struct shell_word *w, uint32_t n, bool folder)
{
	size_t known = SIZE_MAX;

	b->len = 0;
	for (uint32_t i = 0; i < n; i++) {
		const char *s = w[i].text;
		size_t len = w[i].len;

		if (!i && !folder && !w[i].why)
			s = base_name(w, &len);
		(void)buf_add(b, " ", i ? 1 : 0);
		if (w[i].why && known == SIZE_MAX)
			known = b->len + (w[i].many ? 0 : w[i].known);
		(void)buf_add(b, s, len);
	}
	return known == SIZE_MAX ? b->len : known;
}

static bool text_hit(const struct shell_pattern *p, const char *s, size_t len, bool strict)
{
	if (p->kind == KIND_EXACT)
		return len == p->len && memcmp(s, p->text, len) == 0;
	if (p->kind == KIND_GLOB)
		return star_match(p->text, p->len, s, len);
	if (len < p->len || memcmp(s, p->text, p->len) != 0)
		return false;
	/* A word ends there; a rule that restricts is not that exact. */
	return !strict || len == p->len || s[p->len] == ' ';
}

/* Could it match, given that only known bytes are certain? */
static bool text_could(const struct shell_pattern *p, const char *s, size_t known)
{
	size_t n = known < p->len ? known : p->len;

	if (p->kind == KIND_GLOB)
		return star_could(p->text, p->len, s, known);
	if (p->kind == KIND_EXACT && known > p->len)
		return false;
	return memcmp(s, p->text, n) == 0;
}

void shell_texts_free(struct shell_texts *t)
{
	for (unsigned i = 0; i < ARRAY_SIZE(t->v); i++)
		buf_free(&t->v[i]);
}

static void text_add(struct shell_texts *t, const struct shell_word *w, uint32_t n, bool folder)
{
	unsigned i = t->n++;

	t->v[i] = (struct buf)BUF_INIT(JOINED_MAX);
	t->known[i] = join(&t->v[i], w, n, folder);
}

/* As its words are and as they are written, with the program's folder and without: those of them
 * that differ. */
static void texts_make(struct shell_texts *t, const struct shell_part *part)
{
	const struct shell_word *lists[] = { part->words, part->full };
	const uint32_t n[] = { part->n_words, part->n_full };

	t->made = true;
	for (unsigned i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!n[i] || (i && lists[0] == lists[1] && n[0] == n[1]))
			continue;
		text_add(t, lists[i], n[i], true);
		if (!lists[i]->why && memchr(lists[i]->text, '/', lists[i]->len))
			text_add(t, lists[i], n[i], false);
	}
}

static enum shell_match texts_match(const struct shell_pattern *p, const struct shell_part *part,
				    struct shell_texts *t)
{
	enum shell_match best = SHELL_MISS;

	if (!t->made)
		texts_make(t, part);
	for (unsigned i = 0; i < t->n && best != SHELL_HIT; i++) {
		const struct buf *b = &t->v[i];

		if (b->failed)
			return SHELL_MAYBE;
		if (text_hit(p, b->data, b->len, false))
			best = SHELL_HIT;
		else if ((t->known[i] < b->len || part->flags & SHELL_APPENDED) &&
			 text_could(p, b->data, t->known[i]))
			best = SHELL_MAYBE;
	}
	return best;
}

/* NAME=VALUE in front, when the pattern has them as well. */
static enum shell_match assigned_match(const struct shell_pattern *p, const struct shell_part *part,
				       bool strict)
{
	_cleanup_buf_ struct buf b = BUF_INIT(JOINED_MAX), cmd = BUF_INIT(JOINED_MAX);

	if (!part->n_assigns || !memchr(p->text, '=', strcspn(p->text, " ")))
		return SHELL_MISS;
	(void)join(&b, part->assigns, part->n_assigns, true);
	(void)join(&cmd, part->full, part->n_full, true);
	(void)buf_adds(&b, " ");
	(void)buf_add(&b, cmd.data ? cmd.data : "", cmd.len);
	if (b.failed || cmd.failed)
		return SHELL_MISS;
	return text_hit(p, b.data, b.len, strict) ? SHELL_HIT : SHELL_MISS;
}

/* ---- both ways ---------------------------------------------------------- */

static enum shell_match permit(const struct shell_pattern *p, const struct shell_part *part)
{
	const uint32_t names = SHELL_WHY_GLOB | SHELL_WHY_TILDE;
	_cleanup_buf_ struct buf b = BUF_INIT(JOINED_MAX);

	if (!part->n_words || part->blind || part->why & ~names || part->flags & SHELL_APPENDED)
		return SHELL_MISS;
	if (p->kind == KIND_WORDS)
		return permits_words(&p->rule, part) ? SHELL_HIT : SHELL_MISS;
	/* A text of words has lost where they end. */
	for (uint32_t i = 0; i < part->n_words; i++)
		if (!part->words[i].len || (p->kind != KIND_PREFIX && part->words[i].quoted &&
					    strpbrk(part->words[i].text, " \t\n")))
			return SHELL_MISS;
	if (!strchr(p->text, '/') && !usual_folder(&part->words[0]))
		return SHELL_MISS;
	if (p->kind == KIND_PREFIX && p->rule.n)
		return permits_words(&p->rule, part) ? SHELL_HIT : SHELL_MISS;
	(void)join(&b, part->words, part->n_words, strchr(p->text, '/') != NULL);
	if (b.failed)
		return SHELL_MISS;
	return text_hit(p, b.data, b.len, true) ? SHELL_HIT : assigned_match(p, part, true);
}

enum shell_match shell_pattern_match_texts(const struct shell_pattern *p,
					   const struct shell_part *part, enum shell_aim aim,
					   struct shell_texts *t)
{
	struct shell_part whole = *part;
	enum shell_match m = SHELL_MISS, other;

	if (aim == SHELL_PERMIT)
		return permit(p, part);
	if (p->rule.n && p->kind != KIND_EXACT) {
		m = rule_match(&p->rule, part);
		whole.words = part->full;
		whole.n_words = part->n_full;
		if (m != SHELL_HIT && part->n_wrappers) {
			other = rule_match(&p->rule, &whole);
			m = other > m ? other : m;
		}
	}
	if (p->kind == KIND_WORDS || m == SHELL_HIT)
		return m;
	other = texts_match(p, part, t);
	m = other > m ? other : m;
	other = assigned_match(p, part, false);
	return other > m ? other : m;
}

enum shell_match shell_pattern_match(const struct shell_pattern *p, const struct shell_part *part,
				     enum shell_aim aim)
{
	_cleanup_shell_texts_ struct shell_texts t = { 0 };

	return shell_pattern_match_texts(p, part, aim, &t);
}

enum shell_match shell_command_match(const struct shell_part *part, const char *pattern,
				     enum shell_aim aim)
{
	struct shell_pattern *p = NULL;
	enum shell_match m;

	if (shell_pattern_new(pattern, SHELL_PATTERN_BERM, &p, NULL) < 0 || !p)
		return aim == SHELL_PERMIT ? SHELL_MISS : SHELL_MAYBE;
	m = shell_pattern_match(p, part, aim);
	shell_pattern_free(p);
	return m;
}

/* ---- C6 ----------------------------------------------------------------- */

static const char *kept_inside(const struct shell_part *p)
{
	if (p->blind || p->why & ~(uint32_t)(SHELL_WHY_GLOB | SHELL_WHY_TILDE))
		return "a part of it is not certain";
	if (p->flags & (SHELL_HAS_SUBST | SHELL_HAS_HEREDOC))
		return "it holds a substitution or a here-document";
	if (p->flags & SHELL_HAS_FILE)
		return "it holds a redirection of a file";
	if (p->flags & SHELL_BACKGROUND)
		return "a part of it goes on in the background";
	if (!p->n_words)
		return "a part of it is no command";
	return NULL;
}

bool shell_excluded(const struct shell_line *line, struct shell_pattern *const *patterns,
		    size_t n_patterns, const char **ret_reason)
{
	*ret_reason = line->n_parts ? "each part of it is excluded" : "it holds no command";
	if (line->flags & (SHELL_HAS_SUBST | SHELL_HAS_HEREDOC)) {
		*ret_reason = "it holds a substitution or a here-document";
		return false;
	}
	for (size_t i = 0; i < line->n_parts; i++) {
		const struct shell_part *p = &line->parts[i];
		const char *why = kept_inside(p);
		size_t k = 0;

		if (why) {
			*ret_reason = why;
			return false;
		}
		while (k < n_patterns &&
		       shell_pattern_match(patterns[k], p, SHELL_PERMIT) != SHELL_HIT)
			k++;
		if (k == n_patterns) {
			*ret_reason = "a part of it matches no excluded command";
			return false;
		}
	}
	return line->n_parts > 0;
}
