/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of FIPS 180-4's examples, and every length around the block size
 * against a digest of digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/sha256.h"

static const struct {
	const char *text, *hex;
} vectors[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
	  "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

static void test_vectors(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		char hex[SHA256_HEX_SIZE];

		sha256_hex(vectors[i].text, strlen(vectors[i].text), hex);
		assert_string_equal(hex, vectors[i].hex);
	}
}

static void test_lengths(void **state)
{
	static char text[200];
	uint8_t all[200 * 32];
	char hex[SHA256_HEX_SIZE];

	memset(text, 'a', sizeof(text));
	for (size_t n = 0; n < 200; n++)
		sha256(text, n, all + 32 * n);
	sha256_hex(all, sizeof(all), hex);
	assert_string_equal(hex,
			    "752c007f38611cfbf5fa42cb1cea3d8e086491c844d0cc4defd632cb81423506");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
