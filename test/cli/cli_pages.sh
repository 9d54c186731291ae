# The pages: each block of shell in them runs as it stands, in a folder like that of a clone after quickstart, and so do
# commands in their text, those of the manual, and the code that begins two headers; the code of the guide is that of
# examples/guide.c; links lead somewhere; and there is not more to read than people read.
# cli_tutorial.sh looks at the tutorial's programs, cli_clusters.sh at the commands for clusters.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
[[ -n $(cached DART_INSTALL) ]] || { echo "skipped: $build installs nothing"; exit 77; }
[[ -z $(cached DART_SANITIZE) ]] || { echo "skipped: sanitizers are not for outside"; exit 77; }
[[ -d $build/examples ]] || { echo "skipped: this build has no examples"; exit 77; }
need cmake pkg-config
cd "$top" || exit 1
pages=(README.md doc/*.md)
others=(CONTRIBUTING.md test/README.md test/*/README.md test/topology/machines/README.md doc/internals/*.md)

# ---- links ---------------------------------------------------------------------------------------

# The anchors of a page, as GitHub makes them of its headings.
anchors() { sed -nE 's/^#+ //p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'; }
# links_lead FOLDER PAGE...: where links of these pages, in that folder, lead there is something.
links=0
links_lead() {
  local folder=$1 page link file to
  for page in "${@:2}"; do
    while IFS= read -r link; do
      links=$((links + 1))
      file=${link%%#*}
      to=$(dirname "$folder/$page")/$file
      [[ -n $file ]] || to=$folder/$page
      [[ -e $to ]] || fail "$folder/$page: there is no $link"
      [[ $link != *#* || ! -e $to ]] || anchors "$to" | grep -qxF -e "${link#*#}" || fail "$folder/$page: there is no $link"
    done < <(grep -oE '\]\([^)]+\)' "$folder/$page" | sed 's/^](//; s/)$//' | grep -v '^https\?:')
  done
}
links_lead . "${pages[@]}" "${others[@]}" CHANGELOG.md
((links > 60)) || fail "only $links links were found"

# ---- code and length -----------------------------------------------------------------------------

# fenced KIND PAGE: the blocks of that kind, one after the other.
fenced() { awk -v kind="\`\`\`$1" '/^```$/ { inside = 0 } inside { print } $0 == kind { inside = 1 }' "$2"; }

# Each box with a language has a test that runs it, or compares it with what is run.
declare -A boxes=(
  [README.md:c]=here [README.md:cmake]=here [README.md:sh]=here [checking.md:sh]=here [performance.md:sh]=here
  [profiling.md:sh]=here [running.md:sh]=here [guide.md:c]=here
  [tutorial.md:sh]=here [tutorial.md:c]=cli.tutorial [tutorial.md:diff]=cli.tutorial
  [clusters.md:sh]=cli.clusters [clusters.md:bash]=cli.clusters [clusters.md:hosts]=cli.clusters [clusters.md:said]=cli.clusters
)
for page in "${pages[@]}" "${others[@]}" CHANGELOG.md; do
  while IFS= read -r language; do
    [[ -n ${boxes[$(basename "$page"):$language]-} ]] || fail "no test runs the boxes of $page with '$language'"
  done < <(sed -n 's/^```\(..*\)/\1/p' "$page" | sort -u)
done

inside=$(<examples/guide.c) pieces=0
piece=
while IFS= read -r line; do
  if [[ $line == '```' ]]; then
    pieces=$((pieces + 1))
    [[ $inside == *"${piece%$'\n'}"* ]] || fail "not in examples/guide.c: $piece"
    piece=
  else
    piece+=$line$'\n'
  fi
done < <(awk '/^```$/ && inside { print; inside = 0 } inside { print } /^```c$/ { inside = 1 }' doc/guide.md)
((pieces >= 10)) || fail "only $pieces pieces of code in the guide"

words=$(cat "${pages[@]}" | wc -w)
((words > 5000 && words <= 20000)) || fail "the pages for users have $words words, not at most 20000"
words=$(cat doc/internals/*.md "${others[@]:1:4}" | wc -w)
((words > 5000 && words <= 15000)) || fail "doc/internals and the pages of tests have $words words, not at most 15000"
(($(wc -l <doc/next.md) <= 60)) || fail "doc/next.md has more than 60 lines"
walks=$(cat doc/internals/architecture.md doc/internals/how-a-put-travels.md | wc -l)
((walks <= 300)) || fail "architecture.md and how-a-put-travels.md have $walks lines, not at most 300"

# ---- blocks of commands ---------------------------------------------------------------------------

clone=$work/clone
mkdir -p "$clone/build"
ln -s "$build" "$clone/build/release"
ln -s "$top"/{dart-if,bench,tools,examples,test} "$clone/"
cd "$clone" || exit 1
fenced c "$top/README.md" >ring.c
awk -v folder="$work" '
  /^```$/ && inside { inside = 0; close(file) }
  inside { print > file }
  /^```sh$/ { inside = 1; n = FILENAME; gsub(/.*\/|\.md$/, "", n); file = sprintf("%s/%s.%03d.sh", folder, n, ++count) }
' "$top/README.md" $(cd "$top" && ls doc/*.md | grep -v clusters.md | sed "s|^|$top/|")
libdir=$(cached CMAKE_INSTALL_LIBDIR)
PATH=$clone/dart/bin:$PATH MANPATH=$clone/dart/share/man
export PATH MANPATH DART_LOG_LEVEL=ERROR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi=
[[ ! -x $build/dart-mpi/dartrun ]] || mpi=mpi

blocks=0
run_blocks() { # FILE...
  local block
  for block; do
    ! grep -q mpi "$block" || [[ -n $mpi ]] || continue
    blocks=$((blocks + 1))
    run timeout 100 bash -ex "$block"
    [[ $code == 0 ]] || fail "$(basename "$block"), exit code $code: $(<"$block")"$'\n'"it said: $out"$'\n'"$err"
  done
}

# What the pages call ./program, with one of the backends.
make_program() {
  PKG_CONFIG_PATH=$clone/dart/$libdir/pkgconfig bash -c 'cc "$1" -o program $(pkg-config --cflags --libs "$2")' - \
    "$top/examples/guide.c" "dart-$1" || fail "no program could be made with dart-$1"
}

# A block of README with `cmake --install` makes the folder that the other pages' commands are in.
run_blocks "$work"/README.*.sh
installed=$clone/dart/share/doc/dart links=0
mapfile -t those < <(cd "$installed" && find . -name '*.md' | sed 's|^./||')
links_lead "$installed" "${those[@]}"
((links > 60)) || fail "only $links links were found in $installed"
make_program shmem
run_blocks "$work"/[!R]*.sh
if [[ -n $mpi ]]; then # others do not differ
  rm -rf run events
  make_program mpi
  mapfile -t with_program < <(grep -l '\./program' "$work"/[!R]*.sh)
  run_blocks "${with_program[@]}"
fi
((blocks >= 7)) || fail "only $blocks blocks of commands were found"

# README's lines for CMake; the program and the commands of the manual's page dart.
export PKG_CONFIG_PATH=$clone/dart/$libdir/pkgconfig
mkdir "$work/cmake" "$work/dart.7"
{
  printf 'cmake_minimum_required(VERSION 3.18)\nproject(ring C)\nadd_executable(ring ring.c)\n'
  fenced cmake "$top/README.md"
} >"$work/cmake/CMakeLists.txt"
cp ring.c "$work/cmake/"
run bash -exc 'cmake -S "$0" -B "$0/build" -DCMAKE_PREFIX_PATH="$PWD/dart" && cmake --build "$0/build" && dartrun -n 2 "$0/build/ring"' \
  "$work/cmake"
[[ $code == 0 && $(grep -c 'my left neighbour' <<<"$out") == 2 ]] || fail "README's lines for CMake: $code: $out $err"

awk -v folder="$work/dart.7" '
  /^\.Ed/ { inside = 0 }
  inside { gsub(/\\e/, "\\"); print >file }
  /^\.Bd -literal/ { inside = 1; file = folder (++n == 1 ? "/hello.c" : "/hello.sh") }' "$top/doc/man/dart.7"
run bash -exc 'cd "$0" && . ./hello.sh' "$work/dart.7"
[[ $code == 0 && $(sort <<<"$out") == $'unit 0 of 2\nunit 1 of 2' ]] || fail "the commands of dart(7): $code: $out $err"

# What begins the headers of epochs and of resolved portions, of which each line runs in a program.
header_code() { sed -n '/^ \*  Three kinds/q; s/^ \*      //p' "$top/dart-if/include/dash/dart/ext/$1.h" | sed 's|//.*||'; }
for header in dart_epoch dart_resolved; do
  (($(header_code $header | wc -l) >= 6)) || fail "$header.h begins with no code"
  {
    printf '#include <dash/dart/ext/%s.h>\n#include <dash/dart/if/dart.h>\n' dart_epoch dart_resolved
    printf 'int main(int argc, char **argv)\n{\n'
    printf '  dart_global_unit_t unit;\n  size_t n;\n  double edge[64] = { 1 };\n  dart_gptr_t gptr;\n'
    printf '  dart_init(&argc, &argv);\n  dart_myid(&unit);\n  dart_size(&n);\n  int me = unit.id;\n'
    printf '  dart_team_memalloc_aligned(DART_TEAM_ALL, n, DART_TYPE_DOUBLE, &gptr);\n'
    header_code $header
    printf '  (void)me, (void)edge;\n  return dart_exit() != DART_OK;\n}\n'
  } >$header.c
  # shellcheck disable=SC2016
  run bash -ec 'cc -Wall -Werror "$0.c" -o "$0" $(pkg-config --cflags --libs dart-shmem) && dartrun -n 2 "./$0"' $header
  [[ $code == 0 && -z $err ]] || fail "what begins $header.h: $code: $out $err: $(<$header.c)"
done

# ---- commands in the text -------------------------------------------------------------------------

# A command is a code span, or a line in a box without a language, that begins with one of these words, and settings before
# it; or settings alone, with which a program then runs on two nodes. Each runs as it stands, or as this table has it,
# or the table says after "-" who else runs it, or why nobody does.
words='dartrun|dartrun-[a-z-]*|dart-info|dart-report|dart-trace|mpiexec|mpicc[.a-z]*|cc|cmake|man|env|ulimit|sysctl|echo|kill|docker'
words+='|srun|salloc|sbatch|buildah|ucx_info|fi_info|mpichversion|dpkg-buildpackage|\./check|\./quickstart|(build|bench|packaging)/[^ ]*|mount|ctest|bash|git'
words+='|(build/check/release/)?dart-(shmem|mpi)/dartrun|test/[^ :]*\.(sh|py)'
words+='|test/random/[a-z-]*|grep|lstopo|micro|epochs|randomaccess'
alone='dart-info|ucx_info|fi_info|mpichversion|\./quickstart|\./check' # commands without an argument
tests='- runs this test'
adversary='- pmpi.*, whose library it is for'
untried='- no hardware for it here; the page says so'
declare -A instead=(
  ['dartrun -n 4 PROGRAM']='dartrun -n 4 ./program'
  ['dartrun --nodes K']='dartrun --nodes 2 -n 2 ./program'
  ['dartrun --tag']='dartrun --tag -n 2 ./program'
  ['dartrun ... \| head']='dartrun -n 2 ./program | head'
  ['mpiexec -n 4 ./program']='"$MPIEXEC" -n 4 build/release/examples/guide-mpi'
  ['mpiexec -genv']='"$MPIEXEC" -genv DART_HEAP_CHUNK 32M -n 2 build/release/examples/guide-mpi'
  ['LD_PRELOAD=…/libdart-trace.so']='DART_REPORT=by-mpiexec LD_PRELOAD=$LIBDIR/libdart-trace.so "$MPIEXEC" -n 2 ./program && [[ -e by-mpiexec/unit-1.json ]]'
  ['cmake --install']='cmake --install build/release --prefix "$PWD/parts" --component runtime'
  ['env -i']='[[ $(dartrun -n 2 env -i build/release/examples/guide-shmem | grep -c "for 1 units") == 2 ]]'
  ['DART_CHECK=0']='DART_CHECK=0 dartrun -n 2 ./program'
  ['ulimit -n 4096']='ulimit -n 4096 && dartrun -n 4 ./program'
  ['ulimit -v unlimited']='ulimit -v unlimited && dartrun -n 2 ./program'
  ['ulimit -f unlimited']='ulimit -f unlimited && dartrun -n 2 ./program'
  ['UCX_TLS=tcp,self,sm UCX_NET_DEVICES=eth0']='- cli.clusters: it has an eth0'
  ['SLURM_MPI_TYPE=pmi2']='- cli.clusters'
  ['srun --mpi=list']='- cli.clusters'
  ['dart-info --doctor']='dartrun -n 2 dart-info --doctor'
  ['OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1']='- openmpi.*, which run as root'
  ['OMPI_MCA_rmaps_base_oversubscribe=1']='- openmpi.*, by dartrun'
  ['OMPI_MCA_hwloc_base_binding_policy=none']='- openmpi.*, by dartrun'
  ['OMPI_MCA_mpi_yield_when_idle=1']='- openmpi.two_hosts'
  ['OMPI_MCA_osc=rdma,ucx,sm']='- openmpi.two_hosts'
  ['OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx']='- cli.clusters, in a longer command'
  ['OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi FI_PROVIDER=...']=$untried
  ['kill -USR1']='- cli.hang'
  ['DART_HANG=5']='- cli.tutorial'
  ['dartrun --hosts red,blue --bind=core -n 2 ./hello']='- cli.clusters'
  ['DART_SURVIVE=1']='- cli.survive'
  ['DART_HANG=5 build/release/dart-shmem/dartrun -n 3 build/release/examples/tutorial-wrong-6_stencil-shmem']='- cli.tutorial: it hangs'
  ['DART_CHECK=1 build/release/dart-shmem/dartrun -n 3 build/release/examples/tutorial-wrong-1_hello-shmem']='! DART_CHECK=1 build/release/dart-shmem/dartrun -n 3 build/release/examples/tutorial-wrong-1_hello-shmem'
  ['cmake --build build/release --target html']='- cli.man'
  ['cmake -B build && cmake --build build']='- cli.release does so from the tarball'
  ['cmake -DMPI_C_COMPILER=mpicc.openmpi']='- openmpi.both_mpis'
  ['bench/papers OUTPUT']='- cli.papers, with fewer measurements'
  ['dpkg-buildpackage -us -uc -b']='- cli.package'
  ['./quickstart']='- cli.quickstart'
  ['./check']=$tests
  ['./check --all']=$tests
  ['./check shmem.lock']=$tests
  ['./check shmem.nodes']=$tests
  ['ctest -N -R lock']=$tests
  ['ctest -R model']='- model.*'
  ['bash check.bash lock run']='- model.lock.run'
  ['bash check.bash lock large']='- model.lock.large'
  ['bash check.bash lock mutant']='- model.lock.mutant'
  ['bash names.bash']='- model.names'
  ['ctest -R random']='- random.*'
  ['test/random/random-drive --build . --seconds 60']='- random.*'
  ['test/random/random-drive --build . --backend mpi --seed 17 --set DART_MPI_WINDOW=static -v']='- random.*'
  ['test/random/random-drive --build . --list random-123.list']='- random.*'
  ['test/random/random-drive --build . --backend shmem --units 64 --nodes 8 --seconds 60']='- takes a minute'
  ['test/random/random-drive --build . --backend shmem --kill']='- random.*'
  ['test/random/dart-random-shmem --print 3 --seed 5']='! [[ -x build/release/test/random/dart-random-shmem ]] || build/release/test/random/dart-random-shmem --print 3 --seed 5'
  ['lstopo --of xml --no-io FILE']='- for machines that are not here'
  ['micro --repetitions 51 --time 2']='build/release/bench/micro-shmem --repetitions 51 --time 2 --cases=barrier'
  ['epochs --pattern halo']='dartrun -n 2 build/release/bench/epochs-shmem --pattern halo --quick'
  ['randomaccess --help']='build/release/bench/randomaccess-shmem --help'
  ['ctest -C slow -R random.hour']='- takes an hour'
  ['dart-mpi/dartrun --nodes 2 -n 3 test/random/dart-random-mpi --seed 5 --schedules 1']='- random.mpi'
  ["ctest -R '^shmem.lock.u3\$' --output-on-failure"]=$tests
  ['ctest -R cli.abi']='- cli.abi'
  ['cmake --preset check -DDART_TEST_ALL=ON && cmake --build build/check/release']='- what ./check does'
  ['bash ../../../test/cli/cli_hang.sh $PWD']='- cli.hang'
  ['bash test/format.sh .']='- format'
  ['git tag vX.Y.Z']='- changes the clone'
  ['packaging/release FOLDER']='- cli.release'
  ['buildah bud -f packaging/Dockerfile --target develop -t dart-develop .']='- takes a registry of images'
  ['buildah bud -f packaging/Dockerfile -t dart .']='- takes a registry of images'
  ['packaging/release --try FOLDER']='- cli.release'
  ['packaging/release --versions']='- cli.release'
  ['dartrun -n 1 hello-<name>']='- there is no such network'
  ['dart-shmem/dartrun -n 3 test/dart-test-shmem lock']='- shmem.lock'
  ['dart-shmem/dartrun -n 3 test/dart-test-shmem lock.NAME']='- shmem.lock'
  ['DART_NET=software,jitter=20us,seed=7 dart-shmem/dartrun -n 4 --nodes 2 test/dart-test-shmem lock']='- shmem.lock'
  ['dart-mpi/dartrun -n 4 --nodes 2 test/dart-test-mpi lock']='- mpi.lock'
  ['test/mpi_bugs/run.sh build/check/release']='- mpi_bugs.*, one at a time'
  ['test/mpi_bugs/run.sh mpicc.openmpi mpirun.openmpi']='- openmpi.mpi_bugs'
  ['DART_TEST_ALL=1']='- all tests with --all'
  ['DART_PROGRESS=none DART_NET=latency=2ms build/release/dart-shmem/dartrun --nodes 4 -n 4 build/release/bench/messages-shmem --format=markdown']='- cli.messages'
  ['bench/pair REV']='- cli.pair, of a small tree'
  ["bench/pair --cases 'put_*,get_*' --rounds 15 aebdaea"]='- cli.pair, of a small tree'
  ['bench/pair --backend mpi --nodes 2 --only micro HEAD~1']='- cli.pair, of a small tree'
  ['bench/run OUTPUT']='- cli.micro, with fewer measurements'
  ['ADVERSARY=all,-attach']=$adversary
  ['ADVERSARY=all,-forever']=$adversary
  ['ADVERSARY=all,-puts']=$adversary
  ['mount -t tmpfs tmpfs /dev/shm']='apart "mount -t tmpfs tmpfs /dev/shm && dartrun -n 2 ./program"'
  ['mount -o remount,size=90% /dev/shm']='apart "mount -t tmpfs tmpfs /dev/shm && mount -o remount,size=90% /dev/shm && dartrun -n 2 ./program"'
  ['./check --all -C slow -L slow']='- takes hours'
  ['./check NAME...']=$tests
  ['docker run --shm-size=8g']='docker run --shm-size=8g image sh -c "dartrun -n 2 ./program && df -m --output=size /dev/shm | grep -w 8192"'
  ['docker run --memory']='docker run --memory 1g image dartrun -n 2 ./program'
  ['docker run --cap-add SYS_PTRACE']='docker run --cap-add SYS_PTRACE image dartrun -n 2 ./program'
  ['docker run --tmpfs /dev/shm:rw']='docker run --tmpfs /dev/shm:rw image dartrun -n 2 ./program'
  ['docker run --shm-size=8g --cap-add SYS_PTRACE ...']='docker run --shm-size=8g --cap-add SYS_PTRACE image dartrun -n 2 ./program'
  ['sysctl kernel.yama.ptrace_scope=1']='apart "mount -t tmpfs tmpfs /proc/sys/kernel && mkdir /proc/sys/kernel/yama &&
    echo 2 >/proc/sys/kernel/yama/ptrace_scope && sysctl kernel.yama.ptrace_scope=1 && grep 1 /proc/sys/kernel/yama/ptrace_scope"'
  ['sysctl vm.max_map_count']='apart "sysctl vm.max_map_count"'
  ['echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled']='apart "mount -t tmpfs tmpfs /sys/kernel/mm/transparent_hugepage &&
    echo advise >/sys/kernel/mm/transparent_hugepage/shmem_enabled && grep advise /sys/kernel/mm/transparent_hugepage/shmem_enabled"'
  ['UCX_TLS=rc,self,sm UCX_NET_DEVICES=mlx5_0:1']=$untried
  ['FI_PROVIDER=tcp FI_TCP_IFACE=eth0']=$untried
  ['FI_PROVIDER=cxi']=$untried
  ['FI_PROVIDER=verbs']=$untried
  ['FI_PROVIDER=psm2']=$untried
)

# apart COMMAND: with mounts of its own, so that what changes a machine changes nothing here. docker: a stand-in, with the
# options of the pages, that gives the command a /dev/shm as docker does.
mkdir "$work/bin"
printf '#!/bin/sh\nexec unshare --mount --propagation private bash -c "$1"\n' >"$work/bin/apart"
cat >"$work/bin/docker" <<'END'
#!/bin/bash
[[ $1 == run ]] && shift || exit 125
shm=size=64m
while (($# > 0)); do
  case $1 in
    --shm-size=*[0-9]g) shm=size=${1#--shm-size=} ;;
    --tmpfs) [[ $2 == /dev/shm:rw ]] && shm=rw && shift || exit 125 ;;
    --memory) [[ $2 == *[0-9]g ]] && shift || exit 125 ;;
    --cap-add) [[ $2 == SYS_PTRACE ]] && shift || exit 125 ;;
    -*) exit 125 ;;
    *) break ;;
  esac
  shift
done
[[ $1 == image ]] || exit 125
exec unshare --mount --propagation private bash -c 'mount -t tmpfs -o "$0" tmpfs /dev/shm && exec "$@"' "$shm" "${@:2}"
END
chmod +x "$work"/bin/*
may_mount=
! unshare --mount --propagation private mount -t tmpfs tmpfs /dev/shm 2>/dev/null || may_mount=yes

# PAGE, a tab, and the text of each code span and line in a box without a language.
spans() {
  awk '
    function cut(   parts, i, n) {
      n = split(text, parts, "`")
      for (i = 2; i < n; i += 2) print name "\t" parts[i]
      text = ""
    }
    FNR == 1 { cut(); inside = 0; name = FILENAME; sub(/.*\//, "", name) }
    /^```/ { inside = !inside; next }
    inside { next }
    /^    [^ ]/ { sub(/^    /, ""); sub(/ +# .*/, ""); print name "\t" $0; next }
    /^$/ || /^\|/ { cut() }
    { text = text " " $0 }
    END { cut() }' "${pages[@]/#/$top/}" "${others[@]/#/$top/}"
  sed -n 's/^#   \([^ ]\)/\1/; T; s/   *.*//; s/^/packaging\t/p' "$top"/packaging/{Dockerfile,release}
}

