/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/guard.h"

/* ---- names -------------------------------------------------------------- */

static const char *const decisions[] = {
	[VERDICT_ALLOW] = "allow", [VERDICT_DENY] = "deny", [VERDICT_ASK] = "ask"
};
static const char *const enforcements[] = { "hard", "soft", "advisory" };
static const char *const autonomies[] = { "free", "ask", "propose" };
static const char *const template_names[] = { "permissive", "default", "balanced", "strict" };

static int index_of(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(names[i], name))
			return (int)i;
	return -1;
}

const char *guard_decision_name(enum decision d)
{
	return decisions[d];
}

int guard_decision_parse(const char *name)
{
	return index_of(decisions, ARRAY_SIZE(decisions), name);
}

const char *guard_enforcement_name(enum guard_enforcement e)
{
	return enforcements[e];
}

int guard_enforcement_parse(const char *name)
{
	return index_of(enforcements, ARRAY_SIZE(enforcements), name);
}

const char *guard_autonomy_name(enum guard_autonomy a)
{
	return autonomies[a];
}

int guard_autonomy_parse(const char *name)
{
	return index_of(autonomies, ARRAY_SIZE(autonomies), name);
}

const char *guard_template_name(enum guard_template t)
{
	return template_names[t];
}

int guard_template_parse(const char *name)
{
	return index_of(template_names, ARRAY_SIZE(template_names), name);
}

/* ---- rules -------------------------------------------------------------- */

struct guard_rule *guard_rule_new(enum guard_subject subject, enum decision decision)
{
	struct guard_rule *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->subject = subject;
	r->decision = decision;
	r->limits.max_count = r->limits.max_cents = -1;
	return r;
}

void guard_rule_free(struct guard_rule *r)
{
	if (!r)
		return;
	strv_free(&r->words);
	strv_free(&r->limits.paths);
	strv_free(&r->limits.refs);
	strv_free(&r->limits.hosts);
	strv_free(&r->limits.commands);
	free(r->pattern);
	free(r->why);
	free(r);
}

/* ---- words -------------------------------------------------------------- */

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* One word from *at on, without its quotes, into word. */
static int take_word(const char **at, char *word, struct berm_err *err)
{
	const char *p = *at;
	char quote = 0;

	for (; *p && (quote || !blank(*p)); p++) {
		if (*p == quote)
			quote = 0;
		else if (!quote && (*p == '"' || *p == '\''))
			quote = *p;
		else
			*word++ = *p;
	}
	*word = 0;
	*at = p;
	return quote ? err_set(err, -EINVAL, "a quote is not closed") : 0;
}

int guard_words_parse(const char *text, struct strv *ret, struct berm_err *err)
{
	_cleanup_free_ char *word = malloc(strlen(text) + 1);
	_cleanup_strv_ struct strv words = { 0 };

	if (!word)
		return err_set(err, -ENOMEM, "out of memory");
	for (;;) {
		while (blank(*text))
			text++;
		if (!*text)
			break;
		if (take_word(&text, word, err) < 0)
			return -EINVAL;
		if (strv_add(&words, word) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	if (!words.n || !words.v[0][0])
		return err_set(err, -EINVAL, "a command needs a word");
	*ret = words;
	words = (struct strv){ 0 };
	return 0;
}

/* ---- text --------------------------------------------------------------- */

/* A word as guard_words_parse() reads it back, where quotes can say it. */
static void add_word(struct buf *out, const char *w)
{
	const char *quote = strchr(w, '"') ? "'" : "\"";

	if (*w && !strpbrk(w, " \t\"'"))
		quote = "";
	buf_addf(out, "%s%s%s", quote, w, quote);
}

static void add_list(struct buf *out, const char *name, const struct strv *l)
{
	for (size_t i = 0; i < l->n; i++)
		buf_addf(out, "%s%s", i ? "," : name, l->v[i]);
}

int guard_rule_text(const struct guard_rule *r, struct buf *out)
{
	buf_addf(out, "%s ", decisions[r->decision]);
	switch (r->subject) {
	case GUARD_EFFECT:
		buf_adds(out, effect_name(r->effect));
		break;
	case GUARD_PREFIX:
		buf_adds(out, "command");
		for (size_t i = 0; i < r->words.n; i++) {
			buf_adds(out, " ");
			add_word(out, r->words.v[i]);
		}
		break;
	case GUARD_PATTERN:
		buf_addf(out, "Bash(%s)", r->pattern);
		break;
	}
	add_list(out, " paths=", &r->limits.paths);
	add_list(out, " refs=", &r->limits.refs);
	add_list(out, " hosts=", &r->limits.hosts);
	add_list(out, " commands=", &r->limits.commands);
	if (r->limits.max_count >= 0)
		buf_addf(out, " max-count=%lld", (long long)r->limits.max_count);
	if (r->limits.max_cents >= 0)
		buf_addf(out, " max-cents=%lld", (long long)r->limits.max_cents);
	if (r->enforcement != GUARD_HARD)
		buf_addf(out, " (%s)", enforcements[r->enforcement]);
	return out->failed ? -ENOMEM : 0;
}
