/* SPDX-License-Identifier: Apache-2.0 */
/* The first socket of the internet's waits until the sandbox's network is ready (../net_wait.h). */
#include <errno.h>
#include <sys/socket.h>

#include "linux/net_wait.h"
#include "linux/record.h"
#include "linux/supervisor/sup.h"

/* Nothing but the filter's own question is asked again, on the copy of the arguments: they are
 * registers of a caller that waits, so going on is safe. */
int network_open(struct request *r)
{
	uint32_t *state = r->sup->in->network, idle = NET_IDLE;
	const struct rec_header h = {
		.magic = REC_MAGIC, .type = REC_NETWORK, .op = -1, .rule = -1
	};

	if (__atomic_compare_exchange_n(state, &idle, NET_WANTED, false, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST) &&
	    send(r->sup->in->events, &h, sizeof(h), MSG_NOSIGNAL) < 0)
		net_state_set(state, NET_FAILED);
	for (;;)
		switch (__atomic_load_n(state, __ATOMIC_SEQ_CST)) {
		case NET_READY:
			return SUP_CONTINUE;
		case NET_WANTED:
			net_state_wait(state);
			break;
		default:
			return -ENETDOWN;
		}
}
