/* SPDX-License-Identifier: Apache-2.0 */
/* Does git track a file? Read from .git/index (gitformat-index(5)), since a
 * settings file that came with a clone is not the user's own. Everything that is
 * not understood counts as tracked. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/git_config.h"
#include "policy/layers.h"

#define INDEX_MAX (128u << 20)
#define REPO_DEPTH_MAX 64

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The offset encoding of index version 4. */
static bool varint(const unsigned char **p, const unsigned char *end, size_t *ret)
{
	size_t v = 0;

	for (unsigned i = 0; *p < end && i < 4; i++) {
		unsigned char c = *(*p)++;

		v = i ? ((v + 1) << 7) | (c & 127u) : c & 127u;
		if (!(c & 128u)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

/* One entry's name. Moves *p behind the entry. */
static bool entry_name(const unsigned char **p, const unsigned char *end, unsigned version,
		       size_t hash, char *name, size_t size)
{
	const unsigned char *start = *p, *q = start + 40 + hash, *nul;
	size_t keep = 0, strip, n;
	unsigned flags;

	if (end - start < (ptrdiff_t)(40 + hash + 4))
		return false;
	flags = (unsigned)q[0] << 8 | q[1];
	q += 2;
	if (flags & 0x4000u)
		q += 2;
	if (version == 4) {
		if (!varint(&q, end, &strip) || strip > strlen(name))
			return false;
		keep = strlen(name) - strip;
	}
	nul = memchr(q, 0, (size_t)(end - q));
	if (!nul)
		return false;
	n = (size_t)(nul - q);
	if (keep + n >= size)
		return false;
	memcpy(name + keep, q, n + 1);
	*p = version == 4 ? nul + 1 : start + ((size_t)(nul - start) + 8) / 8 * 8;
	return *p <= end;
}

/* Entries first; then extensions, of which "link" (a shared index) and "sdir" (a
 * sparse one) mean that not all names are here. */
static bool index_has(const unsigned char *data, size_t len, const char *path, size_t hash)
{
	const unsigned char *p = data + 12, *end = data + len;
	unsigned version, n;
	char name[4096] = "";

	if (len < 12 + hash || memcmp(data, "DIRC", 4) != 0)
		return true;
	version = be32(data + 4);
	n = be32(data + 8);
	if (version < 2 || version > 4)
		return true;
	end -= hash; /* the checksum */
	for (unsigned i = 0; i < n; i++) {
		if (!entry_name(&p, end, version, hash, name, sizeof(name)))
			return true;
		if (streq_fold(name, path))
			return true;
	}
	while (end - p >= 8) {
		size_t size = be32(p + 4);

		if (memcmp(p, "link", 4) == 0 || memcmp(p, "sdir", 4) == 0 ||
		    size > (size_t)(end - p) - 8)
			return true;
		p += 8 + size;
	}
	return p != end;
}

/* The git directory of the repository whose top is dir: dir/.git, or where a
 * pointer file leads. NULL when dir is no repository's top. */
static char *git_dir_of(const char *dir)
{
	_cleanup_free_ char *dotgit = path_join(dir, ".git"), *text = NULL;
	struct stat st;
	size_t len;

	if (!dotgit || lstat(dotgit, &st) < 0)
		return NULL;
	if (!S_ISREG(st.st_mode))
		return take_ptr(dotgit);
	if (fd_read_file(AT_FDCWD, dotgit, 8192, &text, &len) < 0 || !str_starts(text, "gitdir: "))
		return take_ptr(dotgit);
	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		text[--len] = '\0';
	return path_join(dir, text + 8);
}

/* Bytes of a hash in the repository at gitdir: 20, or 32 where its configuration
 * says so. The index itself does not tell. */
static size_t hash_size(const char *gitdir)
{
	_cleanup_free_ struct git_config_reader *c = malloc(sizeof(*c));
	_cleanup_free_ char *rel = path_join(gitdir, "commondir"), *common = NULL, *text = NULL,
			    *file = NULL;
	size_t len, size = 20;

	if (!c || !rel)
		return 0;
	if (fd_read_file(AT_FDCWD, rel, 4096, &common, NULL) == 0) {
		common[strcspn(common, "\r\n")] = '\0';
		file = common[0] == '/' ? str_printf("%s/config", common)
					: str_printf("%s/%s/config", gitdir, common);
	} else {
		file = path_join(gitdir, "config");
	}
	if (!file || fd_read_file(AT_FDCWD, file, 1u << 20, &text, &len) < 0)
		return file ? size : 0;
	git_config_init(c, text, len);
	while (git_config_next(c) == GIT_CONFIG_ENTRY)
		if (streq(c->key, "extensions.objectformat") && c->has_value)
			size = streq_fold(c->value, "sha256") ? 32 : 20;
	return size;
}

bool git_tracks(const char *dir, const char *rel)
{
	_cleanup_free_ char *top = strdup(dir), *gitdir = NULL, *index = NULL, *data = NULL,
			    *full = NULL;
	const char *path;
	size_t len, hash;
	int r;

	for (unsigned i = 0; top && i < REPO_DEPTH_MAX; i++) {
		gitdir = git_dir_of(top);
		if (gitdir || !strrchr(top, '/') || streq(top, "/"))
			break;
		*strrchr(top, '/') = '\0';
		if (!*top)
			memcpy(top, "/", 2);
	}
	if (!top || !gitdir)
		return true;
	index = path_join(gitdir, "index");
	full = path_join(dir, rel);
	if (!index || !full)
		return true;
	path = full + (streq(top, "/") ? 1 : strlen(top) + 1);
	r = fd_read_file(AT_FDCWD, index, INDEX_MAX, &data, &len);
	if (r == -ENOENT)
		return false; /* nothing was ever added */
	if (r < 0)
		return true;
	hash = hash_size(gitdir);
	return !hash || index_has((const unsigned char *)data, len, path, hash);
}
