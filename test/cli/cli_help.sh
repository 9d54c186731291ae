# --help of every program and script that somebody starts by hand: it says what that does, on stdout, and ends with 0.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
export DART_LOG_LEVEL=ERROR

# helps COMMAND...: a sentence, and the name under which it was called, or that of the program that is installed.
helps() {
  local name
  name=$(basename "${@: -1}") name=${name%-shmem} name=${name%-mpi}
  run "$@" --help
  [[ $code == 0 && -z $err ]] || fail "$* --help: exit code $code; it said: $err"
  [[ $out =~ [A-Z][a-z]+' '[A-Za-z]+ && $out == *"$name"* ]] || fail "$* --help: $out"
}
for script in .ci/run check quickstart packaging/release tools/dart-report test/cli/interface.py; do
  helps "$top/$script"
done
[[ -x $build/tools/dart-trace ]] && helps "$build/tools/dart-trace"
for program in random/random-drive random/dart-random-shmem dart-test-shmem; do
  [[ ! -x $build/test/$program ]] || helps "$build/test/$program"
done
for backend in shmem mpi; do
  [[ ! -x $build/dart-$backend/dartrun ]] || helps "$build/dart-$backend/dartrun"
  [[ ! -x $build/tools/dart-info-$backend ]] || helps "$build/tools/dart-info-$backend"
done

# Every benchmark says what it does, its options and an example.
benchmarks=0
benchmark() {
  run "$@" --help; expect_code 0
  benchmarks=$((benchmarks + 1))
  [[ $out == Usage:*$'\n'[A-Z]*Example*'dartrun -n '* || $out == Usage:*$'\n'[A-Z]*Example* && $# == 1 ]] ||
    fail "--help of $*: $out"
  [[ $(grep -c '^Example' <<<"$out") == 1 && -z $(awk 'length > 79' <<<"$out") ]] || fail "--help of $*: $out"
}
for program in "$build"/bench/*; do
  [[ -f $program && -x $program ]] || continue
  case $program in
    *.so* | *-mpi) [[ $program == */start-mpi ]] && benchmark "$program" ;; # the same sources as for dart-shmem
    *-shmem | *-shmem-lto) benchmark "$build/dart-shmem/dartrun" -n 2 "$program" ;;
    *) benchmark "$program" ;;
  esac
done
[[ ! -d $build/bench ]] || ((benchmarks >= 9)) || fail "only $benchmarks benchmarks in $build/bench"
if [[ -x $build/bench/start-mpi ]]; then
  for program in start-dart start-mpi; do
    run "$build/bench/$program" 3; expect_code 2; expect_line "*/$program: '3' is too much: it takes no arguments, see --help"
  done
fi

# A script of the tests prints what its file begins with.
scripts=0
while IFS= read -r script; do
  scripts=$((scripts + 1))
  sh=bash
  [[ $(head -n 1 "$script") != '#!/bin/sh' ]] || sh=sh
  run $sh "$script" --help
  [[ $code == 0 && -z $err && $out =~ [a-z]' '[a-z] ]] || fail "$script --help: exit code $code: $out $err"
done < <(find "$top/test" "$top/doc/man" \( -name '*.sh' -o -name '*.bash' \) ! -path '*/cli/cli.bash' ! -name hosts.bash)
((scripts >= 70)) || fail "only $scripts scripts of tests"

# So does every script beside the benchmarks.
for script in checks growth hosts mutexes pair papers plots run start predict; do
  run "$top/bench/$script" --help; expect_code 0
  [[ $out == *[A-Z]*"$script"*--@(build|page|network)* ]] || fail "--help of bench/$script: $out"
done
(($(find "$top/bench" -maxdepth 1 -type f -executable | wc -l) == 10)) || fail "scripts of bench: $(ls "$top/bench")"
finish
