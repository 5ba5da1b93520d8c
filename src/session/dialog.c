/* SPDX-License-Identifier: Apache-2.0 */
#include "session/dialog.h"

#include "base/cleanup.h"

#define SHOWN_MAX 600

/* exe and command are escaped where they are read, a path is not. */
static void add_target(struct buf *b, const struct ask *q)
{
	static const char *const verbs[OP_COUNT] = {
		[OP_READ] = "read",
		[OP_WRITE] = "write",
		[OP_CREATE] = "create",
		[OP_DELETE] = "delete",
		[OP_RENAME_FROM] = "move",
		[OP_RENAME_TO] = "replace",
		[OP_META] = "change attributes of",
		[OP_EXEC] = "execute",
		[OP_LINK_FROM] = "link to",
	};
	char shown[SHOWN_MAX];

	str_escape(shown, sizeof(shown), q->target, strlen(q->target));
	if (q->kind == ASK_NET)
		(void)buf_addf(b, "connect to %s port %u", shown, q->port);
	else
		(void)buf_addf(b, "%s %s", q->op >= 0 && q->op < OP_COUNT ? verbs[q->op] : "use",
			       shown);
}

static void add_line(struct buf *b, const char *label, const char *text)
{
	char shown[SHOWN_MAX];

	if (!text[0])
		return;
	str_escape(shown, sizeof(shown), text, strlen(text));
	(void)buf_addf(b, "  %s%s\r\n", label, shown);
}

void dialog_text(struct buf *b, const struct ask *q, size_t more, long long now_ms)
{
	long long left = (q->end_ms - now_ms + 999) / 1000;
	const char *exe = q->exe[0] ? q->exe : "a program";
	char rule[SHOWN_MAX];

	/* Colours and the like of a program in full screen end here. */
	(void)buf_adds(b, "\033[0m\r\n\033[1mberm asks:\033[0m may ");
	(void)buf_adds(b, exe);
	if (q->pid > 0)
		(void)buf_addf(b, " (pid %d)", q->pid);
	(void)buf_adds(b, " ");
	add_target(b, q);
	(void)buf_adds(b, "?\r\n");
	add_line(b, "command: ", q->command);
	add_line(b, "why:     ", q->reason);
	if (q->rule[0]) {
		(void)snprintf(rule, sizeof(rule), "%s [%s]", q->rule, q->origin);
		add_line(b, "rule:    ", rule);
	}
	(void)buf_adds(b, q->once ? "  [a] allow  [d] deny"
				  : "  [a] allow once  [s] for this session  "
				    "[l] always in this workspace  [u] always\r\n"
				    "  [d] deny        [n] never in this workspace");
	(void)buf_addf(b, "   (denied in %lld s", left > 0 ? left : 0);
	if (more)
		(void)buf_addf(b, "; %zu more", more);
	(void)buf_adds(b, ")\r\n");
}

bool dialog_key(unsigned char key, const struct ask *q, enum decision *ret_decision,
		enum ask_hold *ret_hold)
{
	static const struct {
		unsigned char key;
		enum decision decision;
		enum ask_hold hold;
	} keys[] = {
		{ 'a', VERDICT_ALLOW, HOLD_ONCE },    { 'y', VERDICT_ALLOW, HOLD_ONCE },
		{ 's', VERDICT_ALLOW, HOLD_SESSION }, { 'l', VERDICT_ALLOW, HOLD_LOCAL },
		{ 'u', VERDICT_ALLOW, HOLD_USER },    { 'd', VERDICT_DENY, HOLD_ONCE },
		{ 'n', VERDICT_DENY, HOLD_LOCAL },    { 0x03, VERDICT_DENY, HOLD_ONCE },
		{ 0x04, VERDICT_DENY, HOLD_ONCE },
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (keys[i].key != key)
			continue;
		*ret_decision = keys[i].decision;
		*ret_hold = q->once ? HOLD_ONCE : keys[i].hold;
		return true;
	}
	return false;
}

const char *dialog_said(enum decision decision, enum ask_hold hold)
{
	static const char *const allowed[] = { "allowed once", "allowed for this session",
					       "allowed from now on in this workspace",
					       "allowed from now on" };
	static const char *const denied[] = { "denied", "denied for this session",
					      "denied from now on in this workspace",
					      "denied from now on" };

	return decision == VERDICT_ALLOW ? allowed[hold] : denied[hold];
}
