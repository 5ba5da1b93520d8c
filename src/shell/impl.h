/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the reader of lines.
 *
 * One struct reading is the work on one line; one struct stream is a text that is being read:
 * the line itself, and, inside the same reading, each text that a shell will read again (the
 * inside of backquotes, the argument of sh -c, a here-document for a shell). A stream that is
 * not understood fails as a whole, with an opaque part for the rest of it; the streams around it
 * go on, because they know where it ends.
 *
 * Words and redirections are collected on stacks, for commands nest inside words, and copied to
 * the pool when a command is complete. */
#pragma once

#include "shell/pool.h"
#include "shell/shell.h"

#define SHELL_MAX_BYTES (1u << 20)
#define SHELL_MAX_PARTS 20000
#define SHELL_MAX_DEPTH 48
#define SHELL_MAX_WORDS 60000 /* of one command */
#define SHELL_MAX_NAMES 64
#define SHELL_MAX_HEREDOCS 16

struct shell_name {
	const char *name, *value;
	uint32_t len, value_len;
	bool known;
};

struct reading {
	struct shell_pool *pool;
	struct shell_part *parts; /* in the pool */
	struct shell_word *words;
	struct shell_redir *redirs;
	char *text;   /* words in the making */
	uint8_t *act; /* enum act of each byte of text */
	size_t n_text, cap_text;
	uint32_t n_parts, cap_parts, n_words, cap_words, n_redirs, cap_redirs;

	struct shell_name vars[SHELL_MAX_NAMES], funcs[SHELL_MAX_NAMES];
	uint32_t n_vars, n_funcs;
	bool vars_off;	/* no variable's value is certain from here on */
	bool redefined; /* alias and the like */
	bool oom;
	unsigned retries; /* of (( )) that were none */
	size_t again;	  /* bytes that were read again */
	char note[128];
};

/* Where a here-document's text belongs. */
struct heredoc {
	struct shell_redir *redir; /* NULL until its command is complete */
	uint32_t redir_index;	   /* on the stack, until then */
	int32_t part;
	int32_t script; /* the part that runs the text, -1 none */
	const char *delim;
	uint32_t delim_len;
	bool literal, strip;
};

struct stream {
	struct reading *r;
	const char *s;
	size_t pos, end; /* on failure end = pos */
	size_t real_end;
	uint32_t fail_why; /* not 0: failed */
	bool fixed;	   /* text of its own: everything is at off, span of the line */
	uint32_t off, span;
	uint8_t depth, origin;
	uint16_t flags; /* of the parts to come */
	int32_t parent;
	unsigned loops; /* in so many loops and functions: values change */
	struct heredoc docs[SHELL_MAX_HEREDOCS];
	unsigned n_docs;
	bool docs_wait;	  /* this is a substitution behind <<: no new line may come */
	const char *func; /* the function whose body this is */
	uint32_t func_len;
};

/* ---- characters (lex.c) */

enum { CH_OTHER, CH_PLAIN, CH_DELIM };
extern const uint8_t shell_class[256];

/* The character at hand, line continuations taken out; -1 at the end. */
static inline int cur(struct stream *st)
{
	while (st->pos < st->end) {
		unsigned char c = (unsigned char)st->s[st->pos];

		if (c != '\\' || st->pos + 1 >= st->end || st->s[st->pos + 1] != '\n')
			return c;
		st->pos += 2;
	}
	return -1;
}

/* The character after the one at hand. */
int peek_next(struct stream *st);

/* If the next characters are text, goes past them. */
bool accept_token(struct stream *st, const char *text);

/* Past blanks (not newlines). */
void skip_blanks(struct stream *st);

/* Past blanks, newlines and comments, reading here-documents. */
void skip_lines(struct stream *st);

/* Past a newline, and the here-documents that begin there. */
void eat_newline(struct stream *st);

static inline bool is_name_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_name(int c)
{
	return is_name_start(c) || is_digit(c);
}

/* The reserved word at hand, without going past it: copied to buf, *ret_end is behind it.
 * Returns its length, 0 when there is none of up to 8 characters. */
size_t keyword(struct stream *st, char buf[10], size_t *ret_end);

/* Is it at hand? Goes past it. */
bool accept_keyword(struct stream *st, const char *word);

/* Nothing more of this stream is understood. */
void stream_fail(struct stream *st, uint32_t why, const char *note);

/* Position in the line. */
static inline uint32_t line_off(const struct stream *st, size_t pos)
{
	return st->fixed ? st->off : (uint32_t)(st->off + pos);
}

static inline uint32_t line_span(const struct stream *st, size_t from, size_t to)
{
	return st->fixed ? st->span : (uint32_t)(to - from);
}

