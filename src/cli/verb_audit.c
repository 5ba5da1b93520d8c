/* SPDX-License-Identifier: Apache-2.0 */
/* berm audit: shows, checks and hands out the log of decisions. */
#include "cli/cli.h"

#include <jansson.h>
#include <limits.h>
#include <string.h>

#include "base/json_out.h"
#include "cli/run_opts.h"
#include "guard/audit.h"
#include "policy/places.h"

static const char usage[] =
	"usage: berm audit show [OPTION]...     what was decided, the newest last\n"
	"       berm audit verify [OPTION]...   is every record as it was written?\n"
	"       berm audit export [OPTION]...   the records as JSON lines\n"
	"Exit status: 0; 1 when verify found a fault; 125 error.\n";

static const char more[] =
	"The log is audit.jsonl in berm's state folder; each record is chained to the one\n"
	"before. A large log is put away into audit.NUMBER.jsonl; the newest eight stay.\n"
	"  berm audit show --last 20 --event answer\n"
	"  berm audit verify --head 3f1c...   against a hash kept elsewhere\n";

struct audit_opts {
	const char *session, *event, *head;
	unsigned long last; /* 0: all */
	bool json;
};

enum { AUDIT_SESSION, AUDIT_EVENT, AUDIT_HEAD_HASH, AUDIT_LAST, AUDIT_JSON };

static int set(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct audit_opts *o = ctx;
	char *end;

	switch (def->param) {
	case AUDIT_SESSION:
		o->session = value;
		break;
	case AUDIT_EVENT:
		o->event = value;
		break;
	case AUDIT_HEAD_HASH:
		if (strlen(value) != SHA256_HEX_SIZE - 1)
			return err_set(err, -EINVAL, "--head takes a hash of 64 hex digits");
		o->head = value;
		break;
	case AUDIT_LAST:
		errno = 0;
		o->last = strtoul(value, &end, 10);
		if (errno || *end || !o->last || *value < '0' || *value > '9')
			return err_set(err, -EINVAL, "--last \"%s\" is not a number above 0",
				       value);
		break;
	default:
		o->json = true;
	}
	return 0;
}

static const struct opt_def defs[] = {
	{ "last", 0, "N", "only the newest N records that fit", set, AUDIT_LAST },
	{ "session", 0, "ID", "only those of this session", set, AUDIT_SESSION },
	{ "event", 0, "NAME", "only those of this kind: answer, network, ...", set, AUDIT_EVENT },
	{ "head", 0, "HASH", "verify: a record with this hash must be in the chain", set,
	  AUDIT_HEAD_HASH },
	{ "json", 0, NULL, "print it for machines", set, AUDIT_JSON },
};

/* ---- selecting ---------------------------------------------------------- */

/* The lines that are to be printed; with --last a ring of the newest. */
struct selection {
	const struct audit_opts *o;
	bool text, found_head, failed;
	char **ring;
	uint64_t n; /* so many fitted */
};

static const char *member(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s ? s : "";
}

static void add_part(struct buf *b, const char *before, const char *text)
{
	char shown[4096];

	if (!*text)
		return;
	str_escape(shown, sizeof(shown), text, strlen(text));
	(void)buf_addf(b, "%s%s", before, shown);
}

/* One line for a person. */
static void print_text(const json_t *o)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u * 1024u);
	const char *target = member(o, "target");
	json_int_t port = json_integer_value(json_object_get(o, "port"));

	add_part(&b, "", member(o, "t"));
	add_part(&b, "  ", member(o, "event"));
	add_part(&b, " ", member(o, "decision"));
	add_part(&b, "  ", member(o, "action"));
	add_part(&b, " ", *target ? target : member(o, "host"));
	if (port && !*target)
		(void)buf_addf(&b, ":%lld", (long long)port);
	add_part(&b, "  ", member(o, "command"));
	if (json_is_true(json_object_get(o, "unsandboxed")))
		(void)buf_adds(&b, "  UNSANDBOXED");
	add_part(&b, "  by ", member(o, "by"));
	add_part(&b, "  rule: ", member(o, "rule"));
	add_part(&b, "  from: ", member(o, "origin"));
	add_part(&b, "  ", member(o, "reason"));
	if (!b.failed && b.len)
		(void)puts(b.data);
}

static void print_line(const struct selection *s, const char *line)
{
	json_t *o = s->text ? json_loads(line, JSON_REJECT_DUPLICATES, NULL) : NULL;

	if (o)
		print_text(o);
	else
		(void)puts(line);
	json_decref(o);
}

static bool fits(const struct audit_opts *o, const char *line, size_t len)
{
	json_t *v;
	bool fit;

	if (!o->session && !o->event)
		return true;
	v = json_loadb(line, len, 0, NULL);
	fit = v && (!o->session || streq(member(v, "session"), o->session)) &&
	      (!o->event || streq(member(v, "event"), o->event));
	json_decref(v);
	return fit;
}

static int take(void *ctx, const struct audit_record *r)
{
	struct selection *s = ctx;
	char *copy;

	if (!fits(s->o, r->line, r->len))
		return 0;
	copy = strndup(r->line, r->len);
	if (!copy) {
		s->failed = true;
		return 1;
	}
	if (s->ring) {
		free(s->ring[s->n % s->o->last]);
		s->ring[s->n % s->o->last] = copy;
	} else {
		print_line(s, copy);
		free(copy);
	}
	s->n++;
	return 0;
}

