# bench/papers: runs each command once, goes on where it was stopped, says what failed, and draws a page that is well-formed
# and tells whether a paper's shape is there. The programs are stand-ins with figures of their own.
source "$(dirname "$0")/cli.bash"
need python3
top=$(cd "$(dirname "$0")/../.." && pwd)
fake=$work/build
mkdir -p "$fake"/{bench,dart-shmem,dart-mpi} "$work/bin"

# dartrun: runs the program once, with the words behind it; epochs print what the test wants.
for backend in shmem mpi; do
  cat >"$fake/dart-$backend/dartrun" <<'END'
#!/bin/bash
while [[ $1 == -* ]]; do shift 2; done
exec "$@"
END
done
cat >"$fake/bench/epochs-mpi" <<'END'
#!/bin/bash
echo run >>"$COUNTED"
[[ -z ${SLEEPS:-} ]] || sleep "$SLEEPS"
[[ -z ${BROKEN:-} ]] || { echo "no room" >&2; exit 3; }
echo backend,units,nodes,case,bytes,dart_ns,floor_ns,dart_per_floor,mpi_ns,dart_per_mpi
for bytes in 16 64 4096; do
  echo "mpi,2,1,halo.messages,$bytes,900,,,1000,0.9"
  for way in fence pscw lock; do echo "mpi,2,1,halo.put.$way,$bytes,$(($FENCE + 16000 / bytes)),1000,1,3000,1"; done
done
END
for program in micro-shmem messages-shmem; do printf '#!/bin/sh\n' >"$fake/bench/$program"; done
chmod +x "$fake"/*/*
export COUNTED=$work/counted FENCE=1000
counted() { wc -l <"$COUNTED"; }
papers() { run "$top/bench/papers" --build "$fake" --only thakur "$@" "$work/drawn"; }

BROKEN=1 papers --quick
expect_code 0
[[ $out == *"1 of 4: halo-node, round 1 of 1"* && $err == *"halo-node failed: exit code 3: no room"* && $(counted) == 3 ]] ||
  fail "what fails is said: $out $err"
grep -q 'halo-node.1</td><td>exit code 3: no room' "$work/drawn/quick/papers.html" || fail "the page does not say what failed"
papers --quick
[[ $(counted) == 6 ]] || fail "what had failed was not run again: $(counted)"
papers --quick
[[ $(counted) == 6 && $out == "$work/drawn/quick/papers.html" ]] || fail "what had been run was run again: $out"
papers --quick --rounds 2
[[ $(counted) == 9 && $out == *"1 of 4: halo-node, round 2 of 2"* ]] || fail "a second round runs what is missing: $(counted): $out"
page=$(<"$work/drawn/quick/papers.html")
[[ $page == *"The shape holds here: </b>one-sided communication costs most where blocks are small"*"of 16 bytes: 2 "*"of 4 KiB: 1 "* ]] ||
  fail "the shape is not told"
[[ $page == *"<i>Run: </i>2 units, 16 bytes to 4 KiB, 2 rounds."*"<li>dartrun -n 2 epochs-mpi --pattern=halo"* && $page != *"quick run"* ]] ||
  fail "what was run is not told"
[[ $page != *"<script"* && $page != *"http"* ]] || fail "the page needs something else"
python3 -c 'import sys, xml.dom.minidom
text = open(sys.argv[1], encoding="utf-8").read()
xml.dom.minidom.parseString(text.split("\n", 1)[1].encode())
assert text.count("<polyline") >= 30, text.count("<polyline")
told = [part.split("</p>")[:2] for part in text.split("</svg>")[1:]]
assert all("<i>The paper: </i>" in paper and "<i>Here: </i>" in here for paper, here in told), told' "$work/drawn/quick/papers.html" 2>"$work/err" || fail "the page: $(<"$work/err")"

papers --rounds 1
[[ $(counted) == 12 ]] || fail "quick figures were taken for those of a whole run: $(counted)"

# An interruption ends what runs, however it comes, and the same command goes on with what is missing.
for signal in INT TERM HUP; do
  rm -r "$work/drawn"
  : >"$COUNTED"
  set -m # without it bash lets its jobs ignore SIGINT
  SLEEPS=60.$$ "$top/bench/papers" --build "$fake" --only thakur --quick "$work/drawn" >"$work/said" 2>&1 &
  pid=$!
  set +m
  for _ in {1..200}; do [[ ! -s $COUNTED ]] || break; sleep 0.1; done
  kill -$signal $pid
  wait $pid; code=$?
  [[ $code == 1 && $(<"$work/said") == *"bench/papers: interrupted; the same command goes on" ]] || fail "$signal: $code: $(<"$work/said")"
  [[ -z $(pgrep -f "^sleep 60[.]$$\$") ]] || fail "$signal: what was run goes on"
done
papers --quick
[[ $(counted) == 4 && $out == *"1 of 4: halo-node, round 1 of 1"*"$work/drawn/quick/papers.html" ]] || fail "after the interruption: $(counted): $out"

rm -r "$work/drawn"
FENCE=9000 papers --quick
sed -i 's/^\(mpi,2,1,halo.put.fence,4096\),[0-9]*/\1,99000/' "$work/drawn/quick/raw/"*.out
papers --quick --page
[[ $(<"$work/drawn/quick/papers.html") == *"The shape does not hold here"* ]] || fail "a wrong shape is not told"

