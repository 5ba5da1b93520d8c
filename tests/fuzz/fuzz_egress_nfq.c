/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a message of the gate's queue, the packet in it being the command's. What is taken
 * for a SYN has both ends of one family; and the same bytes give the same answer. */
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "egress/nfq.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nfq_packet a, b;
	uint8_t out[NFQ_VERDICT_MAX];
	int r = nfq_parse(data, size, &a);

	if (nfq_parse(data, size, &b) != r)
		abort();
	if (r < 0)
		return 0;
	if (a.id != b.id || a.is_syn != b.is_syn)
		abort();
	if (a.is_syn && (a.tuple.src.v6 != a.tuple.dst.v6 || !tuple_equal(&a.tuple, &b.tuple)))
		abort();
	if (nfq_verdict(out, 7, a.id, NFQ_ACCEPT, a.seq | 1) > sizeof(out))
		abort();
	return 0;
}
