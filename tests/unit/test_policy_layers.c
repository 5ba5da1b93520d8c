/* SPDX-License-Identifier: Apache-2.0 */
/* Which file counts, how much, and who may loosen. */
#include "policy_fixture.h"

#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#include "policy/explain.h"
#include "policy/layers.h"
#include "policy/trust.h"

static int up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_up(m);
	*state = m;
	return 0;
}

static int down(void **state)
{
	machine_down(*state);
	free(*state);
	return 0;
}

#define USER "config/policy.json"
#define PROJECT "ws/.berm/policy.json"
#define LOCAL "ws/.berm/policy.local.json"
#define MANAGED "etc/managed.json"

static int can_write(struct machine *m, const char *rel)
{
	return judge(m, OP_WRITE, rel, FT_REG).err;
}

/* ---- order of the layers ------------------------------------------------ */

/* An index without entries: git tracks nothing. */
static void git_init(struct machine *m)
{
	put_dir(m, "ws/.git");
}

static void test_order(void **state)
{
	struct policy_arg arg = { ARG_ALLOW_WRITE, "x" };
	struct machine *m = *state;
	struct verdict v;

	git_init(m);
	put(m, USER, "{\"files\": {\"x\": \"read\"}}");
	(void)resolve(m);
	v = judge(m, OP_WRITE, "ws/x", FT_REG);
	assert_int_equal(v.err, EACCES);
	assert_int_equal(v.rule->layer, LAYER_USER);
	assert_string_equal(v.rule->origin.file, at(m, USER));
	assert_int_equal(v.rule->origin.line, 1);
	/* local is stronger than user */
	put(m, LOCAL, "{\n\"files\": {\n\"x\": \"write\"}}");
	put_trust(m, true);
	(void)resolve(m);
	v = judge(m, OP_WRITE, "ws/x", FT_REG);
	assert_int_equal(v.err, 0);
	assert_int_equal(v.rule->origin.line, 3);
	/* a weaker layer never opens what a stronger one closed */
	put(m, LOCAL, "{\"files\": {\"x\": \"read\"}}");
	put_trust(m, true);
	put(m, USER, "{\"files\": {\"x\": \"write\"}}");
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/x"), EACCES);
	/* the command line is stronger still */
	m->in.args = &arg;
	m->in.n_args = 1;
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/x"), 0);
	/* but not than the administrator */
	put(m, MANAGED, "{\"files\": {\"x\": \"read\"}}");
	(void)resolve(m);
	v = judge(m, OP_WRITE, "ws/x", FT_REG);
	assert_int_equal(v.err, EACCES);
	assert_int_equal(v.rule->layer, LAYER_MANAGED);
}

static void test_specificity(void **state)
{
	struct machine *m = *state;

	put(m, USER,
	    "{\"files\": {\"a\": \"read\", \"a/b\": \"write\", \"a/b/c*\": \"none\", \"**"
	    "/t\": \"read\","
	    " \"d/*\": \"read\", \"d/?\": \"write\"}}");
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/a/x"), EACCES);
	assert_int_equal(can_write(m, "ws/a/b/x"), 0);
	assert_int_equal(can_write(m, "ws/a/b/cc"), EACCES);
	assert_int_equal(can_write(m, "ws/a/b/t"), 0);
	assert_int_equal(can_write(m, "ws/q/t"), EACCES);
	/* a tie: the stricter one */
	assert_int_equal(can_write(m, "ws/d/x"), EACCES);
	/* the way to "a/b" leads through a protected folder */
	assert_int_equal(judge(m, OP_RENAME_FROM, "ws/a", FT_DIR).err, EACCES);
}

