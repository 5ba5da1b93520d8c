/* SPDX-License-Identifier: Apache-2.0 */
/* The rules about hosts are live: the settings are read again, by the function that read them
 * at the start, when a file of theirs changed or an answer was written. What is wrong in
 * a new file leaves the old rules in force. Whether there is a network at all, and the
 * rules about files, are as at the start. */
#include <string.h>

#include "base/path.h"
#include "policy/front.h"
#include "policy/layers.h"
#include "policy/trust.h"
#include "session/settings_write.h"
#include "session/steward_impl.h"

#define POLICY_TEXT_MAX (4u << 20)

static void watch_dir_of(struct settings_watch *w, const char *base, const char *file)
{
	_cleanup_free_ char *path = path_join(base, file);
	char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash || slash == path)
		return;
	*slash = '\0';
	settings_watch_dir(w, path);
}

static void watch_all(struct steward *st)
{
	const struct policy_input *in = st->s->input;
	const char *managed = in->dirs.managed ? in->dirs.managed : "/etc/berm";
	_cleanup_free_ char *config = user_config_dir(in, st->spec->user_home);
	_cleanup_free_ char *drop = path_join(managed, "managed.d"), *cwd = getcwd(NULL, 0);
	_cleanup_strv_ struct strv others = { 0 };

	if (st->watch_at)
		return;
	if (config)
		settings_watch_dir(&st->watch, config);
	settings_watch_dir(&st->watch, managed);
	if (drop)
		settings_watch_dir(&st->watch, drop);
	for (size_t i = 0; i < st->spec->n_roots; i++) {
		_cleanup_free_ char *dir = path_join(st->spec->roots[i].path, ".berm");

		if (dir && st->spec->roots[i].kind == ROOT_WORKSPACE)
			settings_watch_dir(&st->watch, dir);
	}
	for (size_t i = 0; i < in->n_policy_files && cwd; i++)
		watch_dir_of(&st->watch, cwd, in->policy_files[i]);
	if (cwd && front_folders(in, st->spec, cwd, &others) == 0)
		for (size_t i = 0; i < others.n; i++)
			settings_watch_dir(&st->watch, others.v[i]);
}

void policy_watch_start(struct steward *st)
{
	if (st->s->input)
		watch_all(st);
}

/* Do both say the same? Unclear counts as no. */
static bool same_policy(const struct net_policy *a, const struct net_policy *b)
{
	_cleanup_buf_ struct buf x = BUF_INIT(POLICY_TEXT_MAX), y = BUF_INIT(POLICY_TEXT_MAX);

	if (net_policy_write(a, &x) < 0 || net_policy_write(b, &y) < 0 || x.failed || y.failed)
		return false;
	return x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
}

static void tell_policy(struct steward *st, int err, const char *reason)
{
	struct tell t = { .type = REC_POLICY, .err = err, .op = -1, .reason = reason };

	tell_warden(st, &t);
}

static void put_in_force(struct steward *st, struct spec *spec)
{
	spec_free(st->before_owner);
	st->before_owner = st->policy_owner;
	st->before = st->policy;
	st->policy_owner = spec;
	st->policy = spec->network.policy;
	if (st->broker >= 0 && broker_config(st) < 0) {
		/* Rules that the user has withdrawn must not stay in force unseen. */
		broker_lost(st, "the broker cannot be told of the new rules");
		return;
	}
	tell_policy(st, 0, "the rules about hosts changed");
}

/* The spec of the settings as they are now, with what came over the control descriptor. */
static int resolve(struct steward *st, struct spec **ret, struct berm_err *err)
{
	struct policy_input in = *st->s->input;
	size_t n = in.n_net_args + st->control.n;
	_cleanup_free_ struct policy_net_arg *args = calloc(n + 1, sizeof(*args));

	if (!args)
		return err_set(err, -ENOMEM, "out of memory");
	if (in.n_net_args)
		memcpy(args, in.net_args, in.n_net_args * sizeof(*args));
	if (st->control.n)
		memcpy(args + in.n_net_args, st->control.args, st->control.n * sizeof(*args));
	in.net_args = args;
	in.n_net_args = n;
	in.pretend = true;
	in.argv = NULL; /* with a command the rules about hosts are left for later */
	return policy_resolve(&in, ret, err);
}

static int apply(struct steward *st, struct berm_err *err)
{
	struct spec *fresh = NULL;
	int r;

	watch_all(st); /* folders that have come */
	r = resolve(st, &fresh, err);
	if (r < 0)
		return r;
	if (!fresh || !fresh->network.policy) {
		spec_free(fresh);
		return 0;
	}
	st->s->last_policy_error[0] = '\0';
	fresh->network.policy->mode = st->policy->mode;
	if (same_policy(fresh->network.policy, st->policy))
		spec_free(fresh);
	else
		put_in_force(st, fresh);
	return 0;
}

