/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: from settings to struct net_spec. */
#pragma once

#include "policy/resolve.h"
#include "policy/settings.h"

#define NET_ASK_SECONDS 120 /* how long a connection waits for an answer, unless said */

/* The name of all groups of data/domains that are about packages of languages. */
#define NET_GROUP_REGISTRIES "registries"

/* Which groups of data/domains are allowed; part of apply_scalars(). */
int net_groups_resolve(struct spec *s, struct settings_list *l);

/* The rest of s->network, and s->approver. Reads the file of an upstream proxy and looks
 * at unix sockets; makes nothing. */
int net_local_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err);

/* Frees what both made. */
void net_spec_free(struct net_spec *n);

/* Does the list belong to "registries"? */
bool net_group_is_registry(const char *name);
