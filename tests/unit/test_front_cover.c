/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of keys: every key that the tools have is in them, every key in them is handled,
 * and what is imported or exported says the same. */
#include "policy_fixture.h"

#include <fcntl.h>
#include <jansson.h>
#include <string.h>

#include "base/fd.h"
#include "policy/export.h"
#include "policy/front.h"
#include "policy/net.h"
#include "policy/settings_json.h"

/* ---- the keys --------------------------------------------------------------- */

/* As the tools' own documentation lists them (Claude Code 2.1.332, srt 0.0.83, Codex 0.171). */
static const char *const claude_sandbox[] = {
	"enabled",
	"failIfUnavailable",
	"autoAllowBashIfSandboxed",
	"allowUnsandboxedCommands",
	"excludedCommands",
	"enabledPlatforms",
	"network.allowedDomains",
	"network.deniedDomains",
	"network.strictAllowlist",
	"network.allowManagedDomainsOnly",
	"network.allowUnixSockets",
	"network.allowAllUnixSockets",
	"network.allowLocalBinding",
	"network.allowMachLookup",
	"network.httpProxyPort",
	"network.socksProxyPort",
	"network.tlsTerminate",
	"filesystem.allowWrite",
	"filesystem.denyWrite",
	"filesystem.denyRead",
	"filesystem.allowRead",
	"filesystem.allowManagedReadPathsOnly",
	"filesystem.disabled",
	"filesystem.allowWriteWithinDeny",
	"credentials.files",
	"credentials.envVars",
	"windows",
	"ignoreViolations",
	"enableWeakerNestedSandbox",
	"allowNestedUserNamespaces",
	"enableWeakerNetworkIsolation",
	"allowAppleEvents",
	"ripgrep",
	"bwrapPath",
	"socatPath",
};

static const char *const claude_other[] = {
	"permissions.allow",
	"permissions.ask",
	"permissions.deny",
	"permissions.defaultMode",
	"permissions.disableBypassPermissionsMode",
	"permissions.disableAutoMode",
	"permissions.additionalDirectories",
	"permissions.blockReadsOutsideWorkingDirectories",
	"permissions.blockWritesOutsideWorkingDirectories",
	"permissions.denyInsteadOfPrompting",
	"allowManagedPermissionRulesOnly",
	"allowManagedHooksOnly",
	"allowManagedMcpServersOnly",
	"env",
	"hooks",
	"disableAllHooks",
};

static const char *const srt_keys[] = {
	"network.allowedDomains",
	"network.deniedDomains",
	"network.deniedDomainReasons",
	"network.strictAllowlist",
	"network.deniedResolvedAddresses",
	"network.filterRequest",
	"network.allowUnixSockets",
	"network.allowAllUnixSockets",
	"network.allowLocalBinding",
	"network.allowMachLookup",
	"network.httpProxyPort",
	"network.socksProxyPort",
	"network.mitmProxy",
	"network.tlsTerminate",
	"network.allowPlaintextHeaderSet",
	"network.stripResponseHeaders",
	"network.refuseOpaqueTunnels",
	"network.requireHostMatch",
	"network.ambiguousRequestTarget",
	"network.parentProxy",
	"filesystem.denyRead",
	"filesystem.allowRead",
	"filesystem.allowWrite",
	"filesystem.denyWrite",
	"filesystem.allowGitConfig",
	"filesystem.disabled",
	"credentials.files",
	"credentials.envVars",
	"credentials.allowPlaintextInject",
	"credentials.awsPairs",
	"credentials.sigv4",
	"ignoreViolations",
	"enableWeakerNestedSandbox",
	"allowNestedUserNamespaces",
	"enableWeakerNetworkIsolation",
	"allowAppleEvents",
	"allowPty",
	"ripgrep",
	"mandatoryDenySearchDepth",
	"seccomp",
	"bwrapPath",
	"socatPath",
	"javaAgentJarPath",
	"git.safeDirectories",
	"windows",
};

