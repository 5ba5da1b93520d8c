/* SPDX-License-Identifier: Apache-2.0 */
/* By what each limit of a run is held, decided before anything of it is started: a limit that
 * somebody asked for and that cannot be held here is an error then. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "policy/spec.h"

enum limit_means {
	MEANS_NONE,
	MEANS_PROCESS, /* the kernel, for each process (setrlimit(2)) */
	MEANS_USERNS,  /* the kernel, for the sandbox's user namespace */
	MEANS_TMPFS,   /* the kernel, by the private places' file system */
	MEANS_CLOCK,   /* the warden's timer */
	MEANS_COUNT,
};

struct limits {
	const struct spec *spec;
	enum limit_means means[LIMIT_COUNT];
};

/* Decides. warm: for a session, whose commands come later. Negative: err names the limit, why it
 * cannot be held, and what to do. */
int limits_prepare(const struct spec *spec, bool warm, struct limits *ret, struct berm_err *err);

/* "the kernel, each process", ... */
const char *limit_means_text(enum limit_means m);
