/* SPDX-License-Identifier: Apache-2.0 */
/* C4, C5, C6: with the sandbox, or without it? */
#include "guard/decide.h"
#include "guard/rules_impl.h"

void guard_sandbox_state(const struct guard_policy *g, const struct sandbox_host *host,
			 struct sandbox_state *ret)
{
	static const struct origin none;

	*ret = (struct sandbox_state){ SANDBOX_ON, "the sandbox is on", g->sandbox_from };
	if (!host->supported)
		*ret = (struct sandbox_state){ SANDBOX_OFF_PLATFORM, "unsupported platform", none };
	else if (host->wsl1)
		*ret = (struct sandbox_state){ SANDBOX_OFF_WSL1, "WSL1 has no namespaces", none };
	else if (host->missing)
		*ret = (struct sandbox_state){ SANDBOX_OFF_DEPENDENCY, "a dependency is missing",
					       none };
	else if (g->platform_excluded)
		*ret = (struct sandbox_state){ SANDBOX_OFF_EXCLUDED,
					       "the settings exclude this platform",
					       g->sandbox_from };
	else if (!g->sandbox)
		*ret = (struct sandbox_state){ SANDBOX_OFF_SETTING,
					       "the settings turn the sandbox off",
					       g->sandbox_from };
}

void guard_should_sandbox(const struct guard_policy *g, const struct sandbox_state *state,
			  bool override, bool has_command, bool excluded,
			  const struct origin *excluded_by, struct sandbox_choice *ret)
{
	*ret = (struct sandbox_choice){ .sandboxed = true, .reason = "every command is" };
	if (state->off != SANDBOX_ON) {
		ret->sandboxed = false;
		ret->reason = state->reason;
		ret->origin = state->origin;
	} else if (override && g->allow_unsandboxed) {
		ret->sandboxed = false;
		ret->overridden = true;
		ret->reason = "the call asks to run outside";
	} else if (!has_command) {
		ret->sandboxed = false;
		ret->reason = "there is no command";
	} else if (excluded) {
		ret->sandboxed = false;
		ret->reason = "every part of it is excluded by the settings";
		ret->origin = *excluded_by;
	}
	if (override && !g->allow_unsandboxed) {
		ret->ignored = true;
		if (ret->sandboxed) {
			ret->reason = "the settings do not let a call leave the sandbox";
			ret->origin = g->allow_unsandboxed_from;
		}
	}
}

bool guard_excluded(const struct guard_rules *r, const struct shell_line *line,
		    struct origin *ret_by, const char **ret_reason)
{
	*ret_reason = "no command is excluded";
	if (!r->n_excluded || !line->n_parts ||
	    !shell_excluded(line, r->excluded, r->n_excluded, ret_reason))
		return false;
	for (size_t i = 0; i < r->n_excluded; i++) {
		if (shell_pattern_match(r->excluded[i], &line->parts[0], SHELL_PERMIT) != SHELL_HIT)
			continue;
		*ret_by = r->excluded_from[i];
		break;
	}
	return true;
}
