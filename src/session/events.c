/* SPDX-License-Identifier: Apache-2.0 */
#include "session/internal.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "policy/pattern.h"
#include "base/json_out.h"
#include "linux/statx.h"
#include "session/control.h"

#define LINE_MAX_BYTES (128u * 1024u)
#define END_WAIT_MS 2000

long long session_now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

struct session *session_new(const struct spec *spec)
{
	struct session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->spec = spec;
	s->sink = SINK_INIT;
	s->started_ms = session_now_ms();
	s->broker = -1;
	s->control = -1;
	s->audit = AUDIT_CLOSED;
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	sink_close(&s->sink);
	dedup_free(&s->dedup);
	refused_free(&s->refused);
	approver_setups_close(&s->approvers, true);
	close_quietly(s->broker);
	close_quietly(s->control);
	audit_close(&s->audit);
	free(s);
}

int session_open_network(struct session *s, const struct policy_input *in, struct berm_err *err)
{
	s->input = in;
	s->broker = broker_find();
	return approver_setups_open(&s->approvers, s->spec, err);
}

void session_set_inside(struct session *s, inside_run_fn *run, void *ctx)
{
	s->inside = run;
	s->inside_ctx = ctx;
}

void session_open_inside(struct session *s, const struct session *outer)
{
	s->broker = outer->broker;
	s->nested = true;
}

int session_open_control(struct session *s, const char *target, struct berm_err *err)
{
	return control_open(target, &s->control, err);
}

bool session_took_stdio(const struct session *s)
{
	for (size_t i = 0; i < s->approvers.n; i++)
		if (streq(s->approvers.v[i].name, "stdio"))
			return true;
	return false;
}

bool session_has_approver(const struct session *s)
{
	return s->approvers.n > 0;
}

int session_open_events(struct session *s, const char *target, struct berm_err *err)
{
	return sink_open(&s->sink, target, err);
}

int session_events_fd(const struct session *s)
{
	return s->sink.fd;
}

void session_line_begin(struct session *s, struct buf *b, const char *event)
{
	struct timespec ts;
	struct tm tm;
	char t[64];
	size_t n;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	(void)gmtime_r(&ts.tv_sec, &tm);
	n = strftime(t, sizeof(t), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(t + n, sizeof(t) - n, ".%03ldZ", ts.tv_nsec / 1000000);
	json_begin(b);
	json_member_str(b, "t", t);
	json_member_str(b, "session", s->spec->session);
	json_member_int(b, "seq", (long long)++s->seq);
	json_member_str(b, "event", event);
}

void session_line_end(struct session *s, struct buf *b)
{
	json_end(b);
	(void)buf_adds(b, "\n");
	sink_line(&s->sink, b);
}

void session_terminal(struct session *s, const uint64_t *left_out)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);
	bool any = false;

	memcpy(s->left_out, left_out, sizeof(s->left_out));
	for (int k = 0; k < TERM_KINDS; k++)
		any |= left_out[k] != 0;
	if (!any || s->sink.fd < 0)
		return;
	session_line_begin(s, &b, "terminal");
	(void)buf_adds(&b, ",\"left_out\":");
	json_begin(&b);
	for (int k = 0; k < TERM_KINDS; k++)
		if (left_out[k])
			json_member_int(&b, term_kind_name((enum term_kind)k),
					(long long)left_out[k]);
	json_end(&b);
	session_line_end(s, &b);
}

void session_decision_end(struct session *s, struct buf *b)
{
	session_line_end(s, b);
	session_audit(s, b);
}

const char *session_network_name(enum net_mode m)
{
	static const char *const names[] = {
		[NET_OFF] = "off", [NET_ALLOW] = "allow", [NET_OPEN] = "open"
	};

	return names[m];
}

