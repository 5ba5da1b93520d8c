/* SPDX-License-Identifier: Apache-2.0 */
/* The rules, asked about what is under way. */
#pragma once

#include "egress/aim.h"

/* Would the connection be allowed now? Forwards always are. */
bool policy_still_allows(struct broker *b, const struct aim *a);

/* A name that was said inside a connection: is it the one that was judged, or, where all but
 * the deny list is open, one that is not on it? */
bool policy_name_fits(struct broker *b, const struct aim *a, const struct host *said);
/* --net open. */
bool policy_is_open(const struct broker *b);
