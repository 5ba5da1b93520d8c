/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/config.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>

#include "base/fd.h"

#define HEAD "berm-egress 1\n"

static int add_text(struct buf *out, const char *key, const char *value)
{
	if (!value)
		return 0;
	if (strchr(value, '\n'))
		return -EINVAL;
	return buf_addf(out, "%s %s\n", key, value);
}

int eg_config_write(const struct net_spec *n, struct buf *out)
{
	int r;

	(void)buf_adds(out, HEAD);
	(void)buf_addf(out, "ask_seconds %u\ncut %d\n", n->ask_seconds, n->cut);
	(void)buf_addf(out, "http_proxy_port %u\nsocks_proxy_port %u\n", n->http_proxy_port,
		       n->socks_proxy_port);
	r = add_text(out, "upstream", n->upstream);
	if (r < 0)
		return r;
	r = add_text(out, "no_proxy", n->no_proxy);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n->n_publish; i++)
		(void)buf_addf(out, "publish %u %u\n", n->publish[i].host_port,
			       n->publish[i].inside_port);
	for (size_t i = 0; i < n->n_host_ports; i++)
		(void)buf_addf(out, "host_port %u %u\n", n->host_ports[i].host_port,
			       n->host_ports[i].inside_port);
	(void)buf_adds(out, "policy\n");
	if (out->failed)
		return -ENOBUFS;
	return net_policy_write(n->policy, out);
}

/* Decimal, nothing around it. */
static int number(const char *s, unsigned long max, unsigned long *ret)
{
	unsigned long v = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return -EINVAL;
		v = v * 10 + (unsigned long)(*s - '0');
		if (v > max)
			return -ERANGE;
	}
	*ret = v;
	return 0;
}

static int port(const char *s, uint16_t *ret)
{
	unsigned long v;
	int r = number(s, UINT16_MAX, &v);

	if (r == 0)
		*ret = (uint16_t)v;
	return r;
}

static int forward(char *s, struct eg_forward *list, size_t *n)
{
	char *space = strchr(s, ' ');
	struct eg_forward f;

	if (!space || *n == 32)
		return -EINVAL;
	*space = '\0';
	if (port(s, &f.host) < 0 || port(space + 1, &f.inside) < 0 || !f.host || !f.inside)
		return -EINVAL;
	list[(*n)++] = f;
	return 0;
}

static int set_text(char **slot, const char *value)
{
	if (*slot || !*value)
		return -EINVAL;
	*slot = strdup(value);
	return *slot ? 0 : -ENOMEM;
}

static int line(struct eg_config *c, const char *key, char *value)
{
	unsigned long v = 0;
	int r;

	if (streq(key, "ask_seconds")) {
		r = number(value, 86400, &v);
		c->ask_seconds = (unsigned)v;
		return r;
	}
	if (streq(key, "cut")) {
		r = number(value, 1, &v);
		c->cut = v == 1;
		return r;
	}
	if (streq(key, "http_proxy_port"))
		return port(value, &c->http_proxy_port);
	if (streq(key, "socks_proxy_port"))
		return port(value, &c->socks_proxy_port);
	if (streq(key, "upstream"))
		return set_text(&c->upstream, value);
	if (streq(key, "no_proxy"))
		return set_text(&c->no_proxy, value);
	if (streq(key, "publish"))
		return forward(value, c->publish, &c->n_publish);
	if (streq(key, "host_port"))
		return forward(value, c->host_ports, &c->n_host_ports);
	return -EINVAL;
}

/* Reads lines up to "policy"; *ret_at is where the rules begin. */
static int head(struct eg_config *c, const char *s, size_t len, size_t *ret_at)
{
	size_t at = sizeof(HEAD) - 1;
	char one[2048];

	if (len < at || memcmp(s, HEAD, at) != 0)
		return -EINVAL;
	for (;;) {
		const char *end = memchr(s + at, '\n', len - at);
		size_t n = end ? (size_t)(end - (s + at)) : 0;
		char *space;
		int r;

		if (!end || n >= sizeof(one) || memchr(s + at, '\0', n))
			return -EINVAL;
		memcpy(one, s + at, n);
		one[n] = '\0';
		at += n + 1;
		if (streq(one, "policy"))
			break;
		space = strchr(one, ' ');
		if (!space)
			return -EINVAL;
		*space = '\0';
		r = line(c, one, space + 1);
		explicit_bzero(one, n);
		if (r < 0)
			return r;
	}
	*ret_at = at;
	return 0;
}

static void free_config(struct eg_config **c)
{
	eg_config_free(*c);
}

int eg_config_read(const char *text, size_t len, struct eg_config **ret, struct berm_err *err)
{
	_cleanup_(free_config) struct eg_config *c = calloc(1, sizeof(*c));
	size_t at = 0;
	int r;

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	r = head(c, text, len, &at);
	/* Not the line itself: it may be the one with the password. */
	if (r < 0)
		return err_errno(err, r, "the broker's configuration is malformed");
	r = net_policy_read(text + at, len - at, &c->policy, err);
	if (r < 0)
		return r;
	*ret = take_ptr(c);
	return 0;
}

void eg_config_free(struct eg_config *c)
{
	if (!c)
		return;
	if (c->policy)
		net_policy_free(c->policy);
	if (c->upstream)
		explicit_bzero(c->upstream, strlen(c->upstream));
	free(c->upstream);
	free(c->no_proxy);
	free(c);
}

int eg_config_memfd(const struct net_spec *n)
{
	_cleanup_close_ int fd = -1;
	struct buf text_of = BUF_INIT(EG_CONFIG_MAX);
	int r = eg_config_write(n, &text_of);

	if (r == 0 && text_of.failed)
		r = -ENOBUFS;
	if (r == 0) {
		fd = memfd_create("berm-egress", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		r = fd < 0 ? -errno : fd_write_all(fd, text_of.data, text_of.len);
	}
	if (r == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		r = -errno;
	if (text_of.data)
		explicit_bzero(text_of.data, text_of.len);
	buf_free(&text_of);
	return r < 0 ? r : take_fd(&fd);
}