/* ---- parts (parts.c) */

/* A new part as the stream stands; its index, or -1: the stream has failed. */
int32_t part_new(struct stream *st, size_t off);

/* A part that stands for what is not understood. */
void part_opaque(struct stream *st, size_t from, size_t to, uint32_t why);

/* Copies words and redirections above these marks into the part, and takes them off. */
int part_fill(struct stream *st, int32_t part, uint32_t words, uint32_t n_assigns, uint32_t redirs);

/* Room for one more on the stack of words. NULL: the stream has failed. */
struct shell_word *word_push(struct stream *st);

/* Copies onto the stack of redirections. */
void redir_add(struct stream *st, const struct shell_redir *d);

/* Reasons for being opaque; blind: they hide what runs. */
void part_why(struct reading *r, int32_t part, uint32_t why, bool blind);

/* Sets flags on the parts from..now. */
void parts_flag(struct reading *r, uint32_t from, uint16_t flags);

/* ---- variables and functions (names.c) */

/* The one of that name, NULL none. */
struct shell_name *name_find(struct shell_name *list, uint32_t n, const char *s, size_t len);

/* The value of a variable where it is certain. */
const struct shell_name *var_known(const struct stream *st, const char *s, size_t len);

/* w is NAME=VALUE. */
void var_assign(struct stream *st, const struct shell_word *w);

/* Variables assigned since are not certain any more. mark: var_mark(). */
struct var_mark {
	const char *values[SHELL_MAX_NAMES];
	bool known[SHELL_MAX_NAMES];
	uint32_t n;
};
void var_mark(const struct reading *r, struct var_mark *ret);
void var_taint(struct reading *r, const struct var_mark *mark);

/* A function or alias of that name is defined on the line. */
void func_define(struct reading *r, const char *s, size_t len);

/* ---- words (word.c, expand.c, brace.c) */

enum act {
	ACT_QUOTED, /* the byte itself */
	ACT_PLAIN,  /* unquoted: glob, brace and tilde characters work */
	ACT_SPLIT,  /* a field ends here */
	ACT_HOLE,   /* not certain, one field */
	ACT_HOLES,  /* not certain, any number of fields */
};

enum word_mode {
	WORD_ARG,
	WORD_ASSIGN, /* no splitting, no names of files */
	WORD_TARGET, /* of a redirection */
	WORD_TEST,   /* in [[ ]] and case: no splitting */
	WORD_REGEX,  /* behind =~ */
};

struct wordbuf {
	size_t start; /* in reading.text */
	uint32_t why;
	bool quoted, empty_quotes;
	bool in_double;			      /* now, between double quotes */
	bool many;			      /* something in it may be several words */
	bool brace, glob, tilde, hole, split; /* seen */
};

/* Reads one word; pushes what becomes of it on the stack. Returns how many, or -1. */
int word_read(struct stream *st, enum word_mode mode);

/* What has been collected becomes words. */
int word_finish(struct stream *st, enum word_mode mode, struct wordbuf *b, size_t from);

/* Adds bytes that came about in this way. */
void wb_add(struct stream *st, const char *s, size_t n, enum act a);
static inline void wb_byte(struct stream *st, char c, enum act a)
{
	wb_add(st, &c, 1, a);
}

/* Something not certain that is written from..here. */
void wb_hole(struct stream *st, struct wordbuf *b, size_t from, uint32_t why, bool quoted,
	     bool many);

/* At '$' or '`': what it becomes is added. */
void expand_dollar(struct stream *st, struct wordbuf *b, bool quoted);
void expand_backquote(struct stream *st, struct wordbuf *b, bool quoted);
void expand_process(struct stream *st, struct wordbuf *b);

/* Behind the opening quote: to the closing one. */
void expand_double(struct stream *st, struct wordbuf *b);
void expand_single(struct stream *st, struct wordbuf *b);

/* Behind `(`: commands until `)`. */
void read_substitution(struct stream *st, enum shell_origin origin);

/* Is the text behind `((` an arithmetic expression, that is, does it end with `))`? */
bool arith_ahead(struct stream *st);

/* Behind `((`: past `))`, with all expansions inside. */
void arith_read(struct stream *st, struct wordbuf *b, int close, int closes);

/* All of the stream as the inside of a here-document that is not quoted. */
void expand_document(struct stream *st, struct wordbuf *b);

/* Brace expansion of text[from..to): appends each result to the text, as ranges. Returns their
 * number, 0 when there is nothing to expand, -1 for too many. */
#define BRACE_MAX 64
struct text_range {
	size_t from, to;
};
int brace_expand(struct reading *r, size_t from, size_t to, struct text_range ret[BRACE_MAX]);

