# What DART_STATS prints at dart_exit: the three forms, where they go, and what is invalid or cannot be written.
source "$(dirname "$0")/cli.bash"

export DART_LOG_LEVEL=WARN
unset DART_STATS DART_NODES

# column NAME: that column of the table of CSV in $table, without its head.
column() {
  awk -F, -v name="$1" '
    NR == 1 { for (c = 1; c <= NF; c++) if ($c == name) wanted = c; next }
    { print wanted ? $wanted : "no column" }' <<<"$table" | paste -sd ' '
}

expect_column() { # NAME VALUES
  [[ $(column "$1") == "$2" ]] || fail "$1: '$(column "$1")', not '$2'"
}

# Each unit puts 5 times 8 bytes to the next one; $puts, the counter that has them, and $nodes.
expect_table() { # UNITS
  local all=({0..9})
  expect_column unit "${all[*]:0:$1}"
  expect_column node "$nodes"
  expect_column "$puts" "5 5 5"
  expect_column "${puts}_bytes" "40 40 40"
  expect_column barrier "2 2 2"
  awk -F, 'NR == 1 { n = NF } NF != n || NF < 20 { exit 1 }' <<<"$table" || fail "ragged: $table"
}

is_json() { # FILE UNITS
  command -v python3 >/dev/null || return 0
  python3 - "$1" "$2" "$puts" <<'END' || fail "JSON: $(<"$1")"
import json, sys
report = json.load(open(sys.argv[1]))
units = [int(unit) for unit in sys.argv[2].split()]
assert [row["unit"] for row in report["values"]] == units
assert all(row[sys.argv[3]] == 5 and row["barrier"] == 2 for row in report["values"])
assert report["units"] == 3 and report["transport"] and report["cycle"] == 1
names = [entry["name"] for entry in report["statistics"]]
assert all(set(row) == {"unit", "node", *names} for row in report["values"])
assert {entry["kind"] for entry in report["statistics"]} == {"events", "bytes", "time", "level", "peak"}
END
}