void session_starting(struct session *s, const char *backend)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);
	const struct spec *spec = s->spec;

	bool bare = streq(backend, "none");

	if (s->sink.fd < 0 && !(bare && session_audits(s)))
		return;
	session_line_begin(s, &b, "starting");
	json_member_str(&b, "backend", backend);
	json_member_str(&b, "profile", spec->profile);
	json_member_str(&b, "mode", mode_name(spec->mode));
	json_member_str(&b, "network", session_network_name(spec->net));
	if (spec->n_roots)
		json_member_str(&b, "workspace", spec->roots[0].path);
	if (spec->argv && spec->argv[0])
		json_member_str(&b, "command", spec->argv[0]);
	if (spec->lifted.n)
		json_member_strv(&b, "unprotected", &spec->lifted);
	if (spec->notes.n)
		json_member_strv(&b, "notes", &spec->notes);
	/* Run without a sandbox: somebody decided that. */
	json_member_bool(&b, "unsandboxed", bare);
	if (bare)
		session_decision_end(s, &b);
	else
		session_line_end(s, &b);
}

void session_degraded(struct session *s, const char *what, const char *detail)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);

	if (s->sink.fd < 0)
		return;
	session_line_begin(s, &b, "degraded");
	json_member_str(&b, "what", what);
	json_member_str(&b, "detail", detail);
	session_line_end(s, &b);
}

void session_tier(struct session *s, const char *tier, const struct strv *lacks, int landlock_abi)
{
	s->tier = tier;
	s->lacks = lacks;
	s->landlock_abi = landlock_abi;
}

void session_ready(struct session *s, int pid)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);

	if (s->sink.fd < 0)
		return;
	session_line_begin(s, &b, "ready");
	json_member_int(&b, "pid", pid);
	if (s->tier) {
		json_member_str(&b, "tier", s->tier);
		if (s->lacks->n)
			json_member_strv(&b, "lacks", s->lacks);
		json_member_int(&b, "landlock_abi", s->landlock_abi);
	}
	session_limits_member(s, &b);
	session_line_end(s, &b);
}

void session_suspended(struct session *s, bool suspended)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);

	if (s->sink.fd < 0)
		return;
	session_line_begin(s, &b, suspended ? "suspended" : "resumed");
	session_line_end(s, &b);
}

static void tell(struct session *s, struct dedup_entry *e, long long now)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);
	struct denial_text t;

	if (s->sink.fd >= 0 || session_audits(s)) {
		session_denial_text(s, &e->d, &t);
		session_line_begin(s, &b, "violation");
		json_member_str(&b, "action", t.action);
		json_member_str(&b, "target", t.target);
		json_member_int(&b, "pid", e->d.pid);
		json_member_bytes(&b, "exe", e->d.exe, e->d.exe_len);
		json_member_str(&b, "syscall", t.syscall);
		json_member_str(&b, "rule", t.rule);
		json_member_str(&b, "origin", t.origin);
		json_member_str(&b, "reason", e->d.reason);
		json_member_int(&b, "errno", e->d.err);
		json_member_str(&b, "grant", t.grant);
		json_member_int(&b, "count", (long long)e->pending);
		session_decision_end(s, &b);
	}
	dedup_told(e, now);
}

/* Denials that are known only as a number. */
static void tell_dropped(struct session *s, uint64_t count, const char *reason)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);

	if (s->sink.fd < 0)
		return;
	session_line_begin(s, &b, "dropped");
	json_member_str(&b, "reason", reason);
	json_member_int(&b, "count", (long long)count);
	session_line_end(s, &b);
}

static void tell_due(struct session *s, bool all)
{
	long long now = session_now_ms();
	struct dedup_entry *e;
	size_t cursor = 0;

	while ((e = dedup_due(&s->dedup, &cursor, now, all)))
		tell(s, e, now);
	if (s->dedup.overflow_pending) {
		tell_dropped(s, s->dedup.overflow_pending, "too many different denials to list");
		s->dedup.overflow_pending = 0;
	}
	if (s->dropped > s->dropped_told) {
		tell_dropped(s, s->dropped - s->dropped_told,
			     "denials came faster than they were read");
		s->dropped_told = s->dropped;
	}
}

