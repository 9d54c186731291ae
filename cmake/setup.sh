# For ./quickstart and ./check, which source it: what a build needs, and how to build.
#
# What is missing is asked of the machine, not of its package database: a compiler, a header or a
# command counts wherever it came from. Only what is then missing is installed, as Debian packages,
# so a second run installs nothing and a machine set up by hand is left alone.
# shellcheck shell=bash

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

say() { printf '%s\n' "== $*"; }
complain() { printf '%s\n' "${0##*/}: $*" >&2; }
die() {
  complain "$@"
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }
have_headers() { printf '#include <%s>\n' "$@" | "${CC:-cc}" -E - >/dev/null 2>&1; }

have_openmpi_header() {
  local flags
  flags=$(mpicc.openmpi --showme:compile) && [ -n "$flags" ] &&
    # shellcheck disable=SC2086  # one word an option
    printf '#include <mpi.h>\n' | "${CC:-cc}" $flags -E - >/dev/null 2>&1
}

# provided <package>: is what this Debian package would bring here already?
provided() {
  case $1 in
    gcc) have "${CC:-cc}" ;;
    g++) have "${CXX:-c++}" ;;
    libc6-dev) have_headers stdlib.h ;;
    ninja-build) have ninja || have make ;;
    libhwloc-dev) have_headers hwloc.h ;;
    mpich) have mpiexec.mpich || have mpichversion ;;
    libmpich-dev) have mpicc.mpich || { have mpicc && have mpichversion; } ;;
    openmpi-bin) have mpiexec.openmpi ;;
    libopenmpi-dev) have mpicc.openmpi && have_openmpi_header ;; # Debian has these in two packages
    libhdf5-mpich-dev) have pkg-config && pkg-config --exists hdf5-mpich ;;
    libcmocka-dev) have_headers stdarg.h stddef.h setjmp.h stdint.h cmocka.h ;;
    util-linux) have unshare && have setpriv ;;
    iproute2) have ip && have tc ;;
    libopen-trace-format2-dev) have pkg-config && pkg-config --exists otf2 ;;
    otf2-tools) have otf2-print ;;
    man-db) have man ;;
    debhelper) have dh ;;
    abigail-tools) have abidiff ;;
    spin) have spin && spin -V | grep -q '^Spin Version' ;; # the name of other programs, too
    *) have "$1" ;;
  esac
}

# missing <package>...: those that are not provided, on one line.
missing() {
  local package list=()
  for package; do
    provided "$package" || list+=("$package")
  done
  printf '%s' "${list[*]}"
}

# apt_get <argument>...: apt-get as root, asking nothing; its words go to the log.
apt_get() {
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    root=(sudo)
    [ -t 0 ] || root+=(-n)
  fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=120 "$@" \
    >>"$apt_log" 2>&1 </dev/null
}

# install_missing <package>...: returns 1 where something is still missing, and has then said what.
install_missing() {
  local wanted
  wanted=$(missing "$@")
  [ -n "$wanted" ] || return 0

  if ! have apt-get || { [ "$(id -u)" -ne 0 ] && ! have sudo; }; then
    complain "missing, and not installed for want of apt-get and root or sudo: $wanted"
    return 1
  fi

  say "Installing $wanted"
  apt_log=$(mktemp)
  # The package lists may be absent or old: they are fetched when installing fails without.
  # shellcheck disable=SC2086  # one word a package
  apt_get install --no-install-recommends $wanted ||
    { apt_get update && apt_get install --no-install-recommends $wanted; } ||
    tail -n 5 "$apt_log" >&2
  rm -f "$apt_log"

  wanted=$(missing "$@")
  [ -n "$wanted" ] || return 0
  complain "missing, and could not be installed: $wanted"
  return 1
}

# logged <what> <command>...: run it, and show its warnings; if it fails, the end of what it said.
logged() {
  local what=$1 log
  shift
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    rm -f "$log"
    die "$what failed"
  fi
  grep -E 'warning:|left out' "$log" || true
  rm -f "$log"
}

# configure <folder> <cmake argument>...
configure() {
  local folder=$1
  shift
  if [ ! -e "$folder/CMakeCache.txt" ]; then
    if have ninja; then set -- "$@" -G Ninja; else set -- "$@" -G "Unix Makefiles"; fi
  fi
  say "Building in $folder"
  logged "the build in $folder" cmake -S "$top" -B "$folder" "$@"
}

# compile <folder>: what is not up to date.
compile() { logged "the build in $1" cmake --build "$1" -j "$jobs"; }

# build <folder> <cmake argument>...
build() {
  configure "$@"
  compile "$1"
}
