/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_net_opts.h"

#include <string.h>

#include "plan/net_kit.h"
#include "plan/tier.h"

static int bad_choice(const struct opt_def *def, const char *value, const char *choices,
		      struct berm_err *err)
{
	int r = err_set(err, -EINVAL, "--%s %s: not a known value", def->name, value);

	err_fix(err, "one of: %s", choices);
	return r;
}

int set_net(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	static const char *const names[] = {
		[NET_OFF] = "off", [NET_ALLOW] = "allow", [NET_OPEN] = "open"
	};
	struct run_opts *o = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!streq(names[i], value))
			continue;
		o->net = (int)i;
		return 0;
	}
	return bad_choice(def, value, "off, allow, open", err);
}

int set_domain(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;
	struct policy_net_arg *args;

	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs a host", def->name);
	args = reallocarray(o->net_args, o->n_net_args + 1, sizeof(*args));
	if (!args)
		return err_set(err, -ENOMEM, "out of memory");
	o->net_args = args;
	args[o->n_net_args++] = (struct policy_net_arg){ (enum decision)def->param, value };
	return 0;
}

int set_net_list(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;
	struct strv *lists[] = {
		[NET_LIST_PUBLISH] = &o->publish,
		[NET_LIST_HOST_PORT] = &o->host_ports,
		[NET_LIST_SOCKET] = &o->unix_sockets,
	};

	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs a value", def->name);
	return strv_add(lists[def->param], value) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int set_no_proxy_env(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	(void)def;
	(void)value;
	(void)err;
	o->proxy_env = 0;
	return 0;
}

/* Checked where the settings' value is (policy/settings_net.c). */
int set_approver(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	(void)def;
	(void)err;
	o->approver = value;
	return 0;
}

int set_tier(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	if (!streq(value, tier_info(TIER_LANDLOCK)->name))
		return bad_choice(def, value, tier_info(TIER_LANDLOCK)->name, err);
	o->tier_landlock = true;
	return 0;
}

int set_test_cap(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	static const char *const rungs[] = {
		[NET_RUNG_GATE] = "net=gate",	      [NET_RUNG_TPROXY] = "net=tproxy",
		[NET_RUNG_REDIRECT] = "net=redirect", [NET_RUNG_PORTS] = "net=ports",
		[NET_RUNG_CLOSED] = "net=closed",
	};
	struct run_opts *o = ctx;

	for (size_t i = NET_RUNG_GATE; i < ARRAY_SIZE(rungs); i++) {
		if (!streq(rungs[i], value))
			continue;
		o->net_rung_cap = (int)i;
		return 0;
	}
	for (unsigned i = 0; i < LACKS; i++) {
		if (!streq(lack_info(i)->name, value))
			continue;
		o->lacks_cap |= 1u << i;
		return 0;
	}
	if (str_starts(value, "landlock=") && value[9] >= '0' && value[9] <= '9' && !value[10]) {
		o->landlock_cap = value[9] - '0';
		return 0;
	}
	return bad_choice(def, value,
			  "net=gate, net=tproxy, net=redirect, net=ports, net=closed, userns, "
			  "mounts, userns-limit, proc, inner-userns, landlock, landlock=ABI, "
			  "listener",
			  err);
}
