# The micro benchmark and the script that runs the benchmarks: every case comes out in every format, on
# every backend and on two nodes. Times are not looked at: they are there, that is all.
source "$(dirname "$0")/cli.bash"

top=$(cd "$(dirname "$0")/../.." && pwd)
need "$build/bench/micro-shmem"
export DART_LOG_LEVEL=WARN
unset DART_NODES

# micro BACKEND UNITS NODES ARGUMENT...
micro() {
  local backend=$1 launch=("$build/dart-$1/dartrun" -n "$2")
  (($3 == 1)) || launch+=(--nodes "$3")
  shift 3
  run "${launch[@]}" "$build/bench/micro-$backend" "$@"
}

# names PLACE...: the cases that need what these words say, as --list has them; those of --threads are apart.
names() {
  local place
  for place; do
    awk -v place="$place" '$2 == place && $1 !~ /threads/ { print $1 }' "$work/list"
  done | sort
}

# What a size of 8 and of 4096 bytes makes of a case: everything appears at least once.
expect_cases() { # PLACE...
  local found wanted
  wanted=$(names "$@")
  found=$(awk -F, 'NR > 1 { print $4 }' <<<"$out" | sort -u)
  [[ $found == "$wanted" ]] || fail "not the cases of $*: $(diff <(echo "$wanted") <(echo "$found"))"
}

# Whether all lines of CSV in $out are BACKEND,UNITS,NODES,case,bytes and figures, DART's at least.
expect_csv() { # BACKEND UNITS NODES
  local number='[0-9][0-9.e+-]*' bad
  bad=$(tail -n +2 <<<"$out" | grep -vE "^$1,$2,$3,[a-z0-9_.]+,[0-9]+,$number(,($number)?){6}\$") || true
  [[ -z $bad ]] || fail "not lines of the table: $bad"
  [[ $(head -n 1 <<<"$out") == backend,units,nodes,case,bytes,dart_ns,floor_ns,* ]] || fail "head: $out"
}

# has CASE COLUMN: that figure is there in each line of the case.
has() {
  awk -F, -v name="$1" -v column="$2" '
    NR == 1 { for (c = 1; c <= NF; c++) if ($c == column) wanted = c }
    $4 == name { lines++; if ($wanted + 0 > 0) full++ }
    END { exit !(lines > 0 && lines == full) }' <<<"$out" || fail "$1 has no $2 somewhere"
}

# One line of the program, which matches the pattern; the launcher adds that it failed.
expect_first() {
  # shellcheck disable=SC2053
  [[ $(grep -v '^dartrun: ' <<<"$err") == $1 ]] || fail "stderr '$err' is not like '$1'"
}

micro shmem 1 1 --list; expect_code 0
cp "$work/out" "$work/list"
[[ $(names near | wc -l) -gt 20 && $(names far | wc -l) -gt 20 && $(names all | wc -l) -gt 10 ]] ||
  fail "few cases: $out"

micro shmem 2 1 --quick --format csv; expect_code 0
expect_csv shmem 2 1; expect_cases near all
for name in put_blocking get_strided fetch_and_op.sum_long barrier allreduce lock.contended; do
  has $name floor_ns
done
micro shmem 3 1 --quick -c 'barrier,all*,lock*,put_*' -f csv; expect_code 0; expect_csv shmem 3 1
micro shmem 1 1 --quick -f csv;         expect_code 0; expect_csv shmem 1 1; expect_cases all

if [[ -x $build/bench/micro-shmem-lto ]]; then
  run "$build/dart-shmem/dartrun" -n 2 "$build/bench/micro-shmem-lto" --quick --format csv
  expect_code 0; expect_csv shmem-lto 2 1; expect_cases near all
fi

if [[ -x $build/bench/micro-mpi ]] && has_backend mpi; then
  micro mpi 2 1 --quick --format csv;   expect_code 0; expect_csv mpi 2 1; expect_cases near all
  for name in put_blocking fetch_and_op.sum_long accumulate; do
    has $name floor_ns; has $name mpi_static_ns; has $name mpi_dynamic_ns
  done
  has barrier mpi_ns; has alloc mpi_ns
  micro mpi 2 2 --quick --format csv;   expect_code 0; expect_csv mpi 2 2; expect_cases far all
  has far_put_blocking mpi_static_ns; has far_busy_get dart_ns
  micro mpi 2 1 --quick --without-mpi -c put_blocking -f csv; expect_code 0
  [[ $(tail -n 1 <<<"$out") == *,,,, ]] || fail "MPI although without: $out"
fi

