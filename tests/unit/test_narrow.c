/* SPDX-License-Identifier: Apache-2.0 */
/* A spec that is narrowed allows nothing that it did not allow before, whatever is asked for. */
#include "policy_fixture.h"

#include <string.h>
#include <unistd.h>

#include "policy/narrow.h"
#include "policy/net.h"
#include "session/inside.h"

#include "prng.h"

static const char *const paths[] = {
	"ws/a",
	"ws/a.txt",
	"ws/src",
	"ws/src/a",
	"ws/src/a.txt",
	"ws/src/deep/x.c",
	"ws/.env",
	"ws/src/.env",
	"ws/open/.env",
	"ws/open/a.key",
	"ws/closed/a",
	"ws/closed/b/c",
	"ws/repo/.git/config",
	"ws/repo/x",
	"ws/node_modules/p/a.pem",
	"ws/tool",
	"other/a",
	"granted/a",
	"granted/b/a",
	"shown/a",
	"shown/secret/x",
	"/usr/bin/env",
	"/etc/passwd",
	"/tmp/x",
	"home/x",
};

static const char *const patterns[] = {
	"a",	   "*.txt",	   "**/.env",	 "src",	     "src/",	     "src/deep",
	"**/*.c",  "open",	   "**/open/**", "closed/b", "/usr/bin/env", "~/x",
	"granted", "../granted/b", "/",		 "**",	     "repo",	     ".",
};

/* What spec_narrow() leaves where it is, which a test frees. */
struct left {
	char **envp;
	char *workdir, *approver;
	struct net_policy *policy;
};

static struct left leave(const struct spec *s)
{
	return (struct left){ s->envp, s->workdir, s->approver, s->network.policy };
}

static void free_left(struct left *l)
{
	for (char **v = l->envp; v && *v; v++)
		free(*v);
	free(l->envp);
	free(l->workdir);
	free(l->approver);
	net_policy_free(l->policy);
}

static int up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_up(m);
	put_dir(m, "ws/src/deep");
	put_dir(m, "ws/open");
	put_dir(m, "ws/closed/b");
	put_dir(m, "ws/repo/.git");
	put_dir(m, "ws/node_modules/p");
	put_dir(m, "granted/b");
	put_dir(m, "shown/secret");
	put_mode(m, "ws/tool", "#!/bin/sh\n", 0755);
	*state = m;
	return 0;
}

static int down(void **state)
{
	machine_down(*state);
	free(*state);
	return 0;
}

static struct policy_arg outer_args[8];
static char granted[512], shown[512];

/* Rules that allow within what is denied, and deny within what is allowed. */
static void outer(struct machine *m)
{
	size_t n = 0;

	(void)snprintf(granted, sizeof(granted), "%s", at(m, "granted"));
	(void)snprintf(shown, sizeof(shown), "%s", at(m, "shown"));
	outer_args[n++] = (struct policy_arg){ ARG_ALLOW_WRITE, granted };
	outer_args[n++] = (struct policy_arg){ ARG_ALLOW_READ, shown };
	outer_args[n++] = (struct policy_arg){ ARG_ALLOW_WRITE, "**/open/.env" };
	outer_args[n++] = (struct policy_arg){ ARG_DENY_READ, "closed" };
	outer_args[n++] = (struct policy_arg){ ARG_ALLOW_READ, "closed/b" };
	outer_args[n++] = (struct policy_arg){ ARG_DENY_WRITE, "src" };
	outer_args[n++] = (struct policy_arg){ ARG_ALLOW_WRITE, "src/deep" };
	outer_args[n++] = (struct policy_arg){ ARG_DENY_EXEC, "tool" };
	m->in.args = outer_args;
	m->in.n_args = n;
}

static unsigned openness(const struct verdict *v)
{
	return v->decision == VERDICT_ALLOW ? 2 : v->decision == VERDICT_ASK ? 1 : 0;
}

#define N_PATHS ARRAY_SIZE(paths)

static void judge_all(struct machine *m, unsigned char *ret)
{
	static const enum file_type types[] = { FT_NONE, FT_REG, FT_DIR };

	for (size_t p = 0; p < N_PATHS; p++)
		for (int op = 0; op < OP_COUNT; op++)
			for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
				struct verdict v = judge(m, (enum file_op)op, paths[p], types[t]);

				*ret++ = (unsigned char)openness(&v);
			}
}

static int narrow(struct machine *m, struct left *left, const struct narrowing *asked)
{
	struct narrowing n = *asked;

	*left = leave(m->spec);
	n.cwd = at(m, "ws");
	return spec_narrow(m->spec, &n, left->policy, NULL, NULL, &m->err);
}

/* Of what could not be narrowed some is replaced already: freed by who has it now. */
static void undo(struct machine *m, struct left *left)
{
	const struct spec *s = m->spec;

	if (s->envp == left->envp)
		left->envp = NULL;
	if (s->workdir == left->workdir)
		left->workdir = NULL;
	if (s->approver == left->approver)
		left->approver = NULL;
	if (s->network.policy == left->policy)
		left->policy = NULL;
	free_left(left);
}

