/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/guard_cli.h"

#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/enabled.h"

int guard_opts_join(const struct opt_def *own, size_t n, struct guard_opts_table *ret,
		    struct berm_err *err)
{
	/* The first of why's is --json, which each verb has of its own. */
	struct opt_table why = run_opts_why_table();

	if (n + why.n > ARRAY_SIZE(ret->defs))
		return err_set(err, -E2BIG, "too many options");
	memcpy(ret->defs, own, n * sizeof(*own));
	memcpy(ret->defs + n, why.defs, why.n * sizeof(*own));
	ret->all = (struct opt_table){ .defs = ret->defs, .n = n + why.n };
	ret->own = (struct opt_table){ .defs = ret->defs, .n = n + 1 };
	return 0;
}

void guard_setup_free(struct guard_setup *s)
{
	guard_rules_free(s->rules);
	free(s->roots);
	free(s->cwd);
	if (s->spec)
		spec_free(s->spec);
}

int guard_setup_make(struct run_opts *o, struct guard_setup *ret, struct berm_err *err)
{
	struct spec *spec;
	int r = run_opts_finish(o, err);

	if (r >= 0)
		r = run_opts_resolve(o, NULL, &ret->spec, err);
	if (r < 0)
		return r;
	spec = ret->spec;
	ret->policy = spec->guard;
	if (o->off_by) {
		ret->policy.sandbox = false;
		ret->policy.platform_excluded = false;
		ret->policy.sandbox_from = (struct origin){ o->off_by, 0 };
	}
	if (o->forced) {
		ret->policy.sandbox = true;
		ret->policy.platform_excluded = false;
		ret->policy.allow_unsandboxed = false;
		ret->policy.sandbox_from = (struct origin){ "BERM_FORCE_SANDBOX=1", 0 };
		ret->policy.allow_unsandboxed_from = ret->policy.sandbox_from;
		/* Nothing leaves it. */
		ret->policy.n_excluded = 0;
	}
	ret->cwd = getcwd(NULL, 0);
	if (!ret->cwd)
		return err_errno(err, -errno, "cannot tell the current directory");
	ret->roots = calloc(spec->n_roots + 1, sizeof(*ret->roots));
	if (!ret->roots)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < spec->n_roots; i++)
		ret->roots[i] = spec->roots[i].path;
	return guard_rules_new(&ret->policy, spec->n_roots ? spec->roots[0].path : ret->cwd,
			       spec->user_home, &ret->rules, err);
}

void guard_setup_call(const struct guard_setup *s, struct guard_call *ret)
{
	*ret = (struct guard_call){
		.place = { .cwd = s->cwd,
			   .home = s->spec->user_home,
			   .roots = s->roots,
			   .n_roots = s->spec->n_roots },
		.mode = s->spec->mode,
		.now = time(NULL),
	};
	enabled_host(&ret->host);
}

void guard_origin(const struct origin *o, char *dst, size_t size)
{
	dst[0] = 0;
	if (o->file && o->line)
		(void)snprintf(dst, size, "%s:%u", o->file, o->line);
	else if (o->file)
		(void)snprintf(dst, size, "%s", o->file);
}

void guard_opinion_rule(const struct guard_opinion *o, struct buf *out)
{
	if (o->rule)
		(void)guard_rule_text(o->rule, out);
	else if (o->row)
		(void)buf_adds(out, o->row);
}

int guard_exit_status(enum decision d)
{
	return d == VERDICT_ALLOW ? EXIT_ALLOWED : d == VERDICT_DENY ? EXIT_DENIED : EXIT_ASK;
}
