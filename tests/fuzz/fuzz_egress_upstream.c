/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a proxy's URL, NUL, NO_PROXY, NUL, a host. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "egress/ssh_note.h"
#include "egress/upstream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

/* Its three lines and no more, whatever the URL holds. */
static void check_connect(const struct upstream *u, const struct host *h)
{
	char dst[UPSTREAM_CONNECT_MAX];
	size_t n = upstream_connect(u, h, 443, dst), lines = 0;

	must(n < sizeof(dst) && n == strlen(dst));
	for (size_t i = 0; i < n; i++) {
		must((dst[i] >= ' ' && dst[i] < 0x7f) || dst[i] == '\r' || dst[i] == '\n');
		lines += dst[i] == '\n';
	}
	must(lines == (u->auth[0] ? 4u : 3u) && memcmp(dst + n - 4, "\r\n\r\n", 4) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = malloc(size + 3);
	const char *url = text, *no_proxy, *name;
	uint8_t note[SSH_NOTE_MAX];
	struct upstream u;
	struct berm_err err = { 0 };
	struct host h;

	memcpy(text, data, size);
	memset(text + size, 0, 3);
	no_proxy = url + strlen(url) + 1;
	if (no_proxy > text + size)
		no_proxy = text + size;
	name = no_proxy + strlen(no_proxy) + 1;
	if (name > text + size)
		name = text + size;
	must(ssh_note(url, note) <= sizeof(note));
	if (host_parse(name, strlen(name), &h) < 0)
		(void)host_parse("example.com", 11, &h);
	if (upstream_parse(url, &u, &err) == 0) {
		must(u.port != 0);
		check_connect(&u, &h);
		upstream_wipe(&u);
	} else {
		must(err.code < 0 && err.msg[0]);
	}
	if (upstream_skips(no_proxy, &h, 443)) {
		_cleanup_free_ char *more = str_printf("%s,other.example", no_proxy);

		must(upstream_skips(more, &h, 443));
	}
	return 0;
}
