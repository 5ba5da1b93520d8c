/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed records from the supervisor and init to the warden, one per SEQPACKET
 * message. The warden checks every length before it looks at the text. */
#pragma once

#include <stdint.h>

#define REC_MAGIC 0x4d524542u
#define REC_TEXT_MAX 12288

/* Reason of a violation that only berm learn tells: the path may be there on the host. */
#define LEARN_NOT_SHOWN "not shown to the command"

enum rec_type {
	REC_VIOLATION = 1, /* text: target, exe, reason */
	REC_DROPPED,	   /* count: records lost because the warden was slow */
	REC_ASK,    /* from the supervisor: count is the question's id, text as of a violation; the
		     * call waits for a REC_ANSWER */
	REC_ANSWER, /* to the supervisor: count is the id, err 0 (allowed) or an errno, nr 1: it
		     * holds for the session */
	REC_NET,    /* from the steward: struct net_record follows another layout */
	REC_DEGRADED, /* from the steward; texts: target (what), reason */
	REC_TERMINAL, /* steward and warden: count 1 asks for the user's terminal, 2 gives it (err
		       * not 0: it cannot be given, nothing is to be returned), 3 returns it */
	REC_END,   /* to the steward: the session is over, tell what is left and exit; from it: it
		    * exits because the sandbox has */
	REC_UNASK, /* from the supervisor: nobody waits for the answer to question `count` */
	REC_DOORBELL, /* from the supervisor, to the steward, with a descriptor: somebody inside
		       * wants to talk to the session */
	REC_NETWORK,  /* from the supervisor, to the steward: somebody needs the network; the answer
		       * is struct launch_shared's network */
	/* From the steward, in the layout of struct net_record, for the event lines only. */
	REC_ASKED,    /* somebody is asked: count is the id */
	REC_ANSWERED, /* and was answered (or not): count is the id, text addr says by whom */
	REC_POLICY,   /* the settings changed: err 0, in force; else the old ones stay */
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

/* REC_NET: connections that were refused or have ended, alike ones together. The texts that
 * follow: host, addr, exe, rule, origin, reason, grant. REC_ASKED, REC_ANSWERED: about a
 * file, how is REC_FILE and host the path; addr is the command line (asked) or who
 * answered. REC_POLICY: host is the file. */
#define REC_FILE 0x100u
struct net_record {
	uint32_t magic;
	uint32_t type; /* REC_NET */
	int32_t pid;   /* host's numbering, 0 unknown */
	uint32_t
		decision; /* enum decision; VERDICT_ASK: nobody could be asked or nobody answered */
	uint32_t answered; /* somebody was asked, and decided so */
	uint32_t how;	   /* enum eg_how (egress/proto.h) */
	int32_t err;
	uint32_t count;
	uint32_t ms;
	int32_t op;	   /* enum file_op of a question about a file, else -1 */
	uint64_t up, down; /* bytes */
	uint16_t port;
	uint16_t len[7]; /* of the texts */
	char text[REC_TEXT_MAX];
};
