/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 (FIPS 180-4), for binding a decision to a file's content. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHA256_HEX_SIZE 65

/* The digest of len bytes. */
void sha256(const void *data, size_t len, uint8_t out[32]);

/* The digest as 64 lower-case hex digits and a NUL. */
void sha256_hex(const void *data, size_t len, char out[SHA256_HEX_SIZE]);
