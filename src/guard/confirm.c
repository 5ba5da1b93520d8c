/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/confirm.h"

#include <string.h>

#include "base/json_out.h"
#include "base/redact.h"

/* ---- showing ------------------------------------------------------------ */

static void add_word(struct buf *b, const struct shell_word *w, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (b->len)
		(void)buf_add(b, "", 1);
	if (w->why && w->off <= len && w->span <= len - w->off)
		(void)buf_add(b, text + w->off, w->span);
	else
		(void)buf_add(b, w->text, w->len);
}

void guard_show_part(const struct shell_part *part, const char *text, char *dst, size_t size)
{
	_cleanup_buf_ struct buf b = BUF_INIT(2u << 20);

	for (uint32_t i = 0; i < part->n_assigns && b.len < REDACT_WORDS_MAX; i++)
		add_word(&b, &part->assigns[i], text);
	for (uint32_t i = 0; i < part->n_full && b.len < REDACT_WORDS_MAX; i++)
		add_word(&b, &part->full[i], text);
	dst[0] = 0;
	if (!b.failed && b.len)
		redact_words(b.data, b.len, dst, size);
}

void guard_show_line(const struct shell_line *line, const char *text, char *dst, size_t size)
{
	size_t at = 0;

	dst[0] = 0;
	for (size_t i = 0; i < line->n_parts && at + 16 < size; i++) {
		/* What stands in another part's text was shown with it. */
		if (line->parts[i].parent >= 0)
			continue;
		if (at)
			at += (size_t)snprintf(dst + at, size - at, " ; ");
		guard_show_part(&line->parts[i], text, dst + at, size - at);
		at += strlen(dst + at);
	}
}

/* ---- the question ------------------------------------------------------- */

static void add_effects(struct buf *out, effects_t asks)
{
	bool first = true;

	(void)buf_adds(out, ",\"effects\":[");
	for (int e = 0; e < EFFECT_N; e++) {
		if (!(asks & EFFECT_BIT(e)))
			continue;
		(void)buf_adds(out, first ? "" : ",");
		first = false;
		json_begin(out);
		json_member_str(out, "effect", effect_name((enum effect)e));
		json_member_str(out, "text", effect_text((enum effect)e));
		json_member_bool(out, "destructive", effect_destructive((enum effect)e));
		json_end(out);
	}
	(void)buf_adds(out, "]");
}

static void add_commands(struct buf *out, const struct guard_answer *a, const char *text)
{
	char shown[8192];
	bool first = true;

	(void)buf_adds(out, ",\"commands\":[");
	for (size_t i = 0; i < a->n_parts; i++) {
		if (a->parts[i].opinion.decision != VERDICT_ASK)
			continue;
		guard_show_part(a->parts[i].part, text, shown, sizeof(shown));
		(void)buf_adds(out, first ? "" : ",");
		first = false;
		json_begin(out);
		json_member_str(out, "command", shown);
		json_member_str(out, "reason", a->parts[i].opinion.reason);
		json_end(out);
	}
	(void)buf_adds(out, "]");
}

static int add_memory(struct buf *out, const struct guard_answer *a, const struct guard_call *c)
{
	_cleanup_memory_ struct guard_memory m = { 0 };

	if (guard_remember(a, c, &m) < 0)
		return -ENOMEM;
	(void)buf_adds(out, ",\"remember\":[");
	for (size_t i = 0; i < m.n; i++) {
		(void)buf_adds(out, i ? "," : "");
		if (guard_rule_json(m.v[i], out) < 0)
			return -ENOMEM;
	}
	(void)buf_adds(out, "]");
	return 0;
}

int guard_confirm_json(const struct guard_answer *a, const struct guard_call *c, struct buf *out)
{
	bool destructive = false;

	for (int e = 0; e < EFFECT_N; e++)
		destructive |= (a->asks & EFFECT_BIT(e)) && effect_destructive((enum effect)e);
	json_begin(out);
	json_member_bool(out, "destructive", destructive);
	json_member_bool(out, "unsandboxed", a->n_parts && !a->sandbox.sandboxed);
	json_member_bool(out, "override", a->sandbox.overridden);
	add_effects(out, a->asks);
	add_commands(out, a, c->text);
	if (add_memory(out, a, c) < 0)
		return -ENOMEM;
	json_end(out);
	return out->failed ? -ENOMEM : 0;
}
