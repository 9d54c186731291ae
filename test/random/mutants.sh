#!/usr/bin/env bash
# Each mutant of DART (mutants.c) must be found within a minute, by a difference, or, where somebody is let wait for
# ever, by an operation that does not end. A crash tells nothing about the tester.
# mutants.sh BUILD BACKEND:fail|hang:PROGRAM...
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
set -euo pipefail

build=$1
shift
missed=()
for mutant; do
  IFS=: read -r backend how program <<<"$mutant"
  before=$SECONDS
  if "$build/test/random/random-drive" --build "$build" --backend "$backend" --program "$program" \
    --seconds 60 --round-seconds 8 --shrink 0 "--must-$how" >"$program.log" 2>&1; then
    printf '%3d s  %s: %s\n' $((SECONDS - before)) "${program##*/random-mutant-}" \
      "$(awk '/^random: FAILED/ { at = NR } NR == at + 2 { said = $0 } END { print said }' "$program.log" |
        cut -c 9-100)"
  else
    printf 'NOT FOUND: %s (%s)\n' "${program##*/}" "$program.log"
    missed+=("$program")
  fi
done
((${#missed[@]} == 0))
