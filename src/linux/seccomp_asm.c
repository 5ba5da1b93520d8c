/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/seccomp_asm.h"

#include <errno.h>

static bpf_label emit(struct bpf_gen *g, struct sock_filter f)
{
	if (g->n >= ARRAY_SIZE(g->insn)) {
		g->full = true;
		return 0;
	}
	g->insn[g->n] = f;
	return (bpf_label)g->n++;
}

/* Instructions between the one emitted next and the target. */
static size_t distance(const struct bpf_gen *g, bpf_label target)
{
	return g->n - target - 1;
}

static bpf_label jump(struct bpf_gen *g, bpf_label target)
{
	return emit(g,
		    (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)distance(g, target)));
}

/* Makes target reachable with an offset of at most max. */
static bpf_label reach(struct bpf_gen *g, bpf_label target, size_t max)
{
	return distance(g, target) > max ? jump(g, target) : target;
}

bpf_label bpf_ret(struct bpf_gen *g, uint32_t value)
{
	bpf_label at;

	for (size_t i = 0; i < g->n_ret; i++)
		if (g->ret[i].value == value)
			return g->ret[i].at;
	at = emit(g, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value));
	if (g->n_ret < ARRAY_SIZE(g->ret)) {
		g->ret[g->n_ret].value = value;
		g->ret[g->n_ret++].at = at;
	}
	return at;
}

bpf_label bpf_load(struct bpf_gen *g, size_t off, bpf_label next)
{
	(void)reach(g, next, 0);
	return emit(g, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)off));
}

bpf_label bpf_and(struct bpf_gen *g, uint32_t k, bpf_label next)
{
	(void)reach(g, next, 0);
	return emit(g, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, k));
}

static bpf_label branch(struct bpf_gen *g, uint16_t op, uint32_t k, bpf_label yes, bpf_label no)
{
	/* One less for yes: a JA made for no moves it one away. */
	yes = reach(g, yes, UINT8_MAX - 1);
	no = reach(g, no, UINT8_MAX);
	return emit(g, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | BPF_K | op), k,
						    (uint8_t)distance(g, yes),
						    (uint8_t)distance(g, no)));
}

bpf_label bpf_jeq(struct bpf_gen *g, uint32_t k, bpf_label yes, bpf_label no)
{
	return branch(g, BPF_JEQ, k, yes, no);
}

bpf_label bpf_jge(struct bpf_gen *g, uint32_t k, bpf_label yes, bpf_label no)
{
	return branch(g, BPF_JGE, k, yes, no);
}

bpf_label bpf_jset(struct bpf_gen *g, uint32_t k, bpf_label yes, bpf_label no)
{
	return branch(g, BPF_JSET, k, yes, no);
}

/* A range of numbers with one destination; it ends where the next one starts. */
struct run {
	uint32_t start;
	bpf_label to;
};

/* Depth is the logarithm of the number of runs. */
static bpf_label search(struct bpf_gen *g, const struct run *runs, size_t n)
{
	size_t mid = n / 2;
	bpf_label above, below;

	if (n == 1)
		return runs[0].to;
	/* One number between two equal neighbours: a single test. */
	if (n == 3 && runs[0].to == runs[2].to && runs[2].start == runs[1].start + 1)
		return bpf_jeq(g, runs[1].start, runs[1].to, runs[0].to);
	above = search(g, runs + mid, n - mid);
	below = search(g, runs, mid);
	return bpf_jge(g, runs[mid].start, above, below);
}

bpf_label bpf_dispatch(struct bpf_gen *g, const bpf_label *of, size_t n)
{
	struct run runs[BPF_DISPATCH_MAX];
	size_t n_runs = 0;

	if (n == 0 || n > ARRAY_SIZE(runs)) {
		g->full = true;
		return 0;
	}
	for (uint32_t nr = 0; nr < n; nr++)
		if (nr == 0 || of[nr] != of[nr - 1])
			runs[n_runs++] = (struct run){ nr, of[nr] };
	return search(g, runs, n_runs);
}

int bpf_finish(const struct bpf_gen *g, bpf_label entry, struct seccomp_prog *ret)
{
	if (g->full || g->n == 0 || entry != g->n - 1)
		return -E2BIG;
	for (size_t i = 0; i < g->n; i++)
		ret->insn[i] = g->insn[g->n - 1 - i];
	ret->len = g->n;
	return 0;
}
