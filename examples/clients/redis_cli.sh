#!/usr/bin/env bash
# EGG with redis-cli: acknowledge and delete, move, and tell the errors apart. Run setup.redis first.
set -euo pipefail

declare -A outcome=([1]="deleted" [2]="kept" [0]="with another worker" [-1]="not pending")

# -e: an error reply goes to stderr, and the exit code is not 0.
server() { "${REDIS_CLI:-redis-cli}" -e -u "${REDIS_URL:-redis://127.0.0.1:6379}" "$@" 2>&1; }

# Leaves the replies, one a line (nil is an empty one), or the error in $reply. The work is done when EGG refuses:
# acknowledge without deleting, and tell an operator. Options may come last.
egg() {
	reply=$(server "$@") && return
	[[ $reply == "FOREIGNGROUP "* ]] || return
	echo "ALARM: $2 has other groups"
	reply=$(server "$@" ACKONLY)
}

acknowledge() {
	local stream=$1 group=$2 worker=$3 replies i
	local ids=("${@:4}")
	egg EGG.ACKDEL "$stream" "$group" OWNER "$worker" IDS "${#ids[@]}" "${ids[@]}" || return
	mapfile -t replies <<<"$reply"
	for i in "${!ids[@]}"; do echo "${ids[i]} ${outcome[${replies[i]}]}"; done
}

bury() {
	local stream=$1 group=$2 worker=$3 replies i
	local ids=("${@:4}")
	egg EGG.ACKMOVE "$stream" "$group" dead OWNER "$worker" META SET 1 try 2 IDS "${#ids[@]}" "${ids[@]}" || return
	mapfile -t replies <<<"$reply"
	# $(...) has cut off the empty lines at the end.
	for i in "${!ids[@]}"; do
		if [ -n "${replies[i]:-}" ]; then echo "${ids[i]} moved as ${replies[i]}"; else echo "${ids[i]} not moved"; fi
	done
}

acknowledge jobs workers w1 1-0 3-0 9-0
acknowledge shared workers w1 1-0
bury jobs workers w1 2-0 9-0

for wrong in "wrokers 1-0" "workers no-id"; do
	if ! acknowledge jobs "${wrong% *}" w1 "${wrong#* }"; then
		case $reply in
		"NOGROUP "*) echo "no such stream or group" ;;
		*) echo "another error" ;;
		esac
	fi
done
