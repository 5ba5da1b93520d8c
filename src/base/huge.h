/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for much that is written once: where the kernel has huge pages for who asks, one fault
 * brings two megabytes. A fault for each 4 KiB can cost more than what is written there. */
#pragma once

#include <stddef.h>

#define HUGE_SIZE (2u << 20) /* of one huge page; on other machines a multiple of one or less */

/* At least n bytes, cleared; *ret_size: how many, whole huge pages. NULL on exhaustion. */
void *huge_new(size_t n, size_t *ret_size);

/* size: as huge_new() returned it. */
void huge_free(void *p, size_t size);
