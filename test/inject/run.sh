#!/usr/bin/env bash
# Lets every call that can fail in the library fail, one at a time, and looks how the program ends
# (inject.h says what a call is here, program.c what the program does).
#
#   run.sh BUILD BACKEND UNITS NODES all             every point of every unit; 1 unit has no launcher
#   run.sh BUILD BACKEND UNITS NODES SECONDS [SEED]  as many as fit, in an order that SEED decides
#   run.sh BUILD BACKEND UNITS NODES UNIT:POINT      this one, and all that is said
#
# Allowed ends: the program goes on, with the same error on every unit that took part, and in the end
# leaves as much as it does without a failure; or, after a call of MPI that failed, one line that names
# it and an end with a code that is not 0 within 5 seconds. All else is wrong, and printed.
set -u

build=$1 backend=$2 units=$3 nodes=$4 what=$5
seed=${6:-$RANDOM$RANDOM}
work=${INJECT_WORK:-$(mktemp -d)}
export INJECT_WORK=$work DART_LOG_LEVEL=ERROR
export ASAN_OPTIONS=quarantine_size_mb=4:${ASAN_OPTIONS-}
LSAN_OPTIONS=suppressions=$(dirname "$0")/../lsan.supp:print_suppressions=0
export LSAN_OPTIONS

launch=("$build/dart-$backend/dartrun" -n "$units")
if [ "$nodes" -gt 1 ]; then
  launch+=(--nodes "$nodes")
elif [ "$units" -eq 1 ]; then
  launch=() # a program may be started without a launcher, too
fi
name="$backend, $units units, $nodes nodes"

# run DART_INJECT LOG: the program, with that setting.
run() {
  local board=$2.board code
  truncate -s 64K "$board"
  DART_INJECT=$1 INJECT_BOARD=$board INJECT_UNITS=$units INJECT_SECONDS=30 \
    timeout -s KILL 60 "${launch[@]}" "$build/test/inject/inject-$backend" >"$2" 2>&1
  code=$?
  rm -f "$board"
  return $code
}

# left LOG: what each unit leaves behind, but for address space, of which a little may differ.
left() { sed -n 's/^.*program: \(unit .* leaves .*\), [0-9]* MiB$/\1/p' "$1" | sort; }

# mapped LOG UNIT
mapped() { sed -n "s/^.*program: unit $2 leaves .*, \([0-9]*\) MiB\$/\1/p" "$1"; }

maps_more() {
  local unit here before
  for ((unit = 0; unit < units; unit++)); do
    here=$(mapped "$1" $unit) before=$(mapped "$work/count" $unit)
    ((here - before > 48)) && return 0
  done
  return 1
}

# verdict CODE LOG MILLISECONDS: one word, and a reason.
verdict() {
  local code=$1 log=$2 ms=$3
  if grep -qE 'AddressSanitizer|LeakSanitizer|runtime error:|UndefinedBehavior' "$log"; then
    echo "WRONG a sanitizer reports"
  elif grep -q '^.*program: unit [0-9]*: ' "$log"; then
    echo "WRONG $(sed -n 's/^.*program: \(unit [0-9]*: .*\)/\1/p' "$log" | head -n 1)"
  elif [ "$code" -eq 0 ] && ! grep -q 'inject: unit [0-9]* fails' "$log"; then
    echo "unreached"
  elif [ "$code" -eq 0 ] && [ "$(left "$log")" != "$(left "$work/count")" ]; then
    echo "WRONG it leaves $(left "$log" | diff - <(left "$work/count") | sed -n 's/^< unit/unit/p' | head -n 1)"
  elif [ "$code" -eq 0 ] && maps_more "$log"; then
    echo "WRONG address space is lost"
  elif [ "$code" -eq 0 ]; then
    echo "goes-on"
  elif ! grep -qE '(MPI_[A-Za-z_]*|on_exit) failed, which ends the program' "$log"; then
    echo "WRONG ends with $code"
  elif ((ms > normal_ms + 5000)); then
    echo "WRONG ends only after $ms ms"
  else
    echo "ends"
  fi
}

now_ms() { date +%s%3N; }

# try UNIT:POINT: a line for the results.
try() {
  local log=$work/try.${1/:/.} start code found
  start=$(now_ms)
  run "$1" "$log"
  code=$?
  found=$(verdict $code "$log" $(($(now_ms) - start)))
  echo "$1 $found; $(sed -n 's/^.*inject: unit [0-9]* fails at point [0-9]*: \(.*\)/\1/p' "$log" | head -n 1)"
  case $found in WRONG*) ;; *) rm -f "$log" ;; esac
}

if [ -n "${INJECT_DEADLINE-}" ]; then # started below, for one point
  (($(now_ms) < INJECT_DEADLINE)) || exit 255 # which ends xargs
  normal_ms=$INJECT_NORMAL_MS
  try "$what"
  exit 0
fi

start=$(now_ms)
if ! run count "$work/count"; then
  echo "inject: $name: the program fails without a failure:"
  tail -n 20 "$work/count"
  exit 1
fi
export INJECT_NORMAL_MS=$(($(now_ms) - start))
normal_ms=$INJECT_NORMAL_MS

if [[ $what == *:* ]]; then
  try "$what"
  cat "$work/try.${what/:/.}" 2>/dev/null
  exit 0
fi

# all_points: UNIT:POINT, one a line.
all_points() {
  sed -n 's/^.*inject: unit \([0-9]*\) reached \([0-9]*\) points/\1 \2/p' "$work/count" | sort |
    while read -r unit count; do
      seq -f "$unit:%.0f" 1 "$count"
    done
}

# shuffled SEED: lines in an order that depends on it alone.
shuffled() { shuf --random-source=<(yes "$1"); }

total=$(all_points | wc -l)
if [ "$what" = all ]; then
  all_points >"$work/points"
else
  all_points | shuffled "$seed" >"$work/points"
fi
if [ "$what" = all ]; then seconds=1000000; else seconds=$what; fi

INJECT_DEADLINE=$(($(now_ms) + seconds * 1000)) xargs -P "${INJECT_JOBS:-1}" -I{} \
  bash "$0" "$build" "$backend" "$units" "$nodes" {} <"$work/points" >"$work/results" 2>/dev/null

count() { grep -c "^[0-9:]* $1" "$work/results"; }
grep ' WRONG ' "$work/results" | while read -r point verdict; do
  echo "inject: $name: $point: $verdict"
  grep -vE '^$|^=+$|BAD TERMINATION|PID |EXIT CODE|CLEANING|YOU CAN IGNORE|YOUR APPLICATION|This typically|Please see' \
    "$work/try.${point/:/.}" | head -n "${INJECT_LINES:-8}" | sed 's/^/    /'
done
[ "$what" = all ] || order=", in the order of seed $seed"
echo "inject: $name: $(wc -l <"$work/results") of $total points tried${order-}:" \
  "$(count goes-on) go on, $(count ends) end the program, $(count unreached) were not reached," \
  "$(count WRONG) are wrong"
wrong=$(count WRONG)
[ -n "${INJECT_KEEP-}" ] || rm -rf "$work"
[ "$wrong" -eq 0 ]
