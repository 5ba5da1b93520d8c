/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: what the readers of other tools' settings share. */
#pragma once

#include "policy/front.h"
#include "policy/json.h"

#define FRONT_DEPTH_MAX 16

struct front {
	const struct front_place *at;
	struct front_parts *out;
	struct berm_err *err;
	const char *keys[FRONT_DEPTH_MAX + 1]; /* from the root to where the walk is */
	size_t depth;
	struct strv unknown; /* "\"x\" (line 3; did you mean \"y\"?)" */
	/* Claude Code, srt: */
	bool sandbox_off; /* sandbox.enabled: false stands in this file */
	bool lists_hosts; /* it has a list of hosts, or the sandbox on: none is allowed beside */
};

/* ---- errors and remarks (front.c) --------------------------------------- */

/* Each returns the error that it sets: "file:line: key: what". */
int front_fail(struct front *f, const struct json_node *n, const char *fmt, ...) _printf_(3, 4);

/* As front_fail(): "must be WANT, not ...". */
int front_wrong_type(struct front *f, const struct json_node *n, const char *want);

/* As front_fail(), for want of memory. */
int front_no_memory(struct front *f);

/* What is told about the key where the walk is: shown by "berm explain". */
int front_remark(struct front *f, const struct json_node *n, const char *fmt, ...) _printf_(3, 4);

/* Reads an object by the table. */
int front_walk(struct front *f, const struct json_node *n, const struct front_table *t);

/* ---- entries ------------------------------------------------------------ */

/* To the file's own list, and to the list of denials. */
int front_open(struct front *f, const struct json_node *n, enum setting_key key, const char *name,
	       const char *value, int64_t number, unsigned flags);
int front_close(struct front *f, const struct json_node *n, enum setting_key key, const char *name,
		const char *value, int64_t number, unsigned flags);

/* A rule about hosts in the tool's form. What cannot be read is left out with a remark where
 * it allows, and an error where it denies. tag: see front_drop(). */
int front_host(struct front *f, const struct json_node *n, const char *text, enum decision d,
	       const char *tag);

/* No host but those that rules name: the curated groups are off, and with deny nobody is asked. */
int front_only_listed(struct front *f, const struct json_node *n, bool deny);

/* One entry about a file. pattern is freed. */
int front_file(struct front *f, const struct json_node *n, char *pattern, enum access access,
	       unsigned flags, const char *tag);

/* A command pattern of Claude Code ("npm run test:*"), or words. */
int front_pattern_rule(struct front *f, const struct json_node *n, const char *pattern,
		       enum decision d, const char *why);

/* Tags in the value of entries that managed settings may switch off. */
#define FRONT_TAG_RULE "permissions"
#define FRONT_TAG_READ "allowRead"

/* ---- values ------------------------------------------------------------- */

/* A switch of berm's: arg is the key. */
int front_take_scalar_bool(struct front *f, const struct json_node *n, const struct front_key *k);

/* A port: arg is the key. */
int front_take_port(struct front *f, const struct json_node *n, const struct front_key *k);

/* A list of hosts: arg is the decision. */
int front_take_hosts(struct front *f, const struct json_node *n, const struct front_key *k);

/* A list of paths of unix sockets. */
int front_take_sockets(struct front *f, const struct json_node *n, const struct front_key *k);

/* Any value; where it is set (not false, empty or null) the key is told or refused. */
int front_take_told(struct front *f, const struct json_node *n, const struct front_key *k);
int front_take_refused(struct front *f, const struct json_node *n, const struct front_key *k);
/* Each string of a list, by each(). */
int front_strings(struct front *f, const struct json_node *n,
		  int (*each)(struct front *f, const struct json_node *n, const char *text,
			      const struct front_key *k),
		  const struct front_key *k);
/* false, 0, "", null, [] and {} say nothing. */
bool front_is_set(const json_t *v);

/* ---- paths (front_paths.c) ---------------------------------------------- */

/* Patterns of berm's for paths in the two dialects (SPEC C3). NULL when out of memory. */
char *front_sandbox_pattern(const struct front *f, const char *text, bool literal);
char *front_permission_pattern(const struct front *f, const char *text);

/* Does the pattern name path or something above it? (A pattern of the above.) */
bool front_covers(const struct front *f, const char *pattern, const char *path);

/* ---- tables -------------------------------------------------------------- */

extern const struct front_key front_claude_keys[];
extern const size_t front_claude_keys_n;
extern const struct front_key front_srt_keys[];
extern const size_t front_srt_keys_n;
extern const struct front_key front_codex_keys[];
extern const size_t front_codex_keys_n;
extern const struct front_key front_codex_requirements_keys[];
extern const size_t front_codex_requirements_keys_n;

/* permissions.allow, ask, deny: arg is the decision (front_permissions.c). */
int front_take_permissions(struct front *f, const struct json_node *n, const struct front_key *k);

/* Keys of a sandbox block that Claude Code and srt share (front_sandbox.c). */
enum front_path_list { FRONT_ALLOW_WRITE, FRONT_DENY_WRITE, FRONT_ALLOW_READ, FRONT_DENY_READ };
int front_take_paths(struct front *f, const struct json_node *n, const struct front_key *k);
int front_take_ignore(struct front *f, const struct json_node *n, const struct front_key *k);
int front_take_credential_files(struct front *f, const struct json_node *n,
				const struct front_key *k);
int front_take_credential_vars(struct front *f, const struct json_node *n,
			       const struct front_key *k);
int front_take_addresses(struct front *f, const struct json_node *n, const struct front_key *k);
int front_take_mitm(struct front *f, const struct json_node *n, const struct front_key *k);
int front_take_strict(struct front *f, const struct json_node *n, const struct front_key *k);
int front_take_git_config(struct front *f, const struct json_node *n, const struct front_key *k);
int front_take_parent_proxy(struct front *f, const struct json_node *n, const struct front_key *k);

/* After the walk: what follows from the whole file. */
int front_srt_finish(struct front *f, const struct json_node *root);

/* A file of Codex's: config.toml or requirements.toml; *.rules (front_codex_rules.c). */
int front_codex_parse(struct front *f, char *text, size_t len);
int front_codex_rules(struct front *f, const char *text, size_t len);

/* The permission profile of this name and its parents (front_codex_profile.c). */
int front_codex_profile(struct front *f, const struct json_node *root, const struct json_node *at,
			const char *name);

/* A member of an object, NULL when there is none. */
const struct json_node *front_member(const struct json_node *n, const char *key);

/* Codex's "allow", "prompt", "forbidden" ("ask", "deny"); -1: no such word. */
int front_codex_decision(const char *word);

/* One rule on words; each word is a list of alternatives. */
int front_codex_prefix(struct front *f, const struct json_node *n, const struct strv *words,
		       size_t n_words, enum decision d, const char *why);
