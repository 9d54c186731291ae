# A unit is killed in a collective write: the job ends and the unit is named, and the file has all of every write but
# the last, and of that any part.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN # no lines but those that are looked for

# dies [MODE]: of three units, so that two nodes are not alike.
dies() {
  local file=$work/file said
  rm -f "$file"
  run timeout 30 "${dartrun[@]}" -n 3 "$program" write "$file" "$@"
  said=$(grep -o 'dartrun: .*' "$work/err")
  [[ $code != 0 && $code != 124 && $said == "dartrun: unit 1 (pid "+([0-9])") "* ]] ||
    fail "exit code $code, and not said of unit 1: $err"
  run "${dartrun[0]}" -n 1 "$program" check "$file" 3
  expect_code 0
  expect_out whole
}

killed() {
  for _ in 1 2; do
    dies
    dies atomic
  done
}
on_backends killed dart-write
if [[ -x $build/test/dart-write-mpi ]]; then
  export UCX_TLS=tcp,self
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2) program=$build/test/dart-write-mpi
  dies
fi
finish
