/* SPDX-License-Identifier: Apache-2.0 */
/* What "berm sandbox --json" said. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Reads it; anything but the object that is expected is refused. 0 or -EBADMSG; json_decref()
 * releases *ret. */
int state_parse(const char *text, size_t len, json_t **ret);

/* Its members; "" and false when they are not there. */
const char *state_text(const json_t *s, const char *name);
bool state_is(const json_t *s, const char *name, const char *value);

/* Of the i-th excluded pattern. */
size_t state_excluded(const json_t *s);
const char *state_pattern(const json_t *s, size_t i);
const char *state_pattern_from(const json_t *s, size_t i);
bool state_pattern_local(const json_t *s, size_t i);