static const char *const codex_keys[] = {
	"sandbox_mode",
	"sandbox_workspace_write.writable_roots",
	"sandbox_workspace_write.network_access",
	"sandbox_workspace_write.exclude_tmpdir_env_var",
	"sandbox_workspace_write.exclude_slash_tmp",
	"default_permissions",
	"permissions.*.description",
	"permissions.*.extends",
	"permissions.*.workspace_roots",
	"permissions.*.filesystem.glob_scan_max_depth",
	"permissions.*.filesystem.:root",
	"permissions.*.filesystem.:minimal",
	"permissions.*.filesystem.:workspace_roots",
	"permissions.*.filesystem.:project_roots",
	"permissions.*.filesystem.:tmpdir",
	"permissions.*.filesystem.:slash_tmp",
	"permissions.*.filesystem.*",
	"permissions.*.network.enabled",
	"permissions.*.network.transparent_tcp",
	"permissions.*.network.proxy_url",
	"permissions.*.network.enable_socks5",
	"permissions.*.network.socks_url",
	"permissions.*.network.enable_socks5_udp",
	"permissions.*.network.allow_upstream_proxy",
	"permissions.*.network.dangerously_allow_non_loopback_proxy",
	"permissions.*.network.dangerously_allow_all_unix_sockets",
	"permissions.*.network.mode",
	"permissions.*.network.allow_local_binding",
	"permissions.*.network.domains",
	"permissions.*.network.unix_sockets",
	"permissions.*.network.mitm",
	"approval_policy",
	"approvals_reviewer",
	"auto_review",
	"allow_login_shell",
	"shell_environment_policy.inherit",
	"shell_environment_policy.ignore_default_excludes",
	"shell_environment_policy.exclude",
	"shell_environment_policy.include_only",
	"shell_environment_policy.set",
	"shell_environment_policy.experimental_use_profile",
	"shell_environment_policy.filters",
	"windows",
	"projects",
	"features",
};

static const char *const codex_requirements[] = {
	"allowed_approval_policies",
	"allowed_approvals_reviewers",
	"allowed_sandbox_modes",
	"allowed_permission_profiles",
	"default_permissions",
	"remote_sandbox_config",
	"windows",
	"rules.prefix_rules",
	"permissions.filesystem.deny_read",
	"experimental_network.enabled",
	"experimental_network.http_port",
	"experimental_network.socks_port",
	"experimental_network.allow_upstream_proxy",
	"experimental_network.domains",
	"experimental_network.managed_allowed_domains_only",
	"experimental_network.unix_sockets",
	"experimental_network.allow_local_binding",
	"features",
};

static void all_known(struct front_table t, const char *before, const char *const *keys, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *path = str_printf("%s%s", before, keys[i]);
		bool found = false;

		for (size_t j = 0; j < t.n; j++)
			found = found || streq(t.v[j].path, path);
		if (!found)
			fail_msg("no entry for %s", path);
	}
}

static void test_every_key_is_known(void **state)
{
	(void)state;
	all_known(front_keys(FRONT_CLAUDE), "sandbox.", claude_sandbox, ARRAY_SIZE(claude_sandbox));
	all_known(front_keys(FRONT_CLAUDE), "", claude_other, ARRAY_SIZE(claude_other));
	all_known(front_keys(FRONT_SRT), "", srt_keys, ARRAY_SIZE(srt_keys));
	all_known(front_keys(FRONT_CODEX), "", codex_keys, ARRAY_SIZE(codex_keys));
	all_known(front_requirements_keys(), "", codex_requirements,
		  ARRAY_SIZE(codex_requirements));
}

/* Of Codex's keys these are read when the whole file is there. */
static bool read_later(const char *path)
{
	return str_starts(path, "permissions.") || str_starts(path, "sandbox_") ||
	       streq(path, "default_permissions");
}

static void all_handled(struct front_table t, bool codex)
{
	for (size_t i = 0; i < t.n; i++) {
		const struct front_key *k = &t.v[i];
		bool acts = k->how == FRONT_HELD || k->how == FRONT_BECOMES ||
			    k->how == FRONT_NOT_HELD || k->how == FRONT_REFUSED;

		if (acts && !k->take && !(codex && read_later(k->path)))
			fail_msg("%s: nothing reads it", k->path);
		if (!acts && k->take)
			fail_msg("%s: is read, but not by its description", k->path);
		if (k->how != FRONT_INSIDE && strlen(k->what) < 5)
			fail_msg("%s: nothing is said about it", k->path);
		for (size_t j = 0; j < i; j++)
			if (streq(t.v[j].path, k->path))
				fail_msg("%s: stands there twice", k->path);
	}
}

