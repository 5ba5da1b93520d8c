/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is killed leaves its modes behind: a shell that then reads mouse reports as
 * input, a screen without cursor. What was set and not set back is set back. */
#include <string.h>

#include "base/cleanup.h"
#include "linux/term_policy.h"

/* In the order in which they are undone: the screen first, what is typed last. */
enum undo {
	U_SYNC,
	U_ALTERNATE,
	U_MARGINS,
	U_ORIGIN,
	U_WRAP,
	U_INSERT,
	U_SHIFT,
	U_CHARSET,
	U_ATTRIBUTES,
	U_LINK,
	U_CURSOR,
	U_REVERSE,
	U_CURSOR_KEYS,
	U_KEYPAD,
	U_MOUSE,
	U_FOCUS,
	U_PASTE,
	U_REPORTS,
	U_MODIFIED_KEYS,
	U_WIN32,
	U_COUNT,
};

#define BIT(u) (1u << (u))

static const char *const ways_back[U_COUNT] = {
	[U_SYNC] = "\033[?2026l",
	[U_ALTERNATE] = "\033[?1049l",
	/* The cursor stays where it is. */
	[U_MARGINS] = "\0337\033[r\033[?69l\0338",
	[U_ORIGIN] = "\0337\033[?6l\0338",
	[U_WRAP] = "\033[?7h",
	[U_INSERT] = "\033[4l",
	[U_SHIFT] = "\017",
	[U_CHARSET] = "\033(B\033)B",
	[U_ATTRIBUTES] = "\033[m",
	[U_LINK] = "\033]8;;\033\\",
	[U_CURSOR] = "\033[?25h",
	[U_REVERSE] = "\033[?5l",
	[U_CURSOR_KEYS] = "\033[?1l",
	[U_KEYPAD] = "\033>",
	[U_MOUSE] = "\033[?9;1000;1001;1002;1003;1005;1006;1015;1016l",
	[U_FOCUS] = "\033[?1004l",
	[U_PASTE] = "\033[?2004l",
	[U_REPORTS] = "\033[?2031l\033[?2048l",
	[U_MODIFIED_KEYS] = "\033[>4m",
	[U_WIN32] = "\033[?9001l",
};

struct mode {
	int number;
	enum undo undo;
	bool usual; /* how it is when nobody has set it */
};

static const struct mode modes[] = {
	{ 1, U_CURSOR_KEYS, false },  { 5, U_REVERSE, false },	  { 6, U_ORIGIN, false },
	{ 7, U_WRAP, true },	      { 9, U_MOUSE, false },	  { 25, U_CURSOR, true },
	{ 47, U_ALTERNATE, false },   { 66, U_KEYPAD, false },	  { 69, U_MARGINS, false },
	{ 1000, U_MOUSE, false },     { 1001, U_MOUSE, false },	  { 1002, U_MOUSE, false },
	{ 1003, U_MOUSE, false },     { 1004, U_FOCUS, false },	  { 1047, U_ALTERNATE, false },
	{ 1049, U_ALTERNATE, false }, { 2004, U_PASTE, false },	  { 2026, U_SYNC, false },
	{ 2031, U_REPORTS, false },   { 2048, U_REPORTS, false }, { 9001, U_WIN32, false },
};

static void set(struct term_filter *f, enum undo u, bool on)
{
	if (on)
		f->set |= BIT(u);
	else
		f->set &= ~BIT(u);
}

static void note_modes(struct term_filter *f, const uint8_t *p, size_t n, bool on)
{
	int v = 0;

	for (size_t i = 1; i <= n; i++) {
		if (i < n && p[i] >= '0' && p[i] <= '9') {
			v = v * 10 + (p[i] - '0');
			continue;
		}
		for (size_t k = 0; k < ARRAY_SIZE(modes); k++)
			if (modes[k].number == v)
				set(f, modes[k].undo, on != modes[k].usual);
		v = 0;
	}
}

static bool is_reset(const uint8_t *p, size_t n)
{
	return n == 0 || (n == 1 && p[0] == '0');
}

static void note_keyboard(struct term_filter *f, const uint8_t *p, size_t n)
{
	unsigned count = 0;

	for (size_t i = 1; i < n && p[i] >= '0' && p[i] <= '9'; i++)
		count = count * 10 + (p[i] - '0');
	if (p[0] == '>' && f->keyboard < 64)
		f->keyboard++;
	if (p[0] == '<')
		f->keyboard =
			(uint16_t)(f->keyboard > count + !count ? f->keyboard - (count + !count)
								: 0);
}

void term_note_csi(struct term_filter *f, const uint8_t *p, size_t n, uint8_t final)
{
	uint8_t first = n ? p[0] : 0;

	switch (final) {
	case 'h':
	case 'l':
		if (first == '?')
			note_modes(f, p, n, final == 'h');
		else if (n == 1 && first == '4')
			set(f, U_INSERT, final == 'h');
		break;
	case 'm':
		if (first == '>')
			set(f, U_MODIFIED_KEYS, n > 3 && p[1] == '4' && p[2] == ';' && p[3] != '0');
		else if (first != '?')
			set(f, U_ATTRIBUTES, !is_reset(p, n));
		break;
	case 'r':
		if (first != '?' && (n == 0 || p[n - 1] != '$'))
			set(f, U_MARGINS, n != 0);
		break;
	case 'u':
		if (first == '>' || first == '<')
			note_keyboard(f, p, n);
		break;
	case 'p':
		/* A soft reset. */
		if (first == '!')
			f->set &= BIT(U_ALTERNATE) | BIT(U_MOUSE) | BIT(U_FOCUS) | BIT(U_PASTE) |
				  BIT(U_REPORTS) | BIT(U_MODIFIED_KEYS) | BIT(U_LINK) |
				  BIT(U_SYNC) | BIT(U_WIN32);
		break;
	default:
		break;
	}
}

void term_note_esc(struct term_filter *f, const uint8_t *p, size_t n, uint8_t final)
{
	if (n == 1 && (p[0] == '(' || p[0] == ')')) {
		set(f, U_CHARSET, final != 'B');
	} else if (n == 0 && final == 'c') {
		f->set = 0;
		f->keyboard = 0;
	} else if (n == 0 && (final == '=' || final == '>')) {
		set(f, U_KEYPAD, final == '=');
	} else if (n == 0 && (final == 'n' || final == 'o')) {
		set(f, U_SHIFT, true);
	}
}

void term_note_control(struct term_filter *f, uint8_t c)
{
	if (c == 0x0e || c == 0x0f)
		set(f, U_SHIFT, c == 0x0e);
}

void term_note_link(struct term_filter *f, bool open)
{
	set(f, U_LINK, open);
}

size_t term_filter_undo(struct term_filter *f, void *out)
{
	char *to = out;
	size_t n = 0;

	for (int u = 0; u < U_COUNT; u++) {
		size_t len = strlen(ways_back[u]);

		if (!(f->set & BIT(u)))
			continue;
		memcpy(to + n, ways_back[u], len);
		n += len;
	}
	if (f->keyboard) {
		int len = snprintf(to + n, TERM_UNDO_MAX - n, "\033[<%uu", f->keyboard);

		n += len > 0 ? (size_t)len : 0;
	}
	f->set = 0;
	f->keyboard = 0;
	return n;
}
