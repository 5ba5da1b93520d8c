/* SPDX-License-Identifier: Apache-2.0 */
/* The resolver of effects: tables of rules, and what holds for any rules. */
#include "guard_fixture.h"

#include <string.h>

#include "base/str.h"
#include "guard/limits.h"
#include "policy/data.h"
#include "prng.h"

#define D VERDICT_DENY
#define A VERDICT_ALLOW
#define Q VERDICT_ASK

/* ---- defaults ----------------------------------------------------------- */

static void test_defaults(void **state)
{
	static const struct {
		const char *template;
		enum effect effect;
		const char *ref; /* NULL: not known */
		enum decision want;
	} rows[] = {
		{ "default", EFFECT_FILE_DELETE, NULL, Q },
		{ "default", EFFECT_GIT_PUSH, NULL, Q },
		{ "default", EFFECT_GIT_PUSH, "main", Q },
		{ "default", EFFECT_PR_CREATE, NULL, Q },
		{ "default", EFFECT_PR_PUBLISH, NULL, Q },
		{ "default", EFFECT_VENDOR_SYNC_WRITE, NULL, Q },
		{ "default", EFFECT_FILE_WRITE_OUTSIDE_WORKTREE, NULL, A },
		{ "default", EFFECT_GIT_COMMIT, NULL, A },
		{ "default", EFFECT_NETWORK_EGRESS, NULL, A },
		{ "default", EFFECT_SECRET_ACCESS, NULL, A },
		{ "default", EFFECT_PACKAGE_INSTALL, NULL, A },
		{ "default", EFFECT_PROCESS_SPAWN, NULL, A },
		{ "default", EFFECT_WORKSPACE_MUTATION, NULL, A },
		{ "default", EFFECT_ENCLOSURE_CONTROL, NULL, A },
		{ "permissive", EFFECT_GIT_PUSH, "feature/x", A },
		{ "permissive", EFFECT_GIT_PUSH, "main", D },
		{ "permissive", EFFECT_GIT_PUSH, "release/1", D },
		{ "permissive", EFFECT_GIT_PUSH, NULL, Q },
		{ "permissive", EFFECT_FILE_DELETE, NULL, A },
		{ "balanced", EFFECT_GIT_PUSH, "feature/x", Q },
		{ "balanced", EFFECT_GIT_PUSH, "production", D },
		{ "balanced", EFFECT_PACKAGE_INSTALL, NULL, Q },
		{ "balanced", EFFECT_GIT_COMMIT, NULL, A },
		{ "strict", EFFECT_GIT_COMMIT, NULL, Q },
		{ "strict", EFFECT_PROCESS_SPAWN, NULL, Q },
		{ "strict", EFFECT_WORKSPACE_MUTATION, NULL, A },
		{ "strict", EFFECT_GIT_PUSH, "master", D },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *json = str_printf("{\"template\":\"%s\"}", rows[i].template);
		struct guard_facts f = gp_refs(&rows[i].ref, rows[i].ref != NULL, !rows[i].ref);
		struct guard_opinion o;
		struct gp g;

		gp_up(&g);
		gp_add(&g, LAYER_USER, true, json);
		gp_compile(&g);
		guard_resolve_effect(g.rules, rows[i].effect, &f, MODE_CHAT, NOW, &o);
		if (o.decision != rows[i].want || !o.origin.file || !o.row)
			fail_msg("%s %s %s: %s", rows[i].template, effect_name(rows[i].effect),
				 rows[i].ref ? rows[i].ref : "", guard_decision_name(o.decision));
		gp_down(&g);
	}
}

/* The modes that change nothing deny everything but reading and running. */
static void test_modes(void **state)
{
	effects_t kept = EFFECT_BIT(EFFECT_NETWORK_EGRESS) | EFFECT_BIT(EFFECT_SECRET_ACCESS) |
			 EFFECT_BIT(EFFECT_PROCESS_SPAWN);
	struct guard_facts f = GUARD_FACTS_NONE;
	struct gp g;

	(void)state;
	gp_up(&g);
	for (int e = 0; e < EFFECT_N; e++) {
		_cleanup_free_ char *rule = str_printf("{\"effect\":\"%s\",\"decision\":\"allow\"}",
						       effect_name((enum effect)e));

		gp_add(&g, LAYER_CLI, true, rule);
	}
	gp_compile(&g);
	for (int m = 0; m <= MODE_ORCHESTRATE; m++) {
		for (int e = 0; e < EFFECT_N; e++) {
			bool denied = m != MODE_CHAT && !(kept & EFFECT_BIT(e));
			struct guard_opinion o;

			guard_resolve_effect(g.rules, (enum effect)e, &f, (enum mode)m, NOW, &o);
			assert_int_equal(o.decision, denied ? D : A);
			assert_int_equal(o.source, denied ? GUARD_FROM_MODE : GUARD_FROM_RULE);
		}
	}
	gp_down(&g);
}

