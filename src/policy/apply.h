/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: from settings to the spec. */
#pragma once

#include "policy/rules.h"
#include "policy/settings.h"

/* Decides profile, mode, views and the like from all layers. */
int apply_scalars(struct spec *s, struct settings_list *l, struct berm_err *err);

/* The sandbox stays on, whatever the layers say. by: what demands it. */
void apply_force(struct spec *s, const char *by);

/* Adds file and exec rules, grants, protected paths, limits, noise filters. */
int apply_rules(struct spec *s, const struct policy_input *in, struct settings_list *l,
		struct berm_err *err);

/* The part of apply_rules() about one entry of settings. */
int apply_entry(struct spec *s, const struct settings *set, struct setting *e,
		struct berm_err *err);

/* The part of apply_rules() about one "files" entry (grants.c). */
int apply_file(struct spec *s, const struct settings *set, const struct setting *e,
	       struct berm_err *err);
int apply_protected_path(struct spec *s, const struct settings *set, const struct setting *e,
			 struct berm_err *err);
int apply_state_dir(struct spec *s, const struct settings *set, const struct setting *e,
		    struct berm_err *err);

/* Adds def, and a second time as resolved through symlinks where that differs (SPEC S3). */
int add_both_spellings(struct spec *s, const struct rule_def *def, struct berm_err *err);

/* Directory that e's relative pattern starts from; NULL: every writable root. */
const char *setting_base(const struct settings *set, const struct setting *e);

/* The guard's rules and settings, into s->guard; they live as long as l. */
int apply_guard(struct spec *s, struct settings_list *l, struct berm_err *err);

/* Where e was written. */
struct origin setting_origin(const struct settings *set, const struct setting *e);

/* Settings of which the strongest layer's one counts. */
bool setting_is_scalar(enum setting_key k);
int setting_value(const struct setting *e);
/* Of a scalar's value; bigger is stricter. */
int setting_strictness(enum setting_key k, int value);
/* Neither looser nor stricter, but not for somebody else to say. */
bool setting_leads_elsewhere(enum setting_key k);
/* Does the entry open something, so that an untrusted file may not say it? */
bool setting_opens(const struct setting *e);
/* A profile's place in the order of strictness, and back. */
int profile_index(const char *name);
const char *profile_of_index(int i);

/* One line for each entry that would open something if the file were trusted. */
int list_loosening(const struct settings *set, struct strv *out, struct berm_err *err);

/* Is name one of those that "unprotect" knows? */
bool protection_known(const char *name);
