# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Hosts that refuse a part of the sandbox (SPEC B8, docs/tiers.md): by a switch, and by real
# means. Each rung is told, holds what it says, and refuses what it cannot hold.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

fresh
ask='touch .env; echo x >../out; (: >.git/hooks/evil); unshare -U true; mount -t tmpfs none /tmp; echo x >/proc/sys/kernel/core_pattern; cat /proc/1/environ /proc/*/environ | tr "\0" "\n" | grep ^T_CANARY; echo ok >made; cat made'

# tier WHAT: the tier of the last run's events.
tier()
{
	grep -o '"event":"ready".*' "$EV" | grep -o '"tier":"[^"]*"' | cut -d'"' -f4
}

# lacks: what it lacked.
lacks()
{
	grep -o '"event":"ready".*' "$EV" | grep -o '"lacks":\[[^]]*' | cut -d'[' -f2 | tr -d '"'
}

# begin COMMAND...: runs it in the workspace; OUT, RC.
begin()
{
	EV=$D/events
	rm -f "$EV" "$W/made" "$W/.env" "$D/out" "$H/src/out" "$W/.git/hooks/evil"
	OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" LC_ALL=C.UTF-8 T_CANARY=seen setsid -w timeout -k 1 "$T_TIMEOUT" "$@" </dev/null 2>&1)
	RC=$?
}

# holds ID TEXT TIER LACKS: the last run was at that tier, told so, did its work, and nothing
# came through.
holds()
{
	local id=$1 text=$2
	t_is "$id" "$text: the tier" "$(tier) $(lacks)" "$3 $4"
	t_check "$id.works" "$text: the command works" grep -qx ok "$W/made"
	t_check "$id.held" "$text: what is forbidden is held" test ! -e "$W/.env" -a ! -e "$H/src/out" -a ! -e "$W/.git/hooks/evil"
	t_check "$id.environ" "$text: nobody's environment is seen" test -z "$(grep '^T_CANARY' <<<"$OUT")"
	if [[ $4 ]]; then
		t_check "$id.told" "$text: it is told" grep -q '^berm: tier: ' <<<"$OUT"
		t_is "$id.degraded" "$text: an event for each part" "$(grep -c '"event":"degraded","what":"tier"' "$EV")" "$(tr , '\n' <<<"$4" | wc -l)"
	else
		t_check "$id.quiet" "$text: nothing is said" test -z "$(grep '^berm: tier' <<<"$OUT")"
	fi
}

# refuses ID TEXT WORDS: the last run did not start, and said why and what to do.
refuses()
{
	t_is "$1" "$2: no run" "$RC" 125
	t_check "$1.why" "$2: the line says why" grep -qE "^berm: .*$3" <<<"$OUT"
	t_check "$1.fix" "$2: and what to do" test "$(grep -c '^berm: ' <<<"$OUT")" -ge 2
	t_check "$1.nothing" "$2: nothing ran" test ! -e "$W/made"
}

run=("$BERM" run -w "$W" --events "$D/events" -q)

# ---- by a switch -------------------------------------------------------------

while IFS='|' read -r id caps want lack; do
	args=()
	for cap in $caps; do
		args+=(--test-cap "$cap")
		[[ $cap != @(userns|mounts) ]] || args+=(--tier landlock)
	done
	begin "${run[@]}" "${args[@]}" -- sh -c "$ask"
	holds "tiers.cap.$id" "without ${caps:-nothing}" "$want" "$lack"
done <<'LIST'
full||full|
abi2|landlock=2|full|
abi3|landlock=3|full|
abi4|landlock=4|full|
abi5|landlock=5|full|
limit|userns-limit|container|userns-limit
proc|proc|container|proc
inner|inner-userns|one-userns|inner-userns
docker|userns-limit proc|container|userns-limit,proc
all|userns-limit proc inner-userns landlock=2|container|userns-limit,proc,inner-userns
flat|userns|landlock|userns
flat-mounts|mounts|landlock|mounts
LIST

