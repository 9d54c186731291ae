# A unit is killed in a write: the job ends and the unit is named, and the file has all of every write but the last, and of
# that any part; of a unit's own write its first elements. So it is in atomic mode where all write the same bytes.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN # no lines but those that are looked for

# dies WRITE...: the program, of three units, so that two nodes are not alike.
dies() {
  local said
  run timeout 60 "${dartrun[@]}" -n 3 "$program" "$@"
  said=$(grep -o 'dartrun: .*' "$work/err")
  [[ $code != 0 && $code != 124 && $said == "dartrun: unit 1 (pid "+([0-9])") "* ]] ||
    fail "exit code $code, and not said of unit 1: $err"
}

# leaves SAYS CHECK...: the program, of one unit, says that of the file.
leaves() {
  run "${dartrun[0]}" -n 1 "$program" "${@:2}"
  expect_code 0
  expect_out "$1"
  rm -f "$work"/file*
}

overlapping() {
  local program=${program/write/overlap}
  dies write "$work/file"
  leaves 'in order' check "$work/file" 3
  dies write "$work/file" large
  leaves 'in order' check "$work/file" 3 large
}

killed() {
  for _ in 1 2; do
    dies write "$work/file"
    leaves whole check "$work/file" 3
    dies write "$work/file" atomic
    leaves whole check "$work/file" 3
  done
  dies alone "$work/file"
  leaves parts parts "$work/file" 3
  dies alone "$work/file" atomic
  leaves parts parts "$work/file" 3
  overlapping
}
on_backends killed dart-write
if has_backend mpi; then
  export UCX_TLS=tcp,self
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2) program=$build/test/dart-write-mpi
  dies write "$work/file"
  leaves whole check "$work/file" 3
  dies alone "$work/file" atomic
  leaves parts parts "$work/file" 3
  overlapping
  export DART_PROGRESS=none
  overlapping
fi
finish
