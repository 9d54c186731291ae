# The debug mode (dart-check/): verdicts about small programs that are right, or wrong in one way.
source "$(dirname "$0")/cli.bash"
trap 'rm -rf "${work%/loaded}"' EXIT
need addr2line awk

export DART_LOG_LEVEL=ERROR
unset DART_CHECK

# As that of cli.bash, with more time: machines may be loaded.
run() {
  timeout -k 5 200 "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  out=$(<"$work/out")
  err=$(<"$work/err")
}

# What is reported, to $reports: one a line, its lines joined.
collect() {
  reports=$(awk '/^dart-check: unit/ { if (r) print r; r = $0; next } /^  / && r { sub(/^ +/, ""); r = r " | " $0; next }
                 r { print r; r = "" } END { if (r) print r }' <<<"$err")
}

# ${more[NAME]}: patterns of the lines that follow the first one of a case's report, joined as well.
declare -A more
while IFS= read -r line; do
  case $line in
    '#'*) ;;
    '  '*) more[$name]+=" | ${line#  }" ;;
    *) name=$line more[$name]='' ;;
  esac
done <"$(dirname "$0")/../check/reports"

# verdict NAME PATTERN: the reports that name the case are one, like the pattern and what is to follow it, or none.
verdict() {
  local found
  found=$(grep -E "[ ,]$1 at [^ ]*\.c:[0-9]+" <<<"$reports")
  if [[ -z $2 ]]; then
    [[ -z $found ]] || fail "$backend: $1 is right, but: $found"
  else
    # shellcheck disable=SC2053
    [[ -n $found && $(wc -l <<<"$found") == 1 && -v more[$1] && $found == $2${more[$1]-} ]] ||
      fail "$backend: $1 should be like '$2${more[$1]-}', but: '$found'; all: $err"
  fi
}

alone() { # NAME PATTERN
  run "${dartrun[@]}" -n 3 "$program" "$1"
  collect
  expect_code 65
  verdict "$1" "$2"
}

# By a program with several threads.
threads() { # NAME PATTERN
  run "${dartrun[@]}" -n 3 "$program" threads "$1"
  collect
  expect_code $([[ -z $2 ]] && echo 0 || echo 65)
  verdict "$1" "$2"
}

# As alone; DART's own report of the crash follows.
crashes() { # NAME PATTERN
  run "${dartrun[@]}" -n 3 "$program" "$1"
  collect
  [[ $code != 0 && $code != 65 ]] || fail "$backend: $1 ended with $code"
  [[ -n $sanitized || $err == *"DART: unit 1 (pid "*") crashed by signal 11 "*" $1 at "* ]] ||
    fail "$backend: $1 has no report of the crash: $err"
  verdict "$1" "$2"
}

# It is right, and a line says of what not all was looked at. With other units than those of one node it is the same.
bound() { # NAME LINE
  [[ $backend == shmem ]] || return
  local -x DART_CHECK=1
  [[ $1 != bound_underway ]] || DART_CHECK=races # of the others each would look at all 66000
  run "${dartrun[@]}" -n 3 "$program" "$1"
  collect
  expect_code 0
  [[ $err == *"dart-check: unit "?": $2"* && $err == *"dart-check: 0 errors found in 3 units ("* ]] || fail "$1 should say '$2', but: $err"
}

