/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "linux/walk.h"

#define TEXT_MAX 65536

/* The number after `label` in a text of lines "Label:  N kB", in bytes; 0: it is not there. */
static uint64_t kilobytes(const char *text, const char *label)
{
	const char *p = strstr(text, label);

	return p ? strtoull(p + strlen(label), NULL, 10) * 1024 : 0;
}

int watch_machine(uint64_t *ret_used)
{
	_cleanup_free_ char *text = NULL;
	uint64_t total, swap;
	int r = fd_read_file(AT_FDCWD, "/proc/meminfo", TEXT_MAX, &text, NULL);

	if (r < 0)
		return r;
	total = kilobytes(text, "MemTotal:");
	swap = kilobytes(text, "SwapTotal:") - kilobytes(text, "SwapFree:");
	if (!total)
		return -EPROTO;
	*ret_used = total - kilobytes(text, "MemAvailable:") + swap;
	return 0;
}

int watch_machine_tasks(uint64_t *ret)
{
	_cleanup_free_ char *text = NULL;
	const char *slash;
	int r = fd_read_file(AT_FDCWD, "/proc/loadavg", TEXT_MAX, &text, NULL);

	if (r < 0)
		return r;
	/* proc(5): "0.20 0.18 0.12 RUNNING/TASKS LAST". */
	slash = strchr(text, '/');
	*ret = slash ? strtoull(slash + 1, NULL, 10) : 0;
	return slash ? 0 : -EPROTO;
}

/* Pages in memory, shared ones as well: an upper bound that costs nothing to know. */
static uint64_t resident(pid_t pid)
{
	_cleanup_free_ char *text = NULL;
	char path[64], *p;

	(void)snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	if (fd_read_file(AT_FDCWD, path, TEXT_MAX, &text, NULL) < 0)
		return 0;
	(void)strtoull(text, &p, 10);
	return strtoull(p, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Its share of the pages that are no file's; without the kernel's word, the bound. */
static uint64_t proportional(pid_t pid)
{
	_cleanup_free_ char *text = NULL;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", pid);
	if (fd_read_file(AT_FDCWD, path, TEXT_MAX, &text, NULL) < 0 || !strstr(text, "Pss_Anon:"))
		return resident(pid);
	return kilobytes(text, "\nPss_Anon:") + kilobytes(text, "\nPss_Shmem:") +
	       kilobytes(text, "\nSwapPss:");
}

/* Adds the children of each of its threads, and counts these. */
static int look(struct walk *k, pid_t pid, uint64_t *tasks)
{
	_cleanup_closedir_ DIR *d = NULL;
	const struct dirent *e;
	char path[64];
	int fd, r = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	/* Not open(2): the warden's filter has openat(2) alone. */
	fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -errno;
	d = fdopendir(fd);
	if (!d) {
		close_quietly(fd);
		return -ENOMEM;
	}
	while (r >= 0 && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		++*tasks;
		r = walk_add_children(k, dirfd(d), e->d_name);
	}
	return r;
}

int watch_sum(pid_t init, uint64_t enough, struct watch_sum *ret)
{
	struct watch_sum sum = { 0 };
	struct walk k = { 0 };
	int r = look(&k, init, &sum.tasks);

	for (size_t i = 0; r >= 0 && i < k.n; i++)
		r = look(&k, k.pids[i], &sum.tasks);
	for (size_t i = 0; r >= 0 && i < k.n; i++)
		sum.bytes += resident(k.pids[i]);
	if (r >= 0 && sum.bytes > enough) {
		sum.bytes = 0;
		for (size_t i = 0; i < k.n; i++)
			sum.bytes += proportional(k.pids[i]);
	}
	free(k.pids);
	if (r >= 0)
		*ret = sum;
	return r;
}
