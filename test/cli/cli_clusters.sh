# doc/clusters.md: each command of the page, and one of the manual of dartrun, runs on two hosts, red and blue, which are
# network namespaces with names of their own. Slurm's daemons run there too; where it is not installed, slurm.py stands
# in. Launchers take them for two hosts, and so does MPI. But UCX sees one machine, and sends through its shared memory:
# over TCP, MPICH loses connections on a loaded machine. TCP between hosts is tested in cli_netns.sh.
# Before that: the options --hosts and --hosts-file of both launchers, which need no hosts.
if [[ $2 != inside ]]; then
  source "$(dirname "$0")/cli.bash"

  # Bad input is one line that names the value, and exit code 2.
  on_one_backend() {
    local list
    bad() { run "${dartrun[@]}" -n 2 "${@:2}" "$program"; expect_code 2; expect_line "dartrun: $1"; }
    for list in '' a,,b ,a a,; do bad "--hosts '$list' has an empty host" --hosts "$list"; done
    for list in -n 'a b' :2 'a,$(b)'; do bad "--hosts '$list': '*' is not HOST or HOST:UNITS" "--hosts=$list"; done
    for list in 0 x '' 2x 99999999999999999999; do bad "--hosts: *'${list:0:12}*' is not a number*" --hosts "a,b:$list"; done
    bad "--hosts-file '$work/none' cannot be read: No such file or directory" --hosts-file "$work/none"
    bad "--hosts-file '$work' cannot be read: Is a directory" --hostfile "$work"
    printf '# nobody\n\n  \n' >"$work/empty"
    bad "--hosts-file '$work/empty' names no host" --hosts-file "$work/empty"
    echo a >"$work/a"
    bad "--hosts 'a' and --hosts-file '$work/a': *" --hosts a --hosts-file "$work/a"
    bad "--hosts 'a' and --nodes 2: *" --hosts a --nodes 2
    bad "--hosts-file '$work/a' and --nodes 2: *" --nodes 2 --hosts-file "$work/a"
    if [[ $backend == shmem ]]; then
      bad "--hosts 'a:2,b': dart-shmem runs on this host only*" --hosts a:2,b
      bad "--hosts-file '$work/a': dart-shmem runs on this host only*" --hosts-file "$work/a"
    fi
    if [[ $backend == mpi && $hydra ]]; then # which crashes by some of these, or prints eight lines
      for list in localhost:x localhost:0 localhost: a:-1 'a;b' -n :2; do
        printf '# two\n\n localhost:2 user=me # so\n%s\n' "$list" >"$work/wrong"
        bad "--hosts-file '$work/wrong', line 4: '$list' is not HOST or HOST:UNITS" --hosts-file "$work/wrong"
      done
      for list in slots=2 max_slots=4 2; do
        echo "localhost $list" >"$work/wrong"
        bad "--hosts-file '$work/wrong', line 1: '$list' is not in MPICH's format, HOST:UNITS" --hosts-file "$work/wrong"
      done
    fi
    run "${dartrun[@]}" --help; [[ $out == *--hosts-file=FILE*--hosts=HOST* ]] || fail "$backend: help: $out"
  }
  mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
  hydra=$("$mpiexec" --version 2>&1 | grep -io hydra | head -n 1)
  shapes=(shmem mpi)
  on_backends on_one_backend dart-unit
  man=$(dirname "$0")/../../doc/man/dartrun.1
  grep -q 'Fl -hosts Ns = Ns Ar' "$man" && grep -q 'Fl -hosts-file Ns = Ns Ar' "$man" || fail "the manual lacks --hosts"

  if has_backend mpi; then # the words that mpiexec gets
    printf '#!/bin/sh\nprintf "<%%s>" "$@"; echo "${OMPI_MCA_mca_base_env_list--}"\n' >"$work/mpiexec"
    chmod +x "$work/mpiexec"
    words() { run env -i PATH="$PATH" DART_MPIEXEC="$work/mpiexec" "$build/dart-mpi/dartrun" "${@:2}" true; expect_out "$1"; }
    words '<-n><2><true>-' -n 2
    words "<-host><a:2,b:2><-n><4><true>DART_MPIEXEC;UCX_HANDLE_ERRORS" -n 4 --hosts a,b
    words "<-host><a:3,b:2,c:2><-bind-to><core><-n><7><true>DART_MPIEXEC;UCX_HANDLE_ERRORS" --hosts a,b,c -n 7 --bind
    words "<-host><a:1><-n><1><true>DART_MPIEXEC;UCX_HANDLE_ERRORS" -n 1 --hosts a,b
    words "<-host><a,b:3><-n><4><true>DART_MPIEXEC;UCX_HANDLE_ERRORS" -n 4 --hosts a,b:3
    echo a >"$work/a"
    words "<-hostfile><$work/a><-n><4><true>DART_MPIEXEC;UCX_HANDLE_ERRORS" -n 4 --hosts-file "$work/a"
    words "<-host><a:2,b:2><-n><4><true>DART_MPIEXEC;UCX_HANDLE_ERRORS" -n 4 -host a,b
    words "<-hostfile><$work/a><-n><4><true>DART_MPIEXEC;UCX_HANDLE_ERRORS" -machinefile "$work/a" -n 4
  fi
  ((failures == 0)) && has_backend mpi || finish

  spaces=(setpriv --pdeathsig KILL
          unshare --net --mount --uts --pid --fork --kill-child --mount-proc)
  "${spaces[@]}" true 2>/dev/null ||
    { echo "skipped: no namespaces can be made here; it takes root"; exit 77; }
  "${spaces[@]}" bash "$0" "$1" inside &
  inside=$!
  trap 'kill -KILL $inside 2>/dev/null; wait; rm -rf "$work"' EXIT
  trap 'exit 1' INT TERM HUP
  wait $inside
  exit
