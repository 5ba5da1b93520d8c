/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of clients and mailboxes: what is not exactly an allow is a deny. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>

#include "session/client_proto.h"

static struct ask question(void)
{
	return (struct ask){ .id = 12,
			     .kind = ASK_NET,
			     .op = -1,
			     .target = (char *)(uintptr_t) "a.test",
			     .port = 443,
			     .pid = 7,
			     .exe = (char *)(uintptr_t) "/usr/bin/curl",
			     .command = (char *)(uintptr_t) "curl \xff",
			     .rule = (char *)(uintptr_t) "",
			     .origin = (char *)(uintptr_t) "",
			     .reason = (char *)(uintptr_t) "no rule names it" };
}

static const char *text(json_t *o, const char *a, const char *b)
{
	json_t *v = json_object_get(o, a);

	return json_string_value(b ? json_object_get(v, b) : v);
}

static void test_request(void **state)
{
	struct ask q = question();
	_cleanup_buf_ struct buf b = BUF_INIT(65536);
	json_t *root, *input;

	(void)state;
	client_request(&b, &q);
	assert_false(b.failed);
	assert_int_equal(b.data[b.len - 1], '\n');
	assert_null(memchr(b.data, '\n', b.len - 1));
	root = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(text(root, "type", NULL), "control_request");
	assert_string_equal(text(root, "request_id", NULL), "berm-12");
	assert_string_equal(text(root, "request", "subtype"), "can_use_tool");
	assert_string_equal(text(root, "request", "tool_name"), "SandboxNetworkAccess");
	assert_string_equal(text(root, "request", "description"),
			    "Allow network connection to a.test?");
	input = json_object_get(json_object_get(root, "request"), "input");
	assert_string_equal(text(input, "host", NULL), "a.test");
	assert_int_equal(json_integer_value(json_object_get(input, "port")), 443);
	json_decref(root);
}

static void test_file_request(void **state)
{
	struct ask q = question();
	_cleanup_buf_ struct buf b = BUF_INIT(65536);
	json_t *root;

	(void)state;
	q.kind = ASK_FILE;
	q.op = OP_WRITE;
	q.target = (char *)(uintptr_t) "/w/a\"\n\xff";
	client_request(&b, &q);
	assert_false(b.failed);
	root = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(text(root, "request", "tool_name"), "SandboxFileAccess");
	json_decref(root);
}

#define RESPONSE(id, inner)                                                     \
	"{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\"," \
	"\"request_id\":\"" id "\",\"response\":" inner "}}"
#define UPDATE(where)                                                                                     \
	"{\"behavior\":\"allow\",\"updatedPermissions\":[{\"type\":\"addRules\",\"destination\":\"" where \
	"\"}]}"

