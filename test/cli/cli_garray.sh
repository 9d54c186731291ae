# garray, the C++ library of examples/cxx: one unit throws, and no other waits for it for ever.
source "$(dirname "$0")/cli.bash"

tested=0
for backend in shmem mpi; do
  program=$build/examples/cxx/garray-test-$backend
  [[ -x $program ]] || continue
  tested=$((tested + 1))

  run "$build/dart-$backend/dartrun" -n 3 "$program" throw
  [[ $code != 0 && $code != 124 ]] || fail "exit code $code"
  # mpiexec does not promise to pass on what units write last before an abort
  [[ $backend == mpi || $err == *"garray: thrown by one unit"* ]] || fail "not said what was thrown: $err"
done
[[ $tested -gt 0 ]] || { echo "skipped: no program of garray in $build"; exit 77; }
finish
