/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the supervisor: git's files, judged by what is in them. */
#pragma once

#include "linux/supervisor/sup.h"

#define GIT_REASON_MAX 256

/* One more role, beside enum git_role: an index, judged by git_index_ok(). */
#define GIT_INDEX ((enum git_role)(GIT_LINK + 1))
#define GIT_INDEX_MAX (64u * 1024u * 1024u)

/* true: a regular file that is judged by its bytes. */
static inline bool git_judged(enum git_role role)
{
	return role == GIT_INDEX || git_role_has_content(role);
}

struct git_bytes {
	const char *data; /* NULL: none */
	size_t len;
};

/* The bytes of a regular file that is to be judged, or that is in place now (old), through
 * a descriptor open for reading. There is one buffer for each; used with the names held
 * exclusively. 0, -EFBIG when there are too many for the role, or a negative errno. */
int git_read(int fd, enum git_role role, struct git_bytes *ret);
int git_read_old(int fd, enum git_role role, struct git_bytes *ret);
/* Writes them at the beginning of a file. 0 or a negative errno. */
int git_write(int fd, const struct git_bytes *b);
/* Gives the memory of a large buffer back. */
void git_read_done(void);

/* May what git_read() read be at path, where what git_read_old() read is (has_old false:
 * nothing, or nothing that can be read)? 0 or -EACCES with a reason. */
int git_judge(enum git_role role, const char *path, const char *root, const struct git_bytes *old,
	      const struct git_bytes *bytes, char reason[GIT_REASON_MAX]);

/* The session is over: the process that parses is ended, and there will be no other. The names
 * are held exclusively, as for git_judge(). */
void git_judge_end(void);

/* May p, a ".git", make its directory a repository? 0, SUP_AGAIN or a denial. */
int git_may_found(struct request *r, struct place *p);

/* What the judge needs before the process is confined. 0 or a negative errno. */
int git_init(struct sup *s);

/* A stand-in has been closed: see git_standin.c. Events that have arrived are worked off;
 * called before each request and when `git_events` is readable, without `names`. */
void git_settle(struct sup *s, struct worker *w);
/* The command is dead: every stand-in is settled. */
void git_finish(struct sup *s, struct worker *w);
int git_events(const struct sup *s); /* descriptor to poll, -1 when nothing is pending */
