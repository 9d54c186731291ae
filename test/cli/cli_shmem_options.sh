# dartrun of dart-shmem: its command line, and what units find when they start.
source "$(dirname "$0")/cli.bash"

dartrun=$build/dart-shmem/dartrun
unit=$build/test/cli_unit
need "$dartrun" "$unit"

# Bad input is one line that names the value, and exit code 2.
run "$dartrun" --no-such-option;         expect_code 2; expect_line "*--no-such-option*"
run "$dartrun" -n 2 --bnd "$unit";       expect_code 2; expect_line "*--bnd*"
run "$dartrun" "$unit";                  expect_code 2; expect_line "dartrun: *-n*"
run "$dartrun" -n 2;                     expect_code 2; expect_line "dartrun: *program*"
run "$dartrun" -n;                       expect_code 2; expect_line "*argument*"
for n in 0 -1 2x x '' 1.5 99999999999999999999 4097; do
  run "$dartrun" -n "$n" "$unit";        expect_code 2; expect_line "dartrun: *'$n'*4096*"
done

run "$dartrun" --help;    expect_code 0; [[ $out == *--bind* ]] || fail "help: $out"
run "$dartrun" --version; expect_code 0; [[ $out == dartrun*.* ]] || fail "version: $out"

# A program that cannot be started is named once, however many units there are.
run "$dartrun" -n 3 "$work/none";        expect_code 127
expect_line "dartrun: cannot start $work/none: No such file or directory"
run "$dartrun" -n 3 "$work"; expect_code 127; expect_line "dartrun: cannot start $work: *"
cp "$unit" "$work/here"
run env -C "$work" "$dartrun" -n 3 here; expect_code 127
expect_line "dartrun: cannot start here: PATH has none, but this folder: ./here"

# Options after the program are the program's.
run "$dartrun" -n 2 "$unit" '*:exit=0' --bind -n 0 --no-such-option
expect_code 0
run "$dartrun" -n 2 -- "$unit" '*:exit=0'; expect_code 0
run "$dartrun" -np 2 -bind=none "$unit" '*:exit=0'; expect_code 0 # words with one dash, as those of mpiexec
run "$dartrun" -np x "$unit"; expect_code 2; expect_line "dartrun: -n 'x' is not a number*"
run "$dartrun" -v -n 2 "$unit"; expect_code 2; expect_line "dartrun: '-v' is no option*"

# Every unit has its id, and knows how many there are; units of another dartrun do not show.
export DART_SHMEM_UNIT=7 DART_SHMEM_UNITS=9 DART_SHMEM_FD=250 DART_NODES=3
run "$dartrun" -n 3 "$unit" '*:show'
expect_code 0
out=$(sort <<<"$out"); expect_out $'0 3 1\n1 3 1\n2 3 1'
unset DART_SHMEM_UNIT DART_SHMEM_UNITS DART_SHMEM_FD DART_NODES

# The shared memory has no name to be found by, and is for its user alone.
run "$dartrun" -n 2 "$unit" '*:memory'
expect_code 0
out=$(sort -u <<<"$out")
[[ $out =~ ^0\ 600\ [0-9]{10,}$ ]] || fail "shared memory is '$out'"
# So it is where the mask allows everything, and where standard streams were closed.
(umask 0; timeout -k 5 60 "$dartrun" -n 2 "$unit" '*:memory' >"$work/out" <&- 2>&-)
[[ $(sort -u "$work/out") == "$out" ]] || fail "with umask 0 and closed streams: '$(<"$work/out")'"

# A limit on file sizes is an error, not a signal.
(ulimit -f 1024; exec "$dartrun" -n 2 "$unit" >"$work/out" 2>"$work/err")
code=$? err=$(<"$work/err")
expect_code 1; expect_line "*ulimit -f*1048576*"

# Standard input is unit 0's alone.
timeout -k 5 60 "$dartrun" -n 3 "$unit" '*:cat' <<<'for unit 0' >"$work/out"
code=$? out=$(<"$work/out")
expect_code 0; expect_out "for unit 0"
# When unit 0 is through with it, its writer learns that: neither dartrun nor unit 1 keeps it open.
mkfifo "$work/in"
"$dartrun" -n 2 "$unit" '0:exit=0' '1:count' <"$work/in" >"$work/out" &
(
  trap '' PIPE
  for ((i = 0; i < 600; i++)); do
    echo more || exit 0
    sleep 0.05
  done
  exit 1
) >"$work/in" 2>/dev/null || fail "somebody still holds the standard input of unit 0"
lines 1 '^[0-9]*$'
kill -USR1 $!
wait $!; code=$?; expect_code 0

# --bind: a core each, of those we may use; where they do not suffice, a line says so.
for what in kore Core '' 'core numa'; do
  run "$dartrun" -n 2 --bind="$what" "$unit"; expect_code 2
  expect_line "dartrun: --bind '$what' is none of auto*package"
