/* SPDX-License-Identifier: Apache-2.0 */
/* Claude Code's permission rules: "Tool" or "Tool(what)". Rules on files and hosts hold for
 * every command; those on Bash go to the guard. Of the other tools berm sees nothing: only the
 * agent itself can hold these. */
#include <string.h>

#include "base/str.h"
#include "policy/front_impl.h"

enum tool { TOOL_OTHER, TOOL_READ, TOOL_EDIT, TOOL_BASH, TOOL_FETCH };

static enum tool tool_of(const char *name)
{
	static const struct {
		const char *name;
		enum tool tool;
	} t[] = {
		{ "Read", TOOL_READ },	    { "Edit", TOOL_EDIT },	   { "Write", TOOL_EDIT },
		{ "MultiEdit", TOOL_EDIT }, { "NotebookEdit", TOOL_EDIT }, { "Bash", TOOL_BASH },
		{ "WebFetch", TOOL_FETCH },
	};

	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		if (streq(t[i].name, name))
			return t[i].tool;
	return TOOL_OTHER;
}

/* A rule that cannot be read opens nothing; one that was to close something stops the run. */
static int bad_rule(struct front *f, const struct json_node *n, const char *text, enum decision d,
		    const char *why)
{
	if (d == VERDICT_ALLOW)
		return front_remark(f, n, "\"%s\" is left out: %s", text, why);
	return front_fail(f, n, "rule \"%s\": %s", text, why);
}

static int file_rule(struct front *f, const struct json_node *n, const char *text, enum tool tool,
		     const char *spec, enum decision d)
{
	bool edit = tool == TOOL_EDIT;

	if (!spec)
		return front_remark(f, n,
				    "not enforceable: \"%s\" without a path is about the "
				    "agent's tool",
				    text);
	if (!*spec || *spec == '!')
		return bad_rule(f, n, text, d, "berm cannot read this pattern");
	switch (d) {
	case VERDICT_ALLOW:
		return front_file(f, n, front_permission_pattern(f, spec),
				  edit ? ACCESS_WRITE : ACCESS_READ, edit ? 0u : RULE_READS_ONLY,
				  FRONT_TAG_RULE);
	case VERDICT_ASK:
		return front_file(f, n, front_permission_pattern(f, spec), ACCESS_ASK,
				  RULE_FIRST | (edit ? RULE_WRITES_ONLY : 0u), FRONT_TAG_RULE);
	case VERDICT_DENY:
		break;
	}
	return front_file(f, n, front_permission_pattern(f, spec), edit ? ACCESS_READ : ACCESS_NONE,
			  RULE_FIRST | (edit ? RULE_WRITES_ONLY : 0u), FRONT_TAG_RULE);
}

static int fetch_rule(struct front *f, const struct json_node *n, const char *text,
		      const char *spec, enum decision d)
{
	if (!spec)
		return front_remark(f, n,
				    "not enforceable: \"%s\" without a domain is about the "
				    "agent's tool",
				    text);
	if (!str_starts(spec, "domain:") || !spec[7])
		return bad_rule(f, n, text, d, "not WebFetch(domain:HOST)");
	return front_host(f, n, spec + 7, d, FRONT_TAG_RULE);
}

static int bash_rule(struct front *f, const struct json_node *n, const char *spec, enum decision d)
{
	/* "Bash" and "Bash(*)" are every command. */
	return front_pattern_rule(f, n, spec && *spec ? spec : "*", d, NULL);
}

static int one_rule(struct front *f, const struct json_node *n, const char *text,
		    const struct front_key *k)
{
	enum decision d = (enum decision)k->arg;
	size_t len = strcspn(text, "("), all = strlen(text);
	_cleanup_free_ char *name = strndup(text, len), *spec = NULL;
	enum tool tool;

	if (!name)
		return front_no_memory(f);
	if (!len || (text[len] && (text[all - 1] != ')')))
		return bad_rule(f, n, text, d, "not TOOL or TOOL(what)");
	if (text[len]) {
		spec = strndup(text + len + 1, all - len - 2);
		if (!spec)
			return front_no_memory(f);
	}
	tool = tool_of(name);
	switch (tool) {
	case TOOL_READ:
	case TOOL_EDIT:
		return file_rule(f, n, text, tool, spec, d);
	case TOOL_FETCH:
		return fetch_rule(f, n, text, spec, d);
	case TOOL_BASH:
		return bash_rule(f, n, spec, d);
	case TOOL_OTHER:
		break;
	}
	return front_remark(f, n, "not enforceable: \"%s\" is about a tool of the agent's own",
			    text);
}

int front_take_permissions(struct front *f, const struct json_node *n, const struct front_key *k)
{
	return front_strings(f, n, one_rule, k);
}
