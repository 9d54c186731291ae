# Out of shared memory: on a file system of 64 MiB, asking for more is DART_ERR_NOMEM on every unit,
# never a signal, and the program goes on with less. Files on one that is full, and on one that is read-only.
source "$(dirname "$0")/cli.bash"
need unshare mount

# run_small COMMAND...: with a /dev/shm of its own, which nobody else sees.
run_small() {
  # shellcheck disable=SC2016
  run unshare --mount sh -c 'mount -t tmpfs -o size=64m tmpfs /dev/shm && "$@"' sh "$@"
}

# run_on_disk OPTIONS COMMAND...: with a file system of 1 MiB for files at $disk, mounted again with the options, and
# in it an empty file `old`.
run_on_disk() {
  local options=$1
  shift
  # shellcheck disable=SC2016
  run unshare --mount sh -c 'mount -t tmpfs -o size=1m tmpfs "$0" && : >"$0/old" &&
    mount -o "remount,$1" "$0" && shift && "$@"' "$disk" "$options" "$@"
}

# expect_a_line_a_call: in each of three calls one unit has said for all that there is no room, and in which call.
expect_a_line_a_call() {
  [[ $(grep -c "no room for.*; dart_team_memalloc_aligned$" <<<"$err") == 3 && $(grep -c "ERROR" <<<"$err") == 3 ]] ||
    fail "no room for $units units: $err"
}

run_small true
[[ $code == 0 ]] || { echo "skipped: cannot mount a file system of 64 MiB here: $err"; exit 77; }

disk=$work/disk
mkdir "$disk"

for backend in shmem mpi; do
  dartrun=$build/dart-$backend/dartrun
  program=$build/test/dart-unit-$backend
  [[ -x $dartrun && -x $program ]] || continue
  for units in 1 2 3; do
    [[ $backend-$units == mpi-1 ]] && continue # alone on its node, a unit takes private memory
    run_small "$dartrun" -n $units "$program" too-much 80;  expect_code 0; expect_out "done"
    [[ $backend != shmem ]] || expect_a_line_a_call
    run_small "$dartrun" -n $units "$program" used-up 500;  expect_code 0; expect_out "done"
  done
  if [[ $backend == shmem ]]; then # the same on simulated nodes
    for net in rdma software; do
      run_small env DART_NET=$net "$dartrun" -n 3 --nodes 2 "$program" too-much 80; expect_code 0; expect_out "done"
      expect_a_line_a_call
    done
    # of whatever kind the call is: one unit names it, and a call that goes on without says no more
    while read -r kind call; do
      # shellcheck disable=SC2016
      run unshare --mount sh -c 'mount -t tmpfs -o size=2m tmpfs /dev/shm && "$@"' sh \
        "$dartrun" -n 4 --nodes 2 "$program" objects $([[ $kind == write ]] && echo 1 || echo 0) "$kind" "$work/file"
      [[ $code == 0 && $(grep -c "ERROR" <<<"$err") == 1 && $err == *"no room for"*"$call" ]] ||
        fail "no room for one more $kind: exit code $code: $err"
    done <<END
lock dart_team_lock_init
range dart_team_range_init
clone dart_team_clone
register dart_team_memregister
memalloc dart_memalloc
open dart_file_open
write dart_file_write_all
END
    # registrations share pages: with one of each unit these would need 3 MiB
    # shellcheck disable=SC2016
    run unshare --mount sh -c 'mount -t tmpfs -o size=2m tmpfs /dev/shm && "$@"' sh \
      "$dartrun" -n 4 --nodes 2 "$program" objects 200 register
    expect_code 0; expect_out "done"
    # not even what the network needs, nor records of the units: one unit says so
    for size in 80k 500k 600k 700k 800k 900k; do
      # shellcheck disable=SC2016
      run unshare --mount sh -c 'mount -t tmpfs -o size="$0" tmpfs /dev/shm && "$@"' $size "$dartrun" -n 4 --nodes 2 "$program"
      [[ $code != 0 && $(grep -c "ERROR" <<<"$err") == 1 && $err == *"no room for"* ]] ||
        fail "no room for the network in $size: exit code $code: $err"
    done
  fi
  run_on_disk rw "$dartrun" -n 3 "$program" full-disk 2 "$disk/new";  expect_code 0; expect_out "done"
  run_on_disk ro "$dartrun" -n 3 "$program" read-only 0 "$disk/old";  expect_code 0; expect_out "done"
  # no room for wide buffers of collectives: data travel in smaller pieces
  run_small env DART_TEST_SLOT=16M "$dartrun" -n 3 "$program" too-much 80; expect_code 0; expect_out "done"
  # not even the pool: init says so
  # shellcheck disable=SC2016
  [[ $dartrun != *dart-shmem* ]] || {
    run unshare --mount sh -c 'mount -t tmpfs -o size=80k tmpfs /dev/shm && "$@"' sh "$dartrun" -n 3 "$program"
    [[ $code != 0 && $err == *"no memory for the first team"* && $err != *"ignal"* ]] || fail "init without room: $code $err"
  }
done
finish
