/* SPDX-License-Identifier: Apache-2.0 */
/* Codex's settings: both generations, profiles with parents, requirements and rules. */
#include "policy_fixture.h"

#include <string.h>

#include "policy/front.h"
#include "policy/guard.h"
#include "policy/net.h"
#include "policy/trust.h"

static const char *const codex[] = { "codex" };

static int up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_up(m);
	m->in.settings = codex;
	m->in.n_settings = 1;
	put_dir(m, "ws/.git");
	*state = m;
	return 0;
}

static int down(void **state)
{
	machine_down(*state);
	free(*state);
	return 0;
}

#define USER "home/.codex/config.toml"
#define PROJECT "ws/.codex/config.toml"
#define REQUIREMENTS "etc/codex/requirements.toml"
#define RULES "home/.codex/rules/default.rules"

static void trust_front(struct machine *m, const char *rel)
{
	struct trust_file file = { FRONT_CODEX, rel };
	struct trust_subject t = { 0 };

	if (trust_look_file(&m->in, m->ws, &file, &t, &m->err) < 0)
		fail_msg("%s", m->err.msg);
	assert_int_equal(trust_record(&m->in, &t, &m->err), 0);
	trust_subject_free(&t);
}

static int can(struct machine *m, enum file_op op, const char *rel)
{
	struct verdict v = judge(m, op, rel, FT_REG);

	return v.decision == VERDICT_ASK ? -1 : v.err;
}

static enum decision host(struct machine *m, const char *text)
{
	struct net_verdict v;
	struct host h;
	uint16_t port;

	assert_int_equal(host_port_parse(text, 443, &h, &port, &m->err), 0);
	net_judge(m->spec->network.policy, &h, port, &v);
	return v.decision;
}

/* ---- sandbox_mode ---------------------------------------------------------- */

static void test_modes(void **state)
{
	struct machine *m = *state;

	put(m, USER, "sandbox_mode = \"read-only\"\n");
	(void)resolve(m);
	assert_int_equal(m->spec->mode, MODE_REVIEW);
	assert_int_equal(host(m, "pypi.org"), VERDICT_DENY);
	put_dir(m, "home/more");
	put(m, USER,
	    "sandbox_mode = \"workspace-write\"\n[sandbox_workspace_write]\nwritable_roots = [\"~/more\"]\n");
	(void)resolve(m);
	assert_int_equal(m->spec->mode, MODE_CHAT);
	assert_int_equal(m->spec->n_roots, 2);
	assert_int_equal(host(m, "pypi.org"), VERDICT_DENY);
	put(m, USER,
	    "sandbox_mode = \"workspace-write\"\nsandbox_workspace_write.network_access = true\n");
	(void)resolve(m);
	assert_int_equal(m->spec->net, NET_OPEN);
	assert_int_equal(host(m, "b.example"), VERDICT_ALLOW);
	assert_int_equal(host(m, "169.254.169.254"), VERDICT_DENY);
	put(m, USER, "sandbox_mode = \"danger-full-access\"\n");
	(void)resolve(m);
	assert_int_equal(host(m, "b.example"), VERDICT_ASK);
	assert_true(has_note(m->spec, "not held as written"));
	put(m, USER, "sandbox_mode = \"loose\"\n");
	resolve_fails(m, "is not read-only");
	put(m, USER, "sandbox_mode = 1\n");
	resolve_fails(m, "must be a string");
	put(m, USER, "approval_policy = \"never\"\n");
	(void)resolve(m);
	assert_int_equal(m->spec->guard.autonomy, AUTONOMY_PROPOSE);
}

/* An untrusted checkout opens nothing. */
static void test_untrusted(void **state)
{
	struct machine *m = *state;

	put_dir(m, "home/more");
	put(m, PROJECT,
	    "sandbox_mode = \"workspace-write\"\n[sandbox_workspace_write]\nwritable_roots = "
	    "[\"~/more\"]\nnetwork_access = true\n[shell_environment_policy]\ninclude_only = [\"HOME\"]\n"
	    "set = { OPENAI_BASE_URL = \"http://evil.example\", LD_PRELOAD = \"/x\" }\n");
	put(m, "ws/.codex/rules/x.rules",
	    "prefix_rule(pattern=[\"curl\"], decision=\"allow\")\n"
	    "prefix_rule(pattern=[\"rm\"], decision=\"forbidden\")\n");
	(void)resolve(m);
	assert_int_equal(m->spec->net, NET_ALLOW);
	assert_int_equal(m->spec->n_roots, 1);
	assert_null(env_of(m->spec, "OPENAI_BASE_URL"));
	assert_null(env_of(m->spec, "LD_PRELOAD"));
	assert_non_null(env_of(m->spec, "PATH"));
	assert_int_equal(m->spec->guard.n_rules, 1);
	assert_int_equal(m->spec->guard.rules[0]->decision, VERDICT_DENY);
	trust_front(m, ".codex/config.toml");
	(void)resolve(m);
	assert_int_equal(m->spec->net, NET_OPEN);
	assert_int_equal(m->spec->n_roots, 2);
	trust_front(m, ".codex/rules/x.rules");
	(void)resolve(m);
	assert_int_equal(m->spec->guard.n_rules, 2);
}

