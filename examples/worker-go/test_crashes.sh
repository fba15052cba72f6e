#!/usr/bin/env bash
# A task that ends its worker each time is buried, and nothing else is: a delivery counts for one task only.
. "$(dirname "$0")/testing.sh"

add "crash 1" "mail "{1..9}
supervise w1 2>/dev/null &
wait_for "the stream to be empty" is_empty
is "what was done" "$(printf 'mail %s\n' {1..9})" all_done
is "the dead letters" "crash 1" eval 'dead | payloads'
is "the deliveries of the crashing task" 4 eval 'dead | sed -n "/^egg-deliveries$/{n;p}"'
is "how often the worker ended" "exit code 3
exit code 3
exit code 3" cat "$dir/w1.ends"

# The same with the crashing task in the middle, and four workers.
add "mail "{10..14} "crash 2" "mail "{15..19}
for name in w2 w3 w4; do supervise "$name" 2>/dev/null & done
wait_for "the stream to be empty" is_empty
is "what was done" "$(printf 'mail %s\n' {1..19} | sort)" all_done
is "the dead letters" "crash 1
crash 2" eval 'dead | payloads'
is "how often a worker ended" 6 eval 'cat "$dir"/*.ends | wc -l'

for name in w1 w2 w3 w4; do send TERM "$name"; done
wait
