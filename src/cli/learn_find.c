/* SPDX-License-Identifier: Apache-2.0 */
/* From a round's events to what is proposed and what is not. Each event is judged again here, by
 * the function that "berm why" asks, under the spec of the round: an event says what was refused,
 * the judgement says whether somebody decided that. What the command asks for is its own choice,
 * so nothing here opens anything: it is shown to a person. */
#include "cli/learn.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/judge.h"
#include "policy/data.h"
#include "policy/net.h"
#include "policy/secret.h"

#define FOLDER_MAX 10000
#define SEVERAL 3 /* files of one folder for which the folder is proposed instead */

struct finder {
	struct learned *l;
	struct run_opts *o;
	const struct spec *spec;
	int r;
};

static const char *text_of(const json_t *event, const char *name)
{
	const char *s = json_string_value(json_object_get(event, name));

	return s ? s : "";
}

static unsigned long count_of(const json_t *event)
{
	json_int_t n = json_integer_value(json_object_get(event, "count"));

	return n > 0 ? (unsigned long)n : 1;
}

static void why_text(const json_t *event, const char *call, char *dst, size_t size)
{
	const char *exe = path_base(text_of(event, "exe"));
	unsigned long n = count_of(event);
	char program[128];

	str_escape(program, sizeof(program), exe, strlen(exe));
	(void)snprintf(dst, size, "%s: %s", program[0] ? program : "a program", call);
	if (n > 1)
		(void)snprintf(dst + strlen(dst), size - strlen(dst), ", %lu times", n);
}

static void other(struct finder *f, const json_t *event, const char *target, const char *reason,
		  const char *option)
{
	const char *action = text_of(event, "action");
	struct unwanted_text u = { .action = action[0] ? action : "network-outbound",
				   .target = target,
				   .reason = reason,
				   .option = option,
				   .count = count_of(event) };

	if (f->r >= 0)
		f->r = learned_other(f->l, &u);
}

/* What no run could be given is not proposed: the policy is read with it. */
static void want(struct finder *f, enum want_kind kind, const char *value, const char *why,
		 const json_t *event)
{
	struct berm_err err = { 0 };
	size_t n = f->l->n_wants;

	if (f->r >= 0)
		f->r = learned_want(f->l, kind, value, why);
	if (f->r < 0 || f->l->n_wants == n || learn_fits(f->o, f->l, &err) >= 0)
		return;
	learned_take_out(f->l, n);
	if (event)
		other(f, event, value, err.msg, err.fix);
}

/* ---- paths ---------------------------------------------------------------------- */

/* Opening it would open far more than a command may need. */
static const char *too_wide(const struct spec *s, const char *path)
{
	static const char *const kernel[] = { "/proc", "/sys", "/dev", "/run" };

	for (size_t i = 0; i < ARRAY_SIZE(kernel); i++)
		if (path_within(path, kernel[i]))
			return "a place of the kernel's and of services; choose it yourself";
	if (!strchr(path + 1, '/') || path_within(s->user_home, path))
		return "too much at once; allow what is needed of it";
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(s->roots[i].path, path))
			return "it holds the workspace; allow what is needed of it";
	return NULL;
}

static const char *why_secret(const struct spec *s, const char *path, char *dst, size_t size)
{
	struct data_entry e;
	bool place = secret_place(s, path, &e);

	if (!place && !secret_name(path, &e))
		return NULL;
	(void)snprintf(dst, size, "a secret: %s [data/secret-%s:%u]", e.text,
		       place ? "paths" : "names", e.line);
	return dst;
}

static bool is_cache(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < data_learn_caches.n; i++) {
		_cleanup_free_ char *cache =
			path_join(s->user_home, data_text(&data_learn_caches, i));

		if (cache && path_within(path, cache))
			return true;
	}
	return false;
}

static const struct writable_root *root_of(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(path, s->roots[i].path))
			return &s->roots[i];
	return NULL;
}

static enum file_op op_of(const char *action)
{
	for (int op = 0; op < OP_COUNT; op++)
		if (streq(file_op_action((enum file_op)op), action))
			return (enum file_op)op;
	return OP_COUNT;
}

/* As "berm why" is asked. */
static const char *word_of(enum file_op op)
{
	switch (op) {
	case OP_READ:
	case OP_LINK_FROM:
		return "read";
	case OP_WRITE:
	case OP_META:
		return "write";
	case OP_DELETE:
	case OP_RENAME_FROM:
		return "delete";
	case OP_EXEC:
		return "exec";
	default:
		return "create";
	}
}

