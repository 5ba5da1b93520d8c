/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the supervisor: the parts of an open that has been parsed. */
#pragma once

#include <fcntl.h>

#include "linux/supervisor/sup.h"

struct opening {
	int flags;
	mode_t mode;
};

/* true: the content can change through the descriptor, or has. */
static inline bool open_writes(const struct opening *o)
{
	return (o->flags & O_ACCMODE) != O_RDONLY || o->flags & O_TRUNC;
}

/* Flags that F_SETFL can set. */
#define OPEN_SETFL_FLAGS (O_APPEND | O_ASYNC | O_DIRECT | O_NOATIME | O_NONBLOCK)

/* The parsed call on a path; `path` (PATH_MAX bytes) is overwritten while symlinks are
 * followed. Returns an outcome or a negative errno. */
int open_path(struct request *r, struct start from, char *path, const struct opening *o);

/* Direct opens of git's files for writing (git_standin.c). Outcome or a negative errno;
 * git_open_existing() returns SUP_CONTINUE when the caller may go on as with any file. */
int git_open_new(struct request *r, const struct opening *o, struct place *p, enum git_role role);
int git_open_existing(struct request *r, const struct opening *o, struct place *p,
		      enum git_role role);

/* Opens for reading while reads are trapped (read.c): never SUP_CONTINUE. The second one
 * may make the file (O_RDONLY|O_CREAT) outside the governed trees. */
int open_reading(struct request *r, struct start from, char *path, const struct opening *o);
int open_making(struct request *r, struct start from, char *path, const struct opening *o);

/* Opens what the path names for the caller, O_PATH: also what /proc/self means to it (read.c). 0 or
 * a negative errno. */
int read_find(struct request *r, const struct start *from, const char *path, bool follow,
	      struct object *obj);

/* Is it to be seen? SUP_CONTINUE, or a negative errno (look.c). */
int look_first(struct request *r, int dirfd, uint64_t path, bool follow);

/* Walks a path on behalf of the caller (walk.c) to an O_PATH descriptor. 0 or a negative
 * errno. */
int walk_path(struct request *r, const struct start *from, const char *path, bool follow,
	      int *ret_fd);