static void print_ring(struct selection *s)
{
	uint64_t last = s->o->last, n = s->n < last ? s->n : last;

	for (uint64_t i = 0; i < n; i++)
		print_line(s, s->ring[(s->n - n + i) % last]);
	for (uint64_t i = 0; i < n; i++)
		free(s->ring[i]);
	free(s->ring);
}

/* A log that is damaged is shown as far as it goes, and said to be. */
static void warn(const struct audit_result *res)
{
	if (res->faulty)
		(void)fprintf(stderr,
			      "berm: the audit log is not as it was written (%s line %llu: %s); "
			      "berm audit verify\n",
			      res->fault.file, (unsigned long long)res->fault.line,
			      res->fault.what);
}

static int show(const char *state, const struct audit_opts *o, bool text)
{
	struct selection s = { .o = o, .text = text };
	struct berm_err err = { 0 };
	struct audit_result res;

	if (o->last) {
		s.ring = calloc(o->last, sizeof(*s.ring));
		s.failed = !s.ring;
	}
	if (s.failed) {
		(void)err_set(&err, -ENOMEM, "--last %lu: out of memory", o->last);
		return cli_fail(&err);
	}
	if (audit_read(state, take, &s, &res, &err) < 0 || s.failed) {
		free(s.ring);
		if (s.failed)
			(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	if (s.ring)
		print_ring(&s);
	warn(&res);
	return cli_finish(0);
}

/* ---- verifying ---------------------------------------------------------- */

static int look_for_head(void *ctx, const struct audit_record *r)
{
	struct selection *s = ctx;

	/* The record's own hash stands at its end: HASH"} */
	s->found_head |= memcmp(r->line + r->len - 66, s->o->head, 64) == 0;
	return 0;
}

static void print_result(const struct audit_result *res, bool json)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	if (json) {
		json_begin(&b);
		json_member_bool(&b, "whole", !res->faulty);
		json_member_int(&b, "records", (long long)res->records);
		json_member_int(&b, "torn", (long long)res->torn);
		json_member_int(&b, "dropped", (long long)res->dropped);
		json_member_str(&b, "head", res->head);
		if (res->faulty) {
			json_member_str(&b, "file", res->fault.file);
			json_member_int(&b, "line", (long long)res->fault.line);
			json_member_str(&b, "fault", res->fault.what);
		}
		json_end(&b);
		(void)puts(b.data);
		return;
	}
	(void)printf("%llu records, %llu unfinished by a writer that was killed\nhead %s\n",
		     (unsigned long long)res->records, (unsigned long long)res->torn, res->head);
	if (res->dropped)
		(void)printf("%llu older ones were dropped, to keep the log small\n",
			     (unsigned long long)res->dropped);
	if (!res->faulty)
		(void)puts("whole: every record is as it was written");
	else if (res->fault.line)
		(void)printf("NOT WHOLE: %s line %llu: %s\n", res->fault.file,
			     (unsigned long long)res->fault.line, res->fault.what);
	else
		(void)printf("NOT WHOLE: %s\n", res->fault.what);
}

static int verify(const char *state, const struct audit_opts *o)
{
	struct selection s = { .o = o };
	struct berm_err err = { 0 };
	struct audit_result res;

	if (audit_read(state, o->head ? look_for_head : NULL, &s, &res, &err) < 0)
		return cli_fail(&err);
	if (o->head && !s.found_head && !res.faulty) {
		res.faulty = true;
		(void)snprintf(res.fault.what, sizeof(res.fault.what),
			       "no record has the hash that --head names");
	}
	print_result(&res, o->json);
	return cli_finish(res.faulty ? 1 : 0);
}

/* ---- the verb ----------------------------------------------------------- */

static int usage_error(const char *what)
{
	struct berm_err err = { 0 };

	(void)err_set(&err, -EINVAL, "%s", what);
	err_fix(&err, "as in: berm audit show --last 20");
	return cli_fail(&err);
}

int verb_audit(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts none = RUN_OPTS_INIT;
	_cleanup_spec_ struct spec *place = NULL;
	struct opt_table table = OPT_TABLE(defs);
	struct audit_opts o = { 0 };
	struct berm_err err = { 0 };
	struct policy_input in;
	struct opt_result res;
	const char *what;

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, more);
	if (argc - res.first != 1)
		return usage_error("one of show, verify, export is needed");
	what = argv[res.first];
	if (o.head && !streq(what, "verify"))
		return usage_error("--head belongs to verify");
	run_opts_input(&none, NULL, &in);
	if (places_state(&in, &place, &err) < 0)
		return cli_fail(&err);
	if (streq(what, "show"))
		return show(place->state_dir, &o, !o.json);
	if (streq(what, "export"))
		return show(place->state_dir, &o, false);
	if (streq(what, "verify"))
		return o.last || o.session || o.event ? usage_error("verify reads the whole log")
						      : verify(place->state_dir, &o);
	return usage_error("one of show, verify, export is needed");
}
