/* SPDX-License-Identifier: Apache-2.0 */
/* The steward reads settings again: rules about hosts are live, what is wrong leaves the old
 * ones in force, and lasting answers are written where they are found. */
#include "steward_stage.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "policy_fixture.h"

static struct machine machine;
static int control; /* our end */

static int up(void **state)
{
	struct stage *s;

	machine_up(&machine);
	put(&machine, "config/policy.json",
	    "{ // mine\n  \"network\": { \"allow\": [\"good.test\"] }\n}\n");
	machine.in.net = NET_ALLOW;
	(void)stage_up(state);
	s = *state;
	/* In place of the stage's own rules: those of the machine's settings. */
	(void)resolve(&machine);
	s->spec = *machine.spec;
	s->spec.network.ask_seconds = 60;
	s->session->input = &machine.in;
	return 0;
}

static int down(void **state)
{
	(void)stage_down(state);
	machine_down(&machine);
	return 0;
}

static void test_new_rules(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	put(&machine, "config/policy.json",
	    "{ \"network\": { \"allow\": [\"good.test\", \"later.test\"] } }");
	hears_config(s, "later.test");
	is_told(s, REC_POLICY);
	assert_int_equal(told.err, 0);
	/* They are in force here too. */
	say_ask(s, 1, "later.test", 443);
	hears_answer(s, 1, VERDICT_ALLOW, EG_ONCE);
}

static void test_broken_rules(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	put(&machine, "config/policy.json", "{ \"network\": { \"permit\": [] } }");
	is_told(s, REC_POLICY);
	assert_int_not_equal(told.err, 0);
	assert_non_null(strstr(told_text[5], "permit"));
	say_ask(s, 1, "good.test", 443);
	hears_answer(s, 1, VERDICT_ALLOW, EG_ONCE);
}

/* A folder that was not there at the start. */
static void test_late_folder(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	put(&machine, "etc/managed.d/late.json", "{ \"network\": { \"deny\": [\"good.test\"] } }");
	is_told(s, REC_POLICY);
	assert_int_equal(told.err, 0);
	hears_config(s, "good.test");
	say_ask(s, 1, "good.test", 443);
	hears_answer(s, 1, VERDICT_DENY, EG_ONCE);
}

#define UPDATE(where) \
	"{\"behavior\":\"allow\",\"updatedPermissions\":[{\"destination\":\"" where "\"}]}"

static void says(const char *rel, const char *want)
{
	_cleanup_free_ char *text = NULL;

	if (fd_read_file(AT_FDCWD, at(&machine, rel), 65536, &text, NULL) < 0)
		fail_msg("%s is not there", rel);
	assert_string_equal(text, want);
}

