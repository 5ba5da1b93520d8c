/* SPDX-License-Identifier: Apache-2.0 */
/* net_judge() and its kin on policies given as text, and the text itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "policy/net.h"

/* Rules stand strongest first, as the steward writes them. */
static struct net_policy *policy(const char *mode, const char *fallback, bool managed_only,
				 const char *rules)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 16);
	struct net_policy *p = NULL;
	struct berm_err err = { 0 };

	(void)buf_addf(&b, "berm-net 1\nmode\t%s\ndefault\t%s\nmanaged-only\t%d\n%send\n", mode,
		       fallback, managed_only, rules);
	if (net_policy_read(b.data, b.len, &p, &err) < 0)
		fail_msg("%s: %s", rules, err.msg);
	return p;
}

#define RULE(what, layer, flags, pattern)                                                        \
	"rule\t" what "\t" layer "\t" flags "\t7\t" pattern "\tf.json\t" what "-domain " pattern \
	"\n"
#define USER_ "1"
#define PROJECT_ "2"
#define LOCAL_ "3"
#define CLI_ "4"
#define MANAGED_ "5"
#define BUILTIN_ "0"

static struct net_verdict judge(const struct net_policy *p, const char *host, unsigned port)
{
	struct net_verdict v;
	struct host h;

	assert_int_equal(host_parse(host, strlen(host), &h), 0);
	net_judge(p, &h, (uint16_t)port, &v);
	assert_non_null(v.reason);
	return v;
}

#define ALLOW VERDICT_ALLOW
#define DENY VERDICT_DENY
#define ASK VERDICT_ASK

/* ---- one policy, many hosts --------------------------------------------- */

static const char rules[] = RULE("deny", BUILTIN_, "f-", "fixed.test") RULE(
	"deny", MANAGED_, "--", "managed.test") RULE("ask", MANAGED_, "-a", "*.asked.test")
	RULE("allow", CLI_, "--", "fixed.test") RULE("allow", CLI_, "--", "managed.test") RULE(
		"allow", CLI_, "--", "exact.test:22") RULE("allow", CLI_, "--",
							   "10.1.0.0/16") RULE("allow", CLI_, "--",
									       "127.0.0.1:5432")
		RULE("allow", CLI_, "--", "169.254.169.254") RULE("ask", USER_, "--", "10.3.0.0/16")
			RULE("ask", PROJECT_, "-a", "*.quiet.test") RULE("allow", USER_, "--",
									 "a.asked.test")
				RULE("deny", USER_, "--", "b.asked.test") RULE("deny", USER_, "--",
									       "b.quiet.test")
					RULE("allow", USER_, "--", "a.quiet.test")
						RULE("ask", USER_, "--", "ask.test")
							RULE("deny", USER_, "--", "192.0.2.0/24")
								RULE("allow", BUILTIN_, "--",
								     "*.list.test");

