/* SPDX-License-Identifier: Apache-2.0 */
/* The screen: title with the pages, the page, the last message, the keys. Plain characters; what
 * is chosen has a mark, so that no attribute and no colour is needed. */
#include "panel/panel.h"

#include <curses.h>
#include <stdlib.h>

#include "base/str.h"
#include "panel/state.h"

/* A clean text in a line, from a column on, as far as there is room. */
static void put(const struct panel *p, int line, int column, const char *text)
{
	if (line < 0 || line >= p->high || column >= p->wide)
		return;
	(void)mvaddnstr(line, column, text, (int)text_cut(text, p->wide - column));
}

static void put_raw(const struct panel *p, int line, int column, const char *text)
{
	_cleanup_free_ char *clean = text_clean(text);

	if (clean)
		put(p, line, column, clean);
}

static void draw_title(const struct panel *p)
{
	int column = 1;

	for (int i = 0; i < PAGE_N; i++) {
		const char *name = page_name((enum page)i);
		bool here = i == (int)p->page;
		char text[32];

		(void)snprintf(text, sizeof(text), "%c%d %s%c", here ? '[' : ' ', i + 1, name,
			       here ? ']' : ' ');
		if (here)
			(void)attron(A_REVERSE);
		put(p, 0, column, text);
		(void)attroff(A_REVERSE);
		column += (int)strlen(text) + 1;
	}
	for (int i = 0; i < p->wide; i++)
		put(p, 1, i, "-");
	/* The folder whose settings these are, as far as there is room for its end. */
	if (p->wide - column > 20) {
		_cleanup_free_ char *clean = text_clean(state_text(p->state, "project"));
		const char *s = clean ? clean : "";
		int room = p->wide - column - 1;

		while (*s && text_columns(s, strlen(s)) > room)
			s++;
		put(p, 0, p->wide - text_columns(s, strlen(s)) - 1, s);
	}
}

static void draw_rows(const struct panel *p)
{
	int height = page_height(p);

	for (int i = 0; i < height && p->top + (size_t)i < p->rows.n; i++) {
		const struct row *row = &p->rows.v[p->top + (size_t)i];
		bool chosen = row->item >= 0 && row->item == p->item;
		bool first = chosen && (row == p->rows.v || row[-1].item != row->item);

		if (chosen)
			(void)attron(A_REVERSE);
		if (first)
			put(p, 2 + i, 0, ">");
		put(p, 2 + i, 2, row->text);
		(void)attroff(A_REVERSE);
	}
}

static const char *help_of(const struct panel *p)
{
	static const char *const texts[] = {
		[PAGE_MODE] = "Up/Down choose  Enter set  Tab page  r reload  q quit",
		[PAGE_EXCLUDED] = "a add  d remove  Up/Down choose  Tab page  r reload  q quit",
		[PAGE_DEPENDENCIES] = "Up/Down PgUp/PgDn scroll  r try again  Tab page  q quit",
		[PAGE_CONFIG] = "Up/Down PgUp/PgDn scroll  r reload  Tab page  q quit",
	};

	return p->input == INPUT_PATTERN    ? "Enter write it  Esc leave it"
	       : p->input == INPUT_DISABLED ? "y yes  any other key: no"
					    : texts[p->page];
}

/* The end of what is typed, and the cursor behind it. */
static void draw_edit(const struct panel *p)
{
	static const char label[] = "Pattern: ";
	_cleanup_free_ char *typed = malloc(p->edit_len * MB_CUR_MAX + 1);
	wchar_t text[EDIT_MAX + 1];
	int room = p->wide - (int)strlen(label) - 1, used = 0;
	size_t from = p->edit_len, n;

	while (from && used + wcwidth(p->edit[from - 1]) <= room)
		used += wcwidth(p->edit[--from]);
	wmemcpy(text, p->edit + from, p->edit_len - from);
	text[p->edit_len - from] = 0;
	n = typed ? wcstombs(typed, text, p->edit_len * MB_CUR_MAX + 1) : (size_t)-1;
	put(p, p->high - 2, 0, label);
	if (n != (size_t)-1 && typed)
		put_raw(p, p->high - 2, (int)strlen(label), typed);
	(void)curs_set(1);
	(void)move(p->high - 2, (int)strlen(label) + used);
}

static void draw_small(const struct panel *p)
{
	put(p, 0, 0, "too small a window");
	put(p, 1, 0, "q quits");
}

void draw(struct panel *p)
{
	int height = page_height(p);
	char place[64];

	(void)erase();
	(void)curs_set(0);
	if (!height) {
		draw_small(p);
		(void)refresh();
		return;
	}
	draw_title(p);
	draw_rows(p);
	put(p, p->high - 1, 0, help_of(p));
	if (p->rows.n > (size_t)height) {
		(void)snprintf(place, sizeof(place), " %zu-%zu of %zu ", p->top + 1,
			       p->top + (size_t)height < p->rows.n ? p->top + (size_t)height
								   : p->rows.n,
			       p->rows.n);
		put(p, 1, p->wide - (int)strlen(place) - 2, place);
	}
	if (p->input == INPUT_DISABLED)
		put(p, p->high - 2, 0, "Run commands WITHOUT a sandbox?");
	else if (p->input == INPUT_KEYS)
		put_raw(p, p->high - 2, 0, p->message);
	if (p->input == INPUT_PATTERN)
		draw_edit(p);
	else
		(void)move(p->high - 1, 0);
	(void)refresh();
}
