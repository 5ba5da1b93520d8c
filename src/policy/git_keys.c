/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "policy/data.h"
#include "policy/git_keys.h"
#include "policy/private_home.h"

/* Groups of data/git-config-keys. */
static const struct {
	const char *group;
	enum git_key_kind kind;
} kinds[] = {
	{ "plain", KEY_PLAIN },		  { "word", KEY_WORD },		{ "text", KEY_TEXT },
	{ "lines", KEY_LINES },		  { "ref", KEY_REF },		{ "url", KEY_URL },
	{ "remote", KEY_REMOTE },	  { "true", KEY_TRUE },		{ "false", KEY_FALSE },
	{ "shared", KEY_SHARED },	  { "update", KEY_UPDATE },	{ "tagopt", KEY_TAGOPT },
	{ "gpg-format", KEY_GPG_FORMAT }, { "worktree", KEY_WORKTREE },
};

/* Keys that are known to start something; only the message depends on it. */
static const char *const dangers[] = {
	"alias.",
	"browser.",
	"core.alternaterefscommand",
	"core.askpass",
	"core.editor",
	"core.fsmonitor",
	"core.gitproxy",
	"core.hookspath",
	"core.pager",
	"core.sshcommand",
	"credential.",
	"diff.",
	"difftool.",
	"filter.",
	"gc.recentobjectshook",
	"gpg.",
	"guitool.",
	"help.browser",
	"hook.",
	"imap.tunnel",
	"include.",
	"includeif.",
	"instaweb.",
	"interactive.difffilter",
	"man.",
	"merge.",
	"mergetool.",
	"pager.",
	"protocol.",
	"sendemail.",
	"sequence.editor",
	"tar.",
	"trailer.",
	"uploadpack.",
	"web.",
};

static enum git_key_kind find(const char *key, size_t len)
{
	const struct data_list *list = &data_git_config_keys;

	for (size_t i = 0; i < list->n; i++) {
		const struct data_entry row_at = data_at(list, i), *row = &row_at;

		if (strncmp(row->text, key, len) != 0 || row->text[len] != '\0')
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
			if (row->group && streq(kinds[k].group, row->group))
				return kinds[k].kind;
	}
	return KEY_UNKNOWN;
}

enum git_key_kind git_key_kind(const char *key, const char **ret_sub, size_t *ret_sub_len)
{
	const char *first = strchr(key, '.');
	const char *last = strrchr(key, '.');
	char pattern[64];
	size_t section, name, stem;
	enum git_key_kind kind;

	*ret_sub = key;
	*ret_sub_len = 0;
	if (!first)
		return KEY_UNKNOWN;
	section = (size_t)(first - key);
	name = strlen(last + 1);
	if (section == 0 || name == 0 || section + name + 4 > sizeof(pattern))
		return KEY_UNKNOWN;
	memcpy(pattern, key, section + 1);
	stem = section + 1;
	if (first != last) {
		*ret_sub = first + 1;
		*ret_sub_len = (size_t)(last - first - 1);
		/* [core ""] is no section of git's. */
		if (*ret_sub_len == 0)
			return KEY_UNKNOWN;
		pattern[stem++] = '*';
		pattern[stem++] = '.';
	}
	memcpy(pattern + stem, last + 1, name);
	kind = find(pattern, stem + name);
	if (kind != KEY_UNKNOWN)
		return kind;
	pattern[stem] = '?';
	return find(pattern, stem + 1);
}

bool git_key_runs(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(dangers); i++)
		if (str_ends(dangers[i], ".") ? str_starts(key, dangers[i])
					      : streq(key, dangers[i]))
			return true;
	return false;
}

const char *git_key_danger(const char *key)
{
	return git_key_runs(key) ? "may run a program" : "is not on the list of harmless keys";
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (chr_lower(c) >= 'a' && chr_lower(c) <= 'z');
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool has_control(const char *s, const char *except)
{
	for (; *s; s++)
		if (is_control(*s) && !strchr(except, *s))
			return true;
	return false;
}

/* Never taken for an option. */
static bool is_text(const char *s)
{
	return *s != '-' && !has_control(s, "");
}

static bool all_in(const char *s, const char *others)
{
	for (; *s; s++)
		if (!is_alnum(*s) && !strchr(others, *s))
			return false;
	return true;
}

/* May begin with "-" (sort keys, whitespace rules): git gives none of these to a
 * command but as the value of an option. */
static bool is_plain(const char *s)
{
	return all_in(s, " _.,:/+%=@~^-");
}

static bool is_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (streq_fold(s, *list))
			return true;
	return false;
}

