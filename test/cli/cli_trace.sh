# DART_TRACE, and what dart-trace makes of it: events of a program of known traffic, in Chrome's form and in OTF2; of one
# that aborts; and with too little room.
source "$(dirname "$0")/cli.bash"
need python3

export DART_LOG_LEVEL=WARN
unset DART_REPORT DART_TRACE DART_TRACE_BUFFER DART_NODES LD_PRELOAD

# events FOLDER CODE: the statements of Python hold: `count(name, phase)` of events, `arguments(name)`.
events() {
  python3 - "$@" <<'END_PYTHON' || fail "the trace in $1: $2"
import json, sys
trace = [e for e in json.load(open(sys.argv[1] + "/trace.json"))["traceEvents"] if e["ph"] != "M"]
count = lambda name, phase: sum(e["name"] == name and e["ph"] == phase for e in trace)
arguments = lambda name: [(e["pid"], e["args"].get("unit"), e["args"].get("bytes")) for e in trace if e["name"] == name]
for unit in {e["pid"] for e in trace}:
    times = [e["ts"] for e in trace if e["pid"] == unit]
    depth = sum({"B": 1, "E": -1, "i": 0}[e["ph"]] for e in trace if e["pid"] == unit)
    assert times == sorted(times) and depth == 0, (unit, depth)
exec(sys.argv[2])
END_PYTHON
}

# Each operation has a completion of the same id after it, on its unit.
completed='
for i, e in enumerate(trace):
    if e["name"] in ("put", "get", "atomic"):
        assert any(f["pid"] == e["pid"] and f["name"].startswith("complete") and f["args"]["id"] == e["args"]["id"]
                   for f in trace[i:]), e'

# The same in OTF2: events of each kind by all three units.
otf2_is_whole() {
  local kind n
  [[ -e $work/run/otf2/trace.otf2 ]] || { echo "dart-trace has no OTF2 here"; return; }
  command -v otf2-print >/dev/null || { echo "there is no otf2-print here"; return; }
  run otf2-print "$work/run/otf2/trace.otf2"; expect_code 0
  [[ $err != *warning* && $err != *rror* ]] || fail "otf2-print: $err"
  while read -r kind n; do
    [[ $(grep -c "^$kind " <<<"$out") == "$n" ]] || fail "not $n $kind: $(grep -c "^$kind " <<<"$out")"
  done <<<"RMA_PUT 9
RMA_GET 3
RMA_ATOMIC 3
RMA_ACQUIRE_LOCK 3
RMA_RELEASE_LOCK 3
MPI_SEND 3
MPI_RECV 3
RMA_COLLECTIVE_END 21"
  for kind in 1 2; do
    [[ $(grep -c "^RMA_COLLECTIVE_END .*BARRIER, Window: \"team $kind\"" <<<"$out") == 3 ]] || fail "team $kind has no barrier"
  done
  [[ $(grep -c '^ENTER ' <<<"$out") == $(grep -c '^LEAVE ' <<<"$out") ]] || fail "ENTER and LEAVE do not match"
  grep -q '^RMA_PUT .* 1 .*Remote: 2 .*Bytes: 20' <<<"$out" || fail "no put of unit 1 to unit 2"
}

run_is_traced() {
  run env DART_TRACE="$work/run" "${dartrun[@]}" -n 3 "$program"
  expect_code 0
  run "$build/tools/dart-trace" "$work/run"; expect_code 0
  [[ $out == *"wrote $work/run/trace.json"* && ($out == *"wrote $work/run/otf2/trace.otf2"* || $out == *"no otf2: "*) ]] ||
    fail "dart-trace did not name what it wrote: $out"
  [[ -z $err ]] || fail "dart-trace said: $err"
  events "$work/run" '
assert sorted(arguments("put")) == [(u, (u + 1) % 3, 20) for u in range(3) for i in range(3)], arguments("put")
assert sorted(arguments("get")) == [(u, u, 8) for u in range(3)]
assert sorted(arguments("atomic")) == [(u, 0, 4) for u in range(3)]
assert sorted(arguments("send")) == [(u, (u + 1) % 3, 8) for u in range(3)], arguments("send")
assert sorted(arguments("receive")) == [(u, (u + 2) % 3, 8) for u in range(3)], arguments("receive")
assert count("dart_barrier", "B") == count("dart_barrier", "E") == 12 and count("lock", "i") == count("unlock", "i") == 3
assert count("collective", "i") == 21'"$completed"
  otf2_is_whole
  if [[ -e $work/run/otf2/trace.otf2 ]]; then # another trace of this folder replaces it; what is not the archive's stays
    : >"$work/run/otf2/trace/77.evt"
    : >"$work/run/otf2/trace/mine"
    run "$build/tools/dart-trace" "$work/run"; expect_code 0
    [[ ! -e $work/run/otf2/trace/77.evt && -e $work/run/otf2/trace/mine ]] || fail "left: $(ls "$work/run/otf2/trace")"
    rm -r "$work/run/otf2/trace/mine"
    otf2_is_whole
    mkdir "$work/run/otf2/trace/77.evt" # which cannot be removed
    run "$build/tools/dart-trace" "$work/run"; expect_code 1
    expect_line "dart-trace: $work/run/otf2: the archive that is there cannot be removed: *"
    rm -r "$work/run/otf2"
  fi
}

