/* SPDX-License-Identifier: Apache-2.0 */
/* The command's environment (SPEC P4). It starts empty: what is on the allow-list
 * comes in, secrets only by name, and what makes programs load code never. */
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/places.h"
#include "policy/rules.h"

const char *env_get(char *const *environ, const char *name)
{
	size_t n = strlen(name);

	for (; environ && *environ; environ++)
		if (strncmp(*environ, name, n) == 0 && (*environ)[n] == '=')
			return *environ + n + 1;
	return NULL;
}

static const struct data_entry *list_has(const struct data_list *l, const char *name, bool fold)
{
	for (size_t i = 0; i < l->n; i++)
		if (glob_match(l->rows[i].text, name, fold))
			return &l->rows[i];
	return NULL;
}

static int env_put(struct strv *env, const char *name, const char *value)
{
	_cleanup_free_ char *line = str_printf("%s=%s", name, value);
	size_t n = strlen(name);

	if (!line)
		return -ENOMEM;
	for (size_t i = 0; i < env->n; i++) {
		if (strncmp(env->v[i], name, n) == 0 && env->v[i][n] == '=') {
			free(env->v[i]);
			env->v[i] = take_ptr(line);
			return 0;
		}
	}
	return strv_add(env, line);
}

static bool in_writable(const struct spec *s, const char *dir)
{
	return spec_root_of(s, dir) != NULL;
}

/* Only absolute entries outside the writable roots: else the command could put a
 * program before the system's own in a later command's way. */
static int env_path(const struct spec *s, const char *path, struct strv *env)
{
	_cleanup_buf_ struct buf out = BUF_INIT(65536);

	while (path && *path) {
		size_t n = strcspn(path, ":");
		_cleanup_free_ char *one = strndup(path, n);

		if (!one)
			return -ENOMEM;
		if (one[0] == '/' && !in_writable(s, one))
			buf_addf(&out, "%s%s", out.len ? ":" : "", one);
		path += n + (path[n] == ':');
	}
	if (!out.len)
		buf_adds(&out, "/usr/local/bin:/usr/bin:/bin");
	return out.failed ? -ENOMEM : env_put(env, "PATH", out.data);
}

static int env_inherit(const struct policy_input *in, struct strv *env)
{
	for (char *const *e = in->environ; e && *e; e++) {
		_cleanup_free_ char *name = strndup(*e, strcspn(*e, "="));
		const char *value = *e + strcspn(*e, "=");

		if (!name)
			return -ENOMEM;
		if (*value != '=' || !list_has(&data_env_allow, name, false) ||
		    list_has(&data_env_scrub, name, false) || str_starts(value + 1, "()"))
			continue;
		if (env_put(env, name, value + 1) < 0)
			return -ENOMEM;
	}
	return 0;
}

int env_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	_cleanup_strv_ struct strv env = { 0 };

	if (env_inherit(in, &env) < 0 || env_path(s, env_get(in->environ, "PATH"), &env) < 0 ||
	    env_put(&env, "HOME", s->home_path) < 0 || env_put(&env, "TMPDIR", "/tmp") < 0 ||
	    env_put(&env, "PWD", s->workdir) < 0 || env_put(&env, "GIT_TERMINAL_PROMPT", "0") < 0 ||
	    env_put(&env, "BERM_SESSION", s->session) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	s->envp = take_ptr(env.v);
	env.n = 0;
	return 0;
}
