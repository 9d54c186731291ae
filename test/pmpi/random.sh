# random.sh BUILD JOBS: the differential tester (test/random) over the adversary, with new seeds. What
# DART
# promises and MPI does not is left out: memory that is attached twice, puts that nobody completes
# but that are seen some time all the same, and small puts to one place that stay in order.
source "$(dirname "$0")/../cli/cli.bash"

program=$build/test/random/dart-random-mpi
adversary=$build/test/pmpi/libadversary.so
dartrun=$build/dart-mpi/dartrun
need "$program" "$adversary" "$dartrun"
export ADVERSARY=all,-attach,-forever,-puts ADVERSARY_KEPT=4:1 DART_LOG_LEVEL=ERROR

first=${DART_PMPI_SEED:-$((RANDOM * 32768 + RANDOM))}
for ((seed = first; seed < first + $2; seed++)); do
  words=(ADVERSARY_SEED="$seed")
  ((seed & 1)) && words+=(DART_MPI_WINDOW=static) || words+=(DART_MPI_WINDOW=dynamic)
  ((seed & 2)) && words+=(DART_PROGRESS=none)
  echo "seed $seed, ${words[*]}"
  timeout -k 5 600 "$dartrun" --nodes 2 -n 3 env LD_PRELOAD="$adversary" "${words[@]}" \
    "$program" --seed "$seed" --schedules 4 --round-seconds 120 >"$work/out" 2>&1 </dev/null
  code=$?
  [[ $code == 0 ]] || fail "seed $seed, ${words[*]}: exit code $code:"$'\n'"$(tail -n 20 "$work/out")"
done

finish
