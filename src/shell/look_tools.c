/* SPDX-License-Identifier: Apache-2.0 */
/* find, xargs, parallel, git: tools whose arguments hold commands in a way of their own. */
#include <string.h>

#include "base/str.h"
#include "shell/data.h"
#include "shell/impl.h"

static const struct shell_part *at(struct stream *st, int32_t part)
{
	return &st->r->parts[part];
}

static void blind(struct stream *st, int32_t part, uint32_t why)
{
	part_why(st->r, part, why, true);
}

static bool is(const struct shell_word *w, const char *text)
{
	return !w->why && streq(w->text, text);
}

/* Words with the place where names are put in: those are not certain. */
static const struct shell_word *with_holes(struct stream *st, const struct shell_word *w,
					   uint32_t n, const char *place)
{
	struct shell_word *copy = shell_pool_alloc(st->r->pool, (n ? n : 1) * sizeof(*copy));

	if (!copy) {
		st->r->oom = true;
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		const char *hit = strstr(w[i].text, place);

		copy[i] = w[i];
		if (hit) {
			copy[i].why |= SHELL_WHY_VARIABLE;
			if (copy[i].known > (uint32_t)(hit - w[i].text))
				copy[i].known = (uint32_t)(hit - w[i].text);
		}
	}
	return copy;
}

static int32_t inner(struct stream *st, int32_t part, const struct shell_word *w, uint32_t n,
		     uint16_t flags)
{
	return look_inner(st, &(struct inner_command){ .words = w,
						       .n = n,
						       .parent = part,
						       .origin = SHELL_WRAPPED,
						       .flags = flags });
}

/* ---- find --------------------------------------------------------------- */

void look_find(struct stream *st, int32_t part)
{
	const struct shell_word *w = at(st, part)->words, *inside;
	uint32_t n = at(st, part)->n_words;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t from = i + 1, end;
		bool plus = false;

		/* What becomes of it may be -exec. */
		if (w[i].many && w[i].why & ~(uint32_t)SHELL_WHY_GLOB)
			blind(st, part, w[i].why);
		if (!is(&w[i], "-exec") && !is(&w[i], "-execdir") && !is(&w[i], "-ok") &&
		    !is(&w[i], "-okdir"))
			continue;
		for (end = from; end < n && !is(&w[end], ";"); end++) {
			plus = is(&w[end], "+") && end > from && is(&w[end - 1], "{}");
			if (plus)
				break;
		}
		inside = with_holes(st, w + from, end - from, "{}");
		if (!inside)
			return;
		(void)inner(st, part, inside, end - from, plus ? SHELL_APPENDED : 0);
		i = end;
	}
}

/* ---- xargs, parallel ---------------------------------------------------- */

int32_t look_xargs(struct stream *st, int32_t part, const char *row)
{
	struct options o = { .row = row, .w = at(st, part)->words, .n = at(st, part)->n_words };
	const struct shell_word *w;
	const char *place = NULL;

	options_read(&o);
	if (o.query)
		return -1;
	if (o.why)
		blind(st, part, o.why);
	for (uint32_t i = 1; i < o.i && i < o.n; i++) {
		const char *t = o.w[i].text;

		if (o.w[i].why)
			blind(st, part, o.w[i].why);
		if (str_starts(t, "-I") && t[2])
			place = t + 2;
		else if (streq(t, "-I") && i + 1 < o.n)
			place = o.w[i + 1].text;
		else if (str_starts(t, "-i"))
			place = t[2] ? t + 2 : "{}";
		else if (str_starts(t, "--replace"))
			place = t[9] == '=' && t[10] ? t + 10 : "{}";
	}
	if (o.i >= o.n)
		return -1;
	/* What is put in may begin the command's name. */
	if (!place || !*place)
		return inner(st, part, o.w + o.i, o.n - o.i, SHELL_APPENDED);
	w = with_holes(st, o.w + o.i, o.n - o.i, place);
	return w ? inner(st, part, w, o.n - o.i, 0) : -1;
}

/* The words before ":::" are a text for a shell, with arguments put in. */
void look_parallel(struct stream *st, int32_t part, const char *row)
{
	struct options o = { .row = row, .w = at(st, part)->words, .n = at(st, part)->n_words };
	uint32_t end;

	options_read(&o);
	if (o.why)
		blind(st, part, o.why);
	for (end = o.i; end < o.n && !str_starts(o.w[end].text, ":::"); end++)
		if (o.w[end].quoted || strpbrk(o.w[end].text, " \t\n;&|<>()$`\\\"'"))
			blind(st, part, SHELL_WHY_EVAL);
	if (end > o.i && !is(&o.w[o.i], "{}"))
		(void)inner(st, part, o.w + o.i, end - o.i, SHELL_APPENDED);
	else
		/* Each argument is a command. */
		blind(st, part, SHELL_WHY_EVAL);
}

