/* SPDX-License-Identifier: Apache-2.0 */
/* Shells and the interpreters of other languages: what they are told to run. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

static struct shell_part *at(struct stream *st, int32_t part)
{
	return &st->r->parts[part];
}

static void blind(struct stream *st, int32_t part, uint32_t why)
{
	part_why(st->r, part, why, true);
}

/* The redirections of the command, which stand at the outermost of its wrappers. */
static const struct shell_part *redirected(struct stream *st, int32_t part)
{
	const struct shell_part *p = at(st, part);

	while (p->origin == SHELL_WRAPPED && p->parent >= 0)
		p = at(st, p->parent);
	return p;
}

/* It reads a program from its standard input: which? */
int32_t reads_stdin(struct stream *st, int32_t part)
{
	const struct shell_part *p = redirected(st, part);

	for (uint32_t i = p->n_redirs; i-- > 0;) {
		const struct shell_redir *d = &p->redirs[i];

		if (d->fd != 0)
			continue;
		if (d->op == SHELL_HERE)
			return part;
		if (d->op == SHELL_HERE_STRING) {
			look_string(st, part, &d->target, d->target.text, SHELL_HEREDOC, false);
			return -1;
		}
		if (d->op == SHELL_IN && !d->target.why) {
			at(st, part)->flags |= SHELL_SCRIPT;
			return -1;
		}
		break;
	}
	blind(st, part, SHELL_WHY_STDIN);
	return -1;
}

/* sh [-abc] [-o OPTION] [-c TEXT [NAME [ARG]...]] [FILE [ARG]...] */
int32_t look_shell(struct stream *st, int32_t part)
{
	const struct shell_part *p = at(st, part);
	bool command = false, input = false;
	uint32_t i;

	for (i = 1; i < p->n_words; i++) {
		const struct shell_word *w = &p->words[i];

		if (w->why && command && w->text[0] != '-')
			break;
		if (w->why) {
			blind(st, part, w->why);
			return -1;
		}
		if ((w->text[0] != '-' && w->text[0] != '+') || !w->text[1])
			break;
		if (streq(w->text, "--")) {
			i++;
			break;
		}
		if (str_starts(w->text, "--")) {
			i += streq(w->text, "--rcfile") || streq(w->text, "--init-file");
			if (streq(w->text, "--version") || streq(w->text, "--help"))
				return -1;
			continue;
		}
		if (w->text[1 + strspn(w->text + 1, "abcefhiklmnoprstuvxBCDEHOPT")]) {
			blind(st, part, SHELL_WHY_OPTION);
			return -1;
		}
		command |= w->text[0] == '-' && strchr(w->text, 'c');
		input |= w->text[0] == '-' && strchr(w->text, 's');
		if (strpbrk(w->text, "oO"))
			i++;
	}
	if (i < p->n_words && streq(p->words[i].text, "-") && !p->words[i].why)
		i++;
	if (i >= p->n_words || (input && !command))
		return command ? -1 : reads_stdin(st, part);
	if (command)
		look_string(st, part, &p->words[i], p->words[i].text, SHELL_STRING, false);
	else if (p->words[i].why)
		blind(st, part, p->words[i].why);
	else
		at(st, part)->flags |= SHELL_SCRIPT;
	return -1;
}

/* ---- interpreters of other languages ------------------------------------ */

void look_code(struct stream *st, int32_t part, const char *row)
{
	struct shell_part *p = at(st, part);
	struct options o = { .row = row, .w = p->words, .n = p->n_words };

	options_read(&o);
	if (o.query)
		return;
	if (o.code_kind == '~')
		blind(st, part, SHELL_WHY_CODE);
	else if (o.code_kind || (o.i < o.n && (o.w[o.i].why || !streq(o.w[o.i].text, "-"))))
		p->flags |= SHELL_SCRIPT;
	else if (p->flags & SHELL_PIPED_IN || redirected(st, part)->flags & SHELL_HAS_HEREDOC)
		blind(st, part, SHELL_WHY_CODE | SHELL_WHY_STDIN);
	else
		p->flags |= SHELL_SCRIPT;
	if (o.why)
		blind(st, part, o.why);
}
