# bench/scale plays one unit of large jobs: it counts what DART allocates for each step, and names the tables that grow.
source "$(dirname "$0")/cli.bash"

scale=$build/bench/scale
[[ -x $scale ]] || { echo "skipped: $build has no bench/scale"; exit 77; }
[[ -z $(sed -n 's/^DART_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt") ]] || { echo "skipped: a sanitizer has memory of its own"; exit 77; }
export DART_LOG_LEVEL=ERROR
unset DART_NODES HWLOC_SYNTHETIC

# bytes STEP COLUMN: of the totals of the last run.
bytes() { awk -F, -v step="\"$1\"" -v column="$2" '$3 == step { print $column; exit }' "$work/out"; }

for placement in block cyclic random; do
  run "$scale" --least=20000 --most=20000 --segments=100 --placement=$placement --format=csv
  expect_code 0
  for step in init '10 teams' 'irregular team' segments 'unequal segment' adopted registered '10 locks' ranges 'atomic file' locality; do
    (($(bytes "$step" 4) > 0)) || fail "$placement: nothing is allocated by $step"
    (($(bytes "$step" 6) >= $(bytes "$step" 4))) || fail "$placement, $step: less at most than at the end"
  done
done

# A hundred segments more take as many descriptions more.
few=$(bytes segments 4)
run "$scale" --least=20000 --most=20000 --segments=200 --placement=random --format=csv
(($(bytes segments 4) > few + 10000)) || fail "200 segments: $(bytes segments 4) bytes, 100 take $few"

# What a unit keeps does not grow with the units of the job: 200,000 of them, 128 on a node. In bytes: what all segments and
# the team of all units may take, a new team in the pool, a list of 99,906 members, and registered memory.
run "$scale" --least=200000 --most=200000 --format=csv
expect_code 0
(($(bytes init 5) + $(bytes segments 5) <= 1 << 19)) || fail "init and segments: $(bytes init 5), $(bytes segments 5)"
(($(bytes init 7) <= 350000)) || fail "init: $(bytes init 7) bytes of the pool"
(($(bytes '10 teams' 7) <= 10 * 128 * 256)) || fail "10 teams: $(bytes '10 teams' 7) bytes of the pool"
(($(bytes 'irregular team' 5) <= 70000)) || fail "a list: $(bytes 'irregular team' 5) bytes"
(($(bytes 'irregular team' 7) <= 128 * 256 + 8 * 100000)) || fail "a list: $(bytes 'irregular team' 7) bytes of the pool"
# Tables by the team's units lie once for the node: sizes; sizes and heads; addresses in a cache line; and range tables' offsets.
declare -A tables=(['unequal segment']=8 [adopted]=16 [registered]=1 [ranges]=8)
for step in "${!tables[@]}"; do
  (($(bytes "$step" 5) <= 25000)) || fail "$step: $(bytes "$step" 5) bytes"
  (($(bytes "$step" 7) >= ${tables[$step]} * 200000 - 64)) || fail "$step: $(bytes "$step" 7) bytes of the pool"
done
(($(bytes bcast 7) <= 9 << 20)) || fail "bcast: $(bytes bcast 7) bytes of the pool"
(($(bytes allgather 7) <= (9 << 20) + 2 * 64 * 200000)) || fail "allgather: $(bytes allgather 7) bytes of the pool"
(($(bytes '10 locks' 5) <= 10000)) || fail "10 locks: $(bytes '10 locks' 5) bytes"
# 32,768 ranges, at 160 bytes, and for each unit of the team where its table is, at 8.
for step in ranges 'atomic file'; do
  (($(bytes "$step" 7) <= 161 * 32768 + 9 * 200000)) || fail "$step: $(bytes "$step" 7) bytes of the pool"
done
# A tree of domains, in which each unit has a core of its own, is an image that the units of a node share.
(($(bytes tree 5) == 0 && $(bytes tree 7) > 0 && $(bytes tree 7) <= 241 * 200000)) || fail "tree: $(bytes tree 5), $(bytes tree 7)"
# What a step needs meanwhile: nothing for each unit, but in dart_init, for the group of a team, its list of members, and for a
# tree that becomes an image.
passing=$(awk -F, '/^$/ { part++ } part == 2 && $1 != "\"tree\"" && $2 == "private" && $9 > 0.1 { gsub(/"/, "", $1); print $1 }' "$work/out" | sort | uniq -c | paste -sd,)
[[ $passing =~ ^' '*2' init,'' '*2' irregular team'$ ]] || fail "in passing: $passing"

# Nor does it take more where units are dealt to nodes in turn: portions of the node's units are listed by the node, and a team
# without order refers to the placement of the job. By chance the job's placement is a list, of 8 bytes a unit, once for a node.
declare -A lists=([cyclic]=0 [random]=$((9 * 200000)))
for placement in cyclic random; do
  run "$scale" --least=200000 --most=200000 --placement=$placement --format=csv
  expect_code 0
  (($(bytes init 5) + $(bytes segments 5) <= 1 << 19)) || fail "$placement, init and segments: $(bytes init 5), $(bytes segments 5)"
  (($(bytes init 7) <= 350000 + ${lists[$placement]})) || fail "$placement, init: $(bytes init 7) bytes of the pool"
  (($(bytes 'irregular team' 7) <= 128 * 256 + 5 * 100000)) || fail "$placement, a list: $(bytes 'irregular team' 7) bytes of the pool"
done

run "$scale" --most=many; expect_code 2; expect_line "*--most is 'many'*"
run "$scale" --placement=square; expect_code 2; expect_line "*--placement is 'square'*block, cyclic or random*"
run "$scale" --help; expect_code 0
[[ $out == *--per-node* ]] || fail "--help: $out"
finish
