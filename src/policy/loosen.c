/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings open something: what an untrusted file may not say, and what is shown before
 * somebody trusts it. */
#include "policy/apply.h"

#include <string.h>

#include "base/str.h"

bool setting_is_scalar(enum setting_key k)
{
	return k <= SET_FAIL_IF_UNAVAILABLE || k == SET_EXEC_DENY_WRITABLE;
}

int setting_strictness(enum setting_key k, int value)
{
	switch (k) {
	case SET_PROFILE:
		return value; /* the order of profiles[] */
	case SET_MODE:
		return value != MODE_CHAT;
	case SET_ROOT:
		return value == ROOT_SYSTEM;
	case SET_HOME:
		return value == HOME_HOST ? 0 : value == HOME_PRIVATE ? 1 : 2;
	case SET_NET:
		return NET_OPEN - value;
	case SET_NET_DEFAULT:
		return value == VERDICT_DENY;
	case SET_NET_ALL_SOCKETS:
		return !value;
	case SET_AUTO_ALLOW:
	case SET_ALLOW_UNSANDBOXED:
		return !value;
	case SET_SANDBOX:
	case SET_AUTONOMY:
	case SET_TEMPLATE:
	case SET_NET_MANAGED_ONLY:
	case SET_NET_CUT:
	case SET_TERMINAL_FILTER:
	case SET_FAIL_IF_UNAVAILABLE:
	case SET_EXEC_DENY_WRITABLE:
		return value;
	default:
		return 0;
	}
}

bool setting_leads_elsewhere(enum setting_key k)
{
	return k == SET_NET_HTTP_PORT || k == SET_NET_SOCKS_PORT;
}

/* Mildest first. */
static const char *const profiles[] = { "terminal", "agent", "strict" };

const char *profile_of_index(int i)
{
	return profiles[i];
}

int profile_index(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		if (streq(profiles[i], name))
			return (int)i;
	return 1;
}

int setting_value(const struct setting *e)
{
	return e->key == SET_PROFILE ? profile_index(e->value) : (int)e->number;
}

bool setting_opens(const struct setting *e)
{
	switch (e->key) {
	case SET_FILE:
		return e->number == ACCESS_WRITE;
	case SET_EXEC_RULE:
		return e->number == EXEC_ALLOW;
	case SET_NET_RULE:
		return e->number == VERDICT_ALLOW;
	case SET_GUARD_RULE:
		return e->rule->decision == VERDICT_ALLOW;
	case SET_EXCLUDED:
	case SET_NET_SOCKET:
	case SET_NET_PUBLISH:
	case SET_NET_HOST_PORT:
	case SET_NET_UPSTREAM:
	case SET_NET_UPSTREAM_FILE:
	case SET_NET_NO_PROXY:
	case SET_APPROVER:
	case SET_UNPROTECT:
	case SET_STATE_DIR:
	case SET_ENV_PASS:
	case SET_ENV_SET:
	case SET_IGNORE_VIOLATION:
		return true;
	default:
		return false;
	}
}

/* ---- what trust would open ---------------------------------------------- */

