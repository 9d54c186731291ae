# MPI's performance variables as statistics of DART, over a library that has some (test/pmpi/programs/pvars.c); and what
# a unit that aborts says.
source "$(dirname "$0")/cli.bash"
unset DART_STATS DART_NODES
export DART_LOG_LEVEL=WARN # lines of the start may come late, behind the tables

if has_backend shmem; then
  # A file that nobody reads holds up who aborts for ten seconds, beside what follows.
  mkfifo "$work/unread"
  (
    DART_STATS=csv:$work/unread timeout 60 "$build/dart-shmem/dartrun" -n 1 "$build/test/dart-pvars-shmem" abort
    echo $? >"$work/unread.code"
  ) 2>"$work/unread.err" &
  run "$build/dart-shmem/dartrun" -n 2 "$build/test/dart-pvars-shmem"; expect_code 0; expect_out ""
  run env DART_STATS=summary "$build/dart-shmem/dartrun" -n 1 "$build/test/dart-pvars-shmem" abort
  expect_code 4
  [[ $err == *"DART statistics"*memory_pool* ]] || fail "nothing of a unit that aborts: $err"
  for form in csv summary; do
    run env DART_STATS=$form:"$work/of%u" "$build/dart-shmem/dartrun" -n 2 "$build/test/dart-pvars-shmem" abort
    expect_code 4
    cat "$work"/of[01] >"$work/all" 2>/dev/null; grep -q 'memory_pool' "$work/all" || fail "no file of the unit that aborts"
    rm -f "$work"/of*
  done
fi

program=$build/test/dart-pvars-mpi
variables=$build/test/pmpi/libpvars.so
need "$variables" "$program"

# MPI ends such a process by exit, which writes nothing again.
run env DART_STATS=summary "$build/dart-mpi/dartrun" -n 1 "$program" abort; expect_code 4
[[ $(grep -c "DART statistics" <<<"$err") == 1 && $err != *ssert* ]] || fail "who aborts alone says: $err"

for nodes in 1 3; do
  dartrun=("$build/dart-mpi/dartrun" --nodes $nodes -n 3)
  run "${dartrun[@]}" env LD_PRELOAD="$variables" "$program"; expect_code 0
  expect_out "mpi.reads events 7 14 7 7
mpi.time_of_reads time 250000000 500000000 250000000 250000000
mpi.level value 42 42 42 42
mpi.of_members value 6 6 6 6
mpi.peak value 90 90 90 80"
done

# Nobody opens them for a program that does not ask; what DART itself counts can be read without.
tell=("$build/dart-mpi/dartrun" -n 1 env LD_PRELOAD="$variables" PVARS_TELL=1)
run "${tell[@]}" "$program" own; expect_code 0; [[ -z $err ]] || fail "opened by a program that does not ask: $err"
run "${tell[@]}" "$program"; expect_code 0
[[ $(grep -c '^opened reads$' <<<"$err") == 1 && $err == *"opened refused"*"opened peak"* ]] || fail "asked for: $err"
run env DART_STATS=csv:"$work/own" "${tell[@]}" "$program" own; expect_code 0
[[ $(grep -c '^opened reads$' <<<"$err") == 1 ]] || fail "opened for DART_STATS: $err"
grep -q ',mpi.peak$' "$work/own" || fail "a table without them: $(<"$work/own")"

# The table of all units has them, unless units have different ones.
run env DART_STATS=csv "${dartrun[@]}" env LD_PRELOAD="$variables" "$program"; expect_code 0
[[ $err == *,mpi.reads,mpi.time_of_reads,mpi.level,mpi.of_members,mpi.peak$'\n'*,14,500000000,42,6,80 ]] ||
  fail "columns: $err"
run env DART_STATS=summary "${dartrun[@]}" env LD_PRELOAD="$variables" "$program"; expect_code 0
[[ $err == *mpi.time_of_reads*1.500000\ s*0.500000\ s* ]] || fail "lines: $err"
run env DART_STATS=csv "${dartrun[@]}" env LD_PRELOAD="$variables" PVARS_LESS=1 "$program"
expect_code 0
[[ $err == *"the transport's statistics are not the same on all units"* && $err == *memory_pool* &&
  $err != *mpi.reads* ]] || fail "different lists: $err"

wait
[[ ! -e $work/unread || $(<"$work/unread.code") == 4 ]] || fail "an unread file: $(<"$work/unread.err")"
finish
