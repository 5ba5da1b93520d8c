/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "policy/git_path.h"

/* Room for the longest name below and a NUL. */
#define FOLDED_MAX 16

static const struct {
	char text[FOLDED_MAX];
	enum git_name name;
} names[] = {
	{ ".git", NAME_DOTGIT },
	{ "git~1", NAME_DOTGIT },
	{ ".gitmodules", NAME_GITMODULES },
	{ "gitmod~1", NAME_GITMODULES },
	{ "gitmod~2", NAME_GITMODULES },
	{ "gitmod~3", NAME_GITMODULES },
	{ "gitmod~4", NAME_GITMODULES },
	{ "gi7eba~1", NAME_GITMODULES },
	{ "gi7eba~9", NAME_GITMODULES },
	{ "config", NAME_CONFIG },
	{ "config.worktree", NAME_CONFIG_WORKTREE },
	{ "commondir", NAME_COMMONDIR },
	{ "head", NAME_HEAD },
	{ "refs", NAME_REFS },
	{ "logs", NAME_LOGS },
	{ "hooks", NAME_HOOKS },
	{ "info", NAME_INFO },
	{ "objects", NAME_OBJECTS },
	{ "modules", NAME_MODULES },
	{ "worktrees", NAME_WORKTREES },
	{ "attributes", NAME_ATTRIBUTES },
	{ "alternates", NAME_ALTERNATES },
	{ "http-alternates", NAME_HTTP_ALTERNATES },
	{ "rebase-merge", NAME_REBASE_MERGE },
	{ "rebase-apply", NAME_REBASE_APPLY },
	{ "sequencer", NAME_SEQUENCER },
	{ "remotes", NAME_REMOTES },
	{ "branches", NAME_BRANCHES },
	{ "git-rebase-todo", NAME_TODO },
	{ "todo", NAME_TODO },
	{ "opts", NAME_OPTS },
	{ "strategy", NAME_STRATEGY },
	{ "merge_rr", NAME_MERGE_RR },
	{ "index", NAME_INDEX },
};

/* Code points that HFS+ (git's list) or ext4's case folding (Default_Ignorable)
 * leave out when they compare names. */
static const struct {
	uint32_t first, last;
} ignored[] = {
	{ 0xad, 0xad },	      { 0x34f, 0x34f },	  { 0x61c, 0x61c },	{ 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },   { 0x180b, 0x180f }, { 0x200b, 0x200f },	{ 0x202a, 0x202e },
	{ 0x2060, 0x206f },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfff8 }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
	{ 0xe0000, 0xe0fff },
};

static bool is_ignored(uint32_t cp)
{
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		if (cp >= ignored[i].first && cp <= ignored[i].last)
			return true;
	return false;
}

/* One code point of s; a byte that begins no valid sequence stands for itself,
 * out of Unicode's range. */
static uint32_t next_code_point(const char *s, size_t len, size_t *pos)
{
	unsigned char c = (unsigned char)s[*pos];
	uint32_t cp = c;
	size_t more = c >= 0xf0 && c < 0xf8 ? 3 : c >= 0xe0 ? 2 : 1;

	*pos += 1;
	if (c < 0x80)
		return cp;
	if (c < 0xc2 || c >= 0xf8 || len - *pos < more)
		return 0x110000 + cp;
	cp &= 0x3fu >> more;
	for (size_t i = 0; i < more; i++) {
		unsigned char t = (unsigned char)s[*pos + i];

		if ((t & 0xc0) != 0x80)
			return 0x110000 + c;
		cp = cp << 6 | (t & 0x3f);
	}
	*pos += more;
	return cp;
}

/* Returns the folded length, or 0 when the name is longer than any of ours. */
static size_t fold(const char *s, size_t len, char dst[FOLDED_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		uint32_t cp = next_code_point(s, len, &i);

		if (cp == ':' && n > 0)
			break; /* an NTFS stream of the file itself */
		if (cp >= 0x80 && is_ignored(cp))
			continue;
		if (cp == 0x17f) /* long s */
			cp = 's';
		if (cp == 0x212a) /* Kelvin sign */
			cp = 'k';
		if (cp == ' ' || cp == '.') {
			/* NTFS drops these at the end, however many there are. */
			size_t j = i;

			while (j < len && (s[j] == ' ' || s[j] == '.'))
				j++;
			if (n > 0 && (j == len || s[j] == ':'))
				break;
		}
		if (cp >= 0x80 || n == FOLDED_MAX)
			return 0;
		dst[n++] = chr_lower((char)cp);
	}
	return n;
}

/* Nearly every name of a tree: plain ASCII that folds to itself in lower case. This is
 * asked several times for each file that is made. */
static bool is_simple(const char *s, size_t len)
{
	if (s[len - 1] == '.' || s[len - 1] == ' ')
		return false;
	for (size_t i = 0; i < len; i++)
		if ((s[i] & 0x80) || s[i] == ':')
			return false;
	return true;
}

