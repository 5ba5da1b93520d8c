/* SPDX-License-Identifier: Apache-2.0 */
/* Netlink messages by hand (netlink(7)): no library, no heap, bounds held. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NL_BUF_SIZE 8192

/* Several messages on their way in one send. Numbered from 1. */
struct nl_buf {
	uint32_t len, seq;
	uint32_t message; /* where the open message starts */
	bool failed;	  /* something did not fit: nothing is sent */
	_Alignas(4) uint8_t data[NL_BUF_SIZE];
};

/* Empties it. */
void nl_init(struct nl_buf *b);
/* Opens a message with its family's fixed header; the one before is closed. Returns its
 * number. */
uint32_t nl_message(struct nl_buf *b, uint16_t type, uint16_t flags, const void *header,
		    size_t size);
void nl_attr(struct nl_buf *b, uint16_t type, const void *data, size_t size);
void nl_str(struct nl_buf *b, uint16_t type, const char *s); /* with its NUL */
void nl_u8(struct nl_buf *b, uint16_t type, uint8_t value);
void nl_u16(struct nl_buf *b, uint16_t type, uint16_t value);  /* host order */
void nl_be16(struct nl_buf *b, uint16_t type, uint16_t value); /* sent in network order */
void nl_u32(struct nl_buf *b, uint16_t type, uint32_t value);  /* host order */
void nl_be32(struct nl_buf *b, uint16_t type, uint32_t value); /* sent in network order */
/* Attributes until nl_nest_end() lie in it. Returns what that wants to know. */
uint32_t nl_nest(struct nl_buf *b, uint16_t type);
void nl_nest_end(struct nl_buf *b, uint32_t nest);

/* Closes the last message and sends all of them. 0 or a negative errno. */
int nl_send(int fd, struct nl_buf *b);

/* The kernel answers while nl_send() runs. Reads answers up to that of message
 * `last` (sent with NLM_F_ACK) or a refusal of the first; ret_err[seq] is a negative errno for
 * each refused message, size entries, cleared first. Negative: no answer of that form. */
int nl_answers(int fd, uint32_t last, int *ret_err, size_t size);
