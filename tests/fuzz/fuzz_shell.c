/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a line for a shell. Whatever it is, the parts are well formed, doubt is never lost on
 * the way from a word to the line, and what is doubtful is never permitted. */
#include <stdint.h>
#include <string.h>

#include "shell/shell.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static uint32_t check_word(const struct shell_word *w)
{
	must(w->text && w->text[w->len] == '\0' && w->known <= w->len);
	must(w->why || (w->known == w->len && !w->many));
	must(!memchr(w->text, 0, w->len));
	return w->why;
}

static void check_rules(const struct shell_part *p, struct shell_pattern *const *patterns, size_t n)
{
	struct shell_rule rule;
	effects_t e = shell_classify(p);

	must(!(e & ~EFFECTS_ALL));
	for (unsigned l = SHELL_LIST_DENY; l <= SHELL_LIST_READONLY; l++)
		if (shell_list_match((enum shell_list)l, p, &rule) != SHELL_MISS)
			must(rule.text && rule.file && rule.line);
	for (size_t i = 0; i < n; i++) {
		enum shell_match permit = shell_pattern_match(patterns[i], p, SHELL_PERMIT);

		must(permit != SHELL_MAYBE);
		/* What is permitted by a rule is restricted by the same one. */
		if (permit == SHELL_HIT)
			must(!p->blind &&
			     shell_pattern_match(patterns[i], p, SHELL_RESTRICT) == SHELL_HIT);
	}
}

static void check_part(const struct shell_line *line, size_t i)
{
	const struct shell_part *p = &line->parts[i];
	uint32_t why = 0;

	for (uint32_t k = 0; k < p->n_words; k++)
		why |= check_word(&p->words[k]);
	for (uint32_t k = 0; k < p->n_full; k++)
		why |= check_word(&p->full[k]);
	for (uint32_t k = 0; k < p->n_assigns; k++)
		why |= check_word(&p->assigns[k]);
	for (uint32_t k = 0; k < p->n_redirs; k++)
		why |= check_word(&p->redirs[k].target);
	for (uint32_t k = 0; k < p->n_wrappers; k++)
		must(*p->wrappers[k]);
	must(!(why & ~p->why) && !(p->blind & ~p->why));
	must(!(p->why & ~line->why) && !(p->blind & ~line->blind) && !(p->flags & ~line->flags));
	must(p->parent < (int32_t)i && p->origin < SHELL_ORIGIN_N);
	must(!p->n_words || p->words[0].why == 0 || p->blind || p->flags & SHELL_TEST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const texts[] = { "git push:*", "git *", "make", "npm run test:*",
					     "ls *a" };
	static struct shell_pattern *patterns[5];
	struct shell_line *line = NULL;
	const char *reason;
	bool out;

	for (size_t i = 0; i < 5; i++)
		if (!patterns[i])
			must(shell_pattern_new(texts[i], SHELL_PATTERN_CLAUDE, &patterns[i],
					       NULL) == 0);
	must(shell_parse((const char *)data, size, &line, NULL) == 0);
	must(!line->note[0] || line->blind);
	for (size_t i = 0; i < line->n_parts; i++) {
		check_part(line, i);
		check_rules(&line->parts[i], patterns, 5);
	}
	out = shell_excluded(line, patterns, 5, &reason);
	must(reason && (!out || (!line->blind && line->n_parts)));
	shell_line_free(line);
	return 0;
}
