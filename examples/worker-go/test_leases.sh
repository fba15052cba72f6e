#!/usr/bin/env bash
# A task stays with its worker as long as that is alive, however long it takes, and goes to another if it is not.
. "$(dirname "$0")/testing.sh"

# 40 tasks of 600 ms, taken from workers that are silent for 500 ms: none is done twice, none is buried.
add "slow "{1..40}
for name in w{1..8}; do start "$name"; done
wait_for "the stream to be empty" is_empty
is "what was done" "$(printf 'slow %s\n' {1..40} | sort)" all_done
is "the dead letters" "" dead
is "who lost a task" "" cat "$dir"/*.log
for name in w{2..8}; do end "$name"; done

# A worker that hangs loses its task to another. When it goes on, it does not acknowledge what is the other's.
add "long hang"
wait_for "the first worker to have it" is_pending "w1 long hang"
send STOP w1
start w2
wait_for "the second worker to have it" is_pending "w2 long hang"
send CONT w1
wait_for "the first worker to leave it alone" says w1 '"long hang": taken over by another worker'
is "whose it is" "w2 long hang" pending
wait_for "the second worker to have done it" has_done w2 "long hang"
wait_for "the stream to be empty" is_empty
end w2

# So does one that is killed.
add "long kill"
wait_for "the first worker to have it" is_pending "w1 long kill"
{ send KILL w1 && wait "$(cat "$dir/w1.pid")"; } 2>/dev/null || true
start w2
wait_for "the second worker to have done it" has_done w2 "long kill"
wait_for "the stream to be empty" is_empty
is "what the first one did of it" "" eval 'grep "long kill" "$dir/w1.done" || true'
end w2

# Another consumer takes the task over while it is worked on, and nothing tells the worker before it has done it: OWNER
# leaves the entry alone.
take_over() { cli XCLAIM tasks workers other 0 "$(cli XPENDING tasks workers - + 1 | head -n 1)" JUSTID >/dev/null; }
start w9 1m
add "long owner"
wait_for "the worker to have it" is_pending "w9 long owner"
take_over
wait_for "the worker to leave it alone" says w9 '"long owner": taken over by another worker'
is "what it did" "long owner" done_by w9
is "whose it is" "other long owner" pending
is "the length of the stream" 1 cli XLEN tasks
end w9

# Here it is told before: the work is broken off. The other consumer is never heard of, so that the task comes back.
cli DEL tasks >/dev/null
start w10 1500ms
add "long renew"
wait_for "the worker to have it" is_pending "w10 long renew"
take_over
wait_for "the worker to break off" says w10 '"long renew": taken over by another worker'
is "what it did" "" done_by w10
is "whose it is" "other long renew" pending
wait_for "the stream to be empty" is_empty
is "what it did" "long renew" done_by w10
end w10
