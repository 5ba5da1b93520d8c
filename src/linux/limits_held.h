/* SPDX-License-Identifier: Apache-2.0 */
/* By what each limit of a run is held, decided before anything of it is started: a limit that
 * somebody asked for and that cannot be held here is an error then. A control group costs as much
 * as a tenth of a start, so one is made only for a limit that was asked for. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "linux/cgroup.h"
#include "policy/spec.h"

enum limit_means {
	MEANS_NONE,
	MEANS_PROCESS, /* the kernel, for each process (setrlimit(2)) */
	MEANS_USERNS,  /* the kernel, for the sandbox's user namespace */
	MEANS_TMPFS,   /* the kernel, by the private places' file system */
	MEANS_CGROUP,  /* the kernel, by a control group */
	MEANS_CLOCK,   /* the warden's timer */
	MEANS_RELAY,   /* the warden, which passes the output on */
	MEANS_WATCH,   /* the warden looks now and then: no boundary */
	MEANS_COUNT,
};

struct limits {
	const struct spec *spec;
	enum limit_means means[LIMIT_COUNT];
	struct cgroup cgroup;
	char no_cgroup[128]; /* why there is none, "": there is, or none was wanted */
};

/* Decides, and makes what is needed. warm: for a session, whose commands come later. Negative: err
 * names the limit, why it cannot be held, and what to do. */
int limits_prepare(const struct spec *spec, bool warm, struct limits *ret, struct berm_err *err);

/* Takes away what was made; nothing of the run is left. */
void limits_done(struct limits *l);

/* "process", "userns", "tmpfs", "cgroup", "clock", "relay", "watch", "none". */
const char *limit_means_name(enum limit_means m);

/* Is the limit asked for and held by less than the kernel? Then a sentence about that into dst. */
bool limit_is_weak(const struct limits *l, enum limit_kind k, char *dst, size_t size);
