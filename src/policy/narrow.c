/* SPDX-License-Identifier: Apache-2.0 */
/* What is denied here becomes rules of the managed layer's rank, which nothing goes over
 * (rules.c); nothing else of what is asked reaches the rules. */
#include "policy/narrow.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/str.h"
#include "policy/apply.h"
#include "policy/net.h"
#include "policy/places.h"
#include "policy/rules.h"

#define HOSTS_MAX 256

static int no_memory(struct berm_err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

/* ---- files -------------------------------------------------------------- */

static int apply_all(struct spec *s, struct settings *set, struct berm_err *err)
{
	int r = 0;

	for (size_t i = 0; i < set->n && r >= 0; i++) {
		/* A limit of the managed layer only lowers. */
		set->layer = set->v[i].key == SET_LIMIT ? LAYER_MANAGED : LAYER_CLI;
		r = apply_entry(s, set, &set->v[i], err);
	}
	return r;
}

static int add_denials(struct spec *s, const struct narrowing *n, struct berm_err *err)
{
	struct settings_list list = { 0 };
	struct policy_input in = POLICY_INPUT_INIT;
	struct settings *set;
	size_t before = s->n_rules;
	int r = 0;

	for (size_t i = 0; i < n->n_args; i++)
		if (n->args[i].kind != ARG_DENY_READ && n->args[i].kind != ARG_DENY_WRITE &&
		    n->args[i].kind != ARG_DENY_EXEC)
			return err_set(err, -EINVAL, "only denials narrow a session");
	in.args = n->args;
	in.n_args = n->n_args;
	in.limits = n->limits;
	in.n_limits = n->n_limits;
	in.cwd = n->cwd;
	in.uid = geteuid();
	in.pretend = true;
	if (settings_list_add(&list, "command line", n->cwd, LAYER_CLI, true, &set) < 0)
		return no_memory(err);
	r = settings_from_input(set, &in, err);
	if (r >= 0)
		r = apply_all(s, set, err);
	for (size_t i = before; i < s->n_rules; i++)
		s->rules[i]->layer = LAYER_MANAGED;
	if (r >= 0)
		r = view_check(s, &in, err);
	if (r >= 0)
		r = spec_finish_rules(s, err);
	settings_list_free(&list);
	return r;
}

/* ---- hosts -------------------------------------------------------------- */

/* The fixed deny list's rank: it beats every allow. The texts are the caller's. */
static int deny_host(struct spec *s, const char *text, struct net_rule *ret, struct berm_err *err)
{
	_cleanup_free_ char *shown = str_printf("deny-domain %s", text);
	int r;

	*ret = (struct net_rule){ .decision = VERDICT_DENY,
				  .layer = LAYER_MANAGED,
				  .fixed = true,
				  .origin = { "command line", 0 } };
	if (text[0] == '@') {
		err_set(err, -ENOTSUP, "--deny-domain %s: inside a session groups cannot be named",
			text);
		err_fix(err, "name the hosts, or give --net off");
		return -ENOTSUP;
	}
	r = host_pattern_parse(text, true, &ret->pat, err);
	if (r < 0)
		return err_prefix(err, "--deny-domain");
	ret->text = shown ? spec_string(s, shown) : NULL;
	return ret->text ? 0 : no_memory(err);
}

/* A policy with room for n rules before those of net, or of the settings. */
static struct net_policy *copy_policy(struct spec *s, const struct net_policy *net, size_t n,
				      struct berm_err *err)
{
	struct net_policy *p = NULL;
	struct net_rule *rules;

	if (!net && net_policy_new(s, &p, err) < 0)
		return NULL;
	if (net) {
		p = malloc(sizeof(*p));
		if (p) {
			*p = *net;
			p->arena = NULL; /* its owner's */
			p->rules = NULL;
		}
	}
	rules = p ? calloc(p->n_rules + n + 1, sizeof(*rules)) : NULL;
	if (!rules) {
		if (p)
			net_policy_free(p);
		(void)no_memory(err);
		return NULL;
	}
	if (p->n_rules)
		memcpy(rules + n, net ? net->rules : p->rules, p->n_rules * sizeof(*rules));
	free(p->rules);
	p->rules = rules;
	p->n_rules += n;
	return p;
}

static int narrow_net(struct spec *s, const struct narrowing *n, const struct net_policy *net,
		      struct berm_err *err)
{
	struct net_policy *p;
	int r = 0;

	if (n->n_hosts > HOSTS_MAX)
		return err_set(err, -E2BIG, "more than %d hosts", HOSTS_MAX);
	s->network.n_publish = 0;
	if (n->net_off) {
		s->net = NET_OFF;
		s->network.n_host_ports = 0;
	}
	p = copy_policy(s, net, n->n_hosts, err);
	if (!p)
		return err->code;
	p->mode = s->net;
	s->network.policy = p;
	for (size_t i = 0; i < n->n_hosts && r >= 0; i++)
		r = deny_host(s, n->hosts[i], &p->rules[i], err);
	return r;
}

/* ---- the rest ----------------------------------------------------------- */

static size_t count(char *const *v)
{
	size_t n = 0;

	while (v[n])
		n++;
	return n;
}

static int add_var(char **envp, size_t *n, const char *assignment)
{
	envp[*n] = strdup(assignment);
	return envp[*n] ? ((*n)++, 0) : -ENOMEM;
}

/* What the session sets itself, and of what the caller has all that it may set. */
static int narrow_env(struct spec *s, char *const *vars, struct berm_err *err)
{
	_cleanup_free_ char *id = str_printf("BERM_SESSION=%s", s->session);
	_cleanup_free_ char *pwd = str_printf("PWD=%s", s->workdir);
	char **envp = calloc(count(s->envp) + count(vars) + 3, sizeof(*envp));
	size_t n = 0;
	int r = envp && id && pwd ? 0 : -ENOMEM;

	for (char **v = s->envp; *v && r >= 0; v++)
		if (!env_may_set(*v) && !str_starts(*v, "BERM_SESSION=") && !str_starts(*v, "PWD="))
			r = add_var(envp, &n, *v);
	for (char *const *v = vars; *v && r >= 0; v++)
		if (env_may_set(*v))
			r = add_var(envp, &n, *v);
	if (r >= 0)
		r = add_var(envp, &n, pwd);
	if (r >= 0)
		r = add_var(envp, &n, id);
	if (r < 0) {
		while (envp && n)
			free(envp[--n]);
		free(envp);
		return no_memory(err);
	}
	s->envp = envp;
	return 0;
}

static int new_id(struct spec *s, struct berm_err *err)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return err_errno(err, -errno, "cannot get random bytes for the session id");
	(void)snprintf(s->session, sizeof(s->session), "b-%016llx", (unsigned long long)id);
	return 0;
}