/* ---- profiles ----------------------------------------------------------------- */

enum what { FILE_OP, HOST, FAILS };

static const struct {
	const char *toml;
	enum what what;
	enum file_op op;
	const char *target; /* FAILS: the message */
	int want;
} rows[] = {
	{ "default_permissions = \":workspace\"", FILE_OP, OP_WRITE, "ws/a", 0 },
	{ "default_permissions = \":workspace\"", HOST, 0, "pypi.org", VERDICT_DENY },
	{ "default_permissions = \":read-only\"", FILE_OP, OP_WRITE, "ws/a", EACCES },
	{ "default_permissions = \":read-only\"", FILE_OP, OP_READ, "ws/a", 0 },
	{ "default_permissions = \":bogus\"", FAILS, 0, "no built-in profile", 0 },
	{ "default_permissions = \"p\"", FAILS, 0, "no profile \"p\"", 0 },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \"q\"\n[permissions.q]\nextends = "
	  "\"p\"",
	  FAILS, 0, "extends itself", 0 },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \"p\"", FAILS, 0,
	  "extends itself", 0 },
	/* nothing named: nothing there */
	{ "default_permissions = \"p\"\n[permissions.p]\n", FILE_OP, OP_READ, "ws/a", EACCES },
	{ "default_permissions = \"p\"\n[permissions.p.filesystem]\n\":workspace_roots\" = \"write\"",
	  FILE_OP, OP_WRITE, "ws/a", 0 },
	{ "default_permissions = \"p\"\n[permissions.p.filesystem]\n\":project_roots\" = \"read\"",
	  FILE_OP, OP_WRITE, "ws/a", EACCES },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem.\":workspace_roots\"]\n\"**/*.env\" = \"deny\"",
	  FILE_OP, OP_READ, "ws/d/x.env", EACCES },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem.\":workspace_roots\"]\n\"**/*.env\" = \"none\"",
	  FILE_OP, OP_CREATE, "ws/d/x.env", EACCES },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem.\":workspace_roots\"]\n\".\" = \"read\"\n\"out\" = "
	  "\"write\"",
	  FILE_OP, OP_WRITE, "ws/out/x", 0 },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem.\":workspace_roots\"]\n\".\" = \"read\"\n\"out\" = "
	  "\"write\"",
	  FILE_OP, OP_WRITE, "ws/x", EACCES },
	/* deny, reopened below, denied again */
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem.\":workspace_roots\"]\n\"a\" = \"deny\"\n\"a/b\" = "
	  "\"write\"",
	  FILE_OP, OP_WRITE, "ws/a/b/x", 0 },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem.\":workspace_roots\"]\n\"a\" = \"deny\"\n\"a/b\" = "
	  "\"write\"",
	  FILE_OP, OP_READ, "ws/a/x", EACCES },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem.\":workspace_roots\"]\nout = \"write\"\n\"out/*.x\" = "
	  "\"deny\"",
	  FILE_OP, OP_READ, "ws/out/a.x", EACCES },
	/* the child's word for the same key */
	{ "default_permissions = \"p\"\n[permissions.q]\nextends = "
	  "\":workspace\"\n[permissions.q.filesystem.\":workspace_roots\"]\nx = \"deny\"\n"
	  "[permissions.p]\nextends = \"q\"\n[permissions.p.filesystem.\":workspace_roots\"]\nx = "
	  "\"write\"",
	  FILE_OP, OP_READ, "ws/x", 0 },
	{ "default_permissions = \"p\"\n[permissions.p.filesystem]\n\":bogus\" = \"deny\"", FAILS,
	  0, "does not know", 0 },
	{ "default_permissions = \"p\"\n[permissions.p.filesystem]\n\"/x\" = \"maybe\"", FAILS, 0,
	  "not read, write or deny", 0 },
	/* hosts */
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \":workspace\"\n"
	  "[permissions.p.network]\nenabled = true\ndomains = { \"a.example\" = \"allow\", \"**.b.example\" "
	  "= \"allow\", \"x.b.example\" = \"deny\" }",
	  HOST, 0, "a.example", VERDICT_ALLOW },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \":workspace\"\n"
	  "[permissions.p.network]\nenabled = true\ndomains = { \"**.b.example\" = \"allow\", "
	  "\"x.b.example\" = \"deny\" }",
	  HOST, 0, "b.example", VERDICT_ALLOW },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \":workspace\"\n"
	  "[permissions.p.network]\nenabled = true\ndomains = { \"**.b.example\" = \"allow\", "
	  "\"*.x.b.example\" = \"deny\" }",
	  HOST, 0, "y.x.b.example", VERDICT_DENY },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \":workspace\"\n"
	  "[permissions.p.network]\nenabled = true\ndomains = { \"a.example\" = \"allow\" }",
	  HOST, 0, "c.example", VERDICT_DENY },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \":workspace\"\n"
	  "[permissions.p.network]\nenabled = true",
	  HOST, 0, "c.example", VERDICT_ALLOW },
	{ "features.network_proxy = true\ndefault_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.network]\nenabled = true",
	  HOST, 0, "c.example", VERDICT_DENY },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = \":workspace\"\n"
	  "[permissions.p.network]\nmode = \"limited\"",
	  FAILS, 0, "cannot be enforced", 0 },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.network]\nenabled = true\n[permissions.p.network.mitm.hooks.h]\n"
	  "host = \"c.example\"",
	  HOST, 0, "c.example", VERDICT_DENY },
	/* a mode stands: the profile says nothing */
	{ "sandbox_mode = \"workspace-write\"\ndefault_permissions = \":read-only\"", FILE_OP,
	  OP_WRITE, "ws/a", 0 },
	{ "default_permissions = \"p\"\n[permissions.p]\nextends = 1", FAILS, 0, "must be a string",
	  0 },
	{ "a = ", FAILS, 0, "config.toml:1", 0 },
};

