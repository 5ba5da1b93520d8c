/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the supervisor: git's files, judged by what is in them. */
#pragma once

#include "linux/supervisor/sup.h"

#define GIT_REASON_MAX 256

struct git_bytes {
	char *data;
	size_t len;
};

/* Why the role is refused, static text. */
const char *git_role_reason(enum git_role role);

/* Two buffers of GIT_CONTENT_MAX bytes; used with the names held exclusively. */
extern char git_new_buf[GIT_CONTENT_MAX + 1], git_old_buf[GIT_CONTENT_MAX + 1];

/* Reads a regular file's bytes through a descriptor open for reading. 0, -EFBIG when
 * there are more than GIT_CONTENT_MAX, or a negative errno. */
int git_read(int fd, char buf[GIT_CONTENT_MAX + 1], size_t *ret_len);

/* May `bytes` be at p, where `old` is (old NULL: nothing is)? 0 or -EACCES with a reason. */
int git_judge(struct sup *s, enum git_role role, const char *path, const char *root,
	      const struct git_bytes *old, const struct git_bytes *bytes,
	      char reason[GIT_REASON_MAX]);

/* What the judge needs before the process is confined. 0 or a negative errno. */
int git_init(struct sup *s);

/* A stand-in has been closed: see git_standin.c. Events that have arrived are worked off;
 * called before each request and when `git_events` is readable, without `names`. */
void git_settle(struct sup *s, struct worker *w);
int git_events(const struct sup *s); /* descriptor to poll, -1 when nothing is pending */
