/* SPDX-License-Identifier: Apache-2.0 */
/* Which sequences may reach the user's terminal. What is not listed here does not: references are
 * "XTerm Control Sequences" (invisible-island.net/xterm/ctlseqs) and console_codes(4). */
#include "linux/term_policy.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

static const char *const names[TERM_KINDS] = {
	[TERM_CLIPBOARD] = "clipboard", [TERM_LINK] = "link",	  [TERM_COMMAND] = "command",
	[TERM_STRING] = "string",	[TERM_REPORT] = "report", [TERM_WINDOW] = "window",
	[TERM_PRINTER] = "printer",	[TERM_MODE] = "mode",	  [TERM_CONTROL] = "control",
	[TERM_OTHER] = "other",		[TERM_BYTES] = "bytes",
};

const char *term_kind_name(enum term_kind k)
{
	return names[k];
}

int term_utf8(const uint8_t *p, size_t n)
{
	uint8_t low = 0x80, high = 0xbf;
	int len;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return -1;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (p[0] == 0xe0)
		low = 0xa0; /* no shorter forms */
	else if (p[0] == 0xed)
		high = 0x9f; /* no surrogates */
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f; /* not above U+10FFFF */
	for (int i = 1; i < len; i++) {
		if ((size_t)i == n)
			return 0;
		if (p[i] < low || p[i] > high)
			return -i;
		low = 0x80;
		high = 0xbf;
	}
	return len;
}

bool term_eight_bit(const char *lc_all, const char *lc_ctype, const char *lang)
{
	const char *name = lc_all && lc_all[0] ? lc_all : lc_ctype && lc_ctype[0] ? lc_ctype : lang;
	const char *dot = name ? strchr(name, '.') : NULL;
	char set[16];
	size_t n = 0;

	/* "C" and names without an encoding say nothing about the terminal. */
	if (!dot)
		return false;
	for (dot++; *dot && *dot != '@' && n + 1 < sizeof(set); dot++)
		if (*dot != '-' && *dot != '_')
			set[n++] = chr_lower(*dot);
	set[n] = '\0';
	return !streq(set, "utf8");
}

/* ---- CSI ---------------------------------------------------------------- */

/* Where the cursor goes, what is inserted, erased, scrolled, and colours. */
bool term_plain_final(uint8_t final)
{
	static const bool passes[128] = {
		['@'] = true, ['A'] = true, ['B'] = true, ['C'] = true, ['D'] = true, ['E'] = true,
		['F'] = true, ['G'] = true, ['H'] = true, ['I'] = true, ['J'] = true, ['K'] = true,
		['L'] = true, ['M'] = true, ['P'] = true, ['S'] = true, ['T'] = true, ['X'] = true,
		['Z'] = true, ['`'] = true, ['a'] = true, ['b'] = true, ['d'] = true, ['e'] = true,
		['f'] = true, ['g'] = true, ['m'] = true, ['r'] = true, ['s'] = true, ['u'] = true,
	};

	return final < sizeof(passes) && passes[final];
}

/* Parameters that one final byte may have: any; the first of these; each of these. */
enum params { ANY, FIRST, EACH };

struct csi_row {
	const char *shape; /* private prefix, intermediates, final */
	enum params params;
	enum term_kind kind; /* what it is when it does not pass */
	bool asks;	     /* the terminal answers, in a form that the command has no say in */
	int16_t values[40];  /* ended by -1, or by the end */
};

