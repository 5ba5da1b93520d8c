/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a key, then names divided by newlines. Against a plain list. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "egress/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct name_rec *list[512];
	struct names *n = NULL;
	size_t count = 0;

	if (size < 16)
		return 0;
	must(names_new(data, &n) == 0);
	for (size_t at = 16; at < size && count < ARRAY_SIZE(list);) {
		const uint8_t *end = memchr(data + at, '\n', size - at);
		size_t len = end ? (size_t)(end - data) - at : size - at, i;
		struct name_rec *r = NULL;
		struct ip_addr ip;
		struct host h;

		if (host_parse((const char *)data + at, len, &h) == 0 &&
		    names_add(n, &h, &r) == 0) {
			for (i = 0; i < count && !streq(list[i]->name, h.name); i++)
				must(list[i]->slot != r->slot);
			must(i == count || list[i] == r);
			if (i == count)
				list[count++] = r;
			must(streq(r->name, h.name) && names_find(n, h.name) == r);
			names_ip(r, len % 2, &ip);
			must(names_range(&ip) && names_by_ip(n, &ip) == r);
			must(names_count(n) == count);
		}
		at += len + 1;
	}
	names_free(n);
	return 0;
}
