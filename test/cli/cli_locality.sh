# dart-info, and the suite `locality` on machines that nobody has at hand: hwloc shows them to the
# units instead of this one, and units count as spread evenly over their cores.
source "$(dirname "$0")/cli.bash"

topologies=$(dirname "$0")/../topology/machines
sockets="pack:2 numa:4 core:16 pu:2"
need "$build/dart-shmem/dartrun" "$build/tools/dart-info-shmem"

shmem() { run "$build/dart-shmem/dartrun" "$@"; }
is_json() {
  command -v python3 >/dev/null || return 0
  python3 -m json.tool <<<"$1" >/dev/null || fail "this is not JSON: $1"
}
info=$build/tools/dart-info-shmem
unset DART_HANG DART_BIND DART_NODES
export DART_LOG_LEVEL=WARN # complaints only, in builds that tell more

# Bad input is one line, however many units there are.
run "$info" --jason;                    expect_code 2; expect_line "dart-info: *'--jason'*"
run "$info" --json 7;                   expect_code 2; expect_line "dart-info: *'7'*"
shmem -n 3 "$info" --jason;             expect_code 2
[[ $(grep -c '^dart-info' <<<"$err") == 1 ]] || fail "not one line of dart-info: $err"
run env DART_HANG=soon "$info";         expect_code 1; expect_line "*DART_HANG='soon'*"
run env DART_CHECK=1 DART_TRACE="$work/none" "$info" -V; expect_code 0 # which is not checked
shmem -n 2 "$info" --help;              expect_code 0
[[ $out == Usage:*--topology* ]] || fail "help: $out"

# Without dartrun it is a program of one unit. Variables have values, defaults and meanings.
run env DART_HANG=7 DART_POOL=32M "$info"; expect_code 0
[[ $out == "DART 3."*"dart-shmem"*"shared memory"* ]] || fail "info: $out"
[[ $out =~ DART_HANG\ +\*7\ +0\ +[a-z] ]] || fail "DART_HANG: $out"
[[ $out =~ DART_POOL\ +\*32M\ +1G\ +[a-z] ]] || fail "DART_POOL: $out"
[[ $out =~ DART_BIND\ +auto\ +auto\ +[a-z] ]] || fail "DART_BIND: $out"
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
if [[ -x $build/tools/dart-info-mpi ]]; then
  [[ $out =~ DART_MPIEXEC\ +$mpiexec\ +$mpiexec\ +[a-z] ]] || fail "DART_MPIEXEC: $out"
fi
run env DART_MPIEXEC=/opt/mpi/bin/mpiexec DART_BIND=numa "$info"
[[ $out =~ DART_MPIEXEC\ +\*/opt/mpi/bin/mpiexec\ +[/-] ]] || fail "DART_MPIEXEC: $out"
[[ $out =~ DART_BIND\ +\*numa\ +auto\ +[a-z] ]] || fail "DART_BIND: $out"
run env DART_HANG=7 "$info" --json;     expect_code 0
[[ $out == "{"*'"name": "DART_HANG", "value": 7, "default": 0, "set": true'*"}" ]] ||
  fail "json: $out"
[[ $out != *topology* ]] || fail "unasked topology: $out"
[[ $out == *'"backends": ["dart-shmem"'*'],'* ]] || fail "backends: $out"

# The library's own table is all there, and what a launcher hands to its units is not; there are at most 20 settings.
for name in $(grep -o '"DART_[A-Z_]*"' "$(dirname "$0")/../../dart-base/base/config.h" | grep -v 'DART_TEST_\|DART_NODES'); do
  [[ $out == *"\"name\": $name"* ]] || fail "$name is missing: $out"
done
[[ $out != *'"DART_NODES"'* ]] || fail "DART_NODES is no setting: $out"
(($(grep -c '"name": "DART_' <<<"$out") <= 20)) || fail "more than 20 settings: $out"

