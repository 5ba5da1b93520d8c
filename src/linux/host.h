/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of place this host is (data/host-kinds): containers, WSL 1 and gVisor refuse
 * different things, and have different remedies. Nothing is decided by it; it is for the
 * sentence after something was refused. */
#pragma once

#include <sys/utsname.h>

struct host_kind {
	const char *name;   /* the group in data/host-kinds; "plain" none of them */
	const char *what;   /* "a Docker container" */
	const char *userns; /* what to do where it allows no user namespaces, NULL nothing known */
	const char *proc;   /* or no fresh /proc and no limit on namespaces, NULL */
};

/* root: descriptor of the directory to look in for files ("/" of the host). */
const struct host_kind *host_kind_find(int root, const struct utsname *uts, char *const *env);

/* By the name of its group; NULL when there is no such. */
const struct host_kind *host_kind_named(const char *name);

/* Of this host. Never NULL. */
const struct host_kind *host_kind(void);
