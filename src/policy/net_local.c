/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's network has beside rules: ports led through, unix sockets, proxies, and who
 * answers questions. */
#include "policy/net_build.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/net.h"
#include "policy/places.h"
#include "policy/rules.h"

#define FORWARDS_MAX 32 /* KIT_FORWARDS_MAX of plan/net_kit.h */
#define URL_FILE_MAX 4096

struct local {
	struct spec *s;
	const struct policy_input *in;
	struct berm_err *err;
};

static int no_memory(struct local *l)
{
	return err_set(l->err, -ENOMEM, "out of memory");
}

static int fail_at(struct local *l, const struct origin *o, const char *what)
{
	char where[512];

	origin_text(o, where, sizeof(where));
	return err_set(l->err, -EINVAL, "%s: %s", where, what);
}

/* ---- ports -------------------------------------------------------------- */

/* Both kinds of port must be free where they are listened on. */
static bool listens_on(const struct net_forward *f, bool publish, const struct net_forward *g)
{
	return publish ? f->host_port == g->host_port : f->inside_port == g->inside_port;
}

static int add_forward(struct local *l, const struct net_forward *f, bool publish,
		       struct net_forward **list, size_t *n)
{
	struct net_forward *v;

	for (size_t i = 0; i < *n; i++) {
		if (!listens_on(f, publish, &(*list)[i]))
			continue;
		if (f->host_port == (*list)[i].host_port &&
		    f->inside_port == (*list)[i].inside_port)
			return 0;
		return fail_at(l, &f->origin,
			       publish ? "two ports inside are published on one port of the host"
				       : "one port inside leads to two ports of the host");
	}
	if (*n == FORWARDS_MAX)
		return fail_at(l, &f->origin, "more than 32 ports are led through");
	v = reallocarray(*list, *n + 1, sizeof(*v));
	if (!v)
		return no_memory(l);
	*list = v;
	v[(*n)++] = *f;
	return 0;
}

/* ---- unix sockets ------------------------------------------------------- */

static int note(struct local *l, const char *what, const char *rest)
{
	_cleanup_free_ char *text = str_printf("%s%s", what, rest);

	return text && strv_add(&l->s->notes, text) == 0 ? 0 : no_memory(l);
}

/* Sockets behind which something acts with the rights of root or of the user. */
static bool is_master_key(const char *path)
{
	static const char *const names[] = { "docker.sock",	  "podman.sock", "containerd.sock",
					     "crio.sock",	  "lxd.socket",	 "unix.socket",
					     "system_bus_socket", "bus",	 "private" };
	const char *base = path_base(path);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (streq(base, names[i]))
			return true;
	return false;
}

static int add_socket(struct local *l, const char *text, const struct origin *o)
{
	struct spec *s = l->s;
	_cleanup_free_ char *path =
		text[0] == '~' ? path_join(s->user_home, text + 2) : path_join(s->workdir, text);
	_cleanup_free_ char *real = path ? path_resolve(path) : NULL;
	struct stat st;
	int r = 0;

	if (!real)
		return no_memory(l);
	if (strv_has(&s->network.unix_sockets, real))
		return 0;
	if (stat(real, &st) < 0)
		return note(l, text, ": no such socket now, so it is not there inside");
	if (!S_ISSOCK(st.st_mode))
		return fail_at(l, o, "what \"allow_unix_sockets\" names is no socket");
	if (path_within(real, s->state_dir))
		return fail_at(l, o, "berm's own sockets are never shown inside");
	if (is_master_key(real))
		r = note(l, text, ": whoever reaches this socket can leave the sandbox by it");
	if (r >= 0 && strv_add(&s->network.unix_sockets, real) < 0)
		r = no_memory(l);
	return r;
}

/* ---- a proxy on the way out --------------------------------------------- */

/* http://[user:password@]host:port, nothing else; never shown. */
static const char *url_mistake(const char *url)
{
	const char *rest = url + strlen("http://"), *at, *host, *colon;
	struct host_pattern pat;
	struct berm_err ignored;

	if (!str_starts(url, "http://"))
		return "only http:// proxies can be used on the way out";
	for (const char *c = url; *c; c++)
		if ((unsigned char)*c <= ' ' || (unsigned char)*c > '~')
			return "the URL of the proxy holds a blank or a control character";
	at = strrchr(rest, '@');
	host = at ? at + 1 : rest;
	colon = strrchr(host, ':');
	if (!colon || strchr(colon, ']'))
		return "the URL of the proxy names no port";
	if (strpbrk(host, "/?#*") || host_pattern_parse(host, false, &pat, &ignored) < 0 ||
	    !pat.port_from || pat.port_from != pat.port_to)
		return "the URL of the proxy is not http://[USER:PASSWORD@]HOST:PORT";
	return NULL;
}

/* Takes the URL with its trailing slash removed. */
static int set_upstream(struct local *l, const char *url, const struct origin *o)
{
	size_t n = strlen(url);
	_cleanup_free_ char *copy = NULL;
	const char *mistake;

	while (n && url[n - 1] == '/' && n > strlen("http://"))
		n--;
	copy = strndup(url, n);
	if (!copy)
		return no_memory(l);
	mistake = streq(copy, "none") ? NULL : url_mistake(copy);
	if (mistake)
		return fail_at(l, o, mistake);
	free(l->s->network.upstream);
	l->s->network.upstream = streq(copy, "none") ? NULL : take_ptr(copy);
	return 0;
}

