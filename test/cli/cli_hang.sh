# A program that hangs: what its units wait for, and which of them blocks the others, by the launcher's table, or, where
# nobody reads the units' records, by lines of their own. And a unit that crashes says where.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=ERROR

# said PATTERN...: wait until each is in a line of what is printed.
said() {
  local pattern tries
  for pattern; do
    for ((tries = 0; tries < 2000; tries++)); do
      grep -qs "$pattern" "$work/out" && continue 2
      sleep 0.05
    done
    fail "waited for '$pattern' in: $(<"$work/out")"
  done
}

# A table may be printed before the last unit hangs; there is another one then.
# hangs STEPS... -- PATTERN...: until each of the patterns is a line of what is printed.
hangs() {
  local steps=()
  while [[ $1 != -- ]]; do steps+=("$1"); shift; done
  shift
  : >"$work/out"
  env DART_HANG=1 "${dartrun[@]}" -n 3 "$program" "${steps[@]}" >"$work/out" 2>&1 </dev/null &
  said "$@"
  kill -TERM $!; wait $! 2>/dev/null
}

barrier() {
  hangs '1:init,sleep=1000000' '*:init,barrier' -- \
    '^dartrun: *0 .* s  dart_barrier: team 0; missing: 1$' '^dartrun: *1 .* -  nothing of DART' \
    '^dartrun: *2 .* s  dart_barrier: team 0; missing: 1$' \
    'unit 1 blocks the others: units 0, 2 wait for it, and it computes'
}

# Who ends a job that hangs is told so, and how to find out why, without having asked before; of one that does not, nothing.
stopped() {
  for seconds in 1 7; do
    begin "${dartrun[@]}" -n 2 "$program" '1:init,pid,sleep=1000000' '*:init,pid,barrier'
    lines 2 '^[0-9] [0-9]*$'
    sleep "$seconds"
    kill -TERM $!; finished
    [[ $seconds == 7 || $err != *DART_HANG* ]] || fail "after a second: $err"
  done
  [[ $(grep -c DART_HANG <<<"$err") == 1 && $err == *"dartrun: unit 0 has waited for "[5-9]" s (dart_barrier: team 0): DART_HANG=5 shows "* ]] ||
    fail "after seven seconds: $err"
}

# The first unit is no member.
team() {
  hangs '0:init,team,sleep=1000000' '1:init,team,sleep=1000000' '2:init,team,tbarrier' -- \
    '^dartrun: *2 .* s  dart_barrier: team 1; missing: 1$' 'unit 1 blocks the others: unit 2 waits for it'
}

lock() {
  hangs '1:init,lockinit,lock,barrier,sleep=1000000' '*:init,lockinit,barrier,lock' -- \
    '^dartrun: *0 .* s  dart_lock_acquire: lock 1 of team 0; held by 1$' \
    '^dartrun: *1 .*; it holds lock 1 of team 0$' '^dartrun: *2 .* s  dart_lock_acquire: lock 1 of team 0; held by 1$' \
    'unit 1 blocks the others: units 0, 2 wait for it'
}

range() {
  hangs '1:init,rangeinit,range,barrier,sleep=1000000' '*:init,rangeinit,barrier,range' -- \
    '^dartrun: *0 .* s  dart_range_acquire: range lock 1 of team 0, from 10 to 20; held by 1$' \
    'unit 1 blocks the others: units 0, 2 wait for it'
}

# Unit 1 holds what it wants of the first two stripes, and waits for the third.
wide_range() {
  hangs '2:init,rangeinit,third,barrier,sleep=1000000' '1:init,rangeinit,barrier,wide' \
    '0:init,rangeinit,barrier,sleep=300,range' -- \
    '^dartrun: *0 .* s  dart_range_acquire: range lock 1 of team 0, from 10 to 20; held by 1, 2$' \
    '^dartrun: *1 .* from 10 to 3000000; held by 2; it holds range lock 1 of team 0, from 10 to 2097151$' \
    'unit 2 blocks the others: '
}