# Those that end the program, or are reported at its end, take a run each: on other than one node of dart-shmem some of
# them.
try() {
  local how name pattern right=() names=() patterns=() wrong=0 i
  while IFS=$'\t' read -r how name pattern; do
    if [[ $how != together ]]; then
      [[ ($backend == mpi || ${#dartrun[@]} -gt 1) && (${#dartrun[@]} == 1 ||
         $name != @(wrong_@(call|order|groups|group_leak|segment_leak|load_after_free)|opposite_threads|wrong_no_post)) ]] || "$how" "$name" "$pattern"
    else
      names+=("$name") patterns+=("$pattern")
      [[ -n $pattern ]] && wrong=$((wrong + 1)) || right+=("$name")
    fi
  done < <("$program")

  run "${dartrun[@]}" -n 3 "$program" "${right[@]}"
  expect_code 0
  collect
  [[ -z $reports && $err == *"dart-check: 0 errors found in 3 units (memory, completion, collectives, locks, races)"* ]] ||
    fail "$backend: right programs: $err"

  run "${dartrun[@]}" -n 3 "$program" "${names[@]}"
  collect
  expect_code 65
  for i in "${!names[@]}"; do verdict "${names[i]}" "${patterns[i]}"; done
  [[ $(grep -c . <<<"$reports") == "$wrong" ]] || fail "$backend: not $wrong reports: $err"
  [[ $err == *"dart-check: $wrong errors found in 3 units (memory, completion, collectives, locks, races)"* ]] || fail "$backend: $err"

  [[ ${#dartrun[@]} == 1 ]] || return 0 # one unit is on one node
  run "${dartrun[@]}" -n 1 "$program" ordered_many
  expect_code 0; [[ $err != *"more than"* && $err == *"dart-check: 0 errors found in 1 unit ("* ]] || fail "$backend: one unit: $err"
}

# Not linked, but loaded where the environment asks for it; single kinds of checks can be chosen.
try_loaded() {
  run "${dartrun[@]}" -n 3 "$program" wrong_source wrong_bounds
  expect_code 0; [[ $err != *dart-check* ]] || fail "$backend: without DART_CHECK: $err"
  run env DART_LOG_LEVEL=WARN DART_CHECK=1 "${dartrun[@]}" -n 3 "$program" wrong_source wrong_bounds
  expect_code 65; [[ $err == *"dart-check: 2 errors found in 3 units (memory, completion, collectives, locks, races)"* ]] || fail "$backend: $err"
  [[ $err != *"is not there"* ]] || fail "$backend: it was loaded: $err"
  [[ $backend == shmem ]] || return
  run env DART_CHECK=completion "${dartrun[@]}" -n 3 "$program" wrong_source wrong_bounds wrong_after_epoch
  expect_code 65; [[ $err == *"dart-check: 2 errors found in 3 units (completion)"* ]] || fail "$backend: $err"
  run env DART_CHECK=completion,collectives "${dartrun[@]}" -n 3 "$program" right_calls wrong_bounds
  expect_code 0; [[ $err == *"dart-check: 0 errors found in 3 units (completion, collectives)"* ]] || fail "$backend: $err"
  run env DART_CHECK=1 "${dartrun[@]}" -n 3 env DART_CHECK_PATIENCE=5s "$program" right_calls
  [[ $code != 0 && $err == *"dart-check: DART_CHECK_PATIENCE is '5s'; it may be a number of seconds"* ]] || fail "$backend: $code, $err"
  run env DART_CHECK=1 "${dartrun[@]}" -n 3 env DART_CHECK=completeness "$program" right_calls
  [[ $code != 0 && $err == *"dart-check: DART_CHECK is 'completeness'"* && $err != *"is not initialised"* ]] || fail "$backend: $code, $err"
}

# Locks, range objects and files may be ended after dart_exit: its line says how many there are, and each unit reports its
# own at its end, also where another one has ended before with the code of the findings. The program leaves a segment, too.
try_ended() {
  run "${dartrun[@]}" -n 3 "$program" 1:init,lockinit,rangeinit,exit,sleep=300 '*:init,lockinit,rangeinit,exit'
  expect_code 65
  [[ $err == *"1 error found in 3 units (memory, completion, collectives, locks, races); 6 locks, range objects and files still exist"* ]] || fail "$backend: not counted: $err"
  [[ $(grep -c '^dart-check: unit [012]: memory: lock was never destroyed, 1 time$' <<<"$err") == 3 &&
    $(grep -c '^dart-check: unit [012]: memory: range object was never destroyed, 1 time$' <<<"$err") == 3 ]] ||
    fail "$backend: not the leaks of all units: $err"
  # A unit may end while another one is still behind the last barrier of dart_exit. That is rare, so often.
  for _ in {1..30}; do
    [[ $backend == shmem ]] || break # Hydra lets units end that have left MPI
    run "${dartrun[@]}" -n 3 "$program" '*:init,lockinit,exit'
    [[ $(grep -c 'memory: lock was never destroyed, 1 time$' <<<"$err") == 3 ]] ||
      fail "$backend: not the leaks of all units that end at once: $err"
  done
  run "${dartrun[@]}" -n 3 "$program" '*:init,exit'
  expect_code 65; [[ $err$'\n' == *$'1 error found in 3 units (memory, completion, collectives, locks, races)\n'* ]] || fail "$backend: no lock is left: $err"
  # A leader that looks for what unmatched collectives have left may be behind one that is further on in dart_exit.
  for _ in {1..10}; do
    run "${dartrun[@]}" -n 4 "$program" '*:init,exit'
    [[ $err != *"did not match"* ]] || fail "$backend: collectives match: $err"
    [[ $backend == shmem ]] || break # the network does not matter
  done
  # Each cycle of init and exit has its own line and number.
  run "${dartrun[@]}" -n 3 "$program" '*:init,exit,init,exit,init,exit'
  expect_code 65
  [[ $(grep -c '^dart-check: 1 error found in 3 units .*)$' <<<"$err") == 3 ]] || fail "$backend: cycles add up: $err"
}

# A program that is linked with neither layer does not start, and says, once for the job, which one is not there.
try_plain() {
  run env DART_LOG_LEVEL=WARN DART_CHECK=1 DART_TRACE="$work/none" "${dartrun[@]}" -n 2 "$program" '*:init,exit'
  [[ $code != 0 && $code != 124 ]] || fail "$backend: without layers: exit code $code"
  [[ $(grep -c 'is set, but lib' <<<"$err") == 2 && $err == *"DART_CHECK is set, but libdart-check is not there"* &&
     $err == *"DART_TRACE is set, but libdart-trace is not there"* ]] || fail "$backend: without layers: $err"
  run env DART_LOG_LEVEL=WARN DART_CHECK=0 DART_TRACE= "${dartrun[@]}" -n 2 "$program" '*:init,exit'
  expect_code 0; [[ $err != *"is set, but"* ]] || fail "$backend: nothing was asked for: $err"
}

shopt -s extglob
sanitized=$(grep -s '^DART_SANITIZE:[A-Z]*=..*' "$build/CMakeCache.txt" | grep -v '=$')
on_backends try check-cases
rm -rf "${work:?}"/[0-9]*
on_backends try_plain dart-end
rm -rf "${work:?}"/[0-9]*
on_backends try_ended dart-end-checked
work+=/loaded
mkdir "$work"
[[ ! -x $build/test/check-loaded-shmem ]] || on_backends try_loaded check-loaded
finish
