/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox-runtime's settings file: its keys as of 0.0.83. Nothing may be written that it does
 * not name, the work directory neither, and no host reached. */
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/front_impl.h"
#include "policy/pattern.h"

#define NO_TLS "this release reads no TLS"
#define MAC_ONLY "about macOS only"
#define OWN_PARTS "berm needs no helper programs"

/* The workspace is writable in berm, and nothing is in srt: what allowWrite does not cover is
 * closed again, at the least specific place. */
static int close_workspace(struct front *f, const struct json_node *root, const char *ws)
{
	_cleanup_free_ char *head = pattern_escape(ws), *all = NULL;
	const struct settings *s = &f->out->open;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].key == SET_FILE && s->v[i].number == ACCESS_WRITE &&
		    front_covers(f, s->v[i].name, ws))
			return 0;
	all = head ? str_printf("%s/*", streq(head, "/") ? "" : head) : NULL;
	return front_file(f, root, take_ptr(all), ACCESS_READ, RULE_WRITES_ONLY, NULL);
}

static int required(struct front *f, const struct json_node *root)
{
	static const struct {
		const char *object, *keys[4];
	} needs[] = {
		{ "network", { "allowedDomains", "deniedDomains" } },
		{ "filesystem", { "denyRead", "allowWrite", "denyWrite" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		const struct json_node *n = front_member(root, needs[i].object);

		if (!n)
			return front_fail(f, root, "\"%s\" is missing: srt does not start without",
					  needs[i].object);
		for (size_t j = 0; needs[i].keys[j]; j++)
			if (!front_member(n, needs[i].keys[j]))
				return front_fail(f, n,
						  "\"%s\" is missing in \"%s\": srt does not "
						  "start without",
						  needs[i].keys[j], needs[i].object);
	}
	return 0;
}

int front_srt_finish(struct front *f, const struct json_node *root)
{
	int r = required(f, root);

	if (r >= 0)
		r = front_only_listed(f, root, true);
	for (size_t i = 0; i < f->at->n_workspaces && r >= 0; i++)
		r = close_workspace(f, root, f->at->workspaces[i]);
	return r;
}

/* clang-format off */
const struct front_key front_srt_keys[] = {
	{ "network", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "network.allowedDomains", FRONT_HELD, "network.allow; the curated groups are off and nobody is asked", front_take_hosts, VERDICT_ALLOW, 0 },
	{ "network.deniedDomains", FRONT_HELD, "network.deny, before every allow", front_take_hosts, VERDICT_DENY, 0 },
	{ "network.deniedDomainReasons", FRONT_NO_MATTER, "a text; berm names the rule and its line", NULL, 0, 0 },
	{ "network.strictAllowlist", FRONT_ALWAYS, "nobody is asked about hosts under srt's settings", NULL, 0, 0 },
	{ "network.deniedResolvedAddresses", FRONT_HELD, "network.deny of addresses: what a name leads to is looked at", front_take_addresses, 0, 0 },
	{ "network.allowUnixSockets", FRONT_HELD, "network.allow_unix_sockets (srt: on macOS only)", front_take_sockets, 0, 0 },
	{ "network.allowAllUnixSockets", FRONT_HELD, "network.allow_all_unix_sockets; AF_VSOCK stays closed", front_take_scalar_bool, SET_NET_ALL_SOCKETS, 0 },
	{ "network.allowLocalBinding", FRONT_NO_MATTER, "the command has a loopback of its own that nobody else reaches", NULL, 0, 0 },
	{ "network.allowMachLookup", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "network.httpProxyPort", FRONT_HELD, "network.http_proxy_port", front_take_port, SET_NET_HTTP_PORT, 0 },
	{ "network.socksProxyPort", FRONT_HELD, "network.socks_proxy_port", front_take_port, SET_NET_SOCKS_PORT, 0 },
	{ "network.mitmProxy", FRONT_BECOMES, "its hosts are denied: no proxy of yours is put between", front_take_mitm, 0, 0 },
	{ "network.tlsTerminate", FRONT_NOT_HELD, NO_TLS, front_take_told, 0, 0 },
	{ "network.filterRequest", FRONT_REFUSED, "a function; " NO_TLS, front_take_refused, 0, 0 },
	{ "network.allowPlaintextHeaderSet", FRONT_NO_MATTER, "no header is set", NULL, 0, 0 },
	{ "network.stripResponseHeaders", FRONT_NOT_HELD, NO_TLS, front_take_told, 0, 0 },
	{ "network.refuseOpaqueTunnels", FRONT_REFUSED, NO_TLS ": every tunnel is opaque", front_take_refused, 0, 0 },
	{ "network.requireHostMatch", FRONT_ALWAYS, "Host and SNI must name the host that was judged", NULL, 0, 0 },
	{ "network.ambiguousRequestTarget", FRONT_NO_MATTER, "no rule is about paths", NULL, 0, 0 },
	{ "network.parentProxy", FRONT_HELD, "network.upstream_proxy", front_take_parent_proxy, 0, 0 },
	{ "filesystem", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "filesystem.denyRead", FRONT_HELD, "files: none; also of files that come later", front_take_paths, FRONT_DENY_READ, 0 },
	{ "filesystem.allowRead", FRONT_HELD, "files: shown; berm shows the system's directories, the rest only where named", front_take_paths, FRONT_ALLOW_READ, 0 },
	{ "filesystem.allowWrite", FRONT_HELD, "files: write; a workspace that it does not cover is closed", front_take_paths, FRONT_ALLOW_WRITE, 0 },
	{ "filesystem.denyWrite", FRONT_HELD, "files: no writing, before every allow; patterns too (srt on Linux: not)", front_take_paths, FRONT_DENY_WRITE, 0 },
	{ "filesystem.allowWriteWithinDeny", FRONT_NOT_HELD, "denyWrite holds for what lies below, too", front_take_told, 0, 0 },
	{ "filesystem.allowGitConfig", FRONT_HELD, "unprotect git-config", front_take_git_config, 0, 0 },
	{ "filesystem.disabled", FRONT_NOT_HELD, "a settings file does not take the wall away; --sandbox off does, and says so", front_take_told, 0, 0 },
	{ "credentials", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "credentials.files", FRONT_BECOMES, "files: none; what would be masked is not there", front_take_credential_files, 0, 0 },
	{ "credentials.envVars", FRONT_BECOMES, "env.unset; what would be masked is not there", front_take_credential_vars, 0, 0 },
	{ "credentials.allowPlaintextInject", FRONT_NO_MATTER, "nothing is injected", NULL, 0, 0 },
	{ "credentials.awsPairs", FRONT_NO_MATTER, "nothing is injected; AWS_* is not passed on", NULL, 0, 0 },
	{ "credentials.sigv4", FRONT_NO_MATTER, "nothing is signed", NULL, 0, 0 },
	{ "credentials.stsAndIam", FRONT_NO_MATTER, "nothing is signed", NULL, 0, 0 },
	{ "ignoreViolations", FRONT_HELD, "ignore_violations, of the entry \"*\"", front_take_ignore, 0, 0 },
	{ "enableWeakerNestedSandbox", FRONT_NO_MATTER, "berm has no weaker sandbox of that kind", NULL, 0, 0 },
	{ "allowNestedUserNamespaces", FRONT_NOT_HELD, "user namespaces stay refused inside", front_take_told, 0, 0 },
	{ "enableWeakerNetworkIsolation", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "allowAppleEvents", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "allowPty", FRONT_NO_MATTER, MAC_ONLY, NULL, 0, 0 },
	{ "ripgrep", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "mandatoryDenySearchDepth", FRONT_ALWAYS, "protected names hold at every depth", NULL, 0, 0 },
	{ "seccomp", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "bwrapPath", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "socatPath", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "javaAgentJarPath", FRONT_NO_MATTER, OWN_PARTS, NULL, 0, 0 },
	{ "git", FRONT_INSIDE, "", NULL, 0, 0 },
	{ "git.safeDirectories", FRONT_NO_MATTER, "git's own settings decide", NULL, 0, 0 },
	{ "windows", FRONT_NO_MATTER, "about Windows only", NULL, 0, 0 },
};
/* clang-format on */
const size_t front_srt_keys_n = ARRAY_SIZE(front_srt_keys);
