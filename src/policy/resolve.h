/* SPDX-License-Identifier: Apache-2.0 */
/* From settings files and a parsed command line to the spec. */
#pragma once

#include "policy/spec.h"

/* Where settings and state live. NULL: the real place, from the environment and
 * home given in struct policy_input. Only tests name others: no variable of the
 * environment moves the managed folder. */
struct policy_dirs {
	const char *managed; /* /etc/berm: managed.json, managed.d/ */
	const char *config;  /* $XDG_CONFIG_HOME/berm or ~/.config/berm: policy.json */
	const char *state;   /* $XDG_STATE_HOME/berm or ~/.local/state/berm */
	const char *etc;     /* /etc: claude-code/ and codex/, other tools' managed settings */
};

enum policy_arg_kind {
	ARG_ALLOW_READ,
	ARG_DENY_READ,
	ARG_ALLOW_WRITE,
	ARG_DENY_WRITE,
	ARG_KEEP, /* as ARG_DENY_WRITE, of the program itself: may lie where nothing is shown */
	ARG_ASK,
	ARG_ALLOW_EXEC,
	ARG_DENY_EXEC,
};

struct policy_arg {
	enum policy_arg_kind kind;
	const char *pattern;
};

/* --allow-domain, --deny-domain, --ask-domain. */
struct policy_net_arg {
	enum decision decision;
	const char *host; /* pattern with ports, or "@GROUP" */
};

#define POLICY_UNSET (-1)

/* Facts of the command line and the caller. Everything is borrowed. Start from
 * POLICY_INPUT_INIT. */
struct policy_input {
	const char *const *workspaces; /* as given; none: cwd */
	size_t n_workspaces;
	const char *cwd; /* NULL: getcwd() */
	int mode;	 /* enum mode or POLICY_UNSET; so for the next ones */
	int root;
	int home;
	int net;
	const char *profile;		 /* NULL: from the settings, else "agent" */
	const char *const *policy_files; /* --policy, as strong as the command line */
	size_t n_policy_files;
	const char *const *settings; /* --settings: "KIND" or "KIND:FILE", of other tools */
	size_t n_settings;
	const struct policy_arg *args;
	size_t n_args;
	const char *const *env; /* NAME or NAME=VALUE */
	size_t n_env;
	const char *const *unset_env;
	size_t n_unset_env;
	const char *const *unprotect;
	size_t n_unprotect;
	const char *const *limits; /* KEY=VALUE */
	size_t n_limits;
	const struct policy_net_arg *net_args;
	size_t n_net_args;
	const char *const *publish; /* PORT or HOST_PORT:INSIDE_PORT; so for the next one */
	size_t n_publish;
	const char *const *host_ports;
	size_t n_host_ports;
	const char *const *unix_sockets;
	size_t n_unix_sockets;
	int proxy_env;	       /* 0, 1 or POLICY_UNSET */
	const char *approver;  /* NULL: from the settings, else "auto" */
	int net_rung_cap;      /* tests: struct net_spec's rung_cap */
	char *const *argv;     /* NULL for verbs that run nothing */
	char *const *environ;  /* NULL: empty */
	const char *user_home; /* NULL: HOME of environ, else the password file's */
	unsigned uid;
	struct policy_dirs dirs;
	const char *force; /* variable that demands the sandbox whatever settings say (SPEC C12) */
	bool pretend;	   /* why, explain: make nothing on disk */
	bool raw_terminal;
	bool tier_landlock, learn, overlay; /* struct spec's */
	bool bare; /* no sandbox, no broker: the host's own proxies may be passed on */
};

#define POLICY_INPUT_INIT                             \
	((struct policy_input){ .mode = POLICY_UNSET, \
				.root = POLICY_UNSET, \
				.home = POLICY_UNSET, \
				.net = POLICY_UNSET,  \
				.proxy_env = POLICY_UNSET })

/* Makes the spec. Reads settings files, resolves paths, makes berm's own state
 * folders (0700) unless pretend is set; touches nothing else. On failure err
 * names what was wrong, where it was written and how to mend it. Caller frees with
 * spec_free(). */
int policy_resolve(const struct policy_input *in, struct spec **ret, struct berm_err *err);

/* berm's own state folder, which no command ever sees; made unless in->pretend. Of in only
 * environ, uid, pretend, user_home and dirs count. Caller frees. */
int policy_state_dir(const struct policy_input *in, char **ret, struct berm_err *err);

/* May somebody set the variable of this assignment (NAME=VALUE) for a command of a session?
 * Not what makes programs load code, and not what the session sets itself. */
bool env_may_set(const char *assignment);

/* Takes berm's own proxies out of an environment that a command gets without a sandbox. */
void env_drop_proxies(char **envp);

/* The names that "unprotect" knows, NULL-terminated. */
const char *const *policy_protection_names(void);
const char *const *policy_profile_names(void);