fi
top=$(cd "$(dirname "$0")/../.." && pwd)
page=$top/doc/clusters.md
mount -t tmpfs tmpfs /run || { echo "skipped: cannot mount a file system here"; exit 77; }
export TMPDIR=/run
source "$(dirname "$0")/cli.bash"
source "$(dirname "$0")/hosts.bash"
hello=$build/examples/tutorial-1_hello
need "$hello-mpi" "$hello-shmem" "$build/tools/dart-info-mpi" ip
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
run "$mpiexec" --version; [[ $out == *[Hh][Yy][Dd][Rr][Aa]* ]] ||
  { echo "skipped: $mpiexec is not Hydra, MPICH's"; exit 77; }

# This host, front, and hosts red and blue.
set_up() {
  echo front >/proc/sys/kernel/hostname &&
    printf '%s\n' '127.0.0.1 localhost' '192.168.77.1 front' '192.168.77.2 red' '192.168.77.3 blue' >"$work/names" &&
    mount --bind "$work/names" /etc/hosts &&
    make_hosts
}
set_up 2>"$work/err" || { echo "skipped: cannot make two hosts here: $(<"$work/err")"; exit 77; }

# What the page's commands find: programs of the build by their names, and an ssh that enters a host.
mkdir "$work/bin" "$work/here"
cat >"$work/bin/ssh" <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do [ "$1" != -o ] || shift; shift; done
exec on "$@"
END
cat >"$work/bin/on" <<'END'
#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c "echo $host >/proc/sys/kernel/hostname && $*"
END
chmod +x "$work/bin/ssh" "$work/bin/on"
for name in dartrun dartrun-mpi mpiexec; do # links would not do: these look for other programs beside themselves
  program=$build/dart-mpi/dartrun
  [[ $name != mpiexec ]] || program=$mpiexec
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >"$work/bin/$name"
  chmod +x "$work/bin/$name"
done
ln -s "$build/tools/dart-info-mpi" "$work/bin/dart-info"
openmpi=$build/test/openmpi/ring-openmpi
ln -s "$openmpi" "$work/here/ring-openmpi"
ln -s "$hello-mpi" "$work/here/hello"
ln -s "$hello-shmem" "$work/here/hello-shmem"
export PATH=$work/bin:$PATH DART_LOG_LEVEL=ERROR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset UCX_TLS UCX_NET_DEVICES
cd "$work/here" || exit

# box LANGUAGE: the lines of all boxes of that language on the page.
box() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$page" | grep -v '^```'; }
box hosts >hosts
box bash >job.sh

stand_in() { # MISSING
  echo "Slurm was not tested, as there is no $1 here: its commands were those of slurm.py"
  local name
  for name in srun salloc sbatch; do
    ln -s "$top/test/cli/slurm.py" "$work/bin/$name"
  done
}

# Slurm: a controller here, and a daemon on each host. All of its files are in $work.
start_slurm() {
  local host tries
  for program in munged slurmctld slurmd srun salloc sbatch; do
    command -v $program >/dev/null || { stand_in "$program"; return; }
  done
  export SLURM_CONF=$work/slurm.conf
  mkdir -p -m 755 /run/munge "$work/state" "$work/tmp" "$work/red" "$work/blue"
  cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=front(192.168.77.1)
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/%n
TmpFS=$work/tmp
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/%n/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
MailProg=/bin/true
NodeName=red NodeAddr=192.168.77.2 CPUs=2
NodeName=blue NodeAddr=192.168.77.3 CPUs=2
PartitionName=all Nodes=red,blue Default=YES
END
  echo CgroupPlugin=cgroup/v1 >"$work/cgroup.conf" # autodetect wants a cgroup file system, which hosts here lack
  head -c 128 /dev/urandom >"$work/key" && chmod 600 "$work/key"
  munged --force --key-file="$work/key" --seed-file="$work/seed" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" 2>"$work/log.munged" || { cat "$work/log.munged"; fail "munged does not start"; return 1; }
  slurmctld -D >"$work/log.slurmctld" 2>&1 &
  for host in red blue; do # each has a folder of its own for PMIx, of whose files the names are the same on all hosts
    on $host "mount -t tmpfs tmpfs $work/tmp && exec slurmd -D -N $host" >"$work/log.$host" 2>&1 &
  done
  disown -a # they end with their namespace, and bash says nothing about that
  for ((tries = 0; tries < 300; tries++)); do
    [[ $(sinfo -h -N -o %T 2>/dev/null | grep -c idle) == 2 ]] && return
    sleep 0.1
  done
  fail "the hosts do not join Slurm: $(sinfo 2>&1; cat "$work"/log.{slurmctld,red,blue})"
  return 1
}

