/* SPDX-License-Identifier: Apache-2.0 */
/* What a command may say to the user's terminal (SPEC T1).
 *
 * A terminal is a program that obeys what is written to it. Some of what it obeys reaches the
 * host: it writes the clipboard, names files that it opens, sends text of the command's choice
 * back as if it had been typed, prints, changes how the following bytes are read. So the
 * output of the session's own terminal passes here on its way to the user's.
 *
 * Everything is a whitelist. What comes out is made of printable text in well-formed UTF-8,
 * harmless control characters, and whole sequences of known meaning in their plain seven-bit
 * form: each is held until its end and judged as a whole. So terminals that disagree on
 * where a malformed, interrupted or eight-bit sequence ends do not matter: they never see one.
 * No sequence that changes the reading itself (other encodings, VT52) passes.
 *
 * Pure: no allocation, no call of the system; the output does not depend on how the input is
 * cut in pieces. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was left out. The names are in events (docs/events.md). */
enum term_kind {
	TERM_PASS = -1,
	TERM_CLIPBOARD, /* OSC 52 */
	TERM_LINK,	/* OSC 8 to something that is not http or https */
	TERM_COMMAND,	/* any other OSC that is not known to be harmless */
	TERM_STRING,	/* DCS, APC, PM, SOS: queries, macros, graphics by file name */
	TERM_REPORT,  /* a question whose answer the command would choose, or that reads the screen
		       */
	TERM_WINDOW,  /* moves, closes, resizes, names the window */
	TERM_PRINTER, /* media copy */
	TERM_MODE,    /* a mode that is not known to be harmless */
	TERM_CONTROL, /* answerback, the beginning of a file transfer */
	TERM_OTHER,   /* unknown, malformed or too long */
	TERM_BYTES,   /* what is no UTF-8: a replacement character stands there instead */
	TERM_KINDS,
};

/* Its name. */
const char *term_kind_name(enum term_kind k);

#define TERM_STRING_MAX 4096 /* a longer sequence is left out */
/* The longest way back to how a terminal was (term_filter_undo()). */
#define TERM_UNDO_MAX 512
/* Room for what comes of n bytes. */
#define TERM_FILTER_ROOM(n) (3 * (n) + TERM_STRING_MAX + 64)

struct term_filter {
	bool no_questions; /* leave out also what the terminal would answer: nobody waits for that
			    */
	bool eight_bit;	   /* the terminal reads bytes 0x80-0x9f as controls, and no UTF-8 */
	uint8_t state, string;
	bool bad;	/* the sequence is left out whatever follows */
	uint8_t last;	/* the byte before, within a string */
	uint8_t n_utf8; /* of a character that is not complete */
	uint8_t utf8[4];
	size_t n; /* bytes in hold */
	uint8_t hold[TERM_STRING_MAX];
	uint64_t left_out[TERM_KINDS];

	/* What the command has set and not set back (linux/term_undo.c). */
	uint32_t set;
	uint16_t keyboard; /* depth of pushed keyboard modes */
	bool asked;	   /* an answer of the terminal's may be on its way */

	/* Where the output goes, during a call. */
	uint8_t *out;
	size_t n_out;
};

/* eight_bit: the terminal is known to use a one-byte encoding. */
void term_filter_init(struct term_filter *f, bool eight_bit);

/* Writes to out, which has TERM_FILTER_ROOM(n) bytes, what may pass of the next n bytes.
 * Returns how many bytes that is. An incomplete sequence waits for the next call. */
size_t term_filter(struct term_filter *f, const void *in, size_t n, void *out);

/* The command has ended: writes to out, of TERM_UNDO_MAX bytes, what sets back the modes that it
 * left behind and that would change what is typed or shown afterwards. Nothing where
 * nothing was left behind. Returns its length. */
size_t term_filter_undo(struct term_filter *f, void *out);

/* Does an environment (its LC_ALL, LC_CTYPE, LANG; NULL or "" unset) name an encoding that is
 * not UTF-8? */
bool term_eight_bit(const char *lc_all, const char *lc_ctype, const char *lang);
