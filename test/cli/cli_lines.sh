#!/usr/bin/env bash
# In the model of a machine of many cores the way through groups grows with the logarithm of the units, and no unit waits for
# lines of all others: bench/lines, whose counts are the same in each run.
source "$(dirname "$0")/cli.bash"

[[ -x $build/bench/lines ]] || { echo "skipped: this build has no bench/lines"; exit 77; }
run "$build/bench/lines" --units=64; expect_code 0
table=$out

# of CALL UNITS FORM: transfers, of packages, most of a unit, chain, ns
of() {
  awk -v call="$1" -v units="$2" -v form="$3" \
    'index($0, call " ") == 1 && $(NF - 6) == units && $(NF - 5) == form { print $(NF - 4), $(NF - 2), $(NF - 1); exit }' <<<"$table"
}
holds() { awk "BEGIN { exit !($1) }" || fail "not so: $2: $1"; }

for call in barrier agreement 'allreduce 8 B' 'bcast 8 B' 'allreduce 512 B'; do
  read -r all64 unit64 chain64 < <(of "$call" 64 groups) || fail "no line of $call"
  read -r all32 unit32 chain32 < <(of "$call" 32 groups)
  read -r one64 own64 long64 < <(of "$call" 64 one)
  holds "$all64 / $all32 < 2.2" "$call: lines in all grow with the units"
  holds "$unit64 < 1.25 * $unit32" "$call: lines of a unit do not"
  holds "$chain64 < 1.25 * $chain32" "$call: nor does the longest chain"
  holds "$chain64 < $long64 / 2" "$call: in one barrier it is longer"
done
read -r all one _ < <(of barrier 8 groups) && fail "8 units are in groups"

for wrong in 1 257 x -3; do
  run "$build/bench/lines" --units="$wrong"; expect_code 2
  [[ $err == "lines: --units=$wrong is not in 2..256" ]] || fail "--units=$wrong: $err"
done
finish
