# What the tests share: sourced by each test_*.sh, with a server at REDIS_URL and the worker at WORKER_GO.
# shellcheck shell=bash
set -euo pipefail
root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
redis_cli=${EGG_SERVERS:-$root/.servers}/redis-7.4/cli

dir=$(mktemp -d)
# shellcheck disable=SC2046
stop() {
	local status=$?
	{ kill $(jobs -p) || true; kill -9 $(cat "$dir"/*.pid) || true; } 2>/dev/null
	if [ "$status" -ne 0 ]; then tail -n 20 "$dir"/*.log >&2; fi
	rm -rf "$dir"
}
trap stop EXIT

cli() { "$redis_cli" -u "$REDIS_URL" "$@"; }

die() {
	printf 'worker-go: %s\n' "$*" >&2
	exit 1
}

# is WHAT EXPECTED command ...
is() {
	local got
	got=$("${@:3}")
	[ "$got" = "$2" ] || die "$1: expected '$2', got '$got'"
}

# wait_for WHAT command ...: polls until the command succeeds.
wait_for() {
	local deadline=$((SECONDS + 30))
	until "${@:2}"; do
		[ "$SECONDS" -lt "$deadline" ] || die "waited 30 seconds for $1"
		sleep 0.02
	done
}

# start NAME [IDLE]: a worker; what it does is in NAME.done, what it says in NAME.log.
start() {
	"$WORKER_GO" -idle "${2:-500ms}" work "$1" >>"$dir/$1.done" 2>>"$dir/$1.log" &
	echo $! >"$dir/$1.pid"
}

# As a supervisor does: again and again, until the worker ends as it was told to. NAME.ends has a line for each failure.
supervise() {
	until start "$@" && wait $!; do echo "exit code $?" >>"$dir/$1.ends"; done
	rm "$dir/$1.pid"
}

# send SIGNAL NAME
send() { kill "-$1" "$(cat "$dir/$2.pid")"; }

# The worker ends in good order, and the next start is a new one.
end() {
	send TERM "$1"
	wait "$(cat "$dir/$1.pid")" || die "$1 did not end well"
	rm "$dir/$1.pid"
}

add() { printf '%s\n' "$@" | "$WORKER_GO" add; }
is_empty() { [ "$(cli XLEN tasks)" = 0 ]; }
done_by() { sed 's/^done //' "$dir/$1.done"; }
all_done() { sed 's/^done //' "$dir"/*.done | sort; }
has_done() { grep -qx "done $2" "$dir/$1.done"; }
says() { grep -q "$2" "$dir/$1.log"; }
payloads() { sed -n '/^payload$/{n;p}'; }
dead() { cli XRANGE tasks:dead - +; }
# What is pending: a line "consumer payload" for each.
pending() {
	local id consumer
	cli XPENDING tasks workers - + 100 | { grep . || true; } | paste -d ' ' - - - - | while read -r id consumer _; do
		echo "$consumer $(cli XRANGE tasks "$id" "$id" | payloads)"
	done
}
is_pending() { [ "$(pending)" = "$1" ]; }