while IFS='|' read -r id cap words; do
	# shellcheck disable=SC2086
	begin "${run[@]}" --test-cap $cap -- sh -c "$ask"
	refuses "tiers.cap.$id" "without $cap" "$words"
done <<'LIST'
userns|userns|namespaces
mounts|mounts|root
landlock|landlock|no Landlock.*the rules for /
abi1|landlock=1|no Landlock.*the rules for /
listener|listener|no listener.*the rules for /
landlock-5|userns --tier landlock --test-cap landlock=5|Landlock
landlock-no|mounts --tier landlock --test-cap landlock|Landlock
listener-no|userns --tier landlock --test-cap listener|filter
LIST

# A floor, not a wish.
begin "${run[@]}" --tier landlock -- sh -c "$ask"
holds tiers.floor 'a weaker tier that is allowed and not needed' full ''
begin "${run[@]}" --tier full -- sh -c "$ask"
refuses tiers.floor.word 'no other tier can be asked for' '--tier full: not a known value'
begin "${run[@]}" --test-cap userns --test-cap landlock=5 -- sh -c "$ask"
t_is tiers.no-offer 'what would not help is not offered' "$RC $(grep -c -e '--tier' <<<"$OUT")" '125 0'

for cap in landlock listener; do
	begin "${run[@]}" --test-cap $cap --mode review -- sh -c 'cat README.md; echo x >made; touch ~/f /tmp/f && echo private'
	t_is "tiers.review.$cap" "without $cap a read-only run is held" "$(tier) $(lacks)" "read-only $cap"
	t_check "tiers.review.$cap.works" 'it reads, and writes in its private places' grep -qx private <<<"$OUT"
	t_check "tiers.review.$cap.held" 'and not in the workspace' test ! -e "$W/made"
	begin "${run[@]}" --test-cap $cap --mode review --deny-read '*.secret' -- sh -c 'echo x >made'
	refuses "tiers.review.$cap.read-rule" 'a rule that hides a file there is refused' 'the rules for /'
	begin "${run[@]}" --test-cap $cap --mode review --deny-exec /usr/bin/id -- sh -c 'echo x >made'
	refuses "tiers.review.$cap.exec-rule" 'so is a rule on programs, by name' 'deny-exec /usr/bin/id'
done

