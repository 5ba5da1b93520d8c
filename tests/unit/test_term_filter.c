/* SPDX-License-Identifier: Apache-2.0 */
/* What reaches the user's terminal: each known trick by name, in one piece, cut at every place,
 * and byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "linux/term_filter.h"
#include "prng.h"

#define E "\033"
#define NONE ((int)TERM_KINDS)
#define MANY ((int)TERM_KINDS + 1)

struct row {
	const char *name, *in, *want;
	int kind; /* what is counted once; NONE; MANY */
};

#define SAME(name, text)               \
	{                              \
		name, text, text, NONE \
	}
#define GONE(name, text, kind)                 \
	{                                      \
		name, "<" text ">", "<>", kind \
	}

/* clang-format off */
static const struct row rows[] = {
	SAME("plain text", "hello\r\n\tworld\b\a\v\f"),
	SAME("utf-8", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82 \xc4\x9b \xe2\x9c\x93 \xc2\xa0"),
	SAME("colours", E "[1;38;5;196mred" E "[0m" E "[38:2::1:2:3m" E "[m"),
	SAME("cursor and erasing", E "[H" E "[2J" E "[10;20H" E "[K" E "[?25l" E "[3J" E "[5A"),
	SAME("full screen", E "[?1049h" E "[22;0;0t" E "[?1h" E "=" E "[?2004h" E "[23;0;0t"),
	SAME("mouse", E "[?1000;1006h" E "[?1002l"),
	SAME("save and restore", E "7" E "8" E "[s" E "[u" E "D" E "M" E "E"),
	SAME("line drawing", E "(0qqq" E "(B\016x\017"),
	SAME("scroll region", E "[2;20r" E "[r"),
	SAME("cursor shape", E "[4 q"),
	SAME("kitty keyboard", E "[>1u" E "[?u" E "[<u"),
	SAME("modified keys", E "[>4;2m" E "[>4m"),
	SAME("synchronised output", E "[?2026h" E "[?2026l"),
	SAME("where is the cursor", E "[6n" E "[5n" E "[?6n"),
	SAME("who are you", E "[c" E "[>c" E "[>0c" E "[>q" E "[?2026$p"),
	SAME("sizes", E "[14t" E "[16t" E "[18t"),
	SAME("title", E "]0;a title\a" E "]2;\xc3\xa9\033\\"),
	SAME("colours of the terminal", E "]4;1;rgb:ff/00/00\a" E "]11;?\033\\" E "]104\a" E "]112\a"),
	SAME("link", E "]8;id=1;https://a.example/x?y\033\\text" E "]8;;\033\\"),
	SAME("prompt marks", E "]133;A\a" E "]133;D;127\a"),
	SAME("double height", E "#3" E "#8"),
	SAME("reset", E "c" E "[!p"),

	GONE("clipboard: write", E "]52;c;ZWNobyBQV05FRA==\a", TERM_CLIPBOARD),
	GONE("clipboard: read", E "]52;c;?\033\\", TERM_CLIPBOARD),
	GONE("clipboard: leading zero", E "]052;c;ZQ==\a", TERM_COMMAND),
	GONE("clipboard in eight bits", "\xc2\x9d" "52;c;ZQ==\xc2\x9c", TERM_CLIPBOARD),
	GONE("clipboard: a letter in between", E "]5a2;c;ZQ==\a", TERM_COMMAND),
	GONE("paste events", E "[?5522h", TERM_MODE),
	GONE("notification", E "]9;text\a", TERM_COMMAND),
	GONE("notification of urxvt", E "]777;notify;a;b\a", TERM_COMMAND),
	GONE("notification of kitty", E "]99;;text\033\\", TERM_COMMAND),
	GONE("files by iTerm2", E "]1337;File=name=eA==;inline=1:AAAA\a", TERM_COMMAND),
	GONE("working directory", E "]7;file://host/tmp\a", TERM_COMMAND),
	GONE("font", E "]50;#1\a", TERM_COMMAND),
	GONE("a property of the window", E "]3;WM_NAME=x\a", TERM_COMMAND),
	GONE("lisp of emacs", E "]51;Efind-file /etc/passwd\a", TERM_COMMAND),
	GONE("shell integration", E "]633;E;rm -rf\a", TERM_COMMAND),
	GONE("title of Sun", E "]lx\033\\", TERM_COMMAND),
	GONE("title with a control", E "]0;a\001b\a", TERM_COMMAND),
	GONE("title with a line's end", E "]2;a\nrm\n\a", TERM_COMMAND),
	GONE("title with C1", E "]2;a\xc2\x9b" "21t\a", TERM_COMMAND),
	GONE("title that is no utf-8", E "]2;a\x9b" "21t\a", TERM_COMMAND),
	GONE("prompt mark with a click", E "]133;A;click_events=1\a", TERM_COMMAND),
	GONE("colours of the Linux console", E "]P0ff00ff", TERM_COMMAND),
	GONE("and their reset", E "]R", TERM_COMMAND),
	{ "link to a file", "<" E "]8;;file:///etc/passwd\aX" E "]8;;\a>", "<" E "]8;;\aX" E "]8;;\a>", TERM_LINK },
	{ "link to a program", "<" E "]8;;x-man-page://ls\033\\>", "<" E "]8;;\033\\>", TERM_LINK },
	{ "link with a control", "<" E "]8;;http://a\xc2\x85\a>", "<" E "]8;;\a>", TERM_LINK },

	GONE("DECRQSS", E "P$q\"p\033\\", TERM_STRING),
	GONE("XTGETTCAP", E "P+q544e\033\\", TERM_STRING),
	GONE("DCS with a command", E "P\nid\n\033\\", TERM_STRING),
	GONE("DCS in eight bits", "\xc2\x90$q x\xc2\x9c", TERM_STRING),
	GONE("through tmux", E "Ptmux;\033\\", TERM_STRING),
	GONE("a macro", E "P1;1;1!zXX\033\\", TERM_STRING),
	GONE("sixels", E "Pq#0;2;0;0;0~\033\\", TERM_STRING),
	GONE("graphics of kitty", E "_Gf=100,t=f;L2V0Yy9wYXNzd2Q=\033\\", TERM_STRING),
	GONE("APC in eight bits", "\xc2\x9fx\xc2\x9c", TERM_STRING),
	GONE("PM", E "^text\033\\", TERM_STRING),
	GONE("SOS", E "Xtext\033\\", TERM_STRING),
	GONE("a bell is no end of DCS", E "P\a$q m\033\\", TERM_STRING),
	GONE("title of screen", E "kname\033\\", TERM_STRING),

	GONE("title report", E "[21t", TERM_WINDOW),
	GONE("icon report", E "[20t", TERM_WINDOW),
	GONE("title report in eight bits", "\xc2\x9b" "21t", TERM_WINDOW),
	GONE("title report, more parameters", E "[21;0;0t", TERM_WINDOW),
	GONE("title report, leading zeros", E "[00021t", TERM_WINDOW),
	GONE("iconify", E "[2t", TERM_WINDOW),
	GONE("move", E "[3;0;0t", TERM_WINDOW),
	GONE("resize", E "[8;1;1t", TERM_WINDOW),
	GONE("full screen", E "[10;1t", TERM_WINDOW),
	GONE("lines", E "[30t", TERM_WINDOW),
	GONE("title modes", E "[>2;3t", TERM_OTHER),
	GONE("answerback", "\005", TERM_CONTROL),
	GONE("DECID", E "Z", TERM_OTHER),
	GONE("DECID in eight bits", "\xc2\x9a", TERM_OTHER),
	GONE("printing", E "[5i", TERM_PRINTER),
	GONE("printing the screen", E "[i", TERM_PRINTER),
	GONE("printing by line", E "[?5i", TERM_PRINTER),
	GONE("checksum of the screen", E "[1;1;1;1;1;2*y", TERM_REPORT),
	GONE("state of the cursor", E "[1$w", TERM_REPORT),
	GONE("state of the terminal", E "[1$u", TERM_REPORT),
	GONE("parameters", E "[1x", TERM_REPORT),
	GONE("defined keys", E "[?25n", TERM_REPORT),
	GONE("invoke a macro", E "[1*z", TERM_OTHER),
	GONE("self-test", E "[2;1y", TERM_OTHER),
	GONE("locator", E "[1'z", TERM_OTHER),
	GONE("keyboard lock", E "[2h", TERM_MODE),
	GONE("local echo", E "[12h", TERM_MODE),
	GONE("VT52", E "[?2l", TERM_MODE),
	GONE("national sets", E "[?42h", TERM_MODE),
	GONE("bell raises the window", E "[?1043h", TERM_MODE),
	{ "one mode of a list", "<" E "[?1000;1043;1006h>", "<" E "[?1000;1006h>", TERM_MODE },
	{ "the first of a list", "<" E "[?1043;25l>", "<" E "[?25l>", TERM_MODE },
	GONE("leave utf-8", E "%@", TERM_OTHER),
	GONE("eight-bit answers", E " G", TERM_OTHER),
	GONE("level of conformance", E "[62;0\"p", TERM_OTHER),
	GONE("an unknown sequence", E "[1;2&w", TERM_OTHER),
	GONE("a number that is too large", E "[999999999b", TERM_OTHER),
	GONE("parameters behind intermediates", E "[ 1q", TERM_OTHER),
	GONE("a prefix in the middle", E "[1?25h", TERM_OTHER),
	GONE("function key of the Linux console", E "[[", TERM_OTHER),

	/* Terminals disagree on the end of these. */
	{ "C0 within a sequence is obeyed first", E "[2\nJ", "\n" E "[2J", NONE },
	{ "a sequence is broken off", "<" E "[12" E "[m>", "<" E "[m>", TERM_OTHER },
	{ "by a character", "<" E "[12\xc3\xa9>", "<\xc3\xa9>", TERM_OTHER },
	{ "SUB breaks off", "<" E "[12\032m>", "<\032m>", TERM_OTHER },
	{ "OSC broken off by a sequence", "<" E "]52;c;AAAA" E "[m>", "<" E "[m>", TERM_OTHER },
	{ "OSC broken off by another", "<" E "]0;a" E "]0;b\a>", "<" E "]0;b\a>", TERM_OTHER },
	{ "ESC twice", "<" E E "[m>", "<" E "[m>", TERM_OTHER },
	{ "C1 as seven bits", "\xc2\x9b" "1m\xc2\x85", E "[1m" E "E", NONE },
	{ "0x9c within a character ends no string", "<" E "]0;\xe2\x82\x9c x\a>", "<" E "]0;\xe2\x82\x9c x\a>", NONE },
	{ "ST alone", "<" E "\\\xc2\x9c>", "<>", NONE },
	{ "DEL within a sequence", "<" E "[1\177m>", "<" E "[1m>", NONE },

	{ "raw C1", "<\x9b" "21t>", "<\xef\xbf\xbd" "21t>", TERM_BYTES },
	{ "an overlong ESC", "<\xc0\x9b[m>", "<\xef\xbf\xbd\xef\xbf\xbd[m>", MANY },
	{ "a cut character", "<\xe2\x82>", "<\xef\xbf\xbd>", TERM_BYTES },
	{ "a cut character before ESC", "<\xe2" E "[m>", "<\xef\xbf\xbd" E "[m>", TERM_BYTES },
	{ "a surrogate", "<\xed\xa0>", "<\xef\xbf\xbd\xef\xbf\xbd>", MANY },
	{ "latin-1", "caf\xe9 ", "caf\xef\xbf\xbd ", TERM_BYTES },
};
/* clang-format on */

struct result {
	struct term_filter f;
	char out[70000];
	size_t n;
};

static void feed(struct result *r, const char *in, size_t n)
{
	static char room[TERM_FILTER_ROOM(66000)];
	size_t len;

	assert_true(n <= 66000);
	len = term_filter(&r->f, in, n, room);
	assert_true(len <= TERM_FILTER_ROOM(n));
	assert_true(r->n + len <= sizeof(r->out));
	memcpy(r->out + r->n, room, len);
	r->n += len;
}

static uint64_t total(const struct term_filter *f)
{
	uint64_t sum = 0;

	for (int k = 0; k < TERM_KINDS; k++)
		sum += f->left_out[k];
	return sum;
}

static void check(const struct row *row, const struct result *r, const char *how)
{
	bool same = r->n == strlen(row->want) && memcmp(r->out, row->want, r->n) == 0;
	char shown[4096];

	if (!same) {
		str_escape(shown, sizeof(shown), r->out, r->n);
		fail_msg("%s, %s: got %s", row->name, how, shown);
	}
	if (row->kind < NONE && (r->f.left_out[row->kind] != 1 || total(&r->f) != 1))
		fail_msg("%s, %s: not counted as %s", row->name, how,
			 term_kind_name((enum term_kind)row->kind));
	if (row->kind == NONE && total(&r->f))
		fail_msg("%s, %s: counted", row->name, how);
	if (row->kind == MANY && !total(&r->f))
		fail_msg("%s, %s: not counted", row->name, how);
}

static struct result one, two;

static void in_pieces(const char *in, size_t n, size_t piece, struct result *r)
{
	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < n; i += piece)
		feed(r, in + i, n - i < piece ? n - i : piece);
}