try() {
  local words=("${dartrun[@]}" -n 3 "$program" puts 5) table unit wrong none
  nodes='0 0 0' puts=put_near
  if [[ ${dartrun[*]} == *--nodes* ]]; then
    dartrun=("${dartrun[0]}") words=("${dartrun[0]}" --nodes 3 -n 3 "$program" puts 5)
    nodes='0 1 2' puts=put_far
  fi

  # Without a file: stderr, in one piece. The output of the program is its own.
  run env DART_STATS=near,csv "${words[@]}"; expect_code 0; expect_out done
  table=$err; expect_table 3
  run env DART_STATS=near,summary "${words[@]}"; expect_code 0; expect_out done
  [[ $err == "DART statistics"* ]] || fail "head: $err"
  [[ $(awk -v name="$puts" '$1 == name { print $2, $3, $4, $5, $6 }' <<<"$err") == "15 5 0 5 0" ]] ||
    fail "summary: $err"
  [[ $err != *send_near* ]] || fail "zeros are left out: $err"
  run env DART_STATS=near,json "${words[@]}"; expect_code 0; expect_out done
  is_json "$work/err" "0 1 2"

  # A file, of all units; a file of each.
  run env DART_STATS=Near,CSV:"$work/all.csv" "${words[@]}"; expect_code 0; [[ -z $err ]] || fail "said: $err"
  table=$(<"$work/all.csv"); expect_table 3
  run env DART_STATS=near,json:"$work/unit%u-of%u.json" "${words[@]}"; expect_code 0
  for unit in 0 1 2; do is_json "$work/unit$unit-of$unit.json" $unit; done
  [[ $(ls "$work"/unit*.json | wc -l) == 3 ]] || fail "files: $(ls "$work")"
  run env DART_STATS=near,summary:"$work/unit%u" "${words[@]}"; expect_code 0
  grep -q "^$puts  *5 " "$work/unit2" || fail "summary of a unit: $(<"$work/unit2")"

  # Several cycles of init and exit, in one file of all units, and in one of each.
  rm "$work"/unit*
  run env DART_STATS=near,csv:"$work/cycles.csv" "${words[@]/puts/cycles}"; expect_code 0
  table=$(<"$work/cycles.csv")
  expect_column unit "0 1 2 0 1 2 0 1 2"
  expect_column cycle "1 1 1 2 2 2 3 3 3"
  expect_column "$puts" "5 5 5 10 10 10 15 15 15"
  run env DART_STATS=near,csv:"$work/unit%u.csv" "${words[@]/puts/cycles}"; expect_code 0
  table=$(<"$work/unit1.csv")
  expect_column unit "1 1 1"; expect_column cycle "1 2 3"; expect_column "$puts" "5 10 15"
  run env DART_STATS=near,json:"$work/cycles.json" "${words[@]/puts/cycles}"; expect_code 0
  [[ $(grep '^"cycle"' "$work/cycles.json") == $'"cycle": 1,\n"cycle": 2,\n"cycle": 3,' ]] || fail "$(<"$work/cycles.json")"

  # Without dart_exit: units that have files of their own.
  rm "$work"/unit*
  run env DART_STATS=near,json:"$work/unit%u-of%u.json" DART_LOG_LEVEL=ERROR "${words[@]/puts/left}"
  expect_code 0; [[ -z $err ]] || fail "said: $err"
  for unit in 0 1 2; do is_json "$work/unit$unit-of$unit.json" $unit; done
  run env DART_STATS=near,csv:"$work/left.csv" "${words[@]/puts/left}"; expect_code 0
  [[ ! -e $work/left.csv ]] || fail "a table of some units: $(<"$work/left.csv")"

  # None, and near operations unasked.
  for none in none near near,none; do
    run env DART_STATS=$none "${words[@]}"; expect_code 0; [[ -z $err ]] || fail "$none said: $err"
  done
  run env DART_STATS=csv "${words[@]}"; expect_code 0
  table=$err; expect_column put_near "0 0 0"

  # What cannot be written is a warning; the program ends well.
  run env DART_STATS=csv:"$work/no/folder" "${words[@]}"; expect_code 0; expect_out done
  expect_line "*WARN*DART_STATS: cannot write $work/no/folder: No such file*"
  run env DART_STATS=csv:/dev/full "${words[@]}"; expect_code 0
  expect_line "*WARN*DART_STATS: cannot write /dev/full: No space left*"
}

# What means nothing is an error of dart_init, one line, whatever the backend.
try_wrong() { # VARIABLE VALUE SAYS
  run env "$1=$2" "$program" puts 5; expect_code 3
  expect_line "*ERROR*$1='${2::300}*$3*"
}

on_backends try dart-unit
program=$build/test/dart-unit-shmem
[[ -x $program ]] || program=$build/test/dart-unit-mpi
# The page has every statistic; those in pairs by the first part of their names.
page=$(dirname "$0")/../../doc/profiling.md
names=$(env DART_STATS=csv "$program" 2>&1 >/dev/null | head -n 1 | tr ',' ' ')
(($(wc -w <<<"$names") > 60)) || fail "few statistics: $names"
for name in $names; do
  case $name in unit | node | cycle) continue ;; esac
  grep -q "\`${name%_peak}\`" "$page" || grep -q "\`${name%_bytes}\`.*_bytes" "$page" ||
    fail "$name is not in the page"
done

for wrong in xml csv: : none:file summaries '' near: near:file near, near,xml near,near nearly,csv csv,near near,none:file; do
  try_wrong DART_STATS "$wrong" "' is not one of none|summary|csv|json, nor 'near,' and one of these; ':FILE' may follow"
done
try_wrong DART_STATS "csv:$(printf 'x%.0s' {1..1100})" ''
finish
