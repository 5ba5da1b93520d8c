/* SPDX-License-Identifier: Apache-2.0 */
/* The network's policy as text: what the steward gives the broker. One line each, fields
 * between tabs; bytes that would end a field are written as %XX. */
#include "policy/net.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "berm-net 1"
#define TEXT_MAX (4u << 20)
#define RULES_MAX 65536
#define RULE_FIELDS 7

static const char *const modes[] = { "off", "allow", "open" };
static const char *const decisions[] = { "allow", "deny", "ask" };

/* ---- writing ------------------------------------------------------------ */

static void field(struct buf *out, const char *s)
{
	buf_adds(out, "\t");
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == '%' || c == 0x7f)
			buf_addf(out, "%%%02x", c);
		else
			buf_add(out, s, 1);
	}
}

int net_policy_write(const struct net_policy *p, struct buf *out)
{
	char pattern[HOST_PATTERN_TEXT];

	buf_addf(out, MAGIC "\nmode\t%s\ndefault\t%s\nmanaged-only\t%d\n", modes[p->mode],
		 decisions[p->fallback], p->managed_only);
	for (size_t i = 0; i < p->n_rules; i++) {
		const struct net_rule *r = &p->rules[i];

		buf_addf(out, "rule\t%s\t%u\t%s%s\t%u", decisions[r->decision], r->layer,
			 r->fixed ? "f" : "-", r->only_asks ? "a" : "-", r->origin.line);
		host_pattern_text(&r->pat, pattern, sizeof(pattern));
		field(out, pattern);
		field(out, r->origin.file);
		field(out, r->text);
		buf_adds(out, "\n");
	}
	buf_adds(out, "end\n");
	return out->failed ? -ENOMEM : 0;
}

/* ---- reading ------------------------------------------------------------ */

struct reader {
	char *at;
	unsigned line;
	struct net_policy *p;
	size_t cap;
	struct berm_err *err;
};

static int bad(struct reader *r, const char *what)
{
	return err_set(r->err, -EINVAL, "network policy, line %u: %s", r->line, what);
}

static char *next_line(struct reader *r)
{
	char *line = r->at, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	r->at = end + 1;
	r->line++;
	return line;
}

static char *next_field(char **line)
{
	char *f = *line, *tab;

	if (!f)
		return NULL;
	tab = strchr(f, '\t');
	if (tab)
		*tab++ = '\0';
	*line = tab;
	return f;
}

static int word(const char *const *words, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++)
		if (streq(words[i], s))
			return (int)i;
	return -EINVAL;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place; -EINVAL when something else than "%" and two digits stands there, or a zero. */
static int unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '%') {
			int high = hex(s[1]), low = high < 0 ? -1 : hex(s[2]);

			if (low < 0 || high + low == 0)
				return -EINVAL;
			*to++ = (char)(high << 4 | low);
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
	return 0;
}

static int small_number(const char *s, unsigned max, unsigned *ret)
{
	uint64_t n = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		n = n * 10 + (unsigned)(*s - '0');
		if (n > max)
			return -EINVAL;
	}
	*ret = (unsigned)n;
	return 0;
}

static int reserve(struct reader *r)
{
	struct net_policy *p = r->p;
	size_t cap = r->cap ? 2 * r->cap : 64;
	struct net_rule *v;

	if (p->n_rules < r->cap)
		return 0;
	v = p->n_rules >= RULES_MAX ? NULL : reallocarray(p->rules, cap, sizeof(*v));
	if (!v)
		return -ENOMEM;
	p->rules = v;
	r->cap = cap;
	return 0;
}

