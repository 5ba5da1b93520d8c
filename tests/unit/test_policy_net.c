/* SPDX-License-Identifier: Apache-2.0 */
/* The network's settings: who may say what, what comes of it, and the order of rules against
 * a slow model. */
#include "policy_fixture.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "host_slow.h"
#include "policy/data.h"
#include "policy/explain.h"
#include "policy/net.h"
#include "policy/trust.h"

#define USER "config/policy.json"
#define PROJECT "ws/.berm/policy.json"
#define LOCAL "ws/.berm/policy.local.json"
#define MANAGED "etc/managed.json"

static int up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_up(m);
	put_dir(m, "ws/.git"); /* an index without entries: git tracks nothing */
	*state = m;
	return 0;
}

static int down(void **state)
{
	machine_down(*state);
	free(*state);
	return 0;
}

static struct net_verdict judge_host(struct machine *m, const char *host, unsigned port)
{
	struct net_verdict v;
	struct host h;

	assert_int_equal(host_parse(host, strlen(host), &h), 0);
	net_judge(m->spec->network.policy, &h, (uint16_t)port, &v);
	return v;
}

static enum decision verdict(struct machine *m, const char *host)
{
	return judge_host(m, host, 443).decision;
}

#define ALLOW VERDICT_ALLOW
#define DENY VERDICT_DENY
#define ASK VERDICT_ASK

/* ---- what is there without settings ------------------------------------- */

static void test_defaults(void **state)
{
	struct machine *m = *state;
	const struct net_spec *n;

	(void)resolve(m);
	n = &m->spec->network;
	assert_int_equal(m->spec->net, NET_ALLOW);
	assert_int_equal(verdict(m, "api.anthropic.com"), ALLOW);
	assert_int_equal(verdict(m, "github.com"), ALLOW);
	assert_int_equal(verdict(m, "ftp.debian.org"), ALLOW);
	assert_int_equal(verdict(m, "registry.npmj"
				    "s.org"),
			 ALLOW);
	assert_int_equal(verdict(m, "statsig.anthropic.com"), DENY);
	assert_int_equal(verdict(m, "metadata.google.internal"), DENY);
	assert_int_equal(verdict(m, "pastebin.com"), DENY);
	assert_int_equal(verdict(m, "huggingface.co"), ASK);
	assert_int_equal(verdict(m, "unknown.test"), ASK);
	assert_int_equal(verdict(m, "127.0.0.1"), DENY);
	assert_int_equal(verdict(m, "localhost"), DENY);
	assert_int_equal(verdict(m, "x.localhost"), DENY);
	assert_string_equal(m->spec->approver, "auto");
	assert_int_equal(n->ask_seconds, 120);
	assert_true(n->proxy_env && !n->cut && !n->all_unix_sockets && !n->upstream);
	assert_int_equal(n->n_publish + n->n_host_ports + n->unix_sockets.n, 0);
	m->in.profile = "strict";
	(void)resolve(m);
	assert_int_equal(verdict(m, "api.anthropic.com"), ALLOW);
	assert_int_equal(verdict(m, "github.com"), ASK);
	m->in.profile = "terminal";
	(void)resolve(m);
	assert_int_equal(m->spec->net, NET_OPEN);
	assert_int_equal(verdict(m, "unknown.test"), ALLOW);
	assert_int_equal(verdict(m, "statsig.anthropic.com"), DENY);
	assert_int_equal(verdict(m, "10.0.0.1"), DENY);
	m->in.net = NET_OFF;
	(void)resolve(m);
	assert_int_equal(verdict(m, "api.anthropic.com"), DENY);
	/* a run's policy is made later */
	m->in.argv = (char *[]){ (char[]){ "true" }, NULL };
	assert_null(resolve(m)->network.policy);
	m->in.pretend = true;
	assert_non_null(resolve(m)->network.policy);
}

/* ---- layers ------------------------------------------------------------- */

