# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Shared memory, queues, semaphores and keys of the host (SPEC P1).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

B=$T_BASE/bin/attack
key=$((RANDOM * 32768 + RANDOM + 2))
name=berm-test-$RANDOM$RANDOM

id=$("$B" ipc hold-shm "$key" | head -1)
attack ipc.shm-id 'System V shared memory by its id' do="\$A ipc shm-by-id $id" harm=leaked errno='EINVAL|EACCES|EIDRM|ENOENT'
attack ipc.shm-key 'System V shared memory by its key' do="\$A ipc shm-by-key $key" harm=leaked errno='ENOENT|EACCES'
attack ipc.shm-list 'nor is it listed' do="ipcs -m; cat /proc/sysvipc/shm" harm="[[ \$OUT == *$key* || \$OUT == *$(printf %08x "$key")* ]]"
attack ipc.shm-remove 'nor removed' do="ipcrm -M $key; true" setup="$B ipc drop-shm $((key + 7)); $B ipc hold-shm $((key + 7)) || true" \
	harm="! $B ipc shm-by-key $key >/dev/null" control='none:it would be gone for the run'
"$B" ipc drop-shm "$key" >/dev/null
"$B" ipc drop-shm $((key + 7)) >/dev/null

"$B" ipc hold-sem "$key" >/dev/null
attack ipc.sem 'a System V semaphore' do="\$A ipc sem $key" harm=leaked errno='ENOENT|EACCES'
"$B" ipc drop-sem "$key" >/dev/null

attack ipc.msg 'a System V message queue' setup="$B ipc hold-msg $((key + 1)) || $B ipc msg $((key + 1)) || true; $B ipc drop-msg $((key + 1)); $B ipc hold-msg $((key + 1))" \
	do="\$A ipc msg $((key + 1))" harm=leaked errno='ENOENT|EACCES'
"$B" ipc drop-msg $((key + 1)) >/dev/null

attack ipc.mq 'a POSIX message queue' setup="$B ipc drop-mq /$name; $B ipc hold-mq /$name" \
	do="\$A ipc mq /$name" harm=leaked errno='ENOENT|EACCES|ENOSYS'
attack ipc.mq-unlink 'nor is it removed' setup="$B ipc drop-mq /$name; $B ipc hold-mq /$name" \
	do="\$A ipc drop-mq /$name" harm="! $B ipc mq /$name >/dev/null"
"$B" ipc drop-mq "/$name" >/dev/null

attack ipc.posix-shm 'POSIX shared memory' setup="$B ipc drop-posix-shm /$name; $B ipc hold-posix-shm /$name" \
	do="\$A ipc posix-shm /$name" harm=leaked errno='ENOENT|EACCES'
attack ipc.posix-shm-unlink 'nor is it removed' setup="$B ipc drop-posix-shm /$name; $B ipc hold-posix-shm /$name" \
	do="\$A ipc drop-posix-shm /$name" harm="! $B ipc posix-shm /$name >/dev/null"
"$B" ipc drop-posix-shm "/$name" >/dev/null

attack ipc.key-search "a key of the user's keyring" setup="$B ipc hold-key $name" \
	do="\$A ipc key-search $name" harm=leaked errno='EPERM|ENOSYS|EACCES|ENOKEY'
attack ipc.key-request 'the same by request_key' setup="$B ipc hold-key $name" \
	do="\$A ipc key-request $name" harm=leaked errno='EPERM|ENOSYS|EACCES|ENOKEY' control='none:needs a possessed keyring'
attack ipc.key-list 'nor is it listed' setup="$B ipc hold-key $name" do='cat /proc/keys /proc/key-users' harm="[[ \$OUT == *$name* ]]"
"$B" ipc drop-key "$name" >/dev/null
attack ipc.hostname "the host's name stays" do='hostname pwned-by-test; true' harm='[[ $(hostname) == pwned-by-test ]]' \
	control='none:the host would be renamed'

done_testing
