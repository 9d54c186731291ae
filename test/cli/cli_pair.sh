# bench/pair: what it says of recorded figures of two trees, and of a wrong command line. It builds and runs nothing here.
source "$(dirname "$0")/cli.bash"

top=$(cd "$(dirname "$0")/../.." && pwd)

# rounds SIDE CASE BYTES NS...: the figures of a case, one in each round.
rounds() {
  local side=$1 case=$2 bytes=$3 round=0 ns
  shift 3
  for ns; do echo "$((round += 1)),$side,$case,$bytes,$ns"; done
}

# pair: OLD and NEW figures of a case.
pair() {
  # shellcheck disable=SC2086 # words
  rounds old "$1" "$2" $3
  # shellcheck disable=SC2086
  rounds new "$1" "$2" $4
}

# expect_mark CASE BYTES MARK: the last word of its line, which is a spread if it has none.
expect_mark() {
  local found
  found=$(awk -v name="$1" -v bytes="$2" '$1 == name && $2 == bytes { print $NF ~ /%$/ ? "-" : $NF }' <<<"$out")
  [[ $found == "$3" ]] || fail "$1 of $2 B: '$found', not '$3' in: $out"
}

head="round,side,case,bytes,ns"
{
  echo "$head"
  pair put_flush 512 "12 12.1 12.2 12 12.1 12.3 12" "29 29.1 29.4 28.8 29 29.3 29"
  pair put_flush 8 "9 9.1 9 9.2 9 9.1 9" "9.3 9.4 9.3 9.5 9.3 9.4 9.3"            # below 1.05
  pair noisy 8 "100 130 90 150 110 180 95" "120 140 115 190 130 170 160"             # within the spread
  pair disturbed 8 "50 51 50 52 51 50 900" "60 61 60 800 61 700 60"                  # rounds that do not count
  pair two_states 8 "80 80 81 80 82 81 80" "80 410 411 409 412 410 408"              # the median alone
  pair lucky 8 "40 80 81 80 82 81 80" "80 81 80 82 80 81 80"                         # the minimum alone
  pair get 64 "20 20.1 20.2" "10 10.1 10.2"
  pair get 4096 "100 101" "200 201"
  pair get 65536 "1000 1001 1002" ""
  echo "0,old,gone,,"
  echo "0,new,order.after_value,,"
} >"$work/rounds.csv"
run "$top/bench/pair" --compare "$work/rounds.csv"; expect_code 1
expect_mark put_flush 512 slower
expect_mark put_flush 8 -
expect_mark noisy 8 -
expect_mark disturbed 8 slower
expect_mark two_states 8 -
expect_mark lucky 8 -
expect_mark get 64 faster
expect_mark get 4096 rounds
expect_mark get 65536 ''
[[ $out == *"2 only in the old tree, not compared: get of 65536 B, gone"$'\n'* ]] || fail "only old: $out"
[[ $out == *"1 only in the new tree, not compared: order.after_value"$'\n'* ]] || fail "only new: $out"
[[ $out == *"2 of 8 cases are slower, 1 faster, 1 have too few rounds" ]] || fail "the sum: $out"
[[ $(awk '$1 == "put_flush" && $2 == 512 { print $3, $4, $5, $6, $7, $8, $9 }' <<<"$out") == \
  "12 28.8 2.400 12.1 29 2.397 0.8%" ]] || fail "its figures: $out"

# Nothing slower; nothing to compare; not such a file.
grep -vE ',(put_flush,512|disturbed,8),' "$work/rounds.csv" >"$work/fine.csv"
run "$top/bench/pair" --compare "$work/fine.csv"; expect_code 0
[[ $out == *"0 of 6 cases are slower"* ]] || fail "nothing is slower: $out"
grep -E '^round|,get,(4096|65536),' "$work/rounds.csv" >"$work/few.csv"
run "$top/bench/pair" --compare "$work/few.csv"; expect_code 2; expect_line "bench/pair: no case *"
echo "table,case" >"$work/cases.csv"
run "$top/bench/pair" --compare "$work/cases.csv"; expect_code 2; expect_line "bench/pair: *cases.csv *"
run "$top/bench/pair" --compare "$work/none.csv"; expect_code 2; expect_line "bench/pair: *none.csv*"

# Bad input is said in one line, before anything is built.
run "$top/bench/pair";                        expect_code 2; expect_line "bench/pair: *--help*"
run "$top/bench/pair" --fast HEAD;            expect_code 2; expect_line "bench/pair: *--fast*"
run "$top/bench/pair" --cases;                expect_code 2; expect_line "bench/pair: --cases *"
run "$top/bench/pair" HEAD HEAD~1;            expect_code 2; expect_line "bench/pair: *HEAD~1*"
run "$top/bench/pair" --backend ucx HEAD;     expect_code 2; expect_line "bench/pair: *'ucx'*"
run "$top/bench/pair" --rounds 2 HEAD;        expect_code 2; expect_line "bench/pair: *'2'*"
run "$top/bench/pair" --units no HEAD;        expect_code 2; expect_line "bench/pair: *'no'*"
run "$top/bench/pair" --nodes 4 HEAD; expect_code 2; expect_line "bench/pair: *'4'*2 units*"
run "$top/bench/pair" --only mutexes HEAD;    expect_code 2; expect_line "bench/pair: *'mutexes'*"
run "$top/bench/pair" --build "$work" HEAD;   expect_code 2; expect_line "bench/pair: *'$work'*"
run "$top/bench/pair" --compare "$work/fine.csv" HEAD; expect_code 2; expect_line "bench/pair: *HEAD*"
run "$top/bench/pair" no-such-revision;       expect_code 2; expect_line "bench/pair: *'no-such-revision'*"

finish
