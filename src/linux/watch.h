/* SPDX-License-Identifier: Apache-2.0 */
/* What a sandbox's processes use, looked up from outside, where the kernel does not hold a limit
 * for all of them together. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct watch_sum {
	uint64_t bytes; /* memory that is theirs: anonymous and shared, each page once */
	uint64_t tasks; /* processes and threads */
};

/* Of init and everything below it. Pages are looked at one by one only where the simple sum is
 * above `enough` bytes. 0, or a negative errno (-ENOENT: it cannot be seen on this kernel). */
int watch_sum(pid_t init, uint64_t enough, struct watch_sum *ret);

/* Bytes of the whole machine that are in use and cannot be given up. Negative: a negative errno. */
int watch_machine(uint64_t *ret_used);

/* Tasks of the whole machine. */
int watch_machine_tasks(uint64_t *ret);
