# The programs of doc/tutorial.md: they find their results right, and the page shows them as they are.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/.." && pwd)
[[ -d $build/examples ]] || { echo "skipped: this build has no examples"; exit 77; }
export DART_LOG_LEVEL=ERROR

right() {
  run "${dartrun[@]}" -n 3 "$build/examples/tutorial-$1-$backend"
  [[ $code == 0 && -z $err ]] || fail "$1 on $backend: exit code $code, and it said: $err"
  [[ $1 != 1_hello || $(sort <<<"$out") == $'unit 0 of 3\nunit 1 of 3\nunit 2 of 3' ]] || fail "$1 printed: $out"
}

# The code that follows the name of the file on the page.
shown() {
  awk -v name="\`examples/tutorial/$1.c\`:" '
    $0 == name { found = 1 } found && /^```$/ { exit } inside { print } found && /^```c$/ { inside = 1 }' "$top/doc/tutorial.md"
}

programs=("$top"/examples/tutorial/*.c)
[[ ${#programs[@]} == 6 ]] || fail "there are ${#programs[@]} programs"
for program in "${programs[@]}"; do
  name=$(basename "$program" .c)
  [[ $(shown "$name") == "$(<"$program")" ]] || fail "the page does not show $name as it is"
  backend=shmem dartrun=("$build/dart-shmem/dartrun")
  [[ ! -x ${dartrun[0]} ]] || right "$name"
  backend=mpi dartrun=("$build/dart-mpi/dartrun" --nodes 2)
  [[ ! -x ${dartrun[0]} ]] || right "$name"
done
finish
