/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: what the parts of the explanation share. All append to out. */
#pragma once

#include "policy/rules.h"

/* Text, escaped for terminals. */
void out_text(struct buf *out, const char *s);
/* "  [file:line]" and the end of the line. */
void out_from(struct buf *out, const struct origin *o);
/* A JSON member, without a comma in front. */
void out_member(struct buf *out, const char *name, const char *value);
/* The members "file" and "line" after a comma, and the end of the object. */
void out_origin(struct buf *out, const struct origin *o);

/* The guard's part (explain_guard.c). The JSON begins with a comma. */
void explain_guard_text(const struct spec *s, struct buf *out);
void explain_guard_json(const struct spec *s, struct buf *out);

/* The network's part (explain_net.c). The JSON begins with a comma. */
void explain_net_text(const struct spec *s, struct buf *out);
void explain_net_json(const struct spec *s, struct buf *out);
