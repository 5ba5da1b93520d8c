/* SPDX-License-Identifier: Apache-2.0 */
/* berm why: builds the spec that a run would have and asks the function that the
 * supervisor asks, with facts from the host's file system. */
#include "cli/cli.h"

#include <limits.h>
#include <string.h>

#include "cli/host_program.h"
#include "cli/judge.h"
#include "cli/run_opts.h"
#include "cli/target.h"
#include "base/json_out.h"
#include "policy/net.h"

static const char usage[] =
	"usage: berm why read|write|create|delete|exec PATH [OPTION]...\n"
	"       berm why connect HOST[:PORT] [OPTION]...\n"
	"Says whether a command run with these options may do that, by which rule, and\n"
	"what would allow it. Exit status: 0 allowed, 1 denied, 2 ask, 125 error.\n";

struct answer {
	enum decision decision;
	const char *action, *target, *reason;
	char rule[1024], origin[1024], grant[8192];
};

static const char *decision_name(enum decision d)
{
	static const char *const names[] = {
		[VERDICT_ALLOW] = "allowed", [VERDICT_DENY] = "denied", [VERDICT_ASK] = "ask"
	};

	return names[d];
}

static void line(const char *label, const char *value)
{
	char shown[4 * PATH_MAX];

	if (!value[0])
		return;
	str_escape(shown, sizeof(shown), value, strlen(value));
	(void)printf("  %-9s %s\n", label, shown);
}

static void print_text(const struct answer *a)
{
	char target[4 * PATH_MAX];

	str_escape(target, sizeof(target), a->target, strlen(a->target));
	(void)printf("%s: %s %s\n", decision_name(a->decision), a->action, target);
	line("rule:", a->rule);
	line("from:", a->origin);
	line("reason:", a->reason);
	line("to allow:", a->grant);
}

static void print_json(const struct answer *a)
{
	static const char *const verdicts[] = {
		[VERDICT_ALLOW] = "allow", [VERDICT_DENY] = "deny", [VERDICT_ASK] = "ask"
	};
	_cleanup_buf_ struct buf b = BUF_INIT(256u * 1024u);

	json_begin(&b);
	json_member_str(&b, "verdict", verdicts[a->decision]);
	json_member_str(&b, "action", a->action);
	json_member_str(&b, "target", a->target);
	json_member_str(&b, "rule", a->rule);
	json_member_str(&b, "origin", a->origin);
	json_member_str(&b, "reason", a->reason);
	json_member_str(&b, "grant", a->grant);
	json_end(&b);
	if (!b.failed)
		(void)puts(b.data);
}

static int exit_status(enum decision d)
{
	return d == VERDICT_ALLOW ? EXIT_ALLOWED : d == VERDICT_DENY ? EXIT_DENIED : EXIT_ASK;
}

static int finish(const struct run_opts *o, const struct answer *a)
{
	if (o->json)
		print_json(a);
	else
		print_text(a);
	return cli_finish(exit_status(a->decision));
}

static void set_rule(struct answer *a, const char *text, const struct origin *from)
{
	(void)snprintf(a->rule, sizeof(a->rule), "%s", text);
	if (from->line)
		(void)snprintf(a->origin, sizeof(a->origin), "%s:%u", from->file, from->line);
	else
		(void)snprintf(a->origin, sizeof(a->origin), "%s", from->file);
}

static int answer(const struct run_opts *o, const struct spec *spec, const struct target *t)
{
	struct file_query q = target_query(t);
	struct verdict v;
	struct answer a = { .action = file_op_action(q.op), .target = q.path };

	cli_judge(spec, t, &v);
	a.decision = v.decision;
	a.reason = v.reason;
	if (v.rule)
		set_rule(&a, v.rule->text, &v.rule->origin);
	if (v.decision != VERDICT_ALLOW)
		spec_grant(spec, &q, &v, a.grant, sizeof(a.grant));
	return finish(o, &a);
}