static char *loosening_text(const struct setting *e)
{
	switch (e->key) {
	case SET_PROFILE:
		return str_printf("%u: profile \"%s\"", e->line, e->value);
	case SET_ROOT:
		return str_printf("%u: root \"%s\"", e->line, root_name((enum root_view)e->number));
	case SET_HOME:
		return str_printf("%u: home \"%s\"", e->line, home_name((enum home_view)e->number));
	case SET_TERMINAL_FILTER:
		return str_printf("%u: the terminal obeys whatever the command writes", e->line);
	case SET_FAIL_IF_UNAVAILABLE:
		return str_printf("%u: fail_if_unavailable false", e->line);
	case SET_EXEC_DENY_WRITABLE:
		return str_printf("%u: exec.deny_writable false", e->line);
	case SET_FILE:
		return str_printf("%u: files \"%s\": %s", e->line, e->name,
				  access_name((enum access)e->number));
	case SET_EXEC_RULE:
		return str_printf("%u: may run \"%s\"", e->line, e->name);
	case SET_STATE_DIR:
		return str_printf("%u: writable in every mode: \"%s\"", e->line, e->name);
	case SET_ENV_PASS:
		return str_printf("%u: passes the variable %s", e->line, e->name);
	case SET_ENV_SET:
		return str_printf("%u: sets the variable %s=%s", e->line, e->name, e->value);
	case SET_IGNORE_VIOLATION:
		return str_printf("%u: does not report \"%s\"", e->line, e->name);
	case SET_NET:
		return str_printf("%u: network \"%s\"", e->line,
				  net_mode_name((enum net_mode)e->number));
	case SET_NET_ALL_SOCKETS:
		return str_printf("%u: every unix socket of the host", e->line);
	case SET_NET_RULE:
		return str_printf("%u: reaches %s", e->line, e->name);
	case SET_NET_GROUP:
		return str_printf("%u: reaches the hosts of group \"%s\"", e->line, e->name);
	case SET_NET_SOCKET:
		return str_printf("%u: reaches the unix socket %s", e->line, e->name);
	case SET_NET_PUBLISH:
		return str_printf("%u: port %s of the host leads into the sandbox", e->line,
				  e->name);
	case SET_NET_HOST_PORT:
		return str_printf("%u: reaches port %s of the host", e->line, e->name);
	/* Their values are secrets. */
	case SET_NET_UPSTREAM:
	case SET_NET_UPSTREAM_FILE:
	case SET_NET_NO_PROXY:
	case SET_NET_HTTP_PORT:
	case SET_NET_SOCKS_PORT:
		return str_printf("%u: connections go through a proxy", e->line);
	case SET_APPROVER:
		return str_printf("%u: questions are answered by \"%s\"", e->line, e->value);
	case SET_GUARD_RULE: {
		_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);

		return guard_rule_text(e->rule, &b) < 0 ? NULL
							: str_printf("%u: %s", e->line, b.data);
	}
	case SET_EXCLUDED:
		return str_printf("%u: may leave the sandbox: %s", e->line, e->name);
	case SET_SANDBOX:
		return str_printf("%u: guard.sandbox false", e->line);
	case SET_AUTO_ALLOW:
		return str_printf("%u: guard.auto_allow true", e->line);
	case SET_ALLOW_UNSANDBOXED:
		return str_printf("%u: guard.allow_unsandboxed true", e->line);
	case SET_AUTONOMY:
		return str_printf("%u: autonomy \"%s\"", e->line, e->value);
	case SET_TEMPLATE:
		return str_printf("%u: template \"%s\"", e->line, e->value);
	case SET_LIMIT:
		return str_printf("%u: limit %s=%s", e->line, e->name, e->value);
	default:
		return NULL;
	}
}

/* An absolute path that is only read may lie outside the project. */
static bool shows_more(const struct setting *e)
{
	return e->key == SET_FILE && e->number == ACCESS_READ && !(e->flags & RULE_WRITES_ONLY) &&
	       (e->name[0] == '/' || e->name[0] == '~' || str_starts(e->name, "../"));
}

static bool loose_scalar(const struct setting *e)
{
	int value, usual;

	if (!setting_is_scalar(e->key))
		return false;
	if (setting_leads_elsewhere(e->key))
		return e->number != 0;
	if (e->key == SET_NET_DEFAULT || e->key == SET_NET_CUT)
		return false;
	value = setting_value(e);
	usual = e->key == SET_PROFILE	 ? profile_index("agent")
		: e->key == SET_NET	 ? NET_ALLOW
		: e->key == SET_AUTONOMY ? AUTONOMY_ASK
		: e->key == SET_TEMPLATE
			? TEMPLATE_DEFAULT
			: e->key <= SET_FAIL_IF_UNAVAILABLE && e->key >= SET_SANDBOX;
	return setting_strictness(e->key, value) < setting_strictness(e->key, usual) ||
	       (e->key == SET_EXEC_DENY_WRITABLE && !value);
}

static bool shows_group(const struct setting *e)
{
	return e->key == SET_NET_GROUP && e->number;
}

int list_loosening(const struct settings *set, struct strv *out, struct berm_err *err)
{
	for (size_t i = 0; i < set->n; i++) {
		const struct setting *e = &set->v[i];
		_cleanup_free_ char *line = NULL;

		if (e->key == SET_UNPROTECT ||
		    !(setting_opens(e) || shows_more(e) || loose_scalar(e) || shows_group(e)))
			continue;
		line = loosening_text(e);
		if (!line || strv_add(out, line) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}
