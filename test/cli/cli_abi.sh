# The binary interface of the shared libraries is that of the last release of the same major version, but for functions
# that are new: names, types of arguments, and the layout of the structures in the public headers. The last release is
# the last tag v<version>, or DART_ABI_BASE, another revision; before the first of them there is nothing to keep.
source "$(dirname "$0")/cli.bash"
need abidiff abidw cmake git
top=$(cd "$(dirname "$0")/../.." && pwd)
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
[[ -z $(cached DART_SANITIZE) ]] || { echo "skipped: sanitizers are not for outside"; exit 77; }
major=$(sed -n 's/^#define DART_VERSION_MAJOR //p' "$top/dart-if/include/dash/dart/if/dart.h")
base=${DART_ABI_BASE:-$(git -C "$top" describe --tags --abbrev=0 --match "v$major.*" 2>/dev/null)}
[[ -n $base ]] || { echo "skipped: no release $major.x is tagged"; exit 77; }

# must COMMAND...: nothing can go on without it.
must() {
  timeout -k 5 400 "$@" >"$work/log" 2>&1 </dev/null && return
  echo "FAILED line ${BASH_LINENO[0]}: $*"
  tail -n 30 "$work/log"
  exit 1
}

backends=(shmem)
[[ ! -e $build/dart-mpi/libdart-mpi.so ]] || backends+=(mpi)
mkdir "$work/old"
must git -C "$top" archive -o "$work/old.tar" "$base"
must tar -C "$work/old" -xf "$work/old.tar"
ln -s "$top" "$work/new"
for which in old new; do
  must cmake -S "$work/$which" -B "$work/build-$which" -DCMAKE_BUILD_TYPE=Debug -DDART_BUILD_TESTS=OFF \
    -DDART_BUILD_BENCH=OFF -DDART_BUILD_EXAMPLES=OFF -DCMAKE_C_COMPILER="$(cached CMAKE_C_COMPILER)" \
    -DCMAKE_C_COMPILER_LAUNCHER="$(cached CMAKE_C_COMPILER_LAUNCHER)" \
    -DDART_BACKEND_MPI="$([[ ${backends[*]} == *mpi* ]] && echo ON || echo OFF)"
  must cmake --build "$work/build-$which" --parallel 2 --target $(printf "dart-%s-shared " "${backends[@]}")
done

for backend in "${backends[@]}"; do
  library=dart-$backend/libdart-$backend.so
  functions=$(abidw --no-corpus-path "$work/build-new/$library" | grep -c '<function-decl.*elf-symbol-id=')
  ((functions > 150)) || fail "abidw sees the types of $functions functions only"
  run abidiff --no-added-syms --headers-dir1 "$work/old/dart-if/include" --headers-dir2 "$top/dart-if/include" \
    "$work/build-old/$library" "$work/build-new/$library"
  [[ $code == 0 ]] || fail "libdart-$backend.so is not compatible with $base: $out $err"
done
finish