static void test_layers(void **state)
{
	static const struct policy_net_arg args[] = { { ALLOW, "pastebin.com" },
						      { ALLOW, "statsig.anthropic.com" },
						      { ALLOW, "closed.test" },
						      { DENY, "github.com:22" } };
	struct machine *m = *state;
	struct net_verdict v;

	put(m, MANAGED,
	    "{\"network\": {\n\"deny\": [\"closed.test\"],\n\"allow\": [\"given.test\"]}}");
	put(m, USER,
	    "{\"network\": {\"deny\": [\"given.test\", \"*.npmj"
	    "s.org\"],\n"
	    "\"allow\": [\"mine.test\", {\"host\": \"two.test\", \"ports\": [22, \"80-90\"]}]}}");
	m->in.net_args = args;
	m->in.n_net_args = 4;
	(void)resolve(m);
	/* only what nothing opens stays closed */
	assert_int_equal(verdict(m, "pastebin.com"), ALLOW);
	assert_int_equal(verdict(m, "statsig.anthropic.com"), DENY);
	v = judge_host(m, "closed.test", 443);
	assert_int_equal(v.decision, DENY);
	assert_int_equal(v.rule->layer, LAYER_MANAGED);
	assert_string_equal(v.rule->origin.file, at(m, MANAGED));
	assert_int_equal(v.rule->origin.line, 2);
	assert_string_equal(v.rule->text, "deny-domain closed.test");
	/* what a managed file opens is a default */
	assert_int_equal(verdict(m, "given.test"), DENY);
	assert_int_equal(verdict(m, "registry.npmj"
				    "s.org"),
			 DENY);
	assert_int_equal(judge_host(m, "github.com", 22).decision, DENY);
	assert_int_equal(judge_host(m, "github.com", 443).decision, ALLOW);
	v = judge_host(m, "two.test", 85);
	assert_int_equal(v.decision, ALLOW);
	assert_int_equal(v.rule->origin.line, 2);
	assert_string_equal(v.rule->text, "allow-domain two.test:80-90");
	assert_int_equal(judge_host(m, "two.test", 23).decision, ASK);
}

/* What a stronger layer's profile says is a floor for the weaker ones. */
static void test_profile_floor(void **state)
{
	struct machine *m = *state;

	m->in.profile = "agent";
	put(m, USER, "{\"net\": \"off\"}");
	put(m, LOCAL, "{\"network\": {\"mode\": \"open\"}}");
	put_trust(m, true);
	assert_int_equal(resolve(m)->net, NET_OFF);
	put(m, LOCAL, "{\"network\": {\"mode\": \"allow\"}}");
	put_trust(m, true);
	assert_int_equal(resolve(m)->net, NET_ALLOW);
	m->in.profile = NULL;
	put(m, LOCAL, "{\"network\": {\"mode\": \"open\"}}");
	put_trust(m, true);
	assert_int_equal(resolve(m)->net, NET_OPEN);
}

/* A project's own file closes, and opens nothing until it is trusted. */
static void test_project(void **state)
{
	static const char text[] =
		"{\"network\": {\"mode\": \"open\", \"allow\": [\"evil.test\"],\n"
		"\"ask\": [\"github.com\", \"mine.test\", \"closed.test\"],\n"
		"\"deny\": [\"gitlab.com\"], \"default\": \"ask\", \"allow_all_unix_sockets\": true,\n"
		"\"groups\": {\"huggingface\": true, \"rust\": false, \"llm\": true},\n"
		"\"allow_unix_sockets\": [\"/x\"], \"publish\": [1], \"host_ports\": [2],\n"
		"\"http_proxy_port\": 3, \"upstream_proxy\": {\"url\": \"http://evil.test:1\"}},\n"
		"\"approver\": \"socket:/evil\"}";
	struct machine *m = *state;
	struct trust_subject t = { 0 };
	const struct net_spec *n;

	put(m, USER, "{\"network\": {\"allow\": [\"mine.test\"], \"deny\": [\"closed.test\"]}}");
	put(m, PROJECT, text);
	(void)resolve(m);
	n = &m->spec->network;
	assert_int_equal(m->spec->net, NET_ALLOW);
	assert_int_equal(verdict(m, "evil.test"), ASK);
	assert_int_equal(verdict(m, "github.com"), ASK);
	assert_int_equal(verdict(m, "mine.test"), ASK);
	assert_int_equal(verdict(m, "closed.test"), DENY);
	assert_int_equal(verdict(m, "gitlab.com"), DENY);
	assert_int_equal(verdict(m, "huggingface.co"), ASK);
	assert_int_equal(verdict(m, "crates.io"), ASK);
	assert_int_equal(verdict(m, "api.openai.com"), ALLOW);
	assert_int_equal(n->unix_sockets.n + n->n_publish + n->n_host_ports, 0);
	assert_true(!n->upstream && !n->http_proxy_port && !n->all_unix_sockets);
	assert_string_equal(m->spec->approver, "auto");
	assert_true(has_note(m->spec, "berm trust"));
	/* what trust would open is told, and nothing else */
	assert_int_equal(trust_look(&m->in, m->ws, false, &t, &m->err), 0);
	assert_true(strv_contains(&t.loosens, "network \"open\""));
	assert_true(strv_contains(&t.loosens, "reaches evil.test"));
	assert_true(strv_contains(&t.loosens, "hosts of group \"huggingface\""));
	assert_true(strv_contains(&t.loosens, "unix socket /x"));
	assert_true(strv_contains(&t.loosens, "port 1 of the host leads"));
	assert_true(strv_contains(&t.loosens, "reaches port 2"));
	assert_true(strv_contains(&t.loosens, "goes through a proxy") ||
		    strv_contains(&t.loosens, "go through a proxy"));
	assert_true(strv_contains(&t.loosens, "answered by \"socket:/evil\""));
	assert_false(strv_contains(&t.loosens, "http://"));
	assert_false(strv_contains(&t.loosens, "gitlab"));
	assert_false(strv_contains(&t.loosens, "rust"));
	assert_int_equal(trust_record(&m->in, &t, &m->err), 0);
	trust_subject_free(&t);
	(void)resolve(m);
	assert_int_equal(m->spec->net, NET_OPEN);
	assert_int_equal(verdict(m, "evil.test"), ALLOW);
	assert_string_equal(m->spec->approver, "socket:/evil");
	assert_string_equal(m->spec->network.upstream, "http://evil.test:1");
}

