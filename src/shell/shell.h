/* SPDX-License-Identifier: Apache-2.0 */
/* What a line for a shell does: a line in the language of POSIX sh and bash becomes a flat list
 * of parts, one for each command that may run, wherever it stands: in a list, a subshell, a
 * substitution, a here-document for a shell, behind `sh -c`, `xargs`, `find -exec` or `timeout`.
 * Pure: nothing is run and no file is looked at.
 *
 * What is not understood with certainty is *opaque*: `why` says so, of a word, of a part and of
 * the line. A line is never refused for its syntax: what cannot be read is an opaque part. What
 * a program does by itself (a script file, make, an alias of git's) is not seen; such parts have
 * SHELL_SCRIPT, no more. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "shell/effect.h"

/* Reasons for being opaque, a set. 0 is certainty. */
enum shell_why {
	SHELL_WHY_VARIABLE = 1 << 0,	 /* $x whose value is not known */
	SHELL_WHY_SUBSTITUTION = 1 << 1, /* $(...), `...`, <(...) */
	SHELL_WHY_GLOB = 1 << 2,	 /* *, ?, [...]: files decide */
	SHELL_WHY_TILDE = 1 << 3,	 /* ~: who runs it decides */
	SHELL_WHY_BRACES = 1 << 4,	 /* {a,b}: too many, or not the same in every shell */
	SHELL_WHY_ARITHMETIC = 1 << 5,	 /* $((...)) */
	SHELL_WHY_SYNTAX = 1 << 6,	 /* not understood, or not valid */
	SHELL_WHY_LIMIT = 1 << 7,	 /* too deep, too long, too many */
	SHELL_WHY_FUNCTION = 1 << 8,	 /* a function or alias of the line has that name */
	SHELL_WHY_CODE = 1 << 9,	 /* code in another language: python -c */
	SHELL_WHY_STDIN = 1 << 10,	 /* a shell or interpreter reads its program from a pipe */
	SHELL_WHY_OPTION = 1 << 11, /* a wrapper's option is not known, so neither its command */
	SHELL_WHY_ENVIRONMENT =
		1 << 12, /* a variable that makes programs run code: LD_PRELOAD=x ls */
	SHELL_WHY_REDEFINED = 1 << 13, /* names mean something else from here on: alias, hash -p */
	SHELL_WHY_EVAL = 1 << 14,      /* eval, trap, sh -c or the like of what is not certain */
	SHELL_WHY_ENCODED = 1 << 15,   /* powershell -EncodedCommand, cmd /c */
	SHELL_WHY_SOURCE = 1 << 16,    /* `. file`: runs in this very shell */
	SHELL_WHY_N = 17,
};

/* Where a part's command comes from, innermost. */
enum shell_origin {
	SHELL_TOP,	    /* the line itself */
	SHELL_SUBSHELL,	    /* ( ) */
	SHELL_SUBSTITUTION, /* $( ) and ` ` */
	SHELL_PROCESS,	    /* <( ) and >( ) */
	SHELL_FUNCTION,	    /* the body of a function, called or not */
	SHELL_HEREDOC,	    /* text that is a shell's standard input */
	SHELL_STRING,	    /* sh -c STRING, eval, trap, watch, su -c */
	SHELL_WRAPPED,	    /* the command of a wrapper that is a part of its own: sudo, xargs */
	SHELL_REMOTE,	    /* ssh HOST COMMAND */
	SHELL_ORIGIN_N,
};

/* Flags of a part, a set. */
enum shell_flag {
	SHELL_BACKGROUND = 1 << 0,
	SHELL_PIPED_IN = 1 << 1,  /* standard input is a pipe of the line's */
	SHELL_PIPED_OUT = 1 << 2, /* standard output is one */
	SHELL_HAS_SUBST = 1 << 3, /* a word or redirection holds a substitution */
	SHELL_HAS_HEREDOC = 1 << 4,
	SHELL_HAS_FILE = 1 << 5,    /* a redirection from or to a file */
	SHELL_SCRIPT = 1 << 6,	    /* runs a script or build file that was not read */
	SHELL_RECURSES = 1 << 7,    /* a function that calls itself: `:(){ :|:& };:` */
	SHELL_CONDITIONAL = 1 << 8, /* after && or ||, in if, case, a loop or a function */
	SHELL_TEST = 1 << 9,	    /* the words of [[ ]], (( )), for, case: no program of bash's */
	SHELL_APPENDED = 1 << 10,   /* arguments are added when it runs: xargs, find -exec {} + */
};

