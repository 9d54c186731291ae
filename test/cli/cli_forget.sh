# Programs that forget dart_exit: they keep their exit code if nobody waits for who forgot it, and say so
# in one line; otherwise one line names who was waited for, and the job ends with another code.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN # no lines but those that are looked for

# job WHO:STEPS...: of three units, over long before `run` loses patience.
job() { run timeout 30 "${dartrun[@]}" -n 3 "$program" "$@"; }

# forgotten: all is well, but for one line of unit 0.
forgotten() {
  expect_code 0
  expect_line '*0 WARN*DART: the program ends without dart_exit*'
}

# in_vain WORDS WHO:STEPS...: the job does not end well, and says why.
in_vain() {
  local words=$1
  shift
  job "$@"
  # mpiexec does not promise to pass on what units write last
  [[ $err == *"$words"* || $backend == shmem ]] || job "$@"
  [[ $code != 0 && $code != 124 && $err == *"$words"* ]] || fail "exit code $code, not '$words': $err"
}

# Of three units on one backend.
forget() {
  local gone='which has ended without dart_exit'

  # All forget it: by return, by exit, in a later cycle; what they put is there, and may be used while
  # others work on.
  job '*:init,put,flush,barrier,get';                       forgotten
  job '1:init,exit,init,put,end=0' '*:init,exit,init,put';  forgotten
  job '1:init,put' '2:init,sleep=500,get' '0:init';         forgotten
  job '1:init' '*:init,sleep=500,put,flush';                forgotten

  # Who has taken part in a collective, or sent a message, is not waited for.
  job '1:init,barrier' '0:init,barrier' '2:init,sleep=1500,barrier'; forgotten
  job '1:init,send=2,send=2' '0:init' '2:init,sleep=300,recv=1,sleep=300,recv=1'; forgotten

  # Collectives of all and of a team, dart_exit among them, messages, and waits for anyone.
  also in_vain "of team 0 for unit 1, $gone" '1:init' '*:init,exit'
  also in_vain "of team 0 for unit 0, $gone" '0:init,barrier' '*:init,barrier,barrier'
  also in_vain "of team 1 for unit 1, $gone" '0:init,team' '1:init,team,tbarrier' '2:init,team,tbarrier,tbarrier'
  also in_vain "dart_recv: unit 2 waits for unit 1, $gone" '1:init,send=2' '2:init,recv=1,recv=1' '0:init'
  also in_vain "dart_send: unit 2 waits for unit 1, $gone" '1:init' '2:init,big=1' '0:init'
  also in_vain 'unit 0 waits, but all others have ended' '0:init,wait' '*:init'
  together

  # What is not complete is an error, and so is any other code.
  in_vain 'unit 1 ends with exit code 0, but has not called dart_exit, and holds lock 1 of team 0' \
    '1:init,lockinit,lock' '*:init,lockinit,sleep=10000'
  in_vain 'unit 1 ends with exit code 5, but has not called dart_exit, and holds range lock 1 of team 0, from 10 to 20' \
    '1:init,rangeinit,range,end=5' '*:init,rangeinit,sleep=10000'
  in_vain 'unit 1 ends with exit code 0, but has not called dart_exit, and takes part in a collective' \
    '1:init,aside,sleep=200' '*:init,sleep=10000'
  in_vain 'unit 1 ends with exit code 5, but has not called dart_exit' '1:init,end=5' '*:init,sleep=10000'
  expect_code 5

  # Alone, too.
  run "$program" '*:init,put,end=0';                        forgotten
  run "$program" '*:init,end=7';                            expect_code 7; [[ -z $err ]] || fail "it said: $err"
}

# What cannot be completed, because nobody serves it, is given up after ten seconds.
give_up() {
  export DART_PROGRESS=none
  in_vain 'not complete after 10 s' '1:init,put' '*:init,sleep=15000'
}
if has_backend mpi; then
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2) program=$build/test/dart-end-mpi
  also give_up
fi

on_backends forget dart-end
finish
