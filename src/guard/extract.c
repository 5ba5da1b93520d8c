/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/extract.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"

struct words {
	const struct shell_part *part;
	const struct guard_place *place;
	struct guard_extract *out;
	bool moved, failed;
};

void guard_extract_free(struct guard_extract *e)
{
	strv_free(&e->paths);
	strv_free(&e->refs);
	free(e->hosts);
}

static bool one_of(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (streq(s, list[i]))
			return true;
	return false;
}

static const struct shell_word *word(const struct words *w, uint32_t i)
{
	return i < w->part->n_words ? &w->part->words[i] : NULL;
}

/* Is there one whose value is certain? */
static const char *text(const struct words *w, uint32_t i)
{
	const struct shell_word *s = word(w, i);

	return s && !s->why ? s->text : NULL;
}

bool guard_moves(const struct shell_part *part)
{
	static const char *const movers[] = { "cd", "pushd", "popd" };
	const char *program = shell_program(part);

	return !program || one_of(program, movers, ARRAY_SIZE(movers));
}

/* ---- paths -------------------------------------------------------------- */

static void add_path(struct words *w, const struct shell_word *s)
{
	_cleanup_free_ char *path = NULL;

	if (s->why || (w->moved && s->text[0] != '/')) {
		w->out->facts.paths.more = true;
		return;
	}
	path = path_join(w->place->cwd, s->text);
	if (!path || strv_add(&w->out->paths, path) < 0)
		w->failed = true;
}

/* Every operand of a program that takes away what it names. */
static void take_operands(struct words *w)
{
	bool options = true, deep = false;

	w->out->facts.paths.more = w->part->flags & SHELL_APPENDED;
	for (uint32_t i = 1; i < w->part->n_words; i++) {
		const struct shell_word *s = &w->part->words[i];

		if (options && !s->why && s->text[0] == '-' && s->text[1]) {
			options = !streq(s->text, "--");
			deep |= strpbrk(s->text, "rR") != NULL;
			continue;
		}
		add_path(w, s);
	}
	if (!deep && !w->out->facts.paths.more)
		w->out->facts.count = (int64_t)w->out->paths.n;
}

static bool in_roots(const struct guard_place *p, const char *path)
{
	static const char *const free_for_all[] = { "/dev/null", "/dev/stdout", "/dev/stderr",
						    "/dev/tty",	 "/dev/zero",	"/dev/full" };

	for (size_t i = 0; i < p->n_roots; i++)
		if (path_within(path, p->roots[i]))
			return true;
	/* The private places of a session. */
	return path_within(path, "/tmp") || path_within(path, "/dev/shm") ||
	       path_within(path, "/dev/fd") || one_of(path, free_for_all, ARRAY_SIZE(free_for_all));
}

static bool writes(uint8_t op)
{
	return op == SHELL_OUT || op == SHELL_CLOBBER || op == SHELL_APPEND || op == SHELL_INOUT ||
	       op == SHELL_BOTH || op == SHELL_BOTH_APPEND;
}

static void look_at_redirections(struct words *w)
{
	for (uint32_t i = 0; i < w->part->n_redirs; i++) {
		const struct shell_redir *r = &w->part->redirs[i];
		_cleanup_free_ char *path = NULL;

		if (!writes(r->op) || r->target.why || (w->moved && r->target.text[0] != '/'))
			continue;
		path = path_join(w->place->cwd, r->target.text);
		if (!path)
			w->failed = true;
		else if (!in_roots(w->place, path))
			w->out->writes_outside = true;
	}
}

/* ---- branches ----------------------------------------------------------- */

static const char *const git_values[] = {
	"-C",	       "-c",	       "--git-dir",	 "--work-tree",	  "--namespace",
	"--exec-path", "--config-env", "--super-prefix", "--attr-source", "--list-cmds"
};
static const char *const push_values[] = { "-o",     "--push-option", "--receive-pack",
					   "--exec", "--repo",	      "--recurse-submodules" };
/* What these push no refspec names. */
static const char *const push_more[] = { "--all",  "--branches",    "--mirror",
					 "--tags", "--follow-tags", "--prune" };

/* Index of git's sub-command, 0: it is not certain. */
static uint32_t git_verb(const struct words *w)
{
	for (uint32_t i = 1; i < w->part->n_words; i++) {
		const char *s = text(w, i);

		if (!s)
			return 0;
		if (s[0] != '-')
			return i;
		i += one_of(s, git_values, ARRAY_SIZE(git_values));
	}
	return 0;
}

static void add_ref(struct words *w, const char *spec)
{
	const char *colon = strrchr(spec, ':');
	const char *ref = colon ? colon + 1 : *spec == '+' ? spec + 1 : spec;

	if (str_starts(ref, "refs/heads/"))
		ref += strlen("refs/heads/");
	/* What these name only the repository knows. */
	if (!*ref || streq(ref, "HEAD") || streq(ref, "@") || strpbrk(ref, "*?[~^{"))
		w->out->facts.refs.more = true;
	else if (strv_add(&w->out->refs, ref) < 0)
		w->failed = true;
}

