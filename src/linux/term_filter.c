/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that finds sequences; what it thinks of them is in term_policy.c. It follows the
 * parsers of xterm and DEC (vt100.net/emu/dec_ansi_parser) where they agree, and where they do
 * not it leaves out. */
#include "linux/term_filter.h"

#include <string.h>

#include "linux/term_policy.h"

enum {
	ENQ = 0x05,
	BEL = 0x07,
	SO = 0x0e,
	SI = 0x0f,
	CAN = 0x18,
	SUB = 0x1a,
	ESC = 0x1b,
	DEL = 0x7f
};

enum state {
	GROUND,
	ESCAPE,	     /* ESC, then intermediates in hold */
	CSI,	     /* parameters and intermediates in hold */
	OSC,	     /* the text in hold */
	SWALLOW,     /* another string, or one that is left out already */
	STRING_ESC,  /* ESC within a string: of its terminator, or the end of it */
	LINUX_COLOR, /* "ESC ] P" of the Linux console: seven hexadecimal digits, no terminator */
};

void term_filter_init(struct term_filter *f, bool eight_bit)
{
	*f = (struct term_filter){ .eight_bit = eight_bit };
}

static void emit(struct term_filter *f, const void *p, size_t n)
{
	memcpy(f->out + f->n_out, p, n);
	f->n_out += n;
}

static void emit1(struct term_filter *f, uint8_t c)
{
	f->out[f->n_out++] = c;
}

static void left_out(struct term_filter *f, enum term_kind k)
{
	f->left_out[k]++;
}

static void to_ground(struct term_filter *f)
{
	f->state = GROUND;
	f->n = 0;
	f->bad = false;
}

static void begin(struct term_filter *f, enum state s)
{
	f->state = (uint8_t)s;
	f->n = 0;
	f->bad = false;
	f->last = 0;
}

static void hold(struct term_filter *f, uint8_t c, size_t max)
{
	if (f->n < max)
		f->hold[f->n++] = c;
	else
		f->bad = true;
}

/* A control character, alone or within a sequence: terminals obey it at once. */
static void control(struct term_filter *f, uint8_t c)
{
	/* CAN begins a file transfer in some terminals, and says nothing else. */
	if (c == ENQ || c == CAN) {
		left_out(f, TERM_CONTROL);
		return;
	}
	term_note_control(f, c);
	emit1(f, c);
}

static void end_csi(struct term_filter *f, uint8_t final)
{
	enum term_kind why = TERM_OTHER;
	enum term_verdict v = f->bad ? TERM_V_DROP : term_judge_csi(f, final, &why);

	if (v == TERM_V_DROP) {
		left_out(f, why);
	} else {
		if (v == TERM_V_CHANGED)
			left_out(f, why);
		term_note_csi(f, f->hold, f->n, final);
		emit(f, "\033[", 2);
		emit(f, f->hold, f->n);
		emit1(f, final);
	}
	to_ground(f);
}

static void end_osc(struct term_filter *f, bool bel)
{
	enum term_kind why = TERM_COMMAND;
	enum term_verdict v = f->bad ? TERM_V_DROP : term_judge_osc(f, &why);

	if (v != TERM_V_PASS)
		left_out(f, why);
	if (v != TERM_V_DROP) {
		emit(f, "\033]", 2);
		emit(f, f->hold, f->n);
		emit(f, bel ? "\a" : "\033\\", bel ? 1 : 2);
	}
	to_ground(f);
}

static void end_string(struct term_filter *f, bool bel)
{
	if (f->string == OSC)
		end_osc(f, bel);
	else
		to_ground(f);
}

/* The byte that says what ESC begins, or a C1 control as that. */
static void introduce(struct term_filter *f, uint8_t c)
{
	switch (c) {
	case '[':
		begin(f, CSI);
		return;
	case ']':
		begin(f, OSC);
		f->string = OSC;
		return;
	case 'P': /* DCS */
	case 'X': /* SOS */
	case '^': /* PM */
	case '_': /* APC */
	case 'k': /* the title of screen and tmux */
		left_out(f, TERM_STRING);
		begin(f, SWALLOW);
		f->string = SWALLOW;
		return;
	case '\\': /* the end of no string */
		to_ground(f);
		return;
	default:
		break;
	}
}

