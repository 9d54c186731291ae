# A unit is killed in a write: the job ends and the unit is named, and the file has all of every write but the last, and of
# that any part; of a unit's own write its first elements.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN # no lines but those that are looked for

# dies WRITE CHECK [MODE]: of three units, so that two nodes are not alike.
dies() {
  local file=$work/file said
  rm -f "$file"
  run timeout 60 "${dartrun[@]}" -n 3 "$program" "$1" "$file" "${@:3}"
  said=$(grep -o 'dartrun: .*' "$work/err")
  [[ $code != 0 && $code != 124 && $said == "dartrun: unit 1 (pid "+([0-9])") "* ]] ||
    fail "exit code $code, and not said of unit 1: $err"
  run "${dartrun[0]}" -n 1 "$program" "$2" "$file" 3
  expect_code 0
  expect_out "${2/check/whole}"
}

killed() {
  for _ in 1 2; do
    dies write check
    dies write check atomic
  done
  dies alone parts
  dies alone parts atomic
}
on_backends killed dart-write
if [[ -x $build/test/dart-write-mpi ]]; then
  export UCX_TLS=tcp,self
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2) program=$build/test/dart-write-mpi
  dies write check
  dies alone parts atomic
fi
finish
