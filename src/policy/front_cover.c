/* SPDX-License-Identifier: Apache-2.0 */
/* What berm does with each key of another tool: printed from the tables that read them. */
#include <string.h>

#include "base/json_out.h"
#include "base/str.h"
#include "policy/front_impl.h"

const char *front_how_name(enum front_how h)
{
	static const char *const names[] = {
		[FRONT_INSIDE] = "object",
		[FRONT_HELD] = "enforced",
		[FRONT_BECOMES] = "translated",
		[FRONT_ALWAYS] = "always",
		[FRONT_NOT_HELD] = "not enforceable",
		[FRONT_REFUSED] = "refused",
		[FRONT_NO_MATTER] = "ignored",
	};

	return names[h];
}

static const char *where_flags(const struct front_key *k)
{
	return k->flags & FRONT_MANAGED_ONLY  ? " (managed settings only)"
	       : k->flags & FRONT_NOT_PROJECT ? " (not of a project)"
					      : "";
}

static void text_table(struct buf *out, const char *title, struct front_table t)
{
	size_t count[FRONT_NO_MATTER + 1] = { 0 }, all = 0;

	(void)buf_addf(out, "%s\n", title);
	for (size_t i = 0; i < t.n; i++) {
		if (t.v[i].how == FRONT_INSIDE)
			continue;
		count[t.v[i].how]++;
		all++;
		(void)buf_addf(out, "  %-50s %-15s %s%s\n", t.v[i].path, front_how_name(t.v[i].how),
			       t.v[i].what, where_flags(&t.v[i]));
	}
	(void)buf_addf(out, "  %zu keys:", all);
	for (int h = FRONT_HELD; h <= FRONT_NO_MATTER; h++)
		(void)buf_addf(out, "%s %zu %s", h == FRONT_HELD ? "" : ",", count[h],
			       front_how_name((enum front_how)h));
	(void)buf_adds(out, "\n");
}

int front_coverage_text(int kind, struct buf *out)
{
	for (int k = 0; k < FRONT_KIND_COUNT; k++) {
		if (kind >= 0 && kind != k)
			continue;
		text_table(out, front_title((enum front_kind)k), front_keys((enum front_kind)k));
		if (k == FRONT_CODEX)
			text_table(out, "Codex, requirements.toml", front_requirements_keys());
	}
	(void)buf_adds(out,
		       "enforced: the same holds. translated: as strict or stricter. always: held "
		       "whatever it says.\nnot enforceable: told where it is set. refused: nothing "
		       "starts. ignored: not about what a\ncommand may touch.\n");
	return out->failed ? -ENOMEM : 0;
}

static void json_table(struct buf *out, const char *kind, const char *file, struct front_table t,
		       bool *first)
{
	for (size_t i = 0; i < t.n; i++) {
		if (t.v[i].how == FRONT_INSIDE)
			continue;
		(void)buf_adds(out, *first ? "" : ",");
		*first = false;
		json_begin(out);
		json_member_str(out, "settings", kind);
		json_member_str(out, "file", file);
		json_member_str(out, "key", t.v[i].path);
		json_member_str(out, "how", front_how_name(t.v[i].how));
		json_member_str(out, "what", t.v[i].what);
		json_member_bool(out, "managed_only", t.v[i].flags & FRONT_MANAGED_ONLY);
		json_member_bool(out, "not_project", t.v[i].flags & FRONT_NOT_PROJECT);
		json_end(out);
	}
}

int front_coverage_json(int kind, struct buf *out)
{
	static const char *const files[] = { [FRONT_CLAUDE] = "settings.json",
					     [FRONT_SRT] = ".srt-settings.json",
					     [FRONT_CODEX] = "config.toml" };
	bool first = true;

	(void)buf_adds(out, "[");
	for (int k = 0; k < FRONT_KIND_COUNT; k++) {
		const char *name = front_kind_name((enum front_kind)k);

		if (kind >= 0 && kind != k)
			continue;
		json_table(out, name, files[k], front_keys((enum front_kind)k), &first);
		if (k == FRONT_CODEX)
			json_table(out, name, "requirements.toml", front_requirements_keys(),
				   &first);
	}
	(void)buf_adds(out, "]\n");
	return out->failed ? -ENOMEM : 0;
}