static const struct {
	const char *host;
	unsigned port;
	enum decision allow, closed, open, managed; /* mode allow with default ask, with deny; open;
							managed only */
} cases[] = {
	{ "fixed.test", 443, DENY, DENY, DENY, DENY },
	{ "managed.test", 443, DENY, DENY, DENY, DENY },
	{ "exact.test", 22, ALLOW, ALLOW, ALLOW, ALLOW },
	{ "exact.test", 23, ASK, DENY, ALLOW, DENY },
	{ "unknown.test", 443, ASK, DENY, ALLOW, DENY },
	{ "x.list.test", 1, ALLOW, ALLOW, ALLOW, ALLOW },
	{ "list.test", 1, ASK, DENY, ALLOW, DENY },
	/* an ask that may only tighten */
	{ "a.asked.test", 443, ASK, ASK, ASK, DENY },
	{ "b.asked.test", 443, DENY, DENY, DENY, DENY },
	{ "c.asked.test", 443, ASK, DENY, ASK, DENY },
	{ "a.quiet.test", 443, ASK, ASK, ASK, DENY },
	{ "b.quiet.test", 443, DENY, DENY, DENY, DENY },
	{ "ask.test", 443, ASK, ASK, ASK, DENY },
	/* addresses */
	{ "8.8.8.8", 53, ASK, DENY, ALLOW, DENY },
	{ "192.0.2.1", 443, DENY, DENY, DENY, DENY },
	{ "64:ff9b::192.0.2.1", 443, DENY, DENY, DENY, DENY },
	{ "2002:c000:201::", 443, DENY, DENY, DENY, DENY },
	{ "10.1.2.3", 443, ALLOW, ALLOW, ALLOW, ALLOW },
	{ "10.2.2.3", 443, ASK, DENY, DENY, DENY },
	{ "64:ff9b::10.1.2.3", 443, ASK, DENY, DENY, DENY },
	{ "10.3.2.3", 443, ASK, ASK, ASK, DENY },
	{ "fd00::1", 443, ASK, DENY, DENY, DENY },
	{ "127.0.0.1", 5432, ALLOW, ALLOW, ALLOW, ALLOW },
	{ "127.0.0.1", 5433, DENY, DENY, DENY, DENY },
	{ "::1", 5432, DENY, DENY, DENY, DENY },
	{ "169.254.169.254", 80, DENY, DENY, DENY, DENY },
	{ "2852039166", 80, DENY, DENY, DENY, DENY },
	{ "224.0.0.1", 80, DENY, DENY, DENY, DENY },
};

static void test_judge(void **state)
{
	struct net_policy *p[] = { policy("allow", "ask", false, rules),
				   policy("allow", "deny", false, rules),
				   policy("open", "ask", false, rules),
				   policy("allow", "ask", true, rules),
				   policy("off", "ask", false, rules) };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const enum decision want[] = { cases[i].allow, cases[i].closed, cases[i].open,
					       cases[i].managed, DENY };

		for (size_t k = 0; k < ARRAY_SIZE(p); k++) {
			struct net_verdict v = judge(p[k], cases[i].host, cases[i].port);

			if (v.decision != want[k])
				fail_msg("%s:%u, policy %zu: %d (%s)", cases[i].host, cases[i].port,
					 k, v.decision, v.reason);
			if (v.rule && v.decision != DENY)
				assert_int_equal(v.rule->decision, v.decision);
		}
	}
	for (size_t k = 0; k < ARRAY_SIZE(p); k++)
		net_policy_free(p[k]);
}

/* ---- addresses that names lead to --------------------------------------- */

static const struct {
	const char *host, *address;
	unsigned port;
	const char *reason;
} addresses[] = {
	{ "x.list.test", "203.0.113.9", 443, NULL },
	{ "x.list.test", "192.0.2.1", 443, "denied by a rule" },
	{ "x.list.test", "64:ff9b::192.0.2.1", 443, "denied by a rule" },
	{ "x.list.test", "10.2.0.1", 443, "private" },
	{ "x.list.test", "10.1.0.1", 443, NULL }, /* the network is allowed as such */
	{ "exact.test", "10.2.0.1", 22, NULL },	  /* an exact name of the command line */
	{ "exact.test", "fd00::1", 22, NULL },
	{ "exact.test", "100.64.0.1", 22, NULL },
	{ "exact.test", "169.254.169.254", 22, "cloud metadata" },
	{ "exact.test", "fd00:ec2::254", 22, "cloud metadata" },
	{ "exact.test", "127.0.0.1", 22, "loopback" },
	{ "exact.test", "127.0.0.1", 5432, NULL }, /* an address rule names it */
	{ "exact.test", "::1", 22, "loopback" },
	{ "exact.test", "::ffff:127.0.0.1", 22, "loopback" },
	{ "exact.test", "0.0.0.0", 22, "this host" },
	{ "exact.test", "64:ff9b::127.0.0.1", 22, "loopback" },
	{ "project.test", "10.2.0.1", 443, "private" },
	{ "builtin.test", "10.2.0.1", 443, "private" },
	{ "local.test", "10.2.0.1", 443, NULL },
	{ "user.test", "10.2.0.1", 443, NULL },
	{ "x.user.test", "10.2.0.1", 443, "private" },
	{ "unknown.test", "10.2.0.1", 443, "private" }, /* somebody was asked */
	{ "unknown.test", "203.0.113.9", 443, NULL },
};

