# The examples that outlive units (examples/survive, examples/cxx/outlive.cc): who is lost at any moment, the result is right.
source "$(dirname "$0")/cli.bash"
run_limit=200 # longer than that of a step

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
dartrun=$build/dart-shmem/dartrun
examples=$build/examples
need "$dartrun" "$examples/survive_stencil-shmem" "$examples/survive_randomaccess-shmem"
export DART_SURVIVE=1 DART_LOG_LEVEL=WARN
outcomes=$work/outcomes

# lose PROGRAM UNITSxNODES KIND SEED [FILE]: the units that are left end well, with the right result. Checkpoints in memory
# do not help if a unit and its buddy are lost together, or most units with their node: then that is said.
lose() {
  local nlost n=${2%x*} nodes=${2#*x} together='@(two|pair)'
  ((2 * ((n + nodes - 1) / nodes) <= n)) || together='@(two|pair|node)'
  run "$dartrun" -n "$n" --nodes "$nodes" "$examples/survive_$1-shmem" "${@:3}"
  nlost=$(grep -c 'is lost, killed by signal 9' <<<"$err")
  echo "$nlost lost, code $code" >>"$outcomes"
  # shellcheck disable=SC2053
  if [[ $code == 3 && $3 == $together && $# == 4 ]]; then
    [[ $err == *"survive: both copies of a block are lost"* && $nlost -ge 2 ]] || fail "$*: $out $err"
  else
    [[ $code == $((nlost > 0 ? 137 : 0)) && $out == "survive_$1: $((n - nlost)) units are left; 0 of "*" are wrong." ]] ||
      fail "$*: code $code: $out $err"
  fi
}

for program in stencil randomaccess; do
  also lose $program 3x1 none 1
  also lose $program 4x1 pair 1
  also lose $program 4x1 pair 2 "$work/$program.pair"
  also lose $program 4x2 none 1
done
together
[[ $(sort "$outcomes" | uniq -c | tr -s ' ' | paste -sd,) == " 4 0 lost, code 0, 2 2 lost, code 137, 2 2 lost, code 3" ]] ||
  fail "none and pairs: $(<"$outcomes")"

# A victim of the last phase may come to the end before its moment; the others do not.
: >"$outcomes"
nschedules=${DART_TEST_SCHEDULES-16}
for ((seed = 1; seed <= nschedules; seed++)); do
  programs=(stencil randomaccess) kinds=(one two one node)
  nodes=$((seed / 2 % 4 == 3 ? seed / 8 % 2 + 2 : seed / 8 % 3 + 1))
  file=()
  ((seed % 3 != 0)) || file=("$work/file.$seed")
  also lose "${programs[seed % 2]}" $((seed % 6 + 3))x$nodes "${kinds[seed / 2 % 4]}" $seed "${file[@]}"
  ((${#beside[@]} < 2)) || { together; rm -f "$work"/file.*; }
done
together
(($(grep -c '^[1-9] lost' "$outcomes") >= nschedules * 3 / 4)) || fail "too few losses: $(sort "$outcomes" | uniq -c)"

# The same in C++: losses at the start of drawn phases. One of the seeds has a pair in one phase.
if [[ -x $examples/cxx/outlive-shmem ]]; then
  for seed in 1 2 3; do
    run "$dartrun" -n 5 "$examples/cxx/outlive-shmem" $seed; expect_code 137
    expect_out "outlive on 4 units: 0 failures"
  done
  for nodes in 2 3; do
    for seed in 1 8 14 16; do
      run "$dartrun" -n 6 --nodes $nodes "$examples/cxx/outlive-shmem" $seed; expect_code 137
      expect_out "outlive on 5 units: 0 failures"
    done
  done
  run "$dartrun" -n 6 "$examples/cxx/outlive-shmem" 1 2; expect_code 137
  expect_out "outlive on 4 units: 0 failures"
  run "$dartrun" -n 4 "$examples/cxx/outlive-shmem" 37 2; expect_code 1
  [[ $err == *"both copies of a block are lost"* ]] || fail "a pair: $err"
fi

# Without the setting they say what is missing; and what they take.
DART_SURVIVE=0 run "$dartrun" -n 2 "$examples/survive_stencil-shmem"; expect_code 1
[[ $err == *"survive: start it with DART_SURVIVE=1 in the environment"* ]] || fail "no line: $err"
run "$dartrun" -n 2 "$examples/survive_stencil-shmem" three; expect_code 1
[[ $err == *"survive: usage: "* ]] || fail "no usage: $err"
run "$dartrun" -n 2 "$examples/survive_randomaccess-shmem" two; expect_code 1
[[ $err == *"survive: no unit would be left"* ]] || fail "no line: $err"
finish
