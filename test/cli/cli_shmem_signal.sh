# dartrun of dart-shmem: signals sent to it reach every unit, once.
source "$(dirname "$0")/cli.bash"

dartrun=$build/dart-shmem/dartrun
unit=$build/test/cli_unit
need "$dartrun" "$unit"

# Each of four signals comes to each of three units; USR1 ends them well, so all goes well.
"$dartrun" -n 3 "$unit" '*:count' >"$work/out" 2>"$work/err" &
lines 3 '^[0-9]*$'
kill -TERM $!; lines 3 'got 15'
kill -INT $!;  lines 3 'got 2'
kill -HUP $!;  lines 3 'got 1$'
kill -USR2 $!; lines 3 "got 12"
kill -USR1 $!
wait $!; code=$?
expect_code 0; [[ ! -s $work/err ]] || fail "it said: $(<"$work/err")"
out=$(grep counted "$work/out" | sort)
expect_out $'0 counted 4\n1 counted 4\n2 counted 4'

# A unit that a forwarded signal kills counts as killed by it.
for signal in 15 10 12; do
  : >"$work/out"
  "$dartrun" -n 2 "$unit" '*:wait' >"$work/out" 2>"$work/err" &
  lines 2 '^[0-9]*$'
  kill -$signal $!
  wait $!; code=$? err=$(<"$work/err")
  expect_code $((128 + signal))
  expect_line "dartrun: unit [01] (pid +([0-9])) was killed by signal $signal (*)"
done

# ^C on a terminal goes to the whole job from the kernel; the launcher must not send it again. It is
# stopped until the units have seen the signal, as two that meet at a unit would count as one.
if command -v script >/dev/null; then
  : >"$work/out"
  mkfifo "$work/keys"
  script -qec "'$dartrun' -n 2 '$unit' '*:count' >'$work/out'; exit \$?" /dev/null \
    <"$work/keys" >/dev/null &
  exec 3>"$work/keys"
  lines 2 '^[0-9]*$'
  pid=$(grep -m 1 '^[0-9]*$' "$work/out")
  launcher=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
  kill -STOP "$launcher"
  printf '\003' >&3
  lines 2 'got 2'
  kill -USR1 "$launcher" # seen after INT: it takes signals in the order of their numbers
  kill -CONT "$launcher"
  wait $!; code=$?
  exec 3>&-
  expect_code 0
  out=$(grep counted "$work/out" | sort)
  expect_out $'0 counted 1\n1 counted 1'
else
  echo "not tested: ^C, as there is no script(1) here"
fi

finish
