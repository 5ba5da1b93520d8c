/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: one settings file as a flat list of entries, each with its line.
 * The command line becomes the same list, so that one function applies them all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "policy/resolve.h"
#include "policy/spec.h"

enum setting_key {
	SET_PROFILE, /* value */
	SET_MODE,    /* number: enum mode; so for the next ones */
	SET_ROOT,
	SET_HOME,
	SET_NET,
	SET_FAIL_IF_UNAVAILABLE, /* number: 0, 1 */
	SET_FILE,		 /* name: pattern, number: enum access, flags: enum rule_flag */
	SET_EXEC_DENY_WRITABLE,	 /* number: 0, 1 */
	SET_EXEC_RULE,		 /* name: pattern, number: enum exec_rule */
	SET_UNPROTECT,		 /* name: a protection, or a pattern */
	SET_PROTECTED_PATH,	 /* name: path */
	SET_STATE_DIR,		 /* name: path, writable in every mode */
	SET_ENV_PASS,		 /* name: variable or glob */
	SET_ENV_SET,		 /* name, value */
	SET_ENV_UNSET,		 /* name: variable or glob */
	SET_LIMIT,		 /* name, value, number */
	SET_IGNORE_VIOLATION,	 /* name: glob over "action target" */
	SET_COUNT,
};

struct setting {
	enum setting_key key;
	char *name;
	char *value;
	int64_t number;
	unsigned flags;
	unsigned line;
	bool ignored; /* loosens in a file that may only tighten */
};

struct settings {
	char *file; /* as shown; "command line" */
	char *base; /* directory of relative patterns, NULL: every writable root */
	enum layer layer;
	bool trusted; /* false: may only tighten */
	struct setting *v;
	size_t n, cap;
};

struct settings_list {
	struct settings *v; /* weakest first */
	size_t n, cap;
};

void settings_free(struct settings *s);
void settings_list_free(struct settings_list *l);

/* Appends an empty list of entries. Copies file and base. */
int settings_list_add(struct settings_list *l, const char *file, const char *base, enum layer layer,
		      bool trusted, struct settings **ret);

/* Appends one entry; name and value may be NULL. */
int settings_add(struct settings *s, enum setting_key key, const char *name, const char *value,
		 int64_t number, unsigned line);

/* Parses text (changed: see json_doc_parse()) into s. Each error names s->file, the
 * line, the key and what would be right. */
int settings_parse(struct settings *s, char *text, size_t len, struct berm_err *err);

/* Turns the command line's options into entries. */
int settings_from_input(struct settings *s, const struct policy_input *in, struct berm_err *err);

/* "files=1024": to a resource and a value. */
int limit_parse(const char *key, const char *value, int *ret_resource, uint64_t *ret_value,
		struct berm_err *err);

/* The key of limit_parse() for a resource. */
const char *limit_name(int resource);

/* Values by name; -1 when there is no such name. */
int mode_parse(const char *name);
int root_parse(const char *name);
int home_parse(const char *name);
int access_parse(const char *name);
const char *root_name(enum root_view v);
const char *home_name(enum home_view v);
const char *access_name(enum access a);
bool profile_known(const char *name);