void policy_reload(struct steward *st)
{
	struct berm_err err = { 0 };
	int r;

	if (!st->s->input || st->ending)
		return;
	r = apply(st, &err);
	if (r >= 0 || streq(err.msg, st->s->last_policy_error))
		return;
	tell_policy(st, -r, err.msg);
	(void)snprintf(st->s->last_policy_error, sizeof(st->s->last_policy_error), "%s", err.msg);
}

/* ---- the control descriptor ------------------------------------------------------ */

static int do_line(struct steward *st, struct control_line *line, struct berm_err *err)
{
	int r;

	if (line->reload)
		return apply(st, err);
	r = control_add(&st->control, line);
	if (r < 0)
		return err_set(err, r, "too many rules came this way");
	r = apply(st, err);
	if (r < 0)
		control_drop(&st->control); /* that rule, or the settings' own mistake */
	return r;
}

static void on_line(void *ctx, const char *text, size_t len)
{
	struct steward *st = ctx;
	struct control_line line;
	struct berm_err err = { 0 };

	if (control_parse(text, len, &line, &err) >= 0)
		(void)do_line(st, &line, &err);
	control_reply(&st->control, line.id, &err);
	free(line.pattern);
}

void policy_control_ready(struct steward *st)
{
	if (st->s->input && !st->ending)
		control_read(&st->control, on_line, st);
}

/* ---- lasting answers ------------------------------------------------------------ */

/* A path as a pattern that means just that path. */
static char *literal_pattern(const char *path)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u * 1024u);

	for (const char *p = path; *p; p++) {
		if (strchr("*?[]{},\\", *p))
			(void)buf_add(&b, "\\", 1);
		(void)buf_add(&b, p, 1);
	}
	return b.failed ? NULL : take_ptr(b.data);
}

static const char *file_grant(const struct ask *a, enum decision decision)
{
	if (decision == VERDICT_DENY)
		return "none";
	return a->op == OP_READ || a->op == OP_EXEC ? "read" : "write";
}

/* What the settings are to say. *ret_text is what c points to. */
static bool change_for(const struct ask *a, enum decision decision, struct jsonc_change *c,
		       char **ret_text)
{
	*c = (struct jsonc_change){ 0 };
	if (a->kind == ASK_FILE) {
		*ret_text = literal_pattern(a->target);
		c->path[0] = "files";
		c->name = *ret_text;
		c->value = file_grant(a, decision);
	} else {
		*ret_text = strchr(a->target, ':') ? str_printf("[%s]:%u", a->target, a->port)
						   : str_printf("%s:%u", a->target, a->port);
		c->path[0] = "network";
		c->path[1] = decision == VERDICT_ALLOW ? "allow" : "deny";
		c->value = *ret_text;
	}
	return *ret_text;
}

/* Local settings count as the user's own when he trusts this very content (policy/trust.h):
 * what is not trusted now must not become so together with an answer. */
static int check_trusted(const struct steward *st, const char *root, struct berm_err *err)
{
	struct trust_subject t = { 0 };
	int r = trust_look(st->s->input, root, true, &t, err);

	if (r == -ENOENT)
		return 0;
	if (r >= 0 && !t.trusted)
		r = err_set(err, -EPERM, "%s/" LOCAL_FILE " is not trusted (berm trust)", root);
	trust_subject_free(&t);
	return r;
}

static int write_local(const struct steward *st, const char *root, const struct jsonc_change *c,
		       struct berm_err *err)
{
	struct trust_subject t = { 0 };
	int r = check_trusted(st, root, err);

	if (r < 0)
		return r;
	r = settings_write(root, LOCAL_FILE, c, err);
	if (r != 0)
		return r;
	r = trust_look(st->s->input, root, true, &t, err);
	if (r >= 0)
		r = trust_record(st->s->input, &t, err);
	trust_subject_free(&t);
	return r;
}

static int write_to(const struct steward *st, enum ask_hold hold, const struct jsonc_change *c,
		    struct berm_err *err)
{
	_cleanup_free_ char *config = NULL;
	const char *root = st->spec->n_roots ? st->spec->roots[0].path : NULL;

	if (hold == HOLD_USER) {
		config = user_config_dir(st->s->input, st->spec->user_home);
		return config ? settings_write(config, "policy.json", c, err)
			      : err_set(err, -ENOMEM, "out of memory");
	}
	if (!root)
		return err_set(err, -ENOENT, "there is no workspace to keep the answer in");
	return write_local(st, root, c, err);
}

bool policy_write_answer(struct steward *st, const struct ask *a, const struct ask_answer *answer)
{
	_cleanup_free_ char *text = NULL;
	struct jsonc_change c;
	struct berm_err err = { 0 };
	int r = -ENOMEM;

	if (!st->s->input)
		return false;
	if (change_for(a, answer->decision, &c, &text))
		r = write_to(st, answer->hold, &c, &err);
	if (r < 0) {
		char why[1200];

		(void)snprintf(why, sizeof(why), "the answer was not kept: %s", err.msg);
		tell_policy(st, -r, why);
		return false;
	}
	policy_reload(st);
	return true;
}