enum git_name git_name(const char *s, size_t len)
{
	char folded[FOLDED_MAX] = { 0 };
	size_t n = len;

	if (len == 0)
		return NAME_OTHER;
	if (!is_simple(s, len))
		n = fold(s, len, folded);
	else if (len < sizeof(folded))
		for (size_t i = 0; i < len; i++)
			folded[i] = chr_lower(s[i]);
	for (size_t i = 0; n > 0 && n < FOLDED_MAX && i < ARRAY_SIZE(names); i++)
		if (names[i].text[0] == folded[0] && memcmp(names[i].text, folded, FOLDED_MAX) == 0)
			return names[i].name;
	/* The base of a split index has a hash in its name. */
	if (len > 12 && chr_lower(s[0]) == 's' && strncasecmp(s, "sharedindex.", 12) == 0)
		return NAME_INDEX;
	return NAME_OTHER;
}

/* From a directory that may be a git directory. */
static enum git_place next_in_gitdir(enum git_place place, enum git_name name)
{
	switch (name) {
	case NAME_HOOKS:
		return PLACE_HOOKS;
	case NAME_INFO:
		return PLACE_INFO;
	case NAME_OBJECTS:
		return PLACE_OBJECTS;
	case NAME_MODULES:
		return PLACE_MODULES;
	case NAME_WORKTREES:
		return PLACE_WORKTREES;
	case NAME_REBASE_MERGE:
	case NAME_REBASE_APPLY:
	case NAME_SEQUENCER:
		return PLACE_STATE;
	case NAME_REMOTES:
	case NAME_BRANCHES:
		return PLACE_LEGACY;
	case NAME_REFS:
	case NAME_LOGS:
		return PLACE_INSIDE;
	default:
		return place == PLACE_MODULE ? PLACE_MODULE : PLACE_INSIDE;
	}
}

enum git_place git_place_next(enum git_place place, enum git_name name)
{
	/* No ref, no object and no submodule has a component ".git": wherever one
	 * is, it can be found by a git. */
	if (name == NAME_DOTGIT)
		return PLACE_TOP;
	switch (place) {
	case PLACE_TOP:
	case PLACE_WORKTREE:
	case PLACE_MODULE:
		return next_in_gitdir(place, name);
	case PLACE_MODULES:
		return PLACE_MODULE;
	case PLACE_WORKTREES:
		return PLACE_WORKTREE;
	case PLACE_OBJECTS:
		return name == NAME_INFO ? PLACE_OBJECTS_INFO : PLACE_INSIDE;
	case PLACE_HOOKS:
	case PLACE_LEGACY:
	case PLACE_OUTSIDE:
		return place;
	default:
		return PLACE_INSIDE;
	}
}

/* Outside git directories only a ".git" matters, and nearly no name is one. */
static bool may_be_dotgit(const char *s, size_t len)
{
	return len >= 4 && (s[0] == '.' || chr_lower(s[0]) == 'g' || (s[0] & 0x80));
}

enum git_place git_place_walk(enum git_place place, const char *path, size_t len)
{
	const char *end = path + len;

	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t n = (size_t)((slash ? slash : end) - path);

		if (n > 0 && (place != PLACE_OUTSIDE || may_be_dotgit(path, n)))
			place = git_place_next(place, git_name(path, n));
		path += n + 1;
	}
	return place;
}

enum git_place git_place(const char *dir)
{
	return git_place_walk(PLACE_OUTSIDE, dir, strlen(dir));
}

/* Drops the last component of an absolute path. */
static bool climb(char *dst, size_t *len)
{
	if (*len == 0)
		return false;
	while (*len > 0 && dst[*len - 1] != '/')
		*len -= 1;
	if (*len > 0)
		*len -= 1;
	return true;
}

bool git_resolve(const char *dir, const char *path, size_t len, char *dst, size_t size)
{
	const char *end = path + len;
	size_t used = 0;
	bool named = false;

	if (len == 0 || memchr(path, '\0', len))
		return false;
	if (path[0] != '/') {
		used = strlen(dir);
		while (used > 0 && dir[used - 1] == '/')
			used--;
		if (used >= size)
			return false;
		memcpy(dst, dir, used);
	}
	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t n = (size_t)((slash ? slash : end) - path);

		if (n == 2 && memcmp(path, "..", 2) == 0) {
			if (named || !climb(dst, &used))
				return false;
		} else if (n > 0 && !(n == 1 && path[0] == '.')) {
			if (n + 2 > size - used)
				return false;
			dst[used++] = '/';
			memcpy(dst + used, path, n);
			used += n;
			named = true;
		}
		path += n + 1;
	}
	if (used == 0) {
		if (size < 2)
			return false;
		dst[used++] = '/';
	}
	dst[used] = '\0';
	return true;
}
