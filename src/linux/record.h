/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed records from the supervisor and init to the warden, one per SEQPACKET
 * message. The warden checks every length before it looks at the text. */
#pragma once

#include <stdint.h>

#define REC_MAGIC 0x4d524542u
#define REC_TEXT_MAX 12288

enum rec_type {
	REC_VIOLATION = 1, /* text: target, exe, reason */
	REC_DROPPED,	   /* count: records lost because the warden was slow */
};

struct rec_header {
	uint32_t magic;
	uint32_t type;
	int32_t pid;  /* in the supervisor's (host) pid namespace */
	int32_t op;   /* enum file_op; -1 for a system call as such */
	int32_t nr;   /* system call number, native table */
	int32_t err;  /* errno the command got */
	int32_t rule; /* index into spec->rules, -1 none */
	uint32_t count;
	uint16_t target_len, exe_len, reason_len, pad; /* lengths of the texts that follow */
};

struct record {
	struct rec_header h;
	char text[REC_TEXT_MAX];
};
