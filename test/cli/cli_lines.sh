#!/usr/bin/env bash
# In the model of a machine of many cores the way through groups grows with the logarithm of the units, and no unit waits for
# lines of all others: bench/lines, whose counts are the same in each run.
source "$(dirname "$0")/cli.bash"

[[ -x $build/bench/lines ]] || { echo "skipped: this build has no bench/lines"; exit 77; }
# of CALL UNITS FORM: transfers, most of a unit, chain; from ${tables[UNITS]}
tables=()
of() {
  awk -v call="$1" -v units="$2" -v form="$3" \
    'index($0, call " ") == 1 && $(NF - 6) == units && $(NF - 5) == form { print $(NF - 4), $(NF - 2), $(NF - 1); exit }' <<<"${tables[$2]}"
}
holds() { awk "BEGIN { exit !($1) }" || fail "not so: $2: $1"; }

# Machines with so many cores, for units are spread over all of them.
for numa in 1 2 4; do
  run "$build/bench/lines" --units=$((16 * numa)) --machine="package:1 numa:$numa l3:2 core:8 pu:1"; expect_code 0
  tables[16 * numa]=$out
done
tables[8]=${tables[16]}
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

# The machines, as DART finds them: their domains, and no more units than cores.
run "$build/bench/lines" --units=2; expect_code 0
for machine in '2 Epyc 7763: 2 packages, 2 NUMA domains, 128 cores' '2 Epyc 7451: 2 packages, 8 NUMA domains, 48 cores' \
  '128 Arm cores: 2 packages, 4 NUMA domains, 128 cores'; do
  [[ $out == *"$machine"* ]] || fail "no machine '$machine'"
done
run "$build/bench/lines" --machine='package:2 numa:4 l3:2 core:3 pu:2'; expect_code 0
tables[32]=$out
read -r _ < <(of barrier 32 groups) || fail "no line of 32 units on 48 cores"
[[ $out != *" 64  "* ]] || fail "64 units on 48 cores"

# One that was recorded.
run "$build/bench/lines" --machine="$(dirname "$0")/../topology/machines/recorded-two-sockets.xml"; expect_code 0
[[ $out == *"recorded-two-sockets.xml: 2 packages, 8 NUMA domains, 8 cores"* ]] || fail "recorded: ${out%%$'\n'*}"

# Three more of 2 packages of 8 domains, as files that lstopo writes: in each DART finds what it finds in the line of hwloc's.
if command -v lstopo-no-graphics >/dev/null; then
  for shape in 'package:2 numa:8 l3:2 core:8 pu:1' 'package:2 numa:8 l3:1 core:4 pu:2' 'package:2 numa:8 l3:4 core:3 pu:1'; do
    lstopo-no-graphics -i "$shape" --of xml -f "$work/machine.xml" || fail "lstopo does not write $shape"
    run "$build/bench/lines" --units=16 --machine="$work/machine.xml"; expect_code 0
    [[ $out == *"machine.xml: 2 packages, 16 NUMA domains, "* ]] || fail "$shape: ${out%%$'\n'*}"
    counted=${out#*$'\n'}
    run "$build/bench/lines" --units=16 --machine="$shape"; expect_code 0
    [[ ${out#*$'\n'} == "$counted" ]] || fail "$shape: not as in a file"
    rm "$work/machine.xml"
  done
fi

# Units that share a cache pay less than those of two packages: of a machine of the user's.
run "$build/bench/lines" --units=2 --machine='package:1 l3:1 core:2 pu:1'; expect_code 0
near=$(awk '/^barrier/ { print $NF }' <<<"$out")
run "$build/bench/lines" --units=2 --machine='package:2 l3:1 core:2 pu:1'; expect_code 0
far=$(awk '/^barrier/ { print $NF }' <<<"$out")
holds "$near < $far" "a barrier of one cache takes less than one of two packages"
for wrong in nowhere.xml 'nonsense:2'; do
  run "$build/bench/lines" --machine="$wrong"; expect_code 2
  [[ $err == *"lines: hwloc cannot show the machine '$wrong'" ]] || fail "$wrong: $err"
done

for wrong in 1 257 x -3; do
  run "$build/bench/lines" --units="$wrong"; expect_code 2
  [[ $err == "lines: --units=$wrong is not in 2..256" ]] || fail "--units=$wrong: $err"
done
finish
