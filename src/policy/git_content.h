/* SPDX-License-Identifier: Apache-2.0 */
/* The judges of the single roles, for git_content_ok(). Internal to policy/git_*.c.
 * Each returns true, or false with the reason set. */
#pragma once

#include "base/cleanup.h"
#include "policy/git.h"

struct git_why {
	char *dst;
	size_t size;
};

/* Sets the reason; the text is escaped. Returns false. */
bool git_refuse(const struct git_why *why, const char *fmt, ...) _printf_(2, 3);

/* One for each role with content, see policy/git.h. */
bool git_judge_config(const struct git_content *c, const struct git_why *why);
bool git_judge_modules(const struct git_content *c, const struct git_why *why);
bool git_judge_pointer(const struct git_content *c, const struct git_why *why);
bool git_judge_commondir(const struct git_content *c, const struct git_why *why);
bool git_judge_alternates(const struct git_content *c, const struct git_why *why);
bool git_judge_attributes(const struct git_content *c, const struct git_why *why);
bool git_judge_state(const struct git_content *c, const struct git_why *why);

/* Whether an absolute, normalised path lies in one of the writable roots. */
bool git_in_roots(const struct git_content *c, const char *path);

/* The directory the file lies in. Returns false when it does not fit. */
bool git_dir_of(const char *path, char *dst, size_t size);
