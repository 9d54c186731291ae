# Units that end early, with code 0: a job goes on if nobody needs them, else it ends with another code
# and one line that names them. It never waits for ever. And units that die are named.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN # no lines but those that are looked for

# job WHO:STEPS...: of three units, over long before `run` loses patience.
job() { run timeout 45 "${dartrun[@]}" -n 3 "$program" "$@"; }

# well: the job ended well, and nothing was said.
well() { expect_code 0; [[ -z $err ]] || fail "it said: $err"; }

# ends WORDS [OTHERS]: the job ended with another code, and dartrun said in one line that unit 1 did so.
ends() {
  local said
  said=$(grep -o 'dartrun: .*' "$work/err")
  # shellcheck disable=SC2053
  [[ $code != 0 && $code != 124 &&
    ($said == "dartrun: unit 1 (pid "+([0-9])") $1" || $said == "dartrun: unit 1 (pid "+([0-9])") ${2-$1}") ]] ||
    fail "exit code $code, and not said of unit 1 '$1': $err"
  [[ $backend == mpi ]] || expect_line "dartrun: *"
}

# No process of the program is there any more, in a moment.
expect_none_left() {
  local file left
  for ((i = 0; i < 20; i++)); do
    left=
    for file in /proc/[0-9]*/cmdline; do
      [[ $(tr '\0' ' ' 2>/dev/null <"$file") != "$program 1:"* ]] || left=$file
    done
    [[ $left ]] || return 0
    sleep 0.1
  done
  fail "a unit is still there: $left"
}

# differ CALL CALL JOB...: unit 2 is in the first one, unit 0 in the other.
differ() {
  job "${@:3}"
  [[ $code != 0 && $code != 124 && $(grep -c 'do not match' <<<"$err") == 1 &&
    $err == *"collective calls of team 0 do not match: unit 0 is in $2, unit "[12]" is in "* &&
    ($err == *"unit 2 is in $1"* || $err == *"unit 1 is in "*) ]] || fail "$1 and $2: $code, $err"
}