static void test_managed_only(void **state)
{
	static const struct policy_net_arg args[] = { { ALLOW, "cli.test" }, { DENY, "no.test" } };
	struct machine *m = *state;

	m->in.net_args = args;
	m->in.n_net_args = 2;
	m->in.net = NET_OPEN;
	put(m, USER, "{\"network\": {\"allow\": [\"mine.test\"], \"groups\": {\"git\": true}}}");
	put(m, MANAGED,
	    "{\"network\": {\"allow_managed_domains_only\": true,"
	    "\"allow\": [\"corp.test\", \"no.test\"], \"ask\": [\"asked.test\"],"
	    "\"groups\": {\"llm\": true, \"huggingface\": true}}}");
	(void)resolve(m);
	assert_int_equal(m->spec->net, NET_ALLOW);
	assert_int_equal(verdict(m, "corp.test"), ALLOW);
	assert_int_equal(verdict(m, "api.openai.com"), ALLOW);
	assert_int_equal(verdict(m, "huggingface.co"), ALLOW);
	assert_int_equal(verdict(m, "no.test"), DENY);
	assert_int_equal(verdict(m, "github.com"), DENY);
	assert_int_equal(verdict(m, "cli.test"), DENY);
	assert_int_equal(verdict(m, "mine.test"), DENY);
	assert_int_equal(verdict(m, "asked.test"), DENY);
	assert_int_equal(verdict(m, "unknown.test"), DENY);
	put(m, USER, "{\"network\": {\n\"allow_managed_domains_only\": false}}");
	resolve_fails(m, ":2: \"allow_managed_domains_only\" counts in managed settings only");
}

static void test_groups(void **state)
{
	static const struct policy_net_arg args[] = { { ALLOW, "@containers" }, { DENY, "@git" } };
	struct machine *m = *state;

	put(m, USER, "{\"network\": {\"groups\": {\"registries\": false, \"node\": true}}}");
	m->in.net_args = args;
	m->in.n_net_args = 2;
	(void)resolve(m);
	assert_int_equal(verdict(m, "crates.io"), ASK);
	assert_int_equal(verdict(m, "pypi.org"), ASK);
	assert_int_equal(verdict(m, "nodejs.org"), ALLOW);
	assert_int_equal(verdict(m, "ftp.debian.org"), ALLOW);
	assert_int_equal(verdict(m, "ghcr.io"), ALLOW);
	assert_int_equal(verdict(m, "github.com"), ASK);
	/* a profile of a stronger layer is not hollowed out */
	m->in.profile = "strict";
	(void)resolve(m);
	assert_int_equal(verdict(m, "nodejs.org"), ASK);
	/* the administrator's "true" is a default, "false" is not */
	m->in.profile = NULL;
	m->in.n_net_args = 1;
	put(m, USER, "{\"network\": {\"groups\": {\"huggingface\": false}}}");
	put(m, MANAGED,
	    "{\"network\": {\"groups\": {\"huggingface\": true, \"azure-openai\": true,"
	    "\"containers\": false}}}");
	(void)resolve(m);
	assert_int_equal(verdict(m, "huggingface.co"), ASK);
	assert_int_equal(verdict(m, "x.openai.azure.com"), ALLOW);
	assert_int_equal(verdict(m, "ghcr.io"), ASK);
}

