/* SPDX-License-Identifier: Apache-2.0 */
/* A rule as the settings format has it (parse_guard.c reads it back). */
#include <string.h>
#include <time.h>

#include "base/json_out.h"
#include "policy/guard.h"

static void some(struct buf *out, const char *name, const struct strv *l)
{
	if (l->n)
		json_member_strv(out, name, l);
}

int guard_time_text(int64_t t, char *dst, size_t size)
{
	struct tm tm;
	time_t at = t;

	if (!gmtime_r(&at, &tm) || !strftime(dst, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return -EINVAL;
	return 0;
}

int guard_rule_json(const struct guard_rule *r, struct buf *out)
{
	char expires[64];

	json_begin(out);
	switch (r->subject) {
	case GUARD_EFFECT:
		json_member_str(out, "effect", effect_name(r->effect));
		break;
	case GUARD_PREFIX:
		json_member_strv(out, "command", &r->words);
		break;
	case GUARD_PATTERN:
		json_member_str(out, "pattern", r->pattern);
		break;
	}
	json_member_str(out, "decision", guard_decision_name(r->decision));
	some(out, "paths", &r->limits.paths);
	some(out, "refs", &r->limits.refs);
	some(out, "hosts", &r->limits.hosts);
	some(out, "commands", &r->limits.commands);
	if (r->limits.max_count >= 0)
		json_member_int(out, "max_count", r->limits.max_count);
	if (r->limits.max_cents >= 0)
		json_member_int(out, "max_cents", r->limits.max_cents);
	if (r->enforcement != GUARD_HARD)
		json_member_str(out, "enforcement", guard_enforcement_name(r->enforcement));
	if (r->provenance == GUARD_REMEMBERED)
		json_member_bool(out, "remembered", true);
	if (r->anywhere)
		json_member_bool(out, "anywhere", true);
	if (r->expires && guard_time_text(r->expires, expires, sizeof(expires)) >= 0)
		json_member_str(out, "expires", expires);
	if (r->why)
		json_member_str(out, "why", r->why);
	json_end(out);
	return out->failed ? -ENOMEM : 0;
}
