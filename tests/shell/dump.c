/* SPDX-License-Identifier: Apache-2.0 */
/* dump [-q] < LINE: the parts of a line, one a row: origin, flags, reasons, words between
 * brackets. -t N: only reads it N times and prints the time. */
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

int main(int argc, char **argv)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 24);
	_cleanup_shell_line_ struct shell_line *line = NULL;
	static char chunk[65536];
	struct berm_err err;
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), stdin)))
		(void)buf_add(&b, chunk, n);
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