static void test_every_key_is_handled(void **state)
{
	(void)state;
	all_handled(front_keys(FRONT_CLAUDE), false);
	all_handled(front_keys(FRONT_SRT), false);
	all_handled(front_keys(FRONT_CODEX), true);
	all_handled(front_requirements_keys(), false);
}

static void test_coverage(void **state)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1u << 20), json = BUF_INIT(1u << 20);
	json_t *list;

	(void)state;
	assert_int_equal(front_coverage_text(-1, &text), 0);
	assert_non_null(strstr(text.data, "requirements.toml"));
	assert_non_null(strstr(text.data, "network.refuseOpaqueTunnels"));
	assert_int_equal(front_coverage_json(FRONT_SRT, &json), 0);
	list = json_loads(json.data, 0, NULL);
	assert_non_null(list);
	assert_true(json_array_size(list) >= ARRAY_SIZE(srt_keys));
	json_decref(list);
}

/* ---- round trips --------------------------------------------------------------- */

static int up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_up(m);
	put_dir(m, "ws/.git");
	put_dir(m, "ws/build");
	put_dir(m, "ws/d/e");
	put_dir(m, "home/data");
	*state = m;
	return 0;
}

static int down(void **state)
{
	machine_down(*state);
	free(*state);
	return 0;
}

static const char *const paths[] = { "ws/a",	   "ws/b",	"ws/d/a",      "ws/d/e/f",
				     "ws/build/x", "ws/x.lock", "ws/d/y.pem",  "ws/.env",
				     "ws/.bashrc", "ws/ci/x",	"home/data/x", "ws/src/x" };
static const char *const hosts[] = { "a.example",  "b.example", "x.b.example",	 "pypi.org",
				     "github.com", "10.1.2.3",	"c.example:8443" };

/* Everything that is judged, as text. */
static char *verdicts(struct machine *m)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 16);
	static const enum file_op ops[] = { OP_READ, OP_WRITE, OP_CREATE, OP_DELETE };

	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		for (size_t j = 0; j < ARRAY_SIZE(ops); j++) {
			struct verdict v = judge(m, ops[j], paths[i], FT_REG);

			(void)buf_addf(&b, "%s %u: %u %d\n", paths[i], ops[j], v.decision, v.err);
		}
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		struct net_verdict v;
		struct host h;
		uint16_t port;

		assert_int_equal(host_port_parse(hosts[i], 443, &h, &port, &m->err), 0);
		net_judge(m->spec->network.policy, &h, port, &v);
		(void)buf_addf(&b, "%s: %u\n", hosts[i], v.decision);
	}
	(void)buf_addf(&b, "mode %u net %u fail %d guard %d %d %d %zu %zu\n", m->spec->mode,
		       m->spec->net, m->spec->fail_if_unavailable, m->spec->guard.sandbox,
		       m->spec->guard.auto_allow, m->spec->guard.allow_unsandboxed,
		       m->spec->guard.n_rules, m->spec->guard.n_excluded);
	for (char **e = m->spec->envp; *e; e++)
		if (!str_starts(*e, "BERM_SESSION="))
			(void)buf_addf(&b, "%s\n", *e);
	return take_ptr(b.data);
}

