/* SPDX-License-Identifier: Apache-2.0 */
/* gitformat-index(5), read as git's read-cache.c does. git trusts the paths of its own
 * index: "git checkout -- ." or "git stash" writes an entry ".git/hooks/post-checkout"
 * like any other (seen with 2.39). So no entry may lead into a git directory.
 *
 * What decides how the file is read is not all in the file: the size of a hash follows
 * extensions.objectFormat, and with index.threads entries are looked up through a
 * table (IEOT) that itself is found through another (EOIE). Both sizes are tried, and
 * the tables must say what the plain walk says. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "policy/git_content.h"
#include "policy/git_path.h"

#define HEADER_SIZE 12
#define STAT_SIZE 40
#define FLAG_EXTENDED 0x4000u
#define NAME_MASK 0xfffu
#define NAME_SIZE 4096

struct index {
	const unsigned char *bytes;
	size_t len; /* without the checksum */
	size_t hash;
	unsigned version;
	uint32_t entries;
	size_t extensions; /* where they begin */
	bool bad_path;
	char name[NAME_SIZE];
	size_t name_len;
};

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* git's varint.c. */
static bool varint(const struct index *x, size_t *pos, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8 && *pos < x->len; i++) {
		unsigned char c = x->bytes[(*pos)++];

		value = i ? ((value + 1) << 7) + (c & 127u) : c & 127u;
		if (!(c & 128u)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

/* What git's verify_path() refuses when a path comes from elsewhere. */
static bool leads_out(const char *path, size_t len)
{
	const char *end = path + len;

	if (len > 0 && path[0] == '/')
		return true;
	while (path < end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t n = (size_t)((slash ? slash : end) - path);

		/* Nothing, "." or "..". */
		if (n <= 2 && memcmp(path, "..", n) == 0)
			return true;
		if ((path[0] == '.' || chr_lower(path[0]) == 'g' || (path[0] & 0x80)) &&
		    git_name(path, n) == NAME_DOTGIT)
			return true;
		path += n + 1;
	}
	return false;
}

/* The name, from *pos on. `whole`: it must not build on the one before (the first of
 * a block of IEOT). */
static bool read_name(struct index *x, size_t *pos, size_t claimed, bool whole)
{
	const unsigned char *nul;
	uint64_t strip = 0;
	size_t n;

	if (x->version == 4) {
		if (!varint(x, pos, &strip) || strip > x->name_len)
			return false;
		x->name_len -= (size_t)strip;
		if (whole && x->name_len > 0)
			return false;
	} else {
		x->name_len = 0;
	}
	nul = memchr(x->bytes + *pos, 0, x->len - *pos);
	if (!nul)
		return false;
	n = (size_t)(nul - (x->bytes + *pos));
	if (n >= sizeof(x->name) - x->name_len)
		return false;
	memcpy(x->name + x->name_len, x->bytes + *pos, n);
	x->name_len += n;
	*pos += n + 1;
	/* git takes the length it is told, to the byte: past a NUL, or short of it. */
	return x->name_len == claimed || (claimed == NAME_MASK && x->name_len >= NAME_MASK);
}

static bool read_entry(struct index *x, size_t *pos, bool whole)
{
	size_t start = *pos, fixed = STAT_SIZE + x->hash + 2;
	unsigned flags;

	if (x->len - start < fixed)
		return false;
	flags = (unsigned)x->bytes[start + fixed - 2] << 8 | x->bytes[start + fixed - 1];
	if (flags & FLAG_EXTENDED)
		fixed += 2;
	if (x->version == 2 && (flags & FLAG_EXTENDED))
		return false;
	if (x->len - start < fixed)
		return false;
	*pos = start + fixed;
	if (!read_name(x, pos, flags & NAME_MASK, whole))
		return false;
	if (x->version != 4) {
		/* One to eight NULs, to a multiple of eight. */
		size_t size = (fixed + x->name_len + 8) & ~(size_t)7;

		if (x->len - start < size)
			return false;
		*pos = start + size;
	}
	x->bad_path = x->bad_path || leads_out(x->name, x->name_len);
	return true;
}

/* The table must cut the entries where they are. */
static bool table_ok(struct index *x, const unsigned char *table, size_t size)
{
	size_t pos = HEADER_SIZE, left = 0, at = 4;
	uint32_t seen = 0;

	if (size < 4 || be32(table) != 1 || (size - 4) % 8 != 0)
		return false;
	x->name_len = 0;
	for (; seen < x->entries; seen++, left--) {
		bool first = left == 0;

		if (first) {
			if (size - at < 8 || be32(table + at) != pos)
				return false;
			left = be32(table + at + 4);
			at += 8;
			if (left == 0)
				return false;
		}
		if (!read_entry(x, &pos, first))
			return false;
	}
	return left == 0 && at == size;
}

static bool extensions_ok(struct index *x)
{
	size_t pos = x->extensions, eoie = 8 + 4 + x->hash;
	bool table = false;

	if (x->len - pos >= eoie && memcmp(x->bytes + x->len - eoie, "EOIE", 4) == 0 &&
	    be32(x->bytes + x->len - eoie + 8) != x->extensions)
		return false;
	while (pos < x->len) {
		size_t size;

		if (x->len - pos < 8)
			return false;
		size = be32(x->bytes + pos + 4);
		if (size > x->len - pos - 8)
			return false;
		if (memcmp(x->bytes + pos, "IEOT", 4) == 0) {
			if (table || !table_ok(x, x->bytes + pos + 8, size))
				return false;
			table = true;
		}
		pos += 8 + size;
	}
	return true;
}

/* Whether git could read the file this way. */
static bool read_index(struct index *x, const unsigned char *bytes, size_t len, size_t hash)
{
	size_t pos = HEADER_SIZE;

	if (len < HEADER_SIZE + hash || memcmp(bytes, "DIRC", 4) != 0)
		return false;
	x->bytes = bytes;
	x->len = len - hash;
	x->hash = hash;
	x->version = be32(bytes + 4);
	x->entries = be32(bytes + 8);
	x->bad_path = false;
	x->name_len = 0;
	if (x->version < 2 || x->version > 4)
		return false;
	for (uint32_t i = 0; i < x->entries; i++)
		if (!read_entry(x, &pos, i == 0))
			return false;
	x->extensions = pos;
	return extensions_ok(x);
}

bool git_index_ok(const void *bytes, size_t len, char *reason, size_t size)
{
	static const size_t hashes[] = { 20, 32 }; /* SHA-1, SHA-256 */
	const struct git_why why = { reason, size };
	struct index x;
	bool readable = false;

	if (size > 0)
		reason[0] = '\0';
	if (len == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
		if (!read_index(&x, bytes, len, hashes[i]))
			continue;
		readable = true;
		if (x.bad_path)
			return git_refuse(&why, "an entry of the index leads into a git directory");
	}
	return readable || git_refuse(&why, "not an index that git can read");
}
