#!/usr/bin/env bash
# EGG with redis-cli: acknowledge and delete, move, and tell the errors apart. Run setup.redis first.
set -euo pipefail

declare -A outcome=([1]="deleted" [2]="kept" [0]="with another worker" [-1]="not pending")

# -e: an error reply goes to stderr, and the exit code is not 0. With a password in the URL, redis-cli would warn there.
server() { "${REDIS_CLI:-redis-cli}" -e --no-auth-warning -u "${REDIS_URL:-redis://127.0.0.1:6379}" "$@" 2>&1; }

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

# NOGROUP is a mistyped key or group, or the server has lost the stream; the others are an operator's.
attempt() { "$@" || echo "error ${reply%% *}"; }

attempt acknowledge jobs workers w1 1-0 3-0 9-0
attempt acknowledge shared workers w1 1-0
attempt bury jobs workers w1 2-0 9-0
# redis-cli has no pipeline: one call after the other.
for entry in "jobs 4-0" "no-jobs 1-0" "shared 2-0"; do attempt acknowledge "${entry% *}" workers w1 "${entry#* }"; done
attempt acknowledge jobs wrokers w1 1-0
attempt acknowledge jobs workers w1 no-id
