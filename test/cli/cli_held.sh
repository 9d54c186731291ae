# A unit that ends or is killed while it holds a lock ends the job, though others wait for the lock; and the unit
# and the lock are named. So does one that is killed while it waits for it.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN # no lines but those that are looked for

# names TAKE HELD: unit 1 does TAKE, and is killed, while the others want what it holds.
names() {
  run timeout 30 "${dartrun[@]}" -n 3 "$program" \
    "1:init,lockinit,rangeinit,$1,barrier,sleep=100,kill=9" \
    "*:init,lockinit,rangeinit,barrier,$2,sleep=100000"
  [[ $code != 0 && $code != 124 && $(grep -o 'dartrun: .*' "$work/err") == "dartrun: unit 1 (pid "+([0-9])") "*"; it held $3" ]] ||
    fail "exit code $code, and not said of unit 1 that it held '$3': $err"
}

# holds_nothing STEPS: it is killed when it holds nothing any more.
holds_nothing() {
  run timeout 30 "${dartrun[@]}" -n 3 "$program" "1:init,lockinit,rangeinit,$1,kill=9" \
    '*:init,lockinit,rangeinit,sleep=100000'
  [[ $code != 0 && $code != 124 && $err == *"dartrun: unit 1 "* && $err != *held* ]] ||
    fail "exit code $code, and: $err"
}

# dies_waiting: unit 1 is killed while it waits, with another behind it, for what unit 0 holds. The launcher's table
# says when it waits.
dies_waiting() {
  local pid tries
  DART_HANG=1 begin timeout 60 "${dartrun[@]}" -n 3 "$program" '0:init,epoch=0,barrier,sleep=100000' \
    '1:init,barrier,pid,epoch=0' '2:init,barrier,epoch=0'
  for ((tries = 0; tries < 600; tries++)); do
    grep -qs '^dartrun: *1 .* dart_get_blocking: ' "$work/err" && break
    sleep 0.05
  done
  pid=$(sed -n 's/^1 //p' "$work/out")
  kill -KILL "$pid"
  finished
  [[ $code != 0 && $code != 124 && $tries != 600 && $err == *"dartrun: unit 1 (pid $pid) "* && $err != *"it held"* ]] ||
    fail "exit code $code, and not said that unit 1 was killed: $err"
}

held() {
  dies_waiting
  names lock lock 'lock 1 of team 0'
  names range range 'range lock 1 of team 0, from 10 to 20'
  names epoch=0 epoch=0 'the exclusive lock of unit 0 in segment 1 of team 0'
  names epoch=1 epoch=1 'the exclusive lock of unit 1 in segment 1 of team 0'
  names eshared=2 epoch=2 'the shared lock of unit 2 in segment 1 of team 0'
  names lock,range,epoch=2 epoch=2 'lock 1 of team 0, and 2 more'
  names eall epoch=2 'the shared lock of unit 2 in segment 1 of team 0, and 2 more'
  DART_HANG=1000 names at=2 at=2 'the lock at offset 0 of unit 2 in segment 1 of team 0'
  holds_nothing at=0,unat=0
  holds_nothing epoch=0,eunlock=0
  holds_nothing eshared=1,eunlock=1

  # It ends in order, but not by dart_exit: it says so itself.
  run timeout 30 "${dartrun[@]}" -n 3 "$program" '1:init,epoch=0,barrier,end=0' \
    '*:init,barrier,epoch=0,sleep=100000'
  [[ $code != 0 && $code != 124 && \
    $err == *'unit 1 ends with exit code 0, but has not called dart_exit, and holds the exclusive lock of unit 0 '* ]] ||
    fail "exit code $code, and: $err"

  # What a file in atomic mode keeps for the next call is not held by the program.
  run timeout 30 "${dartrun[@]}" -n 2 "$program" "1:init,file=$work/data,rewrite,end=0" \
    "*:init,file=$work/data,sleep=1000,end=0"
  [[ $code == 0 && $err != *holds* ]] || fail "exit code $code, and: $err"

  leaves_held lock 'lock 1 of team 0'
  leaves_held range 'range lock 1 of team 0, from 10 to 20'
  leaves_held_by_many
  leaves_held wide 'range lock 1 of team 0, from 10 to 3000000'
  leaves_held epoch=0 'the exclusive lock of unit 0 in segment 1 of team 0'
  leaves_held epoch=0,epoch=1,epoch=2 'the exclusive lock of unit 2 in segment 1 of team 0, and 2 more'
  run timeout 60 "${dartrun[@]}" -n 3 "$program" 1:init,eall,barrier,exit '*:init,barrier,epoch=1,exit'
  expect_code 0
}

# Of more objects than have names the last one is released, too.
leaves_held_by_many() {
  local many
  printf -v many 'lockinit,%.0s' {1..140}
  run timeout 60 "${dartrun[@]}" -n 3 "$program" "1:init,${many}lock,barrier,exit" "*:init,${many}barrier,lock,exit"
  expect_code 0
}

# leaves_held TAKE HELD: units come to dart_exit one by one as they get it, and none has released it.
leaves_held() {
  local unit
  run timeout 60 "${dartrun[@]}" -n 3 "$program" "1:init,lockinit,rangeinit,$1,barrier,exit" \
    "*:init,lockinit,rangeinit,barrier,$1,exit"
  for unit in 0 1 2; do
    [[ $code == 0 && $err == *WARN*"dart_exit: unit $unit still holds $2"* ]] ||
      fail "exit code $code, and not said of unit $unit that it holds '$2': $err"
  done
}

# Without agents.
alone() {
  local -x DART_PROGRESS=none
  dies_waiting
  names lock lock 'lock 1 of team 0'
  names range range 'range lock 1 of team 0, from 10 to 20'
  names epoch=0 epoch=0 'the exclusive lock of unit 0 in segment 1 of team 0'
  names eshared=2 epoch=2 'the shared lock of unit 2 in segment 1 of team 0'
  leaves_held lock 'lock 1 of team 0'
  leaves_held wide 'range lock 1 of team 0, from 10 to 3000000'
  leaves_held epoch=0 'the exclusive lock of unit 0 in segment 1 of team 0'
}
on_backends held dart-end
if has_backend mpi; then
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2) program=$build/test/dart-end-mpi
  alone
fi
finish
