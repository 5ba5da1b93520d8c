/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/enabled.h"

#include <string.h>

#include "cli/probe.h"
#include "linux/host.h"

const char *enabled_name(enum sandbox_off off)
{
	static const char *const names[] = {
		[SANDBOX_ON] = "on",
		[SANDBOX_OFF_SETTING] = "setting",
		[SANDBOX_OFF_PLATFORM] = "unsupported-platform",
		[SANDBOX_OFF_WSL1] = "wsl1",
		[SANDBOX_OFF_EXCLUDED] = "excluded-platform",
		[SANDBOX_OFF_DEPENDENCY] = "missing-dependency",
	};

	return names[off];
}

void enabled_host(struct sandbox_host *ret)
{
	const struct host_kind *kind = host_kind();

	*ret = (struct sandbox_host){ .supported = true, .wsl1 = streq(kind->name, "wsl1") };
}

void enabled_failed(const struct berm_err *err, struct sandbox_host *ret)
{
	const struct host_kind *kind = host_kind();

	enabled_host(ret);
	if (streq(kind->name, "gvisor"))
		ret->supported = false;
	else
		ret->missing = err->msg;
}

static int try_it(const struct run_opts *o, struct berm_err *err)
{
	_cleanup_(cleanup_plan_) struct plan *plan = NULL;
	_cleanup_spec_ struct spec *spec = NULL;
	struct policy_input in;
	int r;

	run_opts_input(o, NULL, &in);
	/* The sandbox holds the private home, so that it has to be there. */
	in.pretend = false;
	r = policy_resolve(&in, &spec, err);
	if (r >= 0)
		r = plan_build(spec, &plan, err);
	return r < 0 ? r : probe_sandbox(spec, plan, err);
}

void enabled_look(const struct guard_policy *g, const struct run_opts *o, struct enabled *ret)
{
	*ret = (struct enabled){ 0 };
	enabled_host(&ret->host);
	if (try_it(o, &ret->why) < 0)
		enabled_failed(&ret->why, &ret->host);
	guard_sandbox_state(g, &ret->host, &ret->state);
}
