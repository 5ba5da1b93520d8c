/* SPDX-License-Identifier: Apache-2.0 */
/* A permission profile for Codex, and a command line of bubblewrap's. */
#include <string.h>
#include <sys/stat.h>

#include "base/json_out.h"
#include "base/path.h"
#include "policy/export_impl.h"

/* A TOML basic string: JSON's escapes are among TOML's. */
static void quoted(struct buf *out, const char *text)
{
	(void)json_quote(out, text, strlen(text));
}

static void pairs(struct buf *out, const struct strv *l, const char *value)
{
	for (size_t i = 0; i < l->n; i++) {
		bool again = false;

		for (size_t j = 0; j < i && !again; j++)
			again = streq(l->v[i], l->v[j]);
		if (again)
			continue;
		quoted(out, l->v[i]);
		(void)buf_addf(out, " = \"%s\"\n", value);
	}
}

/* Takes out of l what is in other: TOML's keys are unique, the stricter word stays. */
static void without(struct strv *l, const struct strv *other)
{
	size_t keep = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (strv_has(other, l->v[i]))
			free(l->v[i]);
		else
			l->v[keep++] = l->v[i];
	}
	l->n = keep;
	if (l->v)
		l->v[keep] = NULL;
}

static int plain_hosts(struct exporter *x, struct strv *l)
{
	size_t keep = 0;
	int r = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *star = strrchr(l->v[i], '*');

		if (!strpbrk(l->v[i], ":/") && (!star || star == l->v[i])) {
			l->v[keep++] = l->v[i];
			continue;
		}
		if (r >= 0)
			r = export_lost(x, "the host pattern %s", l->v[i]);
		free(l->v[i]);
	}
	l->n = keep;
	if (l->v)
		l->v[keep] = NULL;
	return r;
}

int export_codex(struct exporter *x)
{
	struct buf *out = x->out;
	int r = plain_hosts(x, &x->allow_host);

	if (r >= 0)
		r = plain_hosts(x, &x->deny_host);
	for (size_t i = 0; i < x->ask.n && r >= 0; i++) {
		r = export_lost(x, "the question about %s: denied there", x->ask.v[i]);
		if (r >= 0)
			r = strv_add(&x->deny_read, x->ask.v[i]);
	}
	if (r >= 0 && x->s->guard.n_rules)
		r = export_lost(x, "rules about commands (Codex keeps them in rules/*.rules)");
	if (r >= 0 && x->excluded.n)
		r = export_lost(x, "excluded commands");
	without(&x->allow_host, &x->deny_host);
	without(&x->allow_write, &x->deny_read);
	without(&x->allow_write, &x->deny_write);
	without(&x->deny_write, &x->deny_read);
	without(&x->allow_read, &x->deny_read);
	without(&x->allow_read, &x->deny_write);
	without(&x->allow_read, &x->allow_write);
	(void)buf_addf(out,
		       "default_permissions = \"berm\"\n\n[features]\nnetwork_proxy = true\n\n"
		       "[permissions.berm]\nextends = \"%s\"\n\n[permissions.berm.filesystem]\n",
		       x->s->mode == MODE_CHAT ? ":workspace" : ":read-only");
	pairs(out, &x->deny_read, "deny");
	pairs(out, &x->deny_write, "read");
	pairs(out, &x->allow_read, "read");
	pairs(out, &x->allow_write, "write");
	(void)buf_addf(out, "\n[permissions.berm.network]\nenabled = %s\n",
		       x->s->net == NET_OFF ? "false" : "true");
	(void)buf_adds(out, "\n[permissions.berm.network.domains]\n");
	if (x->s->net == NET_OPEN)
		(void)buf_adds(out, "\"*\" = \"allow\"\n");
	pairs(out, &x->deny_host, "deny");
	if (x->s->net == NET_ALLOW)
		pairs(out, &x->allow_host, "allow");
	return r;
}

/* ---- bubblewrap ---------------------------------------------------------- */

/* 'text' for sh. */
static void shell(struct buf *out, const char *text)
{
	(void)buf_adds(out, "'");
	for (; *text; text++) {
		if (*text == '\'')
			(void)buf_adds(out, "'\\''");
		else
			(void)buf_add(out, text, 1);
	}
	(void)buf_adds(out, "'");
}

