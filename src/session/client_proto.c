/* SPDX-License-Identifier: Apache-2.0 */
#include "session/client_proto.h"

#include <jansson.h>
#include <string.h>

#include "base/json_out.h"

#define ID_PREFIX "berm-"

static void add_member_raw(struct buf *b, const char *name)
{
	(void)buf_addf(b, "%s\"%s\":", b->len && b->data[b->len - 1] != '{' ? "," : "", name);
}

static void add_input(struct buf *b, const struct ask *q)
{
	add_member_raw(b, "input");
	json_begin(b);
	if (q->kind == ASK_NET) {
		json_member_str(b, "host", q->target);
		json_member_int(b, "port", q->port);
	} else {
		json_member_bytes(b, "path", q->target, strlen(q->target));
		json_member_str(b, "operation", file_op_action((enum file_op)q->op));
	}
	json_end(b);
}

static void add_suggestion(struct buf *b, const struct ask *q)
{
	_cleanup_buf_ struct buf rule = BUF_INIT(8192);

	if (q->kind != ASK_NET)
		return;
	(void)buf_addf(&rule, "domain:%s", q->target);
	if (rule.failed)
		return;
	(void)buf_adds(b, ",\"permission_suggestions\":[{\"type\":\"addRules\",\"rules\":[{"
			  "\"toolName\":\"WebFetch\",\"ruleContent\":");
	(void)json_quote(b, rule.data, rule.len);
	(void)buf_adds(b, "}],\"behavior\":\"allow\",\"destination\":\"localSettings\"}]");
}

void client_request(struct buf *b, const struct ask *q)
{
	_cleanup_buf_ struct buf text = BUF_INIT(16384);

	if (q->kind == ASK_NET)
		(void)buf_addf(&text, "Allow network connection to %s?", q->target);
	else
		(void)buf_addf(&text, "Allow %s of %s?", file_op_action((enum file_op)q->op),
			       q->target);
	(void)buf_addf(b,
		       "{\"type\":\"control_request\",\"request_id\":\"" ID_PREFIX "%u\","
		       "\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"%s\"",
		       q->id, q->kind == ASK_NET ? "SandboxNetworkAccess" : "SandboxFileAccess");
	add_input(b, q);
	(void)buf_addf(b, ",\"tool_use_id\":\"" ID_PREFIX "%u\"", q->id);
	if (!text.failed)
		json_member_bytes(b, "description", text.data, text.len);
	json_member_str(b, "decision_reason", q->reason);
	json_member_int(b, "pid", q->pid);
	json_member_bytes(b, "exe", q->exe, strlen(q->exe));
	json_member_bytes(b, "command", q->command, strlen(q->command));
	json_member_str(b, "rule", q->rule);
	json_member_str(b, "origin", q->origin);
	add_suggestion(b, q);
	(void)buf_adds(b, "}}\n");
}

void client_cancel(struct buf *b, uint32_t id)
{
	(void)buf_addf(b,
		       "{\"type\":\"control_cancel_request\",\"request_id\":\"" ID_PREFIX "%u\"}\n",
		       id);
}

void client_response(struct buf *b, const char *request_id, bool success)
{
	(void)buf_adds(b, "{\"type\":\"control_response\",\"response\":{\"subtype\":");
	(void)buf_adds(b, success ? "\"success\"" : "\"error\"");
	json_member_str(b, "request_id", request_id);
	if (success)
		(void)buf_adds(b, ",\"response\":{}");
	else
		json_member_str(b, "error", "berm answers no such request");
	(void)buf_adds(b, "}}\n");
}

/* ---- reading ----------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *name)
{
	const char *s = json_string_value(json_object_get(object, name));

	return s ? s : "";
}

/* "berm-12": 12; 0: not one of ours. */
static uint32_t id_of(const char *s)
{
	unsigned long n;
	char *end;

	if (!str_starts(s, ID_PREFIX) || s[strlen(ID_PREFIX)] < '1' || s[strlen(ID_PREFIX)] > '9')
		return 0;
	errno = 0;
	n = strtoul(s + strlen(ID_PREFIX), &end, 10);
	return errno || *end || n > UINT32_MAX ? 0 : (uint32_t)n;
}

/* The longest-lived place that an update names; a project's settings are nobody's to
 * write. */
static enum ask_hold hold_of(const json_t *updates)
{
	enum ask_hold hold = HOLD_ONCE;
	json_t *u;
	size_t i;

	json_array_foreach(updates, i, u)
	{
		const char *to = text_of(u, "destination");
		enum ask_hold h = HOLD_ONCE;

		if (streq(to, "session"))
			h = HOLD_SESSION;
		else if (streq(to, "localSettings") || streq(to, "projectSettings"))
			h = HOLD_LOCAL;
		else if (streq(to, "userSettings"))
			h = HOLD_USER;
		if (h > hold)
			hold = h;
	}
	return hold;
}

