/* SPDX-License-Identifier: Apache-2.0 */
/* Two machines, one inside the other: records, and the fields of the ClientHello. Every
 * length is checked against what encloses it before it is believed, and every enclosing
 * length must be used up exactly: two readers cannot end at different places. */
#include "egress/hello.h"

#include <errno.h>
#include <string.h>

#define RECORD_MAX 16384 /* RFC 8446 5.1 */

enum record_type { CHANGE_CIPHER_SPEC = 20, ALERT, HANDSHAKE, APPLICATION, HEARTBEAT };

enum state {
	MSG_TYPE,
	MSG_LEN,
	VERSION,
	RANDOM,
	SESSION_LEN,
	SESSION,
	CIPHERS_LEN,
	CIPHERS,
	COMPRESSION_LEN,
	COMPRESSION,
	EXTS_LEN,
	EXT_TYPE,
	EXT_LEN,
	EXT_BODY,
	SNI_LIST_LEN,
	SNI_TYPE,
	SNI_LEN,
	SNI_NAME,
};

enum { EXT_SERVER_NAME = 0, EXT_ECH = 0xfe0d, EXT_ESNI = 0xffce };

void hello_init(struct hello *h, bool again)
{
	*h = (struct hello){ .again = again, .field = 1 };
}

static void bad(struct hello *h, const char *why)
{
	h->result = HELLO_BAD;
	h->why = why;
}

/* The next field has n bytes. */
static void go(struct hello *h, enum state state, uint32_t n)
{
	h->state = (uint8_t)state;
	h->field = n;
	h->acc = 0;
	if (n > h->hello && state != MSG_LEN)
		bad(h, "a length in the TLS ClientHello points beyond its end");
}

static void finish(struct hello *h)
{
	if (h->hello) {
		bad(h, "the TLS ClientHello goes on after its extensions");
	} else if (h->record) {
		bad(h, "a TLS record goes on after the ClientHello");
	} else if (!h->sni_seen) {
		h->result = HELLO_NO_NAME;
	} else if (host_parse(h->name, h->name_len, &h->host) < 0) {
		bad(h, "the TLS server name is not a host name");
	} else {
		h->result = HELLO_NAME;
	}
}

static void next_ext(struct hello *h)
{
	if (h->exts == 0) {
		finish(h);
	} else if (h->exts < 4) {
		bad(h, "a TLS extension is cut short");
	} else {
		h->exts -= 4;
		go(h, EXT_TYPE, 2);
	}
}

static void begin_ext(struct hello *h)
{
	if (h->acc > h->exts) {
		bad(h, "a TLS extension points beyond the extensions");
		return;
	}
	h->ext = h->acc;
	h->exts -= h->ext;
	if (h->ext_type == EXT_ECH || h->ext_type == EXT_ESNI)
		h->ech = true;
	if (h->ext_type != EXT_SERVER_NAME) {
		go(h, EXT_BODY, h->ext);
		return;
	}
	/* Exactly one name of the one type there is: of several, servers take different ones. */
	if (h->sni_seen)
		bad(h, "two TLS server_name extensions");
	else if (h->ext < 2 + 1 + 2 + 1)
		bad(h, "the TLS server_name extension holds no name");
	else
		go(h, SNI_LIST_LEN, 2);
	h->sni_seen = true;
}

/* A field inside server_name is complete. */
static void sni_field(struct hello *h)
{
	switch (h->state) {
	case SNI_LIST_LEN:
		if (h->acc != h->ext - 2)
			bad(h, "the TLS server name list is not as long as its extension");
		else
			go(h, SNI_TYPE, 1);
		break;
	case SNI_TYPE:
		if (h->acc != 0)
			bad(h, "a TLS server name of an unknown type");
		else
			go(h, SNI_LEN, 2);
		break;
	case SNI_LEN:
		if (h->acc != h->ext - 5)
			bad(h, "more than one TLS server name");
		else if (h->acc > sizeof(h->name))
			bad(h, "the TLS server name is too long");
		else
			go(h, SNI_NAME, h->acc);
		break;
	default:
		next_ext(h);
	}
}

/* The field is complete: h->acc is its value, if it is a number. */
static void next_field(struct hello *h)
{
	switch (h->state) {
	case MSG_TYPE:
		if (h->acc != 1)
			bad(h, "the TLS handshake does not begin with a ClientHello");
		else
			go(h, MSG_LEN, 3);
		break;
	case MSG_LEN:
		h->hello = h->acc;
		go(h, VERSION, 2);
		break;
	case VERSION:
		h->version = (uint16_t)h->acc;
		if (h->acc >> 8 != 3)
			bad(h, "a TLS version that does not exist");
		else
			go(h, RANDOM, 32);
		break;
	case RANDOM:
		go(h, SESSION_LEN, 1);
		break;
	case SESSION_LEN:
		if (h->acc > 32)
			bad(h, "the TLS session id is too long");
		else
			go(h, SESSION, h->acc);
		break;
	case SESSION:
		go(h, CIPHERS_LEN, 2);
		break;
	case CIPHERS_LEN:
		if (h->acc < 2 || h->acc % 2)
			bad(h, "the TLS cipher list has an odd length");
		else
			go(h, CIPHERS, h->acc);
		break;
	case CIPHERS:
		go(h, COMPRESSION_LEN, 1);
		break;
	case COMPRESSION_LEN:
		if (h->acc < 1)
			bad(h, "the TLS compression list is empty");
		else
			go(h, COMPRESSION, h->acc);
		break;
	case COMPRESSION:
		if (h->hello == 0)
			finish(h);
		else
			go(h, EXTS_LEN, 2);
		break;
	case EXTS_LEN:
		h->exts = h->acc;
		if (h->exts != h->hello)
			bad(h, "the TLS extensions do not end with the ClientHello");
		else
			next_ext(h);
		break;
	case EXT_TYPE:
		h->ext_type = (uint16_t)h->acc;
		go(h, EXT_LEN, 2);
		break;
	case EXT_LEN:
		begin_ext(h);
		break;
	case EXT_BODY:
		next_ext(h);
		break;
	default:
		sni_field(h);
	}
}