static void whole_and_split(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		size_t n = strlen(row->in);

		in_pieces(row->in, n, n, &one);
		check(row, &one, "whole");
		in_pieces(row->in, n, 1, &one);
		check(row, &one, "byte by byte");
		for (size_t cut = 1; cut < n; cut++) {
			memset(&one, 0, sizeof(one));
			feed(&one, row->in, cut);
			feed(&one, row->in + cut, n - cut);
			check(row, &one, "in two");
		}
	}
}

/* What is left of these is text, without what made them work. */
static void defused(void **state)
{
	(void)state;
	in_pieces("<\033[1\005\033[m\b>", 10, 10, &one);
	assert_int_equal(one.n, 6);
	assert_memory_equal(one.out, "<\033[m\b>", 6);
	assert_int_equal(one.f.left_out[TERM_CONTROL], 1);
	in_pieces("**\030B00\r\n", 8, 3, &one);
	assert_int_equal(one.n, 7);
	assert_memory_equal(one.out, "**B00\r\n", 7);
	assert_int_equal(one.f.left_out[TERM_CONTROL], 1);
}

/* A string without an end is not kept, and what comes after its end is there. */
static void endless(void **state)
{
	static const char *const begins[] = { "\033]0;", "\033]52;c;", "\033P", "\033_G", "\033[" };
	static char long_text[20000];

	(void)state;
	memset(long_text, '1', sizeof(long_text));
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		memset(&one, 0, sizeof(one));
		feed(&one, begins[i], strlen(begins[i]));
		for (int k = 0; k < 3; k++)
			feed(&one, long_text, sizeof(long_text));
		assert_int_equal(one.n, 0);
		feed(&one, "\033\\after", 7);
		assert_int_equal(one.n, 5);
		assert_memory_equal(one.out, "after", 5);
		assert_true(total(&one.f) >= 1);
	}
}

