/* SPDX-License-Identifier: Apache-2.0 */
/* git_dump FILE: what git_config_next() reads, as "git config -f FILE -l -z" prints it.
 * Ends with 1 where git should refuse the file. Only for git_differential.sh. */
#include <stdio.h>
#include <string.h>

#include "policy/git.h"
#include "policy/git_config.h"

int main(int argc, char **argv)
{
	static char bytes[GIT_CONTENT_MAX];
	static struct git_config_reader r;
	FILE *f = argc == 2 ? fopen(argv[1], "re") : NULL;
	size_t len = f ? fread(bytes, 1, sizeof(bytes), f) : 0;

	if (!f || ferror(f) || fclose(f))
		return 2;
	git_config_init(&r, bytes, len);
	for (;;) {
		switch (git_config_next(&r)) {
		case GIT_CONFIG_END:
			return 0;
		case GIT_CONFIG_BAD:
			return 1;
		case GIT_CONFIG_ENTRY:
			(void)fwrite(r.key, 1, r.key_len, stdout);
			if (r.has_value) {
				(void)putchar('\n');
				(void)fwrite(r.value, 1, r.value_len, stdout);
			}
			(void)putchar('\0');
		}
	}
}
