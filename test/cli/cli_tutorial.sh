# The programs of doc/tutorial.md: they find their results right, and the page shows them as they are. So it does with
# their mistakes, and what is said about these.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
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

# Lines without what differs from run to run: numbers, folders, the width of columns.
plain() { sed -E 's|/[^ ]*/||g; s/[0-9]+/N/g; s/ +/ /g; s/^ //' "$@"; }

# What the page shows after the mistake of a program, up to the next text: what is said about it.
said() {
  awk -v name="$1" '
    /^`examples\/tutorial\// { at = ($0 ~ name) } at && /^```diff$/ { found = 1; next }
    found && /^[^ `+-]/ { exit } found && /^    / { print }' "$top/doc/tutorial.md" | sed 's/^    //' |
    grep -v 'build/release'
}

# The mistake, as the page shows it.
mistake() {
  awk -v name="$1" '
    /^`examples\/tutorial\// { at = ($0 ~ name) } at && /^```diff$/ { inside = 1; next }
    inside && /^```$/ { exit } inside { print }' "$top/doc/tutorial.md"
}

wrong() {
  local line
  DART_CHECK=1 DART_HANG=2 run timeout 15 "${dartrun[@]}" -n 3 "$build/examples/tutorial-wrong-$1-$backend"
  [[ $code != 0 ]] || fail "$1 is wrong on $backend, and ended with 0"
  while IFS= read -r line; do
    plain "$work/err" | grep -qxF -e "$line" || fail "not said of $1 on $backend: '$line', but: $err"
  done < <(said "$1" | plain)
}

programs=("$top"/examples/tutorial/*.c)
[[ ${#programs[@]} == 6 ]] || fail "there are ${#programs[@]} programs"
for program in "${programs[@]}"; do
  name=$(basename "$program" .c)
  [[ $(shown "$name") == "$(<"$program")" ]] || fail "the page does not show $name as it is"
  [[ $(mistake "$name") == "$(<"$top/examples/tutorial/wrong/$name.diff")" ]] ||
    fail "the page does not show the mistake of $name as it is"
  (($(said "$name" | wc -l) >= 3)) || fail "the page does not show what is said about $name"
  for backend in shmem mpi; do
    dartrun=("$build/dart-$backend/dartrun" --nodes 2)
    ! has_backend $backend || { right "$name"; wrong "$name"; }
  done
done
finish