/* The longest that passes, and one byte more. */
static void longest(void **state)
{
	static char title[2000];

	(void)state;
	for (size_t len = 1024; len <= 1025; len++) {
		memcpy(title, "\033]0;", 4);
		memset(title + 4, 'x', len);
		title[len + 4] = '\a';
		in_pieces(title, len + 5, 100, &one);
		assert_int_equal(one.n, len == 1024 ? len + 5 : 0);
	}
}

/* The same, whatever the pieces; and what has passed passes again as it is. */
static void pieces_and_twice(void **state)
{
	static const char alphabet[] =
		"\033\033\033[[]]?;;:0125P_^X\\\\\a\a\n\030\032\005hlmtnqup $\"*!>=<"
		"abcxyz()%#789\x9b\x9c\x9d\xc2\xc2\xc3\xe2\x82\xac\xf0\x9f\xff\177";
	static char in[600];
	struct prng rng = { 0x5eed0001 };

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t n = prng_below(&rng, (unsigned)sizeof(in) - 1) + 1;

		for (size_t i = 0; i < n; i++)
			in[i] = alphabet[prng_below(&rng, (unsigned)sizeof(alphabet) - 1)];
		for (int eight = 0; eight < 2; eight++) {
			memset(&one, 0, sizeof(one));
			memset(&two, 0, sizeof(two));
			one.f.eight_bit = two.f.eight_bit = eight;
			feed(&one, in, n);
			for (size_t i = 0; i < n;) {
				size_t piece = prng_below(&rng, 7) + 1;

				piece = n - i < piece ? n - i : piece;
				feed(&two, in + i, piece);
				i += piece;
			}
			assert_int_equal(one.n, two.n);
			assert_memory_equal(one.out, two.out, one.n);
			assert_memory_equal(one.f.left_out, two.f.left_out, sizeof(one.f.left_out));
			memset(&two, 0, sizeof(two));
			two.f.eight_bit = eight;
			feed(&two, one.out, one.n);
			assert_int_equal(one.n, two.n);
			assert_memory_equal(one.out, two.out, one.n);
			assert_int_equal(total(&two.f), 0);
		}
	}
}