/* ---- git ---------------------------------------------------------------- */

/* A setting that cannot make git run something: data/commands-git-keys. */
static bool harmless_key(const char *setting)
{
	const struct data_list *list = &data_commands_git_keys;

	for (size_t i = 0; i < list->n; i++) {
		const char *row = data_text(list, i);
		size_t n = strlen(row);
		bool prefix = row[n - 1] == '*';

		if (strncasecmp(setting, row, prefix ? n - 1 : n) == 0 &&
		    (prefix || setting[n] == '=' || !setting[n]))
			return true;
	}
	return false;
}

/* Options in front of git's own command; its index, n when there is none. */
static uint32_t git_command(struct stream *st, int32_t part, const char *row)
{
	struct options o = { .row = row, .w = at(st, part)->words, .n = at(st, part)->n_words };

	options_read(&o);
	if (o.why)
		blind(st, part, o.why);
	for (uint32_t i = 1; i < o.i && i < o.n; i++) {
		const char *t = o.w[i].text;

		if (o.w[i].why)
			blind(st, part, o.w[i].why);
		if (str_starts(t, "--config-env") || str_starts(t, "--exec-path="))
			blind(st, part, SHELL_WHY_CODE);
		else if (str_starts(t, "-c") && t[1] == 'c' && t[2]) {
			if (!harmless_key(t + 2))
				blind(st, part, SHELL_WHY_CODE);
		} else if (streq(t, "-c") && i + 1 < o.n && !harmless_key(o.w[i + 1].text)) {
			blind(st, part, SHELL_WHY_CODE);
		}
	}
	return o.i;
}

/* rebase -x TEXT, --exec TEXT, --exec=TEXT */
static void git_rebase(struct stream *st, int32_t part, const struct shell_word *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *t = w[i].text, *text = NULL;
		const struct shell_word *from = &w[i];

		if (is(&w[i], "-x") || is(&w[i], "--exec")) {
			if (i + 1 == n)
				return;
			from = &w[++i];
			text = from->text;
		} else if (str_starts(t, "--exec=")) {
			text = t + strlen("--exec=");
		} else if (str_starts(t, "-x")) {
			text = t + 2;
		} else if (str_starts(t, "--ex")) {
			blind(st, part, SHELL_WHY_CODE);
		}
		if (text)
			look_string(st, part, from, text, SHELL_STRING, false);
	}
}

/* Arguments that name a program, or a transport that is one. */
static bool git_runs(const struct shell_word *w)
{
	static const char *const options[] = {
		"--upload-pack", "--receive-pack", "--exec",	 "--open-files-in-pager",
		"--extcmd",	 "--tool",	   "--template", "--tree-filter",
	};

	if (str_starts(w->text, "ext::"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		/* As git does, by an unambiguous beginning. */
		if (w->text[0] == '-' && w->text[1] == '-' && w->text[2] && w->text[3] &&
		    strncmp(options[i], w->text, strcspn(w->text, "=")) == 0)
			return true;
	return false;
}

void look_git(struct stream *st, int32_t part, const char *row)
{
	uint32_t i = git_command(st, part, row), n = at(st, part)->n_words;
	const struct shell_word *w = at(st, part)->words;

	if (i >= n)
		return;
	if (w[i].why) {
		blind(st, part, w[i].why);
		return;
	}
	if (streq(w[i].text, "bisect") && i + 1 < n && is(&w[i + 1], "run"))
		(void)inner(st, part, w + i + 2, n - i - 2, 0);
	else if (streq(w[i].text, "submodule")) {
		uint32_t k = i + 1;

		while (k < n && !w[k].why && !streq(w[k].text, "foreach") && w[k].text[0] == '-')
			k++;
		if (k < n && is(&w[k], "foreach")) {
			for (k++; k < n && is(&w[k], "--recursive"); k++)
				;
			look_joined(st, part, k, SHELL_STRING, false);
		}
	} else if (streq(w[i].text, "rebase")) {
		git_rebase(st, part, w + i + 1, n - i - 1);
	} else if (streq(w[i].text, "filter-branch") || streq(w[i].text, "difftool") ||
		   streq(w[i].text, "mergetool") || str_starts(w[i].text, "remote-ext")) {
		blind(st, part, SHELL_WHY_CODE);
	} else if (!streq(w[i].text, "commit")) {
		for (uint32_t k = i + 1; k < n && !is(&w[k], "--"); k++)
			if (git_runs(&w[k]))
				blind(st, part, SHELL_WHY_CODE);
	}
}