struct shell_word {
	const char *text; /* the literal value; with a why, what is certain of it, see known */
	uint32_t len;
	uint32_t known;	    /* of so many bytes at its beginning, the value is certain */
	uint32_t why;	    /* enum shell_why; 0: text is the value, and it is one word */
	uint32_t off, span; /* where in the line it is written */
	bool quoted;	    /* some of it is quoted */
	bool many;	    /* may become no word or several */
};

enum shell_redir_op {
	SHELL_IN,	   /* < */
	SHELL_OUT,	   /* > */
	SHELL_CLOBBER,	   /* >| */
	SHELL_APPEND,	   /* >> */
	SHELL_INOUT,	   /* <> */
	SHELL_DUP_IN,	   /* <& to a descriptor, or - */
	SHELL_DUP_OUT,	   /* >& to a descriptor, or - */
	SHELL_BOTH,	   /* &> and >& to a file */
	SHELL_BOTH_APPEND, /* &>> */
	SHELL_HERE,	   /* << and <<-: target is the text */
	SHELL_HERE_STRING, /* <<<: target is the text */
};

struct shell_redir {
	uint8_t op; /* enum shell_redir_op */
	int32_t fd; /* as written, else 0 or 1 as the operator has it; -1 for {name}> */
	struct shell_word target;
};

struct shell_part {
	/* The command, its harmless wrappers taken off: words[0] is the program. None for
	 * assignments or redirections alone. */
	const struct shell_word *words;
	/* As it is written, wrappers included; the same as words when there are none. */
	const struct shell_word *full;
	const struct shell_word *assigns; /* NAME=VALUE in front, those of env as well */
	const struct shell_redir *redirs; /* of the command, not of a group around it */
	const char *const *wrappers;	  /* names of what was taken off, outermost first */
	uint32_t n_words, n_full, n_assigns, n_redirs, n_wrappers;
	uint32_t why; /* enum shell_why of all that is in it */
	/* Of it, what hides which program runs or what it is told to run: `$x y`, eval \"$x\"; 0
	 * when only arguments are not certain: `rm $x`, `ls *.c`. */
	uint32_t blind;
	uint16_t flags;	    /* enum shell_flag */
	uint8_t origin;	    /* enum shell_origin */
	uint8_t depth;	    /* how deep it is nested, 0 top */
	int32_t parent;	    /* index of the part whose text it is in, -1 none */
	uint32_t off, span; /* where in the line it is written; of text of its own, the word */
};

struct shell_line {
	const struct shell_part *parts;
	size_t n_parts;
	uint32_t why;	/* of all parts together; 0: all is certain */
	uint32_t blind; /* of all parts together */
	uint16_t flags; /* of all parts together */
	char note[128]; /* the first thing not understood, for people; empty when none */
	struct shell_pool *pool;
};

/* Reads a line. Returns 0 or -ENOMEM; text that is no valid line, or is beyond the limits (1 MiB,
 * 20,000 parts, 48 levels), is a line with an opaque part. */
int shell_parse(const char *line, size_t len, struct shell_line **ret, struct berm_err *err);

/* The same of a command that no shell reads: every word is what it is. */
int shell_parse_argv(const char *const *argv, size_t n, struct shell_line **ret,
		     struct berm_err *err);

void shell_line_free(struct shell_line *line);

static inline void cleanup_shell_line_(struct shell_line **line)
{
	shell_line_free(*line);
}
#define _cleanup_shell_line_ _cleanup_(cleanup_shell_line_)