static int narrow_rest(struct spec *s, const struct narrowing *n, struct berm_err *err)
{
	char *dir = strdup(n->cwd), *nobody = strdup("none");

	if (!dir || !nobody) {
		free(dir);
		free(nobody);
		return no_memory(err);
	}
	s->workdir = dir;
	s->approver = nobody;
	s->fail_if_unavailable = true;
	if (n->mode != MODE_CHAT && s->mode == MODE_CHAT) {
		s->mode = n->mode;
		for (size_t i = 0; i < s->n_roots; i++)
			s->roots[i].read_only = true;
	}
	return new_id(s, err);
}

int spec_narrow(struct spec *s, const struct narrowing *n, const struct net_policy *net,
		char *const *command, char *const *vars, struct berm_err *err)
{
	int r;

	if (n->cwd[0] != '/')
		return err_set(err, -EINVAL, "the work directory is not an absolute path");
	if (n->mode != MODE_CHAT && s->mode != MODE_CHAT && n->mode != s->mode)
		return err_set(err, -EINVAL, "the session is in mode %s already",
			       mode_name(s->mode));
	r = add_denials(s, n, err);
	if (r >= 0)
		r = narrow_net(s, n, net, err);
	if (r >= 0)
		r = narrow_rest(s, n, err);
	if (r >= 0)
		r = narrow_env(s, command ? vars : s->envp, err);
	if (r >= 0 && command)
		s->argv = (char **)(uintptr_t)command;
	return r;
}
