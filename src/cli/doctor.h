/* SPDX-License-Identifier: Apache-2.0 */
/* berm doctor: what its files share. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

/* What a probe found. */
enum doctor_result {
	DOCTOR_HELD,
	DOCTOR_OPEN,	/* it went through */
	DOCTOR_POLICY,	/* the settings allow it */
	DOCTOR_UNTRIED, /* the probe did not run */
};

/* What the probes are told. All of it lies outside of the sandbox but ws. */
struct doctor_place {
	char dir[512];	  /* scratch, holds the two */
	char ws[544];	  /* the workspace, a git repository */
	char secret[544]; /* a file beside the workspace */
	char out[544];	  /* a name beside the workspace: is not there */
	int listener;	  /* on the host's loopback */
	unsigned port;
};

/* One thing that is tried inside. */
struct doctor_probe {
	const char *name;
	const char *what;
	/* Returns 0 when it went through, or the errno that held it. */
	int (*tries)(const struct doctor_place *p);
	/* Looks from outside whether it came through all the same. NULL: nothing to see. */
	bool (*seen)(const struct doctor_place *p);
	bool reads; /* of the home: the settings may allow it */
};

extern const struct doctor_probe doctor_probes[];
extern const size_t doctor_probes_n;

/* In the sandbox: runs the probes and prints "NAME ERRNO" lines. Returns the exit status. */
int doctor_inside(int argc, char **argv);

/* The words that tell doctor_inside() about p, NULL-terminated: text is the room for them. */
void doctor_place_words(const struct doctor_place *p, char text[16], char *words[6]);

/* Makes and removes the scratch place. */
int doctor_place_make(struct doctor_place *p, struct berm_err *err);
void doctor_place_remove(struct doctor_place *p);

/* AppArmor's profile for this program; prints it, or writes it to where AppArmor looks for it
 * and loads it (as root; takes this process's place for that). Return the exit status. */
int doctor_apparmor_print(void);
int doctor_apparmor_install(void);
