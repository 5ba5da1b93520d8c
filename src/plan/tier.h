/* SPDX-License-Identifier: Apache-2.0 */
/* The tiers of the native backend (SPEC B8): what a host may lack of the full sandbox, and
 * what is then not held. A run begins at the full tier; each thing that the host refuses
 * is found out by trying it, and the run begins again without it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "plan/plan.h"

/* What a host may lack; a set of these says what a run does without. */
enum host_lack {
	LACK_USERNS = 1u << 0, /* no user namespace at all */
	LACK_MOUNTS = 1u << 1, /* user namespaces, but no right over mounts in them */
	LACK_LIMIT = 1u << 2,  /* user.max_user_namespaces cannot be set */
	LACK_PROC = 1u << 3,   /* no fresh /proc */
	LACK_INNER = 1u << 4,  /* no second user namespace inside the first */
	LACK_LANDLOCK = 1u << 5,
	LACK_LISTENER = 1u << 6, /* a filter's listener: the supervisor hears of no call */
};
#define LACKS 7

/* What a run must be told before it takes TIER_LANDLOCK. */
#define TIER_OPTION "--tier landlock"

/* Best first. The tier of a run is the last one that something it lacks leads to. */
enum tier {
	TIER_FULL,
	TIER_ONE_USERNS,
	TIER_CONTAINER,
	TIER_READ_ONLY, /* no Landlock, or no supervisor: nothing on disk may be written */
	TIER_LANDLOCK,	/* no namespaces: Landlock, the filter and the supervisor alone */
	TIER_NONE,
	TIER_COUNT,
};

struct tier_info {
	const char *name;   /* for events and for people */
	const char *kernel; /* the oldest that has what it needs */
	const char *needs;
	const char *lacks;   /* "" nothing */
	const char *refuses; /* rules that it cannot hold, "" none */
};

struct lack_info {
	const char *name;    /* as --test-cap takes it */
	const char *missing; /* what the host does not have */
	const char *lost;    /* and what is not held, or not done, for want of it */
	enum tier tier;
	const char *fix; /* what to do about it; where the host is a container, see linux/host.h */
};

/* What a tier needs and lacks. */
const struct tier_info *tier_info(enum tier t);

/* i < LACKS: of 1u << i. */
const struct lack_info *lack_info(unsigned i);

/* The tier of a run that does without these (a set of enum host_lack). */
enum tier tier_of(unsigned lacks);

/* Does it do without namespaces? Then its plan is plan_flat(). */
bool tier_flat(unsigned lacks);

/* Without namespaces the number of processes would count those of the user outside, and there is no
 * place of the session's own that could be full. */
bool limits_held(unsigned lacks, enum limit_kind k);

/* The names of what is lacking, in order. 0 or -ENOMEM. */
int tier_lacks(unsigned lacks, struct strv *ret);

/* Can this plan be held without these? 0, or -EOPNOTSUPP with what cannot be held, by name,
 * and what to do. */
int tier_check(const struct spec *s, const struct plan *p, unsigned lacks, struct berm_err *err);
