/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/host_impl.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

#define LABEL_MAX 63

static bool name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

int host_name_normalise(const char *text, size_t len, char *dst)
{
	size_t label = 0;

	/* A leading hyphen would be an option of the programs that take names. */
	if (!len || len > HOST_MAX || text[0] == '-')
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		char c = chr_lower(text[i]);

		if (c == '.' ? label == 0 : !name_char(c) || label == LABEL_MAX)
			return -EINVAL;
		label = c == '.' ? 0 : label + 1;
		dst[i] = c;
	}
	if (!label)
		return -EINVAL;
	dst[len] = '\0';
	return (int)len;
}

bool host_ends_in_number(const char *name, size_t len)
{
	const char *dot = memrchr(name, '.', len);
	const char *last = dot ? dot + 1 : name;
	size_t n = (size_t)(name + len - last);
	bool hex = n >= 2 && last[0] == '0' && last[1] == 'x';

	for (size_t i = hex ? 2 : 0; i < n; i++) {
		bool digit = last[i] >= '0' && last[i] <= '9';

		if (!digit && !(hex && last[i] >= 'a' && last[i] <= 'f'))
			return false;
	}
	return true;
}

void host_from_ip(const struct ip_addr *ip, struct host *ret)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	*ret = (struct host){ .is_ip = true, .ip = *ip };
	if (ip->v6 && memcmp(ip->bytes, mapped, sizeof(mapped)) == 0) {
		ret->ip = (struct ip_addr){ .v6 = 0 };
		memcpy(ret->ip.bytes, ip->bytes + 12, 4);
	}
	if (!ret->ip.v6)
		memset(ret->ip.bytes + 4, 0, 12);
	ip_text(&ret->ip, ret->name, sizeof(ret->name));
}

int host_parse(const char *text, size_t len, struct host *ret)
{
	char name[HOST_MAX + 1];
	struct ip_addr ip;
	int r = -EINVAL, n;

	if (len > 1 && text[0] == '[') {
		if (text[len - 1] != ']' || ip6_parse(text + 1, len - 2, &ip) < 0)
			return -EINVAL;
		host_from_ip(&ip, ret);
		return 0;
	}
	if (len && memchr(text, ':', len)) {
		r = ip6_parse(text, len, &ip);
		if (r == 0)
			host_from_ip(&ip, ret);
		return r;
	}
	if (len > 1 && text[len - 1] == '.')
		len--;
	n = host_name_normalise(text, len, name);
	if (n < 0)
		return n;
	/* A name that looks like a number is one, or nothing. */
	if (host_ends_in_number(name, (size_t)n)) {
		r = ip4_parse(name, (size_t)n, &ip);
		if (r == 0)
			host_from_ip(&ip, ret);
		return r;
	}
	ret->is_ip = false;
	ret->ip = (struct ip_addr){ .v6 = 0 };
	memcpy(ret->name, name, (size_t)n + 1);
	return 0;
}
