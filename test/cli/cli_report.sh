# DART_REPORT, and the page that dart-report makes of it: programs linked with the layer, and programs that load it; how
# they end; and the page of benchmarks.
source "$(dirname "$0")/cli.bash"
need python3
report=$(cd "$(dirname "$0")/../.." && pwd)/tools/dart-report

export DART_LOG_LEVEL=WARN
unset DART_REPORT DART_TRACE DART_NODES LD_PRELOAD

# page FILE CODE: the statements of Python hold for a page: `tree`, well-formed; `of(class)`, its elements of a class;
# `text`, all its words; `args`, what follows.
page() {
  python3 - "$@" <<'END_PYTHON' || fail "the page $1: $2"
import sys
import xml.etree.ElementTree as xml
tree = xml.parse(sys.argv[1])
text = " ".join(tree.getroot().itertext())
args = sys.argv[3:]
of = lambda name: [e for e in tree.iter() if e.get("class") == name]
cells = {(e.get("data-what"), e.get("data-from"), e.get("data-to")): int(e.get("data-value")) for e in of("cell")}
cells_of = lambda what: {int(key[1] + key[2]): value for key, value in cells.items() if key[0] == what} # 12: from 1 to 2
assert not list(tree.iter("script"))
exec(sys.argv[2])
END_PYTHON
}

# Three units: each writes 60 bytes to the next by 3 operations and sends it 8, reads 8 of its own, adds 4 to unit 0's.
run_is_drawn() {
  local nodes=1
  [[ ${dartrun[*]} != *--nodes* ]] || nodes=2
  run env DART_REPORT="$work/run" "${dartrun[@]}" -n 3 "$program"
  expect_code 0
  run "$report" "$work/run"; expect_code 0; expect_out "$work/run/report.html"
  page "$work/run/report.html" '
nodes = int(args[0])
assert cells_of("bytes") == {0: 8 + 4, 11: 8, 22: 8, 1: 68, 12: 68, 20: 68 + 4, 10: 4}, cells
assert cells_of("operations") == {0: 2, 11: 1, 22: 1, 1: 4, 12: 4, 20: 5, 10: 1}, cells
assert len(of("near")) == 2 * nodes and len(of("node")) == nodes and len(of("unit")) == 3
assert sorted(e.get("data-unit") for e in of("memory")) == ["0", "1", "2"]
timed = {(e.get("data-unit"), e.get("data-call")) for e in of("time")}
assert all((unit, "dart_init") in timed for unit in "012"), timed
assert f"3 units on {nodes} node" in text and "has ended" not in text' $nodes
  python3 - "$work/run" <<'END_PYTHON' || fail "unit-2.json: $(<"$work/run/unit-2.json")"
import json, sys
one = json.load(open(sys.argv[1] + "/unit-2.json"))
calls = {call["name"]: (call["count"], call["bytes"]) for call in one["calls"]}
assert calls["dart_barrier"] == (4, 0) and calls["dart_put_handle"] == (1, 20) and calls["dart_lock_acquire"] == (1, 0)
assert one["ended"] == "dart_exit" and one["unit"] == 2 and one["units"] == 3
END_PYTHON
}

abort_is_drawn() {
  run env DART_REPORT="$work/abort" "${dartrun[@]}" -n 3 "$program" abort
  [[ $code != 0 ]] || fail "an abort, and exit code 0"
  run "$report" "$work/abort" -o "$work/abort.html"; expect_code 0
  page "$work/abort.html" 'assert "Unit 1 has called dart_abort" in text and cells["bytes", "1", "2"] == 80, text'
}

exit_is_drawn() {
  run env DART_REPORT="$work/exit" "${dartrun[@]}" -n 3 "$program" exit
  expect_code 0
  run "$report" "$work/exit"; expect_code 0
  page "$work/exit/report.html" 'assert "Unit 0, 1, 2 has ended without dart_exit" in text, text'
}

# A smaller run, one of whose units dies before it reports, in the folder of a larger one: nothing is left of that.
folder_is_cleared() {
  run env DART_REPORT="$work/again" DART_TRACE="$work/again" "${dartrun[@]}" -n 3 "$program"; expect_code 0
  [[ -z $err ]] || fail "a new folder: $err"
  : >"$work/again/unit-1.7.events"
  : >"$work/again/unit-notes.json"
  : >"$work/again/unit-0.before.json"
  run env DART_REPORT="$work/again" DART_TRACE="$work/again" "${dartrun[@]}" -n 2 "$program"; expect_code 0
  [[ $(grep -c 'removed what an earlier run of more units had left in ' <<<"$err") == 2 ]] || fail "an old folder: $err"
  [[ $(cd "$work/again" && echo *) == "unit-0.0.events unit-0.before.json unit-0.json unit-1.0.events unit-1.json unit-notes.json" ]] ||
    fail "in the folder: $(ls "$work/again")"
}

