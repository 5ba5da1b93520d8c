/* SPDX-License-Identifier: Apache-2.0 */
/* The broker's line to the steward. What cannot be sent at once waits, bounded; what
 * does not fit is counted and told. */
#pragma once

#include "egress/broker.h"
#include "egress/proto.h"

/* Texts of a message, in the order of struct eg_msg; NULL is empty. Long ones are cut. */
struct control_texts {
	const char *host, *addr, *exe, *reason;
};

/* Reads the kit, the descriptors' numbers; blocking. Returns 0 or a negative errno. */
int control_read_kit(int fd, struct net_kit *ret);
/* Reads the first EG_CONFIG; blocking. Returns 0 or a negative errno; err tells more. */
int control_read_config(int fd, struct eg_config **ret, struct berm_err *err);
/* Takes the descriptor into the loop. Returns 0 or a negative errno. */
int control_init(struct broker *b, int fd);

/* m's numbers are filled in; magic and lengths are done here. */
void control_send(struct broker *b, struct eg_msg *m, const struct control_texts *t);
/* EG_DEGRADED, also before control_init(). */
void control_degraded(int fd, const char *reason);
/* The same while the loop runs. */
void control_tell(struct broker *b, const char *reason);