/* The URL from a file of the user's own that nobody else can read. */
static int read_upstream(struct local *l, const char *text, const struct origin *o)
{
	_cleanup_free_ char *path = text[0] == '~' && text[1] == '/'
					    ? path_join(l->s->user_home, text + 2)
					    : strdup(text);
	_cleanup_free_ char *url = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;
	size_t len;

	if (!path)
		return no_memory(l);
	if (path[0] != '/')
		return fail_at(l, o, "the path of \"url_file\" begins with \"/\" or \"~/\"");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(l->err, -errno, "cannot read the URL of the proxy from %s", path);
	if (!S_ISREG(st.st_mode) || (st.st_uid != l->in->uid && st.st_uid != 0) ||
	    (st.st_mode & 077)) {
		err_set(l->err, -EPERM, "others can read the URL of the proxy in %s", path);
		err_fix(l->err, "chmod 600 it");
		return -EPERM;
	}
	if (fd_read_all(fd, URL_FILE_MAX, &url, &len) < 0)
		return err_set(l->err, -EINVAL, "cannot read the URL of the proxy from %s", path);
	url[strcspn(url, "\r\n")] = '\0';
	return set_upstream(l, url, o);
}

static const char *first_env(const struct policy_input *in, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *v = env_get(in->environ, names[i]);

		if (v && *v)
			return v;
	}
	return NULL;
}

/* What the host's own programs use, unless the settings say something. */
static int upstream_from_env(struct local *l)
{
	static const char *const urls[] = { "https_proxy", "HTTPS_PROXY", "http_proxy",
					    "HTTP_PROXY",  "all_proxy",	  "ALL_PROXY" };
	static const char *const nots[] = { "no_proxy", "NO_PROXY" };
	const char *url = first_env(l->in, urls, ARRAY_SIZE(urls)), *mistake;
	const char *no = first_env(l->in, nots, ARRAY_SIZE(nots));
	struct net_spec *n = &l->s->network;
	_cleanup_free_ char *full = NULL;

	if (!url)
		return 0;
	full = str_printf("%s%.*s", strstr(url, "://") ? "" : "http://",
			  (int)(strlen(url) - (str_ends(url, "/") ? 1 : 0)), url);
	if (!full)
		return no_memory(l);
	mistake = url_mistake(full);
	if (mistake)
		return note(l, "the proxy of the environment is not used: ", mistake);
	n->upstream = take_ptr(full);
	if (no && !n->no_proxy) {
		n->no_proxy = strdup(no);
		if (!n->no_proxy)
			return no_memory(l);
	}
	return 0;
}

/* ---- all of it ---------------------------------------------------------- */

static int set_text(struct local *l, char **dst, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return no_memory(l);
	free(*dst);
	*dst = copy;
	return 0;
}

static int take(struct local *l, const struct settings *set, const struct setting *e,
		bool *upstream)
{
	struct net_spec *n = &l->s->network;
	struct origin o = { spec_string(l->s, set->file), e->line };
	struct net_forward f = { .host_port = (uint16_t)(e->number >> 16),
				 .inside_port = (uint16_t)e->number,
				 .origin = o };

	if (!o.file)
		return no_memory(l);
	switch (e->key) {
	case SET_NET_PUBLISH:
		return add_forward(l, &f, true, &n->publish, &n->n_publish);
	case SET_NET_HOST_PORT:
		return add_forward(l, &f, false, &n->host_ports, &n->n_host_ports);
	case SET_NET_SOCKET:
		return add_socket(l, e->name, &o);
	case SET_NET_UPSTREAM:
		*upstream = true;
		return set_upstream(l, e->value, &o);
	case SET_NET_UPSTREAM_FILE:
		*upstream = true;
		return read_upstream(l, e->name, &o);
	case SET_NET_NO_PROXY:
		return set_text(l, &n->no_proxy, e->value);
	case SET_APPROVER:
		return set_text(l, &l->s->approver, e->value);
	default:
		return 0;
	}
}

static bool is_local(enum setting_key k)
{
	return k >= SET_NET_SOCKET && k <= SET_APPROVER;
}

int net_local_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	const struct spec_priv *p = s->priv;
	struct local l = { s, in, err };
	bool upstream = false;
	int r = set_text(&l, &s->approver, "auto");

	s->network.all_unix_sockets = p->scalars[SET_NET_ALL_SOCKETS].value;
	s->network.proxy_env = p->scalars[SET_NET_PROXY_ENV].value;
	s->network.cut = p->scalars[SET_NET_CUT].value;
	s->network.http_proxy_port = (uint16_t)p->scalars[SET_NET_HTTP_PORT].value;
	s->network.socks_proxy_port = (uint16_t)p->scalars[SET_NET_SOCKS_PORT].value;
	s->network.ask_seconds = (unsigned)p->scalars[SET_NET_ASK_SECONDS].value;
	s->network.rung_cap = in->net_rung_cap;
	for (size_t i = 0; i < p->layers.n; i++)
		for (size_t j = 0; j < p->layers.v[i].n && r >= 0; j++)
			if (is_local(p->layers.v[i].v[j].key) && !p->layers.v[i].v[j].ignored)
				r = take(&l, &p->layers.v[i], &p->layers.v[i].v[j], &upstream);
	if (r >= 0 && !upstream)
		r = upstream_from_env(&l);
	return r;
}

void net_spec_free(struct net_spec *n)
{
	net_policy_free(n->policy);
	free(n->publish);
	free(n->host_ports);
	strv_free(&n->unix_sockets);
	if (n->upstream)
		explicit_bzero(n->upstream, strlen(n->upstream));
	free(n->upstream);
	free(n->no_proxy);
}