/* clang-format off */
static const struct csi_row rows[] = {
	{ ">m", ANY, TERM_OTHER, false, { -1 } }, /* which keys send what */
	{ "?m", ANY, TERM_OTHER, true, { -1 } },
	{ " q", ANY, TERM_OTHER, false, { -1 } }, /* the cursor's shape */
	{ " @", ANY, TERM_OTHER, false, { -1 } },
	{ " A", ANY, TERM_OTHER, false, { -1 } },
	{ "'}", ANY, TERM_OTHER, false, { -1 } },
	{ "'~", ANY, TERM_OTHER, false, { -1 } },
	{ "?J", ANY, TERM_OTHER, false, { -1 } },
	{ "?K", ANY, TERM_OTHER, false, { -1 } },
	{ "!p", ANY, TERM_OTHER, false, { -1 } }, /* soft reset */
	{ "\"q", ANY, TERM_OTHER, false, { -1 } },
	{ "$r", ANY, TERM_OTHER, false, { -1 } }, /* rectangles */
	{ "$t", ANY, TERM_OTHER, false, { -1 } },
	{ "$v", ANY, TERM_OTHER, false, { -1 } },
	{ "$x", ANY, TERM_OTHER, false, { -1 } },
	{ "$z", ANY, TERM_OTHER, false, { -1 } },
	{ "${", ANY, TERM_OTHER, false, { -1 } },
	{ "*x", ANY, TERM_OTHER, false, { -1 } },
	/* the keyboard protocol of kitty */
	{ ">u", ANY, TERM_OTHER, false, { -1 } },
	{ "<u", ANY, TERM_OTHER, false, { -1 } },
	{ "=u", ANY, TERM_OTHER, false, { -1 } },
	{ "?u", ANY, TERM_OTHER, true, { -1 } },
	/* questions: who are you, where is the cursor, which mode is set */
	{ "c", EACH, TERM_REPORT, true, { 0, -1 } },
	{ ">c", EACH, TERM_REPORT, true, { 0, -1 } },
	{ "=c", EACH, TERM_REPORT, true, { 0, -1 } },
	{ ">q", EACH, TERM_REPORT, true, { 0, -1 } },
	{ "n", EACH, TERM_REPORT, true, { 5, 6, -1 } },
	{ "?n", EACH, TERM_REPORT, true, { 6, 996, -1 } },
	{ "$p", ANY, TERM_REPORT, true, { -1 } },
	{ "?$p", ANY, TERM_REPORT, true, { -1 } },
	/* the size in pixels and cells; the stack of titles. 20 and 21 would send the title,
	 * which the command may have chosen, as if it had been typed. */
	{ "t", FIRST, TERM_WINDOW, false, { 14, 16, 18, 22, 23, -1 } },
	{ "i", EACH, TERM_PRINTER, false, { -1 } },
	{ "?i", EACH, TERM_PRINTER, false, { -1 } },
	/* Not: 2 locks the keyboard, 12 shows what is not typed, 20 sends two characters. */
	{ "h", EACH, TERM_MODE, false, { 4, -1 } },
	{ "l", EACH, TERM_MODE, false, { 2, 4, 12, 20, -1 } },
	{ "*y", EACH, TERM_REPORT, false, { -1 } }, /* a checksum of what the screen shows */
	{ "$w", EACH, TERM_REPORT, false, { -1 } },
	{ "$u", EACH, TERM_REPORT, false, { -1 } },
	{ "x", EACH, TERM_REPORT, false, { -1 } },
};

/* Not: 2 (VT52, another grammar), 38 (Tektronix), 42 (national sets), 1042-1044 (the
 * window, the clipboard), 5522 (the clipboard), 8452 (sixels), ... */
static const int16_t private_modes[] = {
	1, 3, 4, 5, 6, 7, 8, 9, 12, 13, 25, 45, 47, 66, 67, 69, 95, 1000, 1001, 1002, 1003, 1004,
	1005, 1006, 1007, 1010, 1011, 1015, 1016, 1034, 1035, 1036, 1037, 1039, 1045, 1046, 1047, 1048,
	1049, 1060, 1061, 2004, 2026, 2027, 2031, 2048, 9001,
};
/* clang-format on */

static bool mode_passes(int v)
{
	for (size_t i = 0; i < ARRAY_SIZE(private_modes); i++)
		if (private_modes[i] == v)
			return true;
	return false;
}

static bool listed(const struct csi_row *row, int v)
{
	for (size_t i = 0; i < ARRAY_SIZE(row->values) && row->values[i] >= 0; i++)
		if (row->values[i] == v)
			return true;
	return false;
}

/* The next parameter at *pos, or -1 behind the last; "" is 0. */
static int next_param(const uint8_t *p, size_t n, size_t *pos)
{
	int v = 0;

	if (*pos > n)
		return -1;
	while (*pos < n && p[*pos] != ';') {
		/* What follows a colon belongs to the same parameter. */
		if (p[*pos] == ':') {
			while (*pos < n && p[*pos] != ';')
				++*pos;
			break;
		}
		v = v * 10 + (p[(*pos)++] - '0');
	}
	++*pos;
	return v;
}

