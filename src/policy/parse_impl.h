/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: what the readers of the settings format share. */
#pragma once

#include "policy/json.h"
#include "policy/settings.h"

struct parser {
	struct settings *s;
	struct berm_err *err;
};

/* A key of an object: take() reads its value. */
struct key {
	const char *name;
	int (*take)(struct parser *p, const struct json_node *n, const struct key *k);
	enum setting_key key;
	int (*by_name)(const char *name);
	const char *values; /* for messages */
};

/* Errors with file, line and, for wrong_type, the key. */
int parse_fail(struct parser *p, const struct json_node *n, const char *what);
int parse_wrong_type(struct parser *p, const struct json_node *n, const char *want);

/* Adds an entry with the line of n. */
int parse_add(struct parser *p, const struct json_node *n, enum setting_key key, const char *name,
	      const char *value, int64_t number);

/* Values: true or false, one of k->values, an object of these keys only. */
int parse_bool(struct parser *p, const struct json_node *n, const struct key *k);
int parse_choice(struct parser *p, const struct json_node *n, const struct key *k);
int parse_keys(struct parser *p, const struct json_node *n, const struct key *keys, size_t n_keys);

/* The "network" object, and "approver" (parse_net.c). */
int parse_network(struct parser *p, const struct json_node *n, const struct key *k);
int parse_approver(struct parser *p, const struct json_node *n, const struct key *k);

/* The "guard" object (parse_guard.c). */
int parse_guard(struct parser *p, const struct json_node *n, const struct key *k);
