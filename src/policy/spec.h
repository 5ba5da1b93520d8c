/* SPDX-License-Identifier: Apache-2.0 */
/* The spec: everything one run is held to, resolved once from all settings
 * layers and then immutable (SPEC S1). policy/ makes it, plan/ turns it into
 * steps, linux/ enforces it. The judging functions below are pure: "berm why" and
 * the supervisor call the same ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum layer { /* weakest first */
	     LAYER_BUILTIN,
	     LAYER_USER,
	     LAYER_PROJECT,
	     LAYER_LOCAL,
	     LAYER_CLI,
	     LAYER_MANAGED,
	     LAYER_COUNT,
};

enum mode { MODE_CHAT, MODE_REVIEW, MODE_PLAN, MODE_ORCHESTRATE };
enum root_view { ROOT_SYSTEM, ROOT_HOST };
enum home_view { HOME_PRIVATE, HOME_HOST, HOME_EMPTY };
enum net_mode {
	NET_OFF,   /* the gate stands, its list is empty: everything is refused and told */
	NET_ALLOW, /* what the rules allow */
	NET_OPEN,  /* the broker allows all but the fixed deny list and the guarded addresses */
};

/* What a rule grants on the paths it matches; ordered, stricter is smaller. */
enum access { ACCESS_NONE, ACCESS_ASK, ACCESS_READ, ACCESS_WRITE };
enum exec_rule { EXEC_UNSET, EXEC_DENY, EXEC_ALLOW };

/* Where a value was written. file is "built-in", "command line" or a path;
 * line 0 = none. For built-in lists file is the data file's name. */
struct origin {
	const char *file;
	unsigned line;
};

enum rule_flag {
	RULE_MANDATORY = 1u << 0,   /* lifted only by unprotect (SPEC F1) */
	RULE_EXEMPT_DEPS = 1u << 1, /* not below dependency folders (data/dependency-dirs) */
	RULE_AT_ROOTS = 1u << 2, /* pattern is relative: applies at each writable root and at each
				  * directory that is a repository root (has an entry ".git") */
	RULE_FOLD = 1u << 3,	 /* ASCII case-insensitive */
	RULE_WRITES_ONLY = 1u << 4, /* says nothing about reading (--deny-write, --allow-write) */
	RULE_READS_ONLY = 1u << 5,  /* says nothing about writing (--allow-read) */
	RULE_EXACT = 1u << 6,	    /* the named path only, not what lies below it */
	RULE_LIFTS = 1u << 8,	    /* an "unprotect" of a path: beats mandatory rules */
	RULE_ONLY_ASKS = 1u << 9,   /* an "ask" of a layer that may only tighten: makes an allow of
				     * weaker rules an ask, and leaves a deny a deny */
	RULE_LIFTED = 1u << 7,	    /* named by "unprotect": kept for explain, decides nothing */
	RULE_FIRST = 1u << 10,	    /* judged before the layer's other rules, however specific those
				     * are: other tools' denials beat every allow */
	RULE_KEEPS_NAMES = 1u << 11, /* opens but for names that built-in rules hold: what another
				      * tool opens for its own reasons lifts none of berm's */
};

/* A compiled path pattern, see policy/pattern.h. */
struct pattern;

struct rule {
	struct pattern *pat;
	char *text;	    /* as it is shown: "deny-write **" "/.env", "none ~/.ssh" */
	enum access access; /* for file access; ignored when exec != EXEC_UNSET */
	enum exec_rule exec;
	enum layer layer;
	unsigned flags;
	struct origin origin;
	const char *protects; /* name for unprotect, NULL unless RULE_MANDATORY */
};

enum root_kind { ROOT_WORKSPACE, ROOT_GRANT };

/* A writable tree. Everything that is written in it is judged (never granted by
 * Landlock). path is canonical (no symlinks), absolute, on the host and inside. */
struct writable_root {
	char *path;
	bool read_only;	  /* modes review, plan, orchestrate (SPEC S2) */
	bool is_file;	  /* a single file was granted */
	bool loose_names; /* its file system knows one name in several spellings: trailing
			   * dots, streams, short names (vfat, NTFS, CIFS, ...) */
	enum root_kind kind;
	struct origin origin;
};

/* A tree outside the writable roots that is visible read-only, beside the
 * default view (--allow-read, home-allow). */
struct readable_tree {
	char *path;   /* where it is seen */
	char *source; /* what is bound there, canonical */
	struct origin origin;
};

struct env_var {
	char *assignment; /* NAME=VALUE */
	struct origin origin;
};