/* ---- what is not a rule ------------------------------------------------- */

static void make_socket(struct machine *m, const char *rel)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", at(m, rel));
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	close(fd);
}

static void test_local(void **state)
{
	static const char *const publish[] = { "3000", "8080:3001" }, *const ports[] = { "5432" };
	struct machine *m = *state;
	const struct net_spec *n;

	make_socket(m, "home/a.sock");
	make_socket(m, "home/docker.sock");
	put_link(m, "home/link.sock", at(m, "home/a.sock"));
	put(m, USER,
	    "{\"network\": {\"allow_unix_sockets\": [\"~/a.sock\", \"~/link.sock\", \"~/docker.sock\","
	    "\"~/gone.sock\"], \"publish\": [4000, \"5000:4001\"], \"host_ports\": [\n6000, 5432],"
	    "\"allow_all_unix_sockets\": true, \"http_proxy_port\": 7000, \"socks_proxy_port\": 7001,"
	    "\"proxy_env\": false, \"cut\": true, \"ask_seconds\": 5, \"allow_local_binding\": true,"
	    "\"upstream_proxy\": {\"url\": \"http://u:p%40@proxy.test:8080/\", \"no_proxy\": \".corp\"}},"
	    "\"approver\": \"tty\"}");
	m->in.publish = publish;
	m->in.n_publish = 2;
	m->in.host_ports = ports;
	m->in.n_host_ports = 1;
	(void)resolve(m);
	n = &m->spec->network;
	assert_int_equal(n->unix_sockets.n, 2);
	assert_true(strv_has(&n->unix_sockets, at(m, "home/a.sock")));
	assert_true(has_note(m->spec, "~/gone.sock: no such socket"));
	assert_true(has_note(m->spec, "~/docker.sock: whoever reaches"));
	assert_int_equal(n->n_publish, 4);
	assert_int_equal(n->publish[1].host_port, 5000);
	assert_int_equal(n->publish[1].inside_port, 4001);
	assert_int_equal(n->n_host_ports, 2);
	assert_int_equal(n->host_ports[0].inside_port, 6000);
	assert_int_equal(n->host_ports[0].origin.line, 2);
	assert_true(n->all_unix_sockets && !n->proxy_env && n->cut);
	assert_int_equal(n->http_proxy_port, 7000);
	assert_int_equal(n->socks_proxy_port, 7001);
	assert_int_equal(n->ask_seconds, 5);
	assert_string_equal(n->upstream, "http://u:p%40@proxy.test:8080");
	assert_string_equal(n->no_proxy, ".corp");
	assert_string_equal(m->spec->approver, "tty");
	/* relative ones are for the command line alone */
	m->in.approver = "fd:5,socket:asks,tty";
	assert_string_equal(resolve(m)->approver, "fd:5,socket:asks,tty");
	m->in.approver = "mailbox:/run/asks";
	m->in.proxy_env = 1;
	(void)resolve(m);
	assert_string_equal(m->spec->approver, "mailbox:/run/asks");
	assert_true(m->spec->network.proxy_env);
	/* the strongest layer answers */
	put(m, MANAGED,
	    "{\"approver\": \"none\", \"network\": {\"upstream_proxy\": {\"url\": \"none\"},"
	    "\"allow_all_unix_sockets\": false, \"cut\": false}}");
	(void)resolve(m);
	assert_string_equal(m->spec->approver, "none");
	assert_null(m->spec->network.upstream);
	assert_false(m->spec->network.all_unix_sockets);
	assert_true(m->spec->network.cut);
}

