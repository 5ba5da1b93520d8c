/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over the files of directories, without a fuzzer: the normal
 * test run replays each corpus with it. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>

#include "base/fd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned replay(const char *path)
{
	_cleanup_closedir_ DIR *d = opendir(path);
	const struct dirent *e;
	unsigned n = 0;

	while (d && (e = readdir(d))) {
		_cleanup_free_ char *data = NULL;
		size_t len;

		if (e->d_name[0] == '.' ||
		    fd_read_file(dirfd(d), e->d_name, 16u << 20, &data, &len) < 0)
			continue;
		(void)LLVMFuzzerTestOneInput((const uint8_t *)data, len);
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	unsigned n = 0;

	for (int i = 1; i < argc; i++)
		n += replay(argv[i]);
	(void)printf("%u inputs replayed\n", n);
	return n ? 0 : 1;
}
