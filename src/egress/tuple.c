/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/tuple.h"

#include <netinet/in.h>
#include <sys/random.h>

#include "base/str.h"

bool tuple_end(const struct sockaddr_storage *sa, struct ip_addr *ret, uint16_t *ret_port)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	*ret = (struct ip_addr){ 0 };
	if (sa->ss_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, sa, sizeof(in));
		memcpy(ret->bytes, &in.sin_addr, 4);
		*ret_port = ntohs(in.sin_port);
		return true;
	}
	if (sa->ss_family == AF_INET6) {
		struct sockaddr_in6 in;

		memcpy(&in, sa, sizeof(in));
		*ret_port = ntohs(in.sin6_port);
		if (memcmp(&in.sin6_addr, mapped, sizeof(mapped)) == 0) {
			memcpy(ret->bytes, in.sin6_addr.s6_addr + 12, 4);
			return true;
		}
		ret->v6 = 1;
		memcpy(ret->bytes, &in.sin6_addr, 16);
		return true;
	}
	return false;
}

socklen_t tuple_sockaddr(const struct ip_addr *ip, uint16_t port, struct sockaddr_storage *ret)
{
	*ret = (struct sockaddr_storage){ 0 };
	if (ip->v6) {
		struct sockaddr_in6 in = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

		memcpy(&in.sin6_addr, ip->bytes, 16);
		memcpy(ret, &in, sizeof(in));
		return sizeof(in);
	}
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	memcpy(&in.sin_addr, ip->bytes, 4);
	memcpy(ret, &in, sizeof(in));
	return sizeof(in);
}

bool ip_equal(const struct ip_addr *a, const struct ip_addr *b)
{
	return a->v6 == b->v6 && memcmp(a->bytes, b->bytes, a->v6 ? 16 : 4) == 0;
}

bool tuple_equal(const struct tuple *a, const struct tuple *b)
{
	return a->sport == b->sport && a->dport == b->dport && ip_equal(&a->src, &b->src) &&
	       ip_equal(&a->dst, &b->dst);
}

/* SipHash-1-3: as strong as tables of bounded size need. */
static uint64_t key[2];

int hash_init(void)
{
	return getrandom(key, sizeof(key), 0) == sizeof(key) ? 0 : -EIO;
}

static inline uint64_t rotl(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

uint32_t bytes_hash(const void *data, size_t len)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
			  key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };
	const char *p = data;
	size_t left = len;
	uint64_t m;

	for (; left >= 8; left -= 8, p += 8) {
		memcpy(&m, p, 8);
		v[3] ^= m;
		sip_round(v);
		v[0] ^= m;
	}
	m = (uint64_t)len << 56;
	for (size_t i = 0; i < left; i++)
		m |= (uint64_t)(uint8_t)p[i] << (8 * i);
	v[3] ^= m;
	sip_round(v);
	v[0] ^= m;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	m = v[0] ^ v[1] ^ v[2] ^ v[3];
	return (uint32_t)(m ^ m >> 32);
}

uint32_t tuple_hash(const struct tuple *t)
{
	uint8_t flat[2 * 16 + 2 * sizeof(uint16_t)];

	memset(flat, 0, sizeof(flat));
	memcpy(flat, t->src.bytes, t->src.v6 ? 16 : 4);
	memcpy(flat + 16, t->dst.bytes, t->dst.v6 ? 16 : 4);
	memcpy(flat + 32, &t->sport, sizeof(t->sport));
	memcpy(flat + 34, &t->dport, sizeof(t->dport));
	return bytes_hash(flat, sizeof(flat));
}
