# dartrun of dart-shmem: how a program ends, and that nothing of it is left then.
source "$(dirname "$0")/cli.bash"

dartrun=$build/dart-shmem/dartrun
unit=$build/test/cli_unit
need "$dartrun" "$unit"

# all_gone N: the pids that N units printed to $out belong to nobody any more.
all_gone() {
  [[ $(wc -w <<<"$out") == "$1" ]] || fail "expected $1 pids: '$out'"
  # shellcheck disable=SC2086
  gone $out || fail "a unit is still there: $out"
}

run "$dartrun" -n 3 "$unit" '*:exit=0';         expect_code 0; [[ -z $err ]] || fail "it said: $err"

# A unit may exit early and well; the others go on.
run "$dartrun" -n 3 "$unit" '1:exit=0' '*:show'
expect_code 0; out=$(sort <<<"$out"); expect_out $'0 3 1\n2 3 1'

# The code of the first unit that fails is the code of the launcher, and the others end.
for failing in 0 2; do
  run "$dartrun" -n 3 "$unit" "$failing:exit=3" '*:wait'
  expect_code 3; expect_line "dartrun: unit $failing (pid +([0-9])) exited with code 3"
done
for death in 11:Segmentation 6:Aborted 9:Killed 15:Terminated; do
  run "$dartrun" -n 3 "$unit" "1:kill=${death%:*}" '*:wait'
  expect_code $((128 + ${death%:*}))
  expect_line "dartrun: unit 1 (pid +([0-9])) was killed by signal ${death%:*} (${death#*:}*)"
done

# Units killed from outside: the line names the pid we killed, and the others are gone afterwards.
begin "$dartrun" -n 3 "$unit" '*:wait'
lines 3 '^[0-9]*$'
victim=$(sed -n 2p "$work/out")
kill -KILL "$victim"
finished
expect_code 137; expect_line "dartrun: unit ? (pid $victim) was killed by signal 9 (Killed)"
all_gone 3

# The others are asked to end, and a unit that does not want to is ended.
begin "$dartrun" -n 2 "$unit" '*:count'
lines 2 '^[0-9]*$'
kill -KILL "$(head -n 1 "$work/out")"
wait $!; code=$? out=$(grep '^[0-9]*$' "$work/out")
expect_code 137; all_gone 2
[[ $(grep -c 'got 15' "$work/out") == 1 ]] || fail "not asked to end: $(<"$work/out")"

# The launcher is killed: the kernel ends the units, even those that ignore what can be ignored.
begin "$dartrun" -n 3 "$unit" '*:stay'
lines 3 '^[0-9]*$'
disown # else the shell reports the death, too
kill -KILL $!; out=$(<"$work/out")
all_gone 3

# Started with SIGCHLD ignored, as some servers do, the launcher still learns of exit codes.
run env --ignore-signal=CHLD "$dartrun" -n 2 "$unit" '1:exit=4'
expect_code 4

# A child that the launcher was handed by a shell is not taken for a unit.
run bash -c '"$0" "0:exit=9" & exec "$1" -n 1 "$0" "*:exit=0"' "$unit" "$dartrun"
expect_code 0

finish
