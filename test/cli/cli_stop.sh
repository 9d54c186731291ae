# A unit that is stopped and goes on holds up those who wait for it, and no more.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN

# stop UNIT SECONDS: it stands still for so long.
stop() {
  local pid
  pid=$(sed -n "s/^$1 //p" "$work/out")
  kill -STOP "$pid"
  sleep "$2"
  grep -q '^State:[[:space:]]*T' "/proc/$pid/status" || fail "unit $1 does not stand still"
  ! grep -q through "$work/out" || fail "the others did not wait for unit $1"
  kill -CONT "$pid"
}

# Each of three units, while they put to, get from, notify and wait for one another; once for longer than
# anyone waits without a look.
hold_up() {
  begin "${dartrun[@]}" -n 3 "$program" '*:init,pid,work=300,say=through,exit'
  lines 3 '^[0-9] [0-9]*$'
  stop 1 0.5; sleep 0.1
  stop 0 0.5; sleep 0.1
  stop 2 2.5
  finished
  expect_code 0
  [[ $(grep -o through <<<"$out" | wc -l) == 3 && -z $err ]] || fail "not all came through: $out $err"
}

on_backends hold_up dart-end
finish
