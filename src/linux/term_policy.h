/* SPDX-License-Identifier: Apache-2.0 */
/* linux/term_*.c only: whether one whole sequence may pass. */
#pragma once

#include "linux/term_filter.h"

enum term_verdict { TERM_V_PASS, TERM_V_CHANGED /* hold has what passes instead */, TERM_V_DROP };

/* Larger numbers have made terminals busy for hours, and wrong. */
#define TERM_DIGITS_MAX 5

/* Does CSI with numbers alone pass, whatever they are? */
bool term_plain_final(uint8_t final);

/* CSI: hold has parameters and intermediates; final is not in it. */
enum term_verdict term_judge_csi(struct term_filter *f, uint8_t final, enum term_kind *ret);
/* ESC, intermediates (hold), final. */
enum term_verdict term_judge_esc(struct term_filter *f, uint8_t final, enum term_kind *ret);
/* OSC: hold has what is between introducer and terminator. */
enum term_verdict term_judge_osc(struct term_filter *f, enum term_kind *ret);

/* Notes for term_filter_undo() what passes. */
void term_note_csi(struct term_filter *f, const uint8_t *p, size_t n, uint8_t final);
void term_note_esc(struct term_filter *f, const uint8_t *p, size_t n, uint8_t final);
void term_note_control(struct term_filter *f, uint8_t c);
void term_note_link(struct term_filter *f, bool open);

/* The length of the well-formed UTF-8 character that p begins with; 0: it is cut off, all n
 * bytes begin one; negative: the first -r bytes are part of none (the Unicode Standard, 3.9:
 * maximal subparts). n > 0. */
int term_utf8(const uint8_t *p, size_t n);
