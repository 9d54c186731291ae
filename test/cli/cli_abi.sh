# The interface of a major version stays. First, by the headers (interface.py): each declaration of interface.txt is
# still there, and has not changed; new ones are listed there, too. Then, with --all, by the shared libraries: names,
# types of arguments, and the layout of structures are those of the last release, but for functions that are new. That
# is the last tag v<version>, or DART_ABI_BASE, another revision; before the first of them it is the first revision whose
# libraries had versions of symbols.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
[[ -z $(cached DART_SANITIZE) ]] || { echo "skipped: sanitizers are not for outside"; exit 77; }
need python3
CC=$(cached CMAKE_C_COMPILER)
export CC

export LC_ALL=C
# gone FOLDER: lines of interface.txt that the headers there no longer have.
gone() {
  python3 "$top/test/cli/interface.py" "$1" | sort >"$work/now"
  sort "$top/test/cli/interface.txt" | comm -23 - "$work/now"
}
lost=$(gone "$top/dart-if/include")
[[ -z $lost ]] || fail "programs that were built before need: $lost"
new=$(sort "$top/test/cli/interface.txt" | comm -13 - "$work/now")
[[ -z $new ]] || fail "test/cli/interface.txt lacks what is new: $new"
(($(wc -l <"$work/now") > 500)) || fail "only $(wc -l <"$work/now") declarations were found"

# seen FILE SCRIPT LINE: such a change of a header is found.
seen() {
  rm -rf "$work/include"
  cp -r "$top/dart-if/include" "$work/include"
  sed -i "$2" "$work/include/dash/dart/$1"
  ! cmp -s "$top/dart-if/include/dash/dart/$1" "$work/include/dash/dart/$1" || fail "sed changed nothing in $1"
  # shellcheck disable=SC2053
  [[ $(gone "$work/include") == $3 ]] || fail "$1 was changed by '$2', and found was: $(gone "$work/include")"
}
seen if/dart_communication.h 's/^dart_ret_t dart_barrier(.*/void dart_new_barrier(void);/' 'dart_ret_t dart_barrier(dart_team_t *)'
seen if/dart_types.h 's/DART_OP_MAX .*= 2,/DART_OP_MAX = 20,/' 'enum DART_OP_MAX = 2'
seen if/dart_globmem.h 's/int16_t  *segid;/int32_t segid;/' 'typedef struct{dart_unit_t unitid : 24;*}dart_gptr_t'

[[ -n ${DART_TEST_ALL-} && $DART_TEST_ALL != 0 ]] || finish
for program in abidiff abidw cmake git; do
  command -v $program >/dev/null || { echo "not compared: libraries, as there is no $program here"; finish; }
done
major=$(sed -n 's/^#define DART_VERSION_MAJOR //p' "$top/dart-if/include/dash/dart/if/dart.h")
base=${DART_ABI_BASE:-$(git -C "$top" describe --tags --abbrev=0 --match "v$major.*" 2>/dev/null)}
[[ -n $base ]] || base=$(git -C "$top" log --diff-filter=A --format=%H -- dart-base/dart.map 2>/dev/null | tail -n 1)
if [[ -z $base || $base == "$(git -C "$top" rev-parse HEAD)" ||
      ( -z ${DART_ABI_BASE-} && $(git -C "$top" rev-parse --is-shallow-repository) == true ) ]]; then
  echo "not compared: libraries, as there are no releases $major.x and no history here"
  finish
fi

# must COMMAND...: nothing can go on without it.
must() {
  timeout -k 5 1200 "$@" >"$work/log" 2>&1 </dev/null && return
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
