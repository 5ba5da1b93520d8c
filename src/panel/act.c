/* SPDX-License-Identifier: Apache-2.0 */
/* What the panel does is a call of berm's; what berm says is what is shown. */
#include "panel/panel.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "panel/call.h"
#include "panel/state.h"

#define WORDS_MAX 200

static void say(struct panel *p, const char *text)
{
	size_t len = strcspn(text, "\n");

	(void)snprintf(p->message, sizeof(p->message), "%.*s", (int)(len < 1024 ? len : 1024),
		       text);
}

/* Both lines of a complaint in one: what, and what to do. */
static void say_error(struct panel *p, const char *err)
{
	static const char prefix[] = "berm: ";
	size_t n = 0;

	for (unsigned lines = 0; *err && lines < 2; lines++) {
		size_t len = strcspn(err, "\n");

		if (str_starts(err, prefix)) {
			err += strlen(prefix);
			len -= strlen(prefix);
		}
		n += (size_t)snprintf(p->message + n, sizeof(p->message) - n, "%s%.*s",
				      lines ? "; " : "", (int)(len < 900 ? len : 900), err);
		err += len;
		err += *err == '\n';
	}
	if (!n)
		say(p, "berm failed without saying why");
}

/* berm VERB... OPTIONS. */
static int call(struct panel *p, const char *const *verb, bool options, struct call_result *ret)
{
	const char *words[WORDS_MAX + 1];
	size_t n = 0;
	int r;

	for (; *verb && n < WORDS_MAX; verb++)
		words[n++] = *verb;
	for (const char *const *o = p->options; options && *o && n < WORDS_MAX; o++)
		words[n++] = *o;
	if (n == WORDS_MAX) {
		say(p, "too many options");
		return 1;
	}
	words[n] = NULL;
	r = call_berm(p->berm, words, p->ends, ret);
	if (r == -EINTR || r == -ENOMEM || r >= 0)
		return r;
	(void)snprintf(p->message, sizeof(p->message), "cannot ask berm: %s", strerror(-r));
	return 1;
}

int act_load(struct panel *p)
{
	static const char *const verb[] = { "sandbox", "--json", NULL };
	struct call_result res = { 0 };
	json_t *state = NULL;
	int r = call(p, verb, true, &res);

	if (r)
		return r < 0 ? r : 0;
	if (res.status || state_parse(res.out, res.out_len, &state) < 0) {
		say_error(p, res.err);
	} else {
		json_decref(p->state);
		p->state = state;
	}
	call_result_free(&res);
	return 0;
}

int act_text(struct panel *p)
{
	static const char *const doctor[] = { "doctor", NULL }, *const explain[] = { "explain",
										     NULL };
	bool config = p->page == PAGE_CONFIG;
	struct call_result res = { 0 };
	int r;

	if (p->page != PAGE_DEPENDENCIES && !config)
		return 0;
	r = call(p, config ? explain : doctor, config, &res);
	if (r)
		return r < 0 ? r : 0;
	free(p->texts[p->page]);
	/* berm doctor's status 1 is an answer. */
	p->texts[p->page] = take_ptr(res.out);
	if (res.status > 1)
		say_error(p, res.err);
	call_result_free(&res);
	return 0;
}

/* Tells berm to change something, and looks at what came of it. */
static int change(struct panel *p, const char *option, const char *value)
{
	const char *const verb[] = { "sandbox", option, value, NULL };
	struct call_result res = { 0 };
	int r = call(p, verb, true, &res);

	if (r)
		return r < 0 ? r : 0;
	if (res.status)
		say_error(p, res.err);
	else
		say(p, res.out);
	call_result_free(&res);
	/* The policy may be another one now. */
	free(p->texts[PAGE_CONFIG]);
	p->texts[PAGE_CONFIG] = NULL;
	return act_load(p);
}

int act_choose(struct panel *p)
{
	static const char *const modes[] = { "disabled", "regular", "auto-allow" };
	static const char *const fallbacks[] = { "unsandboxed", "strict" };
	size_t i = (size_t)p->item;
	bool mode = i < ARRAY_SIZE(modes);
	const char *value = mode ? modes[i] : fallbacks[i - ARRAY_SIZE(modes)];

	if (state_is(p->state, mode ? "mode" : "fallback", value)) {
		say(p, "it is so already");
		return 0;
	}
	if (streq(value, "disabled")) {
		p->input = INPUT_DISABLED;
		return 0;
	}
	return change(p, mode ? "--mode" : "--fallback", value);
}

int act_disable(struct panel *p)
{
	return change(p, "--mode", "disabled");
}

int act_exclude(struct panel *p, const char *pattern)
{
	return change(p, "--exclude", pattern);
}

int act_include(struct panel *p)
{
	size_t i = (size_t)p->item;
	_cleanup_free_ char *pattern = NULL;

	if (i >= state_excluded(p->state))
		return 0;
	if (!state_pattern_local(p->state, i)) {
		(void)snprintf(p->message, sizeof(p->message),
			       "that one stands in %s: change it there",
			       state_pattern_from(p->state, i));
		return 0;
	}
	pattern = strdup(state_pattern(p->state, i));
	return pattern ? change(p, "--include", pattern) : -ENOMEM;
}
