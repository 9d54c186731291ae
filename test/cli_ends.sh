# Units that end early, with code 0: a job goes on if nobody needs them, else it ends with another code
# and a line that names them. It never waits for ever.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN # no lines but those that are looked for

tested=0

# job CODE WHO:STEPS...: of three units, over long before `run` loses patience.
job() {
  local expected=$1
  shift
  run timeout 20 "$dartrun" -n 3 "$program" "$@"
  expect_code "$expected"
}

for backend in shmem; do
  dartrun=$build/dart-$backend/dartrun
  program=$build/test/dart-end-$backend
  [[ -x $dartrun && -x $program ]] || continue
  tested=$((tested + 1))

  # All that is well: nobody joins, all do, units end at different times, and by _exit.
  run "$dartrun" -n 2 true;                                expect_code 0; [[ -z $err ]] || fail "it said: $err"
  job 0 '*:init,put,barrier,get,exit';                     [[ -z $err ]] || fail "it said: $err"
  job 0 '1:init,exit,_end=0' '*:init,exit,sleep=200';      [[ -z $err ]] || fail "it said: $err"
  job 0 '1:init,exit,init,exit,quick=0' '*:init,exit,sleep=200,init,exit,sleep=200'
  [[ -z $err ]] || fail "it said: $err"

  # A unit that never joins, before others do and after.
  left='dartrun: unit 1 (pid +([0-9])) has ended, and others wait for it in dart_init'
  job 1 '1:' '*:init,exit';                                expect_line "$left"
  job 1 '1:sleep=300' '*:init,exit';                       expect_line "$left"
  job 1 '1:' '*:sleep=300,init,exit';                      expect_line "$left"
  job 1 '1:_end=0' '0:init,exit' '2:';                     expect_line "dartrun: unit [12] *has ended, and others wait*"

  # One that does not come back for another cycle.
  job 1 '1:init,exit' '*:init,exit,init,exit';             expect_line "$left"
  job 1 '1:init,exit,sleep=300' '*:init,exit,init,exit';   expect_line "$left"
  job 1 '1:init,exit,_end=0' '*:init,exit,sleep=300,init'; expect_line "$left"

  # One that leaves from inside, without a word.
  left='dartrun: unit 1 (pid +([0-9])) has ended without dart_exit'
  job 1 '1:init,_end=0' '*:init,barrier,exit';             expect_line "$left"
  job 1 '1:init,put,_end=0' '*:init,put,exit';             expect_line "$left"
  job 1 '1:init,quick=0' '*:init,sleep=100000';            expect_line "$left"
  job 1 '1:init,exit,init,_end=0' '*:init,exit,init,exit'; expect_line "$left"
done
[[ $tested -gt 0 ]] || { echo "skipped: no backend in $build"; exit 77; }

# A shell that hides how its program ended does not hide it from dart-shmem's dartrun. What runs one
# after the other in the same units is one job.
if [[ -x $build/test/dart-end-shmem ]]; then
  dartrun=$build/dart-shmem/dartrun program=$build/test/dart-end-shmem
  run "$dartrun" -n 2 sh -c '"$0" "1:init,kill=9" "*:init,exit"; exit 0' "$program"
  expect_code 1; [[ $err == *"unit 1 (pid "*"has ended without dart_exit"* ]] || fail "it said: $err"
  run "$dartrun" -n 2 sh -c '"$0" "1:init,_end=0" "*:init,sleep=500,exit"; "$0" "*:init,exit"' "$program"
  expect_code 9; [[ $err == *"unit 1 ran a program before that has ended without dart_exit"* ]] || fail "it said: $err"
  run "$dartrun" -n 2 sh -c '"$0" "*:init,exit" && "$0" "*:init,exit"' "$program"
  expect_code 0; [[ -z $err ]] || fail "it said: $err"
fi
finish