bool git_sub_ok(const char *sub, size_t len)
{
	if (len == 0 || sub[0] == '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (is_control(sub[i]))
			return false;
	return true;
}

/* "%2d" and the like, in what git decodes before it gives it to ssh. */
static bool has_escape(const char *s, size_t len, const char *hex)
{
	for (size_t i = 0; i + 2 < len; i++)
		if (s[i] == '%' && chr_lower(s[i + 1]) == hex[0] && chr_lower(s[i + 2]) == hex[1])
			return true;
	return false;
}

/* user@host:port. No part may become an option of ssh. */
static bool is_authority(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] == '-' && (i == 0 || strchr("@:[", s[i - 1])))
			return false;
	return !has_escape(s, len, "2d") && !has_escape(s, len, "40");
}

bool git_url_ok(const char *url)
{
	static const char *const schemes[] = { "http",	  "https", "ssh", "git",  "git+ssh",
					       "ssh+git", "file",  "ftp", "ftps", NULL };
	size_t scheme = 0;
	const char *rest;

	if (!is_text(url) || has_escape(url, strlen(url), "0a") ||
	    has_escape(url, strlen(url), "0d") || has_escape(url, strlen(url), "00"))
		return false;
	while (is_alnum(url[scheme]) || (url[scheme] && strchr("+-.", url[scheme])))
		scheme++;
	/* The hooks of a repository there would run at the next push. */
	if (strncasecmp(url, "http", 4) != 0 && may_name_private_home(url))
		return false;
	/* "HELPER::address" starts git-remote-HELPER. So does an unknown scheme. */
	if (str_starts(url + scheme, "::"))
		return false;
	if (str_starts(url + scheme, "://")) {
		char name[16];

		if (scheme >= sizeof(name))
			return false;
		memcpy(name, url, scheme);
		name[scheme] = '\0';
		rest = url + scheme + 3;
		return is_one_of(name, schemes) && is_authority(rest, strcspn(rest, "/"));
	}
	/* host:path, unless a slash comes first. */
	rest = strpbrk(url, ":/");
	if (!rest || *rest == '/')
		return true;
	rest = url[0] == '[' && strchr(url, ']') ? strchr(url, ']') + 1 : rest;
	return is_authority(url, (size_t)(rest - url)) && !str_starts(rest, ":-");
}

/* What a remote's name must be, for it is given to commands: a URL or a word. */
static bool is_remote(const char *s)
{
	return *s && git_url_ok(s);
}

bool git_value_ok(enum git_key_kind kind, const char *value)
{
	static const char *const shared[] = { "umask", "false", "no",	"off",	"0",	"group",
					      "true",  "yes",	"on",	"1",	"0600", "0640",
					      "0660",  "0700",	"0750", "0770", NULL };
	static const char *const update[] = { "checkout", "rebase", "merge", "none", NULL };
	static const char *const yes[] = { "true", "yes", "on", "1", NULL };
	static const char *const no[] = { "false", "no", "off", "0", "", NULL };
	static const char *const tagopt[] = { "--tags", "--no-tags", NULL };
	static const char *const format[] = { "openpgp", "x509", "ssh", NULL };

	/* A key alone is "true" where it is a boolean, and an error elsewhere. */
	if (!value)
		return kind == KEY_PLAIN || kind == KEY_WORD || kind == KEY_TRUE;
	switch (kind) {
	case KEY_PLAIN:
		return is_plain(value);
	case KEY_WORD:
		return *value != '-' && all_in(value, "-_");
	case KEY_TEXT:
		return is_text(value);
	case KEY_LINES:
		return !has_control(value, "\n\t");
	case KEY_REF:
		return is_text(value);
	case KEY_URL:
		return git_url_ok(value);
	case KEY_REMOTE:
		return is_remote(value);
	case KEY_TRUE:
		return is_one_of(value, yes);
	case KEY_FALSE:
		return is_one_of(value, no);
	case KEY_SHARED:
		return is_one_of(value, shared);
	case KEY_UPDATE:
		return is_one_of(value, update);
	case KEY_TAGOPT:
		return is_one_of(value, tagopt);
	case KEY_GPG_FORMAT:
		return is_one_of(value, format);
	case KEY_UNKNOWN:
	case KEY_WORKTREE:
		break;
	}
	return false;
}