static void test_addresses(void **state)
{
	_cleanup_free_ char *more = str_printf(
		"%s%s%s%s%s%s", rules, RULE("allow", PROJECT_, "--", "project.test"),
		RULE("allow", LOCAL_, "--", "local.test"), RULE("allow", USER_, "--", "user.test"),
		RULE("allow", USER_, "--", "*.user.test"),
		RULE("allow", BUILTIN_, "--", "builtin.test"));
	struct net_policy *p = policy("allow", "ask", false, more);

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		struct net_verdict v = judge(p, addresses[i].host, addresses[i].port);
		const char *why, *want = addresses[i].reason;
		struct host h;

		assert_int_equal(host_parse(addresses[i].address, strlen(addresses[i].address), &h),
				 0);
		why = net_judge_address(p, &v, &h.ip, (uint16_t)addresses[i].port);
		if (!why != !want || (why && !strstr(why, want)))
			fail_msg("%s at %s: %s", addresses[i].host, addresses[i].address,
				 why ? why : "allowed");
	}
	net_policy_free(p);
}

/* A mapped address as it comes from the kernel, not from host_parse(). */
static void test_mapped(void **state)
{
	struct net_policy *p = policy("open", "ask", false, "");
	struct ip_addr ip = { .v6 = 1,
			      .bytes = { [10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1 } };
	struct net_verdict v = judge(p, "unknown.test", 443);

	assert_int_equal(v.decision, ALLOW);
	assert_string_equal(net_judge_address(p, &v, &ip, 443), "loopback");
	net_policy_free(p);
}

/* ---- grants ------------------------------------------------------------- */

static void test_grant(void **state)
{
	static const struct {
		const char *host, *grant;
		unsigned port;
	} t[] = {
		{ "unknown.test", "--allow-domain unknown.test:22", 22 },
		{ "b.asked.test", "--allow-domain b.asked.test:1", 1 },
		{ "8.8.8.8", "--allow-domain 8.8.8.8:53", 53 },
		{ "2606:4700::1", "--allow-domain [2606:4700::1]:53", 53 },
		{ "127.0.0.1", "--allow-domain 127.0.0.1:1", 1 },
		{ "fixed.test", "", 443 },
		{ "managed.test", "", 443 },
		{ "169.254.169.254", "", 443 },
		{ "x.list.test", "", 443 },
	};
	struct net_policy *p = policy("allow", "ask", false, rules);
	struct net_policy *only = policy("allow", "ask", true, rules),
			  *off = policy("off", "ask", false, rules);
	char text[512], tiny[8];

	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		struct net_verdict v = judge(p, t[i].host, t[i].port);
		struct host h;

		assert_int_equal(host_parse(t[i].host, strlen(t[i].host), &h), 0);
		net_grant(p, &h, (uint16_t)t[i].port, &v, text, sizeof(text));
		assert_string_equal(text, t[i].grant);
		net_grant(p, &h, (uint16_t)t[i].port, &v, tiny, sizeof(tiny));
		assert_string_equal(tiny, "");
		v = judge(only, t[i].host, t[i].port);
		net_grant(only, &h, (uint16_t)t[i].port, &v, text, sizeof(text));
		assert_string_equal(text, "");
		v = judge(off, t[i].host, t[i].port);
		net_grant(off, &h, (uint16_t)t[i].port, &v, text, sizeof(text));
		assert_true(streq(text, "--net allow") || !*t[i].grant);
	}
	net_policy_free(p);
	net_policy_free(only);
	net_policy_free(off);
}

/* ---- text --------------------------------------------------------------- */

