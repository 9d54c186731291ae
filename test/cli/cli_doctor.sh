# dart-info --doctor finds what was done to the machine; and what doc/troubleshooting.md quotes of DART is what DART says.
source "$(dirname "$0")/cli.bash"
top=$(cd "$(dirname "$0")/../.." && pwd)
export DART_LOG_LEVEL=ERROR
unset UCX_TLS DART_PROGRESS

# finds PATTERN: a line to look at.
finds() { grep -q "^look  *$1" <<<"$out" || fail "it did not find '$1': $out $err"; }

if [[ -x $build/tools/dart-info-shmem ]]; then
  run "$build/dart-shmem/dartrun" -n 2 "$build/tools/dart-info-shmem" --doctor
  expect_code 0
  [[ $out == *'/dev/shm '*transport*'shared memory of one node'* ]] || fail "it said: $out $err"
  run bash -c 'ulimit -n 100; exec "$@"' bash "$build/dart-shmem/dartrun" -n 2 "$build/tools/dart-info-shmem" --doctor
  expect_code 0; finds 'descriptors *100'
  n=$(grep -c '^look ' <<<"$out")
  [[ $out == *$'\n'"$n lines need attention; "* || $n == 1 && $out == *$'\n1 line needs attention; '* ]] || fail "$n lines: $out"
  run bash -c 'ulimit -f 100000000; exec "$@"' bash "$build/tools/dart-info-shmem" --doctor
  expect_code 0; finds 'file size *97656 MiB'
  run taskset -c 0 "$build/dart-shmem/dartrun" -n 2 --bind=none "$build/tools/dart-info-shmem" --doctor
  expect_code 0; finds 'binding *units 0 and 1 are both bound to processor 0'
fi
if [[ -x $build/tools/dart-info-mpi ]]; then
  run env UCX_TLS=tcp,self DART_PROGRESS=none "$build/dart-mpi/dartrun" --nodes 2 -n 2 "$build/tools/dart-info-mpi" --doctor
  expect_code 0; finds 'UCX_TLS *tcp,self'; finds 'agent *DART_PROGRESS=none'
fi

# The words of the first column, but for numbers and names, are in a string of the source: strings that go on in the
# next line, and names of constants between them, are joined.
cat "$top"/dart-base/*/*.[ch] "$top"/dart-base/far/am/*.[ch] "$top"/dart-mpi/*/*.[ch] "$top"/dart-shmem/*.[ch] \
  "$top"/dart-shmem/*/*.[ch] "$top"/launch/*.[ch] | tr '\n' ' ' | sed -E 's/" *(DIRECTORY|PRI[a-z0-9]+)? *"//g; s/\\"/"/g' >"$work/source"
quoted=0
while IFS= read -r message; do
  quoted=$((quoted + 1))
  while IFS= read -r words; do
    words=${words%"${words##*[![:space:]]}"} words=${words#"${words%%[![:space:]]*}"}
    [[ ${#words} -lt 3 ]] || grep -qF -- "$words" "$work/source" || fail "DART does not say '$words' ('$message')"
  done <<<"${message//.../$'\n'}"
done < <(sed -nE '/^## MPICH/q; s/^\| (`[^|]*`) \|.*/\1/p' "$top/doc/troubleshooting.md" | grep -o '`[^`]*`' | tr -d '`' |
  grep -v 'No such file')
((quoted > 80)) || fail "only $quoted messages were found"
finish
