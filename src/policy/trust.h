/* SPDX-License-Identifier: Apache-2.0 */
/* Trust in a project's own settings file, bound to its path and content. A record
 * is one small file in berm's state folder, which no sandbox ever sees. */
#pragma once

#include "base/sha256.h"
#include "policy/resolve.h"

/* One settings file of a project. */
struct trust_subject {
	char *path; /* canonical */
	char sha256[SHA256_HEX_SIZE];
	bool trusted;
	struct strv loosens; /* what it would open, one line each: "12: files \"~/data\": write" */
};

void trust_subject_free(struct trust_subject *t);

/* Reads the settings file of the project in dir (.berm/policy.json, or the local
 * one when it is not simply the user's own). -ENOENT: there is none. */
int trust_look(const struct policy_input *in, const char *dir, bool local,
	       struct trust_subject *ret, struct berm_err *err);

/* One of a project's files, of berm's (kind -1) or another tool's (enum front_kind). */
struct trust_file {
	int kind;
	const char *rel; /* below the project */
};

/* As trust_look(), of any of them. */
int trust_look_file(const struct policy_input *in, const char *dir, const struct trust_file *file,
		    struct trust_subject *ret, struct berm_err *err);

/* Records or removes trust. What was shown is what gets trusted: the hash is the
 * one in t, not the file's of now. */
int trust_record(const struct policy_input *in, const struct trust_subject *t,
		 struct berm_err *err);
int trust_revoke(const struct policy_input *in, const char *path, struct berm_err *err);

/* All records' paths. */
int trust_list(const struct policy_input *in, struct strv *ret, struct berm_err *err);

/* Is content with this hash trusted at path? Anything unclear is a no. */
bool trust_holds(const char *state_dir, unsigned uid, const char *path, const char *sha256);