static const struct {
	const char *text, *says;
} mistakes[] = {
	{ "{\"network\": []}", "\"network\" must be an object" },
	{ "{\"network\": {\n\"allows\": []}}", "f:2: unknown key \"allows\" in \"network\"" },
	{ "{\"network\": {\"mode\": \"on\"}}", "it can be off, allow, open" },
	{ "{\"network\": {\"allow\": \"a\"}}", "must be a list of hosts" },
	{ "{\"network\": {\"allow\": [\n\n\"*\"]}}", "f:3: \"*\" would allow every host" },
	{ "{\"network\": {\"allow\": [1]}}", "must be a host" },
	{ "{\"network\": {\"allow\": [{\"host\": \"a\"}]}}", "needs \"host\" and \"ports\"" },
	{ "{\"network\": {\"allow\": [{\"host\": \"a\", \"ports\": []}]}}", "a host is" },
	{ "{\"network\": {\"allow\": [{\"host\": \"a\", \"port\": 1}]}}", "a host is" },
	{ "{\"network\": {\"allow\": [{\"host\": \"a\", \"ports\": [0]}]}}", "not a port" },
	{ "{\"network\": {\"allow\": [{\"host\": \"a:1\", \"ports\": [1]}]}}", "neither a host" },
	{ "{\"network\": {\"ask\": [\"@git\"]}}", "not asked for" },
	{ "{\"network\": {\"deny\": [\"@gti\"]}}", "did you mean \"git\"" },
	{ "{\"network\": {\"groups\": {\"gti\": true}}}", "did you mean \"git\"" },
	{ "{\"network\": {\"groups\": {\"git\": 1}}}", "must be true or false" },
	{ "{\"network\": {\"groups\": [\"git\"]}}", "must be an object" },
	{ "{\"network\": {\"default\": \"allow\"}}", "it can be ask, deny" },
	{ "{\"network\": {\"allow_local_binding\": false}}", "cannot be enforced" },
	{ "{\"network\": {\"allow_unix_sockets\": [\"run/x\"]}}", "begins with" },
	{ "{\"network\": {\"allow_unix_sockets\": [\"/etc/passwd\"]}}", "is no socket" },
	{ "{\"network\": {\"publish\": [0]}}", "neither PORT nor" },
	{ "{\"network\": {\"publish\": [\"1:2:3\"]}}", "neither PORT nor" },
	{ "{\"network\": {\"publish\": [61702]}}", "berm's own" },
	{ "{\"network\": {\"publish\": [\"1:2\", \"1:3\"]}}", "published on one port" },
	{ "{\"network\": {\"host_ports\": [\"1:2\", \"3:2\"]}}", "leads to two ports" },
	{ "{\"network\": {\"http_proxy_port\": 65536}}", "1 to 65535" },
	{ "{\"network\": {\"http_proxy_port\": \"80\"}}", "must be a number" },
	{ "{\"network\": {\"ask_seconds\": 0}}", "1 to 3600" },
	{ "{\"network\": {\"upstream_proxy\": \"http://x:1\"}}", "must be an object" },
	{ "{\"network\": {\"upstream_proxy\": {\"url\": \"https://u:pw@x:1\"}}}", "only http://" },
	{ "{\"network\": {\"upstream_proxy\": {\"url\": \"http://u:pw@x\"}}}", "names no port" },
	{ "{\"network\": {\"upstream_proxy\": {\"url\": \"http://u:pw@x:1/p\"}}}",
	  "is not http://" },
	{ "{\"network\": {\"upstream_proxy\": {\"url\": \"http://u:p w@x:1\"}}}", "a blank" },
	{ "{\"network\": {\"upstream_proxy\": {\"url_file\": \"x\"}}}", "begins with" },
	{ "{\"network\": {\"upstream_proxy\": {\"url_file\": \"/etc/passwd\"}}}",
	  "others can read" },
	{ "{\"approver\": \"me\"}", "there is no approver" },
	{ "{\"approver\": \"fd:\"}", "a descriptor's number" },
	{ "{\"approver\": \"fd:1x\"}", "a descriptor's number" },
	{ "{\"approver\": \"socket:x\"}", "an absolute path" },
	{ "{\"approver\": \"\"}", "there is no approver" },
	{ "{\"approver\": \"tty,\"}", "there is no approver" },
	{ "{\"approver\": \"tty,fd:x\"}", "a descriptor's number" },
	{ "{\"approver\": \"fd:3,mailbox:m\"}", "an absolute path" },
	{ "{\"approver\": 1}", "must be a string" },
};

static void test_mistakes(void **state)
{
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		const char *says = mistakes[i].says;

		put(m, USER, mistakes[i].text);
		resolve_fails(m, str_starts(says, "f:") ? says + 1 : says);
		/* no secret in any sentence, and all but a file's own name the settings */
		assert_null(strstr(m->err.msg, "pw"));
		assert_true(strstr(m->err.msg, "policy.json") || strstr(m->err.msg, "/etc/passwd"));
	}
}

