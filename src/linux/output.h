/* SPDX-License-Identifier: Apache-2.0 */
/* The limit of what a command may write to its caller (SPEC P3): for such a run standard output
 * and error, where they are no terminal, are pipes of berm's own, and the warden passes on what
 * comes out of them and counts. What goes through a terminal passes the warden anyway. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#define OUTPUT_STREAMS 2

/* The next launches have such pipes, and pass on so many bytes; 0: as without. */
void output_ask(uint64_t bytes);

/* Before the processes that inherit them are made: puts pipes in the place of this process's
 * standard output and error. Returns 0 or a negative errno. */
int output_open(void);
/* After that: this process has its own again. 0 or a negative errno. */
int output_restore(void);
/* Everything of it is closed in this process. */
void output_close(void);

/* Fills OUTPUT_STREAMS entries; their descriptor is -1 where there is nothing to wait for. */
void output_poll(struct pollfd *p);
/* Passes on what there is. */
void output_ready(const struct pollfd *p);
/* The command is no more: passes on what it has left, until signals (a descriptor) can be read. */
void output_drain(int signals);

/* So many bytes went out by a terminal. */
void output_count(uint64_t bytes);
/* There was more than may be passed on; all that may be is, or will be by output_drain(). */
bool output_full(void);