# The picture.
export HWLOC_SYNTHETIC="numa:2 core:2 pu:1"
shmem -n 3 "$info" --topology;          expect_code 0
host=$(hostname)
[[ $out == *"3 units on 1 node; a unit's share is 1 core"$'\n'* ]] || fail "units: $out"
[[ $out == *$'\n'"node 0: $host, 4 cores, 2 NUMA domains, 2048 MiB"$'\n'* ]] ||
  fail "node: $out"
[[ $out == *$'\n  NUMA domain 0, 1024 MiB\n    core 0: unit 0\n    core 1: unit 1\n'* ]] ||
  fail "NUMA domain 0: $out"
[[ $out == *$'\n'"  NUMA domain 1, 1024 MiB"$'\n'"    core 2: unit 2"$'\n'* ]] ||
  fail "NUMA domain 1: $out"
[[ $out == *$'\n'"       0  1  2"$'\n'"   0   +  +  +"$'\n'*"   2   +  +  +" ]] || fail "near: $out"
shmem -n 6 "$info" --topology # more units than cores
[[ $out == *"core 0: units 0 1"$'\n'*"core 3: unit 5"$'\n'* ]] || fail "shared cores: $out"
shmem -n 2 "$info" --topology --json;   expect_code 0
[[ $out == *'"near": ['*'[0, 1],'*'[0, 1]'*']'*'}' ]] || fail "near: $out"
[[ $out == *'"scope": "core", "tag": ".0.0.1.0", "host": "'$host'", "index": 2,'* ]] ||
  fail "leaf: $out"
unset HWLOC_SYNTHETIC
is_json "$out"
run env DART_BIND='"\' "$info" --json
is_json "$out" # whatever the environment holds

# A unit's share: one processor for all, a core each, or the whole machine, which they divide.
cpu=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')
run taskset -c "$cpu" "$build/dart-shmem/dartrun" -n 3 "$info" --topology; expect_code 0
[[ $out == *"3 units on 1 node; a unit's share is 1 core"$'\n'*": units 0 1 2"$'\n'* ]] ||
  fail "three units on one processor: $out"
cores=$(shmem -n 1 "$info" --topology; sed -n 's/.*a unit.s share is \([0-9]*\) core.*/\1/p' <<<"$out")
shmem --bind=none -n 2 "$info" --topology
half=$((cores > 1 ? cores / 2 : 1))
[[ $out == *"; a unit's share is $half core"* ]] || fail "--bind=none: $out"
run env DART_BIND=core "$build/dart-shmem/dartrun" -n "$cores" "$info" --topology
[[ $out == *"; a unit's share is 1 core"$'\n'* && $out != *": units "* ]] ||
  fail "DART_BIND=core: $out"
# By default as many units as cores are bound, and more are not.
shmem -n "$cores" "$info" --topology
[[ $cores == 1 || $out == *"; a unit's share is 1 core"$'\n'* ]] || fail "$cores units: $out"
shmem -n $((cores + 1)) "$info" --topology
[[ $out == *"; a unit's share is 1 core"$'\n'* ]] || fail "one unit more than cores: $out"

# The suite elsewhere: many domains, two units a core, big and little cores, processors only.
suite=$build/test/dart-test-shmem
while read -r n machine; do
  run env HWLOC_SYNTHETIC="$machine" "$build/dart-shmem/dartrun" -n "$n" "$suite" locality
  [[ $code == 0 ]] || fail "$n units on '$machine': $out $err"