/* ---- rules -------------------------------------------------------------- */

#define PUSH(decision, rest) "{\"effect\":\"gitPush\",\"decision\":\"" decision "\"" rest "}"
#define REFS(list) ",\"refs\":[" list "]"

static void test_rules(void **state)
{
	static const struct {
		const char *rules[5];
		const char *refs[3];
		bool more;
		enum decision want;
		enum guard_source source;
	} rows[] = {
		/* scopes: the first that has a rule */
		{ { "user: " PUSH("allow", "") }, { "x" }, 0, A, GUARD_FROM_RULE },
		{ { "user: " PUSH("deny", ""), "cli: " PUSH("allow", "") },
		  { "x" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("allow", ""), "local: " PUSH("deny", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "project: " PUSH("deny", ""), "cli: " PUSH("ask", "") },
		  { "x" },
		  0,
		  Q,
		  GUARD_FROM_RULE },
		/* local and project are one scope: the strictest */
		{ { "project: " PUSH("deny", ""), "local: " PUSH("allow", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("allow", "") "," PUSH("ask", "") },
		  { "x" },
		  0,
		  Q,
		  GUARD_FROM_RULE },
		/* with limits before without */
		{ { "user: " PUSH("deny", "") "," PUSH("allow", REFS("\"feature/**\"")) },
		  { "feature/a" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("deny", "") "," PUSH("allow", REFS("\"feature/**\"")) },
		  { "main" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("allow", "") "," PUSH("deny", REFS("\"main\"")) },
		  { "main" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("allow", "") "," PUSH("deny", REFS("\"main\"")) },
		  { "x" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		/* a scope whose limited rule does not fit has no say */
		{ { "cli: " PUSH("deny", REFS("\"main\"")), "user: " PUSH("allow", "") },
		  { "x" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		/* restrictive: any value; permissive: all values */
		{ { "user: " PUSH("deny", REFS("\"main\"")) },
		  { "x", "main" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("allow", REFS("\"f/**\"")) },
		  { "f/a", "main" },
		  0,
		  Q,
		  GUARD_FROM_DEFAULT },
		{ { "user: " PUSH("allow", REFS("\"f/**\"")) },
		  { "f/a", "f/b" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("allow", REFS("\"f/**\"")) },
		  { "f/a" },
		  1,
		  Q,
		  GUARD_FROM_DEFAULT },
		/* not known: a restrictive rule asks, and never less than what else holds */
		{ { "user: " PUSH("deny", REFS("\"main\"")) "," PUSH("allow", "") },
		  { NULL },
		  1,
		  Q,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("deny", REFS("\"main\"")) "," PUSH("deny", "") },
		  { NULL },
		  1,
		  D,
		  GUARD_FROM_RULE },
		{ { "cli: " PUSH("deny", REFS("\"main\"")), "user: " PUSH("allow", "") },
		  { NULL },
		  1,
		  Q,
		  GUARD_FROM_RULE },
		{ { "cli: " PUSH("allow", ""), "user: " PUSH("deny", REFS("\"main\"")) },
		  { NULL },
		  1,
		  A,
		  GUARD_FROM_RULE },
		/* "!": all but */
		{ { "user: " PUSH("deny", REFS("\"!f/**\"")) }, { "main" }, 0, D, GUARD_FROM_RULE },
		{ { "user: " PUSH("deny", REFS("\"!f/**\"")) },
		  { "f/a" },
		  0,
		  Q,
		  GUARD_FROM_DEFAULT },
		{ { "user: " PUSH("allow", REFS("\"f/**\",\"!f/secret\"")) },
		  { "f/a" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		{ { "user: " PUSH("allow", REFS("\"f/**\",\"!f/secret\"")) },
		  { "f/secret" },
		  0,
		  Q,
		  GUARD_FROM_DEFAULT },
		{ { "user: " PUSH("allow", REFS("\"!f/secret\",\"f/**\"")) },
		  { "f/secret" },
		  0,
		  Q,
		  GUARD_FROM_DEFAULT },
		/* managed, untrusted and "anywhere" only tighten */
		{ { "managed: " PUSH("allow", "") }, { "x" }, 0, Q, GUARD_FROM_DEFAULT },
		{ { "managed: " PUSH("deny", ""), "cli: " PUSH("allow", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_FLOOR },
		{ { "managed: " PUSH("ask", ""), "cli: " PUSH("deny", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "managed: " PUSH("deny", REFS("\"!f/**\"")), "cli: " PUSH("allow", "") },
		  { "f/a" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		{ { "managed: " PUSH("deny", REFS("\"main\"")), "cli: " PUSH("allow", "") },
		  { NULL },
		  1,
		  Q,
		  GUARD_FROM_FLOOR },
		{ { "untrusted: " PUSH("allow", ""), "user: " PUSH("deny", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "untrusted: " PUSH("ask", ""), "user: " PUSH("deny", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_RULE },
		{ { "untrusted: " PUSH("deny", ""), "user: " PUSH("allow", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_FLOOR },
		{ { "user: " PUSH("deny", ",\"anywhere\":true"), "cli: " PUSH("allow", "") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_FLOOR },
		{ { "user: " PUSH("allow", ",\"anywhere\":true"), "cli: " PUSH("ask", "") },
		  { "x" },
		  0,
		  Q,
		  GUARD_FROM_RULE },
		/* over, advisory */
		{ { "user: " PUSH("allow", ",\"expires\":\"1970-01-02T00:00:00Z\"") },
		  { "x" },
		  0,
		  Q,
		  GUARD_FROM_DEFAULT },
		{ { "user: " PUSH("allow", ",\"expires\":\"2200-01-02T00:00:00Z\"") },
		  { "x" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		{ { "cli: " PUSH("deny", ",\"enforcement\":\"advisory\""),
		    "user: " PUSH("allow", "") },
		  { "x" },
		  0,
		  A,
		  GUARD_FROM_RULE },
		{ { "cli: " PUSH("allow", ",\"enforcement\":\"advisory\"") },
		  { "x" },
		  0,
		  Q,
		  GUARD_FROM_DEFAULT },
		{ { "cli: " PUSH("deny", ",\"enforcement\":\"soft\"") },
		  { "x" },
		  0,
		  D,
		  GUARD_FROM_RULE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct guard_opinion o;
		struct guard_facts f;
		size_t n = 0;
		struct gp g;

		gp_up(&g);
		for (size_t k = 0; k < 5 && rows[i].rules[k]; k++)
			gp_add_text(&g, rows[i].rules[k]);
		gp_compile(&g);
		while (n < 3 && rows[i].refs[n])
			n++;
		f = gp_refs(rows[i].refs, n, rows[i].more);
		guard_resolve_effect(g.rules, EFFECT_GIT_PUSH, &f, MODE_CHAT, NOW, &o);
		if (o.decision != rows[i].want || o.source != rows[i].source || !o.reason)
			fail_msg("row %zu (%s): %s, %s", i, rows[i].rules[0],
				 guard_decision_name(o.decision), guard_source_name(o.source));
		gp_down(&g);
	}
}

/* ---- limits ------------------------------------------------------------- */

enum { PATH, HOST, COUNT, COMMAND };

static void test_limits(void **state)
{
	static const struct {
		int kind;
		const char *limit; /* comma between two */
		const char *value[2];
		bool more;
		enum guard_fit restricts, permits;
	} rows[] = {
		{ PATH, "/w/p/*", { "/w/p/a" }, 0, FIT_HIT, FIT_HIT },
		{ PATH, "/w/p/*.c", { "/w/p/a.c" }, 0, FIT_HIT, FIT_HIT },
		{ PATH, "/w/p/*.c", { "/w/p/x/a.c" }, 0, FIT_MISS, FIT_MISS },
		{ PATH, "/w/p/**/*.c", { "/w/p/x/a.c" }, 0, FIT_HIT, FIT_HIT },
		{ PATH, "src", { "/w/p/src/a" }, 0, FIT_HIT, FIT_HIT },
		{ PATH, "~/x", { "/home/u/x" }, 0, FIT_HIT, FIT_HIT },
		{ PATH, "/w/p", { "/w/p/a", "/etc/x" }, 0, FIT_HIT, FIT_MISS },
		{ PATH, "/w/p", { "/w/p/a" }, 1, FIT_HIT, FIT_MISS },
		{ PATH, "/w/p", { "/etc/x" }, 1, FIT_UNKNOWN, FIT_MISS },
		{ PATH, "/w/p", { NULL }, 1, FIT_UNKNOWN, FIT_MISS },
		{ PATH, "/w,!/w/p", { "/w/p/a" }, 0, FIT_MISS, FIT_MISS },
		{ PATH, "/w,!/w/p", { "/w/q" }, 0, FIT_HIT, FIT_HIT },
		{ HOST, "*.a.com", { "x.a.com" }, 0, FIT_HIT, FIT_HIT },
		{ HOST, "*.a.com", { "a.com" }, 0, FIT_MISS, FIT_MISS },
		{ HOST, "A.com", { "a.COM." }, 0, FIT_HIT, FIT_HIT },
		{ HOST, "a.com:443", { "a.com" }, 0, FIT_HIT, FIT_HIT },
		{ HOST, "a.com:80", { "a.com" }, 0, FIT_MISS, FIT_MISS },
		{ HOST, "!a.com", { "b.com" }, 0, FIT_HIT, FIT_HIT },
		{ COUNT, "3", { "3" }, 0, FIT_MISS, FIT_HIT },
		{ COUNT, "3", { "4" }, 0, FIT_HIT, FIT_MISS },
		{ COUNT, "0", { "0" }, 0, FIT_MISS, FIT_HIT },
		{ COUNT, "3", { NULL }, 0, FIT_UNKNOWN, FIT_MISS },
		{ COMMAND, "git push", { "git push -f" }, 0, FIT_HIT, FIT_HIT },
		{ COMMAND, "git push", { "git pull" }, 0, FIT_MISS, FIT_MISS },
		{ COMMAND, "git push", { "git $x" }, 0, FIT_UNKNOWN, FIT_MISS },
		{ COMMAND, "git push", { "/tmp/git push" }, 0, FIT_HIT, FIT_MISS },
		{ COMMAND, "git,!git push", { "git push" }, 0, FIT_MISS, FIT_MISS },
		{ COMMAND, "git,!git push", { "git $x" }, 0, FIT_HIT, FIT_MISS },
		{ COMMAND, "git,!git push", { "git log" }, 0, FIT_HIT, FIT_HIT },
		{ COMMAND, "!git", { "ls" }, 0, FIT_HIT, FIT_HIT },
		{ COMMAND, "git", { NULL }, 0, FIT_UNKNOWN, FIT_MISS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct guard_constraint c = { .max_count = -1, .max_cents = -1 };
		struct guard_facts f = GUARD_FACTS_NONE;
		_cleanup_free_ char *copy = strdup(rows[i].limit);
		_cleanup_shell_line_ struct shell_line *line = NULL;
		struct strv *lists[] = { &c.paths, &c.hosts, NULL, &c.commands };
		struct guard_host hosts[2];
		struct berm_err err = { 0 };
		enum guard_fit restricts, permits;
		struct limits *l;
		char *save = NULL;
		size_t n = 0;

		while (n < 2 && rows[i].value[n])
			n++;
		if (rows[i].kind == COUNT)
			c.max_count = strtol(rows[i].limit, NULL, 10);
		else
			for (char *w = strtok_r(copy, ",", &save); w;
			     w = strtok_r(NULL, ",", &save))
				assert_int_equal(strv_add(lists[rows[i].kind], w), 0);
		assert_int_equal(limits_new(&c, "/w/p", "/home/u", &l, &err), 0);
		assert_non_null(l);
		for (size_t k = 0; k < n && rows[i].kind == HOST; k++)
			assert_int_equal(host_port_parse(rows[i].value[k], 443, &hosts[k].host,
							 &hosts[k].port, &err),
					 0);
		if (rows[i].kind == PATH) {
			f.paths = (struct guard_names){ rows[i].value, n, rows[i].more };
		} else if (rows[i].kind == HOST) {
			f.hosts = hosts;
			f.n_hosts = n;
			f.more_hosts = rows[i].more;
		} else if (rows[i].kind == COUNT && n) {
			f.count = strtol(rows[i].value[0], NULL, 10);
		} else if (rows[i].kind == COMMAND && n) {
			assert_int_equal(shell_parse(rows[i].value[0], strlen(rows[i].value[0]),
						     &line, &err),
					 0);
			f.command = &line->parts[0];
		}
		restricts = limits_fit(l, &f, true);
		permits = limits_fit(l, &f, false);
		if (restricts != rows[i].restricts || permits != rows[i].permits)
			fail_msg("row %zu, %s: %d %d", i, rows[i].limit, restricts, permits);
		limits_free(l);
		strv_free(&c.paths);
		strv_free(&c.hosts);
		strv_free(&c.commands);
	}
}

/* ---- what holds for any rules ------------------------------------------- */

static struct prng rnd = { 2026 };

static const char *pick(const char *const *v, size_t n)
{
	return v[prng_below(&rnd, (unsigned)n)];
}
#define PICK(...)                                  \
	pick((const char *const[]){ __VA_ARGS__ }, \
	     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static char *random_rule(void)
{
	const char *refs = PICK("", "", ",\"refs\":[\"main\"]", ",\"refs\":[\"f/**\"]",
				",\"refs\":[\"!f/**\"]", ",\"refs\":[\"f/**\",\"!f/x\"]");

	return str_printf(
		"{\"effect\":\"%s\",\"decision\":\"%s\"%s%s%s%s}",
		PICK("gitPush", "gitPush", "fileDelete"), PICK("allow", "ask", "deny"), refs,
		PICK("", "", "", ",\"anywhere\":true"),
		PICK("", "", "", ",\"expires\":\"1970-01-02T00:00:00Z\""),
		PICK("", "", "", ",\"enforcement\":\"advisory\"", ",\"enforcement\":\"soft\""));
}

static void add_random(struct gp *g, const char *layer)
{
	_cleanup_free_ char *rule = random_rule();
	_cleanup_free_ char *text = str_printf("%s: %s", layer, rule);

	gp_add_text(g, text);
}

static struct guard_opinion ask_random(struct gp *g, unsigned seed, enum effect *ret)
{
	static const char *const refs[] = { "main", "f/a", "f/x", "other" };
	struct guard_opinion o;
	struct guard_facts f =
		gp_refs(refs + seed % 4, seed / 4 % 2 ? 1 : 4 - seed % 4, seed / 8 % 2);

	if (seed / 16 % 3 == 0)
		f.refs.n = 0;
	*ret = seed / 48 % 2 ? EFFECT_GIT_PUSH : EFFECT_FILE_DELETE;
	guard_resolve_effect(g->rules, *ret, &f, (enum mode)(seed / 96 % 4), NOW, &o);
	return o;
}

static void test_order_does_not_matter(void **state)
{
	(void)state;
	for (int round = 0; round < 1500; round++) {
		size_t n = 1 + prng_below(&rnd, 6);
		struct gp g;

		gp_up(&g);
		for (size_t i = 0; i < n; i++)
			add_random(&g,
				   PICK("user", "project", "local", "cli", "managed", "untrusted"));
		for (int k = 0; k < 8; k++) {
			unsigned seed = prng_below(&rnd, 384);
			struct guard_opinion a, b;
			enum effect e;

			gp_compile(&g);
			a = ask_random(&g, seed, &e);
			for (size_t i = g.policy.n_rules; i > 1; i--) {
				size_t j = prng_below(&rnd, (unsigned)i);
				struct guard_rule *t = g.policy.rules[j];

				g.policy.rules[j] = g.policy.rules[i - 1];
				g.policy.rules[i - 1] = t;
			}
			gp_compile(&g);
			b = ask_random(&g, seed, &e);
			assert_int_equal(a.decision, b.decision);
		}
		gp_down(&g);
	}
}

/* More managed or untrusted rules, or more that forbid anywhere: never a looser verdict. */
static void test_tightening_never_loosens(void **state)
{
	unsigned tightened = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		/* In chat: the other modes deny most. */
		unsigned seed = prng_below(&rnd, 96);
		struct guard_opinion before, after;
		enum effect e;
		struct gp g;

		gp_up(&g);
		for (size_t i = 0; i < 4; i++)
			add_random(&g, PICK("user", "project", "cli", "managed", "untrusted"));
		gp_compile(&g);
		before = ask_random(&g, seed, &e);
		add_random(&g, PICK("managed", "untrusted"));
		gp_compile(&g);
		after = ask_random(&g, seed, &e);
		assert_true(decision_rank(after.decision) >= decision_rank(before.decision));
		tightened += after.decision != before.decision;
		gp_down(&g);
	}
	assert_true(tightened > 50);
}

/* Saying less about an action never makes it more allowed. */
static void test_not_knowing_never_loosens(void **state)
{
	static const char *const refs[] = { "main", "f/a", "f/x", "other" };

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct guard_opinion known, unknown;
		struct guard_facts f;
		size_t from = prng_below(&rnd, 4);
		struct gp g;

		gp_up(&g);
		for (size_t i = 0; i < 3; i++)
			add_random(&g, PICK("user", "project", "cli", "managed"));
		gp_compile(&g);
		f = gp_refs(refs + from, 1, false);
		guard_resolve_effect(g.rules, EFFECT_GIT_PUSH, &f, MODE_CHAT, NOW, &known);
		f.refs.more = true;
		guard_resolve_effect(g.rules, EFFECT_GIT_PUSH, &f, MODE_CHAT, NOW, &unknown);
		/* A deny of what is known can turn to an ask only when a rule that allows
		 * no more fits: then weaker scopes speak. Never to an allow. */
		if (known.decision != VERDICT_ALLOW)
			assert_int_not_equal(unknown.decision, VERDICT_ALLOW);
		gp_down(&g);
	}
}

static void test_advice(void **state)
{
	struct guard_facts f = GUARD_FACTS_NONE;
	struct gp g;

	(void)state;
	gp_up(&g);
	gp_add_text(&g, "user: " PUSH("deny", ",\"enforcement\":\"advisory\",\"why\":\"look\""));
	gp_compile(&g);
	assert_string_equal(guard_advice(g.rules, EFFECT_BIT(EFFECT_GIT_PUSH), &f, NOW)->why,
			    "look");
	assert_null(guard_advice(g.rules, EFFECT_BIT(EFFECT_GIT_COMMIT), &f, NOW));
	gp_down(&g);
}

static void test_bad_rules(void **state)
{
	static const char *const bad[] = {
		"{\"guard\":{\"rules\":[{\"effect\":\"gitpush\",\"decision\":\"ask\"}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\"}]}}",
		"{\"guard\":{\"rules\":[{\"decision\":\"ask\"}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"command\":\"x\",\"decision\":\"ask\"}]}}",
		"{\"guard\":{\"rules\":[{\"command\":\"\",\"decision\":\"ask\"}]}}",
		"{\"guard\":{\"rules\":[{\"command\":[],\"decision\":\"ask\"}]}}",
		"{\"guard\":{\"rules\":[{\"command\":\"a 'b\",\"decision\":\"ask\"}]}}",
		"{\"guard\":{\"rules\":[{\"pattern\":\"\",\"decision\":\"ask\"}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"refs\":[]}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"refs\":[\"!\"]}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"refs\":\"x\"}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"hosts\":[\"a.*\"]}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"paths\":[\"[\"]}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"max_count\":-1}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"expires\":\"soon\"}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"expires\":1}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"enforcement\":\"weak\"}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"maybe\"}]}}",
		"{\"guard\":{\"rules\":[{\"effect\":\"gitPush\",\"decision\":\"ask\",\"x\":1}]}}",
		"{\"guard\":{\"rules\":[1]}}",
		"{\"guard\":{\"rules\":{}}}",
		"{\"guard\":[]}",
		"{\"guard\":{\"template\":\"loose\"}}",
		"{\"guard\":{\"autonomy\":1}}",
		"{\"guard\":{\"sandbox\":\"on\"}}",
		"{\"guard\":{\"excluded_commands\":[\"\"]}}",
		"{\"guard\":{\"excluded_commands\":\"x\"}}",
		"{\"guard\":{\"excluded\":[]}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_free_ char *copy = strdup(bad[i]);
		struct settings s = { .file = strdup("f.json"), .trusted = true };
		struct berm_err err = { 0 };

		if (settings_parse(&s, copy, strlen(copy), &err) >= 0)
			fail_msg("taken: %s", bad[i]);
		if (!strstr(err.msg, "f.json:1"))
			fail_msg("%s: %s", bad[i], err.msg);
		settings_free(&s);
	}
}

/* What is written is read back as the same rule. */
static void test_written(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		_cleanup_free_ char *text = random_rule();
		_cleanup_buf_ struct buf once = BUF_INIT(1u << 16), twice = BUF_INIT(1u << 16);
		struct gp g;

		gp_up(&g);
		gp_add(&g, LAYER_USER, true, text);
		assert_int_equal(guard_rule_json(g.policy.rules[0], &once), 0);
		gp_add(&g, LAYER_USER, true, once.data);
		assert_int_equal(guard_rule_json(g.policy.rules[1], &twice), 0);
		assert_string_equal(once.data, twice.data);
		gp_down(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_tightening_never_loosens),
		cmocka_unit_test(test_not_knowing_never_loosens),
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_bad_rules),
		cmocka_unit_test(test_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
