# Sourced by the tools that take programs out of Debian's packages: from_debian, and what wheel.sh has.
# Why: what a machine lacks is unpacked in .tools/, and nothing is installed.
# shellcheck shell=bash disable=SC2154
. "$root/tools/wheel.sh"
tools=$root/.tools
mkdir -p "$tools"

# from_debian FOLDER PACKAGE...: unpacks packages in .tools/FOLDER; apt checks their signatures.
from_debian() {
	local folder=$tools/$1 new=$tools/.new package
	shift
	if [ -d "$folder" ]; then return; fi
	command -v apt-get >/dev/null || die "$1 is missing, and there is no apt-get to fetch it with"
	if ! apt-cache show "$1" >/dev/null 2>&1; then
		[ "$(id -u)" = 0 ] || die "$1 is missing, and apt does not know it: run apt-get update as root"
		apt-get -qq update >/dev/null 2>&1 || die "$1 is missing, and apt-get update fails: is there a network?"
	fi
	# golang-go holds links only: to golang-1.x-go, which needs golang-1.x-src.
	if [ "$1" = golang-go ]; then
		set -- "$(apt-cache depends golang-go | sed -n 's/^  Depends: \(golang-[0-9.]*-go\)$/\1/p')"
		set -- "$1" "${1%-go}-src"
	fi
	say "fetching $*" >&2
	rm -rf "$new"
	mkdir -p "$new/.deb"
	(cd "$new/.deb" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$@" >/dev/null 2>&1) ||
		die "$1 is missing, and apt-get cannot download it: is there a network?"
	for package in "$new"/.deb/*.deb; do
		dpkg -x "$package" "$new" || die "${package##*/} cannot be unpacked: is the disk full?"
	done
	rm -rf "$new/.deb"
	mv -T "$new" "$folder"
}