# The launcher's or the library's words, which begin as a command does.
is_message() { [[ $1 =~ ^(dartrun|mpiexec|dart-[a-z]*)(:|\ started|\ ended|\ has|\ \.\.\.\ was|$) || $1 == *': '* ]]; }

tried=0 used=
try() { # PAGE TEXT
  local text=$2 do=${instead[$2]-}
  used+=$'\n'$text$'\n'
  [[ $do != '- '* ]] || { echo "not run, of $1: $text ($(cut -c3- <<<"$do"))"; return; }
  if [[ -z $do ]]; then
    do=$text
    [[ ! $text =~ ^([A-Z][A-Za-z_]*=[^ ]+ ?)+$ ]] || do="$text dartrun --nodes 2 -n 2 ./program"
  fi
  [[ -n $mpi || ! $do =~ [mM][pP][iI]|UCX ]] || return 0
  [[ -n $may_mount || ! $do =~ ^(apart|docker) ]] || { echo "not run, of $1: $text (mounts take root)"; return; }
  [[ ! $do =~ ^($alone|man)( |$) ]] || command -v "${do%% *}" >/dev/null ||
    { echo "not run, of $1: $text (it is not installed here)"; return; }
  tried=$((tried + 1))
  PATH=$work/bin:$PATH LIBDIR=$clone/dart/$libdir MPIEXEC=$(cached MPIEXEC_EXECUTABLE) run timeout 50 bash -c "$do"
  [[ $code == 0 ]] || fail "$1: \`$text\`, run as \`$do\`: exit code $code; it said: $out"$'\n'"$err"
}
make_program "${mpi:-shmem}"
ln -s program hello