static bool ignored(const struct session *s, const struct denial *d)
{
	_cleanup_buf_ struct buf b = BUF_INIT(REC_TEXT_MAX + 64u);
	const struct strv *list = &s->spec->ignore_violations;
	const char *action;

	if (!list->n)
		return false;
	action = d->op >= 0 && d->op < OP_COUNT ? file_op_action((enum file_op)d->op) : "syscall";
	(void)buf_addf(&b, "%s ", action);
	(void)buf_add(&b, d->target, d->target_len);
	if (b.failed)
		return false;
	for (size_t i = 0; i < list->n; i++)
		if (glob_match(list->v[i], b.data, false))
			return true;
	return false;
}

/* Of what only berm learn is told, that which is there on the host. The answer is no more than
 * what is proposed to the user. */
static bool is_nowhere(const struct session *s, const struct denial *d)
{
	char path[PATH_MAX];
	struct statx stx;
	char *slash;

	if (!s->spec->learn || d->reason_len != strlen(LEARN_NOT_SHOWN) ||
	    memcmp(d->reason, LEARN_NOT_SHOWN, d->reason_len) != 0)
		return false;
	if (d->target_len >= sizeof(path) || memchr(d->target, '\0', d->target_len))
		return true;
	memcpy(path, d->target, d->target_len);
	path[d->target_len] = '\0';
	if (sys_statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &stx) == 0)
		return false;
	slash = strrchr(path, '/');
	if (d->op == OP_READ || d->op == OP_EXEC || !slash || slash == path)
		return true;
	/* What would be made, in a folder that is there. */
	*slash = '\0';
	return sys_statx(AT_FDCWD, path, 0, STATX_TYPE, &stx) < 0;
}

void session_record(struct session *s, const struct record *rec)
{
	const struct rec_header *h = &rec->h;
	uint64_t count = h->count ? h->count : 1;
	struct dedup_entry *e;
	bool now_due = false;
	struct denial d = {
		.op = h->op,
		.nr = h->nr,
		.rule = h->rule,
		.err = h->err,
		.pid = h->pid,
		.target = rec->text,
		.target_len = h->target_len,
		.exe = rec->text + h->target_len,
		.exe_len = h->exe_len,
		.reason = rec->text + h->target_len + h->exe_len,
		.reason_len = h->reason_len,
	};

	if (h->type == REC_DROPPED) {
		s->dropped += count;
		return;
	}
	if (h->type != REC_VIOLATION || ignored(s, &d) || is_nowhere(s, &d))
		return;
	if (!s->dedup_ready && dedup_init(&s->dedup) < 0) {
		s->dropped += count;
		return;
	}
	s->dedup_ready = true;
	e = dedup_add(&s->dedup, &d, count, session_now_ms(), &now_due);
	if (e && now_due)
		tell(s, e, session_now_ms());
}

void session_tick(struct session *s)
{
	tell_due(s, false);
	sink_flush(&s->sink, 0);
}

void session_flush(struct session *s)
{
	sink_flush(&s->sink, END_WAIT_MS);
}

void session_end(struct session *s, const struct session_end *what)
{
	_cleanup_buf_ struct buf b = BUF_INIT(LINE_MAX_BYTES);

	tell_due(s, true);
	if (s->sink.fd < 0)
		return;
	session_line_begin(s, &b, "exit");
	if (what->signal)
		json_member_int(&b, "signal", what->signal);
	else
		json_member_int(&b, "exit_code", what->status);
	if (what->error)
		json_member_str(&b, "error", what->error);
	json_member_int(&b, "duration_ms", session_now_ms() - s->started_ms);
	session_line_end(s, &b);
	sink_flush(&s->sink, END_WAIT_MS);
	if (s->sink.sent < s->sink.backlog.len && !s->sink.broken)
		s->sink.broken = -ETIMEDOUT;
}
