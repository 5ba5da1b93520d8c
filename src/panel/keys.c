/* SPDX-License-Identifier: Apache-2.0 */
/* What a key does. */
#include "panel/panel.h"

#include <curses.h>
#include <errno.h>
#include <stdlib.h>
#include <wctype.h>

#include "base/str.h"

#define KEY_ESCAPE 27
#define CTRL(c) ((c)&31)

/* ---- pages -------------------------------------------------------------- */

static int go_to(struct panel *p, int page)
{
	int r = 0;

	p->page = (enum page)((page + PAGE_N) % PAGE_N);
	p->item = page_first_item(p);
	p->top = 0;
	p->message[0] = '\0';
	if (!p->texts[p->page] && (p->page == PAGE_DEPENDENCIES || p->page == PAGE_CONFIG)) {
		p->texts[p->page] =
			strdup(p->page == PAGE_CONFIG ? "asking ..." : "trying a sandbox ...");
		if (!p->texts[p->page] || page_build(p) < 0)
			return -ENOMEM;
		draw(p);
		r = act_text(p);
	}
	return r < 0 ? r : page_build(p);
}

static int reload(struct panel *p)
{
	int r;

	p->message[0] = '\0';
	r = act_load(p);
	if (r >= 0)
		r = act_text(p);
	return r < 0 ? r : page_build(p);
}

/* By so many rows, or from item to item where there are some. */
static void move_by(struct panel *p, int by)
{
	long height = page_height(p), most = (long)p->rows.n - height, top = (long)p->top + by;
	int item = p->item + by;

	if (p->n_items) {
		p->item = item < 0 ? 0 : item >= p->n_items ? p->n_items - 1 : item;
	} else {
		top = top > most ? most : top;
		p->top = (size_t)(top < 0 ? 0 : top);
	}
	page_follow(p);
}

/* ---- a pattern ---------------------------------------------------------- */

static int finish_pattern(struct panel *p)
{
	_cleanup_free_ char *pattern = malloc(p->edit_len * MB_CUR_MAX + 1);
	size_t n;
	int r;

	p->input = INPUT_KEYS;
	p->edit[p->edit_len] = 0;
	if (!p->edit_len)
		return 0;
	if (!pattern)
		return -ENOMEM;
	n = wcstombs(pattern, p->edit, p->edit_len * MB_CUR_MAX + 1);
	if (n == (size_t)-1)
		return 0;
	r = act_exclude(p, pattern);
	return r < 0 ? r : page_build(p);
}

static int take_pattern(struct panel *p, bool special, wint_t key)
{
	if ((special && key == KEY_ENTER) || (!special && (key == '\n' || key == '\r')))
		return finish_pattern(p);
	if (!special && (key == KEY_ESCAPE || key == CTRL('c')))
		p->input = INPUT_KEYS;
	else if ((special && key == KEY_BACKSPACE) ||
		 (!special && (key == 127 || key == CTRL('h'))))
		p->edit_len -= p->edit_len > 0;
	else if (!special && key == CTRL('u'))
		p->edit_len = 0;
	else if (!special && iswprint(key) && p->edit_len < EDIT_MAX)
		p->edit[p->edit_len++] = (wchar_t)key;
	return 0;
}

/* ---- keys --------------------------------------------------------------- */

static int take_special(struct panel *p, wint_t key)
{
	int height = page_height(p);

	switch (key) {
	case KEY_UP:
		move_by(p, -1);
		return 0;
	case KEY_DOWN:
		move_by(p, 1);
		return 0;
	case KEY_PPAGE:
		move_by(p, -height);
		return 0;
	case KEY_NPAGE:
		move_by(p, height);
		return 0;
	case KEY_HOME:
		move_by(p, -(int)p->rows.n);
		return 0;
	case KEY_END:
		move_by(p, (int)p->rows.n);
		return 0;
	case KEY_LEFT:
	case KEY_BTAB:
		return go_to(p, (int)p->page - 1);
	case KEY_RIGHT:
		return go_to(p, (int)p->page + 1);
	case KEY_ENTER:
		return key_take(p, false, '\n');
	case KEY_DC:
		return key_take(p, false, 'd');
	default:
		return 0;
	}
}

static int take_page_key(struct panel *p, wint_t key)
{
	int r = 0;

	p->message[0] = '\0';
	if (p->page == PAGE_MODE && (key == '\n' || key == '\r' || key == ' ')) {
		r = act_choose(p);
	} else if (p->page == PAGE_EXCLUDED && key == 'a') {
		p->input = INPUT_PATTERN;
		p->edit_len = 0;
	} else if (p->page == PAGE_EXCLUDED && key == 'd') {
		r = act_include(p);
	} else {
		return 0;
	}
	return r < 0 ? r : page_build(p);
}

static int take_plain(struct panel *p, wint_t key)
{
	switch (key) {
	case 'q':
	case KEY_ESCAPE:
		return 1;
	case '\t':
		return go_to(p, (int)p->page + 1);
	case '1':
	case '2':
	case '3':
	case '4':
		return go_to(p, (int)key - '1');
	case 'r':
		return reload(p);
	case 'k':
		return take_special(p, KEY_UP);
	case 'j':
		return take_special(p, KEY_DOWN);
	case 'g':
		return take_special(p, KEY_HOME);
	case 'G':
		return take_special(p, KEY_END);
	case ' ':
		return p->page == PAGE_MODE ? take_page_key(p, key) : take_special(p, KEY_NPAGE);
	default:
		return take_page_key(p, key);
	}
}

int key_take(struct panel *p, bool special, wint_t key)
{
	int r;

	if (p->input == INPUT_PATTERN)
		return take_pattern(p, special, key);
	if (p->input == INPUT_DISABLED) {
		p->input = INPUT_KEYS;
		if (special || (key != 'y' && key != 'Y'))
			return 0;
		r = act_disable(p);
		return r < 0 ? r : page_build(p);
	}
	return special ? take_special(p, key) : take_plain(p, key);
}