static void test_managed(void **state)
{
	struct policy_arg args[] = { { ARG_ALLOW_WRITE, "secret" }, { ARG_ALLOW_READ, "hidden" } };
	const char *names[] = { "shell-rc" };
	struct machine *m = *state;

	put(m, MANAGED,
	    "{\"files\": {\"secret\": \"read\", \"hidden\": \"none\", \"open\": \"write\"},"
	    "\"home\": \"private\", \"mode\": \"plan\"}");
	put(m, "etc/managed.d/20-more.json", "{\"profile\": \"strict\"}");
	put(m, "etc/managed.d/ignored.txt", "not json");
	put(m, USER, "{\"files\": {\"open\": \"read\"}}");
	m->in.args = args;
	m->in.n_args = 2;
	m->in.mode = MODE_CHAT;
	m->in.home = HOME_HOST;
	m->in.profile = "terminal";
	m->in.unprotect = names;
	m->in.n_unprotect = 1;
	(void)resolve(m);
	assert_string_equal(m->spec->profile, "strict");
	assert_int_equal(m->spec->mode, MODE_PLAN);
	assert_int_equal(m->spec->home, HOME_PRIVATE);
	assert_true(m->spec->exec_deny_writable);
	assert_int_equal(judge(m, OP_READ, "ws/hidden", FT_REG).err, EACCES);
	put(m, MANAGED,
	    "{\"files\": {\"secret\": \"read\", \"open\": \"write\"}, \"home\": \"host\","
	    "\"mode\": \"chat\", \"fail_if_unavailable\": false}");
	assert_int_equal(unlink(at(m, "etc/managed.d/20-more.json")), 0);
	m->in.home = HOME_PRIVATE;
	m->in.mode = MODE_CHAT;
	m->in.profile = NULL;
	(void)resolve(m);
	/* managed only tightens: its "host" and "write" open nothing that others closed */
	assert_int_equal(m->spec->home, HOME_PRIVATE);
	assert_true(m->spec->fail_if_unavailable);
	assert_int_equal(can_write(m, "ws/open"), EACCES);
	assert_int_equal(can_write(m, "ws/secret"), EACCES);
	assert_int_equal(can_write(m, "ws/.bashrc"), 0);
	assert_true(has_note(m->spec, "protections lifted: shell-rc"));
	/* and its mistakes stop the run */
	put(m, "etc/managed.d/30-bad.json", "{\"files\": {\"x\": \"rw\"}}");
	resolve_fails(m, "30-bad.json:1:");
	put_mode(m, "etc/managed.d/30-bad.json", "{}", 0666);
	resolve_fails(m, "others can write");
}

static void test_profile_strength(void **state)
{
	struct machine *m = *state;

	put(m, USER, "{\"exec\": {\"deny_writable\": false}, \"home\": \"host\"}");
	m->in.profile = "strict";
	(void)resolve(m);
	/* a weaker layer does not hollow out the profile */
	assert_true(m->spec->exec_deny_writable);
	assert_int_equal(m->spec->home, HOME_PRIVATE);
	m->in.profile = NULL;
	(void)resolve(m);
	assert_false(m->spec->exec_deny_writable);
	assert_int_equal(m->spec->home, HOME_HOST);
	put(m, USER, "{\"profile\": \"strict\", \"exec\": {\"deny_writable\": false}}");
	(void)resolve(m);
	assert_false(m->spec->exec_deny_writable); /* its own author says so */
	put(m, USER, "{\"exec\": {\"deny_writable\": true}}");
	m->in.profile = "agent";
	(void)resolve(m);
	assert_true(m->spec->exec_deny_writable);
}

/* ---- projects and trust ------------------------------------------------- */

static const char loose[] =
	"{\n"
	"\"files\": {\"ok.key\": \"write\", \"closed\": \"read\", \"gone\": \"none\"},\n"
	"\"home\": \"host\", \"root\": \"host\",\n"
	"\"env\": {\"pass\": [\"SECRET_ONE\"], \"set\": {\"A\": \"b\"}, \"unset\": [\"LANG\"]},\n"
	"\"ignore_violations\": [\"*\"], \"fail_if_unavailable\": false,\n"
	"\"terminal_filter\": false,\n"
	"\"exec\": {\"rules\": {\"/usr/bin/sudo\": \"allow\", \"x.sh\": \"deny\"}},\n"
	"\"limits\": {\"files\": 100, \"pids\": 1000000, \"memory\": \"none\", \"time\": \"1m\"}\n"
	"}";
static char *environ_[] = { (char[]){ "SECRET_ONE=1" }, (char[]){ "LANG=C" }, NULL };