static void end_escape(struct term_filter *f, uint8_t c)
{
	enum term_kind why = TERM_OTHER;

	if (f->bad || term_judge_esc(f, c, &why) != TERM_V_PASS) {
		left_out(f, why);
	} else {
		term_note_esc(f, f->hold, f->n, c);
		emit1(f, ESC);
		emit(f, f->hold, f->n);
		emit1(f, c);
	}
	to_ground(f);
}

/* The eight-bit form of ESC and another byte. */
static void c1(struct term_filter *f, uint8_t c)
{
	uint8_t seven = (uint8_t)(c - 0x40);

	begin(f, ESCAPE);
	introduce(f, seven);
	if (f->state == ESCAPE)
		end_escape(f, seven);
}

static void text(struct term_filter *f, const uint8_t *p, int len)
{
	if (len == 2 && p[0] == 0xc2 && p[1] < 0xa0)
		c1(f, p[1]);
	else
		emit(f, p, (size_t)len);
}

static void replace(struct term_filter *f)
{
	left_out(f, TERM_BYTES);
	emit(f, "\xef\xbf\xbd", 3);
}

/* A byte above 0x7f outside sequences, or any byte while a character is not complete. Returns
 * false when the byte belongs to what follows. */
static bool high(struct term_filter *f, uint8_t c)
{
	int len;

	if (f->eight_bit) {
		if (c < 0xa0)
			c1(f, c);
		else
			emit1(f, c);
		return true;
	}
	f->utf8[f->n_utf8++] = c;
	len = term_utf8(f->utf8, f->n_utf8);
	if (len == 0)
		return true;
	if (len > 0) {
		f->n_utf8 = 0;
		text(f, f->utf8, len);
		return true;
	}
	replace(f);
	len = f->n_utf8 + len; /* what is left: nothing, or the last byte */
	f->n_utf8 = 0;
	return len == 0;
}

static void ground(struct term_filter *f, uint8_t c)
{
	if (f->n_utf8 && high(f, c))
		return;
	if (c == ESC)
		begin(f, ESCAPE);
	else if (c < 0x20)
		control(f, c);
	else if (c < 0x80)
		emit1(f, c);
	else
		(void)high(f, c);
}

/* A byte that no sequence can hold: the sequence is over, and the byte means what it means. */
static void interrupted(struct term_filter *f, uint8_t c)
{
	left_out(f, TERM_OTHER);
	to_ground(f);
	ground(f, c);
}

static void escape(struct term_filter *f, uint8_t c)
{
	if (c == ESC || c == CAN || c == SUB || c >= 0x80) {
		interrupted(f, c);
	} else if (c < 0x20) {
		control(f, c);
	} else if (c < 0x30) {
		hold(f, c, 4);
	} else if (c != DEL) {
		if (f->n == 0)
			introduce(f, c);
		if (f->state == ESCAPE)
			end_escape(f, c);
	}
}

static void csi(struct term_filter *f, uint8_t c)
{
	if (c == ESC || c == CAN || c == SUB || c >= 0x80)
		interrupted(f, c);
	else if (c < 0x20)
		control(f, c);
	else if (c < 0x40)
		hold(f, c, 256);
	else if (c != DEL)
		end_csi(f, c);
}

static void osc(struct term_filter *f, uint8_t c)
{
	bool first = f->n == 0 && !f->bad;

	if (first && (c == 'P' || c == 'R')) {
		/* The Linux console's colours; a string to others, who never see it. */
		left_out(f, TERM_COMMAND);
		begin(f, LINUX_COLOR);
		if (c == 'R')
			to_ground(f);
		return;
	}
	if (c < 0x20 || c == DEL)
		f->bad = true;
	else
		hold(f, c, sizeof(f->hold));
}

static void linux_color(struct term_filter *f, uint8_t c)
{
	bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');

	if (!hex) {
		to_ground(f);
		ground(f, c);
	} else if (++f->n == 7) {
		to_ground(f);
	}
}

/* One byte of a string of any kind. In UTF-8 0x9c is part of characters: only as U+009C it
 * ends a string. */
static void string(struct term_filter *f, uint8_t c)
{
	bool st = c == 0x9c && (f->eight_bit || f->last == 0xc2);

	f->last = c;
	if (c == ESC) {
		f->state = STRING_ESC;
	} else if (c == CAN || c == SUB) {
		if (f->string == OSC)
			left_out(f, TERM_OTHER);
		to_ground(f);
		if (c == SUB)
			control(f, c);
	} else if (st) {
		if (!f->eight_bit && f->n)
			f->n--; /* the first byte of U+009C */
		end_string(f, false);
	} else if (c == BEL && f->string == OSC) {
		end_string(f, true);
	} else if (f->string == OSC) {
		osc(f, c);
	}
}

