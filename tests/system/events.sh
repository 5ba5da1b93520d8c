# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Events: one JSON object a line, in order, complete, bounded (SPEC S5 to S7).
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

check=$T_BASE/check-events.py
cat >"$check" <<'PY'
# check-events.py FILE: reads strictly; prints a summary of what is there.
import json, re, sys
def once(pairs):
    keys = [k for k, _ in pairs]
    assert len(keys) == len(set(keys)), "a member twice: %s" % keys
    return dict(pairs)
seq, session, kinds, total = 0, None, [], 0
data = open(sys.argv[1], "rb").read()
assert data == b"" or data.endswith(b"\n"), "the last line is not whole"
for line in data.splitlines():
    e = json.loads(line.decode("utf-8", "strict"), object_pairs_hook=once)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["t"]), e["t"]
    assert e["seq"] == seq + 1, "a gap after %d" % seq
    seq, session = e["seq"], session or e["session"]
    assert e["session"] == session
    kinds.append(e["event"])
    if e["event"] == "violation":
        total += e["count"]
        for k in ("action", "target", "pid", "exe", "syscall", "rule", "origin", "grant", "count"):
            assert k in e, k
        print("violation", e["action"], e["target"].rsplit("/", 1)[-1], e["exe"].rsplit("/", 1)[-1], e["syscall"], "pid" if e["pid"] > 1 else "", "rule" if e["rule"] else "")
    if e["event"] == "exit":
        print("exit", e.get("exit_code", e.get("signal")))
print("kinds", *[k for i, k in enumerate(kinds) if i == 0 or kinds[i - 1] != k])
print("denials", total)
PY

seen()
{
	/usr/bin/python3 "$check" "$EV" 2>&1
}

fresh
run_in 'true'
t_is events.plain 'a run without denials' "$(seen)" $'exit 0\nkinds starting ready exit\ndenials 0'
run_in 'exit 7'
t_is events.exit 'the exit status' "$(seen | head -1)" 'exit 7'
run_words -- sh -c 'kill -TERM $$'
t_check events.signal 'a signal' grep -qE 'exit (15|SIGTERM|TERM)' <(seen)
run_words -- no-such-command
t_check events.not-found 'a command that is not there' grep -qE '^exit (127|None)' <(seen)
run_in 'touch .env'
t_is events.violation 'a violation has all members' "$(seen)" \
	$'violation file-create .env touch openat pid rule\nexit 1\nkinds starting ready violation exit\ndenials 1'
t_check events.origin 'its rule says where it was written' grep -q '"origin":"[^"]*secret-names:[0-9]' "$EV"
t_check events.grant 'and what would allow it' grep -q '"grant":"--allow-write [^"]*\.env"' "$EV"
t0=$SECONDS
run_in 'i=0; while [ $i -lt 400 ]; do (: >.env) 2>/dev/null; i=$((i+1)); done; true'
t_check events.storm "a storm of 400 is few lines ($(grep -c violation "$EV"))" test "$(grep -c '"event":"violation"' "$EV")" -le $((8 + SECONDS - t0))
t_is events.storm-count 'and is counted to the last' "$(seen | tail -1)" 'denials 400'
run_in 'i=0; while [ $i -lt 300 ]; do (: >$i.pem) 2>/dev/null; i=$((i+1)); done; true'
t_is events.many 'three hundred targets are three hundred events' "$(seen | tail -1) $(grep -c '"event":"violation"' "$EV")" 'denials 300 300'
run_in 'i=0; while [ $i -lt 600 ]; do touch $i.pem; i=$((i+1)); done 2>/dev/null; for i in $(seq 1 1500); do $A make mkdir $i.pem; done >/dev/null; true' 2>/dev/null
n=$(seen | sed -n 's/^denials //p')
d=$(grep -o '"event":"dropped".*"count":[0-9]*' "$EV" | grep -o '[0-9]*$' | paste -sd+ | bc 2>/dev/null)
t_check events.flood "a flood is bounded and accounted for ($(wc -l <"$EV") lines, ${n:-?} told, ${d:-0} dropped)" \
	test "$(wc -l <"$EV")" -le 4000 -a -n "$n"
run_in 'printf x >"$(printf "\377\376.pem")"; printf x >"$(printf "a\nb.pem")"; printf x >"$(printf "q\"\\\\ \033.pem")"'
t_check events.bytes 'names of any bytes are valid JSON' grep -q '^denials 3' <(seen)
t_check events.bytes-exact 'and nothing is lost of them' grep -q -i 'fffe' "$EV"
run_in 'echo x >.git/hooks/pre-commit; git config core.fsmonitor x; ln -s x .claude; mv README.md id_rsa; mkdir .vscode; rm -f .git/config; ln README.md a.key; truncate -s 0 .git/hooks/x; $A make bind-stream s.pem'
t_check events.each 'each kind of denial is told' test "$(seen | grep -c '^violation')" -ge 7
for word in file-create file-rename file-delete; do
	t_check "events.action-$word" "an action $word" grep -q "violation $word" <(seen)