/* "SUBSTITUTION" and the like as words for people: "a substitution". One bit. */
const char *shell_why_text(uint32_t bit);

/* "top", "subshell", ... */
const char *shell_origin_name(enum shell_origin o);

/* The name of the program: the last component of words[0]. NULL when it is not certain or there
 * is none. */
const char *shell_program(const struct shell_part *p);

/* What the part does, from the table data/command-effects: EFFECT_PROCESS_SPAWN for all that
 * runs something, and what its spelling says. */
effects_t shell_classify(const struct shell_part *p);

/* ---- rules on commands -------------------------------------------------- */

enum shell_match {
	SHELL_MISS,
	SHELL_MAYBE, /* what is not certain in the part may make it one */
	SHELL_HIT,
};

/* Which way doubt goes. A rule that restricts matches a program by its last component, behind
 * each wrapper, whatever is assigned in front. A rule that permits matches what is certain only:
 * never a part with a why, a program of an unusual folder, or a dangerous variable in front. */
enum shell_aim { SHELL_RESTRICT, SHELL_PERMIT };

enum shell_syntax {
	SHELL_PATTERN_BERM,   /* "git push": a prefix of words; see docs of data/commands-deny */
	SHELL_PATTERN_CLAUDE, /* "npm run test:*", "git * main", "make" (exact) */
};

struct shell_pattern;

/* Compiles the pattern of a rule. Returns 0, -EINVAL with a sentence, or -ENOMEM. */
int shell_pattern_new(const char *text, enum shell_syntax syntax, struct shell_pattern **ret,
		      struct berm_err *err);

/* A Codex prefix rule: n places, each a list of alternatives that ends with NULL. */
int shell_pattern_prefix(const char *const *const *places, size_t n, struct shell_pattern **ret,
			 struct berm_err *err);

void shell_pattern_free(struct shell_pattern *p);

/* Number of words a prefix fixes, characters that a wildcard does: longer wins. */
size_t shell_pattern_weight(const struct shell_pattern *p);

/* Does the rule speak of this part? */
enum shell_match shell_pattern_match(const struct shell_pattern *p, const struct shell_part *part,
				     enum shell_aim aim);

/* The same for many patterns on one part: t, zero at first, keeps what they share. */
struct shell_texts {
	struct buf v[4];
	size_t known[4]; /* of so many bytes the value is certain */
	unsigned n;
	bool made;
};
enum shell_match shell_pattern_match_texts(const struct shell_pattern *p,
					   const struct shell_part *part, enum shell_aim aim,
					   struct shell_texts *t);
void shell_texts_free(struct shell_texts *t);
#define _cleanup_shell_texts_ _cleanup_(shell_texts_free)

/* The same without compiling. A pattern that does not compile: SHELL_MAYBE for a rule that
 * restricts, SHELL_MISS for one that permits. */
enum shell_match shell_command_match(const struct shell_part *part, const char *pattern,
				     enum shell_aim aim);

/* The lists in data/. */
enum shell_list {
	SHELL_LIST_DENY,     /* commands-deny: in every mode */
	SHELL_LIST_ASK,	     /* commands-ask: in chat */
	SHELL_LIST_READONLY, /* commands-readonly: denied beside these two in plan, review, ... */
};

struct shell_rule {
	const char *text; /* the row */
	const char *file; /* "data/commands-deny" */
	unsigned line;
};

/* The row of a list that speaks of the part; a hit goes before what may be one. */
enum shell_match shell_list_match(enum shell_list list, const struct shell_part *part,
				  struct shell_rule *ret);

/* C6: may the line leave the sandbox? Only if each part of it matches one of the patterns
 * (SHELL_PATTERN_CLAUDE), nothing is opaque, and it holds no substitution, here-document,
 * redirection of a file or background job. *ret_reason is a sentence's end for people, static. */
bool shell_excluded(const struct shell_line *line, struct shell_pattern *const *patterns,
		    size_t n_patterns, const char **ret_reason);
