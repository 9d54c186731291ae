# Jobs that outlive units: each call of test/survive, with a unit that dies before it, or while others are in it.
source "$(dirname "$0")/cli.bash"

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
dartrun=$build/dart-shmem/dartrun
program=$build/test/dart-survive-shmem
need "$dartrun" "$program"
export DART_SURVIVE=1 DART_LOG_LEVEL=WARN
named() { find /dev/shm -name "dart-*"; }
before=$(named)

# survive CALL MOMENT UNITS VICTIM [OPTION...]: all others end well, and the launcher with the code of the one that was lost.
survive() {
  export SURVIVE_FILE=$work/file
  run "$dartrun" -n "$3" "${@:5}" "$program" "$1" "$2" "$4"
  expect_code 137
  [[ $err == *"unit $4 (pid "*") is lost, killed by signal 9"* ]] || fail "$*: no line of unit $4: $err"
  [[ $(grep -c survived <<<"$out") == $(($3 - 1)) ]] || fail "$*: not all others survived: $out $err"
}

# Some at a time, for most of them wait.
beside_others() {
  also survive "$@"
  ((${#beside[@]} < 8)) || together
}

calls=$("$program" list)
[[ $(wc -l <<<"$calls") -gt 60 ]] || fail "a list of calls: $calls"
for call in $calls; do # before it: all of the tests
  [[ -z ${DART_TEST_SCHEDULES-} ]] || beside_others "$call" before 3 2
  beside_others "$call" in 3 0
done
for call in barrier allgather send lock_acquire; do
  beside_others "$call" before 3 2
done
for call in barrier allreduce team_create lock_acquire; do
  beside_others "$call" in 2 1
  beside_others "$call" in 7 3
done
together

# drawn UNITS SEED: one or two units are killed at drawn moments; the others end well, with right data.
drawn() {
  local nlost
  run "$dartrun" -n "$1" "$program" drawn "$2"
  expect_code 137
  nlost=$(grep -c 'is lost, killed by signal 9' <<<"$err")
  [[ $nlost == [12] && $(grep -c survived <<<"$out") == $(($1 - nlost)) ]] || fail "drawn -n $1, seed $2: $out $err"
}

for ((seed = 1; seed <= ${DART_TEST_SCHEDULES-12}; seed++)); do
  also drawn $((seed % 7 + 2)) "$seed"
  ((${#beside[@]} < 4)) || together
done
together

# Without the setting a unit that dies ends the job, and calls of the header say that it is not on.
unset DART_SURVIVE
run "$dartrun" -n 3 "$program" barrier in 0; expect_code 2
DART_SURVIVE=2 run "$dartrun" -n 3 "$program" barrier in 0; expect_code 2
expect_line "*DART_SURVIVE='2' is not one of 0|1"

# Not there between nodes, simulated ones either.
DART_SURVIVE=1 run "$dartrun" -n 4 --nodes 2 "$program" barrier in 0; expect_code 2
expect_line "dartrun: DART_SURVIVE=1: a job outlives units on one node only, and this one is to have 2"

# MPI ends the job: dart-mpi says so.
if has_backend mpi && [[ -x $build/test/dart-survive-mpi ]]; then
  DART_SURVIVE=1 run "$build/dart-mpi/dartrun" -n 2 "$build/test/dart-survive-mpi" barrier in 0
  [[ $code != 0 && $err == *"DART_SURVIVE=1: with dart-mpi"* ]] || fail "dart-mpi: code $code: $err"
fi

[[ $(named) == "$before" ]] || fail "left in /dev/shm: $(named)"
finish