static const struct {
	const char *arg, *text;
} files[] = {
	{ "claude:ws/s.json",
	  "{\"sandbox\":{\"enabled\":true,\"failIfUnavailable\":false,\"autoAllowBashIfSandboxed\":false,"
	  "\"allowUnsandboxedCommands\":false,\"excludedCommands\":[\"docker *\"],\"network\":{"
	  "\"allowedDomains\":[\"a.example\",\"*.b.example\"],\"deniedDomains\":[\"x.b.example\"]},"
	  "\"filesystem\":{\"allowWrite\":[\"~/data\"],\"denyWrite\":[\"**/*.lock\"],\"denyRead\":["
	  "\"**/*.pem\",\"d\"],\"allowRead\":[\"d/e\"]}},\"permissions\":{\"allow\":[\"Bash(npm test:*)\","
	  "\"Edit(src/**)\",\"WebFetch(domain:c.example)\"],\"ask\":[\"Edit(ci/**)\",\"WebFetch(domain:"
	  "github.com)\"],\"deny\":[\"Read(./a)\",\"Edit(b)\",\"Bash(rm *)\"]},\"env\":{\"FOO\":\"1\"}}" },
	{ "claude:ws/s.json", "{}" },
	{ "claude:ws/s.json", "{\"permissions\":{\"defaultMode\":\"plan\"}}" },
	{ "srt:ws/s.json",
	  "{\"network\":{\"allowedDomains\":[\"a.example\"],\"deniedDomains\":[\"*\"],"
	  "\"deniedResolvedAddresses\":[\"10.0.0.0/8\"]},\"filesystem\":{\"denyRead\":[\"d\"],"
	  "\"allowRead\":[\"d/e\"],\"allowWrite\":[\"build\",\"~/data\"],\"denyWrite\":[\"build/x\"],"
	  "\"allowGitConfig\":true}}" },
	{ "codex:ws/s.toml", "sandbox_mode = \"read-only\"\n" },
	{ "codex:ws/s.toml",
	  "sandbox_mode = \"workspace-write\"\nsandbox_workspace_write.network_access = true\n" },
	{ "codex:ws/s.toml",
	  "approval_policy = \"never\"\ndefault_permissions = \"p\"\n[permissions.p]\nextends = "
	  "\":workspace\"\n[permissions.p.filesystem]\n\"~/data\" = \"write\"\n"
	  "[permissions.p.filesystem.\":workspace_roots\"]\n\".\" = \"read\"\nbuild = \"write\"\n\"**/*.pem\" "
	  "= \"deny\"\nd = \"deny\"\n\"d/e\" = \"write\"\n[permissions.p.network]\nenabled = true\ndomains = { "
	  "\"**.b.example\" = \"allow\", \"x.b.example\" = \"deny\" }\n" },
	{ "codex:ws/s.rules",
	  "prefix_rule(pattern=[\"git\", [\"push\", \"fetch\"]], decision=\"prompt\", justification=\"w\")\n"
	  "prefix_rule(pattern=[\"rm\"], decision=\"forbidden\")\nload(\"x\")\n" },
};

/* Read as they stand, or imported and read as berm's own: the same. */
static void test_import(void **state)
{
	struct machine *m = *state;
	const char *policy[] = { "imported.json" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_free_ char *arg = strdup(files[i].arg), *direct = NULL, *again = NULL;
		_cleanup_buf_ struct buf json = BUF_INIT(1u << 20);
		struct front_parts parts = { 0 };
		const char *settings[1], *file;
		enum front_kind kind;
		size_t lost;

		/* the work directory is ws */
		memmove(strchr(arg, ':') + 1, strchr(arg, '/') + 1, strlen(strchr(arg, '/')));
		put(m, strchr(files[i].arg, ':') + 1, files[i].text);
		settings[0] = arg;
		m->in.settings = settings;
		m->in.n_settings = 1;
		m->in.n_policy_files = 0;
		direct = verdicts(m);
		assert_int_equal(front_arg_parse(arg, &kind, &file, &m->err), 0);
		if (front_read_one(&m->in, kind, file, &parts, &m->err) < 0)
			fail_msg("%s", m->err.msg);
		assert_int_equal(settings_to_json(&parts, &json, &lost), 0);
		front_parts_free(&parts);
		put(m, "ws/imported.json", json.data);
		m->in.n_settings = 0;
		m->in.policy_files = policy;
		m->in.n_policy_files = 1;
		again = verdicts(m);
		if (!streq(direct, again))
			fail_msg("file %zu: %s\n%s\n--- direct\n%s--- imported\n%s", i,
				 files[i].text, json.data, direct, again);
		m->in.n_policy_files = 0;
	}
}