done
run env DART_BIND=kore "$dartrun" -n 2 "$unit"; expect_code 2; expect_line "dartrun: DART_BIND 'kore'*"
first=$("$unit" '*:cpus'); first=${first#0: }; first=${first%% *}
run taskset -c "$first" "$dartrun" -n 1 --bind "$unit" '*:cpus'
expect_code 0; expect_out "0: $first"
run taskset -c "$first" "$dartrun" -n 2 --bind "$unit" '*:cpus'
expect_code 0; expect_line "dartrun: --bind: 2 units, but only 1 cores*"
out=$(sort <<<"$out"); expect_out "0: $first"$'\n'"1: $first"
for bind in --bind --bind=core --bind=cpu; do
  run "$dartrun" -n 2 $bind "$unit" '*:cpus'
  expect_code 0
  if [[ -z $err ]]; then
    shared=$(cut -d: -f2 <<<"$out" | tr ' ' '\n' | grep . | sort | uniq -d)
    [[ -z $shared ]] || fail "$bind: both units may run on processor $shared"
  fi
done
bound=$out
# Domains are shared, and never too few. The variable says the same as the option, which has the
# last word.
all=$("$unit" '*:cpus')
run "$dartrun" -n 1 --bind=numa "$unit" '*:cpus'; expect_code 0; [[ -z $err ]] || fail "numa: $err"
run "$dartrun" -n 5 --bind=numa "$unit" '*:exit=0'; expect_code 0; [[ -z $err ]] || fail "numa: $err"
run env DART_BIND=cpu "$dartrun" -n 2 "$unit" '*:cpus'
[[ $(sort <<<"$out") == $(sort <<<"$bound") ]] || fail "DART_BIND=cpu: '$out', not '$bound'"
run env DART_BIND=core "$dartrun" -n 1 --bind=none "$unit" '*:cpus'; expect_out "$all"
# By default nobody is bound where units and cores are not equal in number, and nothing is said.
run "$dartrun" -n 1 "$unit" '*:cpus'; expect_code 0; expect_out "$all"
run taskset -c "$first" "$dartrun" -n 3 "$unit" '*:cpus'; expect_code 0
[[ -z $err && $(cut -d: -f2 <<<"$out" | sort -u) == " $first" ]] || fail "three on one core: $out$err"
cores=$(lstopo-no-graphics --only core 2>/dev/null | wc -l)
if ((cores > 1)) && [[ $(nproc) == $(lstopo-no-graphics --only pu | wc -l) ]]; then
  run "$dartrun" -n "$cores" "$unit" '*:cpus'; expect_code 0
  shared=$(cut -d: -f2 <<<"$out" | tr ' ' '\n' | grep . | sort | uniq -d)
  [[ -z $shared ]] || fail "as many units as cores: two may run on processor $shared"
fi

# Simulated nodes: at most one for each unit.
for k in 0 -1 3 x '' 1.5 99999999999999999999; do
  run "$dartrun" -n 2 --nodes "$k" "$unit"; expect_code 2
  expect_line "dartrun: --nodes '$k' is not a number from 1 to 2"
done
run "$dartrun" --nodes; expect_code 2; expect_line "*argument*"
# A network that cannot be is one line, however many units there are; they start only then.
for net in '' , rdmax RDMA 'rdma software' rdma, latency latency= latency=2 latency=-1us latency=2s latency=2h latency=nanus \
  latency=1e3us jitter=0x10us jitter=infs bandwidth=0 bandwidth=10Q bandwidth=1e400 seed= seed=-1 seed=x \
  seed=99999999999999999999 seed=1,bogus=3 rdma,,software rdma,software rdma,rdma seed=1,jitter=1us,seed=2 "$(printf 'rdma,%.0s' {1..60})rdma"; do
  run env DART_NET="$net" "$dartrun" -n 3 --nodes 2 "$unit" '*:show'; expect_code 2
  expect_line "dartrun: DART_NET='$net': * is none of rdma, software, *"
  expect_out ""
done
run "$dartrun" -n 3 --nodes 3 "$unit" '*:show'; expect_code 0
out=$(sort <<<"$out"); expect_out $'0 3 3\n1 3 3\n2 3 3'
before=$(ls -A /dev/shm)
program=$build/test/dart-unit-shmem
need "$program"
for net in rdma software rdma,latency=10us software,jitter=20us,bandwidth=1G,seed=5; do
  for nodes in 2 3; do
    run env DART_NET=$net DART_LOG_LEVEL=ERROR "$dartrun" -n 3 --nodes $nodes "$program"; expect_code 0; expect_out "done"
    [[ -z $err ]] || fail "$net on $nodes nodes: $err"
  done
done
# A unit without the launcher says the same of its network.
run env DART_NET=rdmax "$program"; expect_line "*DART_NET='rdmax': 'rdmax' is none of rdma, software, *"
# One that is killed is named, and ends the others.
run env DART_LOG_LEVEL=ERROR "$dartrun" -n 4 --nodes 2 "$program" signal 9
expect_code 137; expect_line "dartrun: unit 3 * killed by signal 9 *"
[[ $(ls -A /dev/shm) == "$before" ]] || fail "left behind in /dev/shm: $(ls -A /dev/shm)"

finish
