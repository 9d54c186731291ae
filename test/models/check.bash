#!/usr/bin/env bash
# Checks one model, as the lines of its header say:
#
#   check.bash MODEL run      every `run`: no error, and nothing left out of the search
#   check.bash MODEL large    the same for those that take minutes or gigabytes
#   check.bash MODEL mutant   every `mutant` and `limit`: refuted; and without its MUTANT_ definition
#                             a mutant is not
#
# A line is a kind, a name, and what is defined for it; a mutant has MUTANT_<name> defined besides,
# a limit LIMIT_<name>. A model claims its assertions, and that it has no invalid end state.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
set -euo pipefail

models=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
model=$1
kind=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for tool in spin "${CC:=cc}"; do
  command -v "$tool" >/dev/null || { echo "skipped: there is no $tool here"; exit 77; }
done

# To optimise a verifier takes longer than a small search without optimisation.
case $kind in
  large) effort=(-O2 -DCOLLAPSE -DMEMLIM=8000) ;;
  *) effort=(-O0 -DMEMLIM=1500) ;;
esac

# search <definition>...: the verifier's output is in $said.
search() {
  rm -f pan*
  said=$(spin -a "$@" "$models/$model.pml" 2>&1 &&
    "$CC" -w "${effort[@]}" -DSAFETY -DNOFAIR -DNOCOVEST -o pan pan.c 2>&1 &&
    ./pan -m300000 -w20 2>&1) || said+=$'\n'"no verdict"
}

# No error, no warning, and neither the depth nor the memory was too small.
is_proved() {
  grep -q '^State-vector.*errors: 0$' <<<"$said" &&
    ! grep -qE 'too small|not completed|reached -DMEMLIM|[Ee]rror:|[Ww]arning|no verdict' <<<"$said"
}

is_refuted() {
  grep -qE '^pan:[0-9]+: (assertion violated|invalid end state)' <<<"$said"
}

# One line of summary, from the verifier's output.
summary() {
  local states depth reason
  states=$(sed -nE 's/^ *([0-9.e+]+) states, stored.*/\1/p' <<<"$said")
  depth=$(sed -nE 's/.*depth reached ([0-9]+).*/\1/p' <<<"$said")
  reason=$(sed -nE 's/^pan:[0-9]+: (.*) \(at depth.*/, \1/p' <<<"$said")
  printf '%-7s %-24s %10s states, depth %s%s\n' "$1" "$2" "$states" "$depth" "$reason"
}

failures=0
fail() {
  failures=$((failures + 1))
  printf 'FAILED %s, %s; it said:\n%s\n' "$model" "$*" "$said"
}

# prove <name> <definition>..., refute <kind> <name> <definition>...
prove() {
  search "${@:2}"
  if is_proved; then summary "$kind" "$1"; else fail "$*"; fi
}

refute() {
  search "${@:3}"
  if is_refuted; then summary "$1" "$2"; else fail "$*"; fi
}

# Once for all mutants with the same definitions.
sound=
prove_unchanged() {
  [[ $sound == *"|$*|"* ]] && return
  search "$@"
  if is_proved; then sound+="|$*|"; else fail "unchanged $*"; fi
}

searches=0
while read -r what name definitions; do
  read -ra define <<<"$definitions"
  case $what in
    run: | large:) prove "$name" "${define[@]}" ;;
    mutant:)
      prove_unchanged "${define[@]}"
      refute mutant "$name" "${define[@]}" "-DMUTANT_$name"
      ;;
    limit:) refute limit "$name" "${define[@]}" "-DLIMIT_$name" ;;
  esac
  searches=$((searches + 1))
done < <(sed -nE "s/^ \* ((${kind/mutant/mutant|limit}): .*)/\1/p" "$models/$model.pml")

((searches > 0)) || { echo "FAILED: $model has no $kind"; exit 1; }
((failures == 0))
