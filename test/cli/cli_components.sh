# `cmake --install BUILD --component NAME` installs that component alone; without a name, all of them;
# for a name that does not exist, nothing, after a line.
source "$(dirname "$0")/cli.bash"
need cmake awk
grep -q '^DART_INSTALL:BOOL=ON' "$build/CMakeCache.txt" || { echo "skipped: $build installs nothing"; exit 77; }

# files FOLDER: what was installed there, but for folders.
files() { (cd "$1" 2>/dev/null && find . ! -type d | sort); }

components=(runtime development tools doc)
for component in "${components[@]}"; do
  run cmake --install "$build" --prefix "$work/$component" --component "$component"
  expect_code 0
done
run cmake --install "$build" --prefix "$work/all"
expect_code 0

# has COMPONENT PATTERN: a file of the component, and of no other.
has() {
  local component found=''
  for component in "${components[@]}"; do
    ! files "$work/$component" | grep -qE "^\./$2\$" || found+="$component "
  done
  [[ $found == "$1 " ]] || fail "$2 is in '$found', not in '$1 '"
}
lib='(lib|lib64|lib/[^/]+)'
has runtime 'bin/dartrun'
has runtime 'bin/dart-info-[a-z]+'
has runtime 'share/man/man1/dartrun.1'
has runtime "$lib/libdart-(shmem|mpi)\.so\.[0-9]+"
has runtime "$lib/libdart-(check|trace)\.so" # launchers load them by these names
has development "$lib/libdart-(shmem|mpi)\.so"
has development "$lib/libdart-(shmem|mpi|base|check|trace)\.a"
has development "$lib/pkgconfig/dart-.*\.pc"
has development 'share/cmake/dart/dart-config.cmake'
has development 'include/dash/dart/if/dart.h'
has tools 'bin/dart-report'
has tools 'bin/dart-trace'
has tools 'share/man/man1/dart-trace.1'
has doc 'share/man/man3/dart_put.3'
has doc 'share/man/man7/dart.7'
has doc 'share/doc/dart/doc/.*\.md'

# Each file has one component, and all of them are what is installed without a name.
differ=$(diff <(for component in "${components[@]}"; do files "$work/$component"; done | sort) <(files "$work/all")) ||
  fail "components (<) and the whole (>) differ: $differ"

run cmake --install "$build" --prefix "$work/none" --component develop
[[ $code != 0 && $err == *"no component 'develop'"*runtime*development*tools*doc* ]] || fail "develop: $code, $err"
[[ ! -e $work/none ]] || fail "something was installed for a component that does not exist: $(files "$work/none")"
finish
