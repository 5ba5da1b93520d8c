/* SPDX-License-Identifier: Apache-2.0 */
/* Which name has which synthetic address. One of KIT_NAMES4 and one of KIT_NAMES6 for
 * each name, never given to another in the session (a JVM caches for ever); mostly the same
 * in the next session (ssh's known_hosts). Both ways O(1); memory grows with the names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/host.h"

#define NAMES_MAX 65000

struct names;

struct name_rec {
	uint32_t flags; /* the caller's */
	uint32_t uses;	/* the caller's: connections */
	uint32_t slot;	/* offset in KIT_NAMES4 */
	uint64_t hash;	/* internal */
	char name[];	/* normalised */
};

/* key: 16 random bytes, against names chosen to collide. */
int names_new(const uint8_t key[16], struct names **ret);
void names_free(struct names *n);

/* Finds or makes. The record stays where it is until names_free(). -EINVAL: h is an address;
 * -ENOSPC: NAMES_MAX names are there already; -ENOMEM. */
int names_add(struct names *n, const struct host *h, struct name_rec **ret);

/* NULL: no such name. */
struct name_rec *names_find(const struct names *n, const char *name);

/* NULL: nobody was given this address. */
struct name_rec *names_by_ip(const struct names *n, const struct ip_addr *ip);

/* Is it of the ranges that names are given addresses from, given or not? Nothing else may
 * be dialled there. */
bool names_range(const struct ip_addr *ip);

/* The address of a record, of either family. */
void names_ip(const struct name_rec *r, bool v6, struct ip_addr *ret);

/* How many names there are. */
size_t names_count(const struct names *n);