static void check_loose(struct machine *m, bool trusted)
{
	const struct spec *s = resolve(m);

	/* what closes holds in any case */
	assert_int_equal(can_write(m, "ws/closed"), EACCES);
	assert_int_equal(judge(m, OP_READ, "ws/gone", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_EXEC, "ws/x.sh", FT_REG).err, EACCES);
	assert_null(env_of(s, "LANG"));
	assert_int_equal(s->limits[LIMIT_FILES].value, 100);
	/* A project may lower what holds anyway, not more. */
	assert_int_equal(s->limits[LIMIT_PIDS].value == 1000000, trusted);
	assert_int_equal(s->limits[LIMIT_MEMORY].value == LIMIT_NONE, trusted);
	assert_int_equal(s->limits[LIMIT_TIME].value, 60);
	/* what opens does not */
	assert_int_equal(can_write(m, "ws/ok.key"), trusted ? 0 : EACCES);
	assert_int_equal(s->home, trusted ? HOME_HOST : HOME_PRIVATE);
	assert_int_equal(s->root, trusted ? ROOT_HOST : ROOT_SYSTEM);
	assert_int_equal(env_of(s, "SECRET_ONE") != NULL, trusted);
	assert_int_equal(env_of(s, "A") != NULL, trusted);
	assert_int_equal(s->ignore_violations.n, trusted);
	assert_int_equal(s->fail_if_unavailable, !trusted);
	assert_int_equal(s->terminal_filter, !trusted);
	assert_int_equal(judge(m, OP_EXEC, "/usr/bin/sudo", FT_REG).err, trusted ? 0 : EACCES);
	assert_int_equal(has_note(s, "berm trust"), !trusted);
}

static void test_trust(void **state)
{
	struct trust_subject t = { 0 };
	struct strv list = { 0 };
	struct machine *m = *state;

	m->in.environ = environ_;
	put(m, PROJECT, loose);
	check_loose(m, false);
	assert_int_equal(trust_look(&m->in, m->ws, false, &t, &m->err), 0);
	assert_false(t.trusted);
	assert_int_equal(t.loosens.n, 9);
	assert_true(strv_contains(&t.loosens, "2: files \"ok.key\": write"));
	assert_true(strv_contains(&t.loosens, "3: home \"host\""));
	assert_int_equal(trust_record(&m->in, &t, &m->err), 0);
	check_loose(m, true);
	/* bound to the content */
	put(m, PROJECT, "{\"home\": \"host\" }");
	assert_int_equal(resolve(m)->home, HOME_PRIVATE);
	/* what was shown is what is trusted, not what is there meanwhile */
	put(m, PROJECT, loose);
	check_loose(m, true);
	assert_int_equal(trust_list(&m->in, &list, &m->err), 0);
	assert_int_equal(list.n, 1);
	assert_string_equal(list.v[0], at(m, PROJECT));
	/* and to the path */
	put(m, "other/.berm/policy.json", loose);
	m->ws_list[0] = at(m, "other");
	assert_int_equal(resolve(m)->home, HOME_PRIVATE);
	m->ws_list[0] = m->ws;
	assert_int_equal(trust_revoke(&m->in, at(m, PROJECT), &m->err), 0);
	assert_int_equal(trust_revoke(&m->in, at(m, PROJECT), &m->err), -ENOENT);
	check_loose(m, false);
	strv_free(&list);
	trust_subject_free(&t);
}

/* A record that another could have written is none. */
/* An ask of a layer that may only tighten makes no dialog of what is denied. */
static void test_only_asks(void **state)
{
	struct machine *m = *state;

	put(m, USER, "{\"files\": {\"no\": \"none\", \"ro\": \"read\", \"open.env\": \"write\"}}");
	put(m, PROJECT, "{\"files\": {\"*\": \"ask\"}}");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_READ, "ws/no", FT_REG).decision, VERDICT_DENY);
	assert_int_equal(judge(m, OP_READ, "ws/ro", FT_REG).decision, VERDICT_ASK);
	assert_int_equal(judge(m, OP_WRITE, "ws/ro", FT_REG).decision, VERDICT_DENY);
	assert_int_equal(judge(m, OP_WRITE, "ws/open.env", FT_REG).decision, VERDICT_ASK);
	assert_int_equal(judge(m, OP_WRITE, "ws/other", FT_REG).decision, VERDICT_ASK);
	assert_int_equal(judge(m, OP_WRITE, "ws/.vscode", FT_REG).decision, VERDICT_DENY);
	/* the administrator's too */
	put(m, PROJECT, "{}");
	put(m, MANAGED, "{\"files\": {\"*\": \"ask\"}}");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_READ, "ws/no", FT_REG).decision, VERDICT_DENY);
	assert_int_equal(judge(m, OP_WRITE, "ws/other", FT_REG).decision, VERDICT_ASK);
	/* your own ask is what it says */
	put(m, MANAGED, "{}");
	put(m, USER, "{\"files\": {\"no\": \"none\", \"n*\": \"ask\", \"q\": \"ask\"}}");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_READ, "ws/no", FT_REG).decision, VERDICT_DENY);
	assert_int_equal(judge(m, OP_READ, "ws/nx", FT_REG).decision, VERDICT_ASK);
	assert_int_equal(judge(m, OP_WRITE, "ws/q", FT_REG).decision, VERDICT_ASK);
}

