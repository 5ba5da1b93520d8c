# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# The environment is scrubbed: nothing injects code, no secret comes along (P4).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

inject='LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG_OUTPUT GLIBC_TUNABLES GCONV_PATH LOCPATH HOSTALIASES
RES_OPTIONS MALLOC_TRACE BASH_ENV ENV PROMPT_COMMAND PS4 SHELLOPTS BASHOPTS CDPATH ZDOTDIR NODE_OPTIONS NODE_PATH
NODE_EXTRA_CA_CERTS npm_config_script_shell NPM_CONFIG_USERCONFIG PYTHONPATH PYTHONSTARTUP PYTHONHOME
PYTHONINSPECT PYTHONBREAKPOINT PIP_CONFIG_FILE PERL5LIB PERL5OPT PERL5DB RUBYLIB RUBYOPT GEM_PATH
JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS DOTNET_STARTUP_HOOKS GOFLAGS RUSTC_WRAPPER
RUSTFLAGS CARGO_BUILD_RUSTC_WRAPPER LUA_INIT R_PROFILE PHPRC MAKEFLAGS GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND
GIT_ASKPASS SSH_ASKPASS GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_CONFIG_COUNT GIT_CONFIG_GLOBAL
GIT_CONFIG_PARAMETERS GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_TRACE
GIT_ALTERNATE_OBJECT_DIRECTORIES PAGER MANPAGER LESSOPEN LESSCLOSE EDITOR VISUAL BROWSER OPENSSL_CONF OPENSSL_MODULES
SSLKEYLOGFILE CURL_HOME WGETRC RIPGREP_CONFIG_PATH GREP_OPTIONS TERMINFO INPUTRC DISPLAY WAYLAND_DISPLAY XAUTHORITY
DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DOCKER_HOST CONTAINER_HOST
KUBECONFIG NOTIFY_SOCKET LISTEN_FDS TMUX STY'
secret='GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY MY_API_KEY
AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_CLIENT_SECRET GOOGLE_APPLICATION_CREDENTIALS
DATABASE_URL PGPASSWORD MYSQL_PWD REDISCLI_AUTH SENTRY_DSN SLACK_WEBHOOK_URL STRIPE_SECRET_KEY DB_PASSWORD
VAULT_TOKEN HF_TOKEN TWINE_PASSWORD CARGO_REGISTRY_TOKEN DOCKER_AUTH SIGNING_PRIVATE_KEY MY_CREDENTIALS
COMPOSER_AUTH KUBE_TOKEN ACTIONS_RUNTIME_TOKEN FOO_SECRET FOO_PASSWD'

# The lists themselves: each name, and one name for each glob.
data=$(dirname "$0")/../../data
listed()
{
	sed -e 's/#.*//' -e '/^@/d' -e 's/[*]/X/g' "$1" | tr -d ' \t' | grep -E '^[A-Za-z_][A-Za-z0-9_]*$'
}
inject="$inject $(listed "$data/env-scrub" | tr '\n' ' ')"
secret="$secret $(listed "$data/env-secret" | tr '\n' ' ')"

# One run answers for all names; the control is that the shell outside has them.
variables()
{
	local n
	T_ENV=()
	for n in $inject $secret SOME_UNKNOWN_VARIABLE; do
		T_ENV+=("$n=CANARY-$n")
	done
	T_ENV+=('BASH_FUNC_ls%%=() { echo CANARY-function; }' 'TZ=:/CANARY-tz' 'LC_ALL=C.UTF-8')
}

# Names and values, never run through a program that a variable could have bent.
show="env -0 | tr '\\0' '\\n'; for f in /proc/[0-9]*/environ; do tr '\\0' '\\n' <\$f 2>/dev/null; done"

