# Out of shared memory: on a file system of 64 MiB, asking for more is DART_ERR_NOMEM on every unit,
# never a signal, and the program goes on with less.
source "$(dirname "$0")/cli.bash"
need unshare mount

# run_small COMMAND...: with a /dev/shm of its own, which nobody else sees.
run_small() {
  # shellcheck disable=SC2016
  run unshare --mount sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && "$@"' sh "$@"
}

run_small true
[[ $code == 0 ]] || { echo "skipped: cannot mount a file system of 64 MiB here: $err"; exit 77; }

for backend in shmem mpi; do
  dartrun=$build/dart-$backend/dartrun
  program=$build/test/dart-unit-$backend
  [[ -x $dartrun && -x $program ]] || continue
  for units in 1 2 3; do
    [[ $backend-$units == mpi-1 ]] && continue # alone on its node, a unit takes private memory
    run_small "$dartrun" -n $units "$program" too-much 80;  expect_code 0; expect_out "done"
    run_small "$dartrun" -n $units "$program" used-up 500;  expect_code 0; expect_out "done"
  done
  # not even the pool: init says so
  run_small env DART_SLOT=16M "$dartrun" -n 3 "$program";   [[ $code != 0 ]] || fail "no room, no error"
  [[ $err == *"DART_SLOT"* && $err != *"ignal"* ]] || fail "init without room: $err"
done
finish
