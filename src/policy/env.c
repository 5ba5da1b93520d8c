/* SPDX-License-Identifier: Apache-2.0 */
/* The command's environment (SPEC P4). It starts empty: what is on the allow-list
 * comes in, secrets only by name, and what makes programs load code never. */
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/net.h"
#include "policy/places.h"
#include "policy/rules.h"

const char *env_get(char *const *vars, const char *name)
{
	size_t n = strlen(name);

	for (; vars && *vars; vars++)
		if (strncmp(*vars, name, n) == 0 && (*vars)[n] == '=')
			return *vars + n + 1;
	return NULL;
}

static const struct data_row *list_has(const struct data_list *l, const char *name, bool fold)
{
	for (size_t i = 0; i < l->n; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a list has its rows */
		const char *glob = data_text(l, i);

		/* Most entries end here: this runs for each variable of the caller. */
		if (!fold && glob[0] != '*' &&
		    (glob[0] != name[0] || (glob[1] != '*' && glob[1] != name[1])))
			continue;
		if (glob_match(glob, name, fold))
			return &l->rows[i];
	}
	return NULL;
}

/* The list as it grows, with where each entry came from. */
struct env {
	struct strv list;
	struct origin *from;
	size_t cap;
};

static int env_put(struct env *env, const char *name, const char *value, struct origin from)
{
	_cleanup_free_ char *line = str_printf("%s=%s", name, value);
	size_t n = strlen(name);

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < env->list.n; i++) {
		if (strncmp(env->list.v[i], name, n) == 0 && env->list.v[i][n] == '=') {
			free(env->list.v[i]);
			env->list.v[i] = take_ptr(line);
			env->from[i] = from;
			return 0;
		}
	}
	if (env->list.n == env->cap) {
		size_t cap = env->cap ? 2 * env->cap : 32;
		struct origin *o = reallocarray(env->from, cap, sizeof(*o));

		if (!o)
			return -ENOMEM;
		env->from = o;
		env->cap = cap;
	}
	env->from[env->list.n] = from;
	return strv_add(&env->list, line);
}

static const struct origin built_in = { "built-in", 0 };

static struct origin listed(const struct data_list *l, const struct data_row *e)
{
	return (struct origin){ l->file, e->line };
}

/* Does the view show the directory, and can the command put no file there? Else it
 * could put itself in the way of a later command's programs. */
static bool is_safe_place(const struct spec *s, const char *dir)
{
	_cleanup_free_ char *real = NULL;

	if (!view_shows(s, dir) || spec_root_of(s, dir))
		return false;
	if (view_is_system(dir))
		return true;
	real = path_resolve(dir);
	return real && !spec_root_of(s, real);
}

/* Only absolute entries that are seen inside and that the command cannot write. */
static int env_path(const struct spec *s, const char *path, struct env *env)
{
	_cleanup_buf_ struct buf out = BUF_INIT(65536);

	while (path && *path) {
		size_t n = strcspn(path, ":");
		_cleanup_free_ char *one = strndup(path, n);

		if (!one)
			return -ENOMEM;
		if (one[0] == '/' && is_safe_place(s, one))
			buf_addf(&out, "%s%s", out.len ? ":" : "", one);
		path += n + (path[n] == ':');
	}
	if (!out.len)
		buf_adds(&out, "/usr/local/bin:/usr/bin:/bin");
	return out.failed ? -ENOMEM : env_put(env, "PATH", out.data, built_in);
}

/* A value that makes a program read another file than its name says. */
static bool bad_value(const char *name, const char *value)
{
	if (str_starts(value, "()"))
		return true;
	if (streq(name, "TZ"))
		return value[0] == ':' || value[0] == '/' || strstr(value, "..");
	if (streq(name, "TERM") || streq(name, "LANG") || str_starts(name, "LC_"))
		return strchr(value, '/') != NULL;
	return false;
}