done
drop "$D"

# Other sinks.
fresh
(cd "$W" && HOME=$H "$BERM" run -q --events fd:5 -- sh -c 'touch .env; ls /proc/self/fd | wc -l' 5>"$D/events" >"$D/out" 2>&1)
EV=$D/events
t_check events.fd 'to a descriptor' grep -q '^denials 1' <(seen)
t_is events.fd-inside 'which the command does not get' "$(tail -1 "$D/out")" 4
OUT=$(cd "$W" && HOME=$H "$BERM" run -q --events - -- sh -c 'touch .env 2>/dev/null; echo hello')
t_check events.stdout 'to standard output, between the command'"'"'s lines' test "$(grep -c '^{.*}$' <<<"$OUT")" -ge 4 -a "$(grep -c '^hello$' <<<"$OUT")" = 1
echo '{"old":1}' >"$D/events"
(cd "$W" && HOME=$H "$BERM" run -q --events "$D/events" -- true)
t_check events.append 'a file is appended to' grep -q '^{"old":1}$' "$D/events"
(cd "$W" && HOME=$H "$BERM" run -q --events "$D/new" -- true)
t_is events.mode 'and made with mode 600' "$(stat -c %a "$D/new")" 600
(cd "$W" && HOME=$H timeout 10 "$BERM" run -q --events fd:5 -- sh -c 'touch .env 2>/dev/null; exit 4' 5> >(exec true))
t_is events.reader-gone 'a reader that is gone does not stop the run' "$?" 4
(cd "$W" && HOME=$H timeout 20 "$BERM" run -q --events fd:5 -- sh -c 'i=0; while [ $i -lt 50 ]; do touch $i.pem; i=$((i+1)); done 2>/dev/null; exit 4' 5> >(sleep 1; exec true))
t_is events.reader-slow 'nor one that does not read' "$?" 4
(cd "$W" && HOME=$H "$BERM" run -q --events /dev/full -- sh -c 'exit 4') >"$D/out" 2>&1
rc=$?
t_check events.full "a full disk: the run goes on or is refused ($rc)" test $rc = 4 -o $rc = 125
drop "$D"

# What a person sees.
fresh
OUT=$(cd "$W" && HOME=$H "$BERM" run -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 a b c d e f g h; do touch $i.pem; done; touch .env' 2>&1 >/dev/null)
t_check events.summary "the summary is short and names the grant" \
	test "$(grep -c '^berm:' <<<"$OUT")" -le 12 -a "$(grep -c -e '--allow-write' <<<"$OUT")" -ge 1
t_check events.summary-count 'and says how many there are' grep -q '18\|17' <<<"$OUT"
OUT=$(cd "$W" && HOME=$H "$BERM" run -- sh -c 'touch "$(printf "\033[2Jx\r.pem")"' 2>&1 >/dev/null)
t_check events.summary-escape 'nothing in it bends a terminal' test -z "$(tail -n +2 <<<"$OUT" | grep "$(printf '\033')")"
OUT=$(cd "$W" && HOME=$H "$BERM" run -q -- sh -c 'touch .env 2>/dev/null; true' 2>&1)
t_is events.quiet '-q says nothing' "$OUT" ''
OUT=$(cd "$W" && HOME=$H "$BERM" run -- sh -c 'true' 2>&1)
t_is events.nothing 'nor is anything said when there is nothing to say' "$OUT" ''
printf '{"ignore_violations": ["file-create *.pem"]}' >"$D/p.json"
run_in 'touch a.pem .env' --policy "$D/p.json"
t_is events.ignore 'ignore_violations leaves out what it names, and only that' "$(seen | grep -c ^violation) $(seen | tail -1)" '1 denials 1'
drop "$D"

# "berm why" says what the run does.
fresh
while IFS='|' read -r op path want; do
	(cd "$W" && HOME=$H "$BERM" why "$op" "$path") >"$D/out" 2>&1
	t_is "events.why-$op-${path//\//_}" "berm why $op $path" "$?" "$want"
done <<'LIST'
create|new|0
create|.env|1
write|README.md|0
write|/etc/hostname|1
read|/etc/hostname|0
create|.git/hooks/pre-commit|1
create|.claude/settings.json|1
create|node_modules/x/.env|0
read|README.md|0
LIST
drop "$D"

done_testing
