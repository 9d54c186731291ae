# Two hosts: network namespaces with names, addresses, processes and shared memory of their own, joined
# by a bridge. Suites run between them over TCP, as they are and with a delay on the wire.
#
# All of it lives in namespaces of this script's own, with the processes it starts. The kernel removes
# them when the script ends, however that comes about, and two of it do not meet.
if [[ $2 != inside ]]; then
  spaces=(setpriv --pdeathsig KILL
          unshare --net --mount --pid --fork --kill-child --mount-proc)
  "${spaces[@]}" true 2>/dev/null ||
    { echo "skipped: no namespaces can be made here; it takes root"; exit 77; }
  "${spaces[@]}" bash "$0" "$1" inside &
  trap 'kill -KILL $! 2>/dev/null; wait' EXIT
  trap 'exit 1' INT TERM HUP
  wait $!
  exit
fi
# Names of namespaces, and files of this test, where nobody else sees them.
mount -t tmpfs tmpfs /run || { echo "skipped: cannot mount a file system here"; exit 77; }
export TMPDIR=/run
source "$(dirname "$0")/cli.bash"
source "$(dirname "$0")/hosts.bash"

program=$build/test/dart-test-mpi
info=$build/tools/dart-info-mpi
need "$program" "$info" ip
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
run "$mpiexec" --version; [[ $out == *[Hh][Yy][Dd][Rr][Aa]* ]] ||
  { echo "skipped: $mpiexec is not Hydra, MPICH's"; exit 77; }

make_hosts 2>"$work/err" || { echo "skipped: cannot make two hosts here: $(<"$work/err")"; exit 77; }

make_ssh "$work/ssh" 'exec $*'

# The wire that units use, and where it leads to.
device=eth0
blue=192.168.77.3

# between UNITS COMMAND...: so many units on each host. DART_NODES is what suites expect.
between() {
  local units=$1
  shift
  run env UCX_TLS=tcp,self UCX_NET_DEVICES=$device DART_NODES=2 DART_TEST_TIMEOUT=50 "$mpiexec" \
    -launcher ssh -launcher-exec "$work/ssh" -iface bridge -hosts "red:$units,blue:$units" \
    -n $((2 * units)) "$@"
}

# suites UNITS SUITE...: one job each, all of whose tests pass.
suites() {
  local units=$1 suite start
  shift
  for suite; do
    start=$SECONDS
    between "$units" "$program" "$suite"
    [[ $code == 0 && $out == *", 0 failed, "* ]] ||
      fail "$suite, $units units a host: exit code $code; it said: $out$err"
    echo "$suite, $units units a host: $((SECONDS - start)) s"
  done
}

# round_trip: microseconds from red to blue, which refuses the connection. The least of ten.
round_trip() {
  # shellcheck disable=SC2016
  ip netns exec red bash -c '
    for ((i = 0; i < 10; i++)); do
      start=${EPOCHREALTIME/[.,]/}
      exec 3<>/dev/tcp/$0/9
      echo $((${EPOCHREALTIME/[.,]/} - start))
    done 2>/dev/null' "$blue" | sort -n | head -n 1
}

# They are two nodes to DART, which names them, and share no memory.
between 2 hostname
[[ $(sort <<<"$out") == $'blue\nblue\nred\nred' ]] || fail "hosts: '$out' $err"
between 2 "$info" --topology
[[ $out == *"4 units on 2 nodes"* && $out == *"node 0: red,"* && $out == *"node 1: blue,"* ]] ||
  fail "not the two nodes red and blue: $out$err"

far=(far.{dynamic,static}_windows_and_an_agent far.dynamic_windows_without_an_agent
     far.much_collected_without_an_agent)
suites 2 "${far[@]}" notify atomic onesided
[[ ! ${DART_TEST_ALL-} ]] || suites 2 lock collective

# The same with 200 µs on the wire, each way. The kernel puts them on eth0, where it can (netem);
# elsewhere the wire is cli_delay, from eth1 to eth1, and mpiexec still comes by the bridge.
delay_eth0() {
  local host
  for host in red blue; do
    ip netns exec $host tc qdisc add dev eth0 root netem delay 200us || return
  done
}
set_up_eth1() {
  local host number=1 ready
  read -r ready < <(exec "$build/test/cli_delay" 200 red1 blue1) && [[ $ready == ready ]] || return
  for host in red blue; do
    number=$((number + 1))
    # Its queue takes all that may be sent before cli_delay gets a processor.
    ip link set ${host}1 netns $host name eth1 txqueuelen 10000 &&
      ip -n $host addr add 192.168.78.$number/24 dev eth1 &&
      ip -n $host link set eth1 up || return
  done
}
[[ ${DART_TEST_ALL-} ]] || finish
by=
if delay_eth0 2>"$work/kernel"; then
  by="the kernel"
elif set_up_eth1 2>"$work/wire"; then
  by=cli_delay device=eth1 blue=192.168.78.3
fi
if [[ $by ]]; then
  delayed=$(round_trip)
  [[ $delayed -ge 400 ]] || fail "a round trip takes '$delayed' µs, not 400"
  echo "a round trip takes $delayed µs, by $by"
  suites 1 "${far[@]}" notify onesided
else
  echo "not tested: a delay on the wire, as nothing makes one here: $(cat "$work"/{kernel,wire})"
fi
finish
