/* SPDX-License-Identifier: Apache-2.0 */
/* The tiers: what a set of lacks comes to, which plans it can hold, and which failures of
 * set-up mean what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "linux/setup.h"
#include "plan/tier.h"
#include "policy/net.h"

static void test_tables(void **state)
{
	(void)state;
	for (unsigned t = 0; t < TIER_COUNT; t++) {
		const struct tier_info *i = tier_info(t);

		assert_non_null(i->name);
		assert_true(i->name[0]);
		if (t != TIER_FULL)
			assert_true(i->lacks[0] || i->refuses[0]);
	}
	for (unsigned i = 0; i < LACKS; i++) {
		const struct lack_info *l = lack_info(i);

		assert_true(l->name[0] && l->missing[0] && l->lost[0]);
		assert_int_equal(tier_of(1u << i), l->tier);
		assert_int_not_equal(l->tier, TIER_FULL);
	}
}

static void test_worst_counts(void **state)
{
	(void)state;
	assert_int_equal(tier_of(0), TIER_FULL);
	assert_int_equal(tier_of(LACK_INNER | LACK_PROC), TIER_CONTAINER);
	assert_int_equal(tier_of(LACK_LISTENER | LACK_PROC), TIER_READ_ONLY);
	assert_int_equal(tier_of(LACK_USERNS | LACK_MOUNTS | LACK_LIMIT), TIER_LANDLOCK);
	/* One of the two must be there. */
	assert_int_equal(tier_of(LACK_USERNS | LACK_LANDLOCK), TIER_NONE);
	assert_int_equal(tier_of(LACK_MOUNTS | LACK_LISTENER), TIER_NONE);
	assert_int_equal(tier_of(~0u), TIER_NONE);
}

static void test_names(void **state)
{
	_cleanup_strv_ struct strv names = { 0 };

	(void)state;
	assert_int_equal(tier_lacks(LACK_INNER | LACK_PROC, &names), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "proc");
	assert_string_equal(names.v[1], "inner-userns");
}

static void test_check(void **state)
{
	char path[] = "/home/me/app", free_path[] = "/home";
	struct tree trees[] = { { .kind = TREE_FREE, .path = free_path },
				{ .kind = TREE_GOVERNED, .path = path } };
	struct plan writable = { .trees = trees, .n_trees = 2 };
	struct plan read_only = { .trees = trees, .n_trees = 1 };
	struct rule rule = { .exec = EXEC_DENY,
			     .layer = LAYER_USER,
			     .text = (char *)(uintptr_t) "deny-exec /usr/bin/ssh",
			     .origin = { .file = "policy.json", .line = 7 } };
	struct rule *rules[] = { &rule };
	struct net_policy net = { 0 };
	struct spec spec = { .network = { .policy = &net }, .tier_landlock = true };
	struct berm_err err = { 0 };

	(void)state;
	for (unsigned set = 0; set < 1u << LACKS; set++) {
		enum tier t = tier_of(set);

		assert_int_equal(tier_check(&spec, &writable, set, &err) == 0,
				 t < TIER_READ_ONLY || t == TIER_LANDLOCK);
		assert_int_equal(tier_check(&spec, &read_only, set, &err) == 0, t < TIER_NONE);
	}
	/* By name. */
	assert_int_equal(tier_check(&spec, &writable, LACK_LANDLOCK, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, path));
	assert_non_null(strstr(err.fix, "--mode review"));
	spec.rules = rules;
	spec.n_rules = 1;
	assert_int_equal(tier_check(&spec, &read_only, LACK_PROC, &err), 0);
	assert_int_equal(tier_check(&spec, &read_only, LACK_LISTENER, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "deny-exec /usr/bin/ssh"));
	assert_non_null(strstr(err.msg, "policy.json:7"));
	rule.layer = LAYER_BUILTIN;
	assert_int_equal(tier_check(&spec, &read_only, LACK_LISTENER, &err), 0);
}