static void many_forwards(struct machine *m, int n)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	(void)buf_adds(&b, "{\"network\": {\"publish\": [");
	for (int i = 0; i < n; i++)
		(void)buf_addf(&b, "%s%d", i ? "," : "", 1000 + i);
	(void)buf_adds(&b, "]}}");
	put(m, USER, b.data);
}

static void test_many_forwards(void **state)
{
	struct machine *m = *state;

	many_forwards(m, 32);
	assert_int_equal(resolve(m)->network.n_publish, 32);
	many_forwards(m, 33);
	resolve_fails(m, "more than 32 ports");
}

/* The host's own proxy: used on the way out, never shown, never passed. */
static void test_upstream(void **state)
{
	static const struct {
		const char *env[3], *upstream, *no, *note;
	} t[] = {
		{ { "HTTPS_PROXY=http://u:hush@p.test:3128", "NO_PROXY=.corp" },
		  "http://u:hush@p.test:3128",
		  ".corp",
		  NULL },
		{ { "https_proxy=p.test:3128/" }, "http://p.test:3128", NULL, NULL },
		{ { "HTTP_PROXY=http://[2001:db8::1]:80" }, "http://[2001:db8::1]:80", NULL, NULL },
		{ { "ALL_PROXY=socks5h://u:hush@p.test:1" }, NULL, NULL, "only http://" },
		{ { "HTTPS_PROXY=https://u:hush@p.test:1" }, NULL, NULL, "only http://" },
		{ { "HTTPS_PROXY=http://u:hush@p.test" }, NULL, NULL, "names no port" },
		{ { "HTTPS_PROXY=" }, NULL, NULL, NULL },
	};
	const char *pass[] = { "HTTPS_PROXY", "NO_PROXY" };
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1u << 22);
		char *vars[3] = { NULL };

		for (size_t k = 0; k < 2 && t[i].env[k]; k++)
			vars[k] = strdup(t[i].env[k]);
		m->in.environ = vars;
		m->in.env = pass;
		m->in.n_env = 2;
		(void)resolve(m);
		if (t[i].upstream)
			assert_string_equal(m->spec->network.upstream, t[i].upstream);
		else
			assert_null(m->spec->network.upstream);
		if (t[i].no)
			assert_string_equal(m->spec->network.no_proxy, t[i].no);
		if (t[i].note)
			assert_true(has_note(m->spec, t[i].note));
		assert_true(has_note(m->spec, "not passed to a command"));
		assert_string_equal(env_of(m->spec, "HTTPS_PROXY"), "http://127.0.0.1:61702");
		assert_int_equal(explain_text(m->spec, &b), 0);
		assert_int_equal(explain_json(m->spec, &b), 0);
		assert_null(strstr(b.data, "hush"));
		assert_false(has_note(m->spec, "hush"));
		free(vars[0]);
		free(vars[1]);
	}
	m->in.environ = NULL;
	/* from a file that nobody else reads */
	put_mode(m, "home/proxy", "http://u:hush@f.test:1\nmore\n", 0600);
	put(m, USER, "{\"network\": {\"upstream_proxy\": {\"url_file\": \"~/proxy\"}}}");
	assert_string_equal(resolve(m)->network.upstream, "http://u:hush@f.test:1");
	assert_int_equal(chmod(at(m, "home/proxy"), 0640), 0);
	resolve_fails(m, "others can read");
	put_mode(m, "home/proxy", "nonsense hush", 0600);
	resolve_fails(m, "only http://");
	assert_null(strstr(m->err.msg, "hush"));
}

/* ---- the environment ---------------------------------------------------- */

static void test_environment(void **state)
{
	static const char *const names[] = { "HTTP_PROXY",  "http_proxy", "HTTPS_PROXY",
					     "https_proxy", "ALL_PROXY",  "all_proxy" };
	const char *set[] = { "HTTPS_PROXY=http://other.test:1" }, *unset[] = { "NO_PROXY" };
	struct machine *m = *state;

	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(env_of(m->spec, names[i]), "http://127.0.0.1:61702");
	assert_string_equal(env_of(m->spec, "NO_PROXY"), "localhost,127.0.0.1,::1");
	assert_string_equal(env_of(m->spec, "no_proxy"), "localhost,127.0.0.1,::1");
	assert_null(env_of(m->spec, "GIT_SSH_COMMAND"));
	assert_null(env_of(m->spec, "JAVA_TOOL_OPTIONS"));
	m->in.env = set;
	m->in.n_env = 1;
	m->in.unset_env = unset;
	m->in.n_unset_env = 1;
	(void)resolve(m);
	assert_string_equal(env_of(m->spec, "HTTPS_PROXY"), "http://other.test:1");
	assert_null(env_of(m->spec, "NO_PROXY"));
	m->in.n_env = 0;
	m->in.proxy_env = 0;
	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_null(env_of(m->spec, names[i]));
}

