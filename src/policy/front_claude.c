/* SPDX-License-Identifier: Apache-2.0 */
/* Claude Code's settings files: its keys as of 2.1.332. */
#include <string.h>

#include "base/str.h"
#include "policy/data.h"
#include "policy/front_impl.h"
#include "policy/pattern.h"

#define NO_TLS "this release reads no TLS"
#define MAC_ONLY "about macOS only"
#define OWN_PARTS "berm needs no helper programs"
#define AGENT "about the agent, not about what a command may touch"

/* ---- sandbox ------------------------------------------------------------- */

static int take_enabled(struct front *f, const struct json_node *n, const struct front_key *k)
{
	if (json_is_false(n->value))
		f->sandbox_off = true;
	if (json_is_true(n->value))
		f->lists_hosts = true;
	return front_take_scalar_bool(f, n, k);
}

static int one_excluded(struct front *f, const struct json_node *n, const char *text,
			const struct front_key *k)
{
	(void)k;
	if (!*text)
		return front_fail(f, n, "an empty command");
	return front_open(f, n, SET_EXCLUDED, text, NULL, 0, 0);
}

static int take_excluded(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_strings(f, n, one_excluded, k);
}

/* Where the list leaves Linux out, no sandbox is wanted here: guard's to know; "berm run" has
 * been asked for one. */
static int take_platforms(struct front *f, const struct json_node *n, const struct front_key *k)
{
	bool here = false;

	(void)k;
	if (!json_is_array(n->value))
		return front_wrong_type(f, n, "a list of strings");
	for (size_t i = 0; i < n->n_kids; i++) {
		const char *text = json_string_value(n->kids[i].value);

		if (!text)
			return front_wrong_type(f, &n->kids[i], "a list of strings");
		here = here || streq(text, "linux") || streq(text, "wsl");
	}
	if (here)
		return 0;
	f->sandbox_off = true;
	return front_open(f, n, SET_SANDBOX, NULL, NULL, SANDBOX_EXCLUDED, 0);
}

static int take_managed_only(struct front *f, const struct json_node *n, const struct front_key *k)
{
	if (!json_is_boolean(n->value))
		return front_wrong_type(f, n, "true or false");
	if (k->arg == SET_NET_MANAGED_ONLY)
		return front_open(f, n, SET_NET_MANAGED_ONLY, NULL, NULL, json_is_true(n->value),
				  0);
	if (json_is_true(n->value) && k->arg == SET_FILE)
		f->out->managed_reads_only = true;
	if (json_is_true(n->value) && k->arg == SET_GUARD_RULE)
		f->out->managed_rules_only = true;
	return 0;
}

/* ---- permissions --------------------------------------------------------- */

static int take_default_mode(struct front *f, const struct json_node *n, const struct front_key *k)
{
	const char *mode = json_string_value(n->value);

	(void)k;
	if (!mode)
		return front_wrong_type(f, n, "a string");
	if (streq(mode, "plan"))
		return front_open(f, n, SET_MODE, NULL, "plan", MODE_PLAN, 0);
	if (streq(mode, "dontAsk"))
		return front_open(f, n, SET_AUTONOMY, NULL, NULL, AUTONOMY_PROPOSE, 0);
	if (streq(mode, "default"))
		return 0;
	return front_remark(f, n,
			    "not enforceable: \"%s\" is left to the agent; berm asks as its "
			    "own rules say",
			    mode);
}

static int take_no_prompts(struct front *f, const struct json_node *n, const struct front_key *k)
{
	int r;

	(void)k;
	if (!json_is_boolean(n->value))
		return front_wrong_type(f, n, "true or false");
	if (!json_is_true(n->value))
		return 0;
	r = front_open(f, n, SET_AUTONOMY, NULL, NULL, AUTONOMY_PROPOSE, 0);
	return r < 0 ? r : front_open(f, n, SET_NET_DEFAULT, NULL, NULL, VERDICT_DENY, 0);
}

static int one_directory(struct front *f, const struct json_node *n, const char *text,
			 const struct front_key *k)
{
	(void)k;
	if (!*text)
		return front_fail(f, n, "an empty path");
	return front_file(f, n, front_sandbox_pattern(f, text, true), ACCESS_WRITE, 0, NULL);
}

static int take_directories(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_strings(f, n, one_directory, k);
}

/* ---- environment --------------------------------------------------------- */

