/* SPDX-License-Identifier: Apache-2.0 */
/* The panel of "berm sandbox": what is shown, and where the person is in it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <wchar.h>

#include "panel/text.h"

enum page { PAGE_MODE, PAGE_EXCLUDED, PAGE_DEPENDENCIES, PAGE_CONFIG, PAGE_N };

/* What keys mean. */
enum input {
	INPUT_KEYS,
	INPUT_PATTERN,	/* a pattern is being typed */
	INPUT_DISABLED, /* "disabled" waits for a yes */
};

#define EDIT_MAX 512
#define MESSAGE_MAX 2048

struct panel {
	const char *berm;	    /* path of the program */
	const char *const *options; /* which settings count; NULL-terminated */
	int ends, winch;	    /* signalfds: what ends the panel, another size */
	int high, wide;		    /* of the terminal */
	enum page page;
	enum input input;
	json_t *state;		   /* panel/state.h */
	char *texts[PAGE_N];	   /* what berm printed for a page of text; NULL: not asked yet */
	struct rows rows;	   /* the page */
	int item, n_items;	   /* chosen one of the page */
	size_t top;		   /* first row that is seen */
	char message[MESSAGE_MAX]; /* of the last thing that was done, as it came */
	wchar_t edit[EDIT_MAX + 1];
	size_t edit_len;
};

/* ---- pages.c ------------------------------------------------------------ */

/* Makes the rows of the page anew, and keeps item and top within them. Returns 0 or -ENOMEM. */
int page_build(struct panel *p);

/* The rows of a terminal of this size that a page may use; 0: too small for any. */
int page_height(const struct panel *p);

/* As in the title. */
const char *page_name(enum page page);

/* What is chosen when one comes to the page: what is in force, so that Enter changes nothing. */
int page_first_item(const struct panel *p);

/* Scrolls until the chosen item is seen. */
void page_follow(struct panel *p);

/* ---- act.c -------------------------------------------------------------- */

/* Each asks or tells berm, and puts what came of it into the message. They return 0, or a negative
 * errno that ends the panel: -EINTR for a signal, -ENOMEM. */
int act_load(struct panel *p);	  /* the state anew */
int act_text(struct panel *p);	  /* the text of this page, if it has one */
int act_choose(struct panel *p);  /* the chosen item of the page about modes */
int act_disable(struct panel *p); /* after the question */
int act_exclude(struct panel *p, const char *pattern);
int act_include(struct panel *p); /* takes the chosen pattern out */

/* ---- draw.c ------------------------------------------------------------- */

/* Draws it all. */
void draw(struct panel *p);

/* ---- keys.c ------------------------------------------------------------- */

/* One key: as get_wch() gives it. 0 go on, 1 the person leaves, or a negative errno. */
int key_take(struct panel *p, bool special, wint_t key);
