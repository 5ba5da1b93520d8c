# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Many at once: processes in a run, runs in a workspace, runs on a machine.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

rows parallel <<'LIST'
xargs|xargs -P 8 creates and removes|mkdir d; seq 1 400 ¦ xargs -P 8 -I{} sh -c 'echo {} >d/{}; mv d/{} d/m{}; ln -s m{} d/l{}'; ls d ¦ wc -l; rm -r d|
git|git in four clones at once|for i in 1 2 3 4; do (git clone -q . c$i; cd c$i; for j in 1 2 3; do echo $j >f; git add f; git commit -q -m $j; done; git gc -q) & done; wait; for i in 1 2 3 4; do git -C c$i log --oneline ¦ wc -l; done; rm -rf c?|
forks|three hundred processes|for i in $(seq 1 300); do (: >f$i) & done; wait; ls f* ¦ wc -l|
same-dir|eight loops in one directory|for i in 1 2 3 4 5 6 7 8; do (for j in $(seq 1 40); do mkdir x 2>/dev/null; : >x/$i 2>/dev/null; rm -rf x; done) 2>/dev/null & done; wait; rm -rf x; ls|
make|make -j8|for i in $(seq 1 12); do echo "int f$i(void) { return $i; }" >f$i.c; done; printf 'all: $(patsubst %%.c,%%.o,$(wildcard f*.c))\n' >Makefile; make -s -j8; ls *.o ¦ wc -l|
LIST

if wanted parallel.starts; then
	fresh
	bad=0
	for _ in {1..200}; do
		(cd "$W" && HOME=$H "$BERM" run -q -w "$W" -- true) >"$D/out" 2>&1 || {
			bad=$((bad + 1))
			cp "$D/out" "$D/why"
		}
	done
	t_is parallel.starts '200 starts, one after the other' "$bad $(cat "$D/why" 2>/dev/null)" '0 '
	drop "$D"
fi
if wanted parallel.runs; then
	fresh
	for i in {1..20}; do
		(cd "$W" && HOME=$H "$BERM" run -q -w "$W" -- sh -c "echo $i >p$i; (echo x >.env) 2>/dev/null; sleep 0.3; mv p$i q$i; exit $i" >"$D/out.$i" 2>&1
		echo $? >"$D/rc.$i") &
	done
	wait
	got=''
	for i in {1..20}; do
		got+="$(cat "$D/rc.$i") $(cat "$W/q$i") "
	done
	want=''
	for i in {1..20}; do
		want+="$i $i "
	done
	t_is parallel.runs '20 runs at once in one workspace' "$got" "$want"
	t_check parallel.runs-hold 'and each keeps its protections' test ! -e "$W/.env"
	drop "$D"
fi
if wanted parallel.one-ends; then
	fresh
	(cd "$W" && HOME=$H "$BERM" run -q -w "$W" -- sh -c 'sleep 0.6; (echo x >.env) 2>/dev/null; mkdir .claude 2>/dev/null; echo x >.claude/settings.json; echo late >ok' >"$D/out" 2>&1) &
	sleep 0.2
	(cd "$W" && HOME=$H "$BERM" run -q -w "$W" -- true)
	wait
	t_is parallel.one-ends 'one run ends, the other is still protected' "$(cat "$W/ok") $([[ -e $W/.env || -e $W/.claude/settings.json ]] && echo open)" 'late '
	drop "$D"
fi
if wanted parallel.with-host; then
	# the host works in the same tree meanwhile
	fresh
	(cd "$W" && HOME=$H "$BERM" run -q -w "$W" -- sh -c 'i=0; while [ $i -lt 60 ]; do echo $i >f$i && mv f$i g$i && cat g$i >/dev/null && rm g$i || exit 1; i=$((i+1)); done; git status >/dev/null' >"$D/out" 2>&1; echo $? >"$D/rc") &
	for i in {1..60}; do
		echo "$i" >"$W/host$i"
		mv "$W/host$i" "$W/host"
		mkdir -p "$W/a/b" && rm -r "$W/a"
	done
	host_git "$W" status >/dev/null
	wait
	t_is parallel.with-host 'the host works in the same tree meanwhile' "$(cat "$D/rc") $(cat "$W/host") $(cat "$D/out")" '0 60 '
	drop "$D"
fi

if wanted parallel.makes-above; then
	# as npm does: threads make the same missing directory, each tries its own below it first
	fresh
	out=$(cd "$W" && HOME=$H "$BERM" run -q -w "$W" -- /usr/bin/python3 -c '
import concurrent.futures, os, shutil
def make(path):
    try:
        os.mkdir(path)
    except FileNotFoundError:
        try:
            os.mkdir(os.path.dirname(path))
        except FileExistsError:
            pass
        os.mkdir(path)
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    for turn in range(200):
        list(pool.map(make, [f"new/{i}" for i in range(16)]))
        shutil.rmtree("new")
print("made")' 2>&1)
	t_is parallel.makes-above 'threads make the same missing directory' "$out" made
	drop "$D"
fi

done_testing
