/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of other tools, read as they stand: Claude Code, sandbox-runtime (srt), Codex.
 *
 * Theory of operation. Each file becomes two lists of berm's own entries with the lines they
 * were written at. The first holds everything in the layer that the file belongs to. The second
 * holds the denials, in the strongest layer that any file of the same tool has: these tools merge
 * the lists of all their files and look at denials first, berm goes layer by layer, and a
 * translation must not be looser than what it translates. For the same reason denials of tools
 * that do not weigh how specific a path is carry RULE_FIRST.
 *
 * What a key means stands in one table per tool, with the function that reads it, so that
 * "berm explain --coverage" cannot say anything else than what is done. A key that the table does
 * not have is told, and one that cannot be held is either told or, where leaving it out would
 * open something, keeps the run from starting. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "policy/settings.h"

struct front;
struct json_node;

enum front_kind { FRONT_CLAUDE, FRONT_SRT, FRONT_CODEX, FRONT_KIND_COUNT };

enum front_how {
	FRONT_INSIDE,	 /* an object: its keys follow */
	FRONT_HELD,	 /* the same holds in berm */
	FRONT_BECOMES,	 /* something of berm's that is as strict, or stricter */
	FRONT_ALWAYS,	 /* berm holds it whatever the value is */
	FRONT_NOT_HELD,	 /* cannot be enforced, and is told where it is set */
	FRONT_REFUSED,	 /* cannot be enforced and left out it would open something */
	FRONT_NO_MATTER, /* says nothing about what a command may touch */
};

enum front_flag {
	FRONT_MANAGED_ONLY = 1u << 0, /* counts in managed files only, as in the tool itself */
	FRONT_NOT_PROJECT = 1u << 1,  /* does not count in a project's own files */
};

struct front_key {
	const char *path; /* "sandbox.network.allowedDomains"; "*": any key */
	enum front_how how;
	const char *what; /* what berm does with it, or why not */
	int (*take)(struct front *f, const struct json_node *n, const struct front_key *k);
	int arg;
	unsigned flags;
};

struct front_table {
	const struct front_key *v;
	size_t n;
};

/* "claude", "srt", "codex"; -1: no such name. */
int front_kind_parse(const char *name);
const char *front_kind_name(enum front_kind k);
/* The name for people: "Claude Code". */
const char *front_title(enum front_kind k);
const char *front_how_name(enum front_how h);

/* The keys of the kind's settings files, and of Codex's requirements.toml. */
struct front_table front_keys(enum front_kind k);
struct front_table front_requirements_keys(void);

/* "KIND" or "KIND:FILE"; *ret_file NULL without one, else into text. */
int front_arg_parse(const char *text, enum front_kind *ret_kind, const char **ret_file,
		    struct berm_err *err);

/* Where a file stands, for its relative paths and what it may say. */
struct front_place {
	enum front_kind kind;
	const char *file; /* as shown */
	const char *base; /* for relative patterns; NULL: each writable root */
	const char *root; /* the settings' own root ("/p" of a permission rule) */
	const char *home; /* the user's */
	const char *const *workspaces;
	size_t n_workspaces;
	enum layer layer;
	bool trusted;
	bool project;	   /* a project's own file, of whatever layer */
	bool requirements; /* Codex's requirements.toml */
	bool rules;	   /* Codex's *.rules */
};

/* A file's two lists. */
struct front_parts {
	struct settings open, close;
	bool managed_rules_only; /* allowManagedPermissionRulesOnly */
	bool managed_reads_only; /* allowManagedReadPathsOnly */
};

void front_parts_free(struct front_parts *p);

/* Parses text (which is changed). Errors read "file:line: what". */
int front_parse(const struct front_place *place, char *text, size_t len, struct front_parts *ret,
		struct berm_err *err);

/* A project's files of a kind that are there, below dir. */
int front_project_files(enum front_kind k, const char *dir, struct strv *ret, struct berm_err *err);

/* The user's own main file of a kind, and the folder of those settings. Callers free; NULL when
 * out of memory. */
char *front_user_file(enum front_kind k, char *const *vars, const char *user_home);
char *front_user_dir(enum front_kind k, char *const *vars, const char *user_home);

struct policy_input;

/* The folders in which files that in->settings asks for lie, or may come. */
int front_folders(const struct policy_input *in, const struct spec *s, const char *cwd,
		  struct strv *ret);

/* One file by name, or the user's own main one: for "berm import". */
int front_read_one(const struct policy_input *in, enum front_kind k, const char *file,
		   struct front_parts *ret, struct berm_err *err);

/* "berm explain --coverage": the tables. kind -1: all. */
int front_coverage_text(int kind, struct buf *out);
int front_coverage_json(int kind, struct buf *out);
