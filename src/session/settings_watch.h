/* SPDX-License-Identifier: Apache-2.0 */
/* Sees that a settings file may have changed. Directories are watched, not files: an editor
 * replaces a file, and one that does not exist yet may come. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define WATCH_DIRS_MAX 64
#define WATCH_SETTLE_MS 100 /* so long nothing happened: the writer is done */

struct settings_watch {
	int fd; /* inotify, -1 none */
	struct {
		int wd;
		char only[64]; /* a name that counts there; "": every settings file */
	} dirs[WATCH_DIRS_MAX];
	size_t n;
	bool dirty;
	long long changed_ms;
};

#define SETTINGS_WATCH_INIT ((struct settings_watch){ .fd = -1 })

/* Watches dir; when it is not there, its parent for its coming. Again for the same one is fine.
 * Failure means that changes there are not seen. */
void settings_watch_dir(struct settings_watch *w, const char *dir);

/* true: something changed and has settled. readable: poll() says so. */
bool settings_watch_ready(struct settings_watch *w, bool readable, long long now_ms);
int settings_watch_timeout(const struct settings_watch *w, long long now_ms);
