/* SPDX-License-Identifier: Apache-2.0 */
/* shell_dump < LINE: the parts of a line, one a row: origin, flags, reasons, words between
 * brackets. -t N: only reads it N times and prints the time. -m: lines that end with NUL, and
 * answers for a program (diff_bash.py). Under any other name: writes its arguments to the file
 * $STUB_LOG, and fails when the name begins with "no". */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "shell/shell.h"

static void print_word(const struct shell_word *w)
{
	printf(" %s[", w->many ? "*" : w->why ? "?" : "");
	for (uint32_t i = 0; i < w->len; i++) {
		unsigned char c = (unsigned char)w->text[i];

		if (c < 0x20 || c == '\\' || c == '[' || c == ']' || c == 0x7f)
			printf("\\%03o", c);
		else
			putchar(c);
	}
	putchar(']');
}

static void print_part(const struct shell_part *p, size_t i)
{
	struct shell_rule rule;
	effects_t effects = shell_classify(p);

	printf("%zu\t%s\t%d\t%x\t%x\t%x\t", i, shell_origin_name(p->origin), p->parent, p->flags,
	       p->why, p->blind);
	for (uint32_t k = 0; k < p->n_assigns; k++) {
		printf(" =");
		print_word(&p->assigns[k]);
	}
	for (uint32_t k = 0; k < p->n_words; k++)
		print_word(&p->words[k]);
	for (uint32_t k = 0; k < p->n_redirs; k++) {
		printf(" %d:%d", p->redirs[k].fd, p->redirs[k].op);
		print_word(&p->redirs[k].target);
	}
	putchar('\t');
	for (unsigned l = 0; l < 3; l++) {
		static const char *const names[] = { "deny", "ask", "readonly" };
		enum shell_match m = shell_list_match((enum shell_list)l, p, &rule);

		if (m)
			printf(" %s%s", names[l], m == SHELL_MAYBE ? "?" : "");
	}
	for (unsigned e = 0; e < EFFECT_N; e++)
		if (effects & EFFECT_BIT(e) && e != EFFECT_PROCESS_SPAWN)
			printf(" %s", effect_name((enum effect)e));
	putchar('\n');
}

static void print_hex(const struct shell_word *w)
{
	printf("\t%x,%d,%u,", w->why, w->many, w->known);
	for (uint32_t i = 0; i < w->len; i++)
		printf("%02x", (unsigned char)w->text[i]);
}

static int answer(const char *text, size_t len)
{
	_cleanup_shell_line_ struct shell_line *line = NULL;

	if (shell_parse(text, len, &line, NULL) < 0)
		return 1;
	for (size_t i = 0; i < line->n_parts; i++) {
		const struct shell_part *p = &line->parts[i];

		printf("%s\t%x\t%x\t%x", shell_origin_name(p->origin), p->flags, p->why, p->blind);
		for (uint32_t k = 0; k < p->n_words; k++)
			print_hex(&p->words[k]);
		putchar('\n');
	}
	printf("end\t%x\t%x\t%x\t%s\n", line->flags, line->why, line->blind, line->note);
	return 0;
}

/* One record in one write: arguments end with NUL, the record with another. */
static int stand_in(const char *name, int argc, char **argv)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
	const char *log = getenv("STUB_LOG");
	_cleanup_close_ int fd = log ? open(log, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

	(void)buf_add(&b, name, strlen(name) + 1);
	for (int i = 1; i < argc; i++) {
		(void)buf_adds(&b, ".");
		(void)buf_add(&b, argv[i], strlen(argv[i]) + 1);
	}
	(void)buf_add(&b, "", 1);
	if (b.failed || fd < 0 || write(fd, b.data, b.len) != (ssize_t)b.len)
		return 99;
	puts("o p");
	return str_starts(name, "no") ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 24);
	_cleanup_shell_line_ struct shell_line *line = NULL;
	static char chunk[65536];
	struct berm_err err;
	size_t n;

	if (!streq(name, "shell_dump"))
		return stand_in(name, argc, argv);
	while ((n = fread(chunk, 1, sizeof(chunk), stdin)))
		(void)buf_add(&b, chunk, n);
	if (argc > 1 && streq(argv[1], "-m")) {
		for (size_t i = 0; i < b.len; i += n + 1) {
			n = strlen(b.data + i);
			if (answer(b.data + i, n))
				return 1;
		}
		return 0;
	}
	if (argc > 2 && streq(argv[1], "-t")) {
		long times = strtol(argv[2], NULL, 10);
		struct timespec t0, t1;
		double s;

		(void)clock_gettime(CLOCK_MONOTONIC, &t0);
		for (long i = 0; i < times; i++) {
			if (shell_parse(b.data ? b.data : "", b.len, &line, &err) < 0)
				return 1;
			if (i + 1 < times) {
				shell_line_free(line);
				line = NULL;
			}
		}
		(void)clock_gettime(CLOCK_MONOTONIC, &t1);
		s = (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) / 1e9;
		printf("%zu bytes, %zu parts, why %x, %.1f MB/s, %.2f us each\n", b.len,
		       line ? line->n_parts : 0, line ? line->why : 0,
		       (double)b.len * (double)times / s / 1e6, s / (double)times * 1e6);
		return 0;
	}
	if (shell_parse(b.data ? b.data : "", b.len, &line, &err) < 0)
		return 1;
	for (size_t i = 0; i < line->n_parts; i++)
		print_part(&line->parts[i], i);
	printf("line\t%x\t%x\t%x\t%s\n", line->flags, line->why, line->blind, line->note);
	return 0;
}
