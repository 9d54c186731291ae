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
[[ $page == *"The shape holds here: </b>one-sided communication costs most where blocks are small"*"by fence 2.00 of their time at 16 bytes and 1.00"* ]] ||
  fail "the shape is not told"
[[ $page != *"<script"* && $page != *"http"* ]] || fail "the page needs something else"
python3 -c 'import sys, xml.dom.minidom
text = open(sys.argv[1], encoding="utf-8").read()
xml.dom.minidom.parseString(text.split("\n", 1)[1].encode())
assert text.count("<polyline") >= 30, text.count("<polyline")
told = [part.split("</p>")[:2] for part in text.split("</svg>")[1:]]
assert all("<i>The paper: </i>" in paper and "<i>Here: </i>" in here for paper, here in told), told' "$work/drawn/quick/papers.html" 2>"$work/err" || fail "the page: $(<"$work/err")"

papers --rounds 1
[[ $(counted) == 12 ]] || fail "quick figures were taken for those of a whole run: $(counted)"

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
[[ $(<"$work/types1/quick/papers.html") == *"The shape holds here: </b>where the description is sent each time, 1 KiB of a struct take 4.50 "*"(on the NEC 1.67)"*"16 KiB of a struct 1.00"* ]] ||
  fail "table 4: $out $err"
SENT=1.00 types 2
[[ $(<"$work/types2/quick/papers.html") == *"The shape does not hold here: </b>where the description is sent"* ]] || fail "table 4, wrong"
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

# what hangs behind its last line is whole, and what hangs before it is not
mkdir -p "$work/hung/raw"
python3 -B -c 'import sys
sys.path[:0] = sys.argv[1:3]
from figures.plan import Step, run_step
hangs = lambda said: run_step(Step("tcp", ["sh", "-c", f"printf \"{said}\"; sleep 30"], -5.95, last_line="b,2,.*"), sys.argv[3], 1)
assert hangs("a,1,x\\nb,2,y\\n") and not hangs("a,1,x\\nb,1,y\\n") and not hangs("b,2,y\\nc,3,x\\n") and not hangs("")
' "$top/bench" "$top/tools" "$work/hung" 2>"$work/err" || fail "a run that hangs: $(<"$work/err")"
finish
