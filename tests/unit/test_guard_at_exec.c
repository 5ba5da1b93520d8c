/* SPDX-License-Identifier: Apache-2.0 */
/* Rules where a program starts: a table of rules, arguments and what comes of them. */
#include "guard_fixture.h"

#include <string.h>

#include "base/str.h"
#include "guard/at_exec.h"

#define D VERDICT_DENY
#define A VERDICT_ALLOW
#define Q VERDICT_ASK

static const struct row {
	const char *rules; /* gp_add_text(), up to three, divided by "|" */
	const char *argv;  /* words, divided by blanks */
	enum decision want;
	bool more;
} rows[] = {
	/* Nobody wrote a rule: lists and defaults have no say. */
	{ "", "/usr/bin/sudo x", A, false },
	{ "", "/usr/bin/git push origin main", A, false },
	{ "user: {\"command\": \"git pull\", \"decision\": \"deny\"}", "/usr/bin/sudo x", A,
	  false },
	/* By name, whatever the folder, and behind wrappers. */
	{ "user: {\"command\": \"git push\", \"decision\": \"deny\"}", "/usr/bin/git push", D,
	  false },
	{ "user: {\"command\": \"git push\", \"decision\": \"deny\"}", "./git -C x push", D,
	  false },
	{ "user: {\"command\": \"git push\", \"decision\": \"deny\"}", "/usr/bin/git pull", A,
	  false },
	{ "user: {\"command\": \"git push\", \"decision\": \"deny\"}",
	  "/usr/bin/timeout 5 git push", D, false },
	/* A shell's own text is not judged: what it starts is. */
	{ "user: {\"command\": \"git push\", \"decision\": \"deny\"}", "/bin/sh -c git;push", A,
	  false },
	{ "user: {\"command\": \"sh -c\", \"decision\": \"ask\"}", "/bin/sh -c true", Q, false },
	/* By effect. */
	{ "user: {\"effect\": \"packageInstall\", \"decision\": \"ask\"}", "/usr/bin/npm install x",
	  Q, false },
	{ "user: {\"effect\": \"packageInstall\", \"decision\": \"ask\"}", "/usr/bin/npm test", A,
	  false },
	{ "user: {\"effect\": \"gitPush\", \"decision\": \"deny\", \"refs\": [\"main\"]}",
	  "/usr/bin/git push origin main", D, false },
	{ "user: {\"effect\": \"gitPush\", \"decision\": \"deny\", \"refs\": [\"main\"]}",
	  "/usr/bin/git push origin feature", A, false },
	/* A stronger scope allows; a managed rule only tightens. */
	{ "user: {\"command\": \"git push\", \"decision\": \"deny\"}|"
	  "cli: {\"command\": \"git push\", \"decision\": \"allow\"}",
	  "/usr/bin/git push", A, false },
	{ "managed: {\"command\": \"git push\", \"decision\": \"deny\"}|"
	  "cli: {\"command\": \"git push\", \"decision\": \"allow\"}",
	  "/usr/bin/git push", D, false },
	/* What was not looked at may be what is meant. */
	{ "user: {\"command\": \"git push --force\", \"decision\": \"deny\"}", "/usr/bin/git push",
	  A, false },
	{ "user: {\"command\": \"git push --force\", \"decision\": \"deny\"}", "/usr/bin/git push",
	  Q, true },
	/* The dial. */
	{ "user: {\"autonomy\":\"free\"}|user: {\"command\": \"make\", \"decision\": \"ask\"}",
	  "/usr/bin/make", A, false },
	{ "user: {\"autonomy\":\"propose\"}|user: {\"command\": \"make\", \"decision\": \"ask\"}",
	  "/usr/bin/make", D, false },
	{ "user: {\"command\": \"make\", \"decision\": \"deny\", \"enforcement\": \"advisory\"}",
	  "/usr/bin/make", A, false },
	{ "user: {\"command\": \"make\", \"decision\": \"deny\", \"expires\": \"1970-01-02T00:00:00Z\"}",
	  "/usr/bin/make", A, false },
};

static size_t split(char *text, char by, const char **v, size_t max)
{
	size_t n = 0;

	for (char *p = text; p && *p && n < max; n++) {
		v[n] = p;
		p = strchr(p, by);
		if (p)
			*p++ = '\0';
	}
	return n;
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *rules = strdup(rows[i].rules), *words = strdup(rows[i].argv);
		const char *texts[3], *argv[8];
		struct guard_exec x = { .argv = argv,
					.more = rows[i].more,
					.place = { .cwd = "/w", .home = "/home/u" },
					.mode = MODE_CHAT,
					.now = NOW };
		struct guard_opinion o;
		struct berm_err err = { 0 };
		struct gp g;
		size_t n;

		gp_up(&g);
		n = split(rules, '|', texts, ARRAY_SIZE(texts));
		for (size_t k = 0; k < n; k++)
			gp_add_text(&g, texts[k]);
		gp_compile(&g);
		x.n = split(words, ' ', argv, ARRAY_SIZE(argv));
		assert_int_equal(guard_at_exec(g.rules, &g.policy, &x, &o, &err), 0);
		if (o.decision != rows[i].want)
			fail_msg("row %zu (%s): %s", i, rows[i].argv,
				 guard_decision_name(o.decision));
		/* What is never asked for costs nothing. */
		if (o.decision != A)
			assert_true(guard_at_exec_wanted(&g.policy));
		if (!n)
			assert_false(guard_at_exec_wanted(&g.policy));
		gp_down(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rows) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