static bool is_loopback(const struct host *h)
{
	const char *guard = h->is_ip ? ip_guard(&h->ip) : NULL;

	if (h->is_ip)
		return guard && streq(guard, "loopback");
	return streq(h->name, "localhost") || str_ends(h->name, ".localhost");
}

/* A command's loopback is its own: no rule on hosts, but the ports that are led through
 * decide which servers of the host's are there. */
static void loopback_answer(const struct spec *spec, uint16_t port, struct answer *a)
{
	const struct net_forward *f = spec->network.host_ports;

	for (size_t i = 0; i < spec->network.n_host_ports; i++)
		if (f[i].inside_port == port) {
			char text[32];

			(void)snprintf(text, sizeof(text), "host-port %u:%u", f[i].host_port, port);
			set_rule(a, text, &f[i].origin);
			a->decision = VERDICT_ALLOW;
			a->reason = "the port is led to the host's loopback";
			a->grant[0] = '\0';
			return;
		}
	if (a->decision == VERDICT_ALLOW)
		return;
	a->reason = "the command's loopback is its own";
	(void)snprintf(a->grant, sizeof(a->grant), "--host-port %u", port);
}

/* What the broker will say of this name; the addresses that it stands for are looked at
 * when it is reached. */
static int why_connect(const struct run_opts *o, const char *text)
{
	_cleanup_spec_ struct spec *spec = NULL;
	struct answer a = { .action = "network-outbound" };
	struct berm_err err = { 0 };
	char target[HOST_MAX + 16];
	struct net_verdict v;
	struct host h;
	uint16_t port;

	if (host_port_parse(text, 443, &h, &port, &err) < 0)
		return cli_fail(&err);
	if (run_opts_resolve(o, NULL, &spec, &err) < 0)
		return cli_fail(&err);
	net_judge(spec->network.policy, &h, port, &v);
	(void)snprintf(target, sizeof(target), h.is_ip && h.ip.v6 ? "[%s]:%u" : "%s:%u", h.name,
		       port);
	a.target = target;
	a.decision = v.decision;
	a.reason = v.reason;
	if (v.rule)
		set_rule(&a, v.rule->text, &v.rule->origin);
	net_grant(spec->network.policy, &h, port, &v, a.grant, sizeof(a.grant));
	if (is_loopback(&h))
		loopback_answer(spec, port, &a);
	return finish(o, &a);
}

static int why(const struct run_opts *o, char **operands)
{
	_cleanup_(target_free) struct target t = { 0 };
	_cleanup_free_ char *program = NULL;
	_cleanup_spec_ struct spec *spec = NULL;
	struct berm_err err = { 0 };

	if (streq(operands[0], "connect"))
		return why_connect(o, operands[1]);
	/* As a shell looks for a program. */
	if (streq(operands[0], "exec") && !strchr(operands[1], '/')) {
		program = host_program(operands[1], getenv("PATH"));
		if (!program) {
			(void)err_set(&err, -ENOENT,
				      "there is no program %s in the folders of PATH", operands[1]);
			err_fix(&err, "one here is meant by ./%s", operands[1]);
			return cli_fail(&err);
		}
	}
	if (target_parse(&t, operands[0], program ? program : operands[1], &err) < 0)
		return cli_fail(&err);
	if (run_opts_resolve(o, NULL, &spec, &err) < 0)
		return cli_fail(&err);
	return answer(o, spec, &t);
}

int verb_why(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts o = RUN_OPTS_INIT;
	struct opt_table table = run_opts_why_table(), own = run_opts_why_own_table();
	struct opt_result res;
	struct berm_err err = { 0 };

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &own, run_opts_policy_help);
	if (argc - res.first != 2) {
		(void)err_set(&err, -EINVAL, "an action and one path or host are needed");
		err_fix(&err, "as in: berm why write src/main.c");
		return cli_fail(&err);
	}
	return why(&o, argv + res.first);
}