folder_is_told() {
  run env DART_REPORT=/dev/null/folder "${dartrun[@]}" -n 1 "$program"
  expect_code 2
  expect_line "dartrun: DART_REPORT: cannot make the folder '/dev/null/folder': Not a directory"
}

all_of_it() {
  run_is_drawn
  if [[ $backend == shmem || ${dartrun[*]} == *--nodes* ]]; then # and not all of it on all shapes
    abort_is_drawn
    exit_is_drawn
    folder_is_cleared
  fi
  [[ $backend != shmem || ${#dartrun[@]} -gt 1 ]] || folder_is_told
  program=${program/traced/untraced} # linked with the shared library, and without the layer
  rm -r "$work/run"
  [[ ! -x $program ]] || run_is_drawn
}

on_backends all_of_it dart-traced

# Invalid reports.
run "$report" "$work/nothing"; expect_code 1; expect_line "dart-report: no reports in $work/nothing*"
mkdir "$work/wrong"
echo '{"format": "dart-report", "version": 99, "unit": 0}' >"$work/wrong/unit-0.json"
run "$report" "$work/wrong"; expect_code 1; expect_line "dart-report: *unit-0.json: not a report of this version"

# More units than a matrix has room for: sums of neighbours.
mkdir "$work/many"
for ((i = 0; i < 200; i++)); do
  cat >"$work/many/unit-$i.json" <<END_JSON
{"format": "dart-report", "version": 1, "dart": "3", "unit": $i, "units": 200, "node": $((i / 100)), "pid": 1, "ns": 9,
 "program": "a<b>&\"c\"", "ended": "dart_exit", "host": "h", "core": 0, "cpu": 0, "numa": 0, "cores": 1, "calls": [],
 "traffic": [{"unit": $(((i + 100) % 200)), "put": [1, 10]}], "memory": {"names": [], "samples": []}, "statistics": {}}
END_JSON
done
run "$report" "$work/many"; expect_code 0
page "$work/many/report.html" '
those = [e for e in of("cell") if e.get("data-what") == "bytes"]
assert sum(int(e.get("data-value")) for e in those) == 2000 and max(int(e.get("data-value")) for e in those) == 20
assert len(of("node")) == 2 and "a<b>&\"c\": 200 units on 2 nodes" in text'

# Benchmarks.
cat >"$work/cases.csv" <<'END_CSV'
table,case,bytes,of,figure,least,most,bar,result,tcp,delayed
micro-shmem-2,put_blocking,8,floor,1.5,1.4,1.7,4,met,,
micro-shmem-2,put_blocking,64,floor,2.5,2.4,2.7,2,MISSED,,
micro-shmem-2,order,0,ns,3.1,3,3.2,,,,
END_CSV
run "$report" --bench "$work/cases.csv"; expect_code 0; expect_out "$work/cases.html"
page "$work/cases.html" '
figures = {(e.get("data-case"), e.get("data-bytes")): (float(e.get("cx")), float(e.get("data-figure"))) for e in of("figure")}
bars = {e.get("data-bar"): float(e.get("x1")) for e in of("bar")}
assert figures["put_blocking", "8"][1] == 1.5 and len(figures) == 3
assert figures["put_blocking", "8"][0] < bars["4"] and figures["put_blocking", "64"][0] > bars["2"] and len(bars) == 2
assert "3 figures, 2 with a bar, 1 missed" in text'
mkdir "$work/mutexes"
sed '1!d' "$work/cases.csv" >"$work/mutexes/cases.csv"
echo 'mutex-1,dart,100,floor,0.9,0.8,1,1,met,,' >>"$work/mutexes/cases.csv"
cat >"$work/apps.csv" <<'END_CSV'
backend,units,nodes,benchmark,size,figure
shmem,2,1,randomaccess-gxp,22,0.12
mpi,8,1,stencil-dart,1024,3.4
END_CSV
printf '%-64s %10s   %s %-6g %s\n' '2^22 words, shmem: gxp / plain shared array' 0.51 'at least' 0.45 met \
  'a shape that was not run' - 'at most' 1 - >"$work/goals.txt"
run "$report" --bench "$work/cases.csv"; expect_code 0
page "$work/cases.html" '
figures = {e.get("data-case"): float(e.get("data-figure")) for e in of("figure")}
assert figures["dart"] == 0.9 and figures["randomaccess-gxp-shmem 2x1, 2^22 words"] == 0.12, figures
assert figures["stencil-dart-mpi 8x1, 1024 x 1024"] == 3.4 and "6 figures, 3 with a bar, 1 missed" in text
assert "2^22 words, shmem: gxp / plain shared array" in text and "at least 0.45" in text and "not run" not in text'
run "$report" --bench "$work/many/unit-0.json"; expect_code 1; expect_line "*is no cases.csv of bench/run"

finish
