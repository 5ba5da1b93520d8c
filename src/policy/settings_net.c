/* SPDX-License-Identifier: Apache-2.0 */
/* Entries about the network that the settings format and the command line share. */
#include "policy/settings.h"

#include <string.h>

#include "base/str.h"
#include "policy/data.h"
#include "policy/net.h"
#include "policy/net_build.h"

/* ---- groups ------------------------------------------------------------- */

int net_group_check(const char *name, struct berm_err *err)
{
	const char *near = NULL;
	unsigned best = 4;

	if (streq(name, NET_GROUP_REGISTRIES))
		return 0;
	for (size_t i = 0; i < data_domain_groups_n; i++) {
		unsigned d = str_distance(name, data_domain_groups[i].name, 3);

		if (d == 0)
			return 0;
		if (d < best) {
			best = d;
			near = data_domain_groups[i].name;
		}
	}
	err_set(err, -EINVAL, "there is no group of hosts \"%s\"", name);
	if (near)
		err_fix(err, "did you mean \"%s\"?", near);
	else
		err_fix(err, "\"berm explain\" lists the groups");
	return -EINVAL;
}

/* ---- hosts -------------------------------------------------------------- */

int settings_add_host(struct settings *s, const char *text, enum decision decision, unsigned line,
		      struct berm_err *err)
{
	struct host_pattern pat;
	int r;

	if (text[0] == '@') {
		if (decision == VERDICT_ASK)
			return err_set(err, -EINVAL,
				       "\"%s\": a group is allowed or left out, not asked for",
				       text);
		r = net_group_check(text + 1, err);
		if (r >= 0)
			r = settings_add(s, SET_NET_GROUP, text + 1, NULL,
					 decision == VERDICT_ALLOW, line);
	} else {
		/* Compiled here only to tell mistakes with their line. */
		r = host_pattern_parse(text, decision != VERDICT_ALLOW, &pat, err);
		if (r >= 0)
			r = settings_add(s, SET_NET_RULE, text, NULL, decision, line);
	}
	return r == -ENOMEM ? err_set(err, r, "out of memory") : r;
}

/* ---- ports -------------------------------------------------------------- */

static int take_port(const char **s)
{
	const char *p = *s;
	int n = 0;

	while (*p >= '0' && *p <= '9' && n <= 65535)
		n = n * 10 + (*p++ - '0');
	if (p == *s || n < 1 || n > 65535)
		return -EINVAL;
	*s = p;
	return n;
}

int net_forward_parse(const char *text, int64_t *ret, struct berm_err *err)
{
	const char *s = text;
	int host = take_port(&s), inside = host;

	if (host > 0 && *s == ':') {
		s++;
		inside = take_port(&s);
	}
	if (host < 0 || inside < 0 || *s) {
		err_set(err, -EINVAL, "\"%s\" is neither PORT nor HOST_PORT:INSIDE_PORT", text);
		err_fix(err, "write 3000, or 8080:3000 for port 8080 of the host and 3000 inside");
		return -EINVAL;
	}
	if (inside >= NET_PORT_TRANSPARENT && inside <= NET_PORT_SOCKS) {
		err_set(err, -EINVAL, "\"%s\": port %d inside is berm's own", text, inside);
		err_fix(err, "take a port inside other than %d to %d", NET_PORT_TRANSPARENT,
			NET_PORT_SOCKS);
		return -EINVAL;
	}
	*ret = (int64_t)host << 16 | inside;
	return 0;
}

/* ---- who answers -------------------------------------------------------- */

/* One of the list: text up to len. */
static int check_one(const char *text, size_t len, bool absolute, struct berm_err *err)
{
	static const char *const words[] = { "auto", "tty", "stdio", "none" };
	static const char *const kinds[] = { "mailbox:", "socket:", "fd:" };
	int shown = (int)(len < 256 ? len : 256);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (len == strlen(words[i]) && memcmp(text, words[i], len) == 0)
			return 0;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i]), rest = len - n;
		bool fd = streq(kinds[i], "fd:");

		if (len < n || memcmp(text, kinds[i], n) != 0)
			continue;
		if (fd ? rest > 0 && rest < 5 && strspn(text + n, "0123456789") >= rest
		       : rest > 0 && (!absolute || (rest > 1 && text[n] == '/')))
			return 0;
		err_set(err, -EINVAL, "approver \"%.*s\": after the colon stands %s", shown, text,
			fd	   ? "a descriptor's number"
			: absolute ? "an absolute path"
				   : "a path");
		err_fix(err, "as in mailbox:/run/user/1000/asks, socket:/run/user/1000/asks.sock, "
			     "fd:5");
		return -EINVAL;
	}
	err_set(err, -EINVAL, "there is no approver \"%.*s\"", shown, text);
	err_fix(err, "one of: auto, tty, stdio, none, mailbox:DIR, socket:PATH, fd:N");
	return -EINVAL;
}

int approver_check(const char *text, bool absolute, struct berm_err *err)
{
	for (;;) {
		size_t n = strcspn(text, ",");
		int r = check_one(text, n, absolute, err);

		if (r < 0 || !text[n])
			return r;
		text += n + 1;
	}
}

/* ---- the command line --------------------------------------------------- */

static int add_forwards(struct settings *s, enum setting_key key, const char *const *list, size_t n,
			const char *option, struct berm_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int64_t ports;
		int r = net_forward_parse(list[i], &ports, err);

		if (r < 0)
			return err_prefix(err, "%s", option);
		r = settings_add(s, key, list[i], NULL, ports, 0);
		if (r < 0)
			return err_set(err, r, "out of memory");
	}
	return 0;
}

int settings_add_net(struct settings *s, const struct policy_input *in, struct berm_err *err)
{
	static const char *const options[] = { [VERDICT_ALLOW] = "--allow-domain",
					       [VERDICT_DENY] = "--deny-domain",
					       [VERDICT_ASK] = "--ask-domain" };
	int r = 0;

	for (size_t i = 0; i < in->n_net_args; i++) {
		const struct policy_net_arg *a = &in->net_args[i];

		r = settings_add_host(s, a->host, a->decision, 0, err);
		if (r < 0)
			return err_prefix(err, "%s", options[a->decision]);
	}
	r = add_forwards(s, SET_NET_PUBLISH, in->publish, in->n_publish, "--publish", err);
	if (r >= 0)
		r = add_forwards(s, SET_NET_HOST_PORT, in->host_ports, in->n_host_ports,
				 "--host-port", err);
	if (r >= 0 && in->approver) {
		r = approver_check(in->approver, false, err);
		if (r < 0)
			return err_prefix(err, "--approver");
		r = settings_add(s, SET_APPROVER, NULL, in->approver, 0, 0);
	}
	for (size_t i = 0; i < in->n_unix_sockets && r >= 0; i++)
		r = settings_add(s, SET_NET_SOCKET, in->unix_sockets[i], NULL, 0, 0);
	if (r >= 0 && in->proxy_env != POLICY_UNSET)
		r = settings_add(s, SET_NET_PROXY_ENV, NULL, NULL, in->proxy_env, 0);
	return r == -ENOMEM ? err_set(err, r, "out of memory") : r;
}