word() {
  hangs '1:init,at=0,barrier,sleep=1000000' '*:init,barrier,at=0' -- \
    '^dartrun: *0 .* s  dart_lock_at_acquire: the lock at offset 0 of unit 0 in segment 1 of team 0; held by 1$' \
    '^dartrun: *1 .*; it holds the lock at offset 0 of unit 0 in segment 1 of team 0$' \
    '^dartrun: *2 .* s  dart_lock_at_acquire: the lock at offset 0 of unit 0 in segment 1 of team 0; held by 1$' \
    'unit 1 blocks the others: units 0, 2 wait for it'
}

# Two locks in opposite orders, of which one is in a word: who holds what, and the circle, though a third unit waits, too.
opposite() {
  hangs '0:init,lockinit,lock,barrier,at=0' '1:init,lockinit,at=0,barrier,lock' '2:init,lockinit,barrier,lock' -- \
    '^dartrun: *0 .* s  dart_lock_at_acquire: the lock at offset 0 of unit 0 in segment 1 of team 0; held by 1; it holds lock 1 of team 0$' \
    '^dartrun: *1 .* s  dart_lock_acquire: lock 1 of team 0; held by 0; it holds the lock at offset 0 of unit 0 in segment 1 of team 0$' \
    'these units wait for each other: unit [01] for unit [01] for'
}

# The unit itself holds it.
twice() {
  hangs '1:init,at=0,barrier,at=0' '*:init,barrier,at=0' -- \
    '^dartrun: *1 .* s  dart_lock_at_acquire: the lock at offset 0 of unit 0 in segment 1 of team 0; held by 1; it holds the' \
    'unit 1 blocks the others: units 0, 2 wait for it, and it waits for a lock that it holds$'
}

portion() {
  hangs '1:init,epoch=1,barrier,sleep=1000000' '*:init,barrier,epoch=1' -- \
    '^dartrun: *0 .* s  dart_get_blocking: the lock of unit 1 in segment 1 of team 0; held by 1$' \
    '^dartrun: *2 .* s  dart_get_blocking: the lock of unit 1 in segment 1 of team 0; held by 1$' \
    'unit 1 blocks the others: units 0, 2 wait for it'
}

post() {
  hangs '0:init,eaccess=1' '1:init,sleep=1000000' '2:init,epost=1' -- \
    '^dartrun: *0 .* s  dart_get_blocking: the post of unit 1 in segment 1 of team 0$' \
    '^dartrun: *2 .* s  dart_epoch_wait: units to complete their accesses in segment 1 of team 0; not complete: 1$' \
    'unit 1 blocks the others: units 0, 2 wait for it'
}

# A start without a post, and a post without a completion: the other unit is in a barrier.
missing_post() {
  hangs '0:init,eaccess=1' '*:init,barrier' -- \
    '^dartrun: *0 .* s  dart_get_blocking: the post of unit 1 in segment 1 of team 0$' \
    '^dartrun: *1 .* s  dart_barrier: team 0; missing: 0$' 'these units wait for each other: unit [01] for unit [01] for'
}

missing_completion() {
  hangs '0:init,estart=1,barrier' '1:init,epost=0' '2:init,barrier' -- \
    '^dartrun: *1 .* s  dart_epoch_wait: units to complete their accesses in segment 1 of team 0; not complete: 0$' \
    '^dartrun: *0 .* s  dart_barrier: team 0; missing: 1$' 'these units wait for each other: unit [01] for unit [01] for'
}

# Of two origins one has completed: the one of the same node, with dart-mpi, or the far one.
origins() {
  hangs '0:init,eaccess=2,ecomplete,sleep=1000000' '1:init,sleep=1000000' '2:init,eposts=2' -- \
    '^dartrun: *2 .* s  dart_epoch_wait: units to complete their accesses in segment 1 of team 0; not complete: 1$' \
    'unit 1 blocks the others: unit 2 waits for it'
  hangs '0:init,sleep=1000000' '1:init,eaccess=2,ecomplete,sleep=1000000' '2:init,eposts=2' -- \
    '^dartrun: *2 .* s  dart_epoch_wait: units to complete their accesses in segment 1 of team 0; not complete: 0$' \
    'unit 0 blocks the others: unit 2 waits for it'
}

