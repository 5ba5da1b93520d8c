/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions of a run in the audit log (SPEC G7): the same lines as events. It is opened when
 * the command runs already, since the warden opens nothing for writing after that, and read
 * and written only when there is a decision. */
#include "session/internal.h"

/* The warden passes signals on as well: it does not wait long for another writer. */
#define WAIT_MS 200

bool session_audits(const struct session *s)
{
	return s->spec->state_dir && !s->audit_failed;
}

/* Once: what keeps one record out keeps the next ones out too. */
static void fail(struct session *s, const struct berm_err *err)
{
	s->audit_failed = true;
	err_print(err);
	session_degraded(s, "audit", err->msg);
}

void session_open_audit(struct session *s)
{
	struct berm_err err = { 0 };

	if (session_audits(s) && s->audit.fd < 0 &&
	    audit_open(s->spec->state_dir, &s->audit, &err) < 0)
		fail(s, &err);
}

void session_audit(struct session *s, const struct buf *line)
{
	struct berm_err err = { 0 };

	session_open_audit(s);
	if (!session_audits(s) || line->failed || line->len < 4)
		return;
	/* Without its braces and newline. */
	if (audit_add(&s->audit, line->data + 1, line->len - 3, WAIT_MS, &err) < 0)
		fail(s, &err);
}