# Examples of the manual's programs, in their order: one may need what an earlier one has left.
examples=0
for page in "$top"/doc/man/*.1; do
  rm -rf run
  while IFS= read -r text; do
    examples=$((examples + 1))
    try "$(basename "$page")" "$text"
  done < <(sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl //p' "$page")
done
((examples >= 11)) || fail "only $examples examples in the pages of programs"
while IFS=$'\t' read -r page text; do
  if [[ $text =~ ^([A-Z][A-Za-z_]*=[^ ]*\ *)*($words)\ . || $text =~ ^($alone)$ ||
    $text =~ ^([A-Z][A-Za-z_]*=[^ ]+\ ?)+$ ]] && ! is_message "$text"; then
    try "$page" "$text"
  fi
done < <(spans | sort -u -k2 -t$'\t')
((tried >= 20)) || fail "only $tried commands were found in the text"
for text in "${!instead[@]}"; do
  [[ ! ${instead[$text]} =~ ^-\ cli\.([a-z_]+) || -e $top/test/cli/cli_${BASH_REMATCH[1]}.sh ]] ||
    fail "of \`$text\`: there is no test cli.${BASH_REMATCH[1]}"
  [[ $used == *$'\n'"$text"$'\n'* ]] || fail "no page has \`$text\` any more, of the table here"
done
finish
