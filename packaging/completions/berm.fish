# SPDX-License-Identifier: Apache-2.0
# fish completion for berm

set -l verbs run why explain trust init profiles
set -l policy 'run why explain'

complete -c berm -n "not __fish_seen_subcommand_from $verbs" -f
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -l help -d 'List the verbs'
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -l version -d 'Print the version'
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -a run -d 'Run a command inside the sandbox'
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -a why -d 'Say whether a file or a host is allowed'
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -a explain -d 'Print the policy in force'
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -a trust -d 'Trust a project\'s policy file'
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -a init -d 'Write a first policy file'
complete -c berm -n "not __fish_seen_subcommand_from $verbs" -a profiles -d 'List the profiles'

complete -c berm -n "__fish_seen_subcommand_from $policy" -s w -l workspace -x -a '(__fish_complete_directories)' -d 'Writable root'
complete -c berm -n "__fish_seen_subcommand_from $policy" -s m -l mode -x -a 'chat plan review orchestrate' -d 'Mode'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l profile -x -a 'agent strict terminal' -d 'Profile'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l policy -r -d 'One more policy file'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l allow-read -r -d 'Show a path'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l deny-read -r -d 'Hide a path'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l allow-write -r -d 'Make a path writable'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l deny-write -r -d 'Keep a path from being changed'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l ask -r -d 'Ask before a path is used'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l allow-exec -r -d 'Let a program be executed'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l deny-exec -r -d 'Keep a program from being executed'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l unprotect -x -d 'Lift a built-in protection'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l root -x -a 'system host' -d 'View of the system'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l home -x -a 'private host empty' -d 'View of the home directory'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l net -x -a 'allow off open' -d Network
complete -c berm -n "__fish_seen_subcommand_from $policy" -l allow-domain -x -d 'Reach a host'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l deny-domain -x -d 'Refuse a host'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l ask-domain -x -d 'Ask before a host is reached'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l publish -x -d 'Lead a port of the host inside'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l host-port -x -d 'Lead the command to a port of the host'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l allow-unix-socket -r -d 'Show a unix socket of the host'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l no-proxy-env -d 'Do not set HTTP_PROXY and its kind'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l env -x -a '(set -nx)' -d 'Pass or set a variable'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l unset-env -x -a '(set -nx)' -d 'Leave a variable out'
complete -c berm -n "__fish_seen_subcommand_from $policy" -l limit -x -a 'cpu= files= fsize=' -d 'Limit a resource'
complete -c berm -n "__fish_seen_subcommand_from $verbs" -l help -d 'List the options'

complete -c berm -n '__fish_seen_subcommand_from run' -l backend -x -a 'auto native microvm none' -d Mechanism
complete -c berm -n '__fish_seen_subcommand_from run' -l sandbox -x -a 'on off' -d 'Turn the sandbox on or off'
complete -c berm -n '__fish_seen_subcommand_from run' -l approver -x -a 'auto tty stdio none mailbox: socket: fd:' -d 'Who answers asks'
complete -c berm -n '__fish_seen_subcommand_from run' -l events -r -d 'Append events there'
complete -c berm -n '__fish_seen_subcommand_from run' -l control -x -d 'Take rules about hosts there'
complete -c berm -n '__fish_seen_subcommand_from run' -s q -l quiet -d 'No notes, no summary'
complete -c berm -n '__fish_seen_subcommand_from run' -s v -l verbose -d 'Say what is in force'
complete -c berm -n '__fish_seen_subcommand_from why explain trust profiles' -l json -d 'Print it for machines'
complete -c berm -n '__fish_seen_subcommand_from explain' -l target -x -a linux -d Mechanism
complete -c berm -n '__fish_seen_subcommand_from why' -a 'read write create delete exec connect'
complete -c berm -n '__fish_seen_subcommand_from trust' -l list -d 'List what is trusted'
complete -c berm -n '__fish_seen_subcommand_from trust' -l revoke -d 'Trust no longer'
complete -c berm -n '__fish_seen_subcommand_from trust' -l yes -d 'Do not ask'
complete -c berm -n '__fish_seen_subcommand_from init' -l user -d 'Write your own file'
complete -c berm -n '__fish_seen_subcommand_from init' -l local -d 'Write the local file'