abort_is_traced() {
  run env DART_TRACE="$work/abort" "${dartrun[@]}" -n 3 "$program" abort
  [[ $code != 0 ]] || fail "an abort, and exit code 0"
  run "$build/tools/dart-trace" --format=chrome "$work/abort"; expect_code 0
  events "$work/abort" '
assert {e["pid"] for e in trace} == {0, 1, 2} and len(arguments("put")) == 18 and count("dart_exit", "B") == 0
assert count("lock", "i") == 6 and count("ask for lock", "i") == 3 and count("unlock", "i") == 9
for unit in range(3): # ids of a segment in epochs, and of another one of the same team, with a put that a flush completes
    of_unit = [e for e in trace if e["pid"] == unit and e["ph"] == "i"]
    other, fenced, locked = [e["args"]["id"] for e in of_unit if e["name"] == "put" and e["args"]["bytes"] == 4]
    ends = [(e["args"]["id"], e["name"]) for e in of_unit if e["name"].startswith("complete")]
    assert fenced == locked != other, (other, fenced, locked)
    assert ends[-3:] == [(fenced, "complete locally"), (locked, "complete remotely"), (other, "complete remotely")], ends
    for e in of_unit:
        if e["name"] in ("lock", "ask for lock"):
            assert [f["name"] for f in of_unit if f["args"].get("id") == e["args"]["id"]] == [e["name"], "unlock"], e'
}

# A flush of a context completes what was put in it, and of one unit; what was put out of it waits for dart_flush.
contexts_are_traced() {
  run env DART_TRACE="$work/contexts" "${dartrun[@]}" -n 3 "$program" contexts; expect_code 0
  run "$build/tools/dart-trace" --format=chrome "$work/contexts"; expect_code 0
  events "$work/contexts" '
for unit in range(3):
    of_unit = [e for e in trace if e["pid"] == unit]
    plain, inside = [e["args"]["id"] for e in of_unit if e["name"] == "put" and e["args"]["bytes"] == 8]
    shown = [e["name"] if "id" not in e.get("args", {}) else e["args"]["id"] for e in of_unit
             if e["name"].startswith("dart_context_flush") and e["ph"] == "E" or e["name"] == "complete remotely"]
    flush = "dart_context_flush_unit"
    assert plain != inside and shown[-4:] in ([flush, inside, flush, plain], [flush, flush, inside, plain]), (plain, inside, shown)'
}

all_of_it() {
  run_is_traced
  abort_is_traced
  [[ $backend != shmem ]] || contexts_are_traced
}

on_backends all_of_it dart-traced

# Clocks: unit 2 as if it ran on a host whose clock is five seconds ahead (the fields of event.h).
program=$build/test/dart-traced-shmem
if [[ -x $program ]]; then
  run env DART_TRACE="$work/hosts" "$build/dart-shmem/dartrun" -n 3 "$program"; expect_code 0
  python3 - "$work/hosts/unit-2.0.events" <<'END_PYTHON'
import struct, sys
name, at = sys.argv[1], 8 + 16 + 64 + 64 + 4 + 4 + 4 + 4 + 8
data = bytearray(open(name, "rb").read())
data[24:24 + 64] = b"other".ljust(64, b"\0")
data[at:at + 8] = struct.pack("<q", struct.unpack("<q", data[at:at + 8])[0] + 5 * 10**9)
open(name, "wb").write(data)
END_PYTHON
  run "$build/tools/dart-trace" --format=chrome "$work/hosts"; expect_code 0
  events "$work/hosts" '
begins, ends = ([[e["ts"] for e in trace if e["name"] == "dart_barrier" and e["ph"] == phase and e["pid"] == unit]
                 for unit in range(3)] for phase in "BE")
assert len(begins[0]) == 4
for begun, ended in zip(zip(*begins), zip(*ends)): # nobody leaves before all have come, but for what is not known
    assert max(begun) < min(ended) + 2e6 and max(begun) - min(ended) < 1e6, (begun, ended)'
fi

# A buffer of 1 MiB has room for 32768 events, and more than that are asked for.
if has_backend shmem; then
  run env DART_TRACE="$work/full" DART_TRACE_BUFFER=1 "$build/dart-shmem/dartrun" -n 1 "$build/test/dart-traced-shmem" many
  expect_code 0
  run "$build/tools/dart-trace" --format=chrome "$work/full"; expect_code 0
  expect_line "dart-trace: * calls were dropped: DART_TRACE_BUFFER sets the room, in MiB for each thread"
  events "$work/full" 'assert 8000 < count("dart_put", "B") < 20000 and len(trace) <= 32768'
  (($(stat -c %s "$work/full/unit-0.0.events") <= (1 << 20) + 4096)) || fail "the file has grown beyond its bound"
  # Without a launcher that looks: who asks for a trace gets one, or dart_init fails.
  run env DART_TRACE="$work/full" DART_TRACE_BUFFER=foo "$build/test/dart-traced-shmem" many
  [[ $code != 0 && $code != 124 ]] || fail "no room, and exit code $code"
  expect_line "dart-trace: DART_TRACE_BUFFER is 'foo'; it may be a number of MiB, from 1 to 1048576"
  run env DART_TRACE="$0" "$build/test/dart-traced-shmem" many
  [[ $code != 0 && $code != 124 ]] || fail "no folder, and exit code $code"
  expect_line "dart-trace: DART_TRACE: cannot make the folder $0: Not a directory"
fi

run "$build/tools/dart-trace" "$work"; expect_code 1; expect_line "dart-trace: $work: no files of events*"
finish