static int take_rule(struct reader *r, char *rest)
{
	struct net_policy *p = r->p;
	struct net_rule rule = { 0 };
	char *f[RULE_FIELDS];
	unsigned layer;
	int decision;

	for (size_t i = 0; i < RULE_FIELDS; i++) {
		f[i] = next_field(&rest);
		if (!f[i])
			return bad(r, "too few fields");
	}
	decision = word(decisions, ARRAY_SIZE(decisions), f[0]);
	if (rest || decision < 0 || small_number(f[1], LAYER_COUNT - 1, &layer) < 0 ||
	    strlen(f[2]) != 2 || !strchr("f-", f[2][0]) || !strchr("a-", f[2][1]) ||
	    small_number(f[3], UINT32_MAX, &rule.origin.line) < 0)
		return bad(r, "a field is not what it must be");
	if (unescape(f[4]) < 0 || unescape(f[5]) < 0 || unescape(f[6]) < 0)
		return bad(r, "a bad escape");
	if (host_pattern_parse(f[4], true, &rule.pat, r->err) < 0)
		return err_prefix(r->err, "network policy, line %u", r->line);
	rule.decision = (enum decision)decision;
	rule.layer = (enum layer)layer;
	rule.fixed = f[2][0] == 'f';
	rule.only_asks = f[2][1] == 'a';
	/* Both lie in the copy of the text, which the policy keeps. */
	rule.origin.file = f[5];
	rule.text = f[6];
	if (reserve(r) < 0)
		return err_set(r->err, -ENOMEM, "out of memory");
	p->rules[p->n_rules++] = rule;
	return 0;
}

/* The three lines in front of the rules. */
static int take_head(struct reader *r)
{
	static const char *const keys[] = { "mode", "default", "managed-only" };
	static const char *const yes_no[] = { "0", "1" };
	int v[ARRAY_SIZE(keys)] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char *line = next_line(r), *key = next_field(&line);

		if (!key || !line || !streq(key, keys[i]))
			return bad(r, "a setting is missing");
		v[i] = i == 0	? word(modes, ARRAY_SIZE(modes), line)
		       : i == 1 ? word(decisions, ARRAY_SIZE(decisions), line)
				: word(yes_no, ARRAY_SIZE(yes_no), line);
		if (v[i] < 0)
			return bad(r, "a setting has no such value");
	}
	/* Hosts without a rule are never simply allowed: that is mode open. */
	if (v[1] == VERDICT_ALLOW)
		return bad(r, "a setting has no such value");
	r->p->mode = (enum net_mode)v[0];
	r->p->fallback = (enum decision)v[1];
	r->p->managed_only = v[2];
	return 0;
}

static int take_all(struct reader *r)
{
	char *line = next_line(r);
	int rc;

	if (!line || !streq(line, MAGIC))
		return bad(r, "not a policy of this version");
	rc = take_head(r);
	while (rc >= 0) {
		char *key;

		line = next_line(r);
		if (!line)
			return bad(r, "cut off");
		if (streq(line, "end"))
			return *r->at ? bad(r, "something follows the end") : 0;
		key = next_field(&line);
		rc = streq(key, "rule") ? take_rule(r, line) : bad(r, "an unknown line");
	}
	return rc;
}

static void policy_freep(struct net_policy **p)
{
	net_policy_free(*p);
}

int net_policy_read(const char *text, size_t len, struct net_policy **ret, struct berm_err *err)
{
	_cleanup_(policy_freep) struct net_policy *p = NULL;
	struct reader r = { .err = err };
	int rc;

	if (len > TEXT_MAX || memchr(text, '\0', len))
		return err_set(err, -EINVAL, "network policy: too long, or not text");
	p = calloc(1, sizeof(*p));
	if (p)
		p->arena = strndup(text, len);
	if (!p || !p->arena)
		return err_set(err, -ENOMEM, "out of memory");
	r.at = p->arena;
	r.p = p;
	rc = take_all(&r);
	if (rc < 0)
		return rc;
	*ret = take_ptr(p);
	return 0;
}

void net_policy_free(struct net_policy *p)
{
	if (!p)
		return;
	free(p->rules);
	free(p->arena);
	free(p);
}