/* Without a sandbox nobody listens there, and nobody goes through the host's proxy. */
static void test_bare(void **state)
{
	char *vars[] = { (char[]){ "HTTPS_PROXY=http://p.test:1" }, (char[]){ "NO_PROXY=.corp" },
			 NULL };
	const char *more[] = { "HTTPS_PROXY", "ALL_PROXY=http://q.test:1" };
	struct machine *m = *state;

	m->in.environ = vars;
	m->in.env = more;
	m->in.n_env = 2;
	m->in.bare = true;
	(void)resolve(m);
	assert_string_equal(env_of(m->spec, "HTTPS_PROXY"), "http://p.test:1");
	assert_string_equal(env_of(m->spec, "ALL_PROXY"), "http://q.test:1");
	assert_null(env_of(m->spec, "HTTP_PROXY"));
	assert_null(env_of(m->spec, "NO_PROXY"));
	/* found out only later */
	m->in.bare = false;
	(void)resolve(m);
	assert_string_equal(env_of(m->spec, "HTTPS_PROXY"), "http://127.0.0.1:61702");
	env_drop_proxies(m->spec->envp);
	assert_null(env_of(m->spec, "HTTPS_PROXY"));
	assert_null(env_of(m->spec, "http_proxy"));
	assert_null(env_of(m->spec, "no_proxy"));
	assert_string_equal(env_of(m->spec, "ALL_PROXY"), "http://q.test:1");
	assert_non_null(env_of(m->spec, "HOME"));
}

/* ---- the order of rules, against a model -------------------------------- */

struct made {
	enum layer layer;
	enum decision decision;
	char pattern[64];
	unsigned from, to; /* ports; 0: all */
};

#define MADE_MAX 24

/* Where a layer's rule stands; LAYER_PROJECT is not trusted here. */
static unsigned stage(const struct made *r)
{
	switch (r->layer) {
	case LAYER_MANAGED:
		return r->decision == ALLOW ? 5 : 0;
	case LAYER_CLI:
		return 1;
	case LAYER_LOCAL:
		return 2;
	case LAYER_PROJECT:
		return 3;
	default:
		return 4;
	}
}

static bool only_asks(const struct made *r)
{
	return r->decision == ASK && (r->layer == LAYER_PROJECT || r->layer == LAYER_MANAGED);
}

static bool made_hits(const struct made *r, const char *host, unsigned port)
{
	if (r->from && (port < r->from || port > r->to))
		return false;
	return slow_names(r->pattern, host);
}

/* Is a before b, where both match and are of one stage? */
static bool more_specific(const struct made *a, const struct made *b)
{
	bool star_a = strchr(a->pattern, '*'), star_b = strchr(b->pattern, '*');
	unsigned span_a = a->from ? a->to - a->from : 65536,
		 span_b = b->from ? b->to - b->from : 65536;

	if (star_a != star_b)
		return star_b;
	if (star_a && strlen(a->pattern) != strlen(b->pattern))
		return strlen(a->pattern) > strlen(b->pattern);
	if (span_a != span_b)
		return span_a < span_b;
	/* deny, ask, allow */
	return (a->decision == DENY && b->decision != DENY) ||
	       (a->decision == ASK && b->decision == ALLOW);
}

static enum decision model(const struct made *v, size_t n, const char *host, unsigned port,
			   enum decision fallback)
{
	bool used[MADE_MAX] = { false }, asked = false;
	enum decision d = fallback;

	for (unsigned s = 0; s < 6;) {
		const struct made *best = NULL;

		for (size_t i = 0; i < n; i++)
			if (!used[i] && stage(&v[i]) == s && made_hits(&v[i], host, port) &&
			    (!best || more_specific(&v[i], best)))
				best = &v[i];
		if (!best) {
			s++;
			continue;
		}
		used[best - v] = true;
		if (!only_asks(best)) {
			d = best->decision;
			break;
		}
		asked = true;
	}
	return asked && d == ALLOW ? ASK : d;
}

