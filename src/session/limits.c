/* SPDX-License-Identifier: Apache-2.0 */
/* A limit that was reached, as event and as a sentence. */
#include "session/internal.h"

#include "base/json_out.h"
#include "linux/limits_held.h"
#include "policy/limits.h"
#include "policy/rules.h"

#define LINE_MAX_BYTES 8192

static const char *reason_of(enum limit_kind why)
{
	switch (why) {
	case LIMIT_MEMORY:
		return "oom";
	case LIMIT_TIME:
		return "timeout";
	case LIMIT_COUNT:
		return "manual";
	default:
		return limit_name(why);
	}
}

/* Twice as much, as an option. */
static void raised(const struct spec *s, enum limit_kind k, char *dst, size_t size)
{
	uint64_t value = s->limits[k].value;
	char text[32];

	if (value > LIMIT_NONE / 4)
		value = LIMIT_NONE;
	(void)snprintf(dst, size, "--limit %s=%s", limit_name(k),
		       limit_text(k, value == LIMIT_NONE ? value : 2 * value, text, sizeof(text)));
}

void session_limits(struct session *s, const struct limits *limits)
{
	s->limits = limits;
}

void session_limits_member(const struct session *s, struct buf *b)
{
	const char *comma = "";

	if (!s->limits)
		return;
	(void)buf_adds(b, ",\"limits\":[");
	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++) {
		if (!spec_limited(s->spec, k))
			continue;
		(void)buf_adds(b, comma);
		comma = ",";
		json_begin(b);
		json_member_str(b, "limit", limit_name(k));
		json_member_int(b, "value", (long long)s->spec->limits[k].value);
		json_member_str(b, "held_by", limit_means_name(s->limits->means[k]));
		json_end(b);
	}
	(void)buf_adds(b, "]");
}

void session_killed(struct session *s, enum limit_kind why)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);
	char grant[64], origin[1024];

	if (s->sink.fd < 0)
		return;
	session_line_begin(s, &b, "killed");
	json_member_str(&b, "reason", reason_of(why));
	if (why < LIMIT_COUNT) {
		const struct limit *l = &s->spec->limits[why];

		raised(s->spec, why, grant, sizeof(grant));
		origin_text(&l->from, origin, sizeof(origin));
		json_member_str(&b, "limit", limit_name(why));
		json_member_int(&b, "value", (long long)l->value);
		json_member_str(&b, "origin", origin);
		json_member_str(&b, "grant", grant);
	}
	session_line_end(s, &b);
}

void session_limit_sentence(const struct spec *s, enum limit_kind why, char *dst, size_t size)
{
	static const char did[][48] = {
		[LIMIT_MEMORY] = "used more memory than",
		[LIMIT_PIDS] = "had as many processes and threads as",
		[LIMIT_TIME] = "ran longer than",
		[LIMIT_DISK] = "wrote more to private places than",
		[LIMIT_OUTPUT] = "wrote more output than",
	};
	char text[32], grant[64], origin[1024];
	const char *what = why < ARRAY_SIZE(did) && did[why][0] ? did[why] : "reached";

	if (why >= LIMIT_COUNT) {
		(void)snprintf(dst, size, "killed: berm was told to end the command");
		return;
	}
	raised(s, why, grant, sizeof(grant));
	origin_text(&s->limits[why].from, origin, sizeof(origin));
	(void)snprintf(dst, size, "killed: it %s the limit %s=%s (%s) allows; to allow more: %s",
		       what, limit_name(why),
		       limit_text(why, s->limits[why].value, text, sizeof(text)), origin, grant);
}
