/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/inside.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/cli.h"
#include "cli/run_common.h"
#include "session/inside.h"
#include "session/warm.h"

#define ANSWER_MS 10000

static int no_memory(struct berm_err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

static int add_word(struct strv *words, enum inside_word letter, const char *value,
		    struct berm_err *err)
{
	_cleanup_free_ char *word = str_printf("%c:%s", letter, value);

	return !word || strv_add(words, word) < 0 ? no_memory(err) : 0;
}

/* ---- what narrows ------------------------------------------------------- */

static int add_rules(const struct run_opts *o, struct strv *words, struct berm_err *err)
{
	static const char letters[] = { [ARG_DENY_READ] = INSIDE_DENY_READ,
					[ARG_DENY_WRITE] = INSIDE_DENY_WRITE,
					[ARG_KEEP] = INSIDE_DENY_WRITE,
					[ARG_DENY_EXEC] = INSIDE_DENY_EXEC };
	int r = 0;

	for (size_t i = 0; i < o->n_args && r >= 0; i++) {
		enum policy_arg_kind kind = o->args[i].kind;

		if ((size_t)kind < sizeof(letters) && letters[kind])
			r = add_word(words, (enum inside_word)letters[kind], o->args[i].pattern,
				     err);
	}
	for (size_t i = 0; i < o->n_net_args && r >= 0; i++)
		if (o->net_args[i].decision == VERDICT_DENY)
			r = add_word(words, INSIDE_DENY_HOST, o->net_args[i].host, err);
	for (size_t i = 0; i < o->limits.n && r >= 0; i++)
		r = add_word(words, INSIDE_LIMIT, o->limits.v[i], err);
	if (r >= 0 && o->mode != POLICY_UNSET && o->mode != MODE_CHAT)
		r = add_word(words, INSIDE_MODE, mode_name((enum mode)o->mode), err);
	if (r >= 0 && o->net == NET_OFF)
		r = add_word(words, INSIDE_NET_OFF, "", err);
	return r;
}

/* ---- what cannot be held ------------------------------------------------- */

static const char *other_rule(const struct run_opts *o)
{
	for (size_t i = 0; i < o->n_args; i++)
		if (o->args[i].kind == ARG_ASK)
			return "--ask";
	for (size_t i = 0; i < o->n_net_args; i++)
		if (o->net_args[i].decision == VERDICT_ASK)
			return "--ask-domain";
	return NULL;
}

/* The first option that might narrow and that the session could not be narrowed by, or that
 * would have the session do something. */
static const char *unheld(const struct run_opts *o)
{
	const struct {
		bool given;
		const char *name;
	} all[] = {
		{ o->profile, "--profile" },
		{ o->policy_files.n, "--policy" },
		{ o->settings.n, "--settings" },
		{ o->root != POLICY_UNSET, "--root" },
		{ o->home != POLICY_UNSET, "--home" },
		{ o->proxy_env != POLICY_UNSET, "--no-proxy-env" },
		{ o->publish.n, "--publish" },
		{ o->host_ports.n, "--host-port" },
		{ o->unix_sockets.n, "--allow-unix-socket" },
		{ o->unprotect.n, "--unprotect" },
		{ o->events, "--events" },
		{ o->control, "--control" },
		{ o->owner, "--owner" },
		{ o->approver && !streq(o->approver, "none") && !streq(o->approver, "auto"),
		  "--approver" },
		{ o->workspaces.n > 1, "more than one --workspace" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i].given)
			return all[i].name;
	return other_rule(o);
}

/* What opens has no effect, which is what a person should know. */
static const char *opening(const struct run_opts *o)
{
	static const char *const names[] = { [ARG_ALLOW_READ] = "--allow-read",
					     [ARG_ALLOW_WRITE] = "--allow-write",
					     [ARG_ALLOW_EXEC] = "--allow-exec" };

	for (size_t i = 0; i < o->n_args; i++)
		if ((size_t)o->args[i].kind < ARRAY_SIZE(names) && names[o->args[i].kind])
			return names[o->args[i].kind];
	for (size_t i = 0; i < o->n_net_args; i++)
		if (o->net_args[i].decision == VERDICT_ALLOW)
			return "--allow-domain";
	return o->net == NET_ALLOW || o->net == NET_OPEN ? "--net" : NULL;
}

static int check(const struct run_opts *o, const char *session, struct berm_err *err)
{
	const char *what = unheld(o);

	if (!what) {
		what = opening(o);
		if (what && !o->quiet)
			(void)fprintf(stderr,
				      "berm: %s: inside session %s options only narrow; nothing "
				      "is opened by it\n",
				      what, session);
		return 0;
	}
	(void)err_set(err, -ENOTSUP,
		      "%s cannot be given here: this command runs inside session %s already", what,
		      session);
	err_fix(err, "give it to the berm that began the session; here --deny-read, --deny-write, "
		     "--deny-exec, --deny-domain, --net off, --mode and --limit narrow it");
	return -ENOTSUP;
}

/* ---- the command's place and environment --------------------------------- */

/* A workspace inside another is not what the session was given: what else is writable stays so. */
static int enter(const struct run_opts *o, const struct warm_state *session, char **ret,
		 struct berm_err *err)
{
	if (o->workspaces.n && chdir(o->workspaces.v[0]) < 0)
		return err_errno(err, -errno, "cannot enter the workspace %s", o->workspaces.v[0]);
	*ret = getcwd(NULL, 0);
	if (!*ret)
		return err_errno(err, -errno, "cannot tell the current directory");
	if (o->workspaces.n && session->workspace[0] && !streq(*ret, session->workspace)) {
		err_set(err, -ENOTSUP,
			"--workspace %s: inside session %s its own, %s, stays writable",
			o->workspaces.v[0], session->session, session->workspace);
		err_fix(err, "leave the option away and enter the directory; --deny-write keeps "
			     "the rest from being changed");
		return -ENOTSUP;
	}
	return 0;
}

static int change_env(const struct run_opts *o, struct berm_err *err)
{
	int r = 0;

	for (size_t i = 0; i < o->env.n && r >= 0; i++)
		if (strchr(o->env.v[i], '='))
			r = putenv(o->env.v[i]) ? -ENOMEM : 0;
	for (size_t i = 0; i < o->unset_env.n && r >= 0; i++)
		r = unsetenv(o->unset_env.v[i]) < 0 ? -errno : 0;
	return r < 0 ? err_errno(err, r, "cannot change the environment") : 0;
}

static int all_of_env(struct strv *ret, struct berm_err *err)
{
	for (char **v = environ; *v; v++)
		/* What is no assignment nobody could have set. */
		if (strchr(*v, '=') && (*v)[0] != '=' && strv_add(ret, *v) < 0)
			return no_memory(err);
	return 0;
}

/* ---- running ------------------------------------------------------------- */

static int in_place(char **command)
{
	int e;

	(void)execvp(command[0], command);
	e = errno;
	run_not_executed(command[0], e);
	return e == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int beside(int fd, const char *session, const char *dir, struct strv *words, char **command)
{
	_cleanup_strv_ struct strv env = { 0 };
	struct warm_command c = {
		.session = session, .argv = command, .env = &env, .dir = dir, .narrow = words
	};
	struct warm_result res = { .status = EXIT_BERM };
	struct berm_err err = { 0 };

	if (all_of_env(&env, &err) < 0 || warm_run(fd, &c, &res, &err) < 0)
		err_print(&err);
	else if (res.lost)
		(void)fprintf(stderr, "berm: session %s ended, and the command with it\n", session);
	return res.status;
}

bool inside_run(const struct run_opts *o, char **command, int *ret_status)
{
	_cleanup_strv_ struct strv words = { 0 };
	_cleanup_free_ char *dir = NULL;
	_cleanup_close_ int fd = -1;
	struct warm_state session;
	struct berm_err err = { 0 };
	int r = inside_ring(&fd);

	if (r == -ENOTCONN)
		return false;
	*ret_status = EXIT_BERM;
	if (r >= 0)
		r = warm_ask_state(fd, ANSWER_MS, &session);
	if (r < 0)
		(void)err_errno(&err, r, "the session that this command runs in does not answer");
	if (r >= 0)
		r = check(o, session.session, &err);
	if (r >= 0)
		r = enter(o, &session, &dir, &err);
	if (r >= 0)
		r = add_rules(o, &words, &err);
	if (r >= 0)
		r = change_env(o, &err);
	if (r >= 0 && words.n && o->quiet)
		r = add_word(&words, INSIDE_QUIET, "", &err);
	if (r < 0) {
		*ret_status = cli_fail(&err);
		return true;
	}
	*ret_status =
		words.n ? beside(fd, session.session, dir, &words, command) : in_place(command);
	return true;
}
