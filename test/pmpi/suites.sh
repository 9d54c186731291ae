# suites.sh BUILD SEEDS SHAPES SUITE...: suites of dart-mpi over the adversary. SEEDS is a number of
# new ones, or FIRST-LAST; SHAPES are UNITSxNODES, with commas. inside_NAME is a suite of dart-inside. The seed
# decides about windows, agent and what is collected, so that four seeds in a row have all pairs of windows and
# agent.
source "$(dirname "$0")/../cli/cli.bash"

program=$build/test/dart-test-mpi inside=$build/test/dart-inside
adversary=$build/test/pmpi/libadversary.so
dartrun=$build/dart-mpi/dartrun
need "$program" "$inside" "$adversary" "$dartrun"

seeds=$2
shapes=${3//,/ }
shift 3
if [[ $seeds == *-* ]]; then
  first=${seeds%-*} last=${seeds#*-}
else
  first=${DART_PMPI_SEED:-$((RANDOM * 32768 + RANDOM))} last=$((first + seeds - 1))
fi

# DART keeps four communicators for its next cycle, and the key of its reductions. Steps between nodes take a
# hundred times as long as by a kind MPI, so there are fewer segments in `many`, whose books grow all the same, and
# fewer updates in `far`.
export ADVERSARY_KEPT=4:1 DART_LOG_LEVEL=ERROR DART_TEST_TIMEOUT=${DART_TEST_TIMEOUT:-600}
export DART_TEST_SEGMENTS=${DART_TEST_SEGMENTS:-300} DART_TEST_UPDATES=${DART_TEST_UPDATES:-1000}

# settings SEED: words for env.
settings() {
  local words=(ADVERSARY_SEED="$1") adversary=all,-puts # small puts to one place stay in order
  (($1 & 1)) && words+=(DART_MPI_WINDOW=static) || words+=(DART_MPI_WINDOW=dynamic)
  (($1 & 2)) && words+=(DART_PROGRESS=none)
  (($1 & 4)) && adversary+=,tags
  # A put that is not collected, and that nobody completes, MPI may keep for ever; DART says that it is seen.
  (($1 % 5 == 0)) && words+=(DART_AGGREGATE=0) adversary+=,-forever
  echo "${words[@]} ADVERSARY=$adversary"
}

# over_adversary SHAPE WORDS PROGRAM SUITE...
over_adversary() {
  local shape=$1 words=$2 code
  shift 2
  [ $# -gt 1 ] || return
  echo "$shape $words $(basename "$1")"
  # shellcheck disable=SC2086
  timeout -k 5 1800 "$dartrun" -n "${shape%x*}" --nodes "${shape#*x}" \
    env LD_PRELOAD="$adversary" $words "$@" >"$work/out" 2>&1 </dev/null
  code=$?
  [[ $code == 0 ]] || fail "$shape $words: exit code $code:"$'\n'"$(
    grep -v '^ok\|ERROR' "$work/out" | tail -n 20)"
}

mapfile -t of_inside < <(printf '%s\n' "$@" | sed -n 's/^inside_//p')
for ((seed = first; seed <= last; seed++)); do
  words=$(settings $seed)
  mapfile -t suites < <(printf '%s\n' "$@" | grep -v '^inside_')
  # Without an agent MPI is started for one thread, and stays so.
  [[ $words != *PROGRESS=none* ]] ||
    mapfile -t suites < <(printf '%s\n' "${suites[@]}" | grep -v 'thread\|path')
  # Messages of different tags are shuffled where no MPI_ANY_TAG of a receive would notice; one of a probe does.
  [[ $words != *tags* ]] || mapfile -t suites < <(printf '%s\n' "${suites[@]}" | grep -vx message)
  for shape in $shapes; do
    over_adversary "$shape" "$words" "$program" "${suites[@]}"
    over_adversary "$shape" "$words" "$inside" "${of_inside[@]}"
  done
done

finish