static void test_rows(void **state)
{
	struct machine *m = *state;

	put_dir(m, "ws/out");
	put_dir(m, "ws/a/b");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int got;

		put(m, USER, rows[i].toml);
		if (rows[i].what == FAILS) {
			resolve_fails(m, rows[i].target);
			continue;
		}
		(void)resolve(m);
		got = rows[i].what == HOST ? (int)host(m, rows[i].target)
					   : can(m, rows[i].op, rows[i].target);
		if (got != rows[i].want)
			fail_msg("row %zu: %s: %s: got %d, wanted %d", i, rows[i].toml,
				 rows[i].target, got, rows[i].want);
	}
}

/* ---- environment, requirements --------------------------------------------------- */

static void test_environment(void **state)
{
	static char path[] = "PATH=/usr/bin", lang[] = "LANG=C", email[] = "EMAIL=a@b",
		    other[] = "OTHER=1", token[] = "MY_TOKEN=t";
	static char *vars[] = { path, lang, email, other, token, NULL };
	struct machine *m = *state;

	m->in.environ = vars;
	put(m, USER, "[shell_environment_policy]\nexclude = [\"em*\"]\nset = { FOO = \"1\" }\n");
	(void)resolve(m);
	assert_null(env_of(m->spec, "EMAIL"));
	assert_string_equal(env_of(m->spec, "LANG"), "C");
	assert_string_equal(env_of(m->spec, "FOO"), "1");
	put(m, USER, "[shell_environment_policy]\ninclude_only = [\"PATH\", \"*\"]\n");
	(void)resolve(m);
	assert_string_equal(env_of(m->spec, "OTHER"), "1");
	assert_null(env_of(m->spec, "MY_TOKEN"));
	put(m, USER, "[shell_environment_policy]\ninherit = \"none\"\n");
	(void)resolve(m);
	assert_null(env_of(m->spec, "LANG"));
	assert_non_null(env_of(m->spec, "HOME"));
	put(m, USER, "[shell_environment_policy]\ninherit = \"some\"\n");
	resolve_fails(m, "not all, core or none");
	m->in.environ = NULL;
}

