# Launchers that are started with a standard stream closed: the job runs, and ends by a signal.
source "$(dirname "$0")/cli.bash"
export DART_LOG_LEVEL=WARN

# shellcheck disable=SC2154  # of on_backends
closed() {
  local stream
  for stream in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    run bash -c "exec \"\$@\" $stream" - "${dartrun[@]}" -n 2 "$program" '*:init,barrier,exit'
    expect_code 0; [[ -z $err ]] || fail "with $stream: $err"
  done
  begin bash -c 'exec "$@" <&-' - "${dartrun[@]}" -n 2 "$program" '*:init,pid,sleep=60000,exit'
  lines 2 '^[01] [0-9]'
  kill -TERM $!; finished; ((code != 0)) || fail "ended by itself"
}

on_backends closed dart-end
finish
