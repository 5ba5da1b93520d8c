/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the supervisor: metadata of objects. */
#pragma once

#include "linux/supervisor/sup.h"

/* The object of an AT_* call with AT_SYMLINK_NOFOLLOW and AT_EMPTY_PATH. 0 or a negative
 * errno; the caller closes *o in every case. */
int meta_object(struct request *r, int dirfd, uint64_t path, int flags, struct object *o);

/* May its metadata change? 0 with the notification checked, SUP_AGAIN or a denial. */
int meta_allowed(struct request *r, const struct object *o);
