/* SPDX-License-Identifier: Apache-2.0 */
/* The C library looks into /etc/hosts before it asks anyone: a name that stands there
 * comes out as its address, and the rules over names are never asked. So only the lines
 * about the loopback are shown; the broker resolves the others on the host, where the file
 * is whole. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/fd.h"
#include "plan/build.h"

#define HOSTS_MAX (1u << 20)

enum line { LINE_KEPT, LINE_NAMES_OTHERS };

/* Multicast and the old site prefix of Debian's file name no host. */
static enum line judge(const char *line)
{
	char addr[INET6_ADDRSTRLEN + 1];
	size_t n = strcspn(line, " \t#");
	struct in6_addr v6;
	struct in_addr v4;

	if (!n)
		return LINE_KEPT;
	if (n >= sizeof(addr))
		return LINE_NAMES_OTHERS;
	memcpy(addr, line, n);
	addr[n] = '\0';
	if (inet_pton(AF_INET, addr, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127 ? LINE_KEPT : LINE_NAMES_OTHERS;
	if (inet_pton(AF_INET6, addr, &v6) == 1 &&
	    (IN6_IS_ADDR_LOOPBACK(&v6) || v6.s6_addr[0] == 0xff ||
	     (v6.s6_addr[0] == 0xfe && v6.s6_addr[1] == 0)))
		return LINE_KEPT;
	return LINE_NAMES_OTHERS;
}

bool plan_hosts_filter(const char *text, struct buf *out)
{
	bool less = false;

	while (*text) {
		size_t n = strcspn(text, "\n");
		_cleanup_free_ char *line = strndup(text, n);
		size_t blank;

		text += n + (text[n] == '\n');
		if (!line) {
			out->failed = true;
			return true;
		}
		blank = strspn(line, " \t\r");
		if (judge(line + blank) == LINE_KEPT)
			buf_addf(out, "%s\n", line);
		else
			less = true;
	}
	return less;
}

int plan_hosts(struct plan_build *b)
{
	_cleanup_free_ char *text = NULL, *real = realpath("/etc/hosts", NULL);
	_cleanup_buf_ struct buf out = BUF_INIT(HOSTS_MAX + 64);
	int r;

	if (!real || !plan_shown(b->plan, real))
		return 0;
	r = fd_read_file(AT_FDCWD, real, HOSTS_MAX, &text, NULL);
	if (r < 0)
		return err_errno(b->err, r, "cannot read %s", real);
	if (!plan_hosts_filter(text, &out))
		return 0;
	buf_adds(&out, "127.0.0.1 localhost\n::1 localhost\n");
	if (out.failed)
		b->failed = true;
	else
		plan_step(b, STEP_TEXT, out.data, real, STEP_OPTIONAL, 0644);
	return 0;
}
