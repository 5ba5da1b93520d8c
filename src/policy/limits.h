/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of resources (SPEC P3): their names, their values, and what holds when nobody says
 * anything. By what each is held is linux/'s to say (linux/limits_held.h). */
#pragma once

#include "policy/spec.h"

/* Parses a value for the limit called key; *ret_value is LIMIT_NONE for "none". */
int limit_parse(const char *key, const char *value, enum limit_kind *ret_kind, uint64_t *ret_value,
		struct berm_err *err);

/* The key that limit_parse() takes. */
const char *limit_name(enum limit_kind kind);

/* A value as it would be written: "4g", "200%", "10m", "512". Returns dst. */
const char *limit_text(enum limit_kind kind, uint64_t value, char *dst, size_t size);

/* The kernel's limit of each process that holds it, -1: none does. */
int limit_resource(enum limit_kind kind);

/* What holds on this machine when nothing is said: into s->limits. */
void limits_default(struct spec *s);