static void eight_bit(void **state)
{
	static const char in[] = "<\x9b"
				 "21t\xe9\x9d"
				 "52;c;ZQ==\x9c\x9b"
				 "1m\x90q\x9c>";

	(void)state;
	memset(&one, 0, sizeof(one));
	one.f.eight_bit = true;
	feed(&one, in, sizeof(in) - 1);
	assert_int_equal(one.n, 7);
	assert_memory_equal(one.out, "<\xe9\033[1m>", 7);
	assert_false(term_eight_bit(NULL, NULL, NULL));
	assert_false(term_eight_bit("", "", "C"));
	assert_false(term_eight_bit("C.UTF-8", "de_DE.ISO-8859-1", NULL));
	assert_false(term_eight_bit(NULL, NULL, "en_US.utf8"));
	assert_true(term_eight_bit(NULL, NULL, "de_DE.ISO-8859-15@euro"));
	assert_true(term_eight_bit("", "ru_RU.KOI8-R", "en_US.UTF-8"));
}

static const struct {
	const char *said, *undo;
} undo_rows[] = {
	{ "text\033[31mred\033[0m", "" },
	{ "\033[31mred", "\033[m" },
	{ "\033[?25l", "\033[?25h" },
	{ "\033[?25l\033[?25h", "" },
	{ "\033[?1049h\033[?1l", "\033[?1049l" },
	{ "\033[?1049h\033[?1049l", "" },
	{ "\033[?1000;1006h", "\033[?9;1000;1001;1002;1003;1005;1006;1015;1016l" },
	{ "\033[?2004h\033[?1h\033=", "\033[?1l\033>\033[?2004l" },
	{ "\033[?2004h\033c", "" },
	{ "\033[>1u\033[>5u", "\033[<2u" },
	{ "\033[>1u\033[<u", "" },
	{ "\033[>4;2m", "\033[>4m" },
	{ "\033[>4;2m\033[>4;0m", "" },
	{ "\033(0", "\033(B\033)B" },
	{ "\033(0\033(B", "" },
	{ "\016", "\017" },
	{ "\033[2;10r", "\0337\033[r\033[?69l\0338" },
	{ "\033[2;10r\033[r", "" },
	{ "\033]8;;http://a\a", "\033]8;;\033\\" },
	{ "\033]8;;http://a\ax\033]8;;\a", "" },
	{ "\033[4h", "\033[4l" },
	{ "\033[?7l", "\033[?7h" },
};