/* What a run may use of something; policy/limits.h has their names. */
enum limit_kind {
	LIMIT_MEMORY, /* of all processes together */
	LIMIT_PIDS,   /* processes and threads together */
	LIMIT_CPU,    /* percent of one processor, all together */
	LIMIT_TIME,   /* seconds, by the clock on the wall */
	LIMIT_FILES,  /* open ones, of each process */
	LIMIT_DISK,   /* in the private places */
	LIMIT_OUTPUT, /* bytes on standard output and error */
	/* The kernel's others, of each process. */
	LIMIT_CPU_TIME,
	LIMIT_FSIZE,
	LIMIT_STACK,
	LIMIT_ADDRESS_SPACE,
	LIMIT_DATA,
	LIMIT_MEMLOCK,
	LIMIT_COUNT,
};

enum limit_by {
	LIMIT_UNSET,
	LIMIT_BUILTIN, /* nobody said anything */
	LIMIT_SAID,    /* by a settings file or on the command line: held, or nothing runs */
};

#define LIMIT_NONE UINT64_MAX

struct limit {
	enum limit_by by;
	uint64_t value; /* LIMIT_NONE: somebody said that there is none */
	struct origin from;
};

/* A port that is led through the wall: in (--publish) or out (--host-port). */
struct net_forward {
	uint16_t host_port;
	uint16_t inside_port;
	struct origin origin;
};

struct net_policy; /* policy/net.h */

struct net_spec {
	struct net_policy *policy;   /* NULL in a run: net_policy_new() */
	struct net_forward *publish; /* host 127.0.0.1:host_port -> inside 127.0.0.1:inside_port */
	size_t n_publish;
	struct net_forward
		*host_ports; /* inside 127.0.0.1:inside_port -> host 127.0.0.1:host_port */
	size_t n_host_ports;
	struct strv unix_sockets; /* host paths, canonical, bound into the view */
	bool all_unix_sockets;
	bool proxy_env;		   /* the proxies' variables are in envp */
	uint16_t http_proxy_port;  /* a proxy of the user's own on the host, 0 none */
	uint16_t socks_proxy_port; /* likewise */
	char *upstream;	      /* "http://user:password@host:port" of a corporate proxy, NULL none;
			       * a secret */
	char *no_proxy;	      /* hosts that are dialled without it */
	bool cut;	      /* a change of rules also cuts connections that it denies */
	unsigned ask_seconds; /* how long a connection waits for an answer */
	int rung_cap;	      /* tests: the best rung to try (plan/net_kit.h), 0 all */
};

enum guard_autonomy {
	AUTONOMY_FREE,	  /* what would ask is allowed; denies stay */
	AUTONOMY_ASK,	  /* the default */
	AUTONOMY_PROPOSE, /* what would ask is denied */
};

enum guard_template { /* mildest first */
		      TEMPLATE_PERMISSIVE,
		      TEMPLATE_DEFAULT,
		      TEMPLATE_BALANCED,
		      TEMPLATE_STRICT,
};

struct guard_rule; /* policy/guard.h */

/* All that the settings say to the guard; part of the spec. */
struct guard_policy {
	struct guard_rule **rules; /* strongest layer last; guard.h */
	size_t n_rules;
	struct guard_excluded { /* C6: commands that may leave the sandbox */
		const char *pattern;
		enum layer layer;
		struct origin origin;
	} * excluded;
	size_t n_excluded;
	enum guard_autonomy autonomy;
	struct origin autonomy_from;
	enum guard_template template;
	struct origin template_from;
	bool sandbox;		/* C4: "enabled" */
	bool platform_excluded; /* it is not, since a list of platforms leaves this one out */
	struct origin sandbox_from;
	bool auto_allow; /* C7: a command that will run in the sandbox needs no ask by default */
	struct origin auto_allow_from;
	bool allow_unsandboxed; /* C5: a call may ask to run outside */
	struct origin allow_unsandboxed_from;
};

struct spec {
	char session[32];    /* id: "b-" and 16 lower-case hex digits */
	const char *profile; /* "agent", "strict", "terminal" */
	enum mode mode;
	enum root_view root;
	enum home_view home;
	enum net_mode net;

	struct guard_policy guard;
	struct net_spec network;
	char *approver; /* "auto", "tty", "stdio", "none", "mailbox:DIR", "socket:PATH", "fd:N" */

	char *home_path;   /* $HOME as the command sees it */
	char *home_source; /* HOME_PRIVATE: directory in berm's state, bound there. It exists. */
	char *user_home;   /* the real home of the user, canonical; for "~" */
	char *workdir;	   /* within the first workspace */
	char *state_dir;   /* berm's own state, never visible inside */

	struct writable_root *roots;
	size_t n_roots;
	struct readable_tree *reads;
	size_t n_reads;

