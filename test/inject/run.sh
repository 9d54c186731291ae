#!/usr/bin/env bash
# Lets every call that can fail in the library fail, one at a time, and looks how the program ends
# (inject.h says what a call is here, program.c what the program does).
#
#   run.sh BUILD BACKEND UNITS NODES all             every point of every unit; 1 unit has no launcher
#   run.sh BUILD BACKEND UNITS NODES places [SEED]   one for each place in the source, on each unit
#   run.sh BUILD BACKEND UNITS NODES SECONDS [SEED]  as many as fit, in an order that SEED decides
#   run.sh BUILD BACKEND UNITS NODES UNIT:POINT      this one, and all that is said
#   run.sh BUILD BACKEND UNITS NODES CALL:FILE...    one of these of each unit, after which the program has to go on
#
# Points have the names of inject.h.
# Allowed ends: the program goes on, with the same error on every unit that took part, and in the end
# leaves as much as it does without a failure; or, after a call of MPI that failed, a line that names this
# call and an end with a code that is not 0 within 5 seconds of the failure. All else is wrong, and printed: a
# program also that ends because of something else than the call that was made to fail, for memory that is
# missing is not the transport's failure, and what ended it then came from units that had parted; or because of a
# call that had been said to lack something only.
#
# After the failure the program need not do everything: it runs the part in which the point is and the next one. Where
# the point is not reached that way, because an earlier part prepares it, the program runs as a whole.
#
# A verdict that rests on time alone (a unit waits in vain, or for too long) may be the machine's: the same
# call of the same unit is made to fail again, and the verdict believed when it is the same or no better.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
set -u

build=$1 backend=$2 units=$3 nodes=$4 what=$5
seed=$RANDOM$RANDOM
[[ ${6-} != [0-9]* ]] || seed=$6
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

# now_ms: by the clock by which the injector notes when it made a call fail.
now_ms() {
  local seconds
  read -r seconds _ </proc/uptime
  echo $((10#${seconds/./} * 10))
}

# run DART_INJECT LOG: the program, with that setting.
run() {
  local board=$2.board code
  truncate -s 64K "$board"
  DART_INJECT=$1 INJECT_BOARD=$board INJECT_UNITS=$units INJECT_SECONDS=30 \
    timeout -s KILL 60 "${launch[@]}" "$build/test/inject/inject-$backend" >"$2" 2>&1
  code=$?
  ended_ms=$(now_ms)
  rm -f "$board"
  return $code
}

# left LOG UNIT: what the unit leaves behind: allocations, files, MiB of address space.
left() {
  sed -n "s/^.*program: unit $2 leaves \([0-9]*\) allocations, \([0-9]*\) files, \([0-9]*\) MiB\$/\1 \2 \3/p" "$1"
}

# lost LOG: what a unit leaves more than it does without a failure; a little address space may be.
lost() {
  local unit here before
  for ((unit = 0; unit < units; unit++)); do
    read -ra here < <(left "$1" $unit)
    read -ra before < <(left "$work/count" $unit)
    if ((here[0] > before[0] || here[1] > before[1] || here[2] - before[2] > 48)); then
      echo "unit $unit leaves ${here[*]} allocations, files, MiB, and not ${before[*]}"
      return
    fi
  done
}

# ms_since_failure LOG
ms_since_failure() {
  local failed_ms
  failed_ms=$(sed -n 's/^.*inject: unit [0-9]* fails at .*, at \([0-9]*\) ms.*/\1/p' "$1" | head -n 1)
  echo $((ended_ms - ${failed_ms:-$ended_ms}))
}

# ended_by CALL LOG: whether this call of MPI, and it alone, ended the program.
ended_by() {
  [[ $1 == MPI_* ]] && grep -q "DART: $1 failed, which ends the program" "$2" &&
    ! grep 'failed, which ends the program' "$2" | grep -qv "DART: $1 failed" && ! grep -q "DART: $1: " "$2"
}

# verdict CODE LOG UNIT:POINT: one word, and a reason.
verdict() {
  local code=$1 log=$2 call=${3#*:}
  if grep -qE 'AddressSanitizer|LeakSanitizer|runtime error:|UndefinedBehavior' "$log"; then
    echo "WRONG a sanitizer reports"
  elif grep -q '^.*program: unit [0-9]*: ' "$log"; then
    echo "WRONG $(sed -n 's/^.*program: \(unit [0-9]*: .*\)/\1/p' "$log" | head -n 1)"
  elif [ "$code" -eq 0 ] && ! grep -q 'inject: unit [0-9]* fails' "$log"; then
    echo "unreached"
  elif [ "$code" -eq 0 ] && [ -n "$(lost "$log")" ]; then
    echo "WRONG $(lost "$log")"
  elif [ "$code" -eq 0 ]; then
    echo "goes-on"
  elif [ -n "${INJECT_GOES_ON-}" ] || ! ended_by "${call%%:*}" "$log"; then
    echo "WRONG ends with $code"
  elif (($(ms_since_failure "$log") > 5000)); then
    echo "WRONG ends only after $(ms_since_failure "$log") ms"
  else
    echo "ends"
  fi
}

# rests_on_time VERDICT
rests_on_time() {
  case $1 in
    *" waits in vain "* | *" hangs in it"* | *" ends only after "* | *" ends with 137") ;;
    *) return 1 ;;
  esac
}

# log_of UNIT:POINT
log_of() { echo "$work/try.${1//[:\/]/_}"; }

# outcome UNIT:POINT LOG
outcome() {
  local part=${1##*:} found
  export INJECT_PART=${part%.*}
  run "$1" "$2"
  found=$(verdict $? "$2" "$1")
  unset INJECT_PART
  if [ "$found" = unreached ]; then
    run "$1" "$2"
    found=$(verdict $? "$2" "$1")
  fi
  echo "$found"
}

# try UNIT:POINT: a line for the results.
try() {
  local log first='' found
  log=$(log_of "$1")
  found=$(outcome "$1" "$log")
  if rests_on_time "$found"; then
    first=$found
    for _ in 1 2; do
      found=$(outcome "$1" "$log")
      [ "$found" = unreached ] || break
    done
    [ "$found" != unreached ] || found=$first
  fi
  echo "$1 $found${first:+; at first $first}"
  case $found in WRONG*) ;; *) rm -f "$log" ;; esac
}

