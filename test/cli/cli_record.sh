# A unit is killed while all write to a file: of every unit's last call there may be a part, its beginning; all else is
# there as a whole, and nothing else is (doc/internals/files.md).
source "$(dirname "$0")/cli.bash"

check=$build/test/cli_records
need "$check"

# written KIND: units write until the one in the middle is killed, at another time in each round.
written() {
  local file=$work/file round whole=0
  for round in 1 2 3; do
    begin "${dartrun[@]}" -n 3 "$program" "$1" "$file"
    lines 3 '^unit [0-2] [0-9]*$'
    sleep "0.0$((round * 3))"
    kill -KILL "$(awk '$2 == 1 { print $3 }' "$work/out")"
    finished
    [[ $code != 0 ]] || fail "$1: the job went on"
    run "$check" "$1" "$file" 3
    expect_code 0
    [[ $out =~ ^([0-9]+)' whole, '[0-9]+' not'$ ]] || fail "$1: $out"
    whole=$((whole + ${BASH_REMATCH[1]:-0}))
    printf '\x7f' | dd of="$file" bs=1 seek=1000 conv=notrunc 2>/dev/null # the check can fail
    run "$check" "$1" "$file" 3
    expect_code 1
    rm -f "$file"
  done
  ((whole > 0)) || fail "$1: nothing was written"
}

all_kinds() {
  written own
  written board
  written shared
}

on_backends all_kinds dart-record
finish
