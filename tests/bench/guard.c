/* SPDX-License-Identifier: Apache-2.0 */
/* guard: what the judgement before a command costs inside, in the processor's time of this
 * thread; the best of many rounds. One line each, for guard.py: name, figure, unit, goal, "least"
 * or "most". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "guard/decide.h"
#include "policy/settings.h"

#define RULES 10000
#define LONG_LINE 200000

static bool once;

static double seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	(void)fprintf(stderr, "guard: %s\n", what);
	exit(125);
}

static void report(const char *name, double figure, const char *unit, double goal, bool at_least)
{
	(void)printf("%s\t%.2f\t%s\t%g\t%s\n", name, figure, unit, goal,
		     at_least ? "least" : "most");
}

/* ---- rules -------------------------------------------------------------- */

/* Effects, prefixes, patterns; with limits and without; of programs by the hundred and of git. */
static void add_rule(struct buf *b, int i)
{
	static const char *const decisions[] = { "allow", "ask", "deny" };
	static const char *const effects[] = { "gitPush", "fileDelete", "networkEgress",
					       "packageInstall" };
	const char *d = decisions[i % 3];

	(void)buf_adds(b, i ? ",\n" : "");
	switch (i % 8) {
	case 0:
		(void)buf_addf(b, "{\"effect\":\"%s\",\"decision\":\"%s\",\"refs\":[\"b%d/*\"]}",
			       effects[(i / 8) % 4], d, i);
		break;
	case 1:
		(void)buf_addf(b, "{\"pattern\":\"tool%d * --flag\",\"decision\":\"%s\"}", i, d);
		break;
	case 2:
		(void)buf_addf(b, "{\"pattern\":\"* name%d\",\"decision\":\"%s\"}", i, d);
		break;
	case 3:
		(void)buf_addf(b, "{\"command\":\"git sub%d\",\"decision\":\"%s\"}", i, d);
		break;
	case 4:
		(void)buf_addf(b, "{\"pattern\":\"npm run s%d:*\",\"decision\":\"%s\"}", i, d);
		break;
	case 5:
		(void)buf_addf(b,
			       "{\"command\":\"x%d\",\"decision\":\"%s\",\"enforcement\":"
			       "\"advisory\"}",
			       i, d);
		break;
	default:
		(void)buf_addf(b, "{\"command\":\"tool%d go\",\"decision\":\"%s\"}", i, d);
	}
}

static struct guard_rules *make_rules(struct settings *s, struct guard_policy *g, int n)
{
	static const enum layer layers[] = { LAYER_USER, LAYER_LOCAL, LAYER_CLI };
	_cleanup_buf_ struct buf b = BUF_INIT(64u << 20);
	struct guard_rules *rules = NULL;
	struct berm_err err = { 0 };

	*s = (struct settings){ .file = strdup("bench"), .trusted = true };
	*g = (struct guard_policy){ .template = TEMPLATE_DEFAULT,
				    .autonomy = AUTONOMY_ASK,
				    .sandbox = true,
				    .auto_allow = true };
	(void)buf_adds(&b, "{\"guard\":{\"rules\":[");
	for (int i = 0; i < n; i++)
		add_rule(&b, i);
	(void)buf_adds(&b, "]}}");
	g->rules = calloc((size_t)n + 1, sizeof(*g->rules));
	if (b.failed || !g->rules || settings_parse(s, b.data, b.len, &err) < 0)
		die(err.msg);
	for (size_t i = 0; i < s->n; i++) {
		s->v[i].rule->layer = layers[i % 3];
		s->v[i].rule->origin = (struct origin){ "bench", s->v[i].line };
		g->rules[g->n_rules++] = s->v[i].rule;
	}
	if (guard_rules_new(g, "/w/p", "/home/u", &rules, &err) < 0)
		die(err.msg);
	return rules;
}

