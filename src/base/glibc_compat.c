/* SPDX-License-Identifier: Apache-2.0 */
/* Built with musl only: the checked variants that a library built for glibc
 * (Debian's libjansson.a) asks for. The checks are kept. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __snprintf_chk(char *s, size_t max, int flag, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
int __vsnprintf_chk(char *s, size_t max, int flag, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 5, 0)));
char *__strncpy_chk(char *dst, const char *src, size_t n, size_t size);

int __vsnprintf_chk(char *s, size_t max, int flag, size_t size, const char *fmt, va_list ap)
{
	(void)flag;
	if (max > size)
		abort();
	return vsnprintf(s, max, fmt, ap);
}

int __snprintf_chk(char *s, size_t max, int flag, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = __vsnprintf_chk(s, max, flag, size, fmt, ap);
	va_end(ap);
	return n;
}

char *__strncpy_chk(char *dst, const char *src, size_t n, size_t size)
{
	if (n > size)
		abort();
	return strncpy(dst, src, n);
}