done <<END
1 $sockets
8 $sockets
3 numa:40 core:32 pu:4
8 pack:2 l3:2 l2:2 core:1 pu:2
5 pack:1 l3:1 numa:3 core:1 pu:1
1 pu:1
3 pu:1
END
for file in "$topologies"/*.xml; do
  run env HWLOC_XMLFILE="$file" "$build/dart-shmem/dartrun" -n 5 "$suite" locality
  [[ $code == 0 ]] || fail "5 units on $file: $out $err"
done

# This machine, where units share a processor; where the system shows processors and nothing else;
# and where hwloc can tell nothing at all, which is a line of every unit.
cpus=$(taskset -pc $$ | sed 's/.*: *//')
run taskset -c "$cpu" "$build/dart-shmem/dartrun" -n 3 "$suite" locality
[[ $code == 0 ]] || fail "3 units on processor $cpu of $cpus: $out $err"
run env HWLOC_COMPONENTS=no_os,stop "$build/dart-shmem/dartrun" -n 3 "$suite" locality
[[ $code == 0 ]] || fail "processors and nothing else: $out $err"
run env HWLOC_COMPONENTS=xml,stop "$build/dart-shmem/dartrun" -n 3 "$suite" locality
[[ $code == 0 ]] || fail "no topology: $out $err"
run env HWLOC_COMPONENTS=xml,stop "$info" --topology; expect_code 0
[[ $err == *"hwloc cannot tell"* && $out == *"core ?: unit 0"* ]] || fail "no topology: $out $err"

# Nodes of one job that are different machines, of dart-shmem: in turns those of a list.
machines=$topologies/recorded-two-sockets.xml:$topologies/arm-big-little.xml
HWLOC_XMLFILE=$machines shmem -n 6 --nodes 3 "$info" --topology; expect_code 0
[[ $out == *"node 0: "*", 2 packages,"*"node 1: arm-board, 8 cores, 1 package"*"node 2: "*", 2 packages,"* ]] ||
  fail "three nodes of two machines: $out"
HWLOC_XMLFILE=$machines shmem -n 5 --nodes 2 "$suite" locality
[[ $code == 0 ]] || fail "nodes of different build: $out $err"

# A colon in the name of one file; and what is no machine, which hwloc would pass over: a line, and no unit starts.
cp "$topologies/arm-big-little.xml" "$work/a:b.xml"
HWLOC_XMLFILE=$work/a:b.xml shmem -n 2 --nodes 2 "$info" --topology; expect_code 0
[[ $out == *"node 0: arm-board, "*"node 1: arm-board, "* ]] || fail "a file with a colon in its name: $out"
echo "no machine" >"$work/wrong.xml"
for wrong in "$work/wrong.xml" "$work/none.xml"; do
  for files in "$wrong" "$machines:$wrong" "$wrong:$machines"; do
    HWLOC_XMLFILE=$files shmem -n 3 --nodes 3 "$info" --topology
    [[ $code == 2 && -z $out && $err == "dartrun: HWLOC_XMLFILE: '$wrong' is no machine in hwloc's XML" ]] ||
      fail "HWLOC_XMLFILE=$files: $code $out $err"
  done
done

