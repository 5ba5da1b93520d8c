/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "guard/audit_impl.h"

const char audit_genesis[SHA256_HEX_SIZE] =
	"0000000000000000000000000000000000000000000000000000000000000000";

static const char before_n[] = "{\"n\":", before_prev[] = ",\"prev\":\"",
		  before_hash[] = ",\"hash\":\"";

/* Of the head file, which never grows or shrinks: a write replaces all of it. */
#define HEAD_DIGITS 18

static bool is_hex(const char *s)
{
	for (int i = 0; i < 64; i++)
		if (!((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return false;
	return true;
}

static void copy_hex(char dst[SHA256_HEX_SIZE], const char *s)
{
	memcpy(dst, s, 64);
	dst[64] = 0;
}

/* Decimal without leading zeros, at most 18 digits. Returns its length, 0: none. */
static size_t take_number(const char *s, size_t len, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 0;

	while (i < len && i < 18 && s[i] >= '0' && s[i] <= '9')
		n = n * 10 + (uint64_t)(s[i++] - '0');
	if (!i || (s[0] == '0' && i > 1))
		return 0;
	*ret = n;
	return i;
}

bool audit_parse(const char *line, size_t len, struct audit_link *ret)
{
	const size_t n_len = sizeof(before_n) - 1, prev_len = sizeof(before_prev) - 1;
	const char *tail = line + len - AUDIT_TAIL_LEN, *p = line + n_len;
	char hex[SHA256_HEX_SIZE];
	struct audit_link l;
	size_t digits;

	if (len < n_len + 1 + prev_len + 65 + AUDIT_TAIL_LEN || memcmp(line, before_n, n_len) != 0)
		return false;
	digits = take_number(p, len - n_len, &l.n);
	p += digits;
	if (!digits || (size_t)(tail - p) < prev_len + 65 ||
	    memcmp(p, before_prev, prev_len) != 0 || !is_hex(p + prev_len) ||
	    p[prev_len + 64] != '"')
		return false;
	copy_hex(l.prev, p + prev_len);
	if (memcmp(tail, before_hash, sizeof(before_hash) - 1) != 0 || !is_hex(tail + 9) ||
	    memcmp(tail + 73, "\"}", 2) != 0)
		return false;
	copy_hex(l.hash, tail + 9);
	sha256_hex(line, (size_t)(tail - line), hex);
	if (!streq(hex, l.hash))
		return false;
	*ret = l;
	return true;
}

int audit_format(const struct audit_link *prev, const char *members, size_t len, struct buf *out)
{
	char hex[SHA256_HEX_SIZE];
	size_t start = out->len;

	if (memchr(members, '\n', len) || memchr(members, 0, len))
		return -EINVAL;
	(void)buf_addf(out, "%s%" PRIu64 "%s%s\",", before_n, prev->n + 1, before_prev, prev->hash);
	(void)buf_add(out, members, len);
	if (out->failed)
		return -E2BIG;
	sha256_hex(out->data + start, out->len - start, hex);
	(void)buf_addf(out, "%s%s\"}\n", before_hash, hex);
	return out->failed ? -E2BIG : 0;
}

bool audit_head_parse(const char *text, size_t len, struct audit_link *ret)
{
	uint64_t n = 0;

	if (len != HEAD_DIGITS + 1 + 64 + 1)
		return false;
	for (size_t i = 0; i < HEAD_DIGITS; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(text[i] - '0');
	}
	if (text[HEAD_DIGITS] != ' ' || !is_hex(text + HEAD_DIGITS + 1) || text[len - 1] != '\n')
		return false;
	ret->n = n;
	copy_hex(ret->hash, text + HEAD_DIGITS + 1);
	return true;
}

void audit_head_format(const struct audit_link *l, struct buf *out)
{
	(void)buf_addf(out, "%0*" PRIu64 " %s\n", HEAD_DIGITS, l->n, l->hash);
}

void audit_time(struct buf *members)
{
	struct timespec ts;
	struct tm tm;
	char t[64];

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	(void)gmtime_r(&ts.tv_sec, &tm);
	(void)strftime(t, sizeof(t), "%Y-%m-%dT%H:%M:%S", &tm);
	(void)buf_addf(members, "%s\"t\":\"%s.%03ldZ\"", members->len ? "," : "", t,
		       ts.tv_nsec / 1000000);
}

static void torn_text(const char *torn, size_t len, struct buf *out)
{
	char hex[SHA256_HEX_SIZE];

	sha256_hex(torn, len, hex);
	(void)buf_addf(out, "\"event\":\"torn\",\"bytes\":%zu,\"sha256\":\"%s\"", len, hex);
}

void audit_torn_members(const char *torn, size_t len, struct buf *out)
{
	audit_time(out);
	(void)buf_adds(out, ",");
	torn_text(torn, len, out);
}

bool audit_tells_torn(const char *line, size_t len, const char *torn, size_t torn_len)
{
	_cleanup_buf_ struct buf want = BUF_INIT(512);

	torn_text(torn, torn_len, &want);
	return !want.failed && len > want.len + AUDIT_TAIL_LEN &&
	       memcmp(line + len - AUDIT_TAIL_LEN - want.len, want.data, want.len) == 0;
}
