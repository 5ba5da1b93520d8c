/* SPDX-License-Identifier: Apache-2.0 */
#include "panel/state.h"

#include <errno.h>
#include <string.h>

static const char *text_of(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

int state_parse(const char *text, size_t len, json_t **ret)
{
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);

	if (!*text_of(o, "mode") || !*text_of(o, "fallback") ||
	    !json_is_array(json_object_get(o, "excluded"))) {
		json_decref(o);
		return -EBADMSG;
	}
	*ret = o;
	return 0;
}

const char *state_text(const json_t *s, const char *name)
{
	return text_of(s, name);
}

bool state_is(const json_t *s, const char *name, const char *value)
{
	return strcmp(text_of(s, name), value) == 0;
}

static const json_t *excluded(const json_t *s, size_t i)
{
	return json_array_get(json_object_get(s, "excluded"), i);
}

size_t state_excluded(const json_t *s)
{
	return json_array_size(json_object_get(s, "excluded"));
}

const char *state_pattern(const json_t *s, size_t i)
{
	return text_of(excluded(s, i), "pattern");
}

const char *state_pattern_from(const json_t *s, size_t i)
{
	return text_of(excluded(s, i), "origin");
}

bool state_pattern_local(const json_t *s, size_t i)
{
	return json_is_true(json_object_get(excluded(s, i), "local"));
}