# differ_between CALLS JOB...: units 0 and 1, of different nodes, are in calls like these; one leader names both.
differ_between() {
  job "${@:2}"
  # over MPI the other leader speaks, too, where the first is held up for 2 s
  [[ ${dartrun[0]} == */dart-shmem/* || $(grep -c 'between nodes' <<<"$err") == 1 ]] || job "${@:2}"
  local words one other call its_call
  words=$(sed -n 's/.*calls of team 0 do not match between nodes: unit \([01]\) is in \(.*\), unit \([01]\) is in \(.*\)/\1;\3;\2;\4/p' <<<"$err")
  IFS=';' read -r one other call its_call <<<"$words"
  # shellcheck disable=SC2053
  [[ $code != 0 && $code != 124 && $(grep -c 'between nodes' <<<"$err") == 1 && $one != "$other" &&
    $call == $1 && $its_call == $1 && $call != "$its_call" ]] || fail "$1: $code, $err"
}

missed='has ended, and others wait for it in dart_init'
left='has ended without dart_exit'

# A unit that never joins is found after some seconds, for it has no process any more. One that only
# takes its time is none.
never_joins() {
  job '1:sleep=300' '*:init,exit'
  [[ $code == 1 && $err == *"dartrun: unit 1 $missed"* ]] || fail "exit code $code, and: $err"
}
joins_late() { job '1:sleep=6500,init,exit' '*:init,exit'; well; }

# What a unit has forked does not stand for it.
leaves_a_child() { job '1:init,put,fork=15000,_end=0' '*:init,put,exit'; ends "$left"; }

if has_backend mpi; then # these take some seconds
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2) program=$build/test/dart-end-mpi
  also never_joins
  also joins_late
  also leaves_a_child
fi

# What both backends have in common, of three units.
leave() {
  # All that is well: nobody joins, all do, and units end at different times. (Hydra's mpiexec passes the end of
  # standard input on to its proxy, and dies by SIGPIPE where the whole job was over before that: `true` is that fast.)
  run "${dartrun[@]}" -n 3 sleep 0.5;                   well
  job '*:init,put,flush,barrier,get,exit';              well
  job '1:init,exit,init,exit' '*:init,exit,sleep=200,init,exit,sleep=200'; well

  # A unit that does not come back for another cycle.
  job '1:init,exit' '*:init,exit,init,exit';            ends "$missed"
  job '1:init,exit,sleep=300' '*:init,exit,init,exit';  ends "$missed"
  job '1:init,exit' '*:init,exit,sleep=300,init';       ends "$missed"

  # Collective calls that do not match, of units of one node: one line names both, and the job ends.
  differ 'dart_barrier' 'dart_bcast of 32 bytes with root 0' '2:init,barrier,exit' '*:init,bcast=0,exit'
  differ 'dart_bcast of 32 bytes with root 1' 'dart_bcast of 32 bytes with root 0' '2:init,bcast=1,exit' '*:init,bcast=0,exit'
  differ 'dart_allreduce of 8 bytes' 'dart_allreduce of 16 bytes' '2:init,sum=1,exit' '*:init,sum=2,exit'
  differ 'dart_bcast of 32 bytes with root 2' 'dart_bcast of 32 bytes with root 0' \
    '0:init,bcast=0,exit' '1:init,sleep=100,bcast=1,exit' '2:init,bcast=2,exit' # the sum of the others is twice its own
  differ 'dart_allreduce of 24 bytes' 'dart_allreduce of 8 bytes' \
    '0:init,sum=1,exit' '1:init,sleep=100,sum=2,exit' '2:init,sum=3,exit'
  DART_TEST_FAN=2 differ 'dart_barrier' 'dart_bcast of 32 bytes with root 0' '2:init,barrier,exit' '*:init,bcast=0,exit'
  DART_TEST_FAN=2 differ 'dart_allreduce of 24 bytes' 'dart_allreduce of 8 bytes' \
    '0:init,sum=1,exit' '1:init,sum=2,exit' '2:init,sum=3,exit'
  differ 'dart_exit' 'dart_barrier' '2:init,exit' '*:init,barrier,exit'
  differ 'dart_team_create' 'dart_allreduce of 24 bytes' '2:init,team,exit' '*:init,sum=3,exit'
  differ 'dart_team_lock_init' 'dart_team_range_init' '2:init,lockinit,exit' '*:init,rangeinit,exit'
  if [[ ${dartrun[*]} == *--nodes* ]]; then # unit 1 has a node of its own
    differ_between '@(dart_barrier|dart_exit)' '1:init,barrier,exit' '*:init,bcast=0,exit'
    differ_between 'dart_allreduce of @(8|16) bytes' '1:init,sum=1,exit' '*:init,sum=2,exit'
    differ_between '@(dart_allreduce of 8 bytes|dart_barrier)' '1:init,sum=1,exit' '*:init,barrier,exit'
    differ_between 'dart_@(allreduce of 24 bytes|team_create)' '1:init,team,exit' '*:init,sum=3,exit'
    differ_between 'dart_team_@(lock|range)_init' '1:init,lockinit,exit' '*:init,rangeinit,exit'
    # Each waits for the other, and nobody has sent anything; and each sends, and waits for nobody.
    differ_between 'dart_bcast of 32 bytes with root [01]' '1:init,bcast=0,exit' '*:init,bcast=1,exit'
    job '1:init,bcast=1,exit' '*:init,bcast=0,exit'
    [[ $code != 0 && $code != 124 && $(grep -c 'calls of team 0 did not match' <<<"$err") == 1 &&
      $err == *"did not match: unit 0 was in dart_bcast of 32 bytes with root 0, unit 1 was in dart_bcast of 32 bytes with root 1"* ]] ||
      fail "two roots: $code, $err"
    job '0:init,team,exit' '1:init,team,tbcast=0,exit' '2:init,team,tbcast=1,exit'
    [[ $code != 0 && $code != 124 && $(grep -c 'did not match' <<<"$err") == 1 &&
      $err == *"calls of team 1 did not match: unit "[12]" has sent data that nobody has taken"* ]] || fail "of a team: $code, $err"
    job '0:init,team,exit' '1:init,team,tbcast=1,exit' '2:init,team,tbcast=1,exit'; well
  fi
  job '*:init,bcast=1,sum=4,bcast=0,sum=0,team,sum=1,barrier,exit'; well

  # One that leaves from inside, without a word.
  job '1:init,_end=0' '*:init,barrier,exit';            ends "$left"
  job '1:init,put,_end=0' '*:init,put,exit';            ends "$left"
  job '1:init,quick=0' '*:init,sleep=100000';           ends "$left"
  job '1:init,exit,init,_end=0' '*:init,exit,init,exit'; ends "$left"
}
on_backends leave dart-end

if has_backend shmem; then
  backend=shmem dartrun=("$build/dart-shmem/dartrun") program=$build/test/dart-end-shmem

  # Leaders in different collectives that wait in a circle, 0 for 3, 3 for 1 and 1 for 0, and one that waits for it.
  run timeout 45 "${dartrun[@]}" -n 4 --nodes 4 "$program" '0:init,bcast=3,exit' '1:init,bcast=0,exit' '*:init,bcast=1,exit'
  [[ $code != 0 && $code != 124 && $(grep -c 'between nodes' <<<"$err") == 1 &&
    $err == *"do not match between nodes: unit "[013]" is in dart_bcast of 32 bytes with root "[013]", unit "[0-3]" in another one,"* ]] ||
    fail "a circle: $code, $err"

  # A circle of four with twelve that wait for it from outside, of which its leaders hear, too.
  jobs=(); for unit in {0..3}; do jobs+=("$unit:init,bcast=$(((unit + 1) % 4)),exit"); done
  for unit in {4..15}; do jobs+=("$unit:init,bcast=$((unit % 4)),exit"); done
  run timeout 45 "${dartrun[@]}" -n 16 --nodes 16 "$program" "${jobs[@]}"
  [[ $code != 0 && $code != 124 && $(grep -c 'between nodes' <<<"$err") == 1 ]] || fail "a circle and others: $code, $err"

  # A unit that never joins, before others do and after.
  job '1:' '*:init,exit';                               ends "$missed"
  job '1:sleep=300' '*:init,exit';                      ends "$missed"
  job '1:' '*:sleep=300,init,exit';                     ends "$missed"
  job '1:sleep=100,_end=0' '0:init,exit' '2:sleep=1500,end=0'; ends "$missed"

  # Outside of init and exit any end is good.
  job '1:init,exit,_end=0' '*:init,exit,sleep=200';     well
  job '1:init,exit,init,exit,quick=0' '*:init,exit,init,exit,sleep=200'; well

  # A shell that hides how its program ended does not hide it from dartrun. What runs one after the other
  # in the same units is one job.
  run "${dartrun[@]}" -n 2 sh -c '"$0" "1:init,kill=9" "*:init,exit"; exit 0' "$program"
  expect_code 1; [[ $err == *"unit 1 (pid "*") $left"* ]] || fail "it said: $err"
  expect_none_left
  run "${dartrun[@]}" -n 2 sh -c '"$0" "1:init,_end=0" "*:init,exit"; "$0" "*:init,exit"' "$program"
  expect_code 9; [[ $err == *"unit 1 ran a program before that $left"* ]] || fail "it said: $err"
  expect_none_left
  run "${dartrun[@]}" -n 2 sh -c '"$0" "*:init,exit" && "$0" "*:init,exit"' "$program"; well
fi

if has_backend mpi; then
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2) program=$build/test/dart-end-mpi

  # A signal, dart_abort, an exit code: the unit it began with is the one that is named.
  job '1:init,put,kill=9' '*:init,put,exit';            ends "was killed by signal 9 (Killed)"; expect_code 137
  job '1:init,put,kill=11' '*:init,put,exit';           ends "was killed by signal 11 (Segmentation fault)"; expect_code 139
  job '1:init,put,_end=5' '*:init,put,exit';            ends "exited with code 5"; expect_code 5
  job '1:init,put,_end=0' '*:init,put,exit';            ends "$left"; expect_code 1
  job '1:init,exit,_end=0' '*:init,exit,sleep=300';     ends "has ended by a signal or by _exit, so MPI could not end"
  job '1:init,abort=7' '*:init,exit';                   ends "ends the program with code 7"; expect_code 7
  job '1:init,end=5' '*:init,exit';                     ends "ends the program with code 5"; expect_code 5

  # Units end with dartrun, and with mpiexec; and what dartrun says does not blame them.
  begin "${dartrun[@]}" -n 3 "$program" '*:init,pid,sleep=30000'
  lines 3 '^[0-9] [0-9]*$'
  units=$(sed 's/.* //' "$work/out")
  # shellcheck disable=SC2086
  disown; kill -KILL $!; gone $units || fail "a unit is still there: $units"
  begin "${dartrun[@]}" -n 3 "$program" '*:init,pid,sleep=30000'
  lines 3 '^[0-9] [0-9]*$'
  units=$(sed 's/.* //' "$work/out")
  # shellcheck disable=SC2086
  kill -TERM $!; finished; gone $units || fail "a unit is still there: $units"
  expect_code 143; expect_line "dartrun: the program has ended by signal 15 (Terminated) to dartrun"
  # Before dart_init Hydra alone knows how a unit ended.
  job '1:end=7' '*:';                                   expect_code 7
  expect_line "dartrun: unit 1 exited with code 7"
  job '2:end=3' '1:end=4' '*:';                         expect_code 4
  expect_line "dartrun: unit 1 exited with code 4"
  printf '#!/bin/sh\nsetsid %s "$@" &\nwait\n' "$(command -v mpiexec.mpich mpiexec | head -n 1)" >"$work/mpiexec"
  chmod +x "$work/mpiexec" # killed, it leaves what it has started
  begin env DART_MPIEXEC="$work/mpiexec" "${dartrun[@]}" -n 3 "$program" '*:init,pid,sleep=300000'
  lines 3 '^[0-9] [0-9]*$'
  units=$(sed 's/.* //' "$work/out")
  # shellcheck disable=SC2086
  kill -KILL "$(pgrep -P $!)"; finished; gone $units || fail "mpiexec was killed, and a unit is still there: $units"
  [[ $code == 137 && $err == *"dartrun: mpiexec (pid "*" was killed by signal 9"* ]] || fail "exit code $code, and: $err"
fi
finish