static void take_push(struct words *w, uint32_t verb)
{
	uint32_t operands = 0;
	bool options = true, repo = false;

	w->out->facts.refs.more = w->part->flags & SHELL_APPENDED;
	for (uint32_t i = verb + 1; i < w->part->n_words; i++) {
		const char *s = text(w, i);

		if (!s) {
			w->out->facts.refs.more = true;
			operands++;
		} else if (options && s[0] == '-') {
			options = !streq(s, "--");
			repo |= str_starts(s, "--repo");
			if (one_of(s, push_more, ARRAY_SIZE(push_more)))
				w->out->facts.refs.more = true;
			i += one_of(s, push_values, ARRAY_SIZE(push_values));
		} else if (operands++ || repo) {
			if (streq(s, "tag"))
				w->out->facts.refs.more = true;
			else
				add_ref(w, s);
		}
	}
	if (!w->out->refs.n)
		w->out->facts.refs.more = true;
}

/* ---- hosts -------------------------------------------------------------- */

static void add_host(struct words *w, const char *s, size_t len, uint16_t port)
{
	_cleanup_free_ char *copy = strndup(s, len);
	const char *at = copy ? strrchr(copy, '@') : NULL;
	struct guard_host h;
	struct guard_host *v;

	if (!copy) {
		w->failed = true;
		return;
	}
	if (host_port_parse(at ? at + 1 : copy, port, &h.host, &h.port, NULL) < 0) {
		w->out->facts.more_hosts = true;
		return;
	}
	v = reallocarray(w->out->hosts, w->out->n_hosts + 1, sizeof(*v));
	if (!v) {
		w->failed = true;
		return;
	}
	w->out->hosts = v;
	v[w->out->n_hosts++] = h;
}

static uint16_t scheme_port(const char *s, size_t len)
{
	static const struct {
		const char *name;
		uint16_t port;
	} schemes[] = { { "http", 80 },	 { "https", 443 }, { "ssh", 22 },  { "ftp", 21 },
			{ "git", 9418 }, { "ws", 80 },	   { "wss", 443 }, { "sftp", 22 } };

	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (strlen(schemes[i].name) == len && strncasecmp(schemes[i].name, s, len) == 0)
			return schemes[i].port;
	return 443;
}

/* Options that lead somewhere else than the URLs say, or read URLs from files. */
static bool leads_elsewhere(const char *program, const char *s)
{
	static const char *const curl[] = {
		"--config", "--proxy",	 "--preproxy",	  "--connect-to",	    "--resolve",
		"--socks",  "--doh-url", "--unix-socket", "--abstract-unix-socket", "--url"
	};
	static const char *const wget[] = { "--input-file", "--execute", "--config", "--base" };
	bool is_curl = streq(program, "curl");
	const char *const *list = is_curl ? curl : wget;
	size_t n = is_curl ? ARRAY_SIZE(curl) : ARRAY_SIZE(wget);

	if (s[0] != '-')
		return false;
	if (s[1] != '-')
		return strpbrk(s, is_curl ? "Kx" : "ieB") != NULL;
	for (size_t i = 0; i < n; i++)
		if (str_starts(s, list[i]))
			return true;
	return false;
}

static void take_urls(struct words *w, const char *program)
{
	bool bare = streq(program, "curl") || streq(program, "wget");

	w->out->facts.more_hosts = !bare || (w->part->flags & SHELL_APPENDED);
	for (uint32_t i = 1; i < w->part->n_words; i++) {
		const char *s = text(w, i), *sep = s ? strstr(s, "://") : NULL;

		if (!s) {
			w->out->facts.more_hosts = true;
		} else if (sep && s[0] != '-') {
			add_host(w, sep + 3, strcspn(sep + 3, "/?#\\"),
				 scheme_port(s, (size_t)(sep - s)));
		} else if (bare && s[0] != '-') {
			/* Also the value of an option: then one more is to be covered. */
			add_host(w, s, strcspn(s, "/?#\\"), 80);
		} else if (bare && leads_elsewhere(program, s)) {
			w->out->facts.more_hosts = true;
		}
	}
	if (!w->out->n_hosts)
		w->out->facts.more_hosts = true;
}

/* ---- all ---------------------------------------------------------------- */

int guard_extract(const struct shell_part *part, const struct guard_place *place, bool moved,
		  struct guard_extract *ret)
{
	static const char *const removers[] = { "rm", "rmdir", "unlink", "shred" };
	const char *program = shell_program(part);
	struct words w = { .part = part, .place = place, .out = ret, .moved = moved };
	uint32_t verb;

	*ret = (struct guard_extract){ .facts = GUARD_FACTS_NONE };
	ret->facts.command = part;
	look_at_redirections(&w);
	if (program && one_of(program, removers, ARRAY_SIZE(removers)))
		take_operands(&w);
	else if (program)
		take_urls(&w, program);
	verb = program && streq(program, "git") ? git_verb(&w) : 0;
	if (verb && streq(text(&w, verb), "push"))
		take_push(&w, verb);
	ret->facts.paths.v = (const char *const *)ret->paths.v;
	ret->facts.paths.n = ret->paths.n;
	ret->facts.refs.v = (const char *const *)ret->refs.v;
	ret->facts.refs.n = ret->refs.n;
	ret->facts.hosts = ret->hosts;
	ret->facts.n_hosts = ret->n_hosts;
	return w.failed ? -ENOMEM : 0;
}
