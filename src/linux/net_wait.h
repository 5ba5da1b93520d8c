/* SPDX-License-Identifier: Apache-2.0 */
/* Most commands never open a socket of the internet's: for them nothing is made ready. The first
 * socket(2) of that kind waits in the supervisor while the steward makes the network ready, from
 * the sockets that init has made; later ones go on at once. What holds is the network namespace,
 * not this: a socket that came to be otherwise would find a network that is down. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the page that berm's processes share; a futex(2). */
enum net_state { NET_IDLE, NET_WANTED, NET_READY, NET_FAILED };

/* Says so to whoever waits. */
void net_state_set(uint32_t *state, enum net_state value);
/* Waits while it is NET_WANTED, for a second at most. */
void net_state_wait(uint32_t *state);