static void test_never_wider(void **state)
{
	static unsigned char before[N_PATHS * OP_COUNT * 3], after[sizeof(before)];
	struct machine *m = *state;
	struct prng seed = { 4 };
	size_t narrower = 0, done = 0;

	outer(m);
	for (int round = 0; round < 150; round++) {
		struct policy_arg args[4];
		struct narrowing n = { .args = args, .n_args = prng_below(&seed, 4) };
		struct left left;

		for (size_t i = 0; i < n.n_args; i++) {
			static const enum policy_arg_kind kinds[] = { ARG_DENY_READ, ARG_DENY_WRITE,
								      ARG_DENY_EXEC };

			args[i].kind = kinds[prng_below(&seed, 3)];
			args[i].pattern = patterns[prng_below(&seed, ARRAY_SIZE(patterns))];
		}
		if (prng_below(&seed, 4) == 0)
			n.mode = MODE_REVIEW;
		n.net_off = prng_below(&seed, 2);
		resolve(m);
		judge_all(m, before);
		if (narrow(m, &left, &n) >= 0) {
			judge_all(m, after);
			done++;
			for (size_t i = 0; i < sizeof(before); i++) {
				if (after[i] > before[i])
					fail_msg("round %d: %s opened", round,
						 paths[i / OP_COUNT / 3]);
				narrower += after[i] < before[i];
			}
		}
		undo(m, &left);
	}
	assert_true(done > 100);
	assert_true(narrower > 1000);
}

static void test_denies(void **state)
{
	static const struct policy_arg args[] = { { ARG_DENY_READ, "a" },
						  { ARG_DENY_WRITE, "src/deep" },
						  { ARG_DENY_EXEC, "/usr/bin/env" } };
	struct machine *m = *state;
	struct narrowing n = { .args = args, .n_args = ARRAY_SIZE(args) };
	struct left left;
	char session[32];

	outer(m);
	resolve(m);
	(void)snprintf(session, sizeof(session), "%s", m->spec->session);
	assert_int_equal(judge(m, OP_READ, "ws/a", FT_REG).err, 0);
	assert_int_equal(judge(m, OP_CREATE, "ws/src/deep/new", FT_REG).err, 0);
	assert_int_equal(narrow(m, &left, &n), 0);
	assert_int_equal(judge(m, OP_READ, "ws/a", FT_REG).err, EACCES);
	assert_true(m->spec->read_deny);
	assert_int_equal(judge(m, OP_CREATE, "ws/src/deep/new", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_READ, "ws/src/deep/new", FT_REG).err, 0);
	assert_int_equal(judge(m, OP_EXEC, "/usr/bin/env", FT_REG).err, EACCES);
	assert_string_not_equal(m->spec->session, session);
	assert_string_equal(m->spec->approver, "none");
	assert_true(m->spec->fail_if_unavailable);
	undo(m, &left);
}

static void test_only_denials(void **state)
{
	static const enum policy_arg_kind kinds[] = { ARG_ALLOW_READ, ARG_ALLOW_WRITE, ARG_ASK,
						      ARG_ALLOW_EXEC, ARG_KEEP };
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct policy_arg arg = { kinds[i], "a" };
		struct narrowing n = { .args = &arg, .n_args = 1 };
		struct left left;

		resolve(m);
		assert_int_equal(narrow(m, &left, &n), -EINVAL);
		undo(m, &left);
	}
}

static void test_mode(void **state)
{
	struct machine *m = *state;
	struct narrowing n = { .mode = MODE_PLAN };
	struct left left;

	resolve(m);
	assert_int_equal(narrow(m, &left, &n), 0);
	assert_int_equal(m->spec->mode, MODE_PLAN);
	assert_int_equal(judge(m, OP_WRITE, "ws/a", FT_REG).err, EROFS);
	assert_int_equal(judge(m, OP_READ, "ws/a", FT_REG).err, 0);
	undo(m, &left);
	/* From one of them there is no way to another. */
	m->in.mode = MODE_REVIEW;
	resolve(m);
	assert_int_equal(narrow(m, &left, &n), -EINVAL);
	undo(m, &left);
	n.mode = MODE_REVIEW;
	resolve(m);
	assert_int_equal(narrow(m, &left, &n), 0);
	undo(m, &left);
}

static enum decision host_verdict(const struct machine *m, const char *name)
{
	struct net_verdict v;
	struct host h;

	assert_int_equal(host_parse(name, strlen(name), &h), 0);
	net_judge(m->spec->network.policy, &h, 443, &v);
	return v.decision;
}