look()
{
	local id=$1 text=$2 n
	shift 2
	wanted "$id" || return 0
	fresh
	variables
	# The variables must not bend berm's own start: a broken one would be no answer.
	run_in "$show" "$@"
	if [[ $OUT != *@ran* || $OUT != *PATH=* ]]; then
		t_fail "$id.ran" "$text: it ran" "exit $RC: ${OUT:0:500}"
		drop "$D"
		return
	fi
	for n in $inject; do
		t_check "$id.inject.$n" "$text: $n is gone" test "${OUT/$n=CANARY/}" = "$OUT"
	done
	for n in $secret; do
		t_check "$id.secret.$n" "$text: $n is gone" test "${OUT/$n=CANARY/}" = "$OUT"
	done
	t_check "$id.function" "$text: exported shell functions are gone" test "${OUT/CANARY-function/}" = "$OUT"
	t_check "$id.tz" "$text: TZ names no file" test "${OUT/CANARY-tz/}" = "$OUT"
	t_check "$id.unknown" "$text: an unknown variable does not come along" test "${OUT/SOME_UNKNOWN/}" = "$OUT"
	drop "$D"
}

if wanted env.control; then
	fresh
	variables
	run_bare "$show" 2>/dev/null
	t_check env.control 'bare, the variables are there' test "${OUT/CANARY-GITHUB_TOKEN/}" != "$OUT"
	drop "$D"
fi
look env.run 'berm run'

# Every backend starts from the same scrubbed environment, the open ones included.
for mode in '--backend none' '--sandbox off'; do
	wanted env.bare-backend || continue
	fresh
	variables
	# shellcheck disable=SC2086
	run_in env $mode
	for n in GITHUB_TOKEN AWS_SECRET_ACCESS_KEY NODE_OPTIONS GIT_SSH_COMMAND BASH_ENV DATABASE_URL; do
		if [[ $OUT == *@ran* ]]; then
			t_check "env.${mode// /}.$n" "$mode: $n is gone" test "${OUT/$n=CANARY/}" = "$OUT"
		else
			t_fail "env.${mode// /}.$n" "$mode: $n is gone" "it did not run: $OUT"
		fi
	done
	drop "$D"
done

# What the command line passes on, and what it may not.
if wanted env.pass; then
	fresh
	T_ENV=(GITHUB_TOKEN=CANARY-token SECRET_X=CANARY-x)
	run_in "$show" --env GITHUB_TOKEN --env 'GREETING=hello world' --env LD_PRELOAD=/tmp/x.so --env BASH_ENV=/tmp/x
	t_check env.pass.secret '--env GITHUB_TOKEN passes it on' test "${OUT/GITHUB_TOKEN=CANARY-token/}" != "$OUT"
	t_check env.pass.value '--env NAME=VALUE sets it' test "${OUT/GREETING=hello world/}" != "$OUT"
	t_check env.pass.preload '--env LD_PRELOAD=… is stripped or refused all the same' test "${OUT/LD_PRELOAD=/}" = "$OUT"
	t_check env.pass.bash-env '--env BASH_ENV=… as well' test "${OUT/BASH_ENV=/}" = "$OUT"
	T_ENV=(COLORTERM=yes)
	run_in "$show" --unset-env COLORTERM
	t_check env.pass.unset '--unset-env takes one away' test "${OUT/COLORTERM=/}" = "$OUT"
	T_ENV=("PATH=.:relative:$W/bin:/usr/local/bin:/usr/bin:/bin")
	mkdir "$W/bin"
	run_in 'echo "path=$PATH"'
	t_check env.pass.path 'PATH has no relative and no writable directory' \
		test "$(grep -c -e 'path=.*relative' -e 'path=\.' -e "path=.*$W/bin" <<<"$OUT")" = 0 -a "${OUT/path=/}" != "$OUT"
	T_ENV=()
	drop "$D"
fi

# The two files of the shells are not the host's.
attack env.bashrc 'a login shell inside reads no file of the host' setup='echo "echo CANARY-rc" >>$H/.bashrc; echo "echo CANARY-rc" >>$H/.profile' \
	do='bash -lc true; bash -ic true' harm=leaked

done_testing
