/* SPDX-License-Identifier: Apache-2.0 */
/* The parts' properties as words. */
#include <stddef.h>

#include "shell/impl.h"

const char *shell_why_text(uint32_t bit)
{
	static const char *const texts[SHELL_WHY_N] = {
		"a variable",
		"a substitution",
		"a pattern for names of files",
		"a ~",
		"braces",
		"arithmetic",
		"syntax that is not understood",
		"more than can be read",
		"a function or alias of the line",
		"code in another language",
		"a program read from standard input",
		"an option of a wrapper that is not known",
		"a variable that makes programs run code",
		"names that mean something else",
		"text that a shell reads and that is not certain",
		"encoded text",
		"a file that this shell reads",
	};

	for (unsigned i = 0; i < SHELL_WHY_N; i++)
		if (bit & 1u << i)
			return texts[i];
	return "nothing";
}

const char *shell_origin_name(enum shell_origin o)
{
	static const char *const names[SHELL_ORIGIN_N] = {
		"top",	    "subshell", "substitution", "process", "function",
		"here-doc", "string",	"wrapped",	"remote",
	};

	return names[o];
}

const char *shell_program(const struct shell_part *p)
{
	size_t len;

	return p->n_words && !p->words[0].why ? base_name(&p->words[0], &len) : NULL;
}
