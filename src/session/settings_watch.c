/* SPDX-License-Identifier: Apache-2.0 */
#include "session/settings_watch.h"

#include <limits.h>
#include <stdalign.h>
#include <string.h>
#include <sys/inotify.h>

#include "base/path.h"
#include "base/str.h"

#define SEEN                                                                                \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ATTRIB | \
	 IN_DELETE_SELF | IN_ONLYDIR)

static bool add(struct settings_watch *w, const char *dir, const char *only)
{
	int wd = inotify_add_watch(w->fd, dir, SEEN);

	if (wd < 0)
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (w->dirs[i].wd == wd && streq(w->dirs[i].only, only))
			return true;
	if (w->n == WATCH_DIRS_MAX)
		return false;
	w->dirs[w->n].wd = wd;
	(void)snprintf(w->dirs[w->n].only, sizeof(w->dirs[w->n].only), "%s", only);
	w->n++;
	return true;
}

void settings_watch_dir(struct settings_watch *w, const char *dir)
{
	_cleanup_free_ char *parent = NULL;
	char *slash;

	if (w->fd < 0)
		w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd < 0 || add(w, dir, ""))
		return;
	parent = strdup(dir);
	slash = parent ? strrchr(parent, '/') : NULL;
	if (!slash)
		return;
	slash[slash == parent ? 1 : 0] = '\0';
	(void)add(w, parent, path_base(dir));
}

static bool is_settings(const char *name)
{
	return str_ends(name, ".json") || str_ends(name, ".toml") || str_ends(name, ".rules");
}

static bool counts(const struct settings_watch *w, const struct inotify_event *e)
{
	if (e->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF))
		return true;
	for (size_t i = 0; i < w->n; i++) {
		if (w->dirs[i].wd != e->wd || !e->len)
			continue;
		if (w->dirs[i].only[0] ? streq(w->dirs[i].only, e->name) : is_settings(e->name))
			return true;
	}
	return false;
}

static void take_events(struct settings_watch *w, long long now_ms)
{
	alignas(struct inotify_event) char data[4096];
	ssize_t n;

	while ((n = read(w->fd, data, sizeof(data))) > 0) {
		for (size_t i = 0; i + sizeof(struct inotify_event) <= (size_t)n;) {
			struct inotify_event head;
			const void *p = data + i;

			memcpy(&head, p, sizeof(head));
			if (counts(w, p)) {
				w->dirty = true;
				w->changed_ms = now_ms;
			}
			i += sizeof(head) + head.len;
		}
	}
}

bool settings_watch_ready(struct settings_watch *w, bool readable, long long now_ms)
{
	if (readable)
		take_events(w, now_ms);
	if (!w->dirty || now_ms - w->changed_ms < WATCH_SETTLE_MS)
		return false;
	w->dirty = false;
	return true;
}

int settings_watch_timeout(const struct settings_watch *w, long long now_ms)
{
	long long left = w->changed_ms + WATCH_SETTLE_MS - now_ms;

	if (!w->dirty)
		return -1;
	return left < 0 ? 0 : (int)left;
}
