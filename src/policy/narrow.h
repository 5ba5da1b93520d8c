/* SPDX-License-Identifier: Apache-2.0 */
/* A run that was asked for inside a sandbox is held to the outer run's spec, and to what it
 * asks for besides. It can only take away: whatever its words are, nothing is allowed under the
 * narrowed spec that was not under the one before. */
#pragma once

#include "policy/resolve.h"

/* What is taken away. Everything is borrowed and may be anybody's words. */
struct narrowing {
	const char *cwd;	       /* absolute: what relative patterns start from */
	const struct policy_arg *args; /* ARG_DENY_READ, ARG_DENY_WRITE, ARG_DENY_EXEC alone */
	size_t n_args;
	const char *const *hosts; /* are refused: patterns as of --deny-domain, without groups */
	size_t n_hosts;
	const char *const *limits; /* KEY=VALUE; count where they are lower */
	size_t n_limits;
	enum mode mode; /* MODE_CHAT: as it is */
	bool net_off;
};

/* Narrows s in place, which this process has for itself, and gives it another session id and
 * command; what it pointed to before stays where it is. net: the rules about hosts that are in
 * force, NULL: those of the settings it was resolved from. command and vars: the
 * command and the environment of whoever asks, of which what a session lets nobody set is left
 * out. Nobody is asked anything in it, nothing is published, and there is no run without a sandbox
 * in its place. Returns 0, or a negative errno: s is not to be used. */
int spec_narrow(struct spec *s, const struct narrowing *n, const struct net_policy *net,
		char *const *command, char *const *vars, struct berm_err *err);