/* Splits hold: a prefix, parameters of a few digits each, intermediates. */
static bool split(const struct term_filter *f, size_t *ret_from, size_t *ret_to)
{
	size_t i = 0, digits = 0;

	if (f->n && f->hold[0] >= '<' && f->hold[0] <= '?')
		i++;
	*ret_from = i;
	for (; i < f->n && f->hold[i] >= '0' && f->hold[i] <= ';'; i++) {
		digits = f->hold[i] <= '9' ? digits + 1 : 0;
		if (digits > TERM_DIGITS_MAX)
			return false;
	}
	*ret_to = i;
	for (; i < f->n; i++)
		if (f->hold[i] < 0x20 || f->hold[i] > 0x2f)
			return false;
	return true;
}

static bool params_pass(const struct csi_row *row, const uint8_t *p, size_t n)
{
	size_t pos = 0;
	int v;

	if (row->params == ANY)
		return true;
	v = next_param(p, n, &pos);
	if (row->params == FIRST)
		return listed(row, v);
	for (; v >= 0; v = next_param(p, n, &pos))
		if (!listed(row, v))
			return false;
	return true;
}

/* Modes are told apart one by one: a list keeps those that may pass. */
static enum term_verdict judge_modes(struct term_filter *f)
{
	uint8_t kept[sizeof(f->hold)];
	size_t n = 1, pos = 1;
	bool changed = false;

	kept[0] = '?';
	while (pos <= f->n) {
		size_t from = pos;
		int v = next_param(f->hold, f->n, &pos);
		size_t len = pos - 1 - from;

		if (!mode_passes(v)) {
			changed = true;
			continue;
		}
		if (n > 1)
			kept[n++] = ';';
		memcpy(kept + n, f->hold + from, len);
		n += len;
	}
	if (n == 1)
		return TERM_V_DROP;
	memcpy(f->hold, kept, n);
	f->n = n;
	return changed ? TERM_V_CHANGED : TERM_V_PASS;
}

/* Below 20 it is a question. */
static bool asks_size(const struct term_filter *f, size_t n)
{
	size_t pos = 0;

	return next_param(f->hold, n, &pos) < 20;
}

static enum term_verdict asked(struct term_filter *f, bool asks)
{
	f->asked |= asks;
	return asks && f->no_questions ? TERM_V_DROP : TERM_V_PASS;
}

enum term_verdict term_judge_csi(struct term_filter *f, uint8_t final, enum term_kind *ret)
{
	char shape[8];
	size_t from, to, n = 0;

	*ret = TERM_OTHER;
	if (!split(f, &from, &to) || f->n - to + from + 2 > sizeof(shape))
		return TERM_V_DROP;
	if (f->n == to && !from && term_plain_final(final))
		return TERM_V_PASS;
	if (from)
		shape[n++] = (char)f->hold[0];
	for (size_t i = to; i < f->n; i++)
		shape[n++] = (char)f->hold[i];
	shape[n++] = (char) final;
	shape[n] = '\0';
	if (streq(shape, "?h") || streq(shape, "?l") || streq(shape, "?s") || streq(shape, "?r")) {
		*ret = TERM_MODE;
		return judge_modes(f);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!streq(rows[i].shape, shape))
			continue;
		*ret = rows[i].kind;
		if (!params_pass(&rows[i], f->hold + from, to - from))
			return TERM_V_DROP;
		return asked(f, rows[i].asks || (final == 't' && asks_size(f, to)));
	}
	return TERM_V_DROP;
}

/* ---- ESC ---------------------------------------------------------------- */