# The same of dart-mpi.
if [[ -x $build/tools/dart-info-mpi ]] && has_backend mpi && "$mpiexec" --version 2>/dev/null | grep -q HYDRA; then
  info=$build/tools/dart-info-mpi suite=$build/test/dart-test-mpi
  export MPIR_CVAR_NUM_CLIQUES=2 # unit u is on node u mod 2
  here=(-env HWLOC_SYNTHETIC "$sockets") there=(-env HWLOC_XMLFILE "$topologies/arm-big-little.xml")
  run "$mpiexec" -n 1 "${here[@]}" "$info" --topology : -n 1 "${there[@]}" "$info" --topology \
    : -n 1 "${here[@]}" "$info" --topology : -n 1 "${there[@]}" "$info" --topology
  expect_code 0
  [[ $out == *"transport  "*[0-9].[0-9]* ]] || fail "MPI's version: $out"
  [[ $out == *"node 0: $host, 128 cores, 2 packages, 8 NUMA domains"* ]] || fail "node 0: $out"
  [[ $out == *"core 64: unit 2"* ]] || fail "node 0: $out"
  [[ $out == *"node 1: arm-board, 8 cores, 1 package, 1 NUMA domain"* ]] || fail "node 1: $out"
  [[ $out == *"cache 1"$'\n'*"core 4: unit 3"* ]] || fail "node 1: $out"
  [[ $out == *$'\n'"   1   .  +  .  +"$'\n'"   2   +  .  +  ."$'\n'* ]] || fail "near: $out"
  run "$build/dart-mpi/dartrun" -n 4 "$info" --topology --json; expect_code 0
  is_json "$out"
  [[ $out == *'"nodes": 2,'*'"near": ['*'[0, 2],'*'[1, 3],'*'[0, 2],'*'[1, 3]'*'}' ]] ||
    fail "two nodes as JSON: $out"
  run taskset -c "$cpu" "$build/dart-mpi/dartrun" -n 3 "$suite" locality
  [[ $code == 0 ]] || fail "3 units of dart-mpi on processor $cpu of $cpus: $out $err"
  run "$mpiexec" -n 2 "${here[@]}" "$suite" locality : -n 3 "${there[@]}" "$suite" locality
  [[ $code == 0 ]] || fail "nodes of different build: $out $err"

  # Hosts that differ in some MiB of memory only are alike, and all units see what the first one's have found.
  here=(-env HWLOC_SYNTHETIC "numa:2(memory=1000MiB) core:2 pu:1")
  there=(-env HWLOC_SYNTHETIC "numa:2(memory=900MiB) core:2 pu:1")
  more=(-env HWLOC_SYNTHETIC "numa:2(memory=1100MiB) core:2 pu:1")
  for second in there more; do
    declare -n other=$second
    run "$mpiexec" -n 1 "${here[@]}" "$info" --topology : -n 1 "${other[@]}" "$info" --topology
    expect_code 0
    [[ $out == *"node 0: $host, 4 cores, 2 NUMA domains, 2000 MiB"* ]] || fail "node 0, $second: $out"
    [[ $second == more ]] || [[ $out == *"node 1: $host, 4 cores, 2 NUMA domains, 2000 MiB"* ]] || fail "not alike: $out"
    [[ $second == there ]] || [[ $out == *"node 1: $host, 4 cores, 2 NUMA domains, 2200 MiB"* ]] || fail "alike: $out"
  done

  # A job that begins again, with another division of the host: each unit puts to the next one.
  steps='put,flush,barrier,get,exit'
  run "$mpiexec" -n 4 env -u MPIR_CVAR_NUM_CLIQUES "$build/test/dart-end-mpi" \
    "*:init,$steps,nodes=2,init,$steps,nodes=1,init,$steps,nodes=4,init,$steps"
  expect_code 0; [[ -z $err ]] || fail "a job that begins again: $err"

  # Who is near whom, however the host is divided: as MPICH does it, or DART where MPICH does not.
  while read -r settings near; do
    run "$mpiexec" -n 4 env -u MPIR_CVAR_NUM_CLIQUES ${settings//,/ } "$info" --topology --json; expect_code 0
    out=$(tr -d ' \n' <<<"$out")
    [[ $out == *'"near":'"[$near]"* ]] || fail "$settings: not $near: $out"
  done <<'END'
MPIR_CVAR_NUM_CLIQUES=1 [0,1,2,3],[0,1,2,3],[0,1,2,3],[0,1,2,3]
MPIR_CVAR_NUM_CLIQUES=3 [0,3],[1],[2],[0,3]
MPICH_NUM_CLIQUES=2 [0,2],[1,3],[0,2],[1,3]
MPIR_CVAR_NUM_CLIQUES=3,DART_NODES=2 [0,3],[1],[2],[0,3]
MPIR_CVAR_ODD_EVEN_CLIQUES=1 [0,2],[1,3],[0,2],[1,3]
MPIR_CVAR_NOLOCAL=1 [0],[1],[2],[3]
DART_NODES=2 [0,2],[1,3],[0,2],[1,3]
DART_NODES=2,MPI_LOCALNRANKS=3 [0,2],[1,3],[0,2],[1,3]
MPI_LOCALNRANKS=3 [0,1,2,3],[0,1,2,3],[0,1,2,3],[0,1,2,3]
END
fi

finish
