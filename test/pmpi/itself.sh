# The adversary itself: right programs cannot tell it from another MPI, with any seed; each thing
# that the standard forbids is refused; and programs that rely on more than the standard promises
# find that out.
source "$(dirname "$0")/../cli/cli.bash"

here=$build/test/pmpi
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
need "$mpiexec" "$here/libadversary.so" "$here/pmpi-right" "$here/pmpi-wrong" "$here/pmpi-kind"

# under SEED N PROGRAM...: N ranks over the adversary.
under() {
  local seed=$1 n=$2
  shift 2
  run "$mpiexec" -n "$n" env LD_PRELOAD="$here/libadversary.so" ADVERSARY_SEED="$seed" "$@"
}

# New seeds every time, for what must hold with all of them.
first=${DART_PMPI_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "seeds from $first"

for ((i = 0; i < 4; i++)); do
  under $((first + i)) $((2 + i % 3)) "$here/pmpi-right"
  expect_code 0
  [[ -z $err ]] || fail "seed $((first + i)), $((2 + i % 3)) ranks: $err"
done

# What is forbidden. Once in a while an operation is executed at once, and then nothing can be seen.
while read -r name says; do
  for seed in 1 2 3 4 5; do
    under $seed 2 "$here/pmpi-wrong" "$name"
    [[ $code != 86 ]] || break
  done
  expect_code 86
  [[ $err == *"adversary: rank "[01]*"$says"* ]] || fail "$name is not refused with '$says': $err"
done < <("$here/pmpi-wrong")

# What is not promised: an MPI that is kind keeps it, the adversary does not.
while read -r name; do
  run "$mpiexec" -n 2 "$here/pmpi-kind" "$name"; expect_code 0
  for seed in 1 2 3 4 5; do
    under $seed 2 env ADVERSARY=all,tags "$here/pmpi-kind" "$name"
    [[ $code == 0 ]] || break
  done
  expect_code 3
done < <("$here/pmpi-kind")

# What it is told to do is understood, or said not to be.
run env LD_PRELOAD="$here/libadversary.so" ADVERSARY=all,mean "$here/pmpi-kind"
expect_code 1; expect_line "adversary: ADVERSARY=all,mean *"

finish
