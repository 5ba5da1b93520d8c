/* SPDX-License-Identifier: Apache-2.0 */
/* Input: what a SOCKS client sends. In one piece and byte by byte the same comes of it. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "egress/socks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

struct run {
	struct socks s;
	enum socks_step step;
	uint8_t sent[64];
	size_t n_sent, used;
};

static void run(struct run *r, const uint8_t *data, size_t size, size_t chunk)
{
	size_t have = size < chunk ? size : chunk, n;

	memset(r, 0, sizeof(*r));
	for (;;) {
		r->step = socks_next(&r->s, data + r->used, have - r->used, &n);
		must(n <= have - r->used && r->s.reply_len <= SOCKS_REPLY_MAX);
		must(r->step != SOCKS_MORE || (n == 0 && have - r->used <= SOCKS_MAX));
		must(r->n_sent + r->s.reply_len <= sizeof(r->sent));
		memcpy(r->sent + r->n_sent, r->s.reply, r->s.reply_len);
		r->n_sent += r->s.reply_len;
		r->used += n;
		if (r->step == SOCKS_CONNECT || r->step == SOCKS_BAD)
			break;
		if (r->step == SOCKS_MORE) {
			if (have == size)
				break;
			have = size - have < chunk ? size : have + chunk;
		}
	}
	must(r->step != SOCKS_BAD || r->s.why);
	if (r->step == SOCKS_CONNECT) {
		struct host again;

		must(r->s.version == 4 || r->s.version == 5);
		must(host_parse(r->s.host.name, strlen(r->s.host.name), &again) == 0);
		must(streq(again.name, r->s.host.name));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run all, one;

	run(&all, data, size, size ? size : 1);
	run(&one, data, size, 1);
	must(all.step == one.step);
	must(all.n_sent == one.n_sent && memcmp(all.sent, one.sent, all.n_sent) == 0);
	if (all.step == SOCKS_CONNECT)
		must(all.used == one.used && all.s.port == one.s.port &&
		     streq(all.s.host.name, one.s.host.name));
	return 0;
}