static bool is_secret(const char *name)
{
	for (size_t i = 0; i < data_env_secret.n; i++)
		if (glob_match(data_text(&data_env_secret, i), name, true))
			return true;
	return false;
}

/* What a project puts here reaches every command of whoever opens it, the agent's key included
 * (by way of a proxy or a base address): it counts only when it is trusted, and what makes
 * programs load code never does. */
static int take_env(struct front *f, const struct json_node *n, const struct front_key *k)
{
	(void)k;
	if (!json_is_object(n->value))
		return front_wrong_type(f, n, "an object of \"NAME\": \"value\"");
	for (size_t i = 0; i < n->n_kids; i++) {
		const struct json_node *kid = &n->kids[i];
		int r;

		if (!json_is_string(kid->value))
			return front_wrong_type(f, kid, "an object of \"NAME\": \"value\"");
		if (!kid->key[0] || strchr(kid->key, '='))
			return front_fail(f, kid, "this is not the name of a variable");
		if (is_secret(kid->key))
			r = front_remark(f, kid,
					 "%s is left out: it looks like a secret (--env "
					 "%s passes it)",
					 kid->key, kid->key);
		else
			r = front_open(f, kid, SET_ENV_SET, kid->key, json_string_value(kid->value),
				       0, 0);
		if (r < 0)
			return r;
	}
	return 0;
}