/* What a tier without namespaces cannot hold is said by name. */
static void test_check_flat(void **state)
{
	struct net_forward publish = { .origin = { .file = "command line" } };
	struct net_rule fixed = { .text = "allow-domain github.com", .decision = VERDICT_ALLOW };
	struct net_rule own = { .text = "allow-domain example.com",
				.decision = VERDICT_ALLOW,
				.layer = LAYER_USER,
				.origin = { .file = "policy.json", .line = 3 } };
	struct net_policy net = { .rules = &fixed, .n_rules = 1 };
	struct spec spec = { .network = { .policy = &net } };
	struct plan plan = { 0 };
	struct berm_err err = { 0 };

	(void)state;
	/* Nobody comes to it unasked. */
	assert_int_equal(tier_check(&spec, &plan, LACK_USERNS, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.fix, "--tier landlock"));
	spec.tier_landlock = true;
	assert_int_equal(tier_check(&spec, &plan, LACK_USERNS, &err), 0);
	/* To read is for the supervisor to judge. */
	spec.read_deny = true;
	assert_int_equal(tier_check(&spec, &plan, LACK_USERNS, &err), 0);
	net.rules = &own;
	assert_int_equal(tier_check(&spec, &plan, LACK_USERNS, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "\"allow-domain example.com\" (policy.json:3)"));
	assert_non_null(strstr(err.fix, "max_user_namespaces"));
	net.rules = &fixed;
	spec.network.publish = &publish;
	spec.network.n_publish = 1;
	spec.network.all_unix_sockets = true;
	spec.exec_deny_writable = true;
	spec.learn = true;
	spec.root = ROOT_HOST;
	spec.home = HOME_HOST;
	spec.net = NET_OPEN;
	assert_int_equal(tier_check(&spec, &plan, LACK_MOUNTS, &err), -EOPNOTSUPP);
	for (const char *const *w =
		     (const char *const[]){ "publish", "unix sockets", "deny-writable",
					    "--root host", "--home host", "--net open",
					    "berm learn", NULL };
	     *w; w++)
		assert_non_null(strstr(err.msg, *w));
	assert_null(strstr(err.msg, "github.com"));
}

static unsigned lack(enum stage stage, int err)
{
	return failure_lack(&(struct fail_record){ FAIL_MAGIC, stage, err, -1 });
}

static void test_failures(void **state)
{
	(void)state;
	assert_int_equal(lack(STAGE_CLONE, EPERM), LACK_USERNS);
	assert_int_equal(lack(STAGE_CLONE, ENOSYS), LACK_USERNS);
	assert_int_equal(lack(STAGE_CLONE, EAGAIN), 0); /* too many processes: no trait of a host */
	assert_int_equal(lack(STAGE_IDMAP, EPERM), LACK_MOUNTS);
	assert_int_equal(lack(STAGE_ROOT, EACCES), LACK_MOUNTS);
	assert_int_equal(lack(STAGE_USERNS_LIMIT, EROFS), LACK_LIMIT);
	assert_int_equal(lack(STAGE_FRESH_PROC, EPERM), LACK_PROC);
	assert_int_equal(lack(STAGE_FRESH_PROC, ENOMEM), 0);
	assert_int_equal(lack(STAGE_PROC, EPERM), 0);
	assert_int_equal(lack(STAGE_USERNS, ENOSPC), LACK_INNER);
	assert_int_equal(lack(STAGE_LANDLOCK, EOPNOTSUPP), LACK_LANDLOCK);
	assert_int_equal(lack(STAGE_LANDLOCK, ENOENT), 0); /* a tree, not the kernel */
	assert_int_equal(lack(STAGE_SECCOMP, EBUSY), LACK_LISTENER);
	/* What a workspace can bring about is no trait of the host. */
	for (int e = 1; e < 134; e++) {
		assert_int_equal(lack(STAGE_STEP, e), 0);
		assert_int_equal(lack(STAGE_EXEC, e), 0);
		assert_int_equal(lack(STAGE_TREES, e), 0);
		assert_int_equal(lack(STAGE_WORKDIR, e), 0);
	}
	assert_int_equal(failure_lack(&(struct fail_record){ 1, STAGE_CLONE, EPERM, -1 }), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),	   cmocka_unit_test(test_worst_counts),
		cmocka_unit_test(test_names),	   cmocka_unit_test(test_check),
		cmocka_unit_test(test_check_flat), cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
