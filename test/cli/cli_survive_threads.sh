# A unit is lost whose team one thread has under way in collectives, while another thread breaks it; or while two threads agree
# at a time, each in a team of its own. Under ThreadSanitizer, too.
source "$(dirname "$0")/survive.bash"

# survive CALL MOMENT UNITS VICTIM [OPTION...]
survive() {
  outlive "$@"
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
