/* SPDX-License-Identifier: Apache-2.0 */
/* The namespace's packet rules, as one nf_tables batch. */
#pragma once

#include <stdbool.h>

#include "linux/nlmsg.h"

enum nft_part {
	NFT_TRANSPARENT, /* TPROXY: to the transparent listeners; and what marks do */
	NFT_GATE_NATIVE, /* GATE: beside that, through the queue first */
	NFT_GATE_COMPAT, /* the same by the older of the kernel's two ways into a queue */
	NFT_REDIRECT,	 /* REDIRECT: instead of both */
};

/* Fills b with the rules of one part. Returns the number of the message that is answered
 * when all of them are in force. */
uint32_t nft_build(struct nl_buf *b, enum nft_part part, bool v6);

/* Sends them over a NETLINK_NETFILTER socket of the namespace: all or none. A part that a
 * kernel may well refuse stands alone: taking back what stood before it in the batch would
 * wait for an RCU grace period (__nf_tables_abort), ten milliseconds. */
int nft_setup(int fd, enum nft_part part, bool v6);

/* Binds the socket to the gate's queue. */
int nft_bind_queue(int fd);
