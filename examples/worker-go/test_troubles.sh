#!/usr/bin/env bash
# The group is gone, the memory is full, the worker is told to stop: no task is lost that is still in the stream.
. "$(dirname "$0")/testing.sh"

supervise w1 2>/dev/null &
add "mail 1"
wait_for "the first task" has_done w1 "mail 1"
process=$(cat "$dir/w1.pid")

# FLUSHALL: the worker makes the group anew, and goes on.
cli FLUSHALL >/dev/null
add "mail 2" "mail 3"
wait_for "the tasks after FLUSHALL" has_done w1 "mail 3"
wait_for "the stream to be empty" is_empty
is "the number of alarms" 1 grep -c 'ALARM tasks: NOGROUP ' "$dir/w1.log"

# The key goes while a task is in hand, as an eviction takes it, and producers go on: the task in hand is finished.
add "long 1"
wait_for "the worker to have it" is_pending "w1 long 1"
cli DEL tasks >/dev/null
add "mail 4"
wait_for "the task after the eviction" has_done w1 "mail 4"
wait_for "the stream to be empty" is_empty
is "which process did it all" "$process" cat "$dir/w1.pid"

# A server that restarts without its data: connections break, streams and scripts are gone.
cli FLUSHALL >/dev/null
cli SCRIPT FLUSH >/dev/null
cli CLIENT KILL TYPE normal >/dev/null
add "slow 1" "mail 5"
wait_for "the tasks after the restart" has_done w1 "mail 5"
wait_for "the stream to be empty" is_empty
is "how often the worker ended" "exit code 1" cat "$dir/w1.ends"

send TERM w1
wait %supervise || die "the worker did not end well"

# The memory is full, and there is a task that is to be buried, and one that fails: the others are done, which frees it.
add "crash 1"
cli XREADGROUP GROUP workers gone STREAMS tasks '>' >/dev/null
cli XCLAIM tasks workers gone 0 "$(cli XPENDING tasks workers - + 1 | head -n 1)" RETRYCOUNT 3 JUSTID >/dev/null
add "flaky 1" "mail 6" "slow 2"
cli CONFIG SET maxmemory 1 >/dev/null
supervise w1 2>/dev/null &
wait_for "the tasks after the full memory" has_done w1 "slow 2"
wait_for "the alarm" says w1 'ALARM tasks: OOM '
is "what is left" 2 cli XLEN tasks
is "the dead letters" "" dead
cli CONFIG SET maxmemory 0 >/dev/null
wait_for "the stream to be empty" is_empty
is "the dead letters" "crash 1" eval 'dead | payloads'
is "how often the worker ended" "exit code 1" cat "$dir/w1.ends"
send TERM w1
wait %supervise || die "the worker did not end well"
is "what was done" "$(printf '%s\n' "flaky 1" "long 1" "mail "{1..6} "slow "{1..2})" all_done

# A worker that is told to stop finishes what it has in hand, and takes nothing else.
start w2
add "long 2" "long 3"
wait_for "the worker to have the first" is_pending "w2 long 2"
end w2
is "what it did" "long 2" done_by w2
is "what is pending" "" pending
is "what is left" "long 3" eval 'cli XRANGE tasks - + | payloads'

# Told twice, it ends at once: the task stays pending, and is another worker's later.
start w3
wait_for "the worker to have the second" is_pending "w3 long 3"
send TERM w3
sleep 0.1
{ send TERM w3 && wait "$(cat "$dir/w3.pid")"; } 2>/dev/null || true
rm "$dir/w3.pid"
is "what it did" "" done_by w3
is "what is pending" "w3 long 3" pending
start w4
wait_for "the stream to be empty" is_empty
is "what the other did" "long 3" done_by w4
end w4
