/* SPDX-License-Identifier: Apache-2.0 */
/* Input: what a command writes to its terminal; the first byte says which encoding and how the
 * rest is cut. What comes out does not depend on the cuts, passes once more as it is, and holds
 * nothing that is dangerous by a reading of its own, which knows no states but "in a
 * sequence". */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "linux/term_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX 16384

static uint8_t room[TERM_FILTER_ROOM(INPUT_MAX)], whole[TERM_FILTER_ROOM(INPUT_MAX)],
	pieces[TERM_FILTER_ROOM(INPUT_MAX)], again[2 * TERM_FILTER_ROOM(INPUT_MAX)];

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* An OSC: its number is one of few, its text ends where every terminal ends it. */
static size_t look_osc(const uint8_t *p, size_t n)
{
	static const int numbers[] = { 0,   1,	 2,   4,   5,	8,   10,  11,  12,  13,
				       14,  15,	 16,  17,  18,	19,  104, 105, 110, 111,
				       112, 113, 114, 115, 116, 117, 118, 119, 133 };
	size_t i = 2;
	int number = 0;
	bool known = false;

	while (i < n && p[i] >= '0' && p[i] <= '9')
		number = number * 10 + p[i++] - '0';
	for (size_t k = 0; k < ARRAY_SIZE(numbers); k++)
		known |= numbers[k] == number;
	must(known && i > 2 && i < n);
	while (i < n && p[i] >= 0x20 && p[i] != 0x7f)
		i++;
	must(i < n && (p[i] == '\a' || (p[i] == 0x1b && i + 1 < n && p[i + 1] == '\\')));
	return p[i] == '\a' ? i + 1 : i + 2;
}

static size_t look_csi(const uint8_t *p, size_t n)
{
	size_t i = 2;

	while (i < n && p[i] >= 0x20 && p[i] < 0x40)
		i++;
	must(i < n && p[i] >= 0x40 && p[i] < 0x7f);
	must(!strchr("ijkowy|[]\\^_", p[i]));
	if (p[i] == 't' && p[i - 1] != '$') {
		int v = 0;

		for (size_t k = 2; p[k] >= '0' && p[k] <= '9'; k++)
			v = v * 10 + p[k] - '0';
		must(v == 14 || v == 16 || v == 18 || v == 22 || v == 23);
	}
	return i + 1;
}

static void look(const uint8_t *p, size_t n, bool eight_bit)
{
	size_t i = 0;

	while (i < n) {
		must(p[i] != 0x05 && p[i] != 0x18);
		must(!eight_bit || p[i] < 0x80 || p[i] > 0x9f);
		must(eight_bit || i + 1 == n || p[i] != 0xc2 || p[i + 1] > 0x9f);
		must(eight_bit || (p[i] != 0xc0 && p[i] != 0xc1 && p[i] < 0xf5));
		if (p[i] != 0x1b) {
			i++;
			continue;
		}
		must(i + 1 < n && !strchr("PX^_kZ%lVW\\ !\"$&'", p[i + 1]));
		if (p[i + 1] == '[')
			i += look_csi(p + i, n - i);
		else if (p[i + 1] == ']')
			i += look_osc(p + i, n - i);
		else
			i += 2;
	}
}

static size_t run(struct term_filter *f, bool eight_bit, const uint8_t *data, size_t size,
		  size_t piece, uint8_t *out)
{
	size_t n = 0;

	term_filter_init(f, eight_bit);
	for (size_t i = 0; i < size; i += piece) {
		size_t len = size - i < piece ? size - i : piece;
		size_t got = term_filter(f, data + i, len, room);

		must(got <= TERM_FILTER_ROOM(len));
		memcpy(out + n, room, got);
		n += got;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct term_filter a, b;
	static uint8_t undo[TERM_UNDO_MAX];
	size_t n, m, piece;
	bool eight_bit;

	if (size < 2 || size > INPUT_MAX)
		return 0;
	eight_bit = data[0] & 1;
	piece = (data[0] >> 1) + 1u;
	data++;
	size--;
	n = run(&a, eight_bit, data, size, size, whole);
	m = run(&b, eight_bit, data, size, piece, pieces);
	must(n == m && memcmp(whole, pieces, n) == 0);
	must(memcmp(a.left_out, b.left_out, sizeof(a.left_out)) == 0);
	look(whole, n, eight_bit);
	if (n && n <= INPUT_MAX) {
		m = run(&b, eight_bit, whole, n, n, again);
		must(n == m && memcmp(whole, again, n) == 0);
		for (int k = 0; k < TERM_KINDS; k++)
			must(b.left_out[k] == 0);
	}
	must(term_filter_undo(&a, undo) < TERM_UNDO_MAX);
	return 0;
}