enum term_verdict term_judge_esc(struct term_filter *f, uint8_t final, enum term_kind *ret)
{
	*ret = TERM_OTHER;
	/* Cursor, tabs, keypad, reset, shifts of character sets. Not: DECID, whose answer
	 * may be one of eight bits. */
	if (f->n == 0)
		return strchr("6789=>DEHMNOcno|}~", final) ? TERM_V_PASS : TERM_V_DROP;
	if (f->n != 1)
		return TERM_V_DROP;
	/* Double size; character sets. Not "%": it leaves UTF-8; nor " ": eight-bit answers. */
	if (f->hold[0] == '#')
		return strchr("34568", final) ? TERM_V_PASS : TERM_V_DROP;
	return strchr("()*+-./", f->hold[0]) ? TERM_V_PASS : TERM_V_DROP;
}

/* ---- OSC ---------------------------------------------------------------- */

/* Shown as it is: text without controls. */
static bool shown_text(const struct term_filter *f, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		int len = f->eight_bit ? 1 : term_utf8(p + i, n - i);

		if (len <= 0 || (len == 2 && p[i] == 0xc2 && p[i + 1] < 0xa0) ||
		    (f->eight_bit && p[i] >= 0x80 && p[i] < 0xa0))
			return false;
		i += (size_t)len;
	}
	return true;
}

/* Colours as X names them: no more than what such names are made of. */
static bool color_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'z') ||
		      (p[i] >= 'A' && p[i] <= 'Z') || strchr(";:/#?,. -", p[i])))
			return false;
	return n <= 1024;
}

static bool starts(const uint8_t *p, size_t n, const char *with)
{
	size_t len = strlen(with);

	if (n < len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (chr_lower((char)p[i]) != with[i])
			return false;
	return true;
}

/* "8;PARAMETERS;URI". A link that does not pass becomes the end of links, or what follows would
 * belong to one that was begun before. */
static enum term_verdict judge_link(struct term_filter *f, const uint8_t *p, size_t n,
				    enum term_kind *ret)
{
	const uint8_t *uri = memchr(p, ';', n);
	size_t len;

	*ret = TERM_LINK;
	if (uri) {
		uri++;
		len = n - (size_t)(uri - p);
		if (!len || ((starts(uri, len, "http://") || starts(uri, len, "https://")) &&
			     shown_text(f, p, n) && len <= 2083)) {
			term_note_link(f, len != 0);
			return TERM_V_PASS;
		}
	}
	term_note_link(f, false);
	memcpy(f->hold, "8;;", 3);
	f->n = 3;
	return TERM_V_CHANGED;
}

/* "133;A" and its kind: where a prompt, a command, its output begin; its status. Other
 * parameters tell a terminal what to send when something is clicked. */
static bool prompt_mark(const uint8_t *p, size_t n)
{
	if (!n || !strchr("ABCD", p[0]))
		return false;
	if (n == 1)
		return true;
	if (p[0] != 'D' || p[1] != ';' || n < 3 || n > 6)
		return false;
	for (size_t i = 2; i < n; i++)
		if (p[i] < '0' || p[i] > '9')
			return false;
	return true;
}

enum term_verdict term_judge_osc(struct term_filter *f, enum term_kind *ret)
{
	size_t i = 0;
	int number = 0;
	const uint8_t *p;
	size_t n;

	*ret = TERM_COMMAND;
	while (i < f->n && i < 5 && f->hold[i] >= '0' && f->hold[i] <= '9')
		number = number * 10 + (f->hold[i++] - '0');
	if (i == 0 || (i > 1 && f->hold[0] == '0') || (i < f->n && f->hold[i] != ';'))
		return TERM_V_DROP;
	p = f->hold + (i < f->n ? i + 1 : i);
	n = f->n - (size_t)(p - f->hold);
	if (number <= 2)
		return n <= 1024 && shown_text(f, p, n) ? TERM_V_PASS : TERM_V_DROP;
	switch (number) {
	case 8:
		return judge_link(f, p, n, ret);
	case 52:
		*ret = TERM_CLIPBOARD;
		return TERM_V_DROP;
	case 133:
		return prompt_mark(p, n) ? TERM_V_PASS : TERM_V_DROP;
	case 4:
	case 5:
	case 104:
	case 105:
		break;
	default:
		if (!(number >= 10 && number <= 19) && !(number >= 110 && number <= 119))
			return TERM_V_DROP;
	}
	if (!color_text(p, n))
		return TERM_V_DROP;
	return asked(f, memchr(p, '?', n) != NULL);
}
