/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <string.h>

#include "base/str.h"

int err_set(struct berm_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	err->fix[0] = '\0';
	va_start(ap, fmt);
	(void)vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return code;
}

int err_errno(struct berm_err *err, int code, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!err)
		return code;
	err->code = code;
	err->fix[0] = '\0';
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->msg))
		(void)snprintf(err->msg + n, sizeof(err->msg) - (size_t)n, ": %s",
			       strerror(code < 0 ? -code : code));
	return code;
}

void err_fix(struct berm_err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(err->fix, sizeof(err->fix), fmt, ap);
	va_end(ap);
}

int err_prefix(struct berm_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	int n;

	if (!err)
		return -EINVAL;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->msg))
		(void)snprintf(err->msg + n, sizeof(err->msg) - (size_t)n, ": %s", old);
	return err->code;
}

void err_print(const struct berm_err *err)
{
	char line[4 * sizeof(err->msg)];

	str_escape(line, sizeof(line), err->msg, strlen(err->msg));
	(void)fprintf(stderr, "berm: %s\n", line);
	if (!err->fix[0])
		return;
	str_escape(line, sizeof(line), err->fix, strlen(err->fix));
	(void)fprintf(stderr, "berm: %s\n", line);
}
