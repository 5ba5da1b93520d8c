/* SPDX-License-Identifier: Apache-2.0 */
/* A machine in a temporary directory: home, workspace, settings folders of every
 * layer. Tests of policy/ build specs in it without touching the real ones. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/resolve.h"

struct machine {
	char *top, *home, *ws, *managed, *config, *state;
	const char *ws_list[4];
	char **environ;
	struct policy_input in; /* points into the above; change it before resolving */
	struct spec *spec;
	struct berm_err err;
};

void machine_up(struct machine *m);
void machine_down(struct machine *m);

/* Writes a file below the machine's top ("ws/.berm/policy.json"), with parents. */
void put(struct machine *m, const char *rel, const char *text);
void put_mode(struct machine *m, const char *rel, const char *text, unsigned mode);
void put_dir(struct machine *m, const char *rel);
void put_link(struct machine *m, const char *rel, const char *target);

/* As "berm trust --yes": of the project's file, or of the local one. */
void put_trust(struct machine *m, bool local);

/* Absolute path of rel; a ring of buffers, for use at once. */
const char *at(const struct machine *m, const char *rel);

/* Resolves; the spec must come out. Repeated calls free the one before. */
const struct spec *resolve(struct machine *m);

/* Resolves; it must fail, with text in message or fix. */
void resolve_fails(struct machine *m, const char *text);

/* Judges op on rel (below the machine's top, or absolute) with facts from the disk. */
struct verdict judge(struct machine *m, enum file_op op, const char *rel, enum file_type type);
struct verdict judge_rename(struct machine *m, const char *from, const char *to,
			    enum file_type type);

bool has_note(const struct spec *s, const char *text);
const char *env_of(const struct spec *s, const char *name);
bool strv_contains(const struct strv *l, const char *text);
