/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/walk.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/fd.h"

#define PROCESSES_MAX 65536
#define CHILDREN_MAX (1u << 20)

static int walk_add(struct walk *k, int32_t pid)
{
	if (k->n >= PROCESSES_MAX)
		return -E2BIG;
	if (k->n == k->cap) {
		size_t cap = k->cap ? 2 * k->cap : 64;
		int32_t *p = reallocarray(k->pids, cap, sizeof(*p));

		if (!p)
			return -ENOMEM;
		k->pids = p;
		k->cap = cap;
	}
	k->pids[k->n++] = pid;
	return 0;
}

int walk_add_children(struct walk *k, int tasks, const char *thread)
{
	_cleanup_free_ char *text = NULL;
	char path[300], *p;
	int r;

	(void)snprintf(path, sizeof(path), "%s/children", thread);
	r = fd_read_file(tasks, path, CHILDREN_MAX, &text, NULL);
	if (r < 0)
		/* Gone meanwhile; without the file at all, the first look tells. */
		return r == -ENOENT || r == -ESRCH ? 0 : r;
	for (p = text; *p;) {
		long pid = strtol(p, &p, 10);

		if (pid <= 0)
			break;
		r = walk_add(k, (int32_t)pid);
		if (r < 0)
			return r;
	}
	return 0;
}
