# The messages that each call sends between nodes are those of counts.csv, exactly (doc/internals/messages.md): of builds
# without assertions, which verify promises by messages of their own. Left out are atomic writes of 64 units, which meet at
# one lock, and collective writes in turns of more than 8, whose packets come early, and 1 MiB between more than 8, the pieces
# of which do. The bytes of dart_init depend on the machine.
source "$(dirname "$0")/cli.bash"

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
export DART_LOG_LEVEL=WARN DART_PROGRESS=none
unset DART_STATS DART_NODES
table=$(dirname "$0")/counts.csv

# Few counts depend on how late units are. A chain is longer if a unit serves an early request before it sends its own
# messages. And now and then a unit asks another whether it is there. So a count that differs is counted again, with a
# longer latency.
for nodes in 2 4 8 16 ${DART_TEST_ALL:+64}; do # of 64 it takes a minute
  options=(--format=counts --repeat=1)
  latency=$((nodes <= 16 ? 1 : 4)) # ms
  grep -E "^\"[^\"]*\",[0-9]+,$nodes," "$table" >"$work/expected"
  (($(wc -l <"$work/expected") > 50)) || fail "few cases for $nodes nodes in $table"
  for ((try = 1; try <= 5; try++)); do
    DART_NET=latency=$((latency <<= try > 1))ms \
      run "$build/dart-shmem/dartrun" --nodes $nodes -n $nodes "$build/bench/messages-shmem" "${options[@]}"
    expect_code 0
    sed -E 's/^("init",[0-9]+,[0-9]+,[0-9]+),[0-9]+,/\1,*,/' "$work/out" >"$work/counts"
    grep -vxF -f "$work/counts" "$work/expected" >"$work/missing" || break # all are there
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

run "$build/dart-shmem/dartrun" --nodes 2 -n 2 "$build/bench/messages-shmem" --calls=nothing; expect_code 2
[[ $err == *"--calls 'nothing' names no call"* ]] || fail "no call: $err"

# Calls are chosen by name.
run "$build/dart-shmem/dartrun" --nodes 2 -n 2 "$build/bench/messages-shmem" --format=counts --calls='nothing,b[c]ast'
expect_code 0
[[ $(cut -d, -f1 "$work/out") == '"bcast"' ]] || fail "not bcast alone: $(cat "$work/out")"
finish
