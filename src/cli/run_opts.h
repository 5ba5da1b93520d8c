/* SPDX-License-Identifier: Apache-2.0 */
/* The options that describe a run. "berm why" and "berm explain" take the same
 * ones, so that they speak of the run that would take place. */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "cli/options.h"
#include "plan/plan.h"
#include "policy/resolve.h"

enum backend { BACKEND_AUTO, BACKEND_NATIVE, BACKEND_MICROVM, BACKEND_NONE };

struct run_opts {
	struct strv workspaces;
	struct policy_arg *args; /* the rule options, in their order */
	size_t n_args;
	struct strv policy_files;
	struct strv settings; /* "KIND" or "KIND:FILE" */
	struct strv unprotect;
	struct strv env;		 /* NAME or NAME=VALUE */
	struct strv unset_env;		 /* NAME */
	struct strv limits;		 /* KEY=VALUE */
	int mode, root, home, net;	 /* enum of policy/spec.h, or POLICY_UNSET */
	struct policy_net_arg *net_args; /* the options on hosts, in their order */
	size_t n_net_args;
	struct strv publish, host_ports; /* PORT or HOST_PORT:INSIDE_PORT */
	struct strv unix_sockets;
	int proxy_env;	      /* 0 or POLICY_UNSET */
	int net_rung_cap;     /* --test-cap */
	bool tier_landlock;   /* struct spec's */
	unsigned lacks_cap;   /* the same: enum host_lack of plan/tier.h */
	int landlock_cap;     /* the newest Landlock ABI, -1 any */
	const char *approver; /* NULL: not said */
	const char *profile;  /* NULL: not said */
	const char *events;
	const char *control; /* NULL: none */
	int owner;	     /* descriptor whose end ends the run, 0 none */
	enum backend backend;
	const char *off_by; /* what turned the sandbox off, NULL: it is on */
	bool sandbox_said;  /* --sandbox was given: BERM_SANDBOX does not matter */
	bool forced;	    /* BERM_FORCE_SANDBOX=1: no run without a sandbox */
	bool beside;	    /* it was asked for inside another: who reads what is said may not know
			     * what lies outside */
	bool quiet, verbose, raw_terminal;
	bool json;	     /* of why and explain */
	bool coverage;	     /* of explain */
	bool learn, overlay; /* of learn: struct spec's */
	/* Of start. */
	const char *name; /* NULL: made up */
	bool keep;
	int owner_pid; /* 0: who started berm */
};

#define RUN_OPTS_INIT                             \
	((struct run_opts){ .mode = POLICY_UNSET, \
			    .root = POLICY_UNSET, \
			    .home = POLICY_UNSET, \
			    .net = POLICY_UNSET,  \
			    .landlock_cap = -1,   \
			    .proxy_env = POLICY_UNSET })

/* Runs command as berm run does (verb_run.c), with options that run_opts_finish() has seen.
 * Standard descriptors and the arena are open. Returns the exit status. */
int cli_run(struct run_opts *o, char **command);

void run_opts_free(struct run_opts *o);
#define _cleanup_run_opts_ _cleanup_(run_opts_free)

static inline void cleanup_spec_(struct spec **s)
{
	if (*s)
		spec_free(*s);
}
#define _cleanup_spec_ _cleanup_(cleanup_spec_)

static inline void cleanup_plan_(struct plan **p)
{
	if (*p)
		plan_free(*p);
}

/* The tables of run, why and explain. The latter two take what describes policy, but
 * their help lists only their own options, and run_opts_policy_help. */
struct opt_table run_opts_table(void);
struct opt_table run_opts_why_table(void);
struct opt_table run_opts_why_own_table(void);
struct opt_table run_opts_explain_table(void);
struct opt_table run_opts_explain_own_table(void);
struct opt_table run_opts_start_table(void);
struct opt_table run_opts_start_own_table(void);
extern const char run_opts_policy_help[];

/* Adds a rule as if it were an option. pattern is borrowed. */
int run_opts_add_arg(struct run_opts *o, enum policy_arg_kind kind, const char *pattern,
		     struct berm_err *err);

/* Applies BERM_SANDBOX and BERM_FORCE_SANDBOX, and checks what only shows when all
 * options are known. */
int run_opts_finish(struct run_opts *o, struct berm_err *err);

/* What policy/ is told. Borrows everything from o. */
void run_opts_input(const struct run_opts *o, char *const *command, struct policy_input *ret);

/* The spec for these options and the command (NULL: for verbs that run nothing;
 * nothing is made on disk then). */
int run_opts_resolve(const struct run_opts *o, char *const *command, struct spec **ret,
		     struct berm_err *err);
