/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/secret.h"

#include "base/path.h"
#include "policy/data.h"
#include "policy/pattern.h"

/* "~/x" as an absolute path; NULL: no such entry, or out of memory. */
static char *place_of(const struct spec *s, const char *text)
{
	if (text[0] == '~')
		return str_printf("%s%s", s->user_home, text + 1);
	return text[0] == '/' ? strdup(text) : NULL;
}

static bool lifted(const struct spec *s)
{
	return strv_has(&s->lifted, "secret-paths");
}

bool secret_place(const struct spec *s, const char *path, struct data_entry *ret)
{
	for (size_t i = 0; !lifted(s) && i < data_secret_paths.n; i++) {
		_cleanup_free_ char *place = place_of(s, data_text(&data_secret_paths, i));

		if (!place || !path_within(path, place))
			continue;
		*ret = data_at(&data_secret_paths, i);
		return true;
	}
	return false;
}

bool secret_place_below(const struct spec *s, const char *dir)
{
	for (size_t i = 0; i < data_secret_paths.n; i++) {
		_cleanup_free_ char *place = place_of(s, data_text(&data_secret_paths, i));

		if (place && path_within(place, dir))
			return true;
	}
	return false;
}

bool secret_name(const char *path, struct data_entry *ret)
{
	const char *name = path_base(path);
	bool found = false;

	for (size_t i = 0; i < data_secret_names.n; i++) {
		struct data_entry e = data_at(&data_secret_names, i);
		bool except = e.text[0] == '!';
		const char *glob = path_base(e.text);

		if (!glob_match(glob, name, true))
			continue;
		if (except)
			return false;
		if (!found)
			*ret = e;
		found = true;
	}
	return found;
}
