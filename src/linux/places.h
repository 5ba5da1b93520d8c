/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that mount share (mount.c, overlay.c). Each returns 0, a descriptor, or a
 * negative errno. */
#pragma once

#include <stdint.h>

#include "plan/plan.h"

/* openat2(2), close-on-exec. */
int place_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve);

/* A detached mount of a file system type, with options (a value NULL: a flag), NULL-ended. */
int place_new_fs(const char *type, const char *const opts[][2], unsigned attrs);

/* Attaches a detached mount at a place in the new root. */
int place_attach(int tree, int root, const char *path);

/* A detached copy of the mount at fd. */
int place_clone_tree(int fd, bool recursive);
/* Sets attributes of a mount (MOUNT_ATTR_*). */
int place_setattr(int fd, bool recursive, uint64_t set);

/* Of a host's directory or file that is shown: enum step_flag as MOUNT_ATTR_*. */
uint64_t place_attrs(unsigned flags);

/* Opens the step's source, which must still be what was judged. */
int place_source(const struct step *s, uint64_t flags);

/* overlay.c */
int step_overlay(const struct step *s, int root);
int step_copy(const struct step *s, int root);
