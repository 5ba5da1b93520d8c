/* SPDX-License-Identifier: Apache-2.0 */
/* One sandbox of berm doctor's. */
#pragma once

#include "cli/doctor.h"

struct doctor_run {
	const char *mode;
	char *tier; /* NULL: none could be made */
	int landlock_abi;
	struct strv lacks;    /* names */
	struct strv degraded; /* "tier: ...", "network: ..." */
	char error[1024];     /* why there is none */
	char fix[512];
	struct {
		enum doctor_result result;
		int err;
	} results[32];
};

/* Runs the probes in a sandbox that "berm run --mode MODE" with these options makes. 0, whatever
 * was found; a negative errno with err set when nothing could be tried. */
int doctor_run(struct doctor_run *run, const struct strv *options, struct berm_err *err);
void doctor_run_free(struct doctor_run *run);

/* A sandbox was made, and everything that was tried in it held. */
bool doctor_held(const struct doctor_run *run);

/* Adds what to do about what is lacking, each thing once. */
int doctor_fixes(const struct doctor_run *run, struct strv *fixes, struct berm_err *err);