/* The name under which the command looks for it: the last link is not followed, unless it lies in
 * a workspace, where it is there, and what it leads to is not. */
static char *name_of(const struct spec *s, const struct target *t, const char *spelled)
{
	_cleanup_(target_free) struct target named = { 0 };

	if (t->op != OP_READ && t->op != OP_EXEC)
		return strdup(t->path);
	if (target_parse(&named, "delete", spelled, NULL) < 0 || root_of(s, named.path))
		return strdup(t->path);
	return strdup(named.path);
}

/* The folder of a name that comes or goes is what must be writable. */
static char *grant_path(const struct target *t, const char *name)
{
	const char *slash = strrchr(name, '/');

	if (t->op == OP_READ || t->op == OP_EXEC || t->op == OP_WRITE)
		return strdup(name);
	return slash == name ? strdup("/") : strndup(name, (size_t)(slash - name));
}

static const char *not_readable(const struct target *t, const char *path)
{
	if (t->op != OP_READ && t->op != OP_EXEC)
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) < 0
			       ? "your own permissions do not allow it"
			       : NULL;
	if (t->type != FT_REG && t->type != FT_DIR)
		return "no file and no folder; choose it yourself";
	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0
		       ? "your own permissions do not allow it"
		       : NULL;
}

static void propose_path(struct finder *f, const json_t *event, const struct target *t,
			 const struct verdict *v)
{
	_cleanup_free_ char *name = name_of(f->spec, t, text_of(event, "target"));
	_cleanup_free_ char *path = name ? grant_path(t, name) : NULL;
	enum want_kind kind = WANT_WRITE;
	const char *no;
	char why[256], secret[256];

	if (!path) {
		f->r = -ENOMEM;
		return;
	}
	if (t->op == OP_READ || (t->op == OP_EXEC && v->err == ENOENT))
		kind = WANT_READ;
	else if (t->op == OP_EXEC)
		kind = WANT_EXEC;
	no = why_secret(f->spec, path, secret, sizeof(secret));
	if (!no)
		no = too_wide(f->spec, path);
	if (!no && is_cache(f->spec, path))
		no = "a cache or history: the private home has its own";
	if (!no)
		no = not_readable(t, path);
	if (no) {
		other(f, event, path, no, "");
		return;
	}
	why_text(event, text_of(event, "syscall"), why, sizeof(why));
	want(f, kind, path, why, event);
}

static void origin_text(const struct rule *rule, char *dst, size_t size)
{
	if (rule->origin.line)
		(void)snprintf(dst, size, "%s [%s:%u]", rule->text, rule->origin.file,
			       rule->origin.line);
	else
		(void)snprintf(dst, size, "%s [%s]", rule->text, rule->origin.file);
}

static void violation(struct finder *f, const json_t *event)
{
	_cleanup_(target_free) struct target t = { 0 };
	const char *target = text_of(event, "target"), *option = text_of(event, "grant");
	enum file_op op = op_of(text_of(event, "action"));
	struct file_query q;
	struct verdict v;
	char grant[8192], reason[2048];

	if (op == OP_COUNT || target[0] != '/' || target_parse(&t, word_of(op), target, NULL) < 0) {
		other(f, event, target, text_of(event, "reason"), option);
		return;
	}
	q = target_query(&t);
	cli_judge(f->spec, &t, &v);
	spec_grant(f->spec, &q, &v, grant, sizeof(grant));
	/* A rule, or git's content: somebody decided. */
	if (v.rule) {
		origin_text(v.rule, reason, sizeof(reason));
		other(f, event, t.path, reason, grant);
	} else if (v.decision == VERDICT_ALLOW || str_starts(grant, "--unprotect") || !grant[0]) {
		other(f, event, t.path,
		      v.decision == VERDICT_ALLOW ? text_of(event, "reason") : v.reason,
		      v.decision == VERDICT_ALLOW ? option : grant);
	} else {
		propose_path(f, event, &t, &v);
	}
}

/* ---- hosts ---------------------------------------------------------------------- */

