# bench/growth counts what collective calls send in jobs of several units on each node, and says which have a unit whose
# messages grow faster than the logarithm of the nodes. Those that do are named here, so that no other joins them.
source "$(dirname "$0")/cli.bash"

growth=$(cd "$(dirname "$0")/../.." && pwd)/bench/growth
has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
[[ -x $build/bench/messages-shmem ]] || { echo "skipped: $build has no bench/messages-shmem"; exit 77; }
[[ -z $(sed -n 's/^DART_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt") ]] || { echo "skipped: a sanitizer makes large jobs slow"; exit 77; }
unset DART_STATS DART_NODES DART_NET

# Now and then a unit asks another whether it is there, so what differs is counted again.
for ((try = 1; try <= 3; try++)); do
  run "$growth" --build "$build" 16:4 128:32
  expect_code 0
  named=$(sed -n 's/^faster than the logarithm: \([^,]*\),.*/\1/p' "$work/out" | sort | paste -sd' ')
  [[ $named != alltoall ]] || break
done
((try <= 3)) || fail "faster than the logarithm: '$named' in $out"
for call in init barrier bcast allreduce team_create team_memalloc file_open file_write_all exit; do
  (($(grep -c "^$call " "$work/out") == 2)) || fail "$call: not two jobs in $out"
done

# What all units tell one another, in teams for which no result has room for all of it: there as if they were large.
run env DART_TEST_SCATTERED=1 "$growth" --build "$build" --calls init,team_memregister,team_range_init,file_open 16:4 128:32
expect_code 0
[[ $out != *'faster than the logarithm'* ]] || fail "in a large team: $out"

run "$growth" --build "$build" 4:2; expect_code 2; expect_line '*growth needs two jobs*'
run "$growth" --build "$build" 8:4 4:2; expect_code 2; expect_line '*4:2: more nodes are wanted*'
run "$growth" --build "$build" many; expect_code 2; expect_line "*'many' is no job*"
run "$build/dart-shmem/dartrun" -n 2 "$build/bench/messages-shmem" --format=scale; expect_code 2
finish
