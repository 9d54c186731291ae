# Settings that have to be the same on all units, and are not: dart_init fails on all of them, and says which they are.
# Variables that are no settings, and what the statistics leave out.
source "$(dirname "$0")/cli.bash"

# A unit's own environment: of unit 1 alone.
one=$work/one.sh # $work is another folder in each backend's part
cat >"$one" <<'END'
[ "${DART_SHMEM_UNIT:-${PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = 1 ] && export "$SETTING"
exec "$@"
END

on_one_backend() {
  local setting
  for setting in DART_HEAP_CHUNK=128K DART_POOL=16M; do
    run env SETTING="$setting" DART_LOG_LEVEL=ERROR "${dartrun[@]}" -n 2 sh "$one" "$program"
    [[ $code != 0 && $code != 124 ]] || fail "$backend, $setting: exit code $code: $out $err"
    [[ $(grep -c 'settings that have to be the same on all units are not: here DART_HEAP_CHUNK=' <<<"$err") == 2 ]] ||
      fail "$backend, $setting: not said by each: $err"
  done
  # What means nothing is said once, by the launcher.
  for setting in DART_STATS=xml DART_PROGRESS=maybe DART_POOL=1X DART_HANG=-1 DART_NODES=two DART_NODES=0; do
    run env "$setting" "${dartrun[@]}" -n 3 "$program"; expect_code 2
    expect_line "*${setting%%=*}='${setting#*=}' is not *"
  done
  for setting in DART_CHECK=foo DART_CHECK=memory,,races DART_CHECK_PATIENCE=0 DART_TRACE_BUFFER=foo DART_TRACE_BUFFER=0; do
    run env "$setting" "${dartrun[@]}" -n 3 "$program"; expect_code 2
    expect_line "dartrun: ${setting%%=*} is '${setting#*=}'; it may be *"
  done
  for setting in DART_REPORT DART_TRACE; do
    run env $setting="$one" "${dartrun[@]}" -n 3 "$program"; expect_code 2
    expect_line "dartrun: $setting: cannot make the folder '$one': Not a directory"
  done
  # A level that is none is a warning, once.
  run env DART_LOG_LEVEL=foo "${dartrun[@]}" -n 3 "$program"; expect_code 0
  [[ $(grep -c "DART_LOG_LEVEL='foo' is none of" <<<"$err") == 1 ]] || fail "$backend: DART_LOG_LEVEL: $err"
  # What is a unit's own business may differ.
  run env SETTING=DART_HANG=50 "${dartrun[@]}" -n 2 sh "$one" "$program"
  expect_code 0
}
# What is no setting is named once, with the nearest that is.
unknown() {
  run env DART_SLOTS=16K DART_AGREGATE=0 DART_TEST_X=1 DART_LOG_LEVEL=WARN "${dartrun[@]}" -n 2 "$program"
  expect_code 0
  [[ $(grep -c 'is no setting of DART' <<<"$err") == 2 && $err == *'DART_SLOTS is no setting of DART; the nearest is DART_STATS'* &&
    $err == *'DART_AGREGATE is no setting of DART; the nearest is DART_AGGREGATE'* ]] || fail "$backend: unknown: $err"
  if [[ $backend == mpi ]]; then # dart-shmem refuses it
    run env DART_NET=foo DART_LOG_LEVEL=WARN "${dartrun[@]}" -n 2 "$program"; expect_code 0
    expect_line "*dart_init: DART_NET has no effect with dart-mpi: the network is MPI's"
  fi
  run env DART_STATS=summary "${dartrun[@]}" -n 2 "$program"
  [[ $(grep -c 'DART_STATS=near,summary counts them' <<<"$err") == 1 ]] || fail "$backend: near operations: $err"
  run env DART_STATS=near,summary "${dartrun[@]}" -n 2 "$program"
  [[ $err != *'Operations on near memory are not counted'* && $err == *'DART statistics'* ]] || fail "$backend: near operations: $err"
}

both() { on_one_backend; unknown; }
on_backends both dart-unit
finish