static void refused_host(struct finder *f, const json_t *event)
{
	const char *name = text_of(event, "host"), *prefix = "--allow-domain ";
	json_int_t port = json_integer_value(json_object_get(event, "port"));
	char target[HOST_MAX + 16], grant[512] = "", reason[1024], why[256];
	struct net_verdict v = { .reason = "" };
	struct host h;
	uint16_t p;

	(void)snprintf(target, sizeof(target), strchr(name, ':') ? "[%s]:%d" : "%s:%d", name,
		       (int)(port > 0 ? port : 443));
	if (host_port_parse(target, 443, &h, &p, NULL) < 0) {
		other(f, event, name, text_of(event, "reason"), "");
		return;
	}
	net_judge(f->spec->network.policy, &h, p, &v);
	net_grant(f->spec->network.policy, &h, p, &v, grant, sizeof(grant));
	if (v.decision == VERDICT_ALLOW) {
		/* The name is open, and yet: its address, or what was said to it. */
		other(f, event, target, text_of(event, "reason"), "");
	} else if (v.rule) {
		(void)snprintf(reason, sizeof(reason), "%s [%s:%u]", v.rule->text,
			       v.rule->origin.file, v.rule->origin.line);
		other(f, event, target, reason, grant);
	} else if (!str_starts(grant, prefix)) {
		other(f, event, target, v.reason, grant);
	} else {
		why_text(event, "connect", why, sizeof(why));
		want(f, WANT_HOST, grant + strlen(prefix), why, event);
	}
}

/* ---- several together ----------------------------------------------------------- */

static char *folder_of(const struct want *w)
{
	const char *slash = strrchr(w->value, '/');

	return slash == w->value ? strdup("/") : strndup(w->value, (size_t)(slash - w->value));
}

/* Is there a file in it that looks like a secret? Then its files stay apart. What cannot be read,
 * or is too much to look at, could hold one. */
static bool may_hold_secrets(const struct spec *s, const char *dir)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	struct data_entry secret;
	const struct dirent *e;

	if (!d || secret_place_below(s, dir))
		return true;
	for (size_t n = 0; n < FOLDER_MAX; n++) {
		e = readdir(d);
		if (!e)
			return false;
		if (secret_name(e->d_name, &secret))
			return true;
	}
	return true;
}

/* The folder for which w and others of its kind can stand, NULL none. */
static char *common_folder(const struct finder *f, const struct want *w)
{
	_cleanup_free_ char *dir = folder_of(w);
	size_t n = 0;

	if (!dir || too_wide(f->spec, dir) || may_hold_secrets(f->spec, dir))
		return NULL;
	for (size_t i = 0; i < f->l->n_wants; i++) {
		const struct want *v = &f->l->wants[i];
		_cleanup_free_ char *of = v->kind == w->kind ? folder_of(v) : NULL;

		n += v->state == WANT_NEW && of && streq(of, dir);
	}
	return n >= SEVERAL ? take_ptr(dir) : NULL;
}

static bool is_covered(const struct learned *l, const struct want *w)
{
	for (size_t i = 0; i < l->n_wants; i++) {
		const struct want *by = &l->wants[i];
		bool opens =
			by->kind == w->kind || (by->kind == WANT_WRITE && w->kind == WANT_READ);

		if (by != w && opens && by->kind != WANT_HOST && by->state != WANT_DROPPED &&
		    path_within(w->value, by->value))
			return true;
	}
	return false;
}

static void gather(struct finder *f)
{
	size_t n = f->l->n_wants;

	for (size_t i = 0; f->r >= 0 && i < n; i++) {
		const struct want *w = &f->l->wants[i];
		_cleanup_free_ char *dir = NULL;
		char why[256];

		if (w->kind == WANT_HOST || w->kind == WANT_EXEC || w->state != WANT_NEW)
			continue;
		dir = common_folder(f, w);
		if (!dir)
			continue;
		(void)snprintf(why, sizeof(why), "%s, and others in this folder", w->why);
		want(f, w->kind, dir, why, NULL);
	}
	for (size_t i = f->l->n_wants; i-- > 0;)
		if (f->l->wants[i].state == WANT_NEW && f->l->wants[i].kind != WANT_HOST &&
		    is_covered(f->l, &f->l->wants[i]))
			learned_take_out(f->l, i);
}

int learn_find(struct learned *l, struct run_opts *o, const struct spec *spec, const json_t *events,
	       struct berm_err *err)
{
	struct finder f = { .l = l, .o = o, .spec = spec };

	for (size_t i = 0; f.r >= 0 && i < json_array_size(events); i++) {
		const json_t *e = json_array_get(events, i);

		if (streq(text_of(e, "event"), "violation"))
			violation(&f, e);
		else if (streq(text_of(e, "event"), "network") &&
			 streq(text_of(e, "decision"), "deny"))
			refused_host(&f, e);
	}
	gather(&f);
	return f.r < 0 ? err_set(err, f.r, "out of memory") : 0;
}
