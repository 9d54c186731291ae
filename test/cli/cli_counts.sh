# The messages that each call sends between nodes are those of counts.csv, exactly (doc/internals/messages.md): of builds
# without assertions, which verify promises by messages of their own. Left out are atomic writes of 64 units, which meet at
# one lock, and collective writes in turns of more than 8, whose packets come early, and 1 MiB between more than 8, the pieces
# of which do, and most fences with data of 64. The bytes of dart_init depend on the machine.
source "$(dirname "$0")/cli.bash"
run_limit=200

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
export DART_LOG_LEVEL=WARN DART_PROGRESS=none
unset DART_STATS DART_NODES
table=$(dirname "$0")/counts.csv

# keys FILE: the cases of lines with counts.
keys() { sed -E 's/(,[^,]*){3}$//' "$1" | sort; }

# Few counts depend on how late units are. A chain is longer if a unit serves an early request before it sends its own
# messages. And now and then a unit asks another whether it is there. So a count that differs is counted again, with a
# longer latency. That of dart_exit has messages more where the program has sent some: it is counted again without.
for nodes in 2 4 8 ${DART_TEST_ALL:+16 64}; do # of 64 it takes a minute
  options=(--format=csv --repeat=1)
  latency=$((nodes <= 16 ? 1 : 4)) # ms
  grep -E "^\"[^\"]*\",[0-9]+,$nodes," "$table" >"$work/expected"
  (($(wc -l <"$work/expected") > 50)) || fail "few cases for $nodes nodes in $table"
  for ((try = 1; try <= 5; try++)); do
    DART_NET=latency=$((latency <<= try > 1))ms \
      run "$build/dart-shmem/dartrun" --nodes $nodes -n $nodes "$build/bench/messages-shmem" "${options[@]}"
    expect_code 0
    sed -nE 's/^("[^"]*",[0-9]+,[0-9]+,[0-9]+),[0-9]+,([0-9]+,[0-9]+),.*/\1,\2/p' "$work/out" |
      sed -E 's/^("init",[0-9]+,[0-9]+,[0-9]+),[0-9]+,/\1,*,/' >"$work/counts"
    ((try > 1)) || cp "$work/out" "$work/of_$nodes"
    if ((nodes <= 8 && try == 1)); then # of more some are left out, see above
      uncounted=$(comm -23 <(keys "$work/counts") <(keys "$work/expected"))
      [[ -z $uncounted ]] || fail "without a line in $table: $uncounted"
    fi
    grep -vxF -f "$work/counts" "$work/expected" >"$work/missing" || break # all are there
    cp "$work/missing" "$work/expected"
    options=(--format=csv --repeat=3 "--calls=$(cut -d'"' -f2 "$work/missing" | tr , '?' | sort -u | paste -sd,)")
  done
  while IFS= read -r line; do
    fail "not '$line' but $(grep -F -- "${line%%\",*}\"," "$work/counts")"
  done <"$work/missing"
done

# The page has these counts, and says why they are above the least.
top=$(cd "$(dirname "$0")/../.." && pwd)
if command -v python3 >/dev/null; then
  differ=$(python3 "$top/test/cli/page_counts.py" "$top/doc/internals/messages.md" "$table" "$work"/of_*)
  [[ -z $differ ]] || fail "the page: $differ"
fi

# Each function of the interface is counted, or no case needs it: it is local, or of the kind of one that is counted.
cat >"$work/others" <<'END'
config strerror version initialized op_create op_destroy op_name type_create_custom type_create_indexed type_name
gptr_getflags gptr_setaddr gptr_setflags group_addmember group_clone group_create group_delmember group_getmembers
group_intersect group_ismember group_locality_split group_size group_split group_union team_myid team_size team_unit_g2l
team_unit_l2g team_near_units unit_locality domain_add_subdomain domain_assign domain_clone domain_create domain_destroy
domain_exclude domain_find domain_group domain_move_subdomain domain_scope_domains domain_scope_tags domain_select
domain_split_scope domain_team_locality
near_ptr resolve resolved_check inline_require inline_wrote memalloc memfree allocator_alloc allocator_free
lock_initialized handle_free stats_describe stats_difference stats_size file_error
testall testall_local test_local wait_local notify_waitsome try_probe file_read_at_request file_test
wait_word_all wait_word_any wait_word_range wait_word_some
survives lock_was_broken lost_handler unit_status team_lost team_agree team_shrink
_io__hdf5__prep_mpio _layer_failed _layer_wait _layer_waited
END
grep -ohE '\bdart_[a-z0-9_]+\(' "$top/test/cli/interface.txt" | tr -d '(' | sort -u >"$work/names"
cat "$top"/bench/messages/*.[ch] "$top"/bench/common/bench.c | grep -oE '\bdart_[a-z0-9_]+' | sort -u >"$work/called"
missing=$(comm -23 "$work/names" <(sort -u "$work/called" <(sed 's/[^ ]*/dart_&/g' "$work/others" | tr ' ' '\n')))
[[ -z $missing ]] || fail "neither counted nor in the list of this test: $missing"

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
