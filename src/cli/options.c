/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <string.h>

#include "base/str.h"

#define HELP_COLUMN 28
#define MEANT_MAX 3 /* edits between a typo and what was meant */

static const struct opt_def *find_long(const struct opt_table *t, const char *name, size_t len)
{
	for (size_t i = 0; i < t->n; i++) {
		const char *n = t->defs[i].name;

		if (n && strlen(n) == len && memcmp(n, name, len) == 0)
			return &t->defs[i];
	}
	return NULL;
}

static const struct opt_def *find_short(const struct opt_table *t, char letter)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->defs[i].name && t->defs[i].letter == letter)
			return &t->defs[i];
	return NULL;
}

static int unknown_long(const struct opt_table *t, const char *name, size_t len,
			struct berm_err *err)
{
	unsigned best = MEANT_MAX + 1;
	const char *meant = NULL;
	char given[64];
	int r;

	(void)snprintf(given, sizeof(given), "%.*s", (int)(len < 63 ? len : 63), name);
	for (size_t i = 0; i < t->n; i++) {
		unsigned d;

		if (!t->defs[i].name || !t->defs[i].help)
			continue;
		d = str_distance(given, t->defs[i].name, MEANT_MAX);
		/* "--frob" is three edits from many a short name: not a typo of it. */
		if (d < best && d * 2 < strlen(t->defs[i].name)) {
			best = d;
			meant = t->defs[i].name;
		}
	}
	r = err_set(err, -EINVAL, "unknown option --%s", given);
	if (meant)
		err_fix(err, "did you mean --%s?", meant);
	else
		err_fix(err, "--help lists the options");
	return r;
}

struct parser {
	const struct opt_table *table;
	void *ctx;
	int argc, at;
	char **argv;
	bool help;
};

/* Takes the value of def: inline_value, or else the next argument. */
static int take(struct parser *p, const struct opt_def *def, const char *inline_value,
		const char *shown, struct berm_err *err)
{
	const char *value = inline_value;
	int r;

	if (!def->arg && inline_value)
		return err_set(err, -EINVAL, "%s takes no value", shown);
	if (def->arg && !value) {
		if (p->at + 1 >= p->argc) {
			r = err_set(err, -EINVAL, "%s needs a value", shown);
			err_fix(err, "write %s %s", shown, def->arg);
			return r;
		}
		value = p->argv[++p->at];
	}
	return def->set(p->ctx, def, value, err);
}

static int parse_long(struct parser *p, const char *text, struct berm_err *err)
{
	const char *eq = strchr(text, '=');
	size_t len = eq ? (size_t)(eq - text) : strlen(text);
	const struct opt_def *def;
	char shown[68];

	if (len == 4 && memcmp(text, "help", 4) == 0 && !eq) {
		p->help = true;
		return 0;
	}
	def = find_long(p->table, text, len);
	if (!def)
		return unknown_long(p->table, text, len, err);
	(void)snprintf(shown, sizeof(shown), "--%s", def->name);
	return take(p, def, eq ? eq + 1 : NULL, shown, err);
}

static int parse_short(struct parser *p, const char *text, struct berm_err *err)
{
	const struct opt_def *def;
	char shown[3] = { '-', text[0], '\0' };
	int r;

	if (streq(text, "h")) {
		p->help = true;
		return 0;
	}
	def = find_short(p->table, text[0]);
	if (!def) {
		r = err_set(err, -EINVAL, "unknown option -%s", text);
		err_fix(err, "--help lists the options");
		return r;
	}
	if (!def->arg && text[1]) {
		r = err_set(err, -EINVAL, "unknown option -%s", text);
		err_fix(err, "write short options one by one: -%c -%c", text[0], text[1]);
		return r;
	}
	return take(p, def, text[1] ? text + 1 : NULL, shown, err);
}

int opts_parse(const struct opt_table *t, void *ctx, int argc, char **argv, bool stop,
	       struct opt_result *ret, struct berm_err *err)
{
	struct parser p = { .table = t, .ctx = ctx, .argc = argc, .argv = argv };
	_cleanup_free_ char **operands = calloc((size_t)argc + 1, sizeof(*operands));
	int n = 0, r;

	if (!operands)
		return err_set(err, -ENOMEM, "out of memory");
	for (p.at = 1; p.at < argc && !p.help; p.at++) {
		const char *a = argv[p.at];

		if (streq(a, "--")) {
			p.at++;
			break;
		}
		if (a[0] != '-' || !a[1]) {
			if (stop)
				break;
			operands[n++] = argv[p.at];
			continue;
		}
		r = a[1] == '-' ? parse_long(&p, a + 2, err) : parse_short(&p, a + 1, err);
		if (r < 0)
			return r;
	}
	/* Everything before p.at has been used up, so there is room for n operands. */
	for (int i = n; i > 0; i--)
		argv[p.at - (n - i) - 1] = operands[i - 1];
	*ret = (struct opt_result){ .first = p.at - n, .help = p.help };
	return 0;
}

void opts_help(const struct opt_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct opt_def *d = &t->defs[i];
		char left[80];
		int n;

		if (!d->help)
			continue;
		if (!d->name) {
			(void)printf("%s\n", d->help);
			continue;
		}
		n = snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", d->letter ? '-' : ' ',
			     d->letter ? d->letter : ' ', d->letter ? ',' : ' ', d->name,
			     d->arg ? " " : "", d->arg ? d->arg : "");
		if (n > HELP_COLUMN - 1)
			(void)printf("%s  %s\n", left, d->help);
		else
			(void)printf("%-*s%s\n", HELP_COLUMN, left, d->help);
	}
	(void)printf("%-*s%s\n", HELP_COLUMN, "  -h, --help", "print this");
}