static int env_inherit(const struct policy_input *in, struct env *env)
{
	for (char *const *e = in->environ; e && *e; e++) {
		_cleanup_free_ char *name = strndup(*e, strcspn(*e, "="));
		const char *value = *e + strcspn(*e, "=");
		const struct data_row *why;

		if (!name)
			return -ENOMEM;
		why = *value == '=' ? list_has(&data_env_allow, name, false) : NULL;
		if (!why || list_has(&data_env_scrub, name, false) || bad_value(name, value + 1))
			continue;
		if (env_put(env, name, value + 1, listed(&data_env_allow, why)) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The entry of the scrub list that keeps name out even though it was named. */
static const struct data_row *never(const char *name)
{
	const struct data_row *e = list_has(&data_env_scrub, name, false);

	return e && streq(data_env_scrub.text + e->group, "never") ? e : NULL;
}

/* Of the session itself. */
static const char *const own_vars[] = { "HOME", "TMPDIR", "PWD", "GIT_TERMINAL_PROMPT",
					"BERM_SESSION" };

bool env_may_set(const char *assignment)
{
	size_t n = strcspn(assignment, "=");
	char name[256];

	if (!n || assignment[n] != '=' || n >= sizeof(name))
		return false;
	memcpy(name, assignment, n);
	name[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(own_vars); i++)
		if (streq(own_vars[i], name))
			return false;
	return !never(name) && !bad_value(name, assignment + n + 1);
}

#define NO_PROXY_INSIDE "localhost,127.0.0.1,::1"

/* The proxies inside (SPEC N5). All of them are berm's HTTP proxy, ALL_PROXY too: a socks5h://
 * there keeps programs that do not know the scheme from starting (python's httpx), and
 * whoever wants the SOCKS proxy can name it. No JAVA_TOOL_OPTIONS (every JVM would say
 * so on stderr), no GIT_SSH_COMMAND, nothing for gcloud, docker, cargo, pip, node: connections
 * need no proxy here, so that these variables help only what insists on one. */
static const char *const proxies[] = { "HTTP_PROXY",  "http_proxy", "HTTPS_PROXY",
				       "https_proxy", "ALL_PROXY",  "all_proxy" };

static void proxy_url(char *dst, size_t size)
{
	(void)snprintf(dst, size, "http://127.0.0.1:%d", NET_PORT_HTTP);
}

static int env_proxies(const struct spec *s, const struct policy_input *in, struct env *env)
{
	char url[64];
	int r = 0;

	if (!s->network.proxy_env || in->bare)
		return 0;
	proxy_url(url, sizeof(url));
	for (size_t i = 0; i < ARRAY_SIZE(proxies) && r >= 0; i++)
		r = env_put(env, proxies[i], url, built_in);
	/* The command's own servers. */
	if (r >= 0)
		r = env_put(env, "NO_PROXY", NO_PROXY_INSIDE, built_in);
	return r < 0 ? r : env_put(env, "no_proxy", NO_PROXY_INSIDE, built_in);
}

void env_drop_proxies(char **envp)
{
	char url[64];
	char **keep = envp;

	proxy_url(url, sizeof(url));
	for (; *envp; envp++) {
		const char *value = strchr(*envp, '=');
		bool ours = false;

		for (size_t i = 0; value && i < ARRAY_SIZE(proxies); i++)
			ours = ours || (str_starts(*envp, proxies[i]) && streq(value + 1, url));
		if (ours || streq(*envp, "NO_PROXY=" NO_PROXY_INSIDE) ||
		    streq(*envp, "no_proxy=" NO_PROXY_INSIDE))
			free(*envp);
		else
			*keep++ = *envp;
	}
	*keep = NULL;
}

/* A variable of the caller passes when it is named. A glob does not reach secrets
 * and what loads code: these must be named one by one. */
static int env_pass(const struct policy_input *in, const char *glob, struct env *env,
		    struct origin from)
{
	bool exact = !strpbrk(glob, "*?[");

	for (char *const *e = in->environ; e && *e; e++) {
		_cleanup_free_ char *name = strndup(*e, strcspn(*e, "="));
		const char *value = *e + strcspn(*e, "=");

		if (!name)
			return -ENOMEM;
		if (*value != '=' || !glob_match(glob, name, false) || never(name) ||
		    bad_value(name, value + 1))
			continue;
		if (!exact && (list_has(&data_env_secret, name, true) ||
			       list_has(&data_env_scrub, name, false)))
			continue;
		if (env_put(env, name, value + 1, from) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void env_drop(const char *glob, struct env *env)
{
	struct strv *l = &env->list;
	size_t keep = 0;

	for (size_t i = 0; i < l->n; i++) {
		size_t n = strcspn(l->v[i], "=");
		char saved = l->v[i][n];
		bool hit;

		l->v[i][n] = '\0';
		hit = glob_match(glob, l->v[i], false);
		l->v[i][n] = saved;
		if (hit) {
			free(l->v[i]);
			continue;
		}
		env->from[keep] = env->from[i];
		l->v[keep++] = l->v[i];
	}
	l->n = keep;
	if (l->v)
		l->v[keep] = NULL;
}

/* Does the name stand for the host's own proxy? It may hold a password, and leads nowhere
 * from inside. */
static bool names_proxy(const char *name)
{
	const struct data_row *e = list_has(&data_env_scrub, name, false);

	return e && streq(data_env_scrub.text + e->group, "proxy");
}

/* Says that a variable somebody asked for never passes. */
static int note_scrubbed(struct spec *s, const struct policy_input *in, const struct settings *set,
			 const struct setting *e)
{
	const struct data_row *why = never(e->name);
	_cleanup_free_ char *note = NULL;

	if (!why && !in->bare && e->key == SET_ENV_PASS && names_proxy(e->name)) {
		note = str_printf("%s: %s: the host's own proxy is not passed to a command; berm "
				  "goes through it (\"upstream_proxy\")",
				  set->file, e->name);
		return note && strv_add(&s->notes, note) == 0 ? 1 : -ENOMEM;
	}
	if (!why)
		return 0;
	note = str_printf("%s: %s is never passed to a command (%s:%u, \"%s\")", set->file, e->name,
			  data_env_scrub.file, why->line, data_env_scrub.text + why->text);
	return note && strv_add(&s->notes, note) == 0 ? 1 : -ENOMEM;
}

static int env_entry(struct spec *s, const struct policy_input *in, const struct settings *set,
		     const struct setting *e, struct env *env)
{
	struct origin from = { spec_string(s, set->file), e->line };
	int r;

	if (!from.file)
		return -ENOMEM;
	if (e->ignored)
		return 0;
	if (e->key == SET_ENV_UNSET) {
		env_drop(e->name, env);
		return 0;
	}
	if (e->key != SET_ENV_PASS && e->key != SET_ENV_SET)
		return 0;
	r = note_scrubbed(s, in, set, e);
	if (r)
		return r < 0 ? r : 0;
	return e->key == SET_ENV_SET ? env_put(env, e->name, e->value, from)
				     : env_pass(in, e->name, env, from);
}

static int env_fill(struct spec *s, const struct policy_input *in, struct env *env)
{
	const struct spec_priv *p = s->priv;
	int r = env_inherit(in, env);

	if (r >= 0)
		r = env_path(s, env_get(in->environ, "PATH"), env);
	if (r >= 0)
		r = env_proxies(s, in, env);
	for (size_t i = 0; r >= 0 && i < p->layers.n; i++)
		for (size_t j = 0; r >= 0 && j < p->layers.v[i].n; j++)
			r = env_entry(s, in, &p->layers.v[i], &p->layers.v[i].v[j], env);
	if (r >= 0)
		r = env_put(env, "HOME", s->home_path, built_in);
	if (r >= 0)
		r = env_put(env, "TMPDIR", "/tmp", built_in);
	if (r >= 0)
		r = env_put(env, "PWD", s->workdir, built_in);
	if (r >= 0)
		r = env_put(env, "GIT_TERMINAL_PROMPT", "0", built_in);
	return r < 0 ? r : env_put(env, "BERM_SESSION", s->session, built_in);
}

int env_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	struct spec_priv *p = s->priv;
	struct env env = { 0 };

	if (env_fill(s, in, &env) < 0) {
		strv_free(&env.list);
		free(env.from);
		return err_set(err, -ENOMEM, "out of memory");
	}
	s->envp = env.list.v;
	p->env_from = env.from;
	return 0;
}
