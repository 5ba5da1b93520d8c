/* SPDX-License-Identifier: Apache-2.0 */
/* Before a command runs: sandboxed or not, allowed, asked or denied, by which rule. Pure: what
 * is known of host, settings and line comes in, an answer with its reasons goes out. */
#pragma once

#include "guard/extract.h"
#include "guard/rules.h"

/* ---- C4: is there a sandbox? -------------------------------------------- */

enum sandbox_off {
	SANDBOX_ON,
	SANDBOX_OFF_SETTING,
	SANDBOX_OFF_PLATFORM,
	SANDBOX_OFF_WSL1,
	SANDBOX_OFF_EXCLUDED, /* the platform is not in enabledPlatforms */
	SANDBOX_OFF_DEPENDENCY,
};

struct sandbox_host {
	bool supported, wsl1;
	const char *missing; /* a dependency, NULL none */
};

struct sandbox_state {
	enum sandbox_off off;
	const char *reason;   /* static text */
	struct origin origin; /* of the setting, file NULL: none */
};

/* Why not, in this order: the host cannot, the settings exclude it, the settings say no. */
void guard_sandbox_state(const struct guard_policy *g, const struct sandbox_host *host,
			 struct sandbox_state *ret);

/* ---- C5: shall this command run in it? ---------------------------------- */

struct sandbox_choice {
	bool sandboxed;
	bool overridden; /* the call asked to run outside and may: always a question */
	bool ignored;	 /* it asked and may not */
	const char *reason;
	struct origin origin;
};

/* override: the call asks to run outside. excluded: C6 says that the command may leave;
 * excluded_by: where that is written. */
void guard_should_sandbox(const struct guard_policy *g, const struct sandbox_state *state,
			  bool override, bool has_command, bool excluded,
			  const struct origin *excluded_by, struct sandbox_choice *ret);

/* C6: does a setting let the whole line leave the sandbox? *ret_by: where it is written;
 * *ret_reason: why not. */
bool guard_excluded(const struct guard_rules *r, const struct shell_line *line,
		    struct origin *ret_by, const char **ret_reason);

/* ---- C7 and all together ------------------------------------------------ */

struct guard_call {
	const struct shell_line *line;
	const char *text; /* as it was written, NULL: it was words */
	struct guard_place place;
	struct sandbox_host host;
	enum mode mode;
	bool override;
	int64_t now;
};

struct guard_part {
	const struct shell_part *part;
	effects_t effects; /* what it does */
	effects_t asks;	   /* those of them that are asked about */
	struct guard_opinion opinion;
	bool by_rule; /* a rule allows it */
	const struct guard_rule *advice;
};

struct guard_answer {
	struct guard_part *parts;
	size_t n_parts;
	effects_t effects, asks;
	struct guard_opinion opinion; /* the strictest of all parts and of the whole */
	struct sandbox_state state;
	struct sandbox_choice sandbox;
};

/* Judges. On success ret is to be freed. Fails for want of memory only. */
int guard_decide(const struct guard_rules *r, const struct guard_policy *g,
		 const struct guard_call *c, struct guard_answer *ret, struct berm_err *err);
void guard_answer_free(struct guard_answer *a);
#define _cleanup_answer_ _cleanup_(guard_answer_free)

/* An ask that nobody can be asked is a deny (G2). */
void guard_settle(struct guard_answer *a, bool approver);