static void test_trust_records(void **state)
{
	struct trust_subject t = { 0 };
	struct strv list = { 0 };
	struct machine *m = *state;
	char dir[4096], hex[SHA256_HEX_SIZE], record[8192];

	put(m, PROJECT, "{\"home\": \"host\"}");
	assert_int_equal(trust_look(&m->in, m->ws, false, &t, &m->err), 0);
	assert_int_equal(trust_record(&m->in, &t, &m->err), 0);
	assert_int_equal(resolve(m)->home, HOME_HOST);
	sha256_hex(t.path, strlen(t.path), hex);
	(void)snprintf(record, sizeof(record), "state/trust/%s", hex);
	assert_int_equal(chmod(at(m, record), 0666), 0);
	assert_int_equal(resolve(m)->home, HOME_PRIVATE);
	assert_int_equal(chmod(at(m, record), 0600), 0);
	assert_int_equal(resolve(m)->home, HOME_HOST);
	(void)snprintf(dir, sizeof(dir), "%s", at(m, "moved"));
	assert_int_equal(rename(at(m, record), dir), 0);
	assert_int_equal(symlink(dir, at(m, record)), 0);
	assert_int_equal(resolve(m)->home, HOME_PRIVATE);
	trust_subject_free(&t);
	strv_free(&list);
}

static void test_unprotect_layers(void **state)
{
	struct trust_subject t = { 0 };
	struct machine *m = *state;

	git_init(m);
	put(m, PROJECT, "{\"unprotect\": [\"shell-rc\"]}");
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/.bashrc"), EACCES);
	assert_int_equal(trust_look(&m->in, m->ws, false, &t, &m->err), 0);
	assert_int_equal(trust_record(&m->in, &t, &m->err), 0);
	trust_subject_free(&t);
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/.bashrc"), EACCES);
	assert_true(has_note(m->spec, "counts only on the command line"));
	assert_int_equal(unlink(at(m, PROJECT)), 0);
	put(m, LOCAL, "{\"unprotect\": [\"shell-rc\"]}");
	put_trust(m, true);
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/.bashrc"), EACCES);
	put(m, USER, "{\"unprotect\": [\"shell-rc\"]}");
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/.bashrc"), 0);
	assert_int_equal(can_write(m, "ws/.gitconfig"), EACCES);
	/* berm's own files stay, whoever asks */
	put(m, USER, "{\"unprotect\": [\"berm-policy\"]}");
	resolve_fails(m, "no protection that can be lifted");
	put(m, USER, "{\"unprotect\": [\"shelrc\"]}");
	resolve_fails(m, "did you mean \"shell-rc\"");
	put(m, USER,
	    "{\"unprotect\": [\".berm\", \"**"
	    "/.berm/**\", \".vscode\"]}");
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/.berm/policy.json"), EACCES);
	assert_int_equal(can_write(m, "ws/.vscode/x"), 0);
	assert_int_equal(can_write(m, "ws/sub/.vscode/x"), 0);
	assert_int_equal(can_write(m, "ws/.idea/x"), EACCES);
}

/* ---- local files that are none ------------------------------------------ */

static const char local_text[] = "{\"home\": \"host\"}";

static bool counts(struct machine *m)
{
	return resolve(m)->home == HOME_HOST;
}

/* Nothing in the workspace makes it the user's own: not a repository that does not track it,
 * since the command could have seen to that. */
static void test_local(void **state)
{
	struct machine *m = *state;

	put_mode(m, LOCAL, local_text, 0644);
	assert_false(counts(m));
	assert_true(has_note(m->spec, "berm trust"));
	git_init(m);
	assert_false(counts(m));
	put_trust(m, true);
	assert_true(counts(m));
	/* others could have written it: then it is the project's, though trusted */
	put_mode(m, LOCAL, "{\"files\": {\"x\": \"write\"}}", 0666);
	put_trust(m, true);
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/x", FT_REG).rule->layer, LAYER_PROJECT);
	put_mode(m, LOCAL, "{\"files\": {\"x\": \"write\"}}", 0644);
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/x", FT_REG).rule->layer, LAYER_LOCAL);
	/* another content is another file */
	put_mode(m, LOCAL, local_text, 0644);
	assert_false(counts(m));
}

