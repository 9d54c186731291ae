# Few descriptors, little shared memory, no /proc, no /sys: a program works, or ends soon with a code that is not 0 and
# one line of DART's that names what there is too little of; and nothing of it is left. What MPI prints besides is not
# looked at. Each case has a /dev/shm and System V segments of its own.
source "$(dirname "$0")/cli.bash"
need unshare mount
shapes=(shmem mpi 'mpi --nodes 2') # what a simulated network needs besides is cli_tmpfs.sh's

export DART_LOG_LEVEL=ERROR

# run_in SETUP COMMAND...: where SETUP was done. What the command leaves is in $left.
run_in() {
  local setup=$1
  shift
  # shellcheck disable=SC2016
  run unshare --mount --ipc bash -c '
    mount -t tmpfs tmpfs /dev/shm
    (eval "$1"; exec "${@:3}")
    code=$?
    for ((i = 0; i < 40; i++)); do # segments go with their processes, which may still be ending
      [[ $(ipcs -m | grep 0x) ]] || break
      sleep 0.05
    done
    { ls -A /dev/shm; ipcs -m | grep 0x; } >"$2/left"
    exit $code' bash "$setup" "$work" "$@" # ($setup may hide /proc, which ipcs reads)
  left=$(<"$work/left")
}

run_in : true
[[ $code == 0 ]] || { echo "skipped: cannot mount a file system here: $err"; exit 77; }

# Only with these can 8 descriptors be had: bash needs some itself.
few='for fd in /proc/self/fd/*; do fd=${fd##*/}; ((fd > 2)) && eval "exec $fd>&-"; done; ulimit -n 8'
little='mount -t tmpfs -o size=1m tmpfs /dev/shm'
least='mount -t tmpfs -o size=80k tmpfs /dev/shm'
no_proc='mount -t tmpfs -o ro tmpfs /proc'
no_sys='mount -t tmpfs -o ro tmpfs /sys'

# Lines of DART and dartrun; other libraries print more.
ours() { grep -a 'DART:\|^dartrun:' <<<"$err"; }
expect_ours() { # PATTERN: there is a line like it
  # shellcheck disable=SC2053
  [[ $(ours) == $1 ]] || fail "'$(ours)' is not like '$1'; exit code $code"
}
works() { expect_code 0; expect_out_has "done"; [[ -z $(ours) ]] || fail "it said: $(ours)"; }
expect_out_has() { [[ $out == *"$1"* ]] || fail "output '$out' has no '$1'"; }
fails() { [[ $code != 0 && $code != 124 && $code != 137 ]] || fail "exit code $code"; expect_ours "$1"; }
works_but() { expect_code 0; expect_out_has "done"; expect_ours "$1"; [[ $(ours) != *$'\n'* ]] || fail "not one line: $(ours)"; }
leaves_nothing() { [[ -z $left ]] || fail "left: $left"; }

on_one_backend() {
  local program=$build/test/dart-unit-$backend units
  for units in 1 3; do
    ((${#dartrun[@]} > 1 && units == 1)) && continue
    set -- "${dartrun[@]}" -n $units
    run_in "$few" "$@" "$program"
    case $backend in
    shmem) works ;;
    mpi) fails 'dartrun: cannot start *mpiexec*: Too many open files (ulimit -n is 8)' ;;
    esac
    leaves_nothing
    run_in "$little" "$@" "$program"
    case $backend in
    shmem) works ;;
    mpi) fails '*dartrun: MPI did not start: /dev/shm has *bytes left*' ;;
    esac
    run_in "$least" "$@" "$program"
    case $backend in
    shmem) fails '*no room for * bytes of shared memory*/dev/shm*left*DART_POOL*' ;;
    mpi) fails '*dartrun: MPI did not start: /dev/shm has *bytes left*' ;;
    esac
    run_in "$no_sys" "$@" "$program"; works; leaves_nothing
    run_in "$no_proc" "$@" "$program"
    case $backend in
    shmem) works ;;
    mpi) fails '*dartrun: MPI did not start: there is no /proc here*' ;;
    esac
    [[ $backend == mpi ]] || leaves_nothing # MPICH may leave a file: doc/running.md
  done
}
on_backends on_one_backend dart-unit

if [[ -x $build/dart-shmem/dartrun ]]; then
  shmem=("$build/dart-shmem/dartrun" -n 3)
  # 1 MiB is enough; the line is one for all units; programs do without the launcher, too.
  run_in "$little" "${shmem[@]}" "$build/test/dart-unit-shmem"; works; leaves_nothing
  run_in "$least" "${shmem[@]}" "$build/test/dart-unit-shmem"
  [[ $(grep -c 'no room for' <<<"$err") == 1 ]] || fail "not one line for all units: $err"
  run_in "$few" "$build/test/dart-unit-shmem"; works; leaves_nothing
  # No thread for an agent, which locks between nodes need: one unit says so. Limits of threads do not bind root.
  other=(setpriv --reuid 54321 --clear-groups)
  if ((EUID == 0)) && "${other[@]}" test -x "$build/test/dart-unit-shmem" 2>/dev/null; then
    run_in : "${other[@]}" bash -c 'ulimit -u 4 && exec "$@"' bash "${shmem[@]}" --nodes 2 "$build/test/dart-unit-shmem" objects 0 lock
    works_but '*no progress agent: *'
  fi
  # More than the start works without /proc and /sys.
  run_in "$no_sys; $no_proc" "${shmem[@]}" "$build/test/dart-test-shmem" atomic notify register locality
  [[ $code == 0 && $out == *" 0 failed"* ]] || fail "without /proc and /sys: $code $out"
fi
if has_backend mpi; then
  # Between too few descriptors and enough, mpiexec or MPI fails; dartrun says why. With the fewest it cannot start mpiexec.
  run_in "${few/8/12}" "$build/dart-mpi/dartrun" --nodes 2 -n 3 "$build/test/dart-unit-mpi"
  fails "*dartrun: *: Too many open files (ulimit -n is 12)*"
  for files in 17 24; do
    run_in "${few/8/$files}" "$build/dart-mpi/dartrun" --nodes 2 -n 3 "$build/test/dart-unit-mpi"
    fails "*dartrun: MPI did not start: ulimit -n is $files*"
  done
  run_in "$no_sys" "$build/dart-mpi/dartrun" --nodes 2 -n 3 "$build/test/dart-test-mpi" notify locality
  [[ $code == 0 && $out == *" 0 failed"* ]] || fail "without /sys: $code $out"
fi
finish