# Table 4: what it costs to send a description each time, by size.
cat >"$fake/bench/epoch-types-mpi" <<'END'
#!/bin/bash
[[ $* == *--types=17* ]] && sent=${SENT:-9.00} || sent=2.00
[[ $* == *--bytes=* ]] && sent=2.00
[[ $* == *--bytes=* ]] && sent=20.00
printf 'pscw    vector of 256 blocks %10s 4.00\npscw    struct of 128 blocks %10s 5.00\n' 2.00 "$sent"
END
chmod +x "$fake/bench/epoch-types-mpi"
types() { run "$top/bench/papers" --build "$fake" --only traeff --quick "$work/types$1"; }
types 1
[[ $(<"$work/types1/quick/papers.html") == *"The shape holds here: </b>to send the description each time"*" 4.5 (holds from 1.1 to 10; the paper: 1.67)"*"16 KiB of a struct by 1 KiB of it: 0.222 "* ]] ||
  fail "table 4: $out $err"
SENT=1.00 types 2
[[ $(<"$work/types2/quick/papers.html") == *"The shape does not hold here: </b>to send the description"* ]] || fail "table 4, wrong"
run "$top/bench/papers" --build "$work/nothing" "$work/none"
expect_code 1; [[ $err == "bench/papers: no benchmarks in $work/nothing: build DART there, or name another folder by --build" ]] ||
  fail "said: $err"
touch "$work/file"
run "$top/bench/papers" --build "$fake" "$work/file/x"; expect_code 1; expect_line "bench/papers: $work/file/x: Not a directory"
run "$top/bench/papers" --build "$fake" --rounds 0 "$work/none"; expect_code 1; expect_line "bench/papers: --rounds is 0, not *"
run "$top/bench/papers" --help; expect_code 0

# The performance page: figures of these runs stand in their places and in the plots; others stay, and are named.
cat >"$fake/bench/micro-mpi" <<'END'
#!/bin/bash
echo backend,units,nodes,case,bytes,dart_ns,floor_ns,dart_per_floor,mpi_ns,dart_per_mpi
for bytes in 0 8 4096; do
  for case in barrier bcast team alloc far_put_blocking put_blocking; do echo "mpi,2,2,$case,$bytes,1234,,,56789,"; done
done
END
chmod +x "$fake/bench/micro-mpi"
mkdir "$work/doc"
cp "$top/doc/performance.md" "$work/doc/page.md"
FENCE=2000 papers --quick --performance --to "$work/doc/page.md"
expect_code 1
[[ $err == *"figures of $work/doc/page.md are still those of before" ]] || fail "what was not filled: $err"
for said in $'\nSlower than MPI by more than a tenth:' $'\nNot filled:' $'\n  put-between-nodes, blocking put, DART / MPI, 512 bytes: ' \
  $'\n  locks, pthread mutex between processes, free: '; do
  [[ $out == *"$said"* ]] || fail "not said: '$said', but: $out"
done
changed() { # LINE, of which * may be anything
  local line
  while IFS= read -r line; do
    # shellcheck disable=SC2053
    [[ $line != $1 ]] || return 0
  done < <(comm -13 <(sort "$top/doc/performance.md") <(sort "$work/doc/page.md"))
  fail "the page has no new line '$1'"
}
changed '| blocking put, DART / MPI | 1.23 / 57 | * | 1.23 / 57 | * | * |'
changed '| \*one node:\* barrier | 1.23 / 57 | | | |'
changed '| 16 | 1.00 | 10.0 (3.00) | 10.0 (3.00) | 10.0 (3.00) | *'
changed "*made and destroyed in 1.23 µs on one node (MPI's communicator 57) and in 1.23 over two (57); 4 KiB are allocated and"
changed 'freed in 1.23 µs (a window of MPI 57).'
changed '*bench/papers* of commit * medians of one round.*'
run "$top/bench/plots" --page "$work/doc/page.md" --check; expect_code 0

# Verdicts fail below their bounds and above them, and what was not measured decides nothing.
python3 -B -c 'import sys
sys.path[:0] = sys.argv[1:]
from figures.chart import BAR, Bound, over, verdict
def told(*values, **more):
    return verdict("it is flat", [Bound("there", value, 0.5, 2, 1) for value in values], **more)
assert "The shape holds here" in told(0.5, 2) and "there 2 (holds from 0.5 to 2; the paper: 1)" in told(2)
assert all("does not hold" in told(1, value) for value in (0.49, 2.01))
assert "Not enough" in told(1, None) and "Not enough" in told() and over(1, None) is None and over(3, 2) == 1.5
assert "bar is missed" in told(3, words=BAR)
from figures.ross import estimate, of_table_1
from figures.results import at
assert round(at(estimate(of_table_1("fast_ethernet"), 10000), 64), 1) == 8.1
' "$top/bench" "$top/tools" 2>"$work/err" || fail "verdicts: $(<"$work/err")"