static void string_esc(struct term_filter *f, uint8_t c)
{
	if (c == '\\') {
		end_string(f, false);
		return;
	}
	/* Not its terminator: ended without one, and what follows is a sequence. */
	if (f->string == OSC)
		left_out(f, TERM_OTHER);
	begin(f, ESCAPE);
	escape(f, c);
}

static void step(struct term_filter *f, uint8_t c)
{
	switch ((enum state)f->state) {
	case GROUND:
		ground(f, c);
		break;
	case ESCAPE:
		escape(f, c);
		break;
	case CSI:
		csi(f, c);
		break;
	case OSC:
	case SWALLOW:
		string(f, c);
		break;
	case STRING_ESC:
		string_esc(f, c);
		break;
	case LINUX_COLOR:
		linux_color(f, c);
		break;
	}
}

/* ---- the fast way ------------------------------------------------------- */

#define ONES 0x0101010101010101u
#define HIGHS 0x8080808080808080u

static uint64_t zero_bytes(uint64_t x)
{
	return (x - ONES) & ~x & HIGHS;
}

/* How many bytes at p pass as they are: neither above 0x7f nor ENQ, CAN, ESC, SO, SI. */
static size_t plain(const uint8_t *p, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t x, low;

		memcpy(&x, p + i, 8);
		/* A byte below 0x20 that is none of the usual ones is looked at below. */
		low = (x - ONES * 0x20) & ~x & HIGHS;
		if (x & HIGHS)
			break;
		if (low && (zero_bytes(x ^ (ONES * ESC)) | zero_bytes(x ^ (ONES * CAN)) |
			    zero_bytes(x ^ (ONES * ENQ)) | zero_bytes(x ^ (ONES * SO)) |
			    zero_bytes(x ^ (ONES * SI))))
			break;
	}
	while (i < n && p[i] < 0x80 && p[i] != ESC && p[i] != CAN && p[i] != ENQ && p[i] != SO &&
	       p[i] != SI)
		i++;
	return i;
}

/* How many bytes at p are whole characters above 0x7f. */
static size_t characters(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= 0x80) {
		int len = term_utf8(p + i, n - i);

		if (len <= 0 || (len == 2 && p[i] == 0xc2 && p[i + 1] < 0xa0))
			break;
		i += (size_t)len;
	}
	return i;
}

/* The length of the common sequence at p: CSI, numbers, a final byte that passes with any; or 0:
 * what is there is for the machine, whose judge says the same of these. */
static size_t plain_csi(struct term_filter *f, const uint8_t *p, size_t n)
{
	size_t i = 2, digits = 0;

	if (n < 3 || p[0] != ESC || p[1] != '[')
		return 0;
	for (; i < n && p[i] >= '0' && p[i] <= ';'; i++) {
		digits = p[i] <= '9' ? digits + 1 : 0;
		if (digits > TERM_DIGITS_MAX || i == 64)
			return 0;
	}
	if (i == n || !term_plain_final(p[i]))
		return 0;
	term_note_csi(f, p + 2, i - 2, p[i]);
	return i + 1;
}

/* How many bytes at p pass as they are, between sequences. */
static size_t as_it_is(struct term_filter *f, const uint8_t *p, size_t n)
{
	size_t i = 0, len;

	do {
		i += plain(p + i, n - i);
		len = plain_csi(f, p + i, n - i);
		if (!f->eight_bit && i < n && p[i] >= 0x80)
			len = characters(p + i, n - i);
		i += len;
	} while (len);
	return i;
}

size_t term_filter(struct term_filter *f, const void *in, size_t n, void *out)
{
	const uint8_t *p = in;
	size_t i = 0;

	f->out = out;
	f->n_out = 0;
	while (i < n) {
		if (f->state == GROUND && !f->n_utf8) {
			size_t len = as_it_is(f, p + i, n - i);

			emit(f, p + i, len);
			i += len;
			if (i == n)
				break;
		}
		step(f, p[i++]);
	}
	f->out = NULL;
	return f->n_out;
}