static void test_hosts(void **state)
{
	static const struct policy_net_arg allowed = { VERDICT_ALLOW, "*.example.com" };
	static const char *const denied[] = { "a.example.com", "*.org" };
	static const char *const group[] = { "@git" };
	struct machine *m = *state;
	struct narrowing n = { .hosts = denied, .n_hosts = ARRAY_SIZE(denied) };
	struct left left;

	m->in.net_args = &allowed;
	m->in.n_net_args = 1;
	resolve(m);
	assert_int_equal(host_verdict(m, "a.example.com"), VERDICT_ALLOW);
	assert_int_equal(narrow(m, &left, &n), 0);
	assert_int_equal(host_verdict(m, "a.example.com"), VERDICT_DENY);
	assert_int_equal(host_verdict(m, "b.example.com"), VERDICT_ALLOW);
	assert_int_equal(host_verdict(m, "pypi.org"), VERDICT_DENY);
	undo(m, &left);
	n = (struct narrowing){ .net_off = true };
	resolve(m);
	assert_int_equal(narrow(m, &left, &n), 0);
	assert_int_equal(host_verdict(m, "b.example.com"), VERDICT_DENY);
	assert_int_equal(m->spec->net, NET_OFF);
	undo(m, &left);
	n = (struct narrowing){ .hosts = group, .n_hosts = 1 };
	resolve(m);
	assert_int_equal(narrow(m, &left, &n), -ENOTSUP);
	undo(m, &left);
}

static void test_limits(void **state)
{
	static const char *const outer_limit[] = { "files=500" }, *const higher[] = { "files=900" },
				 *const lower[] = { "files=100" };
	struct machine *m = *state;
	struct narrowing n = { .limits = higher, .n_limits = 1 };
	struct left left;

	m->in.limits = outer_limit;
	m->in.n_limits = 1;
	resolve(m);
	assert_int_equal(narrow(m, &left, &n), 0);
	assert_int_equal((int)m->spec->limits[LIMIT_FILES].value, 500);
	undo(m, &left);
	n.limits = lower;
	resolve(m);
	assert_int_equal(narrow(m, &left, &n), 0);
	assert_int_equal((int)m->spec->limits[LIMIT_FILES].value, 100);
	undo(m, &left);
}

static void test_env(void **state)
{
	static char words[][16] = { "true",	  "FOO=bar",	    "LD_PRELOAD=/x",
				    "HOME=/evil", "BERM_SESSION=x", "BASH_ENV=/x" };
	char *command[] = { words[0], NULL };
	char *vars[] = { words[1], words[2], words[3], words[4], words[5], NULL };
	struct machine *m = *state;
	struct narrowing n = { .cwd = "/tmp/here" };
	struct left left;
	char id[64];

	resolve(m);
	left = leave(m->spec);
	assert_int_equal(spec_narrow(m->spec, &n, left.policy, command, vars, &m->err), 0);
	(void)snprintf(id, sizeof(id), "BERM_SESSION=%s", m->spec->session);
	assert_string_equal(env_of(m->spec, "FOO"), "bar");
	assert_string_not_equal(env_of(m->spec, "HOME"), "/evil");
	assert_string_equal(env_of(m->spec, "BERM_SESSION"), m->spec->session);
	assert_string_equal(env_of(m->spec, "PWD"), "/tmp/here");
	assert_null(env_of(m->spec, "LD_PRELOAD"));
	assert_null(env_of(m->spec, "BASH_ENV"));
	m->spec->argv = NULL; /* borrowed */
	undo(m, &left);
}

static void test_words(void **state)
{
	static const char good[] =
		"r:a b\0w:**\0x:/usr/bin/env\0h:*.org\0l:files=1\0m:plan\0n:\0q:";
	static const char *const bad[] = { "",	 "r",	 "r:",	"ra",  "n:x",	 "q:x", "m:chat",
					   "m:", "m:no", "a:x", "R:x", "\xff:x", "::",	"h:" };
	struct narrowing n;
	bool quiet = false;

	(void)state;
	assert_int_equal(inside_parse(good, 8, &n, &quiet), 0);
	assert_int_equal(n.n_args, 3);
	assert_string_equal(n.args[0].pattern, "a b");
	assert_int_equal(n.args[1].kind, ARG_DENY_WRITE);
	assert_int_equal(n.args[2].kind, ARG_DENY_EXEC);
	assert_int_equal(n.n_hosts, 1);
	assert_int_equal(n.n_limits, 1);
	assert_int_equal(n.mode, MODE_PLAN);
	assert_true(n.net_off && quiet);
	inside_free(&n);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (inside_parse(bad[i], 1, &n, &quiet) != -EPROTO)
			fail_msg("\"%s\" was taken", bad[i]);
	assert_int_equal(inside_parse(good, INSIDE_WORDS_MAX + 1, &n, &quiet), -EPROTO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_never_wider, up, down),
		cmocka_unit_test_setup_teardown(test_denies, up, down),
		cmocka_unit_test_setup_teardown(test_only_denials, up, down),
		cmocka_unit_test_setup_teardown(test_mode, up, down),
		cmocka_unit_test_setup_teardown(test_hosts, up, down),
		cmocka_unit_test_setup_teardown(test_limits, up, down),
		cmocka_unit_test_setup_teardown(test_env, up, down),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
