/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rules.h"

#include "base/str.h"

void spec_grant(const struct spec *s, const struct file_query *q, const struct verdict *v,
		char *dst, size_t size)
{
	if (size)
		dst[0] = '\0';
	if (!size || v->decision == VERDICT_ALLOW)
		return;
	if (v->err == EBUSY || v->err == EXDEV || v->err == ENAMETOOLONG)
		return;
	if (v->rule && (v->rule->flags & RULE_MANDATORY)) {
		if (v->rule->protects)
			snprintf(dst, size, "--unprotect %s", v->rule->protects);
		return;
	}
	if (v->rule && v->rule->layer == LAYER_MANAGED)
		return;
	if (q->op == OP_EXEC)
		snprintf(dst, size, "--allow-exec %s", q->path);
	else if (q->op == OP_READ)
		snprintf(dst, size, "--allow-read %s", q->path);
	else
		snprintf(dst, size, "--allow-write %s", q->path);
}