static void test_reading(void **state)
{
	struct machine *m = *state;
	char big[1 << 20];

	/* links in a project lead nowhere */
	put(m, "elsewhere.json", "{\"files\": {}}");
	put_dir(m, "ws/.berm");
	put_link(m, PROJECT, at(m, "elsewhere.json"));
	resolve_fails(m, "symbolic link");
	assert_int_equal(unlink(at(m, PROJECT)), 0);
	assert_int_equal(mkfifo(at(m, PROJECT), 0600), 0);
	resolve_fails(m, "not a regular file");
	assert_int_equal(unlink(at(m, PROJECT)), 0);
	put_dir(m, PROJECT);
	resolve_fails(m, "not a regular file");
	assert_int_equal(rmdir(at(m, PROJECT)), 0);
	memset(big, ' ', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	memcpy(big, "{}", 2);
	put(m, USER, big);
	(void)resolve(m);
	put_mode(m, USER, "{}", 0622);
	resolve_fails(m, "others can write");
	put_dir(m, "gone");
	put(m, USER, "{\"mode\": \"chat\"");
	resolve_fails(m, "policy.json:1:");
	assert_int_equal(unlink(at(m, USER)), 0);
	if (getuid() != 0) {
		put_mode(m, USER, "{}", 0);
		resolve_fails(m, "cannot read the settings");
	}
}

static void test_policy_files(void **state)
{
	const char *files[] = { "extra.json" };
	struct machine *m = *state;

	m->in.policy_files = files;
	m->in.n_policy_files = 1;
	resolve_fails(m, "there is no policy file extra.json");
	put(m, "ws/extra.json", "{\"files\": {\"a.key\": \"write\"}, \"mode\": \"plan\"}");
	(void)resolve(m);
	assert_int_equal(m->spec->mode, MODE_PLAN);
	m->in.mode = MODE_CHAT;
	(void)resolve(m);
	assert_int_equal(m->spec->mode, MODE_CHAT);
	assert_int_equal(can_write(m, "ws/a.key"), 0);
	/* the command may not change what the next run will be held to */
	assert_int_equal(can_write(m, "ws/extra.json"), EACCES);
	assert_int_equal(judge(m, OP_RENAME_TO, "ws/extra.json", FT_REG).err, EACCES);
}

/* The settings of all layers, when they lie in a writable root. */
static void test_own_files(void **state)
{
	struct machine *m = *state;

	m->in.dirs.config = at(m, "ws/conf");
	put(m, "ws/conf/policy.json", "{}");
	(void)resolve(m);
	assert_int_equal(can_write(m, "ws/conf/policy.json"), EACCES);
	assert_int_equal(judge(m, OP_CREATE, "ws/conf/new", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_RENAME_FROM, "ws/conf", FT_DIR).err, EACCES);
}

/* ---- explain ------------------------------------------------------------ */

static void test_explain(void **state)
{
	struct buf text = BUF_INIT(1u << 20), json = BUF_INIT(1u << 20);
	struct machine *m = *state;
	json_error_t error;
	json_t *j;

	put(m, USER,
	    "{\"files\": {\"a\\\"\\u001b31m\": \"read\"},\n\"limits\": {\"files\": 99},\n"
	    "\"env\": {\"set\": {\"PW\": \"hunter2\"}}, \"ignore_violations\": [\"x\"]}");
	put(m, PROJECT, "{\"home\": \"host\"}");
	(void)resolve(m);
	assert_int_equal(explain_text(m->spec, &text), 0);
	assert_int_equal(explain_json(m->spec, &json), 0);
	assert_non_null(strstr(text.data, "policy.json:2]"));
	assert_non_null(strstr(text.data, "data/secret-names:"));
	assert_non_null(strstr(text.data, "not trusted"));
	assert_non_null(strstr(text.data, "line 1 is left out"));
	assert_null(strstr(text.data, "hunter2"));
	assert_null(strstr(json.data, "hunter2"));
	assert_null(strchr(text.data, 0x1b));
	j = json_loads(json.data, JSON_REJECT_DUPLICATES, &error);
	if (!j)
		fail_msg("%s", error.text);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(j, "profile"), "value")),
		"agent");
	assert_true(json_array_size(json_object_get(j, "rules")) == m->spec->n_rules);
	assert_true(json_is_false(json_object_get(j, "reads_trapped")));
	json_decref(j);
	buf_free(&text);
	buf_free(&json);
}

#define T(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_order),	       T(test_specificity),
		T(test_managed),       T(test_profile_strength),
		T(test_trust),	       T(test_only_asks),
		T(test_trust_records), T(test_unprotect_layers),
		T(test_local),	       T(test_reading),
		T(test_policy_files),  T(test_own_files),
		T(test_explain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
