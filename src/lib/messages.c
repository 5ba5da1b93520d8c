/* SPDX-License-Identifier: Apache-2.0 */
/* What berm says (docs/events.md, docs/approvers.md), and answers. What does not look as it should
 * is passed over: the program is the same user's, its words come from the sandbox. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/impl.h"

static const char *text_of(const json_t *o, const char *member)
{
	const char *text = json_string_value(json_object_get(o, member));

	return text ? text : "";
}

const char *berm_event_text(const struct berm_event *event, const char *member)
{
	return json_string_value(json_object_get(event->object, member));
}

long long berm_event_number(const struct berm_event *event, const char *member, long long fallback)
{
	const json_t *v = json_object_get(event->object, member);

	return json_is_integer(v) ? json_integer_value(v) : fallback;
}

static void note_end(struct berm_run *run, const json_t *root)
{
	const json_t *signal = json_object_get(root, "signal");

	run->told = true;
	run->result.signal = (int)json_integer_value(signal);
	run->result.status = signal ? 128 + run->result.signal
				    : (int)json_integer_value(json_object_get(root, "exit_code"));
	(void)snprintf(run->result.error, sizeof(run->result.error), "%s", text_of(root, "error"));
}

void lib_event(struct berm_run *run, char *line, size_t len)
{
	json_t *root = json_loadb(line, len, 0, NULL);
	struct berm_event event = {
		.name = text_of(root, "event"), .json = line, .length = len, .object = root
	};

	if (strcmp(event.name, "exit") == 0)
		note_end(run, root);
	if (event.name[0] && run->options.on_event)
		run->options.on_event(run->options.context, run, &event);
	json_decref(root);
}

/* Both: with lock. */
static size_t find(const struct berm_run *run, const char *id)
{
	size_t i = 0;

	while (i < run->n_open && strcmp(run->open[i], id) != 0)
		i++;
	return i;
}

static bool forget(struct berm_run *run, const char *id)
{
	size_t i = find(run, id);

	if (i == run->n_open)
		return false;
	memmove(run->open[i], run->open[--run->n_open], LIB_ID_MAX);
	return true;
}

static int answer(struct berm_run *run, const char *id, bool allow, const char *destination)
{
	json_t *root = json_pack("{s:s,s:{s:s,s:s,s:{s:s}}}", "type", "control_response",
				 "response", "subtype", "success", "request_id", id, "response",
				 "behavior", allow ? "allow" : "deny");
	json_t *inner = json_object_get(json_object_get(root, "response"), "response");
	int r;

	if (destination && json_object_set_new(inner, "updatedPermissions",
					       json_pack("[{s:s,s:s,s:s,s:[]}]", "type", "addRules",
							 "behavior", allow ? "allow" : "deny",
							 "destination", destination, "rules")) < 0)
		r = -ENOMEM;
	else
		r = lib_send(&run->asks, root);
	json_decref(root);
	return r;
}

int berm_answer(struct berm_run *run, const char *id, enum berm_decision decision,
		enum berm_hold hold)
{
	static const char *const destinations[] = { [BERM_ONCE] = NULL,
						    [BERM_SESSION] = "session",
						    [BERM_WORKSPACE] = "localSettings",
						    [BERM_USER] = "userSettings" };
	int r;

	if (hold > BERM_USER || (decision != BERM_ALLOW && decision != BERM_DENY))
		return -EINVAL;
	(void)pthread_mutex_lock(&run->lock);
	r = forget(run, id) ? answer(run, id, decision == BERM_ALLOW, destinations[hold]) : -ENOENT;
	(void)pthread_mutex_unlock(&run->lock);
	return r;
}

static void asked(struct berm_run *run, const json_t *root)
{
	const json_t *request = json_object_get(root, "request");
	const json_t *input = json_object_get(request, "input");
	struct berm_ask ask = {
		.id = text_of(root, "request_id"),
		.host = json_string_value(json_object_get(input, "host")),
		.port = (unsigned)json_integer_value(json_object_get(input, "port")),
		.path = json_string_value(json_object_get(input, "path")),
		.operation = text_of(input, "operation"),
		.pid = (long)json_integer_value(json_object_get(request, "pid")),
		.exe = text_of(request, "exe"),
		.command = text_of(request, "command"),
		.description = text_of(request, "description"),
		.reason = text_of(request, "decision_reason"),
	};
	bool known;

	if (strcmp(text_of(request, "subtype"), "can_use_tool") != 0 || !ask.id[0] ||
	    strlen(ask.id) >= LIB_ID_MAX)
		return;
	(void)pthread_mutex_lock(&run->lock);
	known = run->n_open < LIB_ASKS_MAX;
	if (known)
		memcpy(run->open[run->n_open++], ask.id, strlen(ask.id) + 1);
	else
		(void)answer(run, ask.id, false, NULL);
	(void)pthread_mutex_unlock(&run->lock);
	if (known)
		run->options.on_ask(run->options.context, run, &ask);
}

static void over(struct berm_run *run, const json_t *root)
{
	const char *id = text_of(root, "request_id");
	bool open;

	(void)pthread_mutex_lock(&run->lock);
	open = forget(run, id);
	(void)pthread_mutex_unlock(&run->lock);
	if (open && run->options.on_ask_over)
		run->options.on_ask_over(run->options.context, run, id);
}

void lib_ask(struct berm_run *run, char *line, size_t len)
{
	json_t *root = json_loadb(line, len, 0, NULL);
	const char *type = text_of(root, "type");

	if (strcmp(type, "control_request") == 0)
		asked(run, root);
	else if (strcmp(type, "control_cancel_request") == 0)
		over(run, root);
	json_decref(root);
}
