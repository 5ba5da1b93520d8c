/* SPDX-License-Identifier: Apache-2.0 */
/* What the warden does about limits that the kernel does not hold by itself: it ends the command
 * and says which limit that was. */
#include <sys/wait.h>

#include "linux/limits_held.h"
#include "linux/output.h"
#include "linux/warm.h"
#include "linux/watch.h"
#include "policy/limits.h"

/* Between two looks: as long as it takes to fill what is left, memory at 4 GiB a second. */
#define LOOK_MOST_MS 1000
#define LOOK_LEAST_MS 50
#define BYTES_PER_MS (4ull << 20)

/* A command that has had as many processes as it may for so many looks, a second each, goes
 * nowhere: a fork bomb. */
#define FULL_LOOKS 10

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
	/* The clients of a session that ends of it are told before they see its end. */
	for (int i = 0; w->warm && why < LIMIT_COUNT && i < WARM_SLOTS; i++)
		if (w->warm->conns[i].started)
			warm_tell(w, i, WARM_EXITED, SIGKILL, 1 + (int)why, -1);
}

static enum limit_means means(const struct warden *w, enum limit_kind k)
{
	return w->ops->limits ? w->ops->limits->means[k] : MEANS_NONE;
}

/* ---- memory and processes ------------------------------------------------ */

static void end_by(struct warden *w, enum limit_kind why)
{
	warden_killed(w, why);
	warden_kill(w);
}

/* It cannot be seen any more. Nothing goes on unseen that somebody wanted to have watched. */
static void blind(struct warden *w, enum limit_kind k, int err)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "%s cannot be watched: %s", limit_name(k),
		       strerror(-err));
	if (w->ops->on_degraded && !w->blind)
		w->ops->on_degraded(w->ops->ctx, "limit", text);
	w->blind = true;
	if (w->ops->limits->spec->limits[k].by == LIMIT_SAID)
		end_by(w, k);
}

bool warden_memory_filled(struct warden *w)
{
	if (means(w, LIMIT_MEMORY) != MEANS_CGROUP || !cgroup_oom_kills(&w->ops->limits->cgroup))
		return false;
	end_by(w, LIMIT_MEMORY);
	return true;
}

/* Returns how many milliseconds it can be left alone. */
static int look_memory(struct warden *w)
{
	uint64_t limit = w->ops->limits->spec->limits[LIMIT_MEMORY].value, used, wait;
	struct watch_sum sum;

	if (warden_memory_filled(w) || means(w, LIMIT_MEMORY) != MEANS_WATCH)
		return LOOK_MOST_MS;
	/* More than the whole machine it cannot use. */
	if (watch_machine(&used) < 0 || used > limit) {
		int r = watch_sum(w->l->shared->init_pid, limit, &sum);

		if (r < 0) {
			blind(w, LIMIT_MEMORY, r);
			return LOOK_MOST_MS;
		}
		if (sum.bytes > limit) {
			end_by(w, LIMIT_MEMORY);
			return LOOK_MOST_MS;
		}
		used = sum.bytes;
	}
	wait = (limit - used) / BYTES_PER_MS;
	return wait < LOOK_LEAST_MS  ? LOOK_LEAST_MS
	       : wait > LOOK_MOST_MS ? LOOK_MOST_MS
				     : (int)wait;
}

static uint64_t count_tasks(struct warden *w, uint64_t limit)
{
	struct watch_sum sum;
	uint64_t all;
	int r;

	if (means(w, LIMIT_PIDS) == MEANS_CGROUP)
		return cgroup_pids(&w->ops->limits->cgroup);
	if (watch_machine_tasks(&all) >= 0 && all < limit)
		return 0;
	r = watch_sum(w->l->shared->init_pid, LIMIT_NONE, &sum);
	if (r < 0 && means(w, LIMIT_PIDS) == MEANS_WATCH)
		blind(w, LIMIT_PIDS, r);
	return r < 0 ? 0 : sum.tasks;
}

static void look_pids(struct warden *w)
{
	uint64_t limit = w->ops->limits->spec->limits[LIMIT_PIDS].value, n;

	if (means(w, LIMIT_PIDS) == MEANS_NONE)
		return;
	n = count_tasks(w, limit);
	/* They come and go while they are counted. */
	w->full = n + 2 + limit / 100 >= limit ? w->full + 1 : 0;
	if ((means(w, LIMIT_PIDS) == MEANS_WATCH && n > limit) || w->full >= FULL_LOOKS)
		end_by(w, LIMIT_PIDS);
}

static void look(struct warden *w)
{
	int64_t now = warden_now_ms();
	int wait;

	if (!w->look_at || now < w->look_at || w->exited || w->killed)
		return;
	wait = look_memory(w);
	/* Each second, however often memory is looked at. */
	if (!w->killed && now >= w->count_at) {
		look_pids(w);
		w->count_at = now + LOOK_MOST_MS;
	}
	w->look_at = warden_now_ms() + wait;
}

/* ---- time ---------------------------------------------------------------- */

static int64_t time_limit(const struct warden *w)
{
	const struct limits *l = w->ops->limits;

	return l && l->means[LIMIT_TIME] == MEANS_CLOCK
		       ? (int64_t)l->spec->limits[LIMIT_TIME].value * 1000
		       : 0;
}

void warden_limits_begin(struct warden *w)
{
	if (w->ops->limits)
		w->look_at = warden_now_ms() + LOOK_MOST_MS;
	/* A limit that somebody asked for may be filled at once. */
	if (w->ops->limits && w->ops->limits->spec->limits[LIMIT_MEMORY].by == LIMIT_SAID)
		w->look_at = warden_now_ms() + LOOK_LEAST_MS;
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

	if (w->look_at && (!at || w->look_at < at))
		at = w->look_at;
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
	look(w);
	/* What was written within the limit comes first, then the sentence: warden_limits_end(). */
	if (output_full())
		warden_kill(w);
	if (w->warm && time_limit(w))
		end_commands(w);
	if (!w->ends_at || w->exited || w->killed || warden_now_ms() < w->ends_at)
		return;
	w->ends_at = 0;
	warden_killed(w, LIMIT_TIME);
	warden_ctl(w, CTL_TERM, 0, 0);
	w->kill_at = warden_now_ms() + TIME_PATIENCE_MS;
}

void warden_limits_end(struct warden *w)
{
	/* The kernel may have ended it all between two looks. */
	if (means(w, LIMIT_MEMORY) == MEANS_CGROUP && !(w->exited && WIFEXITED(w->status)) &&
	    cgroup_oom_kills(&w->ops->limits->cgroup))
		warden_killed(w, LIMIT_MEMORY);
	if (output_full())
		warden_killed(w, LIMIT_OUTPUT);
}
