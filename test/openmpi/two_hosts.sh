# two_hosts.sh BUILD MPIEXEC SUITE...: Open MPI between two hosts by TCP. The hosts are network namespaces with names, addresses,
# processes and shared memory of their own, joined by a bridge, as in ../cli/cli_netns.sh; the kernel removes them when
# the script ends. Open MPI enters them by what it takes for ssh.
#
# Over TCP, Open MPI 4.1 has windows by its component osc/ucx alone, which Debian switches off. What that cannot do is below, with
# the reason, and is printed.
if [[ -z ${inside-} ]]; then
  spaces=(setpriv --pdeathsig KILL
          unshare --net --mount --pid --fork --kill-child --mount-proc)
  "${spaces[@]}" true 2>/dev/null ||
    { echo "skipped: no namespaces can be made here; it takes root"; exit 77; }
  inside=yes "${spaces[@]}" bash "$0" "$@" &
  trap 'kill -KILL $! 2>/dev/null; wait' EXIT
  trap 'exit 1' INT TERM HUP
  wait $!
  exit
fi
mount -t tmpfs tmpfs /run || { echo "skipped: cannot mount a file system here"; exit 77; }
export TMPDIR=/run
source "$(dirname "$0")/../cli/cli.bash"
source "$(dirname "$0")/../cli/hosts.bash"

mpiexec=$2 program=$build/test/openmpi/dart-test-openmpi
need "$mpiexec" "$program" ip
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

set_up() {
  { cat /etc/hosts && printf '%s\n' '192.168.77.2 red' '192.168.77.3 blue'; } >"$work/hosts" &&
    make_hosts && mount --bind "$work/hosts" /etc/hosts
}
set_up 2>"$work/err" || { echo "skipped: cannot make two hosts here: $(<"$work/err")"; exit 77; }

make_ssh "$work/ssh" $'{ $*\n}'

# between [-x NAME=VALUE...] COMMAND...: two units on each host, whose waits yield the core: mpiexec counts the cores of
# each host, and they have them together. DART_NODES is what suites expect.
between() {
  run "$mpiexec" --mca plm_rsh_agent "$work/ssh" --mca oob_tcp_if_include 192.168.77.0/24 \
    --mca btl_tcp_if_include 192.168.77.0/24 --oversubscribe --bind-to none -host red:2,blue:2 -n 4 \
    --mca mpi_yield_when_idle 1 -x DART_NODES=2 -x UCX_TLS=tcp,self -x UCX_NET_DEVICES=eth0 "$@"
}

between hostname
[[ $(sort <<<"$out") == $'blue\nblue\nred\nred' ]] || fail "hosts: '$out' $err"

# Without that component, the error says what to set.
between "$program" notify
[[ $code != 0 && $err == *"MPI_Win_create_dynamic failed"*"OMPI_MCA_osc=rdma,ucx,sm"* ]] ||
  fail "windows without osc/ucx: exit code $code; it said: $out$err"

# Settings of suites that do not pass with those of the others. On dynamic windows osc/ucx reads the target's list of memory
# before each operation, and waits for that; it crashes in MPI_Win_free while memory is attached (free_attached).
by_ucx='-x OMPI_MCA_pml=ucx -x OMPI_MCA_pml_ucx_tls=any -x OMPI_MCA_pml_ucx_devices=any'
declare -A with=(
  [epoch_types]=$by_ucx
  [memory]="$by_ucx -x DART_MPI_WINDOW=static"
  [path]=$by_ucx
  [path_progress]="$by_ucx -x DART_MPI_WINDOW=static" # a target sleeps
  [stats]='-x DART_PROGRESS=none' # with an agent, which sends early here, no batch is full
)
seconds=400 # for a test: some take minutes where four waits of MPI share two cores

# A component of Open MPI's is at fault for what is left out.
declare -A left_out=(
  [register_many]='osc/ucx has 48 places for attached memory in a window, and this attaches 100 parts (attach_often)'
)

suites=()
for suite in "${@:3}"; do
  case $suite in
    register) # test by test, as a job has few places for attached memory
      for name in $(sed -n 's/^TEST(\([a-z_0-9]*\)).*/\1/p' "$(dirname "$0")/../memory/suite_register.c"); do
        suites+=("register.$name")
      done ;;
    *) suites+=("$suite") ;;
  esac
done
for suite in "${suites[@]}"; do
  [[ -z ${left_out[$suite]-} ]] || { echo "left out: $suite: ${left_out[$suite]}"; continue; }
  start=$SECONDS
  options=(-x OMPI_MCA_osc=rdma,ucx,sm ${with[$suite]-})
  run_limit=$((seconds + 20)) between "${options[@]}" -x DART_TEST_TIMEOUT=$seconds "$program" "$suite"
  [[ $code == 0 && $out == *", 0 failed, "* ]] || fail "$suite: exit code $code; it said: $out$err"
  echo "$suite: $((SECONDS - start)) s"
done
finish
