/* SPDX-License-Identifier: Apache-2.0 */
/* Rules are found by one of their words: none that speaks of a command may be missed for it. What
 * each pattern says by itself is the reference. */
#include <string.h>

#include "guard_fixture.h"
#include "prng.h"

#include "base/str.h"
#include "guard/index.h"
#include "policy/pattern.h"

static const char *const words[] = { "git",	     "push",  "npm",	 "run",	  "s1",
				     "s12",	     "build", "a/b",	 "main",  "-f",
				     "--go",	     "x.y",   "my-tool", "*",	  "ma*",
				     "b:*",	     "[a",    "b]*",	 "FOO=1", "env",
				     "/usr/bin/git", "sudo",  "./go",	 "nice",  "\\\\*" };

static struct prng rng = { 4711 };

static const char *any_word(void)
{
	return words[prng_below(&rng, ARRAY_SIZE(words))];
}

/* "a b:*" of up to four words. */
static void random_pattern(struct buf *b)
{
	unsigned n = 1 + prng_below(&rng, 4);

	b->len = 0;
	for (unsigned i = 0; i < n; i++) {
		(void)buf_adds(b, i ? " " : "");
		(void)buf_adds(b, any_word());
	}
	if (prng_below(&rng, 3) == 0)
		(void)buf_adds(b, ":*");
}

/* The same words with what lines have beside: quotes, variables, folders, more letters. */
static void random_line(struct buf *b)
{
	static const char *const more[] = { "'git push'", "$x",	       "x/git",	    "s123",
					    "'a b'",	  "/a/b/main", "timeout 5", "pushed" };
	unsigned n = 1 + prng_below(&rng, 5);

	b->len = 0;
	for (unsigned i = 0; i < n; i++) {
		(void)buf_adds(b, i ? " " : "");
		(void)buf_adds(b, prng_below(&rng, 4) ? any_word()
						      : more[prng_below(&rng, ARRAY_SIZE(more))]);
	}
}

/* A rule of the administrator's among allowing ones, which make words rare or frequent. */
static bool make(struct gp *g, const char *pattern)
{
	_cleanup_free_ char *rule =
		str_printf("{\"pattern\":\"%s\",\"decision\":\"deny\"}", pattern);
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 16), all = BUF_INIT(1u << 16);
	struct shell_pattern *p = NULL;

	if (shell_pattern_new(pattern, SHELL_PATTERN_CLAUDE, &p, NULL) < 0)
		return false;
	shell_pattern_free(p);
	gp_up(g);
	for (int i = 0; i < 30; i++) {
		random_pattern(&b);
		if (shell_pattern_new(b.data, SHELL_PATTERN_CLAUDE, &p, NULL) < 0)
			continue;
		shell_pattern_free(p);
		(void)buf_addf(&all, "%s{\"pattern\":\"%s\",\"decision\":\"allow\"}",
			       all.len ? "," : "", b.data);
	}
	gp_add(g, LAYER_USER, true, all.data);
	gp_add(g, LAYER_MANAGED, true, rule);
	gp_compile(g);
	return true;
}

static void check_parts(struct gp *g, const struct shell_pattern *p, const char *pattern,
			const char *text)
{
	_cleanup_shell_line_ struct shell_line *line = NULL;
	struct berm_err err = { 0 };

	assert_int_equal(shell_parse(text, strlen(text), &line, &err), 0);
	for (size_t i = 0; i < line->n_parts; i++) {
		struct guard_opinion o = { 0 };
		bool says = shell_pattern_match(p, &line->parts[i], SHELL_RESTRICT) != SHELL_MISS;
		bool heard = guard_resolve_command(g->rules, &line->parts[i], NOW, &o) &&
			     o.decision != VERDICT_ALLOW;

		if (says != heard)
			fail_msg("deny \"%s\", line \"%s\": %s", pattern, text,
				 says ? "missed" : "made up");
	}
}

static void check_whole(struct gp *g, const char *pattern, const char *text)
{
	struct guard_opinion o;
	size_t len = strlen(pattern);
	bool prefix = len >= 2 && streq(pattern + len - 2, ":*");
	bool says =
		prefix ? strncmp(pattern, text, len - 2) == 0 : glob_match(pattern, text, false);

	if (says != guard_resolve_whole(g->rules, text, NOW, &o))
		fail_msg("deny \"%s\", all of \"%s\": %s", pattern, text,
			 says ? "missed" : "made up");
}

static void test_none_is_missed(void **state)
{
	_cleanup_buf_ struct buf pattern = BUF_INIT(4096), line = BUF_INIT(4096);

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct shell_pattern *p = NULL;
		struct gp g;
		const char *as_read;

		random_pattern(&pattern);
		if (!make(&g, pattern.data))
			continue;
		/* JSON has its own backslashes. */
		as_read = g.policy.rules[g.policy.n_rules - 1]->pattern;
		assert_int_equal(shell_pattern_new(as_read, SHELL_PATTERN_CLAUDE, &p, NULL), 0);
		for (int k = 0; k < 60; k++) {
			random_line(&line);
			check_parts(&g, p, as_read, line.data);
			check_whole(&g, as_read, line.data);
			/* And one that it is likely to speak of. */
			check_parts(&g, p, as_read, as_read);
			check_whole(&g, as_read, as_read);
		}
		shell_pattern_free(p);
		gp_down(&g);
	}
}

/* More than a set has room for: each rule is asked. */
static void test_very_many(void **state)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16u << 20);
	struct guard_opinion o = { 0 };
	const char *text = "git push";
	_cleanup_shell_line_ struct shell_line *line = NULL;
	struct berm_err err = { 0 };
	struct gp g;

	(void)state;
	gp_up(&g);
	for (unsigned i = 0; i < RULE_SET_MAX; i++)
		(void)buf_addf(&b, "%s{\"command\":\"x%u\",\"decision\":\"allow\"}", i ? "," : "",
			       i);
	gp_add(&g, LAYER_USER, true, b.data);
	gp_add(&g, LAYER_USER, true, "{\"command\":\"git push\",\"decision\":\"deny\"}");
	gp_compile(&g);
	assert_int_equal(shell_parse(text, strlen(text), &line, &err), 0);
	assert_true(guard_resolve_command(g.rules, &line->parts[0], NOW, &o));
	assert_int_equal(o.decision, VERDICT_DENY);
	gp_down(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none_is_missed),
		cmocka_unit_test(test_very_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