# What a command of the page has to print, besides its exit code.
expect_units() { # N: each unit of N says so
  [[ $(sort <<<"$out") == "$(for ((u = 0; u < $1; u++)); do echo "unit $u of $1"; done)" ]] || fail "$command: $out $err"
}
check() {
  local command=$1
  timeout -k 5 200 bash -c "$command" >"$work/out" 2>"$work/err" </dev/null # some take long on a loaded machine
  code=$? out=$(<"$work/out") err=$(<"$work/err")
  [[ $code == 0 ]] || { fail "$command: exit code $code: $out $err"; return; }
  case $command in
    *' hostname') [[ $(sort <<<"$out") == $'blue\nred' ]] || fail "$command: $out" ;;
    *--topology) [[ $out == *"4 units on 2 nodes"* && $out == *"node 0: "*"node 1: "* && $out == *red,* && $out == *blue,* ]] ||
      fail "$command: $out" ;;
    *--doctor) [[ $out == *"ok "*"/dev/shm"* || $out == *"look "*"/dev/shm"* ]] || fail "$command: $out" ;;
    *hello-shmem) expect_units 2 ;;
    *-n\ 2*hello) expect_units 2 ;;
    *hello) expect_units 4 ;;
    *ring-openmpi) [[ $out == *'4 units and brought 100.' ]] || fail "$command: $out" ;;
    sbatch*) out=$(<job.out); expect_units 4 ;;
  esac
  commands=$((commands + 1))
}

commands=0 exports=
start_slurm
[[ -x $openmpi ]] || echo "not tested: Open MPI, as the build has no programs over it"
while IFS= read -r line; do
  case $line in # variables are for the next commands over Open MPI
    export*) exports="$line; "; continue ;;
    *openmpi) [[ -x $openmpi ]] || continue ;;
    *) exports= ;;
  esac
  check "$exports$line"
done < <(box sh; sed -n 's/^\.Dl \(dartrun --hosts .*\)/\1/p' "$top/doc/man/dartrun.1")
((commands >= 18)) || fail "only $commands commands were found on the page"
check "srun -N 2 -n 2 ./hello # each by itself, of which the page warns"
[[ $(sort -u <<<"$out") == "unit 0 of 1" ]] || fail "without PMI: $out $err"
check "SLURM_MPI_TYPE=pmi2 srun -N 2 -n 2 ./hello"
check "srun --mpi=list"
[[ $out$err == *pmi2* ]] || fail "srun has no pmi2: $out $err"

# Where the units are: in blocks.
run dartrun --hosts red,blue -n 4 --tag hostname
[[ $(sort <<<"$out") == $'[0] red\n[1] red\n[2] blue\n[3] blue' ]] || fail "not in blocks: $out $err"
run dartrun --hosts red:1,blue:3 -n 4 --tag hostname
[[ $(sort <<<"$out") == $'[0] red\n[1] blue\n[2] blue\n[3] blue' ]] || fail "not one and three: $out $err"

# A host whose units have ended gets no input any more, for which mpiexec would die.
# shellcheck disable=SC2016
run dartrun --hosts red,blue -n 2 sh -c 'sleep 0.$((3 * (1 - PMI_RANK))) $((2 * PMI_RANK))'
[[ $code == 0 && -z $err ]] || fail "unit 0 has ended before the other host's: exit code $code: $err"

# What DART says when /dev/shm is too small.
small() { # SIZE COMMAND...
  # shellcheck disable=SC2016
  run unshare --mount sh -c 'mount -t tmpfs -o "size=$0" tmpfs /dev/shm && "$@"' "$@"
  said+=$err$'\n'
}
said=
small 64m "$build/dart-shmem/dartrun" -n 2 "$build/test/dart-unit-shmem" too-much 200
small 64m "$build/dart-mpi/dartrun" -n 2 "$build/test/dart-unit-mpi" too-much 200
small 1m "$build/dart-mpi/dartrun" -n 2 "$hello-mpi"
small 64k "$build/dart-shmem/dartrun" -n 2 "$hello-shmem"
while IFS= read -r line; do
  pattern=$(sed -E 's/[][\.*^$()+?{|]/\\&/g; s/[0-9]{4,}/[0-9]+/g' <<<"$line")
  grep -qE -- "$pattern" <<<"$said" || fail "not said: '$line', but: $said"
done < <(box said)
finish
