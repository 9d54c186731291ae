# What the tests of command lines share; each sources this file with the build folder as $1.
# A test is a list of expectations. All of them are checked; `finish` says how it went.
# --help prints what its file begins with.

[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
build=$1
failures=0
work=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT

fail() { # names the line of the test, not one of these functions
  echo "FAILED line ${BASH_LINENO[${#BASH_LINENO[@]} - 2]}: $*"
  failures=$((failures + 1))
}

# run COMMAND...: its exit code in $code, its output in $out and $err. It reads nothing.
run() {
  timeout -k 5 "${run_limit:-60}" "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  out=$(<"$work/out")
  err=$(<"$work/err")
}

# begin COMMAND...: the same in the background, with the pid in $!. The files are new: what an earlier
# command wrote is not taken for what this one writes.
begin() {
  : >"$work/out"
  "$@" >"$work/out" 2>"$work/err" </dev/null &
}

# finished: wait for it, and take what it wrote.
finished() {
  wait $!; code=$?
  out=$(<"$work/out")
  err=$(<"$work/err")
}

expect_code() { [[ $code == "$1" ]] || fail "exit code $code, not $1; it said: $err"; }
expect_out() { [[ $out == "$1" ]] || fail "output '$out', not '$1'"; }

# One line on stderr, which matches the pattern.
expect_line() {
  [[ $(wc -l <"$work/err") == 1 ]] || fail "not one line on stderr: '$err'"
  # shellcheck disable=SC2053
  [[ $err == $1 ]] || fail "stderr '$err' is not like '$1'"
}

# also FUNCTION ARG...: call it beside what follows, with files of its own. together: wait for all of these.
# For what mostly waits.
beside=()
also() {
  local number=${#beside[@]}
  (
    mkdir "$work/$number" && work+=/$number && beside=() && failures=0
    "$@"
    ((failures == 0))
  ) >"$work/log.$number" 2>&1 &
  beside+=($!)
}
together() {
  local number
  for number in "${!beside[@]}"; do
    wait "${beside[number]}" || { failures=$((failures + 1)); cat "$work/log.$number"; }
    rm -rf "${work:?}/$number"
  done
  beside=()
}

# has_backend BACKEND: is it built, and to be tested? DART_TEST_BACKENDS names those that are; all, if it is not set.
has_backend() { [[ " ${DART_TEST_BACKENDS-shmem mpi} " == *" $1 "* && -x $build/dart-$1/dartrun ]]; }

# on_backends FUNCTION FILE: call it for each of ${shapes[@]} whose backend is built with programs named FILE-BACKEND;
# beside one another. It finds $backend, the words of the launcher in ${dartrun[@]}, and $program.
shapes=(shmem 'shmem --nodes 2' mpi 'mpi --nodes 2')
on_backends() {
  local shape
  for shape in "${shapes[@]}"; do
    # shellcheck disable=SC2086
    set -- "$1" "$2" $shape
    backend=$3 program=$build/test/$2-$3 dartrun=("$build/dart-$3/dartrun" "${@:4}")
    ! has_backend "$3" || [[ ! -x $program ]] || also "$1"
  done
  [[ ${#beside[@]} -gt 0 ]] || { echo "skipped: no backend in $build"; exit 77; }
  together
}

# suites_pass DARTRUN PROGRAM SUITE...: these suites of a program pass, by 3 units on one node and on two. ${before[@]} stands
# before the launcher.
before=()
suites_pass() {
  local nodes suite
  for nodes in 1 2; do
    for suite in "${@:3}"; do
      timeout -k 5 $((DART_TEST_TIMEOUT + 40)) "${before[@]}" "$1" -n 3 --nodes $nodes "$2" "$suite" \
        >"$work/out" 2>"$work/err" </dev/null
      code=$?
      [[ $code == 0 && $(<"$work/out") == *", 0 failed, "* ]] ||
        fail "$suite on $nodes nodes: exit code $code: $(tail -n 20 "$work/out" "$work/err")"
    done
  done
}

# need PROGRAM...: skip the whole test where one of them is missing.
need() {
  local program
  for program; do
    command -v "$program" >/dev/null || { echo "skipped: there is no $program here"; exit 77; }
  done
}

# lines N PATTERN: wait until N lines of $work/out match, where units in the background write to it.
lines() {
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    [[ $(grep -cs "$2" "$work/out") -ge $1 ]] && return
    sleep 0.05
  done
  fail "waited for $1 lines with '$2' in: $(<"$work/out")"
}

# gone PID...: wait until none of these processes is alive. What is dead but not yet noticed by its
# parent counts as gone.
gone() {
  local pid tries
  for pid; do
    for ((tries = 0; tries < 600; tries++)); do
      grep -qs '^State:[[:space:]]*[^ZX]' "/proc/$pid/status" || continue 2
      sleep 0.05
    done
    return 1
  done
}

finish() {
  ((failures == 0)) && echo "ok"
  exit $((failures > 0))
}