static void test_answers(void **state)
{
	static const struct {
		const char *line;
		enum client_kind kind;
		uint32_t id;
		enum decision decision;
		enum ask_hold hold;
	} rows[] = {
		{ RESPONSE("berm-12", "{\"behavior\":\"allow\"}"), CLIENT_ANSWER, 12, VERDICT_ALLOW,
		  HOLD_ONCE },
		{ RESPONSE("berm-12", "{\"behavior\":\"deny\",\"message\":\"no\"}"), CLIENT_ANSWER,
		  12, VERDICT_DENY, HOLD_ONCE },
		{ RESPONSE("berm-12", UPDATE("session")), CLIENT_ANSWER, 12, VERDICT_ALLOW,
		  HOLD_SESSION },
		{ RESPONSE("berm-12", UPDATE("localSettings")), CLIENT_ANSWER, 12, VERDICT_ALLOW,
		  HOLD_LOCAL },
		{ RESPONSE("berm-12", UPDATE("projectSettings")), CLIENT_ANSWER, 12, VERDICT_ALLOW,
		  HOLD_LOCAL },
		{ RESPONSE("berm-12", UPDATE("userSettings")), CLIENT_ANSWER, 12, VERDICT_ALLOW,
		  HOLD_USER },
		{ RESPONSE("berm-12", UPDATE("elsewhere")), CLIENT_ANSWER, 12, VERDICT_ALLOW,
		  HOLD_ONCE },
		/* whatever is not an allow */
		{ RESPONSE("berm-12", "{\"behavior\":\"Allow\"}"), CLIENT_ANSWER, 12, VERDICT_DENY,
		  HOLD_ONCE },
		{ RESPONSE("berm-12", "{\"behavior\":true}"), CLIENT_ANSWER, 12, VERDICT_DENY,
		  HOLD_ONCE },
		{ RESPONSE("berm-12", "\"allow\""), CLIENT_ANSWER, 12, VERDICT_DENY, HOLD_ONCE },
		{ RESPONSE("berm-12", "{}"), CLIENT_ANSWER, 12, VERDICT_DENY, HOLD_ONCE },
		{ "{\"type\":\"control_response\",\"response\":{\"subtype\":\"error\","
		  "\"request_id\":\"berm-12\",\"response\":{\"behavior\":\"allow\"}}}",
		  CLIENT_ANSWER, 12, VERDICT_DENY, HOLD_ONCE },
		{ "{\"type\":\"control_response\",\"response\":{\"request_id\":\"berm-12\"}}",
		  CLIENT_ANSWER, 12, VERDICT_DENY, HOLD_ONCE },
		{ "{\"type\":\"control_cancel_request\",\"request_id\":\"berm-12\"}", CLIENT_ANSWER,
		  12, VERDICT_DENY, HOLD_ONCE },
		/* none of ours */
		{ RESPONSE("berm-012", "{\"behavior\":\"allow\"}"), CLIENT_OTHER, 0, 0, 0 },
		{ RESPONSE("berm-", "{\"behavior\":\"allow\"}"), CLIENT_OTHER, 0, 0, 0 },
		{ RESPONSE("berm-12x", "{\"behavior\":\"allow\"}"), CLIENT_OTHER, 0, 0, 0 },
		{ RESPONSE("berm--1", "{\"behavior\":\"allow\"}"), CLIENT_OTHER, 0, 0, 0 },
		{ RESPONSE("berm-99999999999999999999", "{\"behavior\":\"allow\"}"), CLIENT_OTHER,
		  0, 0, 0 },
		{ "{\"type\":\"keep_alive\"}", CLIENT_OTHER, 0, 0, 0 },
		/* no messages */
		{ "", CLIENT_BAD, 0, 0, 0 },
		{ "allow", CLIENT_BAD, 0, 0, 0 },
		{ "[1]", CLIENT_BAD, 0, 0, 0 },
		{ "{\"type\":1}", CLIENT_BAD, 0, 0, 0 },
		{ "{\"type\":\"a\",\"type\":\"control_response\"}", CLIENT_BAD, 0, 0, 0 },
	};
	struct client_msg m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		client_parse(rows[i].line, strlen(rows[i].line), &m);
		if (m.kind != rows[i].kind || m.id != rows[i].id ||
		    (m.kind == CLIENT_ANSWER &&
		     (m.decision != rows[i].decision || m.hold != rows[i].hold)))
			fail_msg("row %zu: %s", i, rows[i].line);
	}
}

static void test_other_input(void **state)
{
	static const struct {
		const char *input;
		bool fits;
	} rows[] = {
		{ "{\"host\":\"a.test\",\"port\":443}", true },
		{ "{\"host\":\"a.test\"}", true },
		{ "{}", true },
		{ "{\"host\":\"b.test\"}", false },
		{ "{\"host\":\"a.test\",\"port\":80}", false },
		{ "{\"port\":\"443\"}", false },
		{ "{\"path\":\"/\"}", false },
		{ "{\"host\":null}", false },
		{ "\"a.test\"", false },
	};
	struct ask q = question();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *line = str_printf(
			"{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
			"\"request_id\":\"berm-12\",\"response\":{\"behavior\":\"allow\","
			"\"updatedInput\":%s}}}",
			rows[i].input);

		assert_non_null(line);
		if (client_fits(line, strlen(line), &q) != rows[i].fits)
			fail_msg("row %zu", i);
	}
}