static void make_rules(struct prng *r, struct made *v, size_t n)
{
	static const enum layer layers[] = { LAYER_USER, LAYER_PROJECT, LAYER_LOCAL, LAYER_CLI,
					     LAYER_MANAGED };

	for (size_t i = 0; i < n; i++) {
		v[i].layer = layers[prng_below(r, ARRAY_SIZE(layers))];
		v[i].decision = (enum decision)prng_below(r, 3);
		/* What an untrusted project allows is left out. */
		if (v[i].layer == LAYER_PROJECT && v[i].decision == ALLOW)
			v[i].decision = DENY;
		do
			random_name(r, v[i].pattern, prng_below(r, 2));
		while (v[i].pattern[strlen(v[i].pattern) - 1] == '*');
		/* Often two that differ in ports and verdict alone. */
		if (i && prng_below(r, 2)) {
			memcpy(v[i].pattern, v[i - 1].pattern, sizeof(v[i].pattern));
			v[i].layer = v[i].decision == ALLOW && v[i - 1].layer == LAYER_PROJECT
					     ? LAYER_USER
					     : v[i - 1].layer;
		}
		v[i].from = prng_below(r, 3) ? 0 : 80 + prng_below(r, 3);
		v[i].to = v[i].from + (v[i].from ? prng_below(r, 3) : 0);
	}
}

/* Writes the rules of one layer as a settings file. */
static void put_layer(struct machine *m, const char *file, const struct made *v, size_t n,
		      enum layer layer, const char *fallback)
{
	static const char *const keys[] = { [ALLOW] = "allow", [DENY] = "deny", [ASK] = "ask" };
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 16);

	(void)buf_addf(&b, "{\"network\": {%s", fallback ? fallback : "");
	for (int d = 0; d < 3; d++) {
		(void)buf_addf(&b, "%s\"%s\": [", d ? ", " : "", keys[d]);
		for (size_t i = 0, k = 0; i < n; i++) {
			if (v[i].layer != layer || (int)v[i].decision != d)
				continue;
			(void)buf_addf(&b, "%s\"%s", k++ ? ", " : "", v[i].pattern);
			if (v[i].from)
				(void)buf_addf(&b, ":%u-%u", v[i].from, v[i].to);
			(void)buf_adds(&b, "\"");
		}
		(void)buf_adds(&b, "]");
	}
	(void)buf_adds(&b, "}}");
	assert_false(b.failed);
	put(m, file, b.data);
}

static void test_model(void **state)
{
	struct prng r = { 99 };
	struct machine *m = *state;
	unsigned seen[3] = { 0 };
	const char *files[2];

	for (unsigned round = 0; round < 300; round++) {
		bool closed = round & 1;
		struct made v[MADE_MAX];
		size_t n = 1 + prng_below(&r, MADE_MAX);

		make_rules(&r, v, n);
		put_layer(m, USER, v, n, LAYER_USER, closed ? "\"default\": \"deny\", " : NULL);
		put_layer(m, PROJECT, v, n, LAYER_PROJECT, NULL);
		put_layer(m, LOCAL, v, n, LAYER_LOCAL, NULL);
		put_trust(m, true);
		put_layer(m, MANAGED, v, n, LAYER_MANAGED, NULL);
		put_layer(m, "cli.json", v, n, LAYER_CLI, NULL);
		files[0] = at(m, "cli.json");
		m->in.policy_files = files;
		m->in.n_policy_files = 1;
		(void)resolve(m);
		for (unsigned k = 0; k < 200; k++) {
			unsigned port = 79 + prng_below(&r, 6);
			struct net_verdict got;
			enum decision want;
			char name[64];

			random_name(&r, name, false);
			got = judge_host(m, name, port);
			want = model(v, n, name, port, closed ? DENY : ASK);
			if (got.decision != want)
				fail_msg("round %u, %s:%u: %d, the model says %d (%s)", round, name,
					 port, got.decision, want,
					 got.rule ? got.rule->text : "no rule");
			seen[want]++;
		}
	}
	if (seen[ALLOW] < 500 || seen[DENY] < 500 || seen[ASK] < 500)
		fail_msg("only %u, %u, %u", seen[ALLOW], seen[DENY], seen[ASK]);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, up, down)
	const struct CMUnitTest tests[] = {
		T(test_defaults),      T(test_layers),	 T(test_profile_floor), T(test_project),
		T(test_managed_only),  T(test_groups),	 T(test_local),		T(test_mistakes),
		T(test_many_forwards), T(test_upstream), T(test_environment),	T(test_bare),
		T(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
