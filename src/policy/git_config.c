/* SPDX-License-Identifier: Apache-2.0 */
/* The functions and their order mirror git_parse_source(), get_base_var(),
 * get_extended_base_var(), get_value() and parse_value() of git 2.39 (unchanged in
 * what they accept since 2.5). Stricter in three things: no NUL bytes, no variable
 * in front of the first section, bounded lengths. */
#include <string.h>

#include "base/str.h"
#include "policy/git_config.h"

static bool is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_key_char(int c)
{
	return is_alpha(c) || (c >= '0' && c <= '9') || c == '-';
}

/* git's own isspace(): no \v, no \f, no locale. */
static bool is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int next_char(struct git_config_reader *r)
{
	int c;

	if (r->pos >= r->len) {
		r->eof = true;
		r->line++;
		return '\n';
	}
	c = (unsigned char)r->bytes[r->pos++];
	if (c == '\r' && r->pos < r->len && r->bytes[r->pos] == '\n') {
		r->pos++;
		c = '\n';
	}
	if (c == '\n')
		r->line++;
	return c;
}

static bool add_key(struct git_config_reader *r, int c)
{
	/* Room for the '.' of the stem and the NUL. */
	if (r->key_len + 2 >= sizeof(r->key))
		return false;
	r->key[r->key_len++] = (char)c;
	return true;
}

static bool add_value(struct git_config_reader *r, int c)
{
	if (r->value_len + 1 >= sizeof(r->value))
		return false;
	r->value[r->value_len++] = (char)c;
	return true;
}

/* [section "sub"], after the space; the subsection keeps its case. */
static bool read_subsection(struct git_config_reader *r, int c)
{
	do {
		if (c == '\n')
			return false;
		c = next_char(r);
	} while (is_space(c));
	if (c != '"' || !add_key(r, '.'))
		return false;
	for (;;) {
		c = next_char(r);
		if (c == '\n')
			return false;
		if (c == '"')
			break;
		if (c == '\\') {
			c = next_char(r);
			if (c == '\n')
				return false;
		}
		if (!add_key(r, c))
			return false;
	}
	return next_char(r) == ']';
}

static bool read_section(struct git_config_reader *r)
{
	r->key_len = 0;
	for (;;) {
		int c = next_char(r);

		if (r->eof)
			return false;
		if (c == ']')
			return true;
		if (is_space(c))
			return read_subsection(r, c);
		if (!is_key_char(c) && c != '.')
			return false;
		if (!add_key(r, chr_lower((char)c)))
			return false;
	}
}

/* After a backslash. Returns the character, -1 for none (a continued line), -2 for
 * an escape that git refuses. */
static int escaped(int c)
{
	switch (c) {
	case '\n':
		return -1;
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'n':
		return '\n';
	case '\\':
	case '"':
		return c;
	default:
		return -2;
	}
}

static bool read_value(struct git_config_reader *r)
{
	bool quote = false, comment = false;
	size_t space = 0;

	r->value_len = 0;
	for (;;) {
		int c = next_char(r);

		if (c == '\n')
			return !quote;
		if (comment)
			continue;
		if (is_space(c) && !quote) {
			if (r->value_len)
				space++;
			continue;
		}
		if (!quote && (c == ';' || c == '#')) {
			comment = true;
			continue;
		}
		for (; space; space--)
			if (!add_value(r, ' '))
				return false;
		if (c == '\\') {
			c = escaped(next_char(r));
			if (c == -2)
				return false;
			if (c != -1 && !add_value(r, c))
				return false;
			continue;
		}
		if (c == '"') {
			quote = !quote;
			continue;
		}
		if (!add_value(r, c))
			return false;
	}
}

/* The rest of a variable whose first letter is in the key already. */
static bool read_variable(struct git_config_reader *r)
{
	int c;

	for (;;) {
		c = next_char(r);
		if (r->eof || !is_key_char(c))
			break;
		if (!add_key(r, chr_lower((char)c)))
			return false;
	}
	while (c == ' ' || c == '\t')
		c = next_char(r);
	r->has_value = c != '\n';
	r->value_len = 0;
	if (c == '\n')
		return true;
	return c == '=' && read_value(r);
}

void git_config_init(struct git_config_reader *r, const char *bytes, size_t len)
{
	r->bytes = bytes;
	r->len = len;
	r->pos = 0;
	r->line = 1;
	r->stem = 0;
	r->eof = false;
	r->key_len = 0;
	r->value_len = 0;
	r->has_value = false;
	r->entry_line = 1;
	if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		r->pos = 3;
}

static enum git_config_next finish(struct git_config_reader *r, bool ok)
{
	if (!ok) {
		r->eof = true;
		r->pos = r->len;
		return GIT_CONFIG_BAD;
	}
	r->key[r->key_len] = '\0';
	r->value[r->value_len] = '\0';
	return GIT_CONFIG_ENTRY;
}

enum git_config_next git_config_next(struct git_config_reader *r)
{
	bool comment = false;

	for (;;) {
		int c;

		/* Here only: the file may end inside an entry, which is then still given. */
		if (r->eof)
			return GIT_CONFIG_END;
		r->entry_line = r->line;
		c = next_char(r);
		if (c == '\n') {
			comment = false;
			continue;
		}
		if (comment || is_space(c))
			continue;
		if (c == '#' || c == ';') {
			comment = true;
			continue;
		}
		if (c == '[') {
			if (!read_section(r) || r->key_len == 0)
				return finish(r, false);
			r->key[r->key_len++] = '.';
			r->stem = r->key_len;
			continue;
		}
		if (!is_alpha(c) || r->stem == 0)
			return finish(r, false);
		r->key_len = r->stem;
		return finish(r, add_key(r, chr_lower((char)c)) && read_variable(r) &&
					 !memchr(r->key, '\0', r->key_len) &&
					 !memchr(r->value, '\0', r->value_len));
	}
}
