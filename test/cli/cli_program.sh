# DART programs that go wrong, on both backends: bad settings, the wrong launcher, units that die.
# Statements A8 and A10.

# In a /dev/shm of its own, if root may make one, so that it is known who leaves something there.
if [[ -z ${own_shm-} ]] && unshare --mount mount -t tmpfs tmpfs /dev/shm 2>/dev/null; then
  # shellcheck disable=SC2016
  exec env own_shm=yes unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm && exec bash "$@"' sh "$0" "$@"
fi
source "$(dirname "$0")/cli.bash"

tested=0

for backend in shmem mpi; do
  dartrun=$build/dart-$backend/dartrun
  program=$build/test/dart-unit-$backend
  [[ -x $dartrun && -x $program ]] || continue
  tested=$((tested + 1))

  run "$dartrun" -n 2 "$program";              expect_code 0; expect_out "done"
  run "$program";                              expect_code 0; expect_out "done"

  # A value that means nothing is named, and the program ends with what it makes of the error.
  for bad in DART_HEAP_CHUNK=1 DART_AGGREGATE=fast DART_HANG=-1 DART_POOL=12Q DART_POOL=; do
    run env "$bad" "$program";                 expect_code 3; expect_line "*${bad%%=*}='${bad#*=}'*"
  done
  run env DART_POOL=$'12\nQ' "$program";       expect_code 3; expect_line "*DART_POOL='12 Q'*" # one line of two

  # A10: an error is one line; at TRACE there is more to read than at WARN where logging is compiled in.
  run env DART_LOG_LEVEL=ERROR "$program" mistake; expect_code 0; expect_line "*DART*dart_barrier*12345*"
  run env DART_LOG_LEVEL=WARN "$program";          expect_code 0; quiet=${#err}
  run env DART_LOG_LEVEL=dart_loglevel_trace "$program"; expect_code 0
  if strings -a "$program" | grep -q 'unit %d of %d, on %d nodes'; then
    ((${#err} > quiet)) || fail "TRACE says no more than WARN: $err"
  fi

  # Whose mistake it is.
  run env DART_LOG_LEVEL=ERROR DART_BACKTRACE=2 "$program" mistake; expect_code 0
  [[ $err == *"dart_barrier: unknown team 12345"$'\n  #0  main at '*dart_unit.c:* ]] || fail "no calls behind an error: $err"

  # The same mistake in a loop is printed 100 times, and counted; how often is said however the unit ends. (UCX may
  # report a crash instead of DART, and sanitizers leave it to the kernel.)
  for how in dart_exit abort exit signal; do
    run env DART_LOG_LEVEL=ERROR "$program" mistakes 5000 $how
    [[ $how != signal || $err == *"crashed by signal 11"* ]] || continue
    [[ $(grep -c 'dart_barrier: unknown team' <<<"$err") == 100 && $(grep -c 'dart_team_destroy' <<<"$err") == 1 &&
       $(grep -c 'dart_barrier: the last of 100 such lines' <<<"$err") == 1 &&
       $(grep -c 'dart_barrier: 4900 more such lines were not printed' <<<"$err") == 1 ]] || fail "$how: $err"
  done

  # Without dart_init there is no team at all.
  run env DART_LOG_LEVEL=ERROR "$program" too-early; expect_code 0; expect_line "*dart_barrier: DART is not initialised"

  # Code compiled with another version of dart_inline.h is an error of dart_init.
  version=$(sed -n 's/^#define DART_INLINE_VERSION //p' \
    "$(dirname "$0")/../../dart-if/include/dash/dart/ext/dart_inline_tables.h")
  run "$build/test/inline-version-$backend";       expect_code 0
  [[ $err == *"dart_init: "*"version $((version + 1)) "*"version $version "*"dart_init_thread: "* ]] ||
    fail "another version: $err"

  # A8: a unit that aborts, leaves, or dies takes the others with it, and they do not wait for ever.
  for when in abort abort-early; do # after dart_init, and before it
    run "$dartrun" -n 3 "$program" $when 7;    expect_code 7
    [[ $out != *done* ]] || fail "somebody went on after $when"
  done
  run "$dartrun" -n 3 "$program" exit 5;       [[ $code != 0 ]] || fail "exit(5) gave exit code 0"
  # mpiexec does not promise to pass on what units write last before an abort
  [[ $backend == mpi || $err == *"unit 2 ends with exit code 5"*"dart_exit"* ]] || fail "not said who left: $err"
  run "$dartrun" -n 3 "$program" exit 0;       [[ $code != 0 ]] || fail "leaving early gave exit code 0"
  for signal in 11 6 9; do # segmentation fault, abort, kill
    run "$dartrun" -n 3 "$program" signal $signal; [[ $code != 0 ]] || fail "signal $signal gave 0"
    [[ $out != *done* ]] || fail "the others went on after signal $signal"
  done
done
[[ $tested -gt 0 ]] || { echo "skipped: no backend in $build"; exit 77; }

# dart-shmem: who died of what.
if has_backend shmem; then
  dartrun=$build/dart-shmem/dartrun program=$build/test/dart-unit-shmem
  run "$dartrun" -n 3 "$program" signal 11;    expect_code 139
  [[ $err == *"unit 2 "*"signal 11"* ]] || fail "not said who died: $err"
fi

# Each launcher starts programs of the other backend by the launcher of that one, with all options. Where that is not
# there, and under another launcher, one line says so instead of so many single units.
if [[ $tested == 2 ]]; then
  for pair in "mpi shmem" "shmem mpi"; do
    read -r other backend <<<"$pair"
    program=$build/test/dart-unit-$backend dartrun=$build/dart-$other/dartrun
    run "$dartrun" --nodes 2 -n 3 "$program"; expect_code 0
    [[ $(grep -c 'on 2 nodes' <<<"$err") == 3 || $err != *INFO* ]] || fail "$backend by $other's dartrun: $err"
    run env PATH="$build/test:$PATH" "$dartrun" -n 3 "dart-unit-$backend" exit 5; [[ $code != 0 ]] || fail "exit(5) gave 0"
    cp "$dartrun" "$work/dartrun"
    run "$work/dartrun" -n 2 "$program"; expect_code 2
    expect_line "dartrun: $program is linked with dart-$backend: start it with dartrun-$backend, which is not installed here"
  done
  # A program that gets DART through libraries of its own, from the shared library or from the archive.
  cat >"$work/inner.c" <<'END'
#include <dash/dart/if/dart.h>
int inner(int *argc, char ***argv)
{
  size_t size = 0;
  return dart_init(argc, argv) == DART_OK && dart_size(&size) == DART_OK && dart_exit() == DART_OK ? (int)size : -1;
}
END
  echo 'int inner(int *, char ***); int outer(int *c, char ***v) { return inner(c, v); }' >"$work/outer.c"
  echo 'int outer(int *, char ***); int main(int c, char **v) { return outer(&c, &v) == 3 ? 0 : 9; }' >"$work/main.c"
  # shellcheck disable=SC2016
  through_libraries() { # BACKEND WORD...: a program whose libraries are found by run paths; the words link DART
    local folder=$work/through own=(-Wl,-rpath,'$ORIGIN') shared=(-shared -fPIC "-I$(dirname "$0")/../../dart-if/include")
    rm -rf "$folder"
    mkdir -p "$folder"
    "$CC" "${shared[@]}" "$work/inner.c" -o "$folder/libinner.so" "-L$build/dart-$1" "${@:2}" "-Wl,-rpath,$build/dart-$1" &&
      "$CC" "${shared[@]}" "$work/outer.c" -o "$folder/libouter.so" "-L$folder" -linner "${own[@]}" &&
      "$CC" "$work/main.c" -o "$folder/main" "-L$folder" -louter "${own[@]}" "-Wl,-rpath-link,$folder" &&
      ln -sf "$folder/main" "$work/main" || fail "no program with libraries of its own"
  }
  cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
  CC=$(cached CMAKE_C_COMPILER)
  if [[ -z $(cached DART_SANITIZE) && -e $build/dart-mpi/libdart-mpi.so ]]; then
    for pair in "mpi shmem" "shmem mpi"; do
      read -r other backend <<<"$pair"
      through_libraries "$backend" "-ldart-$backend"
      run "$build/dart-$other/dartrun" --nodes 2 -n 3 "$work/main"; expect_code 0
    done
    through_libraries shmem -l:libdart-shmem.a -lhwloc -pthread
    run "$build/dart-mpi/dartrun" --nodes 2 -n 3 "$work/main"; expect_code 0
  fi
  mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
  # (Hydra dies of SIGPIPE, and what the units said is lost, if they are over when it sees the end of its input: here it has
  # none.)
  mkfifo "$work/open"
  # shellcheck disable=SC2016
  run sh -c 'exec "$@" <>"$0"' "$work/open" "$mpiexec" -n 2 "$build/test/dart-unit-shmem"
  [[ $code != 0 && $(grep -c "linked with dart-shmem" <<<"$err") == 1 ]] || fail "shmem program under mpiexec: $err"
  run env DART_SHMEM_UNIT=0 DART_SHMEM_UNITS=2 DART_SHMEM_FD=99 "$build/test/dart-unit-mpi"
  [[ $code != 0 && $err == *"linked with dart-mpi"* ]] || fail "mpi program as a unit of dart-shmem: $err"
  printf '#!/bin/sh\nexec "%s"\n' "$build/test/dart-unit-mpi" >"$work/script"
  chmod +x "$work/script"
  run "$build/dart-shmem/dartrun" -n 4 "$work/script"; expect_code 3
  [[ $(grep -c "linked with dart-mpi" <<<"$err") == 1 ]] || fail "an mpi program of a script of dart-shmem's dartrun: $err"
  # As under the mpiexec of another MPI: of its two processes the first says so. One process alone is a job.
  for of in PMI OMPI_COMM_WORLD; do
    run env "${of}_SIZE=2" "${of}_RANK=0" "$build/test/dart-unit-mpi"; expect_code 3
    expect_line "*launcher started 2 processes*job of one unit*start it with dartrun"
    run env "${of}_SIZE=2" "${of}_RANK=1" "$build/test/dart-unit-mpi"; expect_code 3
    [[ $err != *"!!!"* ]] || fail "the second says so, too: $err"
    run env "${of}_SIZE=1" "${of}_RANK=0" "$build/test/dart-unit-mpi"; expect_code 0
  done
fi

# Files that are no programs of this machine, or damaged ones, are no program of another backend.
if has_backend shmem; then
  dartrun=$build/dart-shmem/dartrun program=$build/test/dart-unit-shmem
  mkdir -p "$work/folder"
  [[ -p $work/pipe ]] || mkfifo -m 755 "$work/pipe"
  for backend in shmem mpi; do
    has_backend "$backend" || continue
    for name in "$work/folder" "$work/pipe"; do
      run "$build/dart-$backend/dartrun" -n 2 "$name"; expect_code 127
      expect_line "dartrun: cannot start $name: Permission denied"
    done
  done
  for nbytes in 10 64 100 500 1000 3000; do
    head -c "$nbytes" "$program" >"$work/cut"
    chmod +x "$work/cut"
    run "$dartrun" -n 2 "$work/cut" # the system may start it, which then crashes
    [[ $code != 0 && $code != 124 && $err == *"dartrun: "* ]] || fail "$nbytes bytes of it: $code, $err"
  done
  printf '#!/bin/sh\nexec "%s"\n' "$program" >"$work/script"
  chmod +x "$work/script"
  run "$dartrun" -n 2 "$work/script"; expect_code 0
fi

# The unit is in front of each line, which is whole although it comes in pieces, and in front of the last one, which has no
# end. What a unit writes last, and its code, come through.
tagged() { printf '[0] %s\n[1] %s\n' "$1" "$1"; }
for backend in shmem mpi; do
  has_backend "$backend" || continue
  dartrun=("$build/dart-$backend/dartrun" --tag -n 2)
  run "${dartrun[@]}" sh -c 'echo a; echo b >&2; exit 0'; expect_code 0
  [[ $(sort <<<"$out") == "$(tagged a)" && $(sort <<<"$err") == "$(tagged b)" ]] || fail "$backend: --tag: $out, $err"
  run "${dartrun[@]}" sh -c 'printf in; sleep 0.5; echo " pieces"; printf part'; expect_code 0
  [[ $(sort <<<"$out") == "$({ tagged 'in pieces'; tagged part; } | sort)" ]] || fail "$backend: pieces of lines: $out"
  run "${dartrun[@]}" sh -c 'seq 20000'
  [[ $(wc -l <<<"$out") == 40000 && $(grep -c '^\[1\] [0-9]*$' <<<"$out") == 20000 ]] || fail "$backend: many lines get lost"
  run "${dartrun[@]}" sh -c 'echo last >&2; exit 3'; expect_code 3
  [[ $err == *'] last'* ]] || fail "$backend: the last line is lost: $err"
  run "${dartrun[@]}" "$build/test/dart-unit-$backend" exit 5
  [[ $code != 0 && $out != *done* && $err == *"dartrun: unit "* ]] || fail "$backend: exit with --tag: $code, $out, $err"
done
# UCX, below MPI, unlinks its files a moment after it made them; a unit killed in between leaves one.
left=$(find /dev/shm -mindepth 1 ! -name 'ucx_shm_posix_*')
[[ -z ${own_shm-} || -z $left ]] || fail "left in /dev/shm: $left"
finish
