# The end of MPI over TCP: units come late, again and again, and none hangs (dart-mpi/start/finalize.c).
source "$(dirname "$0")/../cli/cli.bash"

oversleep=$build/test/pmpi/liboversleep.so
program=$build/test/dart-unit-mpi
dartrun=$build/dart-mpi/dartrun
need "$oversleep" "$program" "$dartrun"
export UCX_TLS=tcp,self DART_LOG_LEVEL=ERROR

finalised=$'finalised\nfinalised\nfinalised'

for ((i = 0; i < 6; i++)); do
  run "$dartrun" --nodes $((3 - i % 3)) -n 3 env LD_PRELOAD="$oversleep" "$program"
  expect_code 0; expect_out "done"$'\n'"$finalised"
done

# Static windows: MPI_Finalize is left out, and the exit code is the program's all the same.
export DART_MPI_WINDOW=static
for ((i = 0; i < 3; i++)); do
  run "$dartrun" --nodes 3 -n 3 env LD_PRELOAD="$oversleep" "$program"
  expect_code 0; expect_out done
done
run "$dartrun" --nodes 3 -n 3 env LD_PRELOAD="$oversleep" "${program/unit/end}" '*:init,put,flush,barrier,exit,end=3'
expect_code 3

finish
