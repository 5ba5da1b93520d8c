/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/limits.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

enum unit { UNIT_COUNT, UNIT_BYTES, UNIT_TIME, UNIT_PERCENT };

/* A key may stand in two rows: the unit then tells which one is meant. */
static const struct row {
	char name[16]; /* no pointer: a start would relocate it */
	enum limit_kind kind;
	enum unit unit;
	int resource; /* RLIMIT_*, -1 */
	uint64_t least;
} rows[] = {
	{ "memory", LIMIT_MEMORY, UNIT_BYTES, -1, 16u << 20 },
	{ "pids", LIMIT_PIDS, UNIT_COUNT, RLIMIT_NPROC, 8 },
	{ "cpu", LIMIT_CPU, UNIT_PERCENT, -1, 1 },
	{ "time", LIMIT_TIME, UNIT_TIME, -1, 1 },
	{ "files", LIMIT_FILES, UNIT_COUNT, RLIMIT_NOFILE, 0 },
	{ "disk", LIMIT_DISK, UNIT_BYTES, -1, 1u << 20 },
	{ "output", LIMIT_OUTPUT, UNIT_BYTES, -1, 1 },
	{ "cpu-time", LIMIT_CPU_TIME, UNIT_TIME, RLIMIT_CPU, 0 },
	{ "cpu", LIMIT_CPU_TIME, UNIT_TIME, RLIMIT_CPU, 0 },
	{ "fsize", LIMIT_FSIZE, UNIT_BYTES, RLIMIT_FSIZE, 0 },
	{ "stack", LIMIT_STACK, UNIT_BYTES, RLIMIT_STACK, 0 },
	{ "address-space", LIMIT_ADDRESS_SPACE, UNIT_BYTES, RLIMIT_AS, 0 },
	{ "data", LIMIT_DATA, UNIT_BYTES, RLIMIT_DATA, 0 },
	{ "memlock", LIMIT_MEMLOCK, UNIT_BYTES, RLIMIT_MEMLOCK, 0 },
};

static const struct suffix {
	enum unit unit;
	char text[4];
	uint64_t factor;
} suffixes[] = {
	/* The largest first, for limit_text(). */
	{ UNIT_BYTES, "t", 1ull << 40 }, { UNIT_BYTES, "g", 1ull << 30 },
	{ UNIT_BYTES, "m", 1ull << 20 }, { UNIT_BYTES, "k", 1ull << 10 },
	{ UNIT_TIME, "h", 3600 },	 { UNIT_TIME, "m", 60 },
	{ UNIT_TIME, "s", 1 },		 { UNIT_PERCENT, "%", 1 },
};

static const char examples[][80] = {
	[UNIT_COUNT] = "1024",
	[UNIT_BYTES] = "512m (k, m, g, t)",
	[UNIT_TIME] = "10m (s, m, h)",
	[UNIT_PERCENT] = "200% for two processors, or cpu-time=10m for seconds of each process",
};

static int unit_factor(enum unit unit, const char *suffix, uint64_t *ret)
{
	*ret = 1;
	if (!*suffix)
		return unit == UNIT_PERCENT ? -EINVAL : 0;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (suffixes[i].unit == unit && streq_fold(suffixes[i].text, suffix)) {
			*ret = suffixes[i].factor;
			return 0;
		}
	}
	return -EINVAL;
}

static int row_parse(const struct row *row, const char *value, uint64_t *ret)
{
	unsigned long long n;
	uint64_t factor;
	char *end;

	if (streq(value, "none")) {
		*ret = LIMIT_NONE;
		return 0;
	}
	errno = 0;
	n = strtoull(value, &end, 10);
	if (errno || end == value || *value < '0' || *value > '9' ||
	    unit_factor(row->unit, end, &factor) < 0 || n > (LIMIT_NONE - 1) / factor)
		return -EINVAL;
	*ret = n * factor;
	return 0;
}

