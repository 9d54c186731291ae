#!/usr/bin/env bash
# Each mutant of DART (mutants.c) must be found within a minute; within two, for other tests run beside.
# mutants.sh BUILD BACKEND:PROGRAM...
set -euo pipefail

build=$1
shift
missed=()
for mutant; do
  backend=${mutant%%:*} program=${mutant#*:} before=$SECONDS
  if "$build/test/random/random-drive" --build "$build" --backend "$backend" --program "$program" \
    --seconds 120 --round-seconds 8 --shrink 0 --must-fail >"$program.log" 2>&1; then
    printf '%3d s  %s\n' $((SECONDS - before)) "${program##*/}"
  else
    printf 'NOT FOUND: %s (%s)\n' "${program##*/}" "$program.log"
    missed+=("$program")
  fi
done
((${#missed[@]} == 0))
