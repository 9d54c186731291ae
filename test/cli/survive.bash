# What the tests of test/survive share, beside cli.bash: each sources this file with the build folder as $1.
source "$(dirname "${BASH_SOURCE[0]}")/cli.bash"
run_limit=200 # longer than that of a step

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
dartrun=$build/dart-shmem/dartrun
program=$build/test/dart-survive-shmem
need "$dartrun" "$program"
command=("$program")
export DART_SURVIVE=1

# outlive CALL MOMENT UNITS VICTIM [OPTION...]: all others end well, and the launcher with the code of the one that was lost.
outlive() {
  export SURVIVE_FILE=$work/file
  run "$dartrun" -n "$3" "${@:5}" "${command[@]}" "$1" "$2" "$4"
  expect_code 137
  [[ $(grep -c survived <<<"$out") == $(($3 - 1)) ]] || fail "$*: not all others survived: $out $err"
}
