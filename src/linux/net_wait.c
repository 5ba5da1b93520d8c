/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/net_wait.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void net_state_set(uint32_t *state, enum net_state value)
{
	__atomic_store_n(state, (uint32_t)value, __ATOMIC_SEQ_CST);
	(void)syscall(SYS_futex, state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void net_state_wait(uint32_t *state)
{
	const struct timespec limit = { .tv_sec = 1 };

	(void)syscall(SYS_futex, state, FUTEX_WAIT, (uint32_t)NET_WANTED, &limit, NULL, 0);
}
