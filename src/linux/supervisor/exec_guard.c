/* SPDX-License-Identifier: Apache-2.0 */
/* The guard's rules at execve: the arguments are copied once and judged as a command that no
 * shell reads. Advisory: the kernel reads the caller's memory again, so that a program with two
 * threads can show one command and start another. What must hold against a program
 * that lies is the boundary, not this. */
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/redact.h"
#include "base/sha256.h"
#include "guard/at_exec.h"
#include "linux/supervisor/sup.h"
#include "policy/guard.h"

#define WORDS_MAX 256u		/* arguments looked at */
#define BYTES_MAX (32u * 1024u) /* of them together, with their ends */
#define SHOWN_MAX 1024u

/* What is started, as far as it is looked at. */
struct command {
	const char *v[WORDS_MAX + 1];
	size_t n;
	bool more;
	size_t used;
	char text[BYTES_MAX];
};

static struct guard_rules *rules;
static int rules_err; /* why there are none */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const struct spec *spec;

static void compile(void)
{
	struct berm_err err = { 0 };

	rules_err = guard_rules_new(&spec->guard, spec->n_roots ? spec->roots[0].path : "/",
				    spec->user_home, &rules, &err);
}

/* false: there is no room, which is told by c->more. */
static bool add_word(struct command *c, const char *word, size_t len)
{
	if (c->n == WORDS_MAX || len >= sizeof(c->text) - c->used) {
		c->more = true;
		return false;
	}
	memcpy(c->text + c->used, word, len + 1);
	c->v[c->n++] = c->text + c->used;
	c->used += len + 1;
	return true;
}

/* argv[0] is what the program calls itself: the path says what it is. */
static int copy_arguments(struct request *r, uint64_t argv, struct command *c)
{
	char word[PATH_MAX];

	for (unsigned i = 1; argv; i++) {
		uint64_t at;
		ssize_t n;

		if (target_read(r, argv + i * sizeof(at), &at, sizeof(at)) < 0)
			return -EFAULT;
		if (!at)
			return 0;
		n = target_string(r, at, word);
		if (n == -EFAULT)
			return -EFAULT;
		if (n < 0)
			c->more = true; /* longer than anything that a rule could mean */
		if (n < 0 || !add_word(c, word, (size_t)n))
			return 0;
	}
	return 0;
}

/* What people are shown and answers hold for. Where not all is shown, a digest of it makes
 * it this command and no other. */
static void describe(const struct command *c, char dst[SHOWN_MAX + SHA256_HEX_SIZE + 16])
{
	char hash[SHA256_HEX_SIZE];
	size_t len;

	redact_words(c->text, c->used, dst, SHOWN_MAX);
	len = strlen(dst);
	if (!c->more && len + 1 < SHOWN_MAX && !strstr(dst, "***") && c->used <= REDACT_WORDS_MAX)
		return;
	sha256_hex(c->text, c->used, hash);
	(void)snprintf(dst + len, SHA256_HEX_SIZE + 16, " [sha256 %.16s]", hash);
}

static void explain(const struct guard_opinion *o, bool nobody, char *dst, size_t size)
{
	_cleanup_buf_ struct buf text = BUF_INIT(512);

	if (o->rule)
		(void)guard_rule_text(o->rule, &text);
	(void)snprintf(dst, size, "%s [%s:%u]%s", text.data && !text.failed ? text.data : o->reason,
		       o->origin.file ? o->origin.file : "", o->origin.line,
		       nobody ? ", and nobody is there to answer" : "");
}

static int judge(struct request *r, const struct command *c, struct guard_opinion *ret)
{
	const char *roots[64];
	char cwd[PATH_MAX];
	struct guard_exec x = { .argv = c->v, .n = c->n, .more = c->more, .mode = spec->mode };
	struct berm_err err = { 0 };
	int ignored;
	struct task *t = target_task(r, &ignored);
	ssize_t n = t ? readlinkat(t->proc, "cwd", cwd, sizeof(cwd) - 1) : -1;

	if (n <= 0 || cwd[0] != '/')
		n = 1, cwd[0] = '/';
	cwd[n] = '\0';
	for (size_t i = 0; i < spec->n_roots && i < ARRAY_SIZE(roots); i++)
		roots[x.place.n_roots++] = spec->roots[i].path;
	x.place.roots = roots;
	x.place.cwd = cwd;
	x.place.home = spec->user_home;
	x.now = time(NULL);
	return guard_at_exec(rules, &spec->guard, &x, ret, &err);
}

static int denied(struct request *r, const struct command *c, const struct guard_opinion *o)
{
	char shown[SHOWN_MAX + SHA256_HEX_SIZE + 16], why[700];
	struct verdict v = { .decision = o->decision, .err = EPERM, .reason = why };

	describe(c, shown);
	if (o->decision == VERDICT_ASK && ask_granted(r, OP_EXEC, shown))
		return 0;
	if (o->decision == VERDICT_ASK && !ask_possible(r->sup))
		v.decision = VERDICT_DENY;
	explain(o, v.decision != o->decision, why, sizeof(why));
	/* Another errno than a rule about the file gives: so its report is told apart. */
	return report_denial(r, OP_EXEC, shown, &v, NULL, EPERM);
}

int exec_guard(struct request *r, const char *program, uint64_t argv)
{
	struct guard_opinion o = { .decision = VERDICT_ALLOW };
	struct command *c;
	int err = 0;

	if (!guard_at_exec_wanted(&r->sup->spec->guard))
		return 0;
	spec = r->sup->spec; /* the only one of this process */
	(void)pthread_once(&once, compile);
	c = rules_err < 0 ? NULL : malloc(sizeof(*c));
	if (!c)
		return -EACCES; /* it could not be judged */
	c->n = c->used = 0;
	c->more = false;
	(void)add_word(c, program, strlen(program));
	err = copy_arguments(r, argv, c);
	if (err == 0)
		err = judge(r, c, &o) < 0 ? -EACCES : target_alive(r);
	if (err == 0 && o.decision != VERDICT_ALLOW)
		err = denied(r, c, &o);
	free(c);
	return err;
}
