# The messages that each call sends between nodes are those of counts.csv, exactly (doc/messages.md). Left out are what
# builds with assertions verify by messages (LAZY, NOPRECEDE), and dart_init and dart_exit, whose chains depend on timing.
source "$(dirname "$0")/cli.bash"

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
export DART_LOG_LEVEL=WARN DART_PROGRESS=none DART_NET=latency=2ms
unset DART_STATS DART_NODES
table=$(dirname "$0")/counts.csv

# Where other tests delay a unit, a chain may be longer in all repetitions: so a count that differs is counted again.
for nodes in 2 4 8 16 64; do
  options=(--format=counts --repeat=3)
  ((nodes <= 8)) || options+=('--calls=barrier,bcast,*reduce,*gather,alltoall,team_*,fence') # of all units
  grep -E "^\"[^\"]*\",[0-9]+,$nodes," "$table" >"$work/expected"
  (($(wc -l <"$work/expected") > (nodes <= 8 ? 30 : 10))) || fail "few cases for $nodes nodes in $table"
  for ((try = 1; try <= 4; try++)); do
    run "$build/dart-shmem/dartrun" --nodes $nodes -n $nodes "$build/bench/messages-shmem" "${options[@]}"
    expect_code 0
    grep -vxF -f "$work/out" "$work/expected" >"$work/missing" || break # all are there
    cp "$work/missing" "$work/expected"
    options=(--format=counts --repeat=3 "--calls=$(cut -d'"' -f2 "$work/missing" | tr , '?' | sort -u | paste -sd,)")
  done
  while IFS= read -r line; do
    fail "not '$line' but $(grep -F -- "${line%%\",*}\"," "$work/out")"
  done <"$work/missing"
done

# Jobs in which units share a node, or without counts, are refused.
run "$build/dart-shmem/dartrun" -n 2 "$build/bench/messages-shmem"; expect_code 2
run "$build/dart-shmem/dartrun" --nodes 2 -n 3 "$build/bench/messages-shmem"; expect_code 2

# Calls are chosen by name.
run "$build/dart-shmem/dartrun" --nodes 2 -n 2 "$build/bench/messages-shmem" --format=counts --calls='nothing,b[c]ast'
expect_code 0
[[ $(cut -d, -f1 "$work/out") == '"bcast"' ]] || fail "not bcast alone: $(cat "$work/out")"
finish