if [ -n "${INJECT_DEADLINE-}" ]; then # started below, for one point
  (($(now_ms) < INJECT_DEADLINE)) || exit 255 # which ends xargs
  try "$what"
  exit 0
fi

list() {
  rm -f "$work"/list.*
  run "list:$work/list" "$work/count"
}
if ! list && ! list; then
  echo "inject: $name: the program fails without a failure:"
  tail -n 20 "$work/count"
  exit 1
fi

if [[ $what == [0-9]*:* ]]; then
  try "$what"
  cat "$(log_of "$what")" 2>/dev/null
  exit 0
fi

# A place in a header is one of each file that includes it.
all_points() { sort -u "$work"/list.*; }

# shuffled SEED: lines in an order that depends on it alone.
shuffled() { shuf --random-source=<(yes "$1"); }

total=$(all_points | wc -l)
if [ "$what" = all ]; then # every place once, then again: what is cut short has been everywhere
  all_points | awk -F: '{ print ++n[$1 $2 $3 $4], $0 }' | sort -n -s | cut -d ' ' -f 2 >"$work/points"
else
  all_points | shuffled "$seed" >"$work/points"
fi
if [[ $what == *:* ]]; then
  export INJECT_GOES_ON=1
  for place in "${@:5}"; do
    grep "^[0-9]*:$place:" "$work/points" | awk -F: '!seen[$1 ":" $4]++'
  done >"$work/places"
  mv "$work/places" "$work/points"
elif [ "$what" = places ]; then
  awk -F: '!seen[$1 ":" $2 ":" $3 ":" $4]++' "$work/points" >"$work/places"
  mv "$work/places" "$work/points"
fi
case $what in all | places | *:*) seconds=1000000 ;; *) seconds=$what ;; esac

INJECT_DEADLINE=$(($(now_ms) + seconds * 1000)) xargs -P "${INJECT_JOBS:-1}" -I{} \
  bash "$0" "$build" "$backend" "$units" "$nodes" {} <"$work/points" >"$work/results" 2>/dev/null

count() { grep -c "^[^ ]* $1" "$work/results"; }
grep '; at first ' "$work/results" | sed "s/^/inject: $name: only once: /"
grep '^[^ ]* WRONG ' "$work/results" | while read -r point verdict; do
  echo "inject: $name: $point: $verdict"
  grep -vE '^$|^=+$|BAD TERMINATION|PID |EXIT CODE|CLEANING|YOU CAN IGNORE|YOUR APPLICATION|This typically|Please see' \
    "$(log_of "$point")" | head -n "${INJECT_LINES:-8}" | sed 's/^/    /'
done
missing=0
for place in "${@:5}"; do
  [[ $place == *:* ]] || continue
  grep -qE "^[0-9]*:$place:[^ ]* (goes-on|WRONG)" "$work/results" && continue
  echo "inject: $name: $place was never made to fail"
  missing=1
done
[ "$what" = all ] || order=", in the order of seed $seed"
echo "inject: $name: $(wc -l <"$work/results") of $total points tried${order-}:" \
  "$(count goes-on) go on, $(count ends) end the program, $(count unreached) were not reached," \
  "$(count WRONG) are wrong, $(grep -c '; at first ' "$work/results") seemed so once"
wrong=$(count WRONG)
[ -n "${INJECT_KEEP-}" ] || rm -rf "$work"
[ "$wrong" -eq 0 ] && [ "$missing" -eq 0 ]
