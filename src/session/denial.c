/* SPDX-License-Identifier: Apache-2.0 */
#include "session/internal.h"

#include "linux/seccomp.h"
#include "policy/git.h"

/* A denial without a rule, of what the rules allow, is git's: judged by content or
 * place, and opened by name only. */
static const char *git_grant(const struct file_query *q)
{
	enum git_role role = git_role(q->path, q->type, NULL);

	if (role == GIT_HOOK)
		return "--unprotect git-hooks";
	return git_role_has_content(role) || role == GIT_DIRPART ? "--unprotect git-config" : "";
}

static void find_grant(const struct spec *spec, const struct file_query *q, const struct verdict *v,
		       char *dst, size_t size)
{
	struct verdict by_rule;

	if (!v->rule && q->path[0] == '/') {
		spec_judge(spec, q, &by_rule);
		if (by_rule.decision == VERDICT_ALLOW) {
			(void)snprintf(dst, size, "%s", git_grant(q));
			return;
		}
	}
	spec_grant(spec, q, v, dst, size);
}

void session_denial_text(const struct session *s, const struct denial *d, struct denial_text *ret)
{
	const struct spec *spec = s->spec;
	const struct rule *rule = NULL;

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
		(void)snprintf(ret->origin, sizeof(ret->origin), "built-in");
	}
	ret->syscall = d->nr >= 0 ? seccomp_name(d->nr) : "";
	if (d->op < 0 || d->op >= OP_COUNT) {
		ret->action = "syscall";
		if (!d->target_len)
			ret->target = ret->syscall;
		return;
	}
	ret->action = file_op_action((enum file_op)d->op);
	struct file_query q = { .op = (enum file_op)d->op, .path = d->target, .type = FT_REG };
	struct verdict v = {
		.decision = VERDICT_DENY, .rule = rule, .err = d->err, .reason = d->reason
	};

	find_grant(spec, &q, &v, ret->grant, sizeof(ret->grant));
}
