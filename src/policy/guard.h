/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's rules as data: what settings files of every format say about effects and
 * commands. policy/ reads them and knows their layer and origin; guard/ resolves them. */
#pragma once

#include <stdint.h>

#include "base/effect.h"
#include "base/str.h"
#include "policy/spec.h"

enum guard_subject {
	GUARD_EFFECT,  /* every action with this effect */
	GUARD_PREFIX,  /* commands that begin with these words: the longest prefix decides */
	GUARD_PATTERN, /* commands as Claude Code's Bash rules: "npm test", "npm run test:*",
			* "git * main", "*" */
};

enum guard_enforcement {
	GUARD_HARD,	/* a deny is final */
	GUARD_SOFT,	/* a deny that a person may override with a recorded reason */
	GUARD_ADVISORY, /* allows, and is recorded */
};

enum guard_provenance {
	GUARD_BY_USER,
	GUARD_REMEMBERED, /* written for an answer: narrowed, expires */
};

/* Values that a rule is limited to. A facet without entries does not limit; an entry with
 * "!" in front takes out what it covers, and entries of that kind only mean "all but". */
struct guard_constraint {
	struct strv paths;    /* globs: "*" stops at "/", "**" does not */
	struct strv refs;     /* globs over branch names: "release/" "*" */
	struct strv hosts;    /* as network rules */
	struct strv commands; /* word prefixes */
	int64_t max_count;    /* -1: no limit; so for the next one */
	int64_t max_cents;
};

struct guard_rule {
	enum guard_subject subject;
	enum effect effect; /* GUARD_EFFECT */
	struct strv words;  /* GUARD_PREFIX */
	char *pattern;	    /* GUARD_PATTERN */
	enum decision decision;
	enum guard_enforcement enforcement;
	enum guard_provenance provenance;
	/* Deny and ask count whatever a stronger layer allows: so in formats that merge the lists
	 * of all their files and look at denies first (Claude Code, Codex). */
	bool anywhere;
	struct guard_constraint limits;
	int64_t expires; /* seconds since 1970, 0: never */
	char *why;	 /* what a person wrote about it, NULL: nothing */

	/* Set by policy/ when the layers are put together. */
	enum layer layer;
	bool tightens; /* of a file that may only tighten: never loosens what others say */
	struct origin origin;
};

/* An empty rule, to be filled and given to settings_add_guard(). NULL when out of memory. */
struct guard_rule *guard_rule_new(enum guard_subject subject, enum decision decision);
void guard_rule_free(struct guard_rule *r);

/* "git push" or a word in quotes with blanks in it: into words. Returns 0, -EINVAL or
 * -ENOMEM. */
int guard_words_parse(const char *text, struct strv *ret, struct berm_err *err);

/* The rule in one line: "ask gitPush refs=main", "deny command git push". */
int guard_rule_text(const struct guard_rule *r, struct buf *out);

/* The rule as a member of "rules" in the settings format. */
int guard_rule_json(const struct guard_rule *r, struct buf *out);
/* "2030-12-31T23:59:59Z". */
int guard_time_text(int64_t t, char *dst, size_t size);

/* Names of the enums above; parse: -1 when there is no such name. */
const char *guard_decision_name(enum decision d); /* "allow", "deny", "ask" */
int guard_decision_parse(const char *name);
const char *guard_enforcement_name(enum guard_enforcement e); /* "hard", "soft", "advisory" */
int guard_enforcement_parse(const char *name);
const char *guard_autonomy_name(enum guard_autonomy a); /* "free", "ask", "propose" */
int guard_autonomy_parse(const char *name);
const char *guard_template_name(enum guard_template t); /* "permissive", ... */
int guard_template_parse(const char *name);