static void bind(struct exporter *x, const char *option, const char *path)
{
	(void)buf_addf(x->out, " \\\n  %s ", option);
	shell(x->out, path);
	(void)buf_adds(x->out, " ");
	shell(x->out, path);
}

static char *real_path(const struct exporter *x, const char *text)
{
	return text[0] == '~' ? path_join(x->s->user_home, text + 1 + (text[1] == '/'))
			      : strdup(text);
}

/* Paths that are there and hold no pattern; the others are lost. */
static int each(struct exporter *x, const struct strv *l, const char *what,
		void (*take)(struct exporter *x, const char *path, const struct stat *st))
{
	for (size_t i = 0; i < l->n; i++) {
		_cleanup_free_ char *path = real_path(x, l->v[i]);
		struct stat st;

		if (!path)
			return -ENOMEM;
		if (strpbrk(l->v[i], "*?[{") || stat(path, &st) < 0) {
			if (export_lost(x, "%s %s: a pattern, or not there now", what, l->v[i]) < 0)
				return -ENOMEM;
			continue;
		}
		take(x, path, &st);
	}
	return 0;
}

static void show(struct exporter *x, const char *path, const struct stat *st)
{
	(void)st;
	bind(x, "--ro-bind", path);
}

static void grant(struct exporter *x, const char *path, const struct stat *st)
{
	(void)st;
	bind(x, "--bind", path);
}

static void hide(struct exporter *x, const char *path, const struct stat *st)
{
	(void)buf_addf(x->out, " \\\n  %s ",
		       S_ISDIR(st->st_mode) ? "--perms 0000 --tmpfs" : "--ro-bind /dev/null");
	shell(x->out, path);
}

/* By name only: values may be secrets, and the shell that reads this has them. */
static int environment(struct exporter *x)
{
	for (char **e = x->s->envp; e && *e; e++) {
		_cleanup_free_ char *name = strndup(*e, strcspn(*e, "="));

		if (!name)
			return -ENOMEM;
		/* There is no proxy. */
		if (str_ends(name, "_PROXY") || str_ends(name, "_proxy") ||
		    name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_")])
			continue;
		(void)buf_addf(x->out, " \\\n  --setenv %s \"${%s-}\"", name, name);
	}
	return 0;
}

int export_bwrap(struct exporter *x)
{
	static const char *const dirs[] = { "/usr",   "/bin",	 "/sbin", "/lib", "/lib32",
					    "/lib64", "/libx32", "/etc",  "/opt", "/nix" };
	int r = export_lost(x, "each host: there is no network at all");

	if (r >= 0)
		r = export_lost(x, "system calls: no filter is written here");
	if (r >= 0 && x->ask.n)
		r = export_lost(x, "questions about files");
	if (r >= 0 && x->s->guard.n_rules)
		r = export_lost(x, "rules about commands");
	(void)buf_adds(
		x->out,
		"bwrap --die-with-parent --new-session --unshare-user --unshare-pid "
		"--unshare-net \\\n  --unshare-ipc --unshare-uts --cap-drop ALL --disable-userns "
		"--clearenv");
	if (x->s->root == ROOT_HOST)
		bind(x, "--ro-bind", "/");
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && x->s->root == ROOT_SYSTEM; i++)
		bind(x, "--ro-bind-try", dirs[i]);
	(void)buf_adds(x->out, " \\\n  --proc /proc --dev /dev --tmpfs /tmp --tmpfs /run");
	if (x->s->home != HOME_HOST) {
		(void)buf_adds(x->out, " \\\n  --tmpfs ");
		shell(x->out, x->s->home_path);
	}
	if (environment(x) < 0)
		return -ENOMEM;
	if (r >= 0)
		r = each(x, &x->allow_read, "read", show);
	for (size_t i = 0; i < x->s->n_roots; i++)
		bind(x, x->s->roots[i].read_only ? "--ro-bind" : "--bind", x->s->roots[i].path);
	if (r >= 0)
		r = each(x, &x->allow_write, "write", grant);
	if (r >= 0)
		r = each(x, &x->deny_write, "no writing to", show);
	if (r >= 0)
		r = each(x, &x->deny_read, "no reading of", hide);
	(void)buf_adds(x->out, " \\\n  --chdir ");
	shell(x->out, x->s->workdir);
	(void)buf_adds(x->out, " -- \"$@\"\n");
	return r;
}
