/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is released at once: all that a parsed line consists of. */
#pragma once

#include <stddef.h>

struct shell_pool;

/* Returns NULL on exhaustion. hint: so many bytes are likely. */
struct shell_pool *shell_pool_new(size_t hint);
void shell_pool_free(struct shell_pool *p);

/* n bytes, aligned, not cleared. NULL on exhaustion. */
void *shell_pool_alloc(struct shell_pool *p, size_t n);

/* A copy of len bytes, terminated. NULL on exhaustion. */
char *shell_pool_text(struct shell_pool *p, const char *s, size_t len);
