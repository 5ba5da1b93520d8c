/* SPDX-License-Identifier: Apache-2.0 */
#include "session/internal.h"

#include "linux/seccomp.h"

void session_denial_text(const struct session *s, const struct denial *d, struct denial_text *ret)
{
	const struct spec *spec = s->spec;
	const struct rule *rule = NULL;
	/* linux/supervisor/exec_guard.c: the reason names the rule. */
	bool guards = d->op == OP_EXEC && d->rule < 0 && d->err == EPERM;

	*ret = (struct denial_text){ .target = d->target, .rule = d->reason };
	if (d->rule >= 0 && (size_t)d->rule < spec->n_rules)
		rule = spec->rules[d->rule];
	if (rule) {
		ret->rule = rule->text;
		if (rule->origin.line)
			(void)snprintf(ret->origin, sizeof(ret->origin), "%s:%u", rule->origin.file,
				       rule->origin.line);
		else
			(void)snprintf(ret->origin, sizeof(ret->origin), "%s", rule->origin.file);
	} else {
		(void)snprintf(ret->origin, sizeof(ret->origin), "%s",
			       guards ? "guard, advisory" : "built-in");
	}
	ret->syscall = d->nr >= 0 ? seccomp_name(d->nr) : "";
	if (d->op < 0 || d->op >= OP_COUNT) {
		ret->action = "syscall";
		if (!d->target_len)
			ret->target = ret->syscall;
		return;
	}
	ret->action = file_op_action((enum file_op)d->op);
	if (guards)
		return;
	struct file_query q = { .op = (enum file_op)d->op, .path = d->target, .type = FT_REG };
	struct verdict v = {
		.decision = VERDICT_DENY, .rule = rule, .err = d->err, .reason = d->reason
	};

	spec_grant(spec, &q, &v, ret->grant, sizeof(ret->grant));
}
