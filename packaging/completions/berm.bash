# SPDX-License-Identifier: Apache-2.0
# bash completion for berm
# shellcheck shell=bash

# shellcheck disable=SC2207 # words without spaces only
_berm() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local verbs='run shell start exec attach ls suspend resume stop why explain trust init profiles doctor audit check sandbox rules import export add-dir exclude learn'
	local policy='--workspace --mode --profile --policy --settings --allow-read --deny-read --allow-write
		--deny-write --ask --allow-exec --deny-exec --unprotect --root --home --net
		--allow-domain --deny-domain --ask-domain --publish --host-port --allow-unix-socket
		--no-proxy-env --tier --env --unset-env --limit --help'
	local run='--backend --sandbox --approver --events --control --raw-terminal --quiet --verbose'
	local rules='--user --local --pattern --path --ref --host --command --max-count --max-cents
		--enforcement --expires --why --anywhere'
	local sandbox='--mode --fallback --exclude --include --json'
	local verb=${COMP_WORDS[1]} i first=0

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$verbs --help --version" -- "$cur"))
		return
	fi
	# bash splits --name=value at "=": the option is two words back
	if [ "$prev" = = ]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	elif [ "$cur" = = ]; then
		cur=''
	fi
	if [ "$verb:$prev" = sandbox:--mode ]; then
		COMPREPLY=($(compgen -W 'disabled regular auto-allow' -- "$cur"))
		return
	fi
	case $prev in
	-w | --workspace) COMPREPLY=($(compgen -d -- "$cur")) && compopt -o filenames && return ;;
	-m | --mode) COMPREPLY=($(compgen -W 'chat plan review orchestrate' -- "$cur")) && return ;;
	--profile) COMPREPLY=($(compgen -W 'agent strict terminal' -- "$cur")) && return ;;
	--settings) COMPREPLY=($(compgen -W 'claude srt codex' -- "$cur")) && return ;;
	--fallback) COMPREPLY=($(compgen -W 'strict unsandboxed' -- "$cur")) && return ;;
	--root) COMPREPLY=($(compgen -W 'system host' -- "$cur")) && return ;;
	--home) COMPREPLY=($(compgen -W 'private host empty' -- "$cur")) && return ;;
	--tier) COMPREPLY=($(compgen -W 'landlock' -- "$cur")) && return ;;
	--net) COMPREPLY=($(compgen -W 'allow off open' -- "$cur")) && return ;;
	--backend) COMPREPLY=($(compgen -W 'auto native microvm none' -- "$cur")) && return ;;
	--apparmor) COMPREPLY=($(compgen -W 'print install' -- "$cur")) && return ;;
	--target) COMPREPLY=($(compgen -W 'linux' -- "$cur")) && return ;;
	--sandbox) COMPREPLY=($(compgen -W 'on off' -- "$cur")) && return ;;
	--approver) COMPREPLY=($(compgen -W 'auto tty stdio none mailbox: socket: fd:' -- "$cur")) && return ;;
	--allow-unix-socket) compopt -o default && return ;;
	--limit) COMPREPLY=($(compgen -W 'memory= pids= cpu= time= files= disk= cpu-time= fsize=' -- "$cur")) && compopt -o nospace && return ;;
	--env | --unset-env) COMPREPLY=($(compgen -e -- "$cur")) && return ;;
	esac
	if [ "$verb" = run ] || [ "$verb" = learn ]; then
		# behind "--" the words are another command's
		for ((i = 2; i < COMP_CWORD; i++)); do
			[ "${COMP_WORDS[i]}" = -- ] && first=$((i + 1)) && break
		done
		if [ "$first" -gt 0 ]; then
			if [ "$first" -eq "$COMP_CWORD" ]; then
				COMPREPLY=($(compgen -c -- "$cur"))
			else
				compopt -o default
			fi
			return
		fi
	fi
	if [ "$verb" = exec ] || [ "$verb" = attach ] || [ "$verb" = suspend ] || [ "$verb" = resume ] || [ "$verb" = stop ]; then
		first=2
		while [ "$first" -lt "$COMP_CWORD" ] && [[ ${COMP_WORDS[first]} == -* ]]; do
			first=$((first + 1))
		done
		if [[ $cur != -* ]]; then
			if [ "$verb" != exec ] && [ "$verb" != attach ] || [ "$first" -eq "$COMP_CWORD" ]; then
				COMPREPLY=($(compgen -W "$(berm ls -q 2>/dev/null)" -- "$cur"))
			elif [ $((first + 1)) -eq "$COMP_CWORD" ] || [ "$prev" = -- ]; then
				COMPREPLY=($(compgen -c -- "$cur"))
			else
				compopt -o default
			fi
			return
		fi
	fi
	case $verb:$cur in
	start:-*) COMPREPLY=($(compgen -W "$policy --name --keep --owner --events --approver --control --quiet --verbose" -- "$cur")) ;;
	attach:-*) COMPREPLY=($(compgen -W '--terminal --read-only --detached --help' -- "$cur")) ;;
	exec:-*) COMPREPLY=($(compgen -W '--workdir --env --help' -- "$cur")) ;;
	ls:-*) COMPREPLY=($(compgen -W '--json --quiet --help' -- "$cur")) ;;
	suspend:-* | resume:-*) COMPREPLY=($(compgen -W '--help' -- "$cur")) ;;
	stop:-*) COMPREPLY=($(compgen -W '--grace --now --all --help' -- "$cur")) ;;
	run:-* | shell:-*) COMPREPLY=($(compgen -W "$policy $run" -- "$cur")) ;;
	learn:-*) COMPREPLY=($(compgen -W "$policy --write --rounds --yes --all --in-place --json" -- "$cur")) ;;
	check:-*) COMPREPLY=($(compgen -W "$policy --shell --unsandboxed --no-approver --audit --json" -- "$cur")) ;;
	sandbox:-*) COMPREPLY=($(compgen -W "$sandbox --settings --policy --profile --help" -- "$cur")) ;;
	rules:-*) COMPREPLY=($(compgen -W "$policy $rules --json" -- "$cur")) ;;
	why:-*) COMPREPLY=($(compgen -W "$policy --json" -- "$cur")) ;;
	explain:-*) COMPREPLY=($(compgen -W "$policy --json --target --coverage" -- "$cur")) ;;
	trust:-*) COMPREPLY=($(compgen -W '--settings --list --revoke --yes --json --help' -- "$cur")) ;;
	import:-*) COMPREPLY=($(compgen -W '--output --help' -- "$cur")) ;;
	export:-*) COMPREPLY=($(compgen -W "$policy" -- "$cur")) ;;
	add-dir:-* | exclude:-*) COMPREPLY=($(compgen -W '--help' -- "$cur")) ;;
	init:-*) COMPREPLY=($(compgen -W '--user --local --help' -- "$cur")) ;;
	audit:-*) COMPREPLY=($(compgen -W '--last --session --event --head --json --help' -- "$cur")) ;;
	doctor:-*) COMPREPLY=($(compgen -W '--json --last --apparmor --profile --policy --tier --help' -- "$cur")) ;;
	profiles:-*) COMPREPLY=($(compgen -W '--json --help' -- "$cur")) ;;
	run:* | learn:*) COMPREPLY=($(compgen -c -- "$cur")) ;;
	why:*)
		if [ "$COMP_CWORD" -eq 2 ]; then
			COMPREPLY=($(compgen -W 'read write create delete exec connect' -- "$cur"))
		else
			compopt -o default
		fi
		;;
	check:*) COMPREPLY=($(compgen -c -- "$cur")) ;;
	sandbox:*) COMPREPLY=($(compgen -W 'status' -- "$cur")) ;;
	rules:*) COMPREPLY=($(compgen -W 'list add rm test allow ask deny' -- "$cur")) ;;
	import:*)
		if [ "$COMP_CWORD" -eq 2 ]; then
			COMPREPLY=($(compgen -W 'claude srt codex' -- "$cur"))
		else
			compopt -o default
		fi
		;;
	export:*) COMPREPLY=($(compgen -W 'claude srt codex bwrap' -- "$cur")) ;;
	add-dir:*) COMPREPLY=($(compgen -d -- "$cur")) && compopt -o filenames ;;
	audit:*) COMPREPLY=($(compgen -W 'show verify export' -- "$cur")) ;;
	*) compopt -o default ;;
	esac
}
complete -F _berm berm
