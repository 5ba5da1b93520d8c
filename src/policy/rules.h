/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: making a spec's rules and the index that spec_judge() reads. */
#pragma once

#include "policy/data.h"
#include "policy/pattern.h"
#include "policy/settings.h"
#include "policy/spec.h"

/* Which bit of a path's signature a rule needs. */
enum sig_kind { SIG_ALWAYS, SIG_NAME, SIG_FIRST, SIG_LAST };

/* A rule that can say something about a path in some writable root. */
struct rule_live {
	const struct rule *r;
	uint64_t bit;
	enum sig_kind kind;
};

/* What the components of one path hold, one bit each by a hash: a rule whose bit
 * is missing cannot match, and most rules are passed over by this alone. */
struct signature {
	uint64_t name, first, last;
};

/* A value that one layer sets and a stronger one replaces. */
struct scalar {
	int value;
	enum layer layer;
	struct origin origin;
	/* What the profile says of it: a layer weaker than the one that chose the profile does
	 * not go below. */
	int implied;
	enum layer implied_by;
};

/* The state of one group of data/domains. */
struct net_group {
	bool on;
	enum layer layer;
	struct origin origin;
	bool implied; /* as in struct scalar */
	enum layer implied_by;
};

struct spec_priv {
	struct rule_live *live;
	size_t n_live;
	uint64_t dep_bits;   /* signature bits of the dependency folders' names */
	struct strv strings; /* what origins and names in rules point to */
	size_t cap_rules;
	char *cwd; /* where the caller stands; what is relative on the command line is so to this */
	struct origin *env_from;	  /* of each entry of envp */
	struct net_group *groups;	  /* as data_domain_groups */
	struct settings_list layers;	  /* what was read, for explain */
	struct scalar scalars[SET_COUNT]; /* SET_PROFILE to SET_FAIL_IF_UNAVAILABLE,
					     SET_EXEC_DENY_WRITABLE */
};

/* An empty spec with its bookkeeping and a session id. NULL: err is set. */
struct spec *spec_new(struct berm_err *err);

/* A number below 64 for a name, without regard to ASCII case. */
unsigned name_hash(const char *s, size_t len);

/* A copy of s that lives as long as the spec. NULL when out of memory. */
const char *spec_string(struct spec *s, const char *text);

/* Everything about a rule but its compiled pattern. */
struct rule_def {
	const char *pattern;
	const char *base; /* for a relative pattern; NULL: holds in every writable root */
	enum access access;
	enum exec_rule exec;
	enum layer layer;
	unsigned flags;
	struct origin origin; /* file is copied */
	const char *protects;
};

/* Compiles and appends. The error names the origin. */
int spec_add_rule(struct spec *s, const struct rule_def *def, struct berm_err *err);

/* Adds the rules of data/ that concern this spec: all that hold in every writable
 * root, and of those about fixed places the ones that the view would show. */
int spec_add_builtin(struct spec *s, struct berm_err *err);

/* Sorts the rules, strongest first, and makes the index. After rules were added it is
 * called again. */
int spec_finish_rules(struct spec *s, struct berm_err *err);

/* Is the name that of a dependency folder (data/dependency-dirs)? */
bool is_dependency_dir(const struct spec *s, const char *name, size_t len);
bool is_dangerous_binary(const char *name);

/* The path as a file system that folds more than ASCII case may read it: letters that
 * look like ASCII ones in another case, characters that are ignored; with loose,
 * also trailing dots and spaces and streams ("x:y") of each component. Only
 * components from byte `from` on. false: nothing to change, out is not filled. */
bool spelling_plain(const char *path, size_t from, bool loose, char *out, size_t size);

/* A short name such as "SETTIN~1.JSO", in a component from byte `from` on? */
bool spelling_short(const char *path, size_t from);

/* The longest writable root that holds path, NULL when none does. */
const struct writable_root *spec_root_of(const struct spec *s, const char *path);

/* "file:line", "built-in data/x:3", "command line" into dst. */
void origin_text(const struct origin *o, char *dst, size_t size);
