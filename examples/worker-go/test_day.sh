#!/usr/bin/env bash
# Two workers, one of them killed with a task in its hands: nothing is lost, the poison is buried, and the stream is empty
# again with no XTRIM. Then a group appears that nobody told the worker of.
. "$(dirname "$0")/testing.sh"

# 203 tasks. Stopped when it has something in hand, the first worker is killed there.
{
	for i in {1..200}; do echo "mail $i"; done
	echo "flaky 1"
	echo "flaky 2"
} | sort >"$dir/tasks"
{ echo "poison 1" && cat "$dir/tasks"; } | "$WORKER_GO" add
start w1
supervise w2 2>/dev/null &
in_hand() {
	send STOP w1
	if [ -s "$dir/w1.done" ] && pending | grep '^w1 ' >"$dir/in-hand"; then return; fi
	send CONT w1
	return 1
}
wait_for "the first worker to have a task in its hands" in_hand
{ send KILL w1 && wait "$(cat "$dir/w1.pid")"; } 2>/dev/null || true
rm "$dir/w1.pid"
wait_for "the stream to be empty" is_empty

all_done | uniq | diff "$dir/tasks" - >&2 || die "tasks were lost"
# Only what the killed worker had may have been done twice: it could not say any more that it was done.
all_done | uniq -d | comm -23 - <(sed 's/^w1 //' "$dir/in-hand") | diff /dev/null - >&2 || die "tasks were done twice"
is "how many it had in hand" 1 eval 'wc -l <"$dir/in-hand"'
is "the dead letters" "poison 1" eval 'dead | payloads'
is "the tries of the poison" 3 eval 'dead | sed -n "/^try$/{n;p}"'
is "where it came from" tasks eval 'dead | sed -n "/^egg-source-stream$/{n;p}"'
is "the number of XTRIMs" 0 eval 'cli INFO commandstats | grep -c "^cmdstat_xtrim:" || true'

# Another group appears: tasks are still done, there is an alarm, and that group gets every entry.
cli XGROUP CREATE tasks audit 0 >/dev/null
add "mail late" "flaky late"
late_done() { has_done w2 "mail late" && has_done w2 "flaky late"; }
wait_for "the late tasks" late_done
wait_for "the late tasks to be acknowledged" is_pending ""
is "the number of alarms" 1 grep -c 'ALARM tasks: FOREIGNGROUP .*"audit"' "$dir/w2.log"
is "what the other group reads" "mail late
flaky late
flaky late" eval 'cli XREADGROUP GROUP audit a1 STREAMS tasks ">" | payloads'
cli XPENDING tasks audit - + 100 | grep -E '^[0-9]+-[0-9]+$' | xargs "$redis_cli" -u "$REDIS_URL" XACK tasks audit >/dev/null
is "what EGG.TRIM then removes" 3 cli EGG.TRIM tasks

# A worker that starts beside another group says so, and works.
start w3
wait_for "the alarm of a worker that starts" says w3 'ALARM tasks: FOREIGNGROUP .*"audit"'
end w3

send TERM w2
wait %supervise || die "the worker did not end well"