# The same figures as a wide table, to read, and as JSON. Sizes and patterns select.
micro shmem 2 1 --wide -c '[pg][ue]t_flush,flush' -s 16,1K -t 1 -r 3; expect_code 0
[[ $(grep -v '^#' <<<"$out" | awk '{ print $1, $2 }' | tr '\n' ';') == \
  "put_flush 16;put_flush 1024;get_flush 16;get_flush 1024;flush 0;" ]] || fail "table: $out"
# What is smaller than a word is put and got in bytes, and of no other case.
micro shmem 2 1 --wide -c '[pg][ue]t_blocking,put_flush' -s 1,4,8 -t 1 -r 3; expect_code 0
[[ $(grep -v '^#' <<<"$out" | awk '{ print $1, $2 }' | tr '\n' ';') == \
  "put_blocking 1;put_blocking 4;put_blocking 8;get_blocking 1;get_blocking 4;get_blocking 8;put_flush 8;" ]] ||
  fail "small sizes: $out"
micro shmem 2 1 --quick -c 'put_blocking,flush,barrier'; expect_code 0
[[ $(sed -nE 's/^# ([a-z_]+): .*\((.*)\)$/\1, \2/p' <<<"$out") == \
  $'put_blocking, to a unit of the same node\nflush, to a unit of the same node\nbarrier, all units' ]] || fail "titles: $out"
