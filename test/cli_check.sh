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
  reports=$(awk '/^dart-check: unit/ { if (r) print r; r = $0; next } /^  / && r { r = r " |" $0; next }
                 r { print r; r = "" } END { if (r) print r }' <<<"$err")
}

# verdict NAME PATTERN: the reports that name the case are one, like the pattern, or none.
verdict() {
  local found
  found=$(grep -E "[ ,]$1 at [^ ]*\.c:[0-9]+" <<<"$reports")
  if [[ -z $2 ]]; then
    [[ -z $found ]] || fail "$backend: $1 is right, but: $found"
  else
    # shellcheck disable=SC2053
    [[ -n $found && $(wc -l <<<"$found") == 1 && ${found%% |*} == $2 ]] ||
      fail "$backend: $1 should be like '$2', but: '$found'; all: $err"
  fi
}

alone() { # NAME PATTERN
  run "${dartrun[@]}" -n 3 "$program" "$1"
  collect
  expect_code 65
  verdict "$1" "$2"
}

# Those that end the program, or are reported at its end, take a run each: with dart-mpi some of them.
try() {
  local how name pattern right=() names=() patterns=() wrong=0 i
  while IFS=$'\t' read -r how name pattern; do
    if [[ $how == alone ]]; then
      [[ $backend == mpi && ${#dartrun[@]} == 1 || $backend == mpi && $name != wrong_@(call|order|groups|group_leak) ]] ||
        alone "$name" "$pattern"
    else
      names+=("$name") patterns+=("$pattern")
      [[ -n $pattern ]] && wrong=$((wrong + 1)) || right+=("$name")
    fi
  done < <("$program")

  run "${dartrun[@]}" -n 3 "$program" "${right[@]}"
  expect_code 0
  collect
  [[ -z $reports && $err == *"3 units were looked at for memory completion collectives races: 0 found"* ]] ||
    fail "$backend: right programs: $err"

  run "${dartrun[@]}" -n 3 "$program" "${names[@]}"
  collect
  expect_code 65
  for i in "${!names[@]}"; do verdict "${names[i]}" "${patterns[i]}"; done
  [[ $(grep -c . <<<"$reports") == "$wrong" ]] || fail "$backend: not $wrong reports: $err"
  [[ $err == *"looked at for memory completion collectives races: $wrong found"* ]] || fail "$backend: $err"

  [[ ${#dartrun[@]} == 1 ]] || return 0 # one unit is on one node
  run "${dartrun[@]}" -n 1 "$program" ordered_many
  expect_code 0; [[ $err != *"more than"* && $err == *"races: 0 found"* ]] || fail "$backend: one unit: $err"
}

# Not linked, but loaded where the environment asks for it; single kinds of checks can be chosen.
try_loaded() {
  run "${dartrun[@]}" -n 3 "$program" wrong_source wrong_bounds
  expect_code 0; [[ $err != *dart-check* ]] || fail "$backend: without DART_CHECK: $err"
  run env DART_CHECK=1 "${dartrun[@]}" -n 3 "$program" wrong_source wrong_bounds
  expect_code 65; [[ $err == *"memory completion collectives races: 2 found"* ]] || fail "$backend: $err"
  [[ $backend == shmem ]] || return
  run env DART_CHECK=completion "${dartrun[@]}" -n 3 "$program" wrong_source wrong_bounds wrong_after_epoch
  expect_code 65; [[ $err == *"looked at for completion: 2 found"* ]] || fail "$backend: $err"
  run env DART_CHECK=completion,collectives "${dartrun[@]}" -n 3 "$program" right_calls wrong_bounds
  expect_code 0; [[ $err == *"completion collectives: 0 found"* ]] || fail "$backend: $err"
  run env DART_CHECK=completeness "${dartrun[@]}" -n 3 "$program" right_calls
  [[ $err == *"DART_CHECK is 'completeness'"* ]] || fail "$backend: $code, $err"
}

shopt -s extglob
on_backends try check-cases
work+=/loaded
mkdir "$work"
[[ ! -x $build/test/check-loaded-shmem ]] || on_backends try_loaded check-loaded
finish
