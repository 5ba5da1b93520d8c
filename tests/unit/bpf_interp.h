/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a classic-BPF program over one struct seccomp_data as the kernel would,
 * and checks it as the kernel does before it takes it. */
#pragma once

#include <stdbool.h>

#include "linux/seccomp.h"

struct bpf_result {
	uint32_t action;
	bool args_read; /* not decided from number and architecture alone: never cached */
	unsigned steps;
};

/* The kernel's bpf_check_classic() and seccomp_check_filter() for the opcodes the
 * assembler knows. On failure why tells. */
bool bpf_check(const struct seccomp_prog *p, const char **ret_why);

/* The program must have passed bpf_check(). */
struct bpf_result bpf_run(const struct seccomp_prog *p, const struct seccomp_data *d);