static void test_requests_to_us(void **state)
{
	static const char init[] = "{\"type\":\"control_request\",\"request_id\":\"i1\","
				   "\"request\":{\"subtype\":\"initialize\"}}";
	static const char other[] = "{\"type\":\"control_request\",\"request_id\":\"i2\","
				    "\"request\":{\"subtype\":\"set_model\"}}";
	_cleanup_buf_ struct buf b = BUF_INIT(4096);
	struct client_msg m;

	(void)state;
	client_parse(init, sizeof(init) - 1, &m);
	assert_int_equal(m.kind, CLIENT_ASKS);
	assert_true(m.known);
	client_response(&b, m.request_id, m.known);
	assert_string_equal(b.data, "{\"type\":\"control_response\",\"response\":{\"subtype\":"
				    "\"success\",\"request_id\":\"i1\",\"response\":{}}}\n");
	client_parse(other, sizeof(other) - 1, &m);
	assert_int_equal(m.kind, CLIENT_ASKS);
	assert_false(m.known);
}

static void test_mailbox(void **state)
{
	static const struct {
		const char *text;
		bool ours, allow;
	} rows[] = {
		{ "{\"type\":\"sandbox_permission_response\",\"requestId\":\"b-1-12\","
		  "\"host\":\"a.test\",\"allow\":true}",
		  true, true },
		{ "{\"type\":\"sandbox_permission_response\",\"requestId\":\"b-1-12\","
		  "\"host\":\"a.test\",\"allow\":false}",
		  true, false },
		{ "{\"type\":\"sandbox_permission_response\",\"requestId\":\"b-1-12\","
		  "\"host\":\"a.test\",\"allow\":\"true\"}",
		  true, false },
		{ "{\"type\":\"sandbox_permission_response\",\"requestId\":\"b-1-12\","
		  "\"host\":\"b.test\",\"allow\":true}",
		  true, false },
		{ "{\"type\":\"sandbox_permission_response\",\"requestId\":\"b-1-12\","
		  "\"allow\":true}",
		  true, false },
		{ "{\"type\":\"sandbox_permission_response\",\"requestId\":\"b-1-13\","
		  "\"host\":\"a.test\",\"allow\":true}",
		  false, false },
		{ "{\"type\":\"sandbox_permission_request\",\"requestId\":\"b-1-12\","
		  "\"host\":\"a.test\",\"allow\":true}",
		  false, false },
		{ "{", false, false },
	};
	struct ask q = question();
	_cleanup_buf_ struct buf b = BUF_INIT(65536);
	json_t *root;
	bool allow;

	(void)state;
	mailbox_request(&b, &q, "b-1", 99);
	assert_false(b.failed);
	root = json_loadb(b.data, b.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(text(root, "type", NULL), "sandbox_permission_request");
	assert_string_equal(text(root, "requestId", NULL), "b-1-12");
	assert_string_equal(text(root, "workerId", NULL), "b-1");
	assert_string_equal(text(root, "hostPattern", "host"), "a.test");
	json_decref(root);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		allow = true;
		if (mailbox_parse(rows[i].text, strlen(rows[i].text), &q, "b-1", &allow) !=
			    rows[i].ours ||
		    allow != rows[i].allow)
			fail_msg("row %zu: %s", i, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),	       cmocka_unit_test(test_file_request),
		cmocka_unit_test(test_answers),	       cmocka_unit_test(test_other_input),
		cmocka_unit_test(test_requests_to_us), cmocka_unit_test(test_mailbox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