[[ $(grep -E '^#.*Latency' <<<"$out" | tr -s ' ') == "# Size Latency (us) Bandwidth (MB/s) Messages/s Floor (us) DART/floor
# Latency (us) Messages/s
# Latency (us) Floor (us) DART/floor" ]] || fail "heads: $out"
[[ $(awk '/^[0-9]/ && NF == 6 { print $1 }' <<<"$out") == $'8\n4096' ]] || fail "sizes: $out"
awk '/^[0-9]/ && NF == 6 { # MB/s is bytes by us, and the ratio that of both times, but for what is not printed
    if ($3 * $2 / $1 < 0.98 || $3 * $2 / $1 > 1.02 || $6 * $5 / $2 < 0.98 || $6 * $5 / $2 > 1.02) exit 1 }' <<<"$out" ||
  fail "figures that do not fit each other: $out"
grep -v '^#' <<<"$out" | grep -qE '[0-9]{4,}\.|\.0*[1-9][0-9]{3}' && fail "figures of more than three digits: $out"
micro shmem 2 1 --all --quick; expect_code 0
[[ $(sed -nE 's/^# ([a-z0-9_.]+): .*\)$/\1/p' <<<"$out" | sort) == "$(names near all)" ]] || fail "--all: $out"
[[ $out != *'These are'* ]] || fail "something is left out: $out"
# Without a selection: few cases, and how to get the others.
micro shmem 2 1 -s 8 -r 1 -t 1; expect_code 0
few=$(sed -nE 's/^# ([a-z0-9_.]+): .*\)$/\1/p' <<<"$out" | wc -l)
((few > 5 && few < 15)) || fail "$few cases without a selection: $out"
[[ $out == *"# These are $few of the $(names near all | wc -l) cases of this job. --all "* ]] || fail "left out: $out"
# Where operations take long, lines are of fewer repetitions, and that is said; not if somebody has asked for so many.
export DART_NET=latency=20ms
micro shmem 2 2 -s 8; expect_code 0
[[ $out =~ '# '([0-9]+)' of '([0-9]+)' lines are of fewer repetitions' && ${BASH_REMATCH[2]} == $(grep -c '^[0-9 ]' <<<"$out") ]] ||
  fail "fewer repetitions: $out"
micro shmem 2 2 -c far_put_blocking -s 8; expect_code 0; [[ $out != *'fewer repetitions'* ]] || fail "with a selection: $out"
unset DART_NET
if [[ -x $build/bench/micro-mpi ]] && has_backend mpi; then
  micro mpi 2 2 --quick -c far_put_blocking; expect_code 0
  [[ $out == *'(to a unit of another node)'*'MPI (us)'*'DART/MPI'* && $out != *Floor\ \(us\)* ]] || fail "far: $out"
fi
micro shmem 2 1 --quick -c 'put_*,barrier' -f json; expect_code 0
if command -v python3 >/dev/null; then
  python3 -c '
import json, sys
table = json.load(sys.stdin)
assert table["backend"] == "shmem" and table["units"] == 2 and table["nodes"] == 1
names = [case["case"] for case in table["cases"]]
assert "put_blocking" in names and names[-1] == "barrier", names
assert all(case["dart_ns"] > 0 and case["mpi_ns"] is None for case in table["cases"])
' <<<"$out" || fail "JSON: $out"
fi

# A size that is no multiple of a cache line.
micro shmem 2 1 -c put_blocking -s 3800 -r 1 -t 1; expect_code 0

# Bad input is said once, however many units there are.
micro shmem 2 1 --sizes 7;              expect_code 2; expect_first "micro-shmem*--sizes*'7'*"
micro shmem 2 1 --sizes 8,32M;          expect_code 2; expect_first "micro-shmem*--sizes*'32M'*"
micro shmem 2 1 --format xml;           expect_code 2; expect_first "micro-shmem*'xml'*csv*"
micro shmem 2 1 --cases 'putt*';        expect_code 2
[[ $err == *"'putt*'"*--list* ]] || fail "unknown case: $err"
micro shmem 2 1 --cases 'far_put*';     expect_code 2
[[ $err == *"another node"* ]] || fail "no far unit: $err"

# RandomAccess and the stencil without DART, to compare with, verify themselves too. Where updates
# may be lost, few updates of many words keep well below the 1 % allowed.
for variant in shared-gxp shared-atomic; do
  run "$build/dart-shmem/dartrun" -n 3 "$build/bench/randomaccess-shmem" -k 18 -n 50000 -v $variant
  expect_code 0; [[ $out == *verified=yes ]] || fail "$variant: $out"
done
run "$build/dart-shmem/dartrun" -n 3 "$build/bench/stencil-shmem" -n 33 --memory shared
expect_code 0; [[ $out == *stencil-33-shared*verified=yes ]] || fail "stencil: $out"
run "$build/dart-shmem/dartrun" -n 2 "$build/bench/randomaccess-shmem" -k 12 -v mpi-gxp
expect_code 2; expect_first "randomaccess-shmem*--variant*'mpi-gxp'*"
if [[ -x $build/bench/randomaccess-mpi ]] && has_backend mpi; then
  for variant in mpi-gxp mpi-gxp-dynamic mpi-accumulate mpi-accumulate-dynamic mpi-bucket; do
    run "$build/dart-mpi/dartrun" -n 3 --nodes 2 "$build/bench/randomaccess-mpi" -k 14 \
      -n 2000 -v $variant
    expect_code 0; [[ $out == *verified=yes ]] || fail "$variant: $out"
  done
fi

# The script says what is wrong with its command line; what it needs to run is tried above.
run "$top/bench/run";                   expect_code 2; expect_line "bench/run: *--help*"
run "$top/bench/run" --fast "$work/t";  expect_code 2; expect_line "bench/run: *--fast*"
run "$top/bench/run" --build "$work/none" "$work/t"; expect_code 2; expect_line "bench/run: *$work/none*"
run "$top/bench/run" --build "$build" "$work"; expect_code 2; expect_line "bench/run: *$work*empty*"
run "$top/bench/run" --repeat no "$work/t"; expect_code 2; expect_line "bench/run: *'no'*"

# Rounds of a table become a line for each case: the median, its range, its bar. Of two such files what is slower
# beyond noise is named: here one case of three, as the second is within the range, and the third faster.
mkdir "$work/raw" "$work/later"
head="backend,units,nodes,case,bytes,dart_ns,floor_ns,dart_per_floor,mpi_ns,dart_per_mpi"
for round in 1 2 3; do
  printf '%s\n' "$head" "shmem,2,1,put_indexed,4096,1,1,1.$round,," "shmem,2,1,put_strided,8,1,1,4.$round,," \
    "shmem,2,1,flush,0,7,,,," >"$work/raw/micro-shmem-2.$round.csv"
  printf '%s\n' "$head" "mpi,2,2,far_put_batch,8,1,,,1,0.8" >"$work/raw/micro-mpi-2x2.$round.csv"
  printf '%s\n' "$head" "mpi,2,2,far_put_batch,8,1,,,1,0.6" >"$work/raw/micro-mpi-2x2-tcp.$round.csv"
  printf '%s\n' "$head" "mpi,2,2,halo.put.pscw,16,1200,1000,1.2,1500,0.8" >"$work/raw/epochs-mpi-2x2.$round.csv"
done
run awk -f "$top/bench/cases.awk" "$top/bench/bars" "$work/raw"/*.csv; expect_code 0
[[ $(grep -v '^micro-mpi-2x2-tcp' <<<"$out" | sort) == "$(sort <<'END_OF_TABLE'
table,case,bytes,of,figure,least,most,bar,result,tcp,delayed
epochs-mpi-2x2,halo.put.pscw,16,floor,1.2,1.2,1.2,1.05,MISSED,,
epochs-mpi-2x2,halo.put.pscw,16,mpi,0.8,0.8,0.8,0.9,met,,
micro-mpi-2x2,far_put_batch,8,mpi,0.8,0.8,0.8,0.9,met,0.6,
micro-shmem-2,flush,0,ns,7,7,7,,,,
micro-shmem-2,put_indexed,4096,floor,1.2,1.1,1.3,1.15,MISSED,,
micro-shmem-2,put_strided,8,floor,4.2,4.1,4.3,4,MISSED,,
END_OF_TABLE
)" ]] || fail "cases: $out"
echo "$out" >"$work/earlier.csv"
sed -e 's/4096,floor,1.2,1.1,1.3/4096,floor,2.2,1.31,3/; s/8,floor,4.2,4.1,4.3/8,floor,6,4.2,7/; s/,ns,7,7,7/,ns,5,5,5/' \
  "$work/earlier.csv" >"$work/later/cases.csv"
run "$top/bench/run" --compare "$work/earlier.csv" "$work/later"; expect_code 1
[[ $out == *"slower: micro-shmem-2 "*put_indexed*"1 of 7 cases"* && $out != *put_strided* ]] || fail "compared: $out"
# Mutexes: what was compared has a bar, what was stopped has none, and is there all the same.
printf '%s\n' what,mutex,units,nodes,work_us,rounds,turn_ns,overhead,unfairness,acquire_ns,release_ns \
  contended,dart,2,1,1000,100,1007000,0.7,2,, contended,hybrid,2,1,1000,100,1006000,0.5,2,, \
  contended,dart,4,1,1000,100,1009000,0.9,2,, contended,hybrid,4,1,1000,100,9000000,90,2,, \
  contended,dart,8,1,1000,100,1013000,1.3,2,, stopped,hybrid,8,1,1000,,,,,, >"$work/mutex.csv"
awk -F, -v nodes=1 -f "$top/bench/mutex/ratios.awk" "$work/mutex.csv" >"$work/mutex-1.1.csv"
run awk -f "$top/bench/cases.awk" "$top/bench/bars" "$work/mutex-1.1.csv"; expect_code 0
[[ $(grep overhead <<<"$out" | sort) == "$(sort <<'END_OF_TABLE'
mutex-1,overhead.2,1000,mpi,1.4,1.4,1.4,1.0,MISSED,,
mutex-1,overhead.4,1000,mpi,0.01,0.01,0.01,1.0,met,,
mutex-1,overhead.8.alone,1000,ns,1.3,1.3,1.3,,,,
END_OF_TABLE
)" ]] || fail "cases of mutexes: $out"
# Epochs as a table: the ratio of DART and of MPI to messages, and what the paper has for that size.
run awk -F, -f "$top/bench/epochs/table.awk" "$top/bench/epochs/papers" "$work/raw/epochs-mpi-2x2.1.csv"
[[ $code == 0 && -z $out ]] || fail "a table without its fence: $out"
printf '%s\n' "$head" "mpi,2,2,halo.put.fence,16,500,1000,0.5,3000,0.167" \
  "mpi,2,2,halo.put.pscw,16,1200,1000,1.2,1500,0.8" "mpi,2,2,halo.put.fence.registered,16,700,1000,0.7,," >"$work/epochs.csv"
run awk -F, -f "$top/bench/epochs/table.awk" "$top/bench/epochs/papers" "$work/epochs.csv"; expect_code 0
out=$(tr -s ' ' <<<"$out")
[[ $out == *"16 1.00 | 0.50 3.00 - 0.70 | 1.20 1.50 2.0 - | - - - -"* ]] || fail "the table of epochs: $out"
# All ways of the halo side by side in us, and single figures with those of registered memory.
printf '%s\n' "$head" "mpi,2,2,halo.messages,16,900,,,600," "mpi,2,2,halo.put.fence,16,500,600,0.83,3000,0.167" \
  "mpi,2,2,halo.put.flush,16,800,600,1.3,700,1.14" "mpi,2,2,halo.put.flush.registered,16,850,600,1.4,," \
  "mpi,2,2,halo.put.notify,16,400,600,0.67,," "mpi,2,2,put_blocking,8,330,,,," \
  "mpi,2,2,lock_put_unlock,8,600,330,1.82,," "mpi,2,2,lock_put_unlock.registered,8,700,350,2,," >"$work/epochs.csv"
run awk -F, -f "$top/bench/epochs/table.awk" "$top/bench/epochs/papers" "$work/epochs.csv"; expect_code 0
out=$(tr -s ' ' <<<"$out")
[[ $out == *"16 0.90 0.60 | 0.80 0.70 0.85 | 0.40 - | 0.50 3.00 - | - - - | - - -"* ]] || fail "the ways side by side: $out"
[[ $out == *"put_blocking 0.33 us"*"lock_put_unlock 0.60 us 1.82 x | 0.70 us 2.00 x"* ]] || fail "single figures: $out"
run "$top/bench/run" --openmpi "$work" "$work/t"; expect_code 2; expect_line "bench/run: no benchmarks in *"
run "$top/bench/run" --only all "$work/t"; expect_code 2; expect_line "bench/run: *'all'*"
run "$top/bench/run" --compare "$work/none.csv" "$work/t"; expect_code 2; expect_line "bench/run: *none.csv*"

finish
