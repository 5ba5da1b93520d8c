/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: what the writers for other tools share. */
#pragma once

#include "base/str.h"
#include "policy/export.h"
#include "policy/settings.h"

struct exporter {
	const struct spec *s;
	struct buf *out;
	struct strv *lost;
	/* What the layers say, absolute. */
	struct strv allow_read, deny_read, allow_write, deny_write, ask;
	struct strv allow_host, deny_host, ask_host, sockets, excluded;
};

/* Notes once that the tool cannot say something. */
int export_lost(struct exporter *x, const char *fmt, ...) _printf_(2, 3);

/* Writers (export_codex.c). */
int export_codex(struct exporter *x);
int export_bwrap(struct exporter *x);
