/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: one settings file as a flat list of entries, each with its line.
 * The command line becomes the same list, so that one function applies them all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "policy/guard.h"
#include "policy/resolve.h"
#include "policy/spec.h"

enum setting_key {
	SET_PROFILE, /* value */
	SET_MODE,    /* number: enum mode; so for the next ones */
	SET_ROOT,
	SET_HOME,
	SET_NET,
	SET_NET_DEFAULT,      /* number: enum decision, of hosts that no rule names */
	SET_NET_MANAGED_ONLY, /* number: 0, 1; so for the next ones */
	SET_NET_ALL_SOCKETS,
	SET_NET_PROXY_ENV,
	SET_NET_CUT,
	SET_NET_HTTP_PORT, /* number: port, 0 none */
	SET_NET_SOCKS_PORT,
	SET_NET_ASK_SECONDS,
	SET_SANDBOX,	/* number: 0, 1, or SANDBOX_EXCLUDED */
	SET_AUTO_ALLOW, /* number: 0, 1; so for the next one */
	SET_ALLOW_UNSANDBOXED,
	SET_AUTONOMY,		 /* number: enum guard_autonomy */
	SET_TEMPLATE,		 /* number: enum guard_template */
	SET_TERMINAL_FILTER,	 /* number: 0, 1 */
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
	SET_NET_RULE,		 /* name: host pattern, number: enum decision */
	SET_NET_GROUP,		 /* name: of data/domains, or "registries"; number: 0, 1 */
	SET_NET_SOCKET,		 /* name: path of a unix socket */
	SET_NET_PUBLISH,	 /* name: as written, number: host port << 16 | port inside */
	SET_NET_HOST_PORT,	 /* likewise */
	SET_NET_UPSTREAM,	 /* value: URL, or "none"; a secret */
	SET_NET_UPSTREAM_FILE,	 /* name: path of a file that holds it */
	SET_NET_NO_PROXY,	 /* value */
	SET_APPROVER,		 /* value */
	SET_GUARD_RULE,		 /* rule */
	SET_EXCLUDED,		 /* name: pattern of commands that may leave the sandbox */
	SET_COUNT,
};

/* Off, since the platforms that a list names (enabledPlatforms) are others. */
#define SANDBOX_EXCLUDED (-1)

struct setting {
	enum setting_key key;
	char *name;
	char *value;
	struct guard_rule *rule;
	int64_t number;
	unsigned flags;
	unsigned line;
	bool ignored; /* loosens in a file that may only tighten */
};

/* What a remark begins with that is told before every run. */
#define SETTINGS_NOTE "note: "

struct settings {
	char *file; /* as shown; "command line" */
	char *base; /* directory of relative patterns, NULL: every writable root */
	enum layer layer;
	bool trusted;	     /* false: may only tighten */
	bool closing;	     /* the denials of another tool's file, which stands here twice */
	const char *format;  /* "claude", "srt", "codex"; NULL: berm's own */
	struct strv remarks; /* keys of another tool that are not held as they stand, one a line */
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

/* Appends a SET_GUARD_RULE and takes rule over, also on failure. */
int settings_add_guard(struct settings *s, struct guard_rule *rule, unsigned line);

/* Parses text (changed: see json_doc_parse()) into s. Each error names s->file, the
 * line, the key and what would be right. */
int settings_parse(struct settings *s, char *text, size_t len, struct berm_err *err);

/* Turns the command line's options into entries. */
int settings_from_input(struct settings *s, const struct policy_input *in, struct berm_err *err);

/* The command line's options about the network (settings_net.c). */
int settings_add_net(struct settings *s, const struct policy_input *in, struct berm_err *err);

/* One entry of a list of hosts: a pattern, or "@GROUP". Checks it. line 0: none. */
int settings_add_host(struct settings *s, const char *text, enum decision decision, unsigned line,
		      struct berm_err *err);

/* "3000" or "8080:3000" (port of the host, port inside) as one number. */
int net_forward_parse(const char *text, int64_t *ret, struct berm_err *err);

/* Who answers: auto, tty, stdio, none, mailbox:DIR, socket:PATH, fd:N, or several with commas
 * between. absolute: paths must be. */
int approver_check(const char *text, bool absolute, struct berm_err *err);

/* Is name one of data/domains, or "registries" (all of packages)? err says what was meant. */
int net_group_check(const char *name, struct berm_err *err);

/* Values by name; -1 when there is no such name. */
int mode_parse(const char *name);
int root_parse(const char *name);
int home_parse(const char *name);
int access_parse(const char *name);
int net_mode_parse(const char *name);

/* A word of "files": access and flags. */
struct file_word {
	const char *name;
	enum access access;
	unsigned flags;
};
extern const struct file_word file_words[];
extern const size_t file_words_n;
#define FILE_WORDS "none, ask, read, write, show, keep, ask-write, write-ordinary"
const char *root_name(enum root_view v);
const char *home_name(enum home_view v);
const char *access_name(enum access a);
bool profile_known(const char *name);