# Pages of figures that are given: no program runs.
raw=$work/given/quick/raw
mkdir -p "$raw"
given() { printf 'dartrun -n %s x\n' "$2" >"$raw/$1.1.command"; cat >"$raw/$1.1.out"; }
updates() { given "$1" 2 <<<"RESULT benchmark=x backend=x units=2 nodes=1 figure=\"$2 GUP/s\" verified=yes"; }
sync() { # PATTERN, UNITS, ns of a fence, of post and start, and of a lock
  printf 'units,case,dart_ns\n%s,%s.put.fence.registered,%s\n%s,%s.put.pscw.registered,%s\n%s,%s.put.lock.registered,%s\n' \
    "$2" "$1" "$3" "$2" "$1" "$4" "$2" "$1" "$5" | given "sync-$1-shmem-registered-$2" "$2"
}
mutex() { # NAME, UNITS, ns of a turn without work, per cent with 10 ms
  printf 'contended,%s,%s,1,%s,9,%s,%s,1,0,0\n' "$1" "$2" 0 "$3" 100 "$1" "$2" 10000 1 "$4" | given "mutex-$1-$2" "$2"
}
draw() { run "$top/bench/papers" --build "$fake" --quick --page "$work/given"; page=$(<"$work/given/quick/papers.html"); }
updates updates-atomic-shmem-2x1 0.08
updates updates-atomic-mpi-2x2 0.04
given hpcc 2 <<<$'MPIRandomAccess_N=65536\nMPIRandomAccess_ExeUpdates=262144\nMPIRandomAccess_GUPs=0.009'
sync right 2 100 50 60; sync right 4 150 50 60
sync all 2 100 60 120; sync all 4 150 150 240
for ((one = 1; 2 * one <= $(nproc) && one < 32; one *= 2)); do :; done
for name in hybrid onesided dart; do
  mutex $name $one 1000000 9
  mutex $name $((2 * one)) 1000000 9
done
draw
[[ $page == *"The bar is met here: </b>of the HPC Challenge"*"one node, atomic: 8.89 "*"two nodes, atomic: 4.44 "*"0.009 to 0.009 GUP/s"* ]] || fail "the bar of RandomAccess"
[[ $page == *"ran with 2 processes of Open MPI on one node, 65536 words and 262144 updates"* ]] || fail "what hpcc did"
[[ $page == *"The shape holds here: </b>a fence takes as long with all neighbours as with one. Measured: with all of 4 neighbours in times of one: 1 "* ]] ||
  fail "a fence in registered memory"
[[ $page == *"The paper&#x27;s estimate and its text do not agree"*"The shape holds here: </b>the overhead is what the time without work"* ]] ||
  fail "the estimate"
given hpcc 2 <<<'no room'
draw
[[ $page == *"The HPC Challenge&#x27;s own program did not run."* ]] || fail "hpcc without its lines: $err"
given hpcc 2 <<<$'MPIRandomAccess_N=65536\nMPIRandomAccess_ExeUpdates=262144\nMPIRandomAccess_GUPs=0.009'
for round in 2 3; do
  printf 'MPIRandomAccess_GUPs=%s\n' $((2 * round - 5)).009 >"$raw/hpcc.$round.out" # -1 and 1
  cp "$raw/hpcc.1.command" "$raw/hpcc.$round.command"
done
draw
[[ $page == *"-1.01 to 1.01 GUP/s"* ]] || fail "a run of hpcc that failed: $err"
rm "$raw"/hpcc.[23].*
updates updates-atomic-mpi-2x2 0.07
given updates-mpi-accumulate-mpi-2x2 2 <<<'RESULT figure="0.01 GUP/s" verified=yes'
draw
[[ $page == *"The shape does not hold here: </b>between nodes DART is level with MPI-3."*" 7 (holds from 0.8 to 1.25; "* ]] ||
  fail "seven times as many are level: $err"
updates updates-atomic-shmem-2x1 0.07
sync all 4 75 150 240
draw
[[ $page == *"The bar is missed here: </b>of the HPC Challenge"* ]] || fail "the bar of RandomAccess is missed"
[[ $page == *"The shape does not hold here: </b>a fence takes as long with all neighbours as with one. Measured: with all of 4 neighbours in times of one: 0.5 "* ]] ||
  fail "a fence that is too fast for the sentence"

# what hangs behind its last line is whole, and what hangs before it is not
mkdir -p "$work/hung/raw"
python3 -B -c 'import sys
sys.path[:0] = sys.argv[1:3]
from figures.plan import Step, run_step
hangs = lambda said: run_step(Step("tcp", ["sh", "-c", f"printf \"{said}\"; sleep 30"], -5.95, last_line="b,2,.*"), sys.argv[3], 1)
assert hangs("a,1,x\\nb,2,y\\n") and not hangs("a,1,x\\nb,1,y\\n") and not hangs("b,2,y\\nc,3,x\\n") and not hangs("")
' "$top/bench" "$top/tools" "$work/hung" 2>"$work/err" || fail "a run that hangs: $(<"$work/err")"
finish
