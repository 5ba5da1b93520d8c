/* SPDX-License-Identifier: Apache-2.0 */
/* What the warden does about limits that the kernel does not hold by itself: it ends the command
 * and says which limit that was. */
#include "linux/limits.h"
#include "linux/warm.h"

/* How long everything inside has after the SIGTERM at its time's end. */
#define TIME_PATIENCE_MS 2000

void warden_killed(struct warden *w, enum limit_kind why)
{
	if (w->killed)
		return;
	w->killed = true;
	w->killed_by = why;
	if (w->ops->on_killed)
		w->ops->on_killed(w->ops->ctx, why);
}

static int64_t time_limit(const struct warden *w)
{
	const struct limits *l = w->ops->limits;

	return l && l->means[LIMIT_TIME] == MEANS_CLOCK
		       ? (int64_t)l->spec->limits[LIMIT_TIME].value * 1000
		       : 0;
}

void warden_limits_begin(struct warden *w)
{
	if (time_limit(w) && !w->warm)
		w->ends_at = warden_now_ms() + time_limit(w);
}

void warden_limits_command(const struct warden *w, struct warm_conn *c)
{
	c->ends_at = time_limit(w) ? warden_now_ms() + time_limit(w) : 0;
}

static int64_t earliest(const struct warden *w)
{
	int64_t at = w->ends_at;

	for (int i = 0; w->warm && time_limit(w) && i < WARM_SLOTS; i++) {
		const struct warm_conn *c = &w->warm->conns[i];

		if (c->started && c->ends_at && (!at || c->ends_at < at))
			at = c->ends_at;
	}
	return at;
}

int warden_limits_wait(const struct warden *w, int most)
{
	int64_t at = earliest(w), left;

	if (!at)
		return most;
	left = at - warden_now_ms();
	if (left < 0)
		left = 0;
	if (left > INT32_MAX)
		left = INT32_MAX;
	return most < 0 || left < most ? (int)left : most;
}

/* One command of a warm session: asked first, killed afterwards, with its process group. */
static void end_command(struct warden *w, int i)
{
	struct warm_conn *c = &w->warm->conns[i];

	if (c->over) {
		c->ends_at = 0;
		warden_ctl(w, CTL_KILL, i, 0);
		return;
	}
	c->over = true;
	c->ends_at = warden_now_ms() + TIME_PATIENCE_MS;
	if (w->ops->on_killed)
		w->ops->on_killed(w->ops->ctx, LIMIT_TIME);
	warden_ctl(w, CTL_SIGNAL, i, SIGTERM);
}

static void end_commands(struct warden *w)
{
	int64_t now = warden_now_ms();

	for (int i = 0; i < WARM_SLOTS; i++) {
		const struct warm_conn *c = &w->warm->conns[i];

		if (c->started && c->ends_at && now >= c->ends_at)
			end_command(w, i);
	}
}

void warden_limits(struct warden *w)
{
	if (w->warm && time_limit(w))
		end_commands(w);
	if (!w->ends_at || w->exited || warden_now_ms() < w->ends_at)
		return;
	w->ends_at = 0;
	warden_killed(w, LIMIT_TIME);
	warden_ctl(w, CTL_TERM, 0, 0);
	w->kill_at = warden_now_ms() + TIME_PATIENCE_MS;
}
