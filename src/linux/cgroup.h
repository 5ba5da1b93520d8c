/* SPDX-License-Identifier: Apache-2.0 */
/* A control group of a run's own, for the limits that only one holds: memory, processor time, and
 * processes where the user namespace does not count them. Version 2 where its controllers are
 * there, version 1 otherwise (there one group in each hierarchy). It is made below or beside the
 * group that berm is in, so it is held to that group's limits as well; no other group is changed
 * but berm's own, when that was delegated and has to pass its controllers on.
 *
 * berm enters the group, starts the sandbox's processes, and leaves: so they are in it from their
 * beginning. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum cgroup_ctl { CGROUP_MEMORY, CGROUP_PIDS, CGROUP_CPU, CGROUP_CTLS };

struct cgroup_dir {
	int dir;	/* the run's group, -1 none */
	int parent;	/* where it lies, -1 */
	int home_procs; /* cgroup.procs of the group that berm was in, open for writing, -1 */
	char name[32];
};

struct cgroup {
	int version;			     /* 2, 1, or 0: there is none */
	struct cgroup_dir dirs[CGROUP_CTLS]; /* version 2: the first alone */
	int self;      /* version 2: the group that berm itself had to move to, -1 */
	int delegated; /* and the one that it came from */
};

#define CGROUP_INIT                                    \
	{                                              \
		.self = -1, .delegated = -1, .dirs = { \
			{ -1, -1, -1 },                \
			{ -1, -1, -1 },                \
			{ -1, -1, -1 }                 \
		}                                      \
	}

/* Makes one with these controllers (bit N: enum cgroup_ctl N). mountinfo, own: the texts of
 * /proc/self/mountinfo and /proc/self/cgroup. 0, or a negative errno; why says in a few words what
 * is missing. */
int cgroup_make(unsigned ctls, struct cgroup *ret, char *why, size_t size);

/* Sets a limit: bytes, a number, percent of one processor. */
int cgroup_limit(const struct cgroup *c, enum cgroup_ctl ctl, uint64_t value);

/* This process enters it; goes back to where it was. */
int cgroup_enter(const struct cgroup *c);
int cgroup_leave(const struct cgroup *c);

/* How many processes were killed because there was no memory for them; 0 when it is not known. */
uint64_t cgroup_oom_kills(const struct cgroup *c);

/* How many there are, threads too; 0 when it is not known. */
uint64_t cgroup_pids(const struct cgroup *c);

/* Takes it away; nobody is in it any more. Closes everything. */
void cgroup_drop(struct cgroup *c);

/* ---- for tests ---- */

/* Where the hierarchy with this controller (NULL: version 2) is mounted and which part of it:
 * into root and at. false: nowhere. */
bool cgroup_find_mount(const char *mountinfo, const char *ctl, char *at, char *root, size_t size);

/* The path of the group in that hierarchy, from the text of /proc/self/cgroup. */
bool cgroup_find_own(const char *own, const char *ctl, char *path, size_t size);