# The supervisor belongs to the /proc of the container tier: no path leads through its own
# directory there, nor through init's.
begin "${run[@]}" --test-cap proc -- sh -c 'ln -s /proc/self p; ln -s /proc/thread-self t
	chmod 777 p/fd/3 p/fd/4 p/fd/5 p/fd/6 p/fd/7 t/fd/5; : >>p/fd/1 && echo reopened; readlink /proc/self/exe; cat /proc/self/comm
	for p in /proc/[0-9]*; do c=$(cat $p/comm 2>/dev/null); [ "$c" = berm ] && readlink $p/fd/* $p/root $p/cwd $p/exe | sed "s/^/seen /"; done 2>/dev/null; echo ok >made; rm p t'
t_check tiers.proc.self 'a path through /proc/self is the command own' grep -q '^/usr/bin/readlink' <<<"$OUT"
t_is tiers.proc.berm 'nothing of berm can be looked into' "$(grep -c '^seen' <<<"$OUT")" 0
begin "${run[@]}" --test-cap proc --deny-read '*.secret' -- sh -c 'ln -s /proc/self p; cat p/comm /proc/self/comm; cat /dev/fd/0 </dev/null; echo x >f; exec 5<f; cat p/fd/5; head -c 30 p/environ | tr "\0" "\n" | head -1; echo ok >made; rm p'
t_is tiers.proc.reads 'with reads trapped too' "$(head -3 <<<"${OUT#berm: tier:*$'\n'}" | tr '\n' ' ')" 'cat cat x '

# ---- by real means -----------------------------------------------------------

script=$D/begin.sh
printf 'cd %q && exec' "$W" >"$script"
weak=$D/weak.sh
cp "$script" "$weak"
printf ' %q' "${run[@]}" -- sh -c "$ask" >>"$script"
printf ' %q' "${run[@]}" --tier landlock -- sh -c "$ask" >>"$weak"

if ! unshare -Urm true 2>/dev/null; then
	t_skip tiers.real 'inside a namespace that refuses a part' 'this host gives no user namespaces'
else
	begin unshare -Ur sh -c "echo 1 >/proc/sys/user/max_user_namespaces && . '$script'"
	holds tiers.real.one 'user.max_user_namespaces=1' one-userns inner-userns
	begin unshare -Ur sh -c "echo 0 >/proc/sys/user/max_user_namespaces && . '$script'"
	refuses tiers.real.none 'user.max_user_namespaces=0' 'namespaces'
	t_check tiers.real.none.offer 'and both ways out' grep -q '^berm: .*sysctl -w user.max_user_namespaces=65536; or .*--tier landlock$' <<<"$OUT"
	begin unshare -Ur sh -c "echo 0 >/proc/sys/user/max_user_namespaces && . '$weak'"
	holds tiers.real.flat 'user.max_user_namespaces=0, and asked' landlock userns
	begin unshare -Urm sh -c "mount --bind /dev/null /proc/keys && . '$script'"
	holds tiers.real.masked 'a /proc of which a part is masked' container proc
	begin unshare -Urm sh -c "mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && . '$script'"
	holds tiers.real.readonly 'a read-only /proc/sys' container userns-limit,proc
	begin unshare -Urm sh -c "mkdir '$D/root' && mount --rbind / '$D/root' && chroot '$D/root' sh '$script'"
	refuses tiers.real.chroot 'a chroot' 'namespaces'
	begin unshare -Urm sh -c "mount --rbind / '$D/root' && chroot '$D/root' sh '$weak'"
	holds tiers.real.chroot-flat 'a chroot, and asked' landlock userns
	begin unshare -Urm sh -c "mount -t tmpfs none /proc && . '$script'"
	refuses tiers.real.noproc 'no /proc' 'No such file'
fi
begin "$T_BASE/bin/underfilter" "${run[@]}" -- sh -c "$ask"
refuses tiers.real.filter "a container engine's filter" 'namespaces: Operation not permitted'
begin "$T_BASE/bin/underfilter" "${run[@]}" --tier landlock -- sh -c "$ask"
holds tiers.real.filter-flat "a container engine's filter, and asked" landlock userns
if command -v bwrap >/dev/null && bwrap --dev-bind / / true 2>/dev/null; then
	begin bwrap --dev-bind / / --unshare-user --unshare-pid --proc /proc sh "$script"
	t_check tiers.real.bwrap 'inside bubblewrap' grep -qxE 'full|container' <<<"$(tier)"
	t_check tiers.real.bwrap.held 'it holds there' test -e "$W/made" -a ! -e "$W/.env" -a ! -e "$H/src/out"
	begin bwrap --dev-bind / / --unshare-user --disable-userns sh "$script"
	refuses tiers.real.bwrap-disabled 'inside one that forbids namespaces' 'namespaces'
	begin bwrap --dev-bind / / --unshare-user --disable-userns sh "$weak"
	holds tiers.real.bwrap-flat 'inside one that forbids namespaces, and asked' landlock userns
else
	t_skip tiers.real.bwrap 'inside bubblewrap' 'it is not here, or cannot start'
fi

# Exec rules where no private place lies above the workspace.
if as_root; then
	begin sh -c 'd=$(mktemp -d /srv/berm-tiers.XXXXXX) || exit; "$0" run -q -w "$d" --mode review --deny-exec /usr/bin/id -- sh -c "id; echo ran"; rmdir "$d"' "$BERM"
	t_is tiers.review.exec 'exec rules hold in a read-only workspace anywhere' "$(grep -c uid= <<<"$OUT") $(grep -cx ran <<<"$OUT")" '0 1'
else
	t_skip tiers.review.exec 'exec rules hold in a read-only workspace anywhere' 'needs root, for a directory in /srv'
fi

# ---- doctor ------------------------------------------------------------------

doctor()
{
	OUT=$(cd "$W" && env -i HOME="$H" PATH="$T_PATH" LC_ALL=C.UTF-8 setsid -w timeout -k 1 "$T_TIMEOUT" "$BERM" doctor "$@" </dev/null 2>&1)
	RC=$?
}

# json EXPRESSION: of what doctor --json said, o.
json()
{
	/usr/bin/python3 -c 'import json, sys; o = json.loads(sys.stdin.read()); print(eval(sys.argv[1]))' "$1" <<<"$OUT"
}

homes=$(find "$H/.local/state/berm/homes" -maxdepth 1 | sort)
doctor --json
t_is doctor.json 'everything holds on this host' "$RC $(json 'o["held"], o["available"], o["backend"], [s["mode"] for s in o["sandboxes"]]')" \
	"0 (True, True, 'native', ['chat', 'review'])"
t_is doctor.tier 'and the tier is the one that runs have' "$(json 'o["tier"]')" "$(begin "${run[@]}" -- true; tier)"
t_is doctor.probes 'each probe was tried in each sandbox' "$(json '[sum(p["result"] == "held" for p in s["probes"]) == len(s["probes"]) > 15 for s in o["sandboxes"]]')" '[True, True]'
t_is doctor.nothing-left 'nothing is left of it' "$(find "$H/.local/state/berm/homes" -maxdepth 1 | sort) $(find "$H" -maxdepth 1 -name '.berm-doctor*')" "$homes "
doctor
t_is doctor.text 'in words' "$RC $(grep -c '^  held ' <<<"$OUT") $(grep -c OPEN <<<"$OUT")" "0 $(json_n=$(grep -c '^  held ' <<<"$OUT"); echo "$json_n") 0"
doctor --json --profile terminal
t_is doctor.allowed 'what the settings allow is no hole' "$(json '[p["result"] for s in o["sandboxes"] for p in s["probes"] if p["name"] == "secret"]') $RC" "['allowed', 'allowed'] 0"
doctor --json --test-cap proc
t_is doctor.lower 'a lower tier holds too, and says what to do' "$RC $(json 'o["tier"], o["sandboxes"][0]["lacks"], len(o["fixes"]) == 1')" "0 ('container', ['proc'], True)"
doctor --json --test-cap userns --tier landlock
t_is doctor.landlock 'without namespaces too' "$RC $(json 'o["tier"], o["sandboxes"][0]["lacks"], o["held"], len(o["fixes"]) == 1')" "0 ('landlock', ['userns'], True, True)"
doctor --json --test-cap userns
t_is doctor.none 'no sandbox is no success' "$RC $(json 'o["available"], o["held"], o["backend"], bool(o["sandboxes"][0]["error"])')" "1 (False, False, 'none', True)"
begin "${run[@]}" --test-cap mounts -- sh -c true
doctor --last
t_check doctor.last 'the last run that did not start is explained' grep -q '^error: .*Operation not permitted' <<<"$OUT"
t_check doctor.last-fix 'with what to do' grep -q '^to do: ' <<<"$OUT"
rm -f "$H/.local/state/berm/last-failure.json"
begin "${run[@]}" -- false
doctor --last
t_is doctor.last-none 'a command that fails is no such run' "$RC ${OUT%%$'\n'*}" '0 no sandbox has failed to start'
echo damaged >"$H/.local/state/berm/last-failure.json"
doctor --last
t_is doctor.last-damaged 'a damaged note is an error' "$RC" 125
doctor --apparmor print
t_check doctor.apparmor 'the profile names this program' grep -q "^profile berm \"$(readlink -f "$BERM")\" flags=(unconfined) {$" <<<"$OUT"
doctor --apparmor sometimes
t_is doctor.apparmor-bad 'an unknown word' "$RC" 125
if ! as_root; then
	doctor --apparmor install
	t_is doctor.apparmor-user 'is not installed by a user' "$RC" 125
fi
drop "$D"
done_testing
