# A job of 1,000 units on 100 simulated nodes: it starts and ends, and hello, a counter, locks, the stencil with its
# reductions, and atomic updates are right.
source "$(dirname "$0")/cli.bash"
[[ -x $build/dart-shmem/dartrun && -d $build/examples && -d $build/bench ]] || { echo "skipped: this build has no examples"; exit 77; }
export DART_LOG_LEVEL=ERROR

# job PROGRAM ARG...: it ends well, and nothing is said.
job() {
  timeout -k 5 400 "$build/dart-shmem/dartrun" -n 1000 --nodes 100 "$@" >"$work/out" 2>"$work/err" </dev/null
  code=$?
  out=$(<"$work/out")
  err=$(<"$work/err")
  [[ $code == 0 && -z $err ]] || fail "$1: exit code $code, and it said: ${err:0:2000}"
}

job "$build/examples/tutorial-1_hello-shmem"
[[ $(sort -u "$work/out" | grep -c '^unit [0-9]* of 1000$') == 1000 ]] || fail "hello printed: ${out:0:2000}"
for program in 4_counter 5_lock 6_stencil; do # these look at their results
  job "$build/examples/tutorial-$program-shmem"
done
for benchmark in 'randomaccess-shmem -k 14 -v atomic -u 1' 'stencil-shmem -n 1000 -t 0.9'; do
  # shellcheck disable=SC2086
  job "$build/bench/"$benchmark
  [[ $out == *verified=yes* ]] || fail "$benchmark: $out"
done
finish
