/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/limits_held.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "linux/launch.h"
#include "linux/output.h"
#include "policy/limits.h"

#define DELEGATE \
	"run it in a group of its own: systemd-run --user --scope -p Delegate=yes berm run ..."

const char *limit_means_name(enum limit_means m)
{
	static const char names[][8] = {
		[MEANS_NONE] = "none",	 [MEANS_PROCESS] = "process", [MEANS_USERNS] = "userns",
		[MEANS_TMPFS] = "tmpfs", [MEANS_CGROUP] = "cgroup",   [MEANS_CLOCK] = "clock",
		[MEANS_RELAY] = "relay", [MEANS_WATCH] = "watch",
	};

	return m < MEANS_COUNT ? names[m] : names[MEANS_NONE];
}

static int cannot(const struct spec *s, enum limit_kind k, struct berm_err *err, const char *why,
		  const char *fix)
{
	char text[32];

	(void)err_set(err, -ENOTSUP, "cannot hold the limit %s=%s (%s): %s", limit_name(k),
		      limit_text(k, s->limits[k].value, text, sizeof(text)), s->limits[k].from.file,
		      why);
	err_fix(err, "%s", fix);
	return -ENOTSUP;
}

static bool asked(const struct spec *s, enum limit_kind k)
{
	return spec_limited(s, k) && s->limits[k].by == LIMIT_SAID;
}

/* The kernel exempts root from a user namespace's limit of processes (INIT_USER in
 * kernel/fork.c). */
static bool userns_counts(void)
{
	return geteuid() != 0;
}

static const struct {
	enum limit_kind limit;
	enum cgroup_ctl ctl;
} by_group[] = {
	{ LIMIT_MEMORY, CGROUP_MEMORY },
	{ LIMIT_PIDS, CGROUP_PIDS },
	{ LIMIT_CPU, CGROUP_CPU },
};

static unsigned wanted_ctls(const struct spec *s)
{
	unsigned ctls = 0;

	for (size_t i = 0; i < ARRAY_SIZE(by_group); i++)
		if (asked(s, by_group[i].limit) &&
		    (by_group[i].limit != LIMIT_PIDS || !userns_counts()))
			ctls |= 1u << by_group[i].ctl;
	return ctls;
}

static int make_group(struct limits *l, unsigned ctls, struct berm_err *err)
{
	if (cgroup_make(ctls, &l->cgroup, l->no_cgroup, sizeof(l->no_cgroup)) < 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(by_group); i++) {
		enum limit_kind k = by_group[i].limit;
		char why[128];
		int r;

		if (!(ctls >> by_group[i].ctl & 1))
			continue;
		r = cgroup_limit(&l->cgroup, by_group[i].ctl, l->spec->limits[k].value);
		if (r < 0) {
			(void)snprintf(why, sizeof(why), "its control group refuses it: %s",
				       strerror(-r));
			return cannot(l->spec, k, err, why, "write another value");
		}
		l->means[k] = MEANS_CGROUP;
	}
	/* What was begun without a policy is not in it. */
	launch_drop();
	launch_set_cgroup(&l->cgroup);
	return 0;
}

static enum limit_means means_of(enum limit_kind k)
{
	switch (k) {
	case LIMIT_TIME:
		return MEANS_CLOCK;
	case LIMIT_DISK:
		return MEANS_TMPFS;
	case LIMIT_PIDS:
		return userns_counts() ? MEANS_USERNS : MEANS_WATCH;
	case LIMIT_MEMORY:
		return MEANS_WATCH;
	case LIMIT_OUTPUT:
		return MEANS_RELAY;
	case LIMIT_CPU:
		return MEANS_NONE;
	default:
		return MEANS_PROCESS;
	}
}

/* A kernel with CONFIG_PROC_CHILDREN. */
static bool tells_children(void)
{
	_cleanup_close_ int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);

	return fd >= 0;
}

static int decide(struct limits *l, struct berm_err *err)
{
	const struct spec *s = l->spec;

	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++) {
		if (!spec_limited(s, k) || l->means[k] != MEANS_NONE)
			continue;
		l->means[k] = means_of(k);
		if (l->means[k] != MEANS_NONE)
			continue;
		return cannot(s, k, err, l->no_cgroup, DELEGATE);
	}
	/* What nobody asked for is told later, should it come to that: no call at every start. */
	if (((asked(s, LIMIT_MEMORY) && l->means[LIMIT_MEMORY] == MEANS_WATCH) ||
	     (asked(s, LIMIT_PIDS) && l->means[LIMIT_PIDS] == MEANS_WATCH)) &&
	    !tells_children())
		for (size_t i = 0; i < ARRAY_SIZE(by_group); i++) {
			enum limit_kind k = by_group[i].limit;

			if (l->means[k] != MEANS_WATCH)
				continue;
			if (asked(s, k))
				return cannot(s, k, err,
					      "there is no control group for it, and this kernel "
					      "does not tell of a process's children",
					      DELEGATE);
			l->means[k] = MEANS_NONE;
		}
	return 0;
}

int limits_prepare(const struct spec *spec, bool warm, struct limits *ret, struct berm_err *err)
{
	unsigned ctls = wanted_ctls(spec);
	int r = 0;

	*ret = (struct limits){ .spec = spec, .cgroup = CGROUP_INIT };
	output_ask(0);
	if (asked(spec, LIMIT_OUTPUT)) {
		if (warm)
			return cannot(
				spec, LIMIT_OUTPUT, err,
				"the output of a session's command does not pass through berm",
				"for one command: berm run --limit output=SIZE");
		launch_drop();
		output_ask(spec->limits[LIMIT_OUTPUT].value);
	}
	if (ctls)
		r = make_group(ret, ctls, err);
	if (r >= 0)
		r = decide(ret, err);
	if (r < 0)
		limits_done(ret);
	return r;
}

void limits_done(struct limits *l)
{
	launch_set_cgroup(NULL);
	cgroup_drop(&l->cgroup);
}

bool limit_is_weak(const struct limits *l, enum limit_kind k, char *dst, size_t size)
{
	char text[32];

	if (!asked(l->spec, k) || l->means[k] != MEANS_WATCH)
		return false;
	(void)snprintf(dst, size,
		       "%s=%s is watched, up to 20 times a second, and not held by the kernel: %s; "
		       "for that " DELEGATE,
		       limit_name(k), limit_text(k, l->spec->limits[k].value, text, sizeof(text)),
		       l->no_cgroup);
	return true;
}
