# A unit is lost whose team one thread has under way in collectives, while another thread breaks it; or while two threads agree
# at a time, each in a team of its own. Under ThreadSanitizer, too.
source "$(dirname "$0")/cli.bash"
run_limit=200

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
dartrun=$build/dart-shmem/dartrun
program=$build/test/dart-survive-shmem
need "$dartrun" "$program"
export DART_SURVIVE=1

# survive CALL MOMENT UNITS VICTIM [OPTION...]
survive() {
  run "$dartrun" -n "$3" "${@:5}" "$program" "$1" "$2" "$4"
  expect_code 137
  [[ $(grep -c survived <<<"$out") == $(($3 - 1)) ]] || fail "$*: not all others survived: $out $err"
  [[ $err != *ThreadSanitizer* ]] || fail "$*: $err"
}

for ((round = 0; round < 5; round++)); do
  for moment in before in; do
    also survive agree_beside_gather "$moment" 3 $((round % 3))
    also survive agree_beside_gather "$moment" 4 $((round % 4)) --nodes 2
    also survive agree_in_threads "$moment" 3 $((round % 3))
    also survive agree_in_threads "$moment" 4 $((round % 4)) --nodes 2
  done
  together
done
DART_TEST_FAN=2 survive agree_beside_gather in 6 4 # units of a node in groups
finish
