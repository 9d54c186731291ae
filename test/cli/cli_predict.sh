# bench/predict: barriers grow with the logarithm of the nodes, updates with the nodes, and parameters can be given.
source "$(dirname "$0")/cli.bash"
predict=$(cd "$(dirname "$0")/../.." && pwd)/bench/predict

run "$predict"; expect_code 0
[[ $(wc -l <"$work/out") == 5 ]] || fail "not four jobs: $out"

# A message takes 1000 + 2 * 100 ns; a node has one unit: one job has 3 doublings, the other 10.
small=(--network 1000:100:50:1 --per-node 1 --barrier 500 --agreement 700)
run "$predict" "${small[@]}" --halo 1000 8 1024; expect_code 0
[[ $(awk 'NR > 1 { print $2, $3, $4 }' "$work/out" | paste -sd,) == '8 4.1 4.8,1024 12.5 13.2' ]] || fail "barrier, team: $out"
# Two far neighbours: 4 messages made and taken, the latency, and the bytes of two.
[[ $(awk 'NR == 2 { print $5 }' "$work/out") == 3.9 ]] || fail "halo: $out"

# An irregular team: 20 ns more for each unit.
run "$predict" "${small[@]}" --member 20 8; expect_code 0
[[ $(awk 'NR == 2 { print $6 }' "$work/out") == 5.0 ]] || fail "irregular: $out"
# Units in groups take a step more: a node agrees, and passes two barriers.
run "$predict" "${small[@]}" --per-node 32 32; expect_code 0
[[ $(awk 'NR == 2 { print $4 }' "$work/out") == 1.7 ]] || fail "groups: $out"
# Few updates under way make short messages.
run "$predict" --network infiniband 1000000; expect_code 0
[[ $out == *' 8192  bytes' ]] || fail "pending: $out"
run "$predict" --network infiniband --pending 1024 1000000; expect_code 0
[[ $out == *' 1024  messages' ]] || fail "pending: $out"

run "$predict" --network infiniband --update 1 --line 1; expect_code 0
[[ $(grep -c bytes "$work/out") == 4 ]] || fail "not bound by bytes: $out"
run "$predict" --network tin; expect_code 2; expect_line "*--network 'tin' is not slingshot, infiniband, or L:o:g:G*"
run "$predict" --pending x; expect_code 2; expect_line "*'x' is no number from 1 on*"
run "$predict" 10 x; expect_code 2; expect_line "*'x' is no number from 1 on*"
run "$predict" --help; expect_code 0
finish
