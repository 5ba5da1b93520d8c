# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Exec rules (SPEC F8): dangerous programs, --deny-exec, deny-writable in strict.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# Programs of the host that only serve to get more than one has; those that would end
# the machine are not tried.
if wanted exec.dangerous; then
	fresh
	script='' names=''
	while read -r p; do
		case $p in
		'' | '#'* | *'*'* | shutdown | reboot | halt | poweroff | init | telinit | kexec) continue ;;
		esac
		path=$(PATH=$T_PATH command -v "$p") || continue
		names+="$p "
		script+="$path --version </dev/null >/dev/null 2>&1; echo $p=\$?; "
	done <"$(dirname "$0")/../../data/dangerous-binaries"
	run_in "$script"
	for p in $names; do
		t_check "exec.dangerous.$p" "$p does not run" grep -qx "$p=126" <<<"$OUT"
	done
	t_check exec.dangerous-some "there were such programs" test -n "$names"
	drop "$D"
fi

while IFS='|' read -r id do; do
	attack "exec.deny.$id" "--deny-exec /usr/bin/id: $id" opts='--deny-exec /usr/bin/id' do="$do" \
		harm='[[ $OUT == *uid=* || $OUT == *"no such user"* ]]'
done <<'LIST'
plain|/usr/bin/id
by-name|id
other-spelling|/usr/bin/../bin/id
bin-link|/bin/id
env|env id
symlink|ln -s /usr/bin/id x; ./x
sh-exec|exec id
python|/usr/bin/python3 -c 'import os; os.execv("/usr/bin/id", ["id"])'
fexecve|/usr/bin/python3 -c 'import os; os.execve(os.open("/usr/bin/id", os.O_RDONLY), ["id"], {})'
fexecve-opath|/usr/bin/python3 -c 'import os; os.execve(os.open("/usr/bin/id", os.O_PATH), ["id"], {})'
proc-fd|/usr/bin/python3 -c 'import os; fd = os.open("/usr/bin/id", os.O_PATH); os.set_inheritable(fd, True); os.execv("/proc/self/fd/%d" % fd, ["id"])'
ld-so|/lib64/ld-linux-x86-64.so.2 /usr/bin/id
xargs|echo | xargs id
shebang|printf '#!/usr/bin/id\n' >s; chmod +x s; ./s
LIST

# Profile strict: nothing that lies in a writable place is executed.
while IFS='|' read -r id do; do
	attack "exec.writable.$id" "--profile strict: $id" opts='--profile strict' do="$do" harm='[[ $OUT == *uid=* || $OUT == *INSIDE* ]]'
done <<'LIST'
copy|cp /usr/bin/id x; ./x
copy-tmp|cp /usr/bin/id ${TMPDIR:-/tmp}/x; ${TMPDIR:-/tmp}/x; rm -f ${TMPDIR:-/tmp}/x
copy-home|mkdir -p $HOME/x; cp /usr/bin/id $HOME/x/; $HOME/x/id
copy-shm|cp /usr/bin/id /dev/shm/x$$; /dev/shm/x$$; rm -f /dev/shm/x$$
script|printf '#!/bin/sh\necho INSIDE\n' >s; chmod +x s; ./s
ld-so|cp /usr/bin/id x; /lib64/ld-linux-x86-64.so.2 ./x
ld-so-absolute|cp /usr/bin/id x; /lib64/ld-linux-x86-64.so.2 $W/x
compiled|printf '#include <stdio.h>\nint main(void) { puts("INSIDE"); }\n' >m.c; cc -o m m.c; ./m
library|printf '#include <stdio.h>\n__attribute__((constructor)) void f(void) { puts("INSIDE"); }\n' >l.c; cc -shared -fPIC -o l.so l.c; LD_PRELOAD=./l.so /bin/true
dlopen|printf '#include <stdio.h>\n__attribute__((constructor)) void f(void) { puts("INSIDE"); }\n' >l.c; cc -shared -fPIC -o l.so l.c; /usr/bin/python3 -c 'import ctypes; ctypes.CDLL("./l.so")'
memfd|/usr/bin/python3 -c 'import os; fd = os.memfd_create("x", 0); os.write(fd, open("/usr/bin/id", "rb").read()); os.execve(fd, ["id"], {})'
memfd-proc|/usr/bin/python3 -c 'import os; fd = os.memfd_create("x", 0); os.write(fd, open("/usr/bin/id", "rb").read()); os.execv("/proc/self/fd/%d" % fd, ["id"])'
symlink|cp /usr/bin/id x; ln -s x y; ./y
hidden-by-mv|cp /usr/bin/id x; mv x README.md; ./README.md
fexecve|cp /usr/bin/id x; /usr/bin/python3 -c 'import os; os.execve(os.open("x", os.O_RDONLY), ["id"], {})'
there-already|./tools/attack list | head -1 | grep -q make && echo INSIDE
LIST
attack exec.env-bin 'a program in a writable directory of PATH is not taken for one of the system' \
	setup='mkdir bin; printf "#!/bin/sh\necho INSIDE\n" >bin/true; chmod +x bin/true' env='PATH=$W/bin:$T_PATH' \
	do='env true' harm='[[ $OUT == *INSIDE* ]]'

done_testing