static void test_round_trip(void **state)
{
	static const char odd[] =
		"rule\tallow\t4\t--\t4294967295\t[2001:db8::/32]:1-9\ta%09b%25c%0a\xc3\xbc.json\tx y%7f\n";
	_cleanup_free_ char *all = str_printf("%s%s", rules, odd);
	struct net_policy *p = policy("open", "deny", true, all), *back = NULL;
	_cleanup_buf_ struct buf a = BUF_INIT(1u << 16), b = BUF_INIT(1u << 16);
	const struct net_rule *last = &p->rules[p->n_rules - 1];
	struct berm_err err = { 0 };

	assert_string_equal(last->origin.file, "a\tb%c\n\xc3\xbc.json");
	assert_string_equal(last->text, "x y\x7f");
	assert_int_equal(last->origin.line, UINT32_MAX);
	assert_int_equal(net_policy_write(p, &a), 0);
	assert_int_equal(net_policy_read(a.data, a.len, &back, &err), 0);
	assert_int_equal(back->n_rules, p->n_rules);
	assert_int_equal(back->mode, NET_OPEN);
	assert_int_equal(back->fallback, DENY);
	assert_true(back->managed_only);
	assert_int_equal(net_policy_write(back, &b), 0);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
	assert_non_null(strstr(a.data, odd));
	/* too small a buffer is told */
	{
		_cleanup_buf_ struct buf small = BUF_INIT(64);

		assert_true(net_policy_write(p, &small) < 0);
	}
	net_policy_free(p);
	net_policy_free(back);
}

#define HEAD "berm-net 1\nmode\tallow\ndefault\task\nmanaged-only\t0\n"

static void test_bad_text(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"berm-net 2\nmode\tallow\ndefault\task\nmanaged-only\t0\nend\n",
		"berm-net 1\nmode\tall\ndefault\task\nmanaged-only\t0\nend\n",
		"berm-net 1\nmode\tallow\ndefault\tallow\nmanaged-only\t0\nend\n",
		"berm-net 1\nmode\tallow\ndefault\task\nmanaged-only\t2\nend\n",
		"berm-net 1\ndefault\task\nmode\tallow\nmanaged-only\t0\nend\n",
		"berm-net 1\nmode\tallow\nend\n",
		HEAD,
		HEAD "end",
		HEAD "end\nend\n",
		HEAD "end\n\n",
		HEAD "\nend\n",
		HEAD "something\nend\n",
		HEAD "rule\nend\n",
		HEAD "rule\tallow\t0\t--\t1\ta.b\tf\nend\n",
		HEAD "rule\tallow\t0\t--\t1\ta.b\tf\tt\tx\nend\n",
		HEAD "rule\tperhaps\t0\t--\t1\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t6\t--\t1\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t-1\t--\t1\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t0\t---\t1\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t0\tx-\t1\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t0\t-f\t1\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t0\t--\t4294967296\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t0\t--\t\ta.b\tf\tt\nend\n",
		HEAD "rule\tallow\t0\t--\t1\t*a.b\tf\tt\nend\n",
		HEAD "rule\tallow\t0\t--\t1\ta.b\tf%\tt\nend\n",
		HEAD "rule\tallow\t0\t--\t1\ta.b\tf%0\tt\nend\n",
		HEAD "rule\tallow\t0\t--\t1\ta.b\tf%00\tt\nend\n",
		HEAD "rule\tallow\t0\t--\t1\ta.b\tf%GG\tt\nend\n",
	};
	struct net_policy *p = NULL;
	struct berm_err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (net_policy_read(bad[i], strlen(bad[i]), &p, &err) >= 0)
			fail_msg("taken: %s", bad[i]);
		assert_null(p);
		assert_true(err.msg[0]);
	}
	assert_true(net_policy_read(HEAD "end\n\0", sizeof(HEAD "end\n"), &p, &err) < 0);
	assert_int_equal(net_policy_read(HEAD "end\n", strlen(HEAD "end\n"), &p, &err), 0);
	assert_int_equal(p->n_rules, 0);
	net_policy_free(p);
}

/* Cut anywhere, the text is no policy. */
static void test_cut(void **state)
{
	struct net_policy *p = policy("allow", "ask", false, rules), *none = NULL;
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 16);

	assert_int_equal(net_policy_write(p, &b), 0);
	for (size_t n = 0; n < b.len; n++)
		assert_true(net_policy_read(b.data, n, &none, NULL) < 0);
	net_policy_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judge),	   cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_mapped),	   cmocka_unit_test(test_grant),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_bad_text),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
