/* SPDX-License-Identifier: Apache-2.0 */
/* What stands on the pages, as rows. */
#include "panel/panel.h"

#include <errno.h>
#include <stdio.h>

#include "base/str.h"
#include "panel/state.h"

#define MARGIN 2 /* for the mark of what is chosen */
#define LEAST_LINES 6
#define LEAST_COLUMNS 24
#define FRAME 4 /* lines around a page */

static const struct choice {
	const char *member, *value, *text;
} choices[] = {
	{ "mode", "disabled", "commands run without a sandbox; each is asked about" },
	{ "mode", "regular", "in the sandbox; what no rule allows is asked about" },
	{ "mode", "auto-allow", "in the sandbox, and not asked about unless a rule says so" },
	{ "fallback", "unsandboxed", "it may, when a person says yes" },
	{ "fallback", "strict", "it stays inside" },
};

const char *page_name(enum page page)
{
	static const char *const names[] = {
		[PAGE_MODE] = "Mode",
		[PAGE_EXCLUDED] = "Excluded",
		[PAGE_DEPENDENCIES] = "Dependencies",
		[PAGE_CONFIG] = "Config",
	};

	return names[page];
}

int page_height(const struct panel *p)
{
	return p->high < LEAST_LINES || p->wide < LEAST_COLUMNS ? 0 : p->high - FRAME;
}

int page_first_item(const struct panel *p)
{
	for (size_t i = 0; p->page == PAGE_MODE && i < ARRAY_SIZE(choices); i++)
		if (state_is(p->state, choices[i].member, choices[i].value))
			return (int)i;
	return 0;
}

static void add(struct panel *p, int item, const char *text)
{
	rows_add(&p->rows, p->wide > MARGIN ? p->wide - MARGIN : 1, item, text);
}

/* What comes from files is one line, whatever is in it: it must not make rows of its own. */
static void add_from(struct panel *p, const char *before, const char *from)
{
	_cleanup_free_ char *line = text_clean(from), *text = NULL;

	if (line)
		text = *line ? str_printf("    %s%s", before, line) : strdup("");

	if (!text)
		p->rows.failed = 1;
	else if (*text)
		add(p, -1, text);
}

static void add_choices(struct panel *p, const char *member)
{
	for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
		const struct choice *c = &choices[i];
		_cleanup_free_ char *text = NULL;

		if (!streq(c->member, member))
			continue;
		text = str_printf("(%c) %-12s %s", state_is(p->state, member, c->value) ? '*' : ' ',
				  c->value, c->text);
		if (text)
			add(p, p->n_items++, text);
		else
			p->rows.failed = 1;
	}
}

static void build_mode(struct panel *p)
{
	const json_t *s = p->state;
	bool on = json_is_true(json_object_get(s, "on"));
	_cleanup_free_ char *now = str_printf("Now: the sandbox is %s%s%s", on ? "on" : "off",
					      on ? "" : ": ", on ? "" : state_text(s, "reason"));

	add(p, -1, "Commands of this project");
	add_choices(p, "mode");
	add_from(p, "said by ", state_text(s, "mode_origin"));
	add(p, -1, "");
	add(p, -1, "A call that asks to run outside the sandbox");
	add_choices(p, "fallback");
	add_from(p, "said by ", state_text(s, "fallback_origin"));
	add(p, -1, "");
	add(p, -1, now ? now : "");
	add_from(p, "", state_text(s, "why"));
	add_from(p, "to do: ", state_text(s, "fix"));
	add(p, -1, "What berm run starts is in the sandbox whatever stands here.");
}

static void build_excluded(struct panel *p)
{
	add(p, -1, "Commands that may leave the sandbox, where each part of a line matches.");
	add(p, -1, "A convenience, not a boundary: nothing holds what runs outside.");
	add(p, -1, "");
	for (size_t i = 0; i < state_excluded(p->state); i++) {
		_cleanup_free_ char *what = text_clean(state_pattern(p->state, i)),
				    *from = text_clean(state_pattern_from(p->state, i)),
				    *text = what && from ? str_printf("%s  [%s]", what, from)
							 : NULL;

		if (text)
			add(p, p->n_items++, text);
		else
			p->rows.failed = 1;
	}
	if (!p->n_items)
		add(p, -1, "None. Press a to add one, such as: docker *");
}

int page_build(struct panel *p)
{
	rows_free(&p->rows);
	p->n_items = 0;
	if (p->page == PAGE_MODE)
		build_mode(p);
	else if (p->page == PAGE_EXCLUDED)
		build_excluded(p);
	else
		add(p, -1, p->texts[p->page] ? p->texts[p->page] : "");
	if (p->item >= p->n_items)
		p->item = p->n_items ? p->n_items - 1 : 0;
	page_follow(p);
	return p->rows.failed ? -ENOMEM : 0;
}

void page_follow(struct panel *p)
{
	size_t height = (size_t)page_height(p), first = p->rows.n, last = 0;

	if (p->rows.n <= height || !height) {
		p->top = 0;
		return;
	}
	for (size_t i = 0; i < p->rows.n && p->n_items; i++) {
		if (p->rows.v[i].item != p->item)
			continue;
		first = i < first ? i : first;
		last = i;
	}
	if (p->n_items) {
		/* What stands above the first choice explains it. */
		if (p->item == 0)
			first = 0;
		if (last >= p->top + height)
			p->top = last - height + 1;
		if (first < p->top)
			p->top = first;
	}
	if (p->top > p->rows.n - height)
		p->top = p->rows.n - height;
}