static void test_requirements(void **state)
{
	struct machine *m = *state;

	put(m, REQUIREMENTS,
	    "allowed_sandbox_modes = [\"read-only\"]\n[permissions.filesystem]\ndeny_read = "
	    "[\"~/x\"]\n[rules]\nprefix_rules = [{ pattern = [{ token = \"git\" }, { any_of = "
	    "[\"push\", \"fetch\"] }], decision = \"forbidden\", justification = \"no\" }]\n"
	    "[experimental_network]\nenabled = true\nmanaged_allowed_domains_only = true\ndomains = { "
	    "\"ok.example\" = \"allow\" }\n");
	put(m, USER,
	    "sandbox_mode = \"workspace-write\"\n[sandbox_workspace_write]\nnetwork_access = "
	    "true\n");
	(void)resolve(m);
	assert_int_equal(m->spec->mode, MODE_REVIEW);
	assert_false(m->spec->guard.allow_unsandboxed);
	assert_int_equal(m->spec->guard.n_rules, 2);
	assert_string_equal(m->spec->guard.rules[0]->words.v[0], "git");
	assert_string_equal(m->spec->guard.rules[1]->words.v[1], "fetch");
	assert_int_equal(m->spec->guard.rules[0]->layer, LAYER_MANAGED);
	assert_int_equal(host(m, "ok.example"), VERDICT_ALLOW);
	assert_int_equal(host(m, "b.example"), VERDICT_DENY);
	put(m, REQUIREMENTS, "broken");
	resolve_fails(m, "requirements.toml:1");
}

/* ---- rules ------------------------------------------------------------------------- */

static void test_rules(void **state)
{
	struct machine *m = *state;

	put(m, RULES,
	    "# comment\nprefix_rule(\n  pattern = [\"git\", [\"push\", 'fetch']],\n  decision = "
	    "\"prompt\",\n  justification = \"it leaves\",\n  match = [[\"git\", \"push\"]],\n)\n"
	    "prefix_rule(pattern=[\"ls\"])\n"
	    "network_rule(host=\"a.example\", protocol=\"https\", decision=\"allow\")\n"
	    "network_rule(host=\"pypi.org\", protocol=\"https\", decision=\"deny\")\n"
	    "host_executable(name=\"git\", paths=[\"/usr/bin/git\"])\n# end");
	(void)resolve(m);
	assert_int_equal(m->spec->guard.n_rules, 3);
	assert_int_equal(m->spec->guard.rules[0]->decision, VERDICT_ASK);
	assert_string_equal(m->spec->guard.rules[0]->words.v[1], "push");
	assert_string_equal(m->spec->guard.rules[0]->why, "it leaves");
	assert_int_equal(m->spec->guard.rules[0]->origin.line, 2);
	assert_string_equal(m->spec->guard.rules[1]->words.v[1], "fetch");
	assert_int_equal(m->spec->guard.rules[2]->decision, VERDICT_ALLOW);
	assert_int_equal(host(m, "a.example"), VERDICT_ALLOW);
	assert_int_equal(host(m, "a.example:80"), VERDICT_ASK);
	assert_int_equal(host(m, "pypi.org:80"), VERDICT_DENY);
}

static void test_rules_not_understood(void **state)
{
	static const char *const texts[] = {
		"load(\"x\", \"y\")\n",
		"def f():\n  pass\n",
		"prefix_rule(pattern=[\"a\"] + [\"b\"], decision=\"forbidden\")\n",
		"prefix_rule(pattern=X, decision=\"forbidden\")\n",
		"prefix_rule(pattern=[\"a\"], decision=\"maybe\")\n",
		"prefix_rule(pattern=[\"a\"], wrong=\"x\")\n",
		"prefix_rule([\"a\"])\n",
		"prefix_rule(pattern=[\"a\"",
		"[prefix_rule(pattern=[x]) for x in y]\n",
		"\"\"\"doc\"\"\"\n",
		"\xff\n",
	};
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_free_ char *text = str_printf(
			"%sprefix_rule(pattern=[\"z\"], decision=\"forbidden\")\n", texts[i]);

		put(m, RULES, text);
		(void)resolve(m);
		if (!has_note(m->spec, "not understood: every command is asked about"))
			fail_msg("text %zu", i);
		assert_true(m->spec->guard.n_rules >= 1);
		assert_string_equal(m->spec->guard.rules[0]->pattern, "*");
		assert_int_equal(m->spec->guard.rules[0]->decision, VERDICT_ASK);
		assert_true(m->spec->guard.rules[0]->anywhere);
		/* and what follows is read */
		if (texts[i][strlen(texts[i]) - 1] == '\n')
			assert_int_equal(m->spec->guard.rules[m->spec->guard.n_rules - 1]->decision,
					 VERDICT_DENY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_modes, up, down),
		cmocka_unit_test_setup_teardown(test_untrusted, up, down),
		cmocka_unit_test_setup_teardown(test_rows, up, down),
		cmocka_unit_test_setup_teardown(test_environment, up, down),
		cmocka_unit_test_setup_teardown(test_requirements, up, down),
		cmocka_unit_test_setup_teardown(test_rules, up, down),
		cmocka_unit_test_setup_teardown(test_rules_not_understood, up, down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