/* Microseconds to read a line, and to judge it. */
static double judge(const struct guard_rules *rules, const struct guard_policy *g, const char *text,
		    bool parse_too, int rounds)
{
	static const char *const roots[] = { "/w/p" };
	struct berm_err err = { 0 };
	double best = 1e9;

	for (int i = 0; i < (once ? 1 : rounds); i++) {
		_cleanup_shell_line_ struct shell_line *line = NULL;
		_cleanup_answer_ struct guard_answer a = { 0 };
		struct guard_call c = {
			.text = text,
			.place = { .cwd = "/w/p", .home = "/home/u", .roots = roots, .n_roots = 1 },
			.host = { .supported = true },
			.now = 1000000,
		};
		double from = seconds(), took;

		if (shell_parse(text, strlen(text), &line, &err) < 0)
			die(err.msg);
		if (!parse_too)
			from = seconds();
		c.line = line;
		if (guard_decide(rules, g, &c, &a, &err) < 0)
			die(err.msg);
		took = seconds() - from;
		best = took < best ? took : best;
	}
	return best * 1e6;
}

static void bench_rules(void)
{
	static const char *const lines[] = { "git push origin main", "npm run build",
					     "tool17 go --flag name42", "rm -r $x/name7 build/*" };
	struct settings s, none;
	struct guard_policy g, bare;
	struct guard_rules *rules = make_rules(&s, &g, RULES), *empty = make_rules(&none, &bare, 0);
	double most = 0;

	report("judging a line",
	       judge(empty, &bare, "git commit -m 'a message' && npm test", true, 2000), "us", 20,
	       false);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		double took = judge(rules, &g, lines[i], false, 500);

		most = took > most ? took : most;
	}
	report("judging, 10,000 rules", most, "us", 200, false);
	guard_rules_free(rules);
	guard_rules_free(empty);
	free(g.rules);
	free(bare.rules);
	settings_free(&s);
	settings_free(&none);
}

/* ---- the parser --------------------------------------------------------- */

static char *repeat(const char *unit, size_t want)
{
	size_t len = strlen(unit);
	char *s = malloc(want + len + 1);
	size_t n = 0;

	if (!s)
		die("out of memory");
	for (; n < want; n += len)
		memcpy(s + n, unit, len + 1);
	return s;
}

static double parse_seconds(const char *s, size_t len)
{
	struct berm_err err = { 0 };
	double best = 1e9;

	for (int i = 0; i < (once ? 1 : 7); i++) {
		_cleanup_shell_line_ struct shell_line *line = NULL;
		double from = seconds(), took;

		if (shell_parse(s, len, &line, &err) < 0)
			die(err.msg);
		took = seconds() - from;
		best = took < best ? took : best;
	}
	return best;
}

static void bench_parser(void)
{
	static const char *const units[] = {
		"echo 'some words in quotes, as scripts have them' \"and $more of them\" plain text\n",
		"a; ",
		"x | ",
		"$(",
		"\\\n",
		"\"",
		"'a'",
		"{a,b}",
		"<<E ",
		"((",
		"if ",
		"`",
		"a=b ",
		"&& ",
		"> f ",
		"$((1+",
		"${a:-",
		"*?[",
		"\n",
	};
	double worst = 0;
	_cleanup_free_ char *text = repeat(units[0], LONG_LINE);

	report("reading a script", (double)LONG_LINE / 1e6 / parse_seconds(text, LONG_LINE), "MB/s",
	       50, true);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		_cleanup_free_ char *s = repeat(units[i], LONG_LINE);
		double half = parse_seconds(s, LONG_LINE / 4), whole = parse_seconds(s, LONG_LINE);

		/* Below that the clock is what is measured. */
		if (whole > 2e-4 && whole / half > worst)
			worst = whole / half;
	}
	report("four times the line", worst, "x", 8, false);
}

/* With "once": each thing is done a single time, for callgrind. */
int main(int argc, char **argv)
{
	once = argc > 1 && streq(argv[1], "once");
	bench_rules();
	bench_parser();
	return 0;
}
