/* SPDX-License-Identifier: Apache-2.0 */
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

/* Appends the components of p to out (which holds *len bytes, "" = root). */
static void append(char *out, size_t *len, const char *p)
{
	while (*p) {
		size_t n = strcspn(p, "/");

		if (n == 2 && p[0] == '.' && p[1] == '.') {
			while (*len && out[*len - 1] != '/')
				(*len)--;
			if (*len)
				(*len)--;
		} else if (n && !(n == 1 && p[0] == '.')) {
			out[(*len)++] = '/';
			memcpy(out + *len, p, n);
			*len += n;
		}
		p += n;
		p += strspn(p, "/");
	}
}

char *path_join(const char *base, const char *p)
{
	size_t len = 0;
	char *out = malloc(strlen(base) + strlen(p) + 3);

	if (!out)
		return NULL;
	if (*p != '/')
		append(out, &len, base);
	append(out, &len, p);
	if (!len)
		out[len++] = '/';
	out[len] = '\0';
	return out;
}

bool path_within(const char *path, const char *dir)
{
	if (dir[0] == '/' && dir[1] == '\0')
		return true;
	/* Most differ early: no length is taken first. */
	while (*dir && *dir == *path) {
		dir++;
		path++;
	}
	return *dir == '\0' && (*path == '\0' || *path == '/');
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
