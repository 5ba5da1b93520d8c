/* SPDX-License-Identifier: Apache-2.0 */
#include "session/ignore.h"

bool ignore_match(const char *pattern, const char *text, size_t len)
{
	const char *p = pattern, *star = NULL;
	size_t i = 0, mark = 0;

	/* On a mismatch only the latest star has to take one byte more: what an
	 * earlier one takes was settled when the later one was reached. */
	while (i < len) {
		if (*p == '*') {
			star = p++;
			mark = i;
		} else if (*p && *p == text[i]) {
			p++;
			i++;
		} else if (star) {
			p = star + 1;
			i = ++mark;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}
