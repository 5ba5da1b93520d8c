/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that were refused, for the summary after the run. Bounded: the command chooses
 * how many there are. */
#pragma once

#include <stdint.h>

#include "policy/host.h"

#define REFUSED_MAX 256

struct refused_host {
	char host[HOST_MAX + 1];
	uint16_t port;
	uint64_t count;
	char reason[200], origin[200], grant[320];
};

struct refused {
	struct refused_host *v;
	size_t n;
	uint64_t unlisted; /* of hosts that found no place */
};

/* Counts h; the same host and port are one. */
void refused_add(struct refused *r, const struct refused_host *h);
void refused_free(struct refused *r);