	struct rule **rules; /* every rule, strongest first within the order of DESIGN 6 */
	size_t n_rules;
	bool read_deny;		  /* some rule hides a path inside a writable root from reading:
				   * reads are trapped as well (at a cost, shown by explain) */
	bool terminal_filter;	  /* of what the command may write to the user's terminal */
	bool fail_if_unavailable; /* refuse to run bare where the host cannot sandbox (SPEC B4) */
	bool exec_deny_writable;  /* exec: deny-writable (noexec on the writable roots) */
	bool tier_landlock;	  /* a host without user namespaces is run on all the same, held by
				   * less (docs/tiers.md): only somebody who runs berm says so */
	bool learn;   /* berm learn: what is looked for and not shown is told as well; nothing is
		       * decided by it */
	bool overlay; /* changes of the writable roots and of the private home go nowhere: each is
		       * a private copy, gone at the end */
	struct strv hidden; /* absolute literal paths outside the roots to be masked */
	struct strv lifted; /* names in force of "unprotect" */

	char **envp; /* the command's environment, NULL-terminated */
	char **argv; /* the command */
	struct limit limits[LIMIT_COUNT];

	struct strv ignore_violations; /* patterns over "action target" */
	struct strv notes; /* what the first line of the run must say (lifted protections, ...) */
	void *priv;	   /* policy/'s own bookkeeping for explain; freed by spec_free() */
};

void spec_free(struct spec *s);

/* Is there such a limit? */
static inline bool spec_limited(const struct spec *s, enum limit_kind kind)
{
	return s->limits[kind].by != LIMIT_UNSET && s->limits[kind].value != LIMIT_NONE;
}

/* ---- judging ------------------------------------------------------------ */

enum file_op {
	OP_READ,   /* content or a directory's list is read */
	OP_WRITE,  /* an existing file's content changes (open for write, truncate) */
	OP_CREATE, /* the name appears: open O_CREAT of a missing name, mkdir, mknod, symlink, link,
		      bind */
	OP_DELETE, /* unlink, rmdir */
	OP_RENAME_FROM, /* the name goes away by rename, or is one side of an exchange */
	OP_RENAME_TO,	/* the name appears by rename, or is one side of an exchange */
	OP_META,	/* chmod, chown, utimens, xattr */
	OP_EXEC,
	OP_LINK_FROM, /* another name is given to it */
	OP_COUNT,
};

enum file_type { FT_NONE /* does not exist */, FT_REG, FT_DIR, FT_SYMLINK, FT_OTHER };

/* Facts about the parent directory that a judgement may ask for. The supervisor
 * answers from the parent's descriptor, "why" from the host. All lazily: most
 * judgements ask nothing. */
struct dir_facts {
	/* Type of entry `name` in the parent directory (no symlink followed). */
	enum file_type (*entry)(void *ctx, const char *name);
	/* The same in the directory `up` levels above the parent (1 = its parent). */
	enum file_type (*entry_above)(void *ctx, unsigned up, const char *name);
	/* The same one level down: entry `name` of the parent's sub-directory `dir`. */
	enum file_type (*entry_below)(void *ctx, const char *dir, const char *name);
	void *ctx;
};

struct file_query {
	enum file_op op;
	const char
		*path; /* absolute, canonical parent + "/" + last component; no "." or ".." in it */
	const char *other;   /* the other side of a rename (the source for OP_RENAME_TO, the target
			      * for OP_RENAME_FROM), NULL when unknown or none */
	enum file_type type; /* of the object (for OP_CREATE: of what is made) */
	const struct dir_facts *facts;
};

enum decision { VERDICT_ALLOW, VERDICT_DENY, VERDICT_ASK };

struct verdict {
	enum decision decision;
	const struct rule *rule; /* the rule that decided; NULL: the view itself */
	int err;		 /* positive errno for the command when denied: EACCES; EXDEV
				  * for a directory that a rename would bring out of a dependency
				  * folder (mv then copies, and each name is judged) */
	const char *reason;	 /* static text, never NULL */
};

/* Reason of what lies in a place of the session's own (/tmp, the private home): allowed
 * as far as rules go; whether it exists there only the session knows. */
#define VERDICT_PRIVATE "private to the session"

/* The one function that decides on files. Pure apart from facts. Thread-safe.
 * Never allocates. For paths outside every writable root it tells what the view
 * gives (readable or not there). */
void spec_judge(const struct spec *s, const struct file_query *q, struct verdict *ret);

/* The smallest grant that would turn a denial into an allow, as a command-line
 * option, quoted for a shell ("--allow-write '/w/a b.key'", "--unprotect /w/.vscode"),
 * or "" when none can. dst gets at most size bytes; what does not fit is "". */
void spec_grant(const struct spec *s, const struct file_query *q, const struct verdict *v,
		char *dst, size_t size);

/* The same option's value, not quoted: for programs. */
void spec_grant_value(const struct spec *s, const struct file_query *q, const struct verdict *v,
		      char *dst, size_t size);

const char *file_op_action(enum file_op op); /* "file-read", "file-write", "file-create", ... */
const char *layer_name(enum layer l);
const char *mode_name(enum mode m);
const char *net_mode_name(enum net_mode m);