notification() {
  hangs '*:init,wait' -- \
    '^dartrun: *2 .* s  dart_notify_wait: the counter at offset 8008 in segment 1 of team 0 to reach 1$' \
    'all units wait for events that no unit is known to cause'
}

message() {
  hangs '1:init,recv=0' '*:init,barrier' -- '^dartrun: *1 .* s  dart_recv: a message of unit 0, tag 1$' \
    '^dartrun: *0 .* s  dart_barrier: team 0; missing: 1$' 'these units wait for each other: unit [01] for unit [01] for'
}

start() {
  hangs '1:sleep=1000000' '*:init' -- '^dartrun: *1 .*has not called dart_init$' \
    'unit 1 blocks the others: units 0, 2 wait for it, and it has not called dart_init'
}

# With the debug mode units wait for each other before their call has come to DART: by the comparison of collective calls,
# or by what carries the clocks. It is the program's call that is shown, dart_exit among them.
checked() {
  local program=${program/dart-end-/dart-end-checked-} kinds
  for kinds in collectives races; do
    local -x DART_CHECK=$kinds
    hangs '1:init,sleep=1000000' '*:init,barrier' -- \
      '^dartrun: *0 .* s  dart_barrier: team 0; missing: 1$' '^dartrun: *1 .* -  nothing of DART' \
      '^dartrun: *2 .* s  dart_barrier: team 0; missing: 1$' \
      'unit 1 blocks the others: units 0, 2 wait for it, and it computes'
  done
  DART_CHECK=1
  hangs '0:init,team,sleep=1000000' '1:init,team,sleep=1000000' '2:init,team,tbarrier' -- \
    '^dartrun: *2 .* s  dart_barrier: team [0-9]*; missing: 1$' 'unit 1 blocks the others: unit 2 waits for it'
  hangs '1:init,sleep=1000000' '*:init,exit' -- '^dartrun: *2 .* s  dart_exit: team 0; missing: 1$' \
    'unit 1 blocks the others: units 0, 2 wait for it'
  # What is found before they wait, where it does not end the program.
  hangs '0:init,lockinit,lock,barrier,at=0' '1:init,lockinit,at=0,barrier,lock' '2:init,lockinit,barrier,sleep=1000000' -- \
    '^dart-check: unit [01]: locks: locks are acquired in opposite orders' \
    'these units wait for each other: unit [01] for unit [01] for'
  hangs '1:init,at=0,at=0' '*:init,sleep=1000000' -- \
    '^dart-check: unit 1: locks: a thread requests a lock that it holds$'
}

# Asked by SIGUSR1, at any time: the name of the last call is one that a unit itself completes. It may be late.
asked() {
  local tries
  : >"$work/out"
  "${dartrun[@]}" -n 3 "$program" '1:init,say=there,sleep=1000000' '*:init,say=there,barrier' >"$work/out" 2>&1 </dev/null &
  said there
  for ((tries = 0; tries < 60; tries++)); do
    kill -USR1 $!
    sleep 1
    grep -q '^dartrun: *1 .*nothing of DART; before, it was in dart_barrier$' "$work/out" && break
  done
  said '^dartrun: *1 .*nothing of DART; before, it was in dart_barrier$' \
    '^dartrun: *0 .*dart_barrier: team 0; missing: 1$'
  kill -TERM $!; wait $! 2>/dev/null
}