static void handshake_byte(struct hello *h, uint8_t b)
{
	if (h->state > MSG_LEN)
		h->hello--; /* go() saw to it that the field is within */
	if (h->state == SNI_NAME)
		h->name[h->name_len++] = (char)b;
	h->acc = h->acc << 8 | b;
	h->field--;
	/* A field without bytes is complete at once. */
	while (h->result == HELLO_MORE && h->field == 0)
		next_field(h);
}

/* Is what begins so TLS at all? Servers of some kinds read past a warning alert that comes
 * first, and take any version below 0x1000 for TLS. */
static void sniff(struct hello *h)
{
	uint8_t type = h->first[0];
	uint16_t v2 = (uint16_t)(h->first[3] << 8 | h->first[4]);

	if (h->record_state == 1 && (type < CHANGE_CIPHER_SPEC || type > HEARTBEAT) &&
	    !(type & 0x80))
		h->result = HELLO_NOT_TLS;
	else if (h->record_state == 2 && !(type & 0x80) && h->first[1] >= 0x10)
		h->result = HELLO_NOT_TLS;
	else if (h->record_state == 2 && !(type & 0x80) && type != HANDSHAKE && !h->again)
		bad(h, "TLS does not begin with a handshake record");
	else if (h->record_state == 3 && type & 0x80 && h->first[2] != 1)
		h->result = HELLO_NOT_TLS;
	else if (h->record_state == 5 && type & 0x80 && v2 != 2 && v2 >> 8 != 3)
		h->result = HELLO_NOT_TLS;
	else if (h->record_state == 5 && type & 0x80)
		bad(h, "a ClientHello of SSL 2.0");
}

/* A byte of a record's five. */
static void header_byte(struct hello *h, uint8_t b)
{
	h->first[h->record_state++] = b;
	if (h->fed <= 5) {
		sniff(h);
		if (h->result != HELLO_MORE || h->first[0] & 0x80)
			return;
	}
	if (h->record_state == 1) {
		h->record_type = b;
		if (b != HANDSHAKE && !(b == CHANGE_CIPHER_SPEC && h->again && h->fed == 1))
			bad(h, "a TLS record of another kind inside the ClientHello");
	} else if (h->record_state == 2 && b != 3) {
		bad(h, "a TLS record of a version that does not exist");
	} else if (h->record_state == 5) {
		h->record_state = 0;
		h->record = (uint32_t)(h->first[3] << 8 | h->first[4]);
		if (h->record == 0 || h->record > RECORD_MAX)
			bad(h, "a TLS record of a length that is not allowed");
		else if (h->record_type == CHANGE_CIPHER_SPEC && h->record != 1)
			bad(h, "a TLS ChangeCipherSpec of more than one byte");
	}
}

enum hello_result hello_feed(struct hello *h, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len && h->result == HELLO_MORE; i++) {
		if (++h->fed > HELLO_MAX) {
			bad(h, "the TLS ClientHello is too long");
		} else if (h->record == 0) {
			header_byte(h, data[i]);
		} else {
			h->record--;
			if (h->record_type == HANDSHAKE)
				handshake_byte(h, data[i]);
			else if (data[i] != 1)
				bad(h, "a TLS ChangeCipherSpec that is none");
		}
	}
	return (enum hello_result)h->result;
}

int hello_retry_asked(const uint8_t *data, size_t len)
{
	/* A ServerHello with this random is a HelloRetryRequest: RFC 8446 4.1.3. */
	static const uint8_t retry[32] = { 0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11,
					   0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
					   0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e,
					   0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c };

	for (size_t i = 0; i < len && i < HELLO_RETRY_LEN; i++) {
		if ((i == 0 && data[i] != HANDSHAKE) || (i == 5 && data[i] != 2) ||
		    (i >= 11 && data[i] != retry[i - 11]))
			return 0;
	}
	return len < HELLO_RETRY_LEN ? -EAGAIN : 1;
}

void hello_alert(const struct hello *h, uint8_t dst[HELLO_ALERT_LEN])
{
	/* The version of a record tops out at 1.2 (RFC 8446 5.1); 1.0 while none was named. */
	uint8_t minor = h->version >> 8 != 3 ? 1 : h->version > 0x0303 ? 3 : (uint8_t)h->version;
	const uint8_t alert[HELLO_ALERT_LEN] = { ALERT,		3, minor, 0, 2,
						 2 /* fatal */, 49 /* access_denied */ };

	memcpy(dst, alert, HELLO_ALERT_LEN);
}
