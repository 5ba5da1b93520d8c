#compdef berm
# SPDX-License-Identifier: Apache-2.0
# zsh completion for berm; install as _berm in a directory of $fpath

_berm() {
	local -a verbs policy run
	verbs=(
		'run:run a command inside the sandbox'
		'shell:start your shell inside the sandbox'
		'start:begin a session that runs commands later'
		'exec:run a command in a session'
		'attach:a terminal of a session that goes on when nobody looks'
		'ls:list the sessions'
		'suspend:stop everything in a session for a while'
		'resume:let it go on'
		'stop:end a session and everything in it'
		'why:say whether a file or a host is allowed, and by which rule'
		'explain:print the policy in force, its origins, and what will be done'
		"trust:let a project's own policy file loosen what you have"
		"import:print the policy that another tool's settings say"
		"export:print the policy as another tool's settings"
		'add-dir:make a directory writable for this project'
		'exclude:let a command leave the sandbox'
		'init:write a first policy file for this project'
		'learn:propose the smallest policy under which a command works'
		'check:say whether a command is allowed, and by which rule'
		'sandbox:see and set whether commands run in the sandbox'
		'rules:list, write or try the rules on commands and their effects'
		'profiles:list the built-in profiles'
		'doctor:try the sandbox on this host, and say what to do'
		'audit:show, verify or export the log of decisions'
	)
	policy=(
		'*'{-w,--workspace}'[writable root]:directory:_directories'
		'(-m --mode)'{-m,--mode}'[mode]:mode:(chat plan review orchestrate)'
		'--profile[profile]:profile:(agent strict terminal)'
		'--policy[one more policy file]:file:_files'
		'*--settings[settings of another tool]:kind:(claude srt codex)'
		'*--allow-read[show a path]:path:_files'
		'*--deny-read[hide a path]:path:_files'
		'*--allow-write[make a path writable]:path:_files'
		'*--deny-write[keep a path from being changed]:path:_files'
		'*--ask[ask before a path is used]:path:_files'
		'*--allow-exec[let a program be executed]:path:_files'
		'*--deny-exec[keep a program from being executed]:path:_files'
		'*--unprotect[lift a built-in protection]:name:'
		'--root[view of the system]:view:(system host)'
		'--home[view of the home directory]:view:(private host empty)'
		'--net[network]:network:(allow off open)'
		'*--allow-domain[reach a host]:host:_hosts'
		'*--deny-domain[refuse a host]:host:_hosts'
		'*--ask-domain[ask before a host is reached]:host:_hosts'
		'*--publish[lead a port of the host inside]:port:'
		'*--host-port[lead the command to a port of the host]:port:'
		'*--allow-unix-socket[show a unix socket of the host]:socket:_files'
		'--no-proxy-env[do not set HTTP_PROXY and its kind]'
		'--tier[weakest sandbox that is taken]:tier:(landlock)'
		'*--env[pass or set a variable]:variable:_parameters -g "*export*"'
		'*--unset-env[leave a variable out]:variable:_parameters -g "*export*"'
		'*--limit[limit a resource]:limit:(memory= pids= cpu= time= files= disk= cpu-time= fsize=)'
		'(- *)--help[list the options]'
	)
	run=(
		'--backend[mechanism]:backend:(auto native microvm none)'
		'--sandbox[turn the sandbox on or off]:switch:(on off)'
		'--approver[who answers asks]:approver:(auto tty stdio none mailbox\: socket\: fd\:)'
		'--events[append events there]:file:_files'
		'--control[take rules about hosts there]:descriptor:'
		'--raw-terminal[nothing is kept from your terminal]'
		'(-q --quiet)'{-q,--quiet}'[no notes, no summary]'
		'(-v --verbose)'{-v,--verbose}'[say what is in force]'
	)
	if ((CURRENT == 2)); then
		_describe -t verbs verb verbs
		return
	fi
	local verb=$words[2]
	shift words
	((CURRENT--))
	case $verb in
	run) _arguments -s -S $policy $run '(-):command:_command_names -e' '*::argument:_normal' ;;
	learn) _arguments -s -S $policy '--write[put it into the local settings]' '--rounds[at most so many runs]:number:' '(-y --yes)'{-y,--yes}'[open files without asking]' \
		'--all[also what it works without]' '--in-place[let it change the workspace]' '--json[for machines]' '(-):command:_command_names -e' '*::argument:_normal' ;;
	shell) _arguments -s -S $policy $run '*::argument:_files' ;;
	check) _arguments -s -S $policy '--shell[a line of sh or bash]:line:' '--unsandboxed[the call asks to run outside]' \
		'--no-approver[nobody can be asked]' '--audit[record the answer]' '--json[for machines]' '(-):command:_command_names -e' '*::argument:_normal' ;;
	sandbox) _arguments -s -S '--mode[how commands are held]:mode:(disabled regular auto-allow)' \
		'--fallback[a call that asks to run outside]:what:(strict unsandboxed)' '*--exclude[let commands leave]:pattern:' \
		'*--include[take a pattern out again]:pattern:' '*--settings[settings of another tool]:kind:(claude srt codex)' \
		'--policy[one more policy file]:file:_files' '--json[for machines]' '--help[list the options]' '1:what:(status)' ;;
	rules) _arguments -s -S $policy '--user[in your own policy.json]' "--local[in this project's local file]" \
		'--pattern[the subject is a pattern]' '*--path[only for these paths]:glob:_files' '*--ref[only for these branches]:glob:' \
		'*--host[only for these hosts]:host:' '*--command[only for commands that begin so]:words:' \
		'--max-count[up to so many]:number:' '--max-cents[up to so many]:number:' \
		'--enforcement[kind]:kind:(hard soft advisory)' '--expires[when it is over]:when:' '--why[shown with the decision]:text:' \
		'--anywhere[no stronger layer lifts it]' '--json[for machines]' '1:what:(list add rm test)' ;;
	start) _arguments -s -S $policy '--name[what it is called]:name:' '--keep[it stays when its owner ends]' '--owner[it ends with that process]:process:_pids' ${(M)run:#*--(events|approver|control|quiet|verbose)*} ;;
	attach) _arguments -s -S '(-t --terminal)'{-t,--terminal}'[another terminal]:name:' '(-r --read-only)'{-r,--read-only}'[only look]' '(-d --detached)'{-d,--detached}'[start the command, and do not look]' '--help[list the options]' ':session:($(berm ls -q 2>/dev/null))' '(-):command:_command_names -e' '*::argument:_normal' ;;
	exec) _arguments -s -S '(-C --workdir)'{-C,--workdir}'[run it there]:directory:_directories' '*--env[pass or set a variable]:variable:_parameters -g "*export*"' '--help[list the options]' ':session:($(berm ls -q 2>/dev/null))' '(-):command:_command_names -e' '*::argument:_normal' ;;
	ls) _arguments -s -S '--json[for machines]' '(-q --quiet)'{-q,--quiet}'[names only]' '--help[list the options]' ;;
	suspend | resume) _arguments -s -S '--help[list the options]' '*:session:($(berm ls -q 2>/dev/null))' ;;
	stop) _arguments -s -S '--grace[seconds before it is killed]:seconds:' '--now[kill at once]' '--all[all sessions]' '--help[list the options]' '*:session:($(berm ls -q 2>/dev/null))' ;;
	why) _arguments -s -S $policy '--json[for machines]' ':action:(read write create delete exec connect)' ':path:_files' ;;
	explain) _arguments -s -S $policy '--json[for machines]' '--target[mechanism]:mechanism:(linux)' '--coverage[keys of other settings]' ':kind:(claude srt codex)' ;;
	trust) _arguments -s -S '--settings[files of another tool]:kind:(claude codex)' '--list[list what is trusted]' '--revoke[trust no longer]' '--yes[do not ask]' '--json[for machines]' '--help[list the options]' ':directory:_directories' ;;
	import) _arguments -s -S '(-o --output)'{-o,--output}'[write it there]:file:_files' '--help[list the options]' ':kind:(claude srt codex)' ':file:_files' ;;
	export) _arguments -s -S $policy ':tool:(claude srt codex bwrap)' ;;
	add-dir) _arguments -s -S '--help[a short help]' ':directory:_directories' ;;
	exclude) _arguments -s -S '--help[a short help]' ':pattern:' ;;
	init) _arguments -s -S '--user[write your own file]' '--local[write the local file]' '--help[list the options]' ':directory:_directories' ;;
	audit) _arguments -s -S '--last[only the newest]:number:' '--session[of this session]:id:' '--event[of this kind]:event:' \
		'--head[a hash kept elsewhere]:hash:' '--json[for machines]' '--help[list the options]' '1:what:(show verify export)' ;;
	doctor) _arguments -s -S '--json[for machines]' '--last[why the last run did not start]' '--apparmor[the AppArmor profile]:what:(print install)' \
		'--profile[profile]:profile:(agent strict terminal)' '--policy[one more policy file]:file:_files' '--tier[weakest sandbox that is taken]:tier:(landlock)' '--help[list the options]' ;;
	profiles) _arguments -s -S '--json[for machines]' '--help[list the options]' ;;
	esac
}

_berm "$@"