# Without a launcher that reads records.
alone() {
  : >"$work/out"
  env DART_HANG=1 "${mpiexec[@]}" -n 2 "$program" '1:init,sleep=1000000' '*:init,barrier' >"$work/out" 2>&1 </dev/null &
  said '^DART: unit 0 (pid [0-9]*) waits for [0-9]* s: dart_barrier: team 0$'
  kill -TERM $!; wait $! 2>/dev/null
  # The thread that watches the waits, when it has a stack for that. (UCX takes the signals where no dartrun tells it
  # not to.)
  grep -q '^DART_SANITIZE:STRING=.' "$build/CMakeCache.txt" && return
  dartrun=(env DART_HANG=1000 UCX_HANDLE_ERRORS=none "${mpiexec[@]}")
  tells_of init,sleep=500,fault=dart-hang,sleep=20000,end=3
  tells_of init,sleep=500,overflow=dart-hang,sleep=20000,end=3
}

# crashes UNIT-1-STEPS [OTHERS]: it ends badly, and $out says how often it told where.
crashes() {
  run "${dartrun[@]}" -n 2 "$program" "1:$1" "${2-*:init,barrier}"
  [[ $code != 0 && $code != 124 ]] || fail "exit code $code of $1"
  out+=$err
}

# tells_of UNIT-1-STEPS [OTHERS]: the same, and it told once.
tells_of() {
  crashes "$@"
  [[ $(grep -c 'DART: unit 1 (pid [0-9]*) crashed by signal 11' <<<"$out") == 1 ]] || fail "no report of $1: $out"
}

crash() {
  local steps
  crashes init,crash
  if grep -q '^DART_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
    [[ $out != *crashed* ]] || fail "a build with sanitizers leaves it to them: $out"
    return
  fi
  [[ $(grep -c 'DART: unit . (pid [0-9]*) crashed by signal' <<<"$out") == 1 &&
    $out == *'DART: unit 1 (pid '*') crashed by signal 11 (Segmentation fault), address '*$'\n  #0  '* &&
    ($out == *' main'* || # the program may have its lines
      $out == *'store_nowhere at dart_end.c:'*$'\n  #1  '*' at dart_end.c:'*) ]] ||
    fail "no backtrace of unit 1: $out"
  tells_of init,overflow
  for steps in "fault=dart-file" "overflow=dart-file"; do
    tells_of "init,plain=$work/file,request,sleep=500,$steps,sleep=20000,end=3" "*:init,plain=$work/file,barrier"
  done
  [[ $backend != mpi || ${#dartrun[@]} -eq 1 ]] || for steps in "fault=dart-agent" "overflow=dart-agent"; do # two nodes
    tells_of "init,sleep=500,$steps,sleep=20000,end=3"
  done
  crashes init,catch,crash
  [[ $out == *'caught it'* && $out != *crashed* ]] || fail "the program's own handler: $out"
  crashes catch,init,crash
  [[ $out == *'caught it'* && $out != *crashed* ]] || fail "the handler of before dart_init: $out"
  local -x DART_BACKTRACE=0
  crashes init,crash
  [[ $out != *'DART: unit'* ]] || fail "with DART_BACKTRACE=0: $out"
}

# Those that wait beside one another, but few at a time: units of MPI spin.
all() {
  local group name
  for group in "barrier lock message stopped" "crash asked notification" "team range wide_range start" "portion post word" "opposite twice missing_post" \
    "missing_completion origins checked"; do
    beside=()
    # shellcheck disable=SC2086
    for name in $group; do also "$name"; done
    together
    rm -rf "${work:?}"/[0-9]*
    [[ $backend == shmem || ${#dartrun[@]} -gt 1 ]] || return 0
  done
}
on_backends all dart-end
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
if has_backend mpi && [[ -n $mpiexec ]]; then
  program=$build/test/dart-end-mpi
  alone
fi

# The variable is a number for the launcher, too.
if [[ -x $build/dart-shmem/dartrun ]]; then
  run env DART_HANG=soon "$build/dart-shmem/dartrun" -n 1 true
  expect_code 2; expect_line "*DART_HANG='soon' is not a number from 0 to 1000000"
fi
finish
