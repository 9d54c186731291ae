# The Debian packages: built from the tree, clean to lintian, and complete: ring is built and run with what they have.
# They are unpacked, not installed, so they are relocatable, too.
source "$(dirname "$0")/cli.bash"
need dpkg-buildpackage dh lintian pkg-config cc
top=$(cd "$(dirname "$0")/../.." && pwd)
lacking=$(cd "$top" && dpkg-checkbuilddeps 2>&1) || { echo "skipped: $lacking"; exit 77; }
[[ -z $(sed -n 's/^DART_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt") ]] || { echo "skipped: once is enough"; exit 77; }

# must COMMAND...: nothing can go on without it.
must() {
  timeout -k 5 1600 "$@" >"$work/log" 2>&1 </dev/null && return
  echo "FAILED line ${BASH_LINENO[0]}: $*"
  tail -n 40 "$work/log"
  exit 1
}

mkdir "$work/tree" "$work/root"
tar -C "$top" --exclude=./build --exclude=./.git -c . | tar -C "$work/tree" -x
unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS DESTDIR PKG_CONFIG_PATH LD_LIBRARY_PATH
cd "$work/tree" || exit 1
must env DEB_BUILD_OPTIONS=parallel=2 dpkg-buildpackage -us -uc -b
must lintian --fail-on error,warning "$work"/dart_*.changes

# Packages of libraries have the names of the sonames. Only one of them needs MPI.
for backend in shmem mpi; do
  soname=$(readelf -d "$build/dart-$backend/libdart-$backend.so" | sed -n 's/.*SONAME.*\.so\.\([0-9]*\)\]/\1/p')
  package=("$work/libdart-$backend$soname"_*.deb)
  [[ -e ${package[0]} ]] || { fail "no package libdart-$backend$soname"; continue; }
  needs=$(dpkg-deb -f "${package[0]}" Depends)
  case $backend:$needs in
    mpi:*libmpich*) ;;
    mpi:* | shmem:*mpich*) fail "libdart-$backend$soname depends on: $needs" ;;
  esac
done

for package in "$work"/*.deb; do
  [[ $package == *-dbgsym_* ]] || dpkg-deb -x "$package" "$work/root"
done
libdir=$(dirname "$(find "$work/root" -name dart-shmem.pc)")
must env PATH="$work/root/usr/bin:$PATH" PKG_CONFIG_PATH="$libdir" LD_LIBRARY_PATH="${libdir%/*}" sh debian/tests/ring
finish