static const char all_modes[] =
	"\033[?1;5;6;7;9;47;66;69;1004;1049;2004;2026;2031;2048;9001h\033[?7;25l\033[4h\016\033(0"
	"\033[1m\033]8;;http://a\a\033[>4;2m\033[>1u\033[1;2r";

static void undone(void **state)
{
	static char undo[TERM_UNDO_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(undo_rows); i++) {
		size_t n;

		in_pieces(undo_rows[i].said, strlen(undo_rows[i].said), 1000, &one);
		n = term_filter_undo(&one.f, undo);
		if (n != strlen(undo_rows[i].undo) || memcmp(undo, undo_rows[i].undo, n) != 0)
			fail_msg("row %zu: wrong", i);
		/* The way back may pass itself. */
		memset(&two, 0, sizeof(two));
		feed(&two, undo, n);
		assert_int_equal(two.n, n);
		assert_int_equal(term_filter_undo(&one.f, undo), 0);
	}
	/* Everything at once has room. */
	in_pieces(all_modes, sizeof(all_modes) - 1, sizeof(all_modes), &one);
	assert_true(one.f.set != 0);
	for (int i = 0; i < 100; i++)
		feed(&one, "\033[>1u", 5);
	one.f.set = ~0u >> 12;
	assert_true(term_filter_undo(&one.f, undo) < TERM_UNDO_MAX);
}

static void questions(void **state)
{
	static const char *const asks[] = { "\033[6n",	   "\033[c",  "\033[18t",
					    "\033]11;?\a", "\033[?u", "\033[?25$p" };
	static const char *const tells[] = { "\033[1m", "\033[22;0t", "\033]11;#fff\a", "\033[21t",
					     "\033[?25h" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(asks); i++) {
		in_pieces(asks[i], strlen(asks[i]), 2, &one);
		assert_true(one.f.asked);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tells); i++) {
		in_pieces(tells[i], strlen(tells[i]), 2, &one);
		assert_false(one.f.asked);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_split),  cmocka_unit_test(defused),
		cmocka_unit_test(endless),	    cmocka_unit_test(longest),
		cmocka_unit_test(pieces_and_twice), cmocka_unit_test(eight_bit),
		cmocka_unit_test(undone),	    cmocka_unit_test(questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
