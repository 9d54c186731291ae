# Each call of test/survive, in which a unit dies, in builds without assertions: others verify fences by collectives, which
# would see the loss before the fence does (cli_survive.sh).
source "$(dirname "$0")/cli.bash"
run_limit=200

has_backend shmem || { echo "skipped: no dart-shmem in $build"; exit 77; }
dartrun=$build/dart-shmem/dartrun
program=$build/test/dart-survive-shmem
need "$dartrun" "$program"
export DART_SURVIVE=1 DART_LOG_LEVEL=WARN

survive() { # CALL UNITS VICTIM [OPTION...]
  export SURVIVE_FILE=$work/file
  run "$dartrun" -n "$2" "${@:4}" "$program" "$1" in "$3"
  expect_code 137
  [[ $(grep -c survived <<<"$out") == $(($2 - 1)) ]] || fail "$*: not all others survived: $out $err"
}

for call in $("$program" list); do
  also survive "$call" 4 1 --nodes 2
  [[ $call != epoch_* ]] || also survive "$call" 3 2 --nodes 3
  ((${#beside[@]} < 8)) || together
done
together
finish