static void parse_response(const json_t *root, struct client_msg *ret)
{
	const json_t *outer = json_object_get(root, "response");
	const json_t *inner = json_object_get(outer, "response");
	const char *behavior = text_of(inner, "behavior");

	ret->id = id_of(text_of(outer, "request_id"));
	if (!ret->id)
		return;
	ret->kind = CLIENT_ANSWER;
	ret->decision = VERDICT_DENY;
	if (!streq(text_of(outer, "subtype"), "success"))
		return;
	if (streq(behavior, "allow"))
		ret->decision = VERDICT_ALLOW;
	if (streq(behavior, "allow") || streq(behavior, "deny"))
		ret->hold = hold_of(json_object_get(inner, "updatedPermissions"));
}

static json_t *load(const char *text, size_t len)
{
	return json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
}

void client_parse(const char *line, size_t len, struct client_msg *ret)
{
	json_t *root = len <= CLIENT_LINE_MAX ? load(line, len) : NULL;
	const char *type = text_of(root, "type");

	*ret = (struct client_msg){ .kind = CLIENT_BAD };
	if (json_is_object(root) && type[0])
		ret->kind = CLIENT_OTHER;
	if (ret->kind == CLIENT_BAD) {
		json_decref(root);
		return;
	}
	if (streq(type, "control_response")) {
		parse_response(root, ret);
	} else if (streq(type, "control_cancel_request")) {
		ret->id = id_of(text_of(root, "request_id"));
		if (ret->id) {
			ret->kind = CLIENT_ANSWER;
			ret->decision = VERDICT_DENY;
		}
	} else if (streq(type, "control_request")) {
		const char *id = text_of(root, "request_id");

		ret->kind = strlen(id) < sizeof(ret->request_id) ? CLIENT_ASKS : CLIENT_BAD;
		(void)snprintf(ret->request_id, sizeof(ret->request_id), "%s", id);
		ret->known =
			streq(text_of(json_object_get(root, "request"), "subtype"), "initialize");
	}
	json_decref(root);
}

bool client_fits(const char *line, size_t len, const struct ask *q)
{
	json_t *root = load(line, len);
	const json_t *outer = json_object_get(root, "response");
	const json_t *input = json_object_get(json_object_get(outer, "response"), "updatedInput");
	const json_t *host = json_object_get(input, "host"), *port = json_object_get(input, "port");
	const json_t *path = json_object_get(input, "path");
	bool fits = root && (!input || json_is_object(input));

	if (host && (q->kind != ASK_NET || !json_is_string(host) ||
		     !streq(json_string_value(host), q->target)))
		fits = false;
	if (port && (!json_is_integer(port) || json_integer_value(port) != q->port))
		fits = false;
	if (path && (q->kind != ASK_FILE || !json_is_string(path) ||
		     !streq(json_string_value(path), q->target)))
		fits = false;
	json_decref(root);
	return fits;
}

/* ---- mailbox ------------------------------------------------------------------ */

void mailbox_request(struct buf *b, const struct ask *q, const char *session, int worker)
{
	(void)buf_addf(b,
		       "{\"type\":\"sandbox_permission_request\",\"requestId\":\"%s-%u\","
		       "\"workerId\":\"%s\",\"workerName\":\"berm %d\"",
		       session, q->id, session, worker);
	if (q->kind == ASK_NET) {
		add_member_raw(b, "hostPattern");
		json_begin(b);
		json_member_str(b, "host", q->target);
		json_end(b);
		json_member_int(b, "port", q->port);
	} else {
		json_member_bytes(b, "path", q->target, strlen(q->target));
		json_member_str(b, "operation", file_op_action((enum file_op)q->op));
	}
	json_member_int(b, "pid", q->pid);
	json_member_bytes(b, "exe", q->exe, strlen(q->exe));
	json_member_bytes(b, "command", q->command, strlen(q->command));
	json_member_str(b, "reason", q->reason);
	json_end(b);
	(void)buf_adds(b, "\n");
}

bool mailbox_parse(const char *text, size_t len, const struct ask *q, const char *session,
		   bool *ret_allow)
{
	json_t *root = load(text, len);
	const json_t *allow = json_object_get(root, "allow");
	char id[64];
	bool ours;

	(void)snprintf(id, sizeof(id), "%s-%u", session, q->id);
	ours = root && streq(text_of(root, "type"), "sandbox_permission_response") &&
	       streq(text_of(root, "requestId"), id);
	/* Another host than was asked for is no allow. */
	*ret_allow = ours && json_is_true(allow) &&
		     streq(text_of(root, q->kind == ASK_NET ? "host" : "path"), q->target);
	json_decref(root);
	return ours;
}