/* What comes out is read by the other tool's own reader, and opens nothing that was closed. */
static void test_export(void **state)
{
	static const struct {
		enum export_kind kind;
		const char *file, *arg;
	} tools[] = {
		{ EXPORT_CLAUDE, "ws/e.json", "claude:e.json" },
		{ EXPORT_SRT, "ws/e.json", "srt:e.json" },
		{ EXPORT_CODEX, "ws/e.toml", "codex:e.toml" },
	};
	struct machine *m = *state;
	const char *policy[] = { "own.json" };

	put(m, "ws/own.json",
	    "{\"files\":{\"a\":\"none\",\"b\":\"read\",\"~/data\":\"write\",\"**/*.pem\":\"none\",\"ci\":\"ask\"},"
	    "\"network\":{\"default\":\"deny\",\"allow\":[\"a.example\",\"*.b.example\"],\"deny\":["
	    "\"x.b.example\"]},\"guard\":{\"rules\":[{\"command\":[\"rm\"],\"decision\":\"deny\"}],"
	    "\"excluded_commands\":[\"docker *\"]},\"limits\":{\"files\":1024}}");
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		_cleanup_buf_ struct buf out = BUF_INIT(1u << 20);
		_cleanup_strv_ struct strv lost = { 0 };
		const char *settings[] = { tools[i].arg };

		m->in.n_settings = 0;
		m->in.policy_files = policy;
		m->in.n_policy_files = 1;
		(void)resolve(m);
		assert_int_equal(policy_export(m->spec, tools[i].kind, &out, &lost, &m->err), 0);
		assert_true(strv_contains(&lost, "limits"));
		put(m, tools[i].file, out.data);
		m->in.settings = settings;
		m->in.n_settings = 1;
		m->in.n_policy_files = 0;
		(void)resolve(m);
		assert_int_equal(judge(m, OP_READ, "ws/a", FT_REG).err, EACCES);
		assert_int_equal(judge(m, OP_WRITE, "ws/b", FT_REG).err, EACCES);
		assert_int_equal(judge(m, OP_READ, "ws/b", FT_REG).err, 0);
		assert_int_equal(judge(m, OP_READ, "ws/d/x.pem", FT_REG).err, EACCES);
		assert_int_equal(judge(m, OP_WRITE, "ws/x", FT_REG).err, 0);
		assert_true(judge(m, OP_WRITE, "ws/ci/x", FT_REG).decision != VERDICT_ALLOW);
		{
			_cleanup_free_ char *all = verdicts(m);

			assert_non_null(strstr(all, "a.example: 0"));
			assert_non_null(strstr(all, "\nb.example: 1"));
			assert_non_null(strstr(all, "x.b.example: 1"));
		}
		m->in.n_settings = 0;
	}
}

static void test_export_bwrap(void **state)
{
	_cleanup_buf_ struct buf out = BUF_INIT(1u << 20);
	_cleanup_strv_ struct strv lost = { 0 };
	static char secret[] = "MY_TOKEN=s3cret", lang[] = "LANG=C";
	static char *vars[] = { secret, lang, NULL };
	const char *env[] = { "MY_TOKEN" };
	struct machine *m = *state;

	m->in.environ = vars;
	m->in.env = env;
	m->in.n_env = 1;
	(void)resolve(m);
	assert_int_equal(policy_export(m->spec, EXPORT_BWRAP, &out, &lost, &m->err), 0);
	assert_non_null(strstr(out.data, "--unshare-net"));
	assert_non_null(strstr(out.data, "--setenv LANG \"${LANG-}\""));
	assert_null(strstr(out.data, "s3cret"));
	assert_null(strstr(out.data, "_PROXY"));
	assert_non_null(strstr(out.data, m->ws));
	assert_true(lost.n > 3);
	m->in.environ = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_is_known),
		cmocka_unit_test(test_every_key_is_handled),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test_setup_teardown(test_import, up, down),
		cmocka_unit_test_setup_teardown(test_export, up, down),
		cmocka_unit_test_setup_teardown(test_export_bwrap, up, down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
