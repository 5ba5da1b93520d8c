/* SPDX-License-Identifier: Apache-2.0 */
/* arm64 uses the generic table. Nothing else may be included here: the numbers of
 * the machine that compiles would redefine them. */
#define __ARCH_WANT_RENAMEAT
#define __ARCH_WANT_NEW_STAT
#define __ARCH_WANT_SET_GET_RLIMIT
#define __ARCH_WANT_SYS_CLONE3
#define __ARCH_WANT_MEMFD_SECRET
#include <asm-generic/unistd.h>

#include "seccomp_numbers.h"

#define N(name) { #name, __NR_##name },
const struct number arm64_numbers[] = { COMMON_NUMBERS(N) };
const size_t n_arm64_numbers = sizeof(arm64_numbers) / sizeof(arm64_numbers[0]);
