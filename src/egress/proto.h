/* SPDX-License-Identifier: Apache-2.0 */
/* Between the steward (host, trusted) and the broker berm-egress: one SEQPACKET message
 * each. The steward treats every byte from the broker as hostile: it parses what the
 * sandbox says. Text lengths are checked before the text is looked at. */
#pragma once

#include <stdint.h>

#include "policy/host.h"

#define EG_MAGIC 0x4d474745u
#define EG_TEXT_MAX 1536

enum eg_type {
	/* to the broker */
	EG_CONFIG = 1, /* carries a sealed memfd: struct eg_config's text (egress/config.h). The
			* first message, and again whenever the policy changed */
	EG_ANSWER,     /* id, decision (enum decision; VERDICT_ASK: nobody decided, which is a
			* deny); until: see eg_hold */
	EG_WHO_IS,     /* id, pid, exe: answer to EG_WHO */
	EG_STOP,       /* send what is left to tell, then exit */
	/* from the broker */
	EG_READY,    /* the first EG_CONFIG is in force */
	EG_ASK,	     /* id, host, port: may somebody connect? One for each (host, port) */
	EG_UNASK,    /* id: nobody waits for the answer any more */
	EG_WHO,	     /* id, inode: whose socket is that? */
	EG_CONN,     /* a connection was refused, or has ended (see struct eg_msg) */
	EG_DEGRADED, /* reason: something holds less than planned */
};

enum eg_hold { EG_ONCE, EG_SESSION };

enum eg_how { EG_GATE, EG_HTTP_PROXY, EG_SOCKS_PROXY, EG_DNS, EG_PUBLISH, EG_HOST_PORT };

struct eg_msg {
	uint32_t magic;
	uint32_t type;	   /* enum eg_type */
	uint32_t id;	   /* of EG_ASK, EG_WHO and their answers */
	uint32_t decision; /* enum decision */
	uint32_t hold;	   /* enum eg_hold, of EG_ANSWER */
	uint32_t how;	   /* enum eg_how */
	uint32_t inode;	   /* socket's, as NETLINK_SOCK_DIAG says; 0 unknown */
	int32_t pid;	   /* host's numbering, 0 unknown */
	int32_t rule;	   /* index in the policy of EG_CONFIG, -1 none */
	int32_t err;	   /* errno the command's connect() got, 0 none */
	uint32_t count;	   /* EG_CONN: so many alike */
	uint32_t ms;	   /* EG_CONN: how long they were open, together */
	uint64_t up, down; /* bytes */
	uint16_t port;
	uint16_t host_len, addr_len, exe_len, reason_len; /* texts, in this order */
	uint16_t pad[3];
	char text[EG_TEXT_MAX];
};
/* Bytes of a message with n bytes of text. */
#define EG_MSG_SIZE(n) (offsetof(struct eg_msg, text) + (n))