static void test_always(void **state)
{
	struct stage *s = *state;
	struct stat st;

	assert_int_equal(chmod(at(&machine, "config/policy.json"), 0600), 0);
	first_packet(s);
	say_ask(s, 1, "new.test", 22);
	client_hears(s, "new.test");
	client_says(s, 1, UPDATE("userSettings"));
	hears_config(s, "new.test");
	hears_answer(s, 1, VERDICT_ALLOW, EG_SESSION);
	says("config/policy.json",
	     "{ // mine\n  \"network\": { \"allow\": [\"good.test\", \"new.test:22\"] }\n}\n");
	assert_int_equal(stat(at(&machine, "config/policy.json"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	is_told(s, REC_ASKED);
	is_told(s, REC_POLICY);
	is_told(s, REC_ANSWERED);
	assert_int_equal(told.err, HOLD_USER);
}

/* The workspace is no repository: the file counts because its content is trusted. */
static void test_always_here(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	say_ask(s, 1, "new.test", 443);
	client_hears(s, "new.test");
	client_says(s, 1, UPDATE("localSettings"));
	hears_config(s, "new.test");
	hears_answer(s, 1, VERDICT_ALLOW, EG_SESSION);
	says("ws/.berm/policy.local.json",
	     "{\n  \"network\": { \"allow\": [\"new.test:443\"] }\n}\n");
	say_ask(s, 2, "other.test", 443);
	client_hears(s, "other.test");
	client_says(s, 2,
		    "{\"behavior\":\"deny\",\"updatedPermissions\":[{\"destination\":"
		    "\"localSettings\"}]}");
	hears_config(s, "other.test");
	hears_answer(s, 2, VERDICT_DENY, EG_SESSION);
	(void)resolve(&machine);
	assert_int_equal(machine.spec->n_roots, 1);
}

/* Somebody else's local file is not written into. */
static void test_not_ours(void **state)
{
	struct stage *s = *state;

	put(&machine, "ws/.berm/policy.local.json", "{}");
	first_packet(s);
	say_ask(s, 1, "new.test", 443);
	client_hears(s, "new.test");
	client_says(s, 1, UPDATE("localSettings"));
	hears_answer(s, 1, VERDICT_ALLOW, EG_SESSION);
	is_told(s, REC_ASKED);
	is_told(s, REC_POLICY);
	assert_non_null(strstr(told_text[5], "not kept"));
	is_told(s, REC_ANSWERED);
	assert_int_equal(told.err, HOLD_SESSION);
	says("ws/.berm/policy.local.json", "{}");
}

/* Who may read the folder can lock it: the answer is not kept, and all goes on. */
static void test_lock_held(void **state)
{
	struct stage *s = *state;
	_cleanup_close_ int fd = -1;

	put_dir(&machine, "ws/.berm");
	fd = open(at(&machine, "ws/.berm"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	first_packet(s);
	say_ask(s, 1, "new.test", 443);
	client_hears(s, "new.test");
	client_says(s, 1, UPDATE("localSettings"));
	hears_answer(s, 1, VERDICT_ALLOW, EG_SESSION);
	is_told(s, REC_ASKED);
	is_told(s, REC_POLICY);
	assert_non_null(strstr(told_text[5], "not kept"));
	is_told(s, REC_ANSWERED);
	assert_int_equal(told.err, HOLD_SESSION);
}

static void test_no_link(void **state)
{
	struct stage *s = *state;

	put_dir(&machine, "elsewhere");
	put_link(&machine, "ws/.berm", "../elsewhere");
	first_packet(s);
	say_ask(s, 1, "new.test", 443);
	client_hears(s, "new.test");
	client_says(s, 1, UPDATE("localSettings"));
	hears_answer(s, 1, VERDICT_ALLOW, EG_SESSION);
	assert_int_equal(access(at(&machine, "elsewhere/policy.local.json"), F_OK), -1);
}

/* What changed while nobody watched: before the first packet. */
static void test_changed_before(void **state)
{
	struct stage *s = *state;

	put(&machine, "config/policy.json", "{ \"network\": { \"deny\": [\"good.test\"] } }");
	first_packet(s);
	say_ask(s, 1, "good.test", 443);
	hears_answer(s, 1, VERDICT_DENY, EG_ONCE);
}

/* ---- the control descriptor ------------------------------------------------------ */

static int control_up(void **state)
{
	struct stage *s;
	int fd[2];

	(void)up(state);
	s = *state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd), 0);
	control = fd[0];
	s->session->control = fd[1];
	return 0;
}

static int control_down(void **state)
{
	(void)close(control);
	return down(state);
}

static void tells(const char *line, const char *answer)
{
	char got[2048];
	ssize_t n;

	assert_true(write(control, line, strlen(line)) == (ssize_t)strlen(line));
	n = receive(control, got, sizeof(got) - 1);
	assert_true(n > 0);
	got[n] = '\0';
	if (!strstr(got, answer))
		fail_msg("%s -> %s", line, got);
}

static void test_control(void **state)
{
	struct stage *s = *state;
	static const char early[] = "{\"id\":1,\"deny_domain\":\"good.test\"}\n";

	/* Before anybody listens: it holds for the first packet. */
	assert_true(write(control, early, sizeof(early) - 1) == (ssize_t)sizeof(early) - 1);
	first_packet(s);
	say_ask(s, 1, "good.test", 443);
	hears_answer(s, 1, VERDICT_DENY, EG_ONCE);
	tells("", "{\"id\":1,\"ok\":true}");
	tells("{\"id\":2,\"allow_domain\":\"now.test:22\"}\n", "{\"id\":2,\"ok\":true}");
	hears_config(s, "now.test");
	say_ask(s, 2, "now.test", 22);
	hears_answer(s, 2, VERDICT_ALLOW, EG_ONCE);
	/* Mistakes change nothing and are told. */
	tells("{\"id\":3,\"allow_domain\":\"a*b.*.test\"}\n", "{\"id\":3,\"ok\":false");
	tells("{\"id\":4,\"allow_domain\":\"x.test\",\"deny_domain\":\"y.test\"}\n",
	      "{\"id\":4,\"ok\":false");
	tells("nonsense\n", "{\"ok\":false");
	tells("{\"reload\":true}\n", "{\"ok\":true}");
	say_ask(s, 3, "now.test", 22);
	hears_answer(s, 3, VERDICT_ALLOW, EG_ONCE);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_new_rules),
		TEST(test_broken_rules),
		TEST(test_late_folder),
		TEST(test_always),
		TEST(test_always_here),
		TEST(test_not_ours),
		TEST(test_no_link),
		TEST(test_lock_held),
		TEST(test_changed_before),
		cmocka_unit_test_setup_teardown(test_control, control_up, control_down),
	};

	if (argc == 1 && streq(argv[0], "berm-egress"))
		stage_broker();
	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
