/* SPDX-License-Identifier: Apache-2.0 */
#include "bpf_interp.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool fail(const char **ret_why, const char *why)
{
	*ret_why = why;
	return false;
}

static bool check_insn(const struct seccomp_prog *p, size_t pc, const char **ret_why)
{
	const struct sock_filter *f = &p->insn[pc];

	switch (f->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		if (f->k >= sizeof(struct seccomp_data) || f->k % 4)
			return fail(ret_why, "load outside seccomp_data or unaligned");
		return true;
	case BPF_ALU | BPF_AND | BPF_K:
	case BPF_RET | BPF_K:
		return true;
	case BPF_JMP | BPF_JA:
		return f->k < p->len - pc - 1 || fail(ret_why, "jump past the end");
	case BPF_JMP | BPF_JEQ | BPF_K:
	case BPF_JMP | BPF_JGE | BPF_K:
	case BPF_JMP | BPF_JGT | BPF_K:
	case BPF_JMP | BPF_JSET | BPF_K:
		return (pc + f->jt + 1 < p->len && pc + f->jf + 1 < p->len) ||
		       fail(ret_why, "branch past the end");
	default:
		return fail(ret_why, "unknown instruction");
	}
}

bool bpf_check(const struct seccomp_prog *p, const char **ret_why)
{
	if (p->len == 0 || p->len > BPF_MAXINSNS || p->len > SECCOMP_PROG_MAX)
		return fail(ret_why, "length");
	for (size_t pc = 0; pc < p->len; pc++)
		if (!check_insn(p, pc, ret_why))
			return false;
	if (BPF_CLASS(p->insn[p->len - 1].code) != BPF_RET)
		return fail(ret_why, "does not end in a return");
	return true;
}

struct bpf_result bpf_run(const struct seccomp_prog *p, const struct seccomp_data *d)
{
	struct bpf_result r = { 0 };
	uint32_t a = 0;

	for (size_t pc = 0;; pc++) {
		const struct sock_filter *f = &p->insn[pc];

		r.steps++;
		switch (f->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)d + f->k, sizeof(a));
			if (f->k != offsetof(struct seccomp_data, nr) &&
			    f->k != offsetof(struct seccomp_data, arch))
				r.args_read = true;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= f->k;
			break;
		case BPF_JMP | BPF_JA:
			pc += f->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == f->k ? f->jt : f->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= f->k ? f->jt : f->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			pc += a > f->k ? f->jt : f->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += (a & f->k) ? f->jt : f->jf;
			break;
		case BPF_RET | BPF_K:
			r.action = f->k;
			return r;
		default:
			abort(); /* bpf_check() refused it */
		}
	}
}
