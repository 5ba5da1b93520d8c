/* SPDX-License-Identifier: Apache-2.0 */
/* The gate's queue (nfnetlink_queue), by hand: what the kernel holds is read, what becomes of
 * it is said. The parser is pure; the packet's bytes are the command's. */
#pragma once

#include <stddef.h>

#include "egress/tuple.h"

struct nfq_packet {
	uint32_t id;
	bool is_syn; /* a TCP SYN: tuple and seq are set */
	uint32_t seq;
	struct tuple tuple;
};

/* One netlink message of n bytes. Returns 0, -EBADMSG when it is none of the queue's packets
 * (nothing to answer). */
int nfq_parse(const void *msg, size_t n, struct nfq_packet *ret);

/* What can be said; ACCEPT with a mark lets the reject rules answer. */
enum nfq_verdict { NFQ_DROP, NFQ_ACCEPT };

#define NFQ_VERDICT_MAX 64
/* Writes a verdict message; returns its length (<= NFQ_VERDICT_MAX). mark 0: none. */
size_t nfq_verdict(void *dst, uint16_t queue, uint32_t id, enum nfq_verdict v, uint32_t mark);