/* clang-format off */
const struct front_key front_claude_keys[] = {
	{ "$schema", FRONT_NO_MATTER, "names a schema", NULL, 0, 0 },
	{ "sandbox", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "sandbox.enabled", FRONT_BECOMES, "whether the hook wraps commands (\"berm run\" always does); true: the curated groups of hosts are off", take_enabled, SET_SANDBOX, 0 },
	{ "sandbox.failIfUnavailable", FRONT_HELD, "fail_if_unavailable; where it is not said, berm refuses (Claude Code: runs bare)", front_take_scalar_bool, SET_FAIL_IF_UNAVAILABLE, 0 },
	{ "sandbox.autoAllowBashIfSandboxed", FRONT_HELD, "guard: a command that will run in the sandbox is not asked about", front_take_scalar_bool, SET_AUTO_ALLOW, 0 },
	{ "sandbox.allowUnsandboxedCommands", FRONT_HELD, "guard: an override is an ask each time, and in the audit log", front_take_scalar_bool, SET_ALLOW_UNSANDBOXED, 0 },
	{ "sandbox.excludedCommands", FRONT_HELD, "guard: a line leaves only if each part of it matches", take_excluded, 0, 0 },
	{ "sandbox.enabledPlatforms", FRONT_BECOMES, "as sandbox.enabled: false where Linux is not listed", take_platforms, 0, 0 },
	{ "sandbox.network", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "sandbox.network.allowedDomains", FRONT_HELD, "network.allow; the curated groups are off then, others are asked for", front_take_hosts, VERDICT_ALLOW, 0 },
	{ "sandbox.network.deniedDomains", FRONT_HELD, "network.deny, before every allow", front_take_hosts, VERDICT_DENY, 0 },
	{ "sandbox.network.deniedDomainReasons", FRONT_NO_MATTER, "a text; berm names the rule and its line", NULL, 0, 0 },
	{ "sandbox.network.strictAllowlist", FRONT_HELD, "network.default: deny, and no curated groups", front_take_strict, 0, 0 },
	{ "sandbox.network.deniedResolvedAddresses", FRONT_HELD, "network.deny of addresses: what a name leads to is looked at", front_take_addresses, 0, 0 },
	{ "sandbox.network.allowManagedDomainsOnly", FRONT_HELD, "network.allow_managed_domains_only", take_managed_only, SET_NET_MANAGED_ONLY, FRONT_MANAGED_ONLY },
	{ "sandbox.network.allowUnixSockets", FRONT_HELD, "network.allow_unix_sockets (Claude Code: on macOS only)", front_take_sockets, 0, 0 },
	{ "sandbox.network.allowAllUnixSockets", FRONT_HELD, "network.allow_all_unix_sockets; AF_VSOCK stays closed", front_take_scalar_bool, SET_NET_ALL_SOCKETS, 0 },
	{ "sandbox.network.allowLocalBinding", FRONT_NO_MATTER, "the command has a loopback of its own that nobody else reaches", NULL, 0, 0 },
	{ "sandbox.network.allowMachLookup", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "sandbox.network.httpProxyPort", FRONT_HELD, "network.http_proxy_port", front_take_port, SET_NET_HTTP_PORT, 0 },
	{ "sandbox.network.socksProxyPort", FRONT_HELD, "network.socks_proxy_port", front_take_port, SET_NET_SOCKS_PORT, 0 },
	{ "sandbox.network.mitmProxy", FRONT_BECOMES, "its hosts are denied: no proxy of yours is put between", front_take_mitm, 0, 0 },
	{ "sandbox.network.tlsTerminate", FRONT_NOT_HELD, NO_TLS, front_take_told, 0, FRONT_NOT_PROJECT },
	{ "sandbox.network.filterRequest", FRONT_REFUSED, "a function; " NO_TLS, front_take_refused, 0, 0 },
	{ "sandbox.network.allowPlaintextHeaderSet", FRONT_NO_MATTER, "no header is set", NULL, 0, 0 },
	{ "sandbox.network.stripResponseHeaders", FRONT_NOT_HELD, NO_TLS, front_take_told, 0, 0 },
	{ "sandbox.network.refuseOpaqueTunnels", FRONT_REFUSED, NO_TLS ": every tunnel is opaque", front_take_refused, 0, 0 },
	{ "sandbox.network.requireHostMatch", FRONT_ALWAYS, "Host and SNI must name the host that was judged", NULL, 0, 0 },
	{ "sandbox.network.ambiguousRequestTarget", FRONT_NO_MATTER, "no rule is about paths", NULL, 0, 0 },
	{ "sandbox.network.parentProxy", FRONT_HELD, "network.upstream_proxy", front_take_parent_proxy, 0, 0 },
	{ "sandbox.filesystem", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "sandbox.filesystem.allowWrite", FRONT_HELD, "files: write", front_take_paths, FRONT_ALLOW_WRITE, 0 },
	{ "sandbox.filesystem.denyWrite", FRONT_HELD, "files: no writing, before every allow; patterns too (Claude Code on Linux: not)", front_take_paths, FRONT_DENY_WRITE, 0 },
	{ "sandbox.filesystem.denyRead", FRONT_HELD, "files: none; also of files that come later", front_take_paths, FRONT_DENY_READ, 0 },
	{ "sandbox.filesystem.allowRead", FRONT_HELD, "files: shown; berm shows the system's directories, the rest only where named", front_take_paths, FRONT_ALLOW_READ, 0 },
	{ "sandbox.filesystem.allowWriteWithinDeny", FRONT_NOT_HELD, "denyWrite holds for what lies below, too", front_take_told, 0, 0 },
	{ "sandbox.filesystem.allowManagedReadPathsOnly", FRONT_HELD, "allowRead of other files is left out", take_managed_only, SET_FILE, FRONT_MANAGED_ONLY },
	{ "sandbox.filesystem.allowGitConfig", FRONT_HELD, "unprotect git-config", front_take_git_config, 0, 0 },
	{ "sandbox.filesystem.disabled", FRONT_NOT_HELD, "a settings file does not take the wall away; --sandbox off does, and says so", front_take_told, 0, FRONT_NOT_PROJECT },
	{ "sandbox.credentials", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "sandbox.credentials.files", FRONT_BECOMES, "files: none; what would be masked is not there", front_take_credential_files, 0, 0 },
	{ "sandbox.credentials.envVars", FRONT_BECOMES, "env.unset; what would be masked is not there", front_take_credential_vars, 0, 0 },
	{ "sandbox.credentials.allowPlaintextInject", FRONT_NO_MATTER, "nothing is injected", NULL, 0, 0 },
	{ "sandbox.credentials.awsPairs", FRONT_NO_MATTER, "nothing is injected; AWS_* is not passed on", NULL, 0, 0 },
	{ "sandbox.credentials.sigv4", FRONT_NO_MATTER, "nothing is signed", NULL, 0, 0 },
	{ "sandbox.credentials.stsAndIam", FRONT_NO_MATTER, "nothing is signed", NULL, 0, 0 },
	{ "sandbox.ignoreViolations", FRONT_HELD, "ignore_violations, of the entry \"*\"", front_take_ignore, 0, 0 },
	{ "sandbox.enableWeakerNestedSandbox", FRONT_NO_MATTER, "berm has no weaker sandbox of that kind", NULL, 0, 0 },
	{ "sandbox.allowNestedUserNamespaces", FRONT_NOT_HELD, "user namespaces stay refused inside", front_take_told, 0, FRONT_NOT_PROJECT },
	{ "sandbox.enableWeakerNetworkIsolation", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "sandbox.allowAppleEvents", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "sandbox.allowPty", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "sandbox.mandatoryDenySearchDepth", FRONT_ALWAYS, "protected names hold at every depth", NULL, 0, 0 },
	{ "sandbox.ripgrep", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "sandbox.seccomp", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "sandbox.bwrapPath", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "sandbox.socatPath", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "sandbox.javaAgentJarPath", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "sandbox.git", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "sandbox.git.safeDirectories", FRONT_NO_MATTER, "git's own settings decide", NULL, 0, 0 },
	{ "sandbox.windows", FRONT_NO_MATTER, "about Windows only", NULL, 0, 0 },
	{ "permissions", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "permissions.allow", FRONT_HELD, "Edit: files write; Read: shown; WebFetch(domain:): network.allow; Bash: guard; other tools are the agent's", front_take_permissions, VERDICT_ALLOW, 0 },
	{ "permissions.ask", FRONT_HELD, "as allow, with \"ask\"; before every allow", front_take_permissions, VERDICT_ASK, 0 },
	{ "permissions.deny", FRONT_HELD, "Edit: no writing; Read: not there; WebFetch(domain:): network.deny; Bash: guard; before every allow and ask", front_take_permissions, VERDICT_DENY, 0 },
	{ "permissions.additionalDirectories", FRONT_HELD, "files: write", take_directories, 0, 0 },
	{ "permissions.defaultMode", FRONT_BECOMES, "plan: mode plan; dontAsk: what would ask is denied; others are left to the agent", take_default_mode, 0, 0 },
	{ "permissions.disableBypassPermissionsMode", FRONT_ALWAYS, "no mode of the agent's opens anything", NULL, 0, 0 },
	{ "permissions.disableAutoMode", FRONT_ALWAYS, "no mode of the agent's opens anything", NULL, 0, 0 },
	{ "permissions.blockReadsOutsideWorkingDirectories", FRONT_ALWAYS, "nothing of yours is there but the workspace and what is named", NULL, 0, 0 },
	{ "permissions.blockWritesOutsideWorkingDirectories", FRONT_ALWAYS, "only the workspace and what is named can be written", NULL, 0, 0 },
	{ "permissions.denyInsteadOfPrompting", FRONT_HELD, "what would ask is denied", take_no_prompts, 0, 0 },
	{ "permissions.allowManagedPermissionRulesOnly", FRONT_HELD, "allow rules of other files are left out", take_managed_only, SET_GUARD_RULE, FRONT_MANAGED_ONLY },
	{ "allowManagedPermissionRulesOnly", FRONT_HELD, "allow rules of other files are left out", take_managed_only, SET_GUARD_RULE, FRONT_MANAGED_ONLY },
	{ "allowManagedHooksOnly", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "allowManagedMcpServersOnly", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "env", FRONT_HELD, "env.set; secrets and what loads code are left out", take_env, 0, 0 },
	{ "hooks", FRONT_NO_MATTER, AGENT ": what a hook starts inside the sandbox is held like every command", NULL, 0, 0 },
	{ "disableAllHooks", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "mcpServers", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "enableAllProjectMcpServers", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "enabledMcpjsonServers", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "disabledMcpjsonServers", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "allowedMcpServers", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "deniedMcpServers", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "apiKeyHelper", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "awsAuthRefresh", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "awsCredentialExport", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "otelHeadersHelper", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "forceLoginMethod", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "forceLoginOrgUUID", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "cleanupPeriodDays", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "companyAnnouncements", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "includeCoAuthoredBy", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "attribution", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "model", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "availableModels", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "effortLevel", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "alwaysThinkingEnabled", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "outputStyle", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "statusLine", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "subagentStatusLine", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "fileSuggestion", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "respectGitignore", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "language", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "theme", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "plansDirectory", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "autoUpdatesChannel", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "spinnerTipsEnabled", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "skipDangerousModePermissionPrompt", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "enabledPlugins", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "extraKnownMarketplaces", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "strictKnownMarketplaces", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "pluginConfigs", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "agent", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "teammateMode", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "autoMemoryEnabled", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
	{ "claudeMdExcludes", FRONT_NO_MATTER, AGENT, NULL, 0, 0 },
};
/* clang-format on */
const size_t front_claude_keys_n = ARRAY_SIZE(front_claude_keys);