/* ---- commands (parse.c, compound.c, simple.c, heredoc.c) */

/* Commands until something that cannot begin one: the caller looks what it is. */
void parse_list(struct stream *st);
void parse_pipeline(struct stream *st);
void parse_command(struct stream *st);

/* A command that begins with a reserved word or a parenthesis. false: there is none. */
bool parse_compound(struct stream *st);
void parse_simple(struct stream *st);

/* Behind NAME(): its body. */
void parse_function(struct stream *st, const char *name, size_t len);

/* Redirections behind a compound command. */
void parse_redirs(struct stream *st);

/* At an operator of redirection (fd as read before it): pushes it. */
void redir_read(struct stream *st, int fd, size_t from);

/* Is a redirection at hand, its descriptor included? Goes past the descriptor. */
bool redir_ahead(struct stream *st, int *ret_fd);

/* Behind << or <<-: the word that ends the document. */
void heredoc_begin(struct stream *st, bool strip);

/* Binds the here-documents on redirs above the mark to their part; reader runs the text. */
void heredocs_bind(struct stream *st, int32_t part, uint32_t redirs, int32_t reader);

/* At the beginning of a line: the documents that wait. */
void heredocs_read(struct stream *st);

/* All of a text that some shell will read: a stream inside this one. */
struct inner_text {
	const char *s;
	size_t len;
	uint32_t off, span; /* what stands for it in the line */
	enum shell_origin origin;
	int32_t parent;
	bool same_shell; /* variables are the same */
};
void parse_text(struct stream *st, const struct inner_text *t);

/* Everything of a stream; what is not understood is a part of its own. */
void parse_stream(struct stream *st);

/* ---- what a command's words say (look.c and on) ------------------------- */

/* Wrappers, shells, interpreters: everything known from the table of commands. Returns the
 * index of the part that reads a shell's program from a here-document, -1 none. */
int32_t look(struct stream *st, int32_t part);

/* A row of data/commands-known: "NAME KIND OPTION...". NULL: there is none. */
const char *known_command(const char *name, size_t len);

/* Name without its folder. */
const char *base_name(const struct shell_word *w, size_t *ret_len);

/* The options of a command as its row says. */
struct options {
	const char *row;		 /* what follows the kind */
	const struct shell_word *w;	 /* words[0] is the program */
	uint32_t n, i;			 /* i: the first operand */
	uint32_t why;			 /* an option that is not known */
	const struct shell_word *string; /* value of an option with "!": a shell's text */
	const char *string_at;		 /* where in it the value begins */
	const struct shell_word *code;	 /* with "~" or "%": another language's */
	const char *code_at;
	char code_kind;
	bool starved; /* the value of the last one is missing */
	bool query;   /* with "*": it runs nothing */
};
void options_read(struct options *o);

/* An assignment in front of a command that makes programs run code. */
bool dangerous_assign(const struct shell_word *w);

/* Does the row have this token? */
bool row_has(const char *row, const char *token);

/* "+2" */
unsigned row_skip(const char *row);

/* A command inside another's words. */
struct inner_command {
	const struct shell_word *words;
	uint32_t n;
	int32_t parent;
	enum shell_origin origin;
	uint16_t flags;
};
int32_t look_inner(struct stream *st, const struct inner_command *c);

/* words[from..n) joined by blanks, as ssh and eval do, and read. */
void look_joined(struct stream *st, int32_t part, uint32_t from, enum shell_origin origin,
		 bool same_shell);

/* One word's text, or the end of it from there on, as a line of its own. */
void look_string(struct stream *st, int32_t part, const struct shell_word *w, const char *from,
		 enum shell_origin origin, bool same_shell);

/* Builtins that say what is to be run or what names mean (look_builtin.c). false: the row is of
 * none of them. */
bool look_builtin(struct stream *st, int32_t part, const char *row);

/* Is the row's kind this one? *ret_rest is behind it. */
bool kind_is(const char *row, const char *kind, const char **ret_rest);

/* Shells and interpreters (look_shell.c). The index as look() returns it. */
int32_t look_shell(struct stream *st, int32_t part);
void look_code(struct stream *st, int32_t part, const char *row);

/* The part's program is a shell that reads what its standard input has. */
int32_t reads_stdin(struct stream *st, int32_t part);

/* The tools that have a language of their own (look_tools.c). */
void look_find(struct stream *st, int32_t part);
int32_t look_xargs(struct stream *st, int32_t part, const char *row);
void look_parallel(struct stream *st, int32_t part, const char *row);
void look_git(struct stream *st, int32_t part, const char *row);
void look_awk(struct stream *st, int32_t part, const char *row);
void look_sed(struct stream *st, int32_t part, const char *row);
