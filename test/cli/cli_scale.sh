# bench/scale plays one unit of large jobs: it counts what DART allocates for each step, and names the tables that grow.
source "$(dirname "$0")/cli.bash"

scale=$build/bench/scale
[[ -x $scale ]] || { echo "skipped: $build has no bench/scale"; exit 77; }
export DART_LOG_LEVEL=ERROR
unset DART_NODES HWLOC_SYNTHETIC

# bytes STEP COLUMN: of the totals of the last run.
bytes() { awk -F, -v step="\"$1\"" -v column="$2" '$3 == step { print $column; exit }' "$work/out"; }

for placement in block cyclic random; do
  run "$scale" --least=20000 --most=20000 --segments=100 --placement=$placement --format=csv
  expect_code 0
  for step in init '10 teams' 'irregular team' segments registered '10 locks' locality; do
    (($(bytes "$step" 4) > 0)) || fail "$placement: nothing is allocated by $step"
    (($(bytes "$step" 6) >= $(bytes "$step" 4))) || fail "$placement, $step: less at most than at the end"
  done
done

# A hundred segments more take as many descriptions more.
few=$(bytes segments 4)
run "$scale" --least=20000 --most=20000 --segments=200 --placement=random --format=csv
(($(bytes segments 4) > few + 10000)) || fail "200 segments: $(bytes segments 4) bytes, 100 take $few"

run "$scale" --most=many; expect_code 2; expect_line "*--most is 'many'*"
run "$scale" --placement=square; expect_code 2; expect_line "*--placement is 'square'*block, cyclic or random*"
run "$scale" --help; expect_code 0
[[ $out == *--per-node* ]] || fail "--help: $out"
finish