static int unknown(const char *key, struct berm_err *err)
{
	_cleanup_buf_ struct buf names = BUF_INIT(1024);
	const char *near = NULL;
	unsigned best = 3;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned d = str_distance(key, rows[i].name, 2);

		if (rows[i].kind == LIMIT_CPU_TIME && streq(rows[i].name, "cpu"))
			continue;
		(void)buf_addf(&names, "%s%s", i ? ", " : "", rows[i].name);
		if (d < best) {
			best = d;
			near = rows[i].name;
		}
	}
	(void)err_set(err, -EINVAL, "there is no limit \"%s\"", key);
	if (near)
		err_fix(err, "did you mean \"%s\"?", near);
	else
		err_fix(err, "limits: %s", names.failed ? "see berm-run(1)" : names.data);
	return -EINVAL;
}

int limit_parse(const char *key, const char *value, enum limit_kind *ret_kind, uint64_t *ret_value,
		struct berm_err *err)
{
	const struct row *first = NULL;
	char least[32];
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];

		if (!streq(row->name, key))
			continue;
		if (!first)
			first = row;
		if (row_parse(row, value, &n) < 0)
			continue;
		if (n < row->least) {
			(void)err_set(err, -EINVAL, "limit %s: \"%s\" is too small", key, value);
			err_fix(err, "at least %s",
				limit_text(row->kind, row->least, least, sizeof(least)));
			return -EINVAL;
		}
		*ret_kind = row->kind;
		*ret_value = n;
		return 0;
	}
	if (!first)
		return unknown(key, err);
	(void)err_set(err, -EINVAL, "limit %s: \"%s\" is not a number", key, value);
	err_fix(err, "write %s=%s", key, examples[first->unit]);
	return -EINVAL;
}

static const struct row *row_of(enum limit_kind kind)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].kind == kind)
			return &rows[i];
	return NULL;
}

const char *limit_name(enum limit_kind kind)
{
	const struct row *row = row_of(kind);

	return row ? row->name : "unknown";
}

int limit_resource(enum limit_kind kind)
{
	const struct row *row = row_of(kind);

	return row ? row->resource : -1;
}

const char *limit_text(enum limit_kind kind, uint64_t value, char *dst, size_t size)
{
	const struct row *row = row_of(kind);
	const struct suffix *s = NULL;

	for (size_t i = 0; row && !s && value && i < ARRAY_SIZE(suffixes); i++)
		if (suffixes[i].unit == row->unit && value % suffixes[i].factor == 0)
			s = &suffixes[i];
	if (value == LIMIT_NONE)
		(void)snprintf(dst, size, "none");
	else
		(void)snprintf(dst, size, "%llu%s", (unsigned long long)value / (s ? s->factor : 1),
			       s ? s->text : "");
	return dst;
}

static void set(struct spec *s, enum limit_kind kind, uint64_t value)
{
	s->limits[kind] = (struct limit){ .by = LIMIT_BUILTIN,
					  .value = value,
					  .from = { .file = "built-in" } };
}

/* Processes and threads: enough for a build on every processor, and never all that the user
 * or the machine may have. */
static uint64_t usual_pids(void)
{
	struct rlimit nproc;
	uint64_t n = 4096;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && 256u * CPU_COUNT(&cpus) > n)
		n = 256u * (uint64_t)CPU_COUNT(&cpus);
	if (getrlimit(RLIMIT_NPROC, &nproc) == 0 && nproc.rlim_cur / 2 < n)
		n = nproc.rlim_cur / 2;
	return n < 64 ? 64 : n;
}

void limits_default(struct spec *s)
{
	struct rlimit files;
	struct sysinfo si;
	uint64_t ram;

	set(s, LIMIT_PIDS, usual_pids());
	if (getrlimit(RLIMIT_NOFILE, &files) == 0)
		set(s, LIMIT_FILES, files.rlim_max < 65536 ? files.rlim_max : 65536);
	if (sysinfo(&si) < 0)
		return;
	ram = (uint64_t)si.totalram * si.mem_unit;
	/* In whole MiB: it is shown to people. */
	set(s, LIMIT_MEMORY, (ram / 10 * 8) >> 20 << 20);
	/* What the kernel gives a tmpfs anyway. */
	set(s, LIMIT_DISK, (ram / 2) >> 20 << 20);
}
