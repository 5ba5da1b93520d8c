/* SPDX-License-Identifier: Apache-2.0 */
/* A classic-BPF assembler that works from the last instruction to the first.
 *
 * BPF jumps only forward. Emitted backwards, every target exists before the jump
 * to it is written: no fix-ups, and a conditional jump whose 8-bit offset would
 * overflow gets a JA just behind it. So programs are written in continuation
 * style: what happens afterwards is an argument. A label is the index of an
 * instruction counted from the end. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "linux/seccomp.h"

typedef unsigned bpf_label;

#define BPF_GEN_RETS 16

struct bpf_gen {
	struct sock_filter insn[SECCOMP_PROG_MAX]; /* reversed */
	size_t n;
	bool full; /* something did not fit: the result is unusable */
	struct {
		uint32_t value;
		bpf_label at;
	} ret[BPF_GEN_RETS]; /* one RET per value */
	size_t n_ret;
};

/* Return this value (SECCOMP_RET_*). */
bpf_label bpf_ret(struct bpf_gen *g, uint32_t value);

/* A = 32-bit word of struct seccomp_data at off, then next. */
bpf_label bpf_load(struct bpf_gen *g, size_t off, bpf_label next);
/* A &= k, then next. */
bpf_label bpf_and(struct bpf_gen *g, uint32_t k, bpf_label next);

/* Conditional jumps on A: equal, unsigned at least, any bit of k set. */
bpf_label bpf_jeq(struct bpf_gen *g, uint32_t k, bpf_label yes, bpf_label no);
bpf_label bpf_jge(struct bpf_gen *g, uint32_t k, bpf_label yes, bpf_label no);
bpf_label bpf_jset(struct bpf_gen *g, uint32_t k, bpf_label yes, bpf_label no);

/* Goes to of[A]; of[n - 1] is for every number from n - 1 on. n <= BPF_DISPATCH_MAX. */
#define BPF_DISPATCH_MAX 512
bpf_label bpf_dispatch(struct bpf_gen *g, const bpf_label *of, size_t n);

/* Hands the program over; entry must be the instruction emitted last. Returns 0
 * or -E2BIG. */
int bpf_finish(const struct bpf_gen *g, bpf_label entry, struct seccomp_prog *ret);
