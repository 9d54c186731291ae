# Jobs that outlive units: each call of test/survive, with a unit that dies before it, or while others are in it.
source "$(dirname "$0")/survive.bash"
export DART_LOG_LEVEL=WARN
named() { find /dev/shm -name "dart-*"; }
before=$(named)

# survive CALL MOMENT UNITS VICTIM [OPTION...]: as outlive, with a line about the unit that is lost, and no locks left.
# No call takes more than 5 s; machines stand still now and then, so it is made once more.
survive() {
  survive_once "$@"
  ((slowest <= 5000)) || survive_once "$@"
  ((slowest <= 5000)) || fail "$*: a call took $slowest ms, and more than 5000 before"
}

survive_once() {
  outlive "$@"
  [[ $err == *"unit $4 (pid "*") is lost, killed by signal 9"* ]] || fail "$*: no line of unit $4: $err"
  [[ $err != *"still holds"* ]] || fail "$*: locks are held at the end: $err"
  slowest=$(sed -n 's/^\([0-9]*\) ms$/\1/p' <<<"$out" | sort -n | tail -n 1)
}

# Some at a time, for most of them wait.
beside_others() {
  also survive "$@"
  ((${#beside[@]} < 8)) || together
}

calls=$("$program" list)
[[ $(wc -l <<<"$calls") -gt 60 ]] || fail "a list of calls: $calls"

# Each function of the interface is called by one of them, or waits for nobody.
tree=$(dirname "$0")/../..
missing=$(comm -23 <(grep -oE 'X\(dart_[a-z_0-9]+' "$tree/dart-if/include/dash/dart/ext/dart_profile.h" | cut -c3- | sort -u) \
  <(cat "$tree/test/survive/waits_for_nobody" <(grep -hoE 'dart_[a-z_0-9]+' "$tree"/test/survive/*.c) | sort -u))
[[ -z $missing ]] || fail "not in the table of calls, nor in waits_for_nobody: $missing"
for call in $calls; do # before it: all of the tests
  [[ -z ${DART_TEST_SCHEDULES-} ]] || beside_others "$call" before 3 2
  beside_others "$call" in 3 0
  [[ -z ${DART_TEST_SCHEDULES-} ]] || beside_others "$call" before 4 3 --nodes 2
  beside_others "$call" in 4 1 --nodes 2
  [[ -z ${DART_TEST_SCHEDULES-} ]] || DART_PROGRESS=none beside_others "$call" in 4 1 --nodes 2
done
for call in barrier allgather send lock_acquire; do
  beside_others "$call" before 3 2
done
for call in barrier allreduce team_create lock_acquire; do
  beside_others "$call" in 2 1
  beside_others "$call" in 7 3
done
for call in epoch_lock_kept epoch_lock_own epoch_fence_ahead epoch_complete_unposted; do # several that wait, on each node
  beside_others "$call" in 4 0
  beside_others "$call" before 5 4
  beside_others "$call" in 6 1 --nodes 2
  beside_others "$call" before 6 2 --nodes 2
done
# As many transfers between survivors as DART has outstanding, beside one to the victim, each on a node of its own.
beside_others put_beside_many before 3 0 --nodes 3
beside_others team_create_group_full in 4 0 --nodes 2 # the first member of a group
together

# A leader, the unit that has the tables of locks, without agents, and where targets copy.
for call in barrier allreduce_large get_blocking put_many lock_acquire range_acquire lock_at_acquire; do
  beside_others "$call" before 3 0 --nodes 3
  DART_PROGRESS=none beside_others "$call" in 4 0 --nodes 2
  DART_NET=software,latency=20us,jitter=20us beside_others "$call" in 4 1 --nodes 2
done
together

# checked CALL: the debug mode does not take a lock that a lost unit held for a mistake, nor a buffer that is used again.
checked() {
  local command=("${program/dart-survive-/dart-survive-checked-}")
  DART_CHECK=1 survive "$1" in 4 1 --nodes 2
  [[ $err == *"dart-check: 0 errors"* ]] || fail "checked $1: $err"
}

need "${program/dart-survive-/dart-survive-checked-}"
for call in lock_acquire lock_at_acquire range_acquire epoch_fence epoch_lock epoch_lock_all; do
  also checked "$call"
done

# The launcher tells of a loss before the kernel has released the process, which takes two seconds here.
released_late() {
  local late=$build/test/liblate-release.so
  LD_PRELOAD=$late survive_once barrier in 3 0
  ((slowest < 2000)) || LD_PRELOAD=$late survive_once barrier in 3 0 # the machine may have stood still
  ((slowest < 2000)) || fail "a loss was told after $slowest ms"
}
[[ ! -e $build/test/liblate-release.so ]] || also released_late

# Nobody reads the launcher's output for three seconds, and units fill it: it tells of a loss all the same.
into_pipe='"$@" | { sleep 3; cat; }; exit "${PIPESTATUS[0]}"'
into_socket='import socket, subprocess, sys, time
a, b = socket.socketpair()
job = subprocess.Popen(sys.argv[1:], stdout=b)
b.close()
time.sleep(3)
while text := a.recv(65536): sys.stdout.buffer.write(text)
sys.exit(job.wait())'
unread_once() {
  run "$@" "$dartrun" --tag -n 3 sh -c '(yes | head -c 400000 &); exec "$@"' sh "$program" barrier in 0
  expect_code 137
  [[ $(grep -c survived <<<"$out") == 2 ]] || fail "not all others survived: $err"
  slowest=$(sed -n 's/^\[[0-9]\] \([0-9]*\) ms$/\1/p' <<<"$out" | sort -n | tail -n 1)
}
unread() {
  unread_once "$@"
  ((slowest < 2000)) || unread_once "$@" # the machine may have stood still
  ((slowest < 2000)) || fail "a loss was told after $slowest ms"
}
also unread bash -c "$into_pipe" bash
also unread python3 -c "$into_socket"
together

# Statistics: each survivor has its own.
DART_STATS=csv:$work/stats.%u.csv survive barrier in 3 0
for unit in 1 2; do [[ -s $work/stats.$unit.csv ]] || fail "no statistics of unit $unit"; done
DART_STATS=csv:$work/stats.csv survive barrier in 3 0
[[ $err == *"stats.csv is not written; with %u in its name each unit writes a file"* ]] || fail "statistics: $err"

# leave MOMENT UNITS VICTIM [OPTION...]: a unit dies while the others are in dart_exit, or itself is, or has left.
leave() {
  run "$dartrun" -n "$2" "${@:4}" "$program" exit "$1" "$3"
  expect_code 137
  [[ $(grep -c survived <<<"$out") == $(($2 - 1)) ]] || fail "exit $*: $out $err"
}

for moment in before in after; do
  for unit in 0 3; do
    also leave "$moment" 4 "$unit"
    also leave "$moment" 4 "$unit" --nodes 2
  done
done
together

# end_by CODE [OPTION...]: a unit ends with that, and without dart_exit.
end_by() {
  run "$dartrun" -n 4 "${@:2}" "$program" code "$1" 1
  expect_code "$1"
  [[ $(grep -c survived <<<"$out") == 3 && $err == *"unit 1 (pid "*") is lost, ended with code $1 without dart_exit"* ]] ||
    fail "end_by $*: $out $err"
}

for number in 0 3; do
  also end_by "$number"
  also end_by "$number" --nodes 2
done
together

# ended [OPTION...]: who ends the launcher ends the job, and loses nobody; a unit that ignores that has two seconds.
ended() {
  local pid began=$SECONDS
  begin "$dartrun" -n 3 "$@" "$program" work in 1
  pid=$!
  until grep -q begun "$work/err" || ((SECONDS - began > 60)); do sleep 0.05; done
  kill -TERM "$pid"
  began=$SECONDS
  finished
  expect_code 143
  [[ $err != *"is lost"* ]] || fail "ended $*: $err"
  ((SECONDS - began < 20)) || fail "ended $*: it took $((SECONDS - began)) s"
}
also ended
also ended --nodes 3

# again [OPTION...]: a unit dies while the others begin another cycle of dart_init and dart_exit.
again() {
  local began=$SECONDS
  run "$dartrun" -n 3 "$@" "$program" again in 1
  expect_code 137
  [[ $err == *"unit 1 (pid "*") was killed by signal 9"* && $err != *"is lost"* && $out != *survived* ]] ||
    fail "again $*: $out $err"
  ((SECONDS - began < 20)) || fail "again $*: it took $((SECONDS - began)) s"
}
also again
also again --nodes 3
together

# drawn UNITS NODES SEED: one or two units are killed at drawn moments, or all of a node; the others end well, with right
# data.
drawn() {
  local nlost
  run "$dartrun" -n "$1" --nodes "$2" "$program" drawn "$3"
  expect_code 137
  nlost=$(grep -c 'is lost, killed by signal 9' <<<"$err")
  [[ $nlost -gt 0 && $(grep -c survived <<<"$out") == $(($1 - nlost)) ]] || fail "drawn $*: $out $err"
}

for ((seed = 1; seed <= ${DART_TEST_SCHEDULES-12}; seed++)); do
  units=$((seed % 7 + 2)) nodes=$((seed % 4 + 1))
  also drawn "$units" $((nodes < units ? nodes : units)) "$seed"
  ((${#beside[@]} < 4)) || together
done
together

# cut UNITS HOW SEED: a unit is killed while its data are under way; what it has told of is there.
cut() {
  run "$dartrun" -n "$1" --nodes "$1" "$program" cut "$2" "$3"
  expect_code 137
  [[ $(grep -c survived <<<"$out") == $(($1 - 1)) ]] || fail "cut $*: $out $err"
}
for seed in 1 2 4 6 8; do
  also cut 2 notify "$seed"
  also cut 2 complete "$seed"
  DART_NET=software also cut 2 complete "$seed"
  DART_NET=software also cut 3 unlock "$seed"
  together
done

# Without the setting a unit that dies ends the job, and calls of the header say that it is not on.
unset DART_SURVIVE
run "$dartrun" -n 3 "$program" barrier in 0; expect_code 2
DART_SURVIVE=2 run "$dartrun" -n 3 "$program" barrier in 0; expect_code 2
expect_line "*DART_SURVIVE='2' is not one of 0|1"

# set_by_units UNITS [OPTION...]: each unit sets it itself, before dart_init. The launcher tells of a loss as early, too.
set_by_units() {
  local command=(env DART_SURVIVE=1 "$program")
  survive barrier in "$1" 0 "${@:2}"
  survive lock_acquire before "$1" 1 "${@:2}"
  [[ ! -e $build/test/liblate-release.so || ${2-} == --nodes ]] || released_late
}
also set_by_units 3
also set_by_units 4 --nodes 2
together

# Some units only: it is not on.
only='[ $DART_SHMEM_UNIT = 1 ] || export DART_SURVIVE=1; exec "$@"'
run "$dartrun" -n 3 sh -c "$only" sh "$program" barrier in 0; expect_code 2
[[ $(grep -c "DART_SURVIVE=1 on some units only: ignored" <<<"$err") == 1 ]] || fail "set by some: $err"

# MPI ends the job: dart-mpi says so.
if has_backend mpi && [[ -x $build/test/dart-survive-mpi ]]; then
  DART_SURVIVE=1 run "$build/dart-mpi/dartrun" -n 2 "$build/test/dart-survive-mpi" barrier in 0
  [[ $code != 0 && $err == *"DART_SURVIVE=1: with dart-mpi"* ]] || fail "dart-mpi: code $code: $err"
fi

[[ $(named) == "$before" ]] || fail "left in /dev/shm: $(named)"
finish
